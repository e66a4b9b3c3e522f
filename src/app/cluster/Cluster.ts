/**
 * The cluster's engine on a fleet's database, without any port: who is alive, who has which shard, words and answers are rows and locks of
 * Postgres. It places accounts and carries words. It decides nothing about money: an account's journal has one owner (`Journals.claim`), also
 * while two processes believe to have the account's shard.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Deferred, Duration, Effect, Layer, Option } from "effect"
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
import type { JournalError } from "../../journal/Journal.ts"
import { deadAfterSeconds, type OwnedAccount } from "../../journal/postgres/Registry.ts"
import { clusterPrefix } from "../../journal/postgres/tables.ts"
import * as Admission from "./Admission.ts"
import { divided } from "./Shares.ts"

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

const settings = (runnerAddress: Option.Option<RunnerAddress.RunnerAddress>) => {
  const { groups } = Admission
  return ShardingConfig.layer({ ...times, runnerAddress, availableShardGroups: groups, assignedShardGroups: groups })
}

const sharding = Sharding.layer.pipe(
  Layer.provide(Runners.layerNoop),
  Layer.provide([SqlMessageStorage.layerWith({ prefix: clusterPrefix }), RunnerHealth.layerNoop]),
  Layer.provide(NodeCrypto.layerDigest)
)

export const client = sharding.pipe(Layer.provide(RunnerStorage.layerMemory), Layer.provide(settings(Option.none())))

type Accounts = Effect.Effect<ReadonlyArray<OwnedAccount>, JournalError>

/** Owns its share of the accounts. A runner has a name, and no port. */
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

const unusable = Effect.mapError((cause: unknown) => new PersistenceError({ cause }))

/** Each runner sees only itself, so every shard seems to be its own, but it locks only those in its share. */
const storage = (
  address: RunnerAddress.RunnerAddress,
  accounts: Accounts,
  sharding: Effect.Effect<Sharding.Sharding["Service"]>
) =>
  Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.gen(function* () {
      const storage = yield* SqlRunnerStorage.make({ prefix: clusterPrefix })
      const register = yield* Admission.registering(storage)
      yield* register(new Runner.Runner({ address, groups: Admission.groups, weight: 1 }), true)
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
