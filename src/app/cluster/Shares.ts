/**
 * Divides a fleet's accounts evenly among its runners. By itself the engine places shards by a hash, which gives one of three runners seven of
 * twelve accounts. Here each runner sees itself alone, so every shard is its own, but it locks only those that `divided` gives it.
 */
import { Effect, Hash, Layer } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import * as EntityId from "effect/cluster/EntityId"
import * as Runner from "effect/cluster/Runner"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import type { Sharding } from "effect/cluster/Sharding"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import type { JournalError } from "../../journal/Journal.ts"
import type { OwnedAccount } from "../../journal/postgres/Registry.ts"
import { clusterPrefix } from "../../journal/postgres/tables.ts"
import * as Admission from "./Admission.ts"

export interface SharesOptions {
  /** The runner's. */
  readonly name: string
  readonly accounts: Effect.Effect<ReadonlyArray<OwnedAccount>, JournalError>
  /** Completes when the engine has been made. */
  readonly sharding: Effect.Effect<Sharding["Service"]>
}

/** A runner has no port. */
export const addressOf = (name: string) => RunnerAddress.make(name, 0)

const unusable = Effect.mapError((cause: unknown) => new PersistenceError({ cause }))

export const layer = ({ accounts, name, sharding }: SharesOptions) =>
  Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.gen(function* () {
      const storage = yield* SqlRunnerStorage.make({ prefix: clusterPrefix })
      const register = yield* Admission.registering(storage)
      const address = addressOf(name)
      yield* register(new Runner.Runner({ address, groups: Admission.groups, weight: 1 }), true)
      let mine: ReadonlySet<string> = new Set()
      const look = Effect.gen(function* () {
        const [{ getShardId }, all, alive] = [yield* sharding, yield* accounts, yield* storage.getRunners]
        const shards = Map.groupBy(all, ({ name }) => `${getShardId(EntityId.make(name), "default")}`)
        mine = divided(
          [...shards].map(([shard, { length }]) => [shard, length]),
          alive.map(([{ address }]) => address.host)
        )(name)
      })
      return RunnerStorage.RunnerStorage.of({
        ...storage,
        register: (runner, isHealthy) => unusable(register(runner, isHealthy)),
        getRunners: Effect.map(storage.getRunners, (all) => all.filter(([{ address }]) => address.host === name)),
        acquire: (_, free) =>
          Effect.flatMap(unusable(look), () =>
            storage.acquire(
              address,
              [...free].filter((shard) => mine.has(`${shard}`))
            )
          ),
        // The engine ends the accounts of a shard that is no longer refreshed, and then unlocks it.
        refresh: (_, shards) =>
          Effect.map(storage.refresh(address, shards), (locked) => locked.filter((shard) => mine.has(`${shard}`)))
      })
    })
  )

/**
 * Returns the shards of each runner, by the number of accounts in each shard. All runners come to the same result. Their accounts differ in number
 * by one shard at most, and few accounts move when a runner or an account comes or goes: each runner ranks all shards by a hash.
 */
export const divided = (
  sizes: ReadonlyArray<readonly [shard: string, size: number]>,
  runners: ReadonlyArray<string>
) => {
  const share = sizes.reduce((sum, [, size]) => sum + size, 0) / runners.length
  const held = new Map(runners.map((name) => [name, { shards: new Set<string>(), accounts: 0 }]))
  for (const [shard, size] of sizes.toSorted()) {
    const below = (most: number) => [...held].filter(([, { accounts }]) => accounts < most)
    const [least, most] = [below(Math.floor(share)), below(share)]
    const ranked = (least.length > 0 ? least : most).map(([name, has]) => ({ has, rank: rankOf(shard, name) }))
    const [best] = ranked.toSorted((one, other) => one.rank - other.rank)
    best?.has.shards.add(shard)
    if (best !== undefined) best.has.accounts += size
  }
  return (runner: string): ReadonlySet<string> => held.get(runner)?.shards ?? new Set()
}

/** The hash of a text alone is much the same for similar texts. */
const rankOf = (shard: string, runner: string): number => {
  const hash = Math.imul(Hash.string(`${shard} ${runner}`), 0x9e3779b1)
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 0
}
