/**
 * Runs the cluster's engine on a fleet's database, without any port: runners, shards, commands and answers are rows and locks of Postgres.
 * It places accounts and carries commands. It decides nothing about money: an account's journal has one owner (`Journals.claim`), even
 * while two processes believe that they have the account's shard.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Deferred, Duration, Effect, Hash, Layer, Option } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import * as EntityId from "effect/cluster/EntityId"
import * as Runner from "effect/cluster/Runner"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Runners from "effect/cluster/Runners"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { getCurrentVersion } from "effect/Version"
import type { JournalError } from "../../journal/Journal.ts"
import { deadAfterSeconds, type OwnedAccount } from "../../journal/postgres/Registry.ts"
import { clusterPrefix } from "../../journal/postgres/tables.ts"
import { commandFailed } from "../CommandFailed.ts"

/** Earlier servers do not end the session of a frozen process, which holds its locks. */
const minServer = 14

/** Groups of shards. The second contains no account: its name shows other runners the version of the tables, locks and messages. */
export const groups = ["default", `effect ${getCurrentVersion()}`] as const

const processOf = (connection: Connection) =>
  Effect.map(connection.executeValues("SELECT pg_backend_pid()", []), ([row]) => row?.[0])

/** A pooler gives a session to another client between two transactions; then a lock has no owner. */
const isPooled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [one, other] = [yield* sql.reserve, yield* sql.reserve]
  const before = yield* processOf(one)
  yield* other.executeRaw("BEGIN", [])
  const isShared = (yield* processOf(other)) === before || (yield* processOf(one)) !== before
  yield* other.executeRaw("ROLLBACK", [])
  return isShared
}).pipe(Effect.scoped)

/** Registers a runner with the engine only if it fits the database and the other runners. */
export const registering = Effect.fn("Cluster.registering")(function* (
  storage: RunnerStorage.RunnerStorage["Service"]
) {
  const sql = yield* SqlClient.SqlClient
  const [server] = yield* sql<{ version: number }>`SELECT current_setting('server_version_num')::int / 10000 AS version`
  const version = server?.version ?? 0
  if (version < minServer)
    return yield* commandFailed(`A fleet needs Postgres ${minServer} or later; this is ${version}`)
  if (yield* isPooled)
    return yield* commandFailed(
      "A fleet needs sessions: set the server's own address, not a pooler's in transaction mode"
    )
  const fits = Effect.gen(function* () {
    const other = (yield* storage.getRunners).find(([{ groups: theirs }]) => !theirs.includes(groups[1]))?.[0]
    if (other !== undefined)
      return yield* commandFailed(
        `The runner ${other.address.host} has another engine (${other.groups[1]}) than this one (${groups[1]}): stop every runner, then start the new version`
      )
  })
  // Two runners that register at the same time see each other, and neither runs.
  return Effect.fnUntraced(function* (runner: Runner.Runner, isHealthy: boolean) {
    yield* fits
    const machine = yield* storage.register(runner, isHealthy)
    yield* Effect.tapError(fits, () => storage.unregister(runner.address))
    return machine
  })
})

const times = {
  /** Accounts of one shard move together, so there are many. A shard with accounts takes a lock of the server. */
  shardsPerGroup: 1024,
  shardLockExpiration: Duration.seconds(deadAfterSeconds),
  /** Locks are refreshed at a third of their expiration: the engine takes the shorter time. */
  shardLockRefreshInterval: Duration.seconds(deadAfterSeconds),
  refreshAssignmentsInterval: Duration.seconds(1),
  entityMessagePollInterval: Duration.seconds(1),
  entityTerminationTimeout: Duration.seconds(3),
  maxResidentEntities: "unbounded",
  simulateRemoteSerialization: false
} as const

const settings = (runnerAddress: Option.Option<RunnerAddress.RunnerAddress>) =>
  ShardingConfig.layer({ ...times, runnerAddress, availableShardGroups: groups, assignedShardGroups: groups })

const sharding = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provide([SqlMessageStorage.layerWith({ prefix: clusterPrefix }), RunnerHealth.layerNoop]),
  Layer.provide(NodeCrypto.layerDigest)
)

export const client = sharding.pipe(Layer.provide(RunnerStorage.layerMemory), Layer.provide(settings(Option.none())))

type Accounts = Effect.Effect<ReadonlyArray<OwnedAccount>, JournalError>

export const runner = (name: string, accounts: Accounts) =>
  Layer.unwrap(
    Effect.map(Deferred.make<Sharding.Sharding["Service"]>(), (made) => {
      const address = RunnerAddress.make(name, 0)
      return Layer.effectDiscard(
        Effect.flatMap(Sharding.Sharding, (sharding) => Deferred.succeed(made, sharding))
      ).pipe(
        Layer.provideMerge(sharding),
        Layer.provide(storage(address, accounts, Deferred.await(made))),
        Layer.provide(settings(Option.some(address)))
      )
    })
  )

/**
 * Divides shards among runners so that their numbers of accounts differ by one shard at most. All runners compute the same result. Each
 * runner ranks all shards by a hash, so few accounts move when a runner or an account comes or goes.
 */
export const divided = (
  sizes: ReadonlyArray<readonly [shard: string, size: number]>,
  runners: ReadonlyArray<string>
) => {
  const share = sizes.reduce((sum, [, size]) => sum + size, 0) / runners.length
  const sharesByRunner = new Map(runners.map((name) => [name, { shards: new Set<string>(), accounts: 0 }]))
  for (const [shard, size] of sizes.toSorted()) {
    const below = (most: number) => [...sharesByRunner].filter(([, { accounts }]) => accounts < most)
    const [least, most] = [below(Math.floor(share)), below(share)]
    const ranked = (least.length > 0 ? least : most).map(([name, has]) => ({ has, rank: rankOf(shard, name) }))
    const [best] = ranked.toSorted((one, other) => one.rank - other.rank)
    best?.has.shards.add(shard)
    if (best !== undefined) best.has.accounts += size
  }
  return (runner: string): ReadonlySet<string> => sharesByRunner.get(runner)?.shards ?? new Set()
}

/** Similar texts have similar hashes, so the bits are mixed once more. */
const rankOf = (shard: string, runner: string): number => {
  const hash = Math.imul(Hash.string(`${shard} ${runner}`), 0x9e3779b1)
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 0
}

const unusable = Effect.mapError((cause: unknown) => new PersistenceError({ cause }))

/** Shows the engine only this runner, so that it claims every shard. Locks are taken only for the shards in its share. */
const storage = (
  address: RunnerAddress.RunnerAddress,
  accounts: Accounts,
  sharding: Effect.Effect<Sharding.Sharding["Service"]>
) =>
  Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.gen(function* () {
      const storage = yield* SqlRunnerStorage.make({ prefix: clusterPrefix })
      const register = yield* registering(storage)
      yield* register(new Runner.Runner({ address, groups: groups, weight: 1 }), true)
      let mine: ReadonlySet<string> = new Set()
      const isMine = (shard: object): boolean => mine.has(`${shard}`)
      const look = Effect.gen(function* () {
        const [{ getShardId }, all, alive] = [yield* sharding, yield* accounts, yield* storage.getRunners]
        const shards = Map.groupBy(all, ({ name }) => `${getShardId(EntityId.make(name), "default")}`)
        const sizes = [...shards].map(([shard, { length }]) => [shard, length] as const)
        const names = alive.map(([{ address }]) => address.host)
        mine = divided(sizes, names)(address.host)
      })
      return RunnerStorage.RunnerStorage.of({
        ...storage,
        register: (runner, isHealthy) => unusable(register(runner, isHealthy)),
        getRunners: Effect.map(storage.getRunners, (all) => all.filter(([each]) => each.address.host === address.host)),
        acquire: (_, free) => Effect.flatMap(unusable(look), () => storage.acquire(address, [...free].filter(isMine))),
        // The engine ends the accounts of a shard that is no longer refreshed, and then unlocks it.
        refresh: (_, shards) => Effect.map(storage.refresh(address, shards), (locked) => locked.filter(isMine))
      })
    })
  )
