/**
 * The cluster's engine on a fleet's database, without any port: who is alive, who has which shard, words and answers are rows and locks of
 * Postgres. It places accounts and carries words. It decides nothing about money: an account's journal has one owner (`Journals.claim`), also
 * while two processes believe to have the account's shard.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Deferred, Duration, Effect, Layer, Option } from "effect"
import type * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Runners from "effect/cluster/Runners"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "effect/cluster/SqlMessageStorage"
import { deadAfterSeconds } from "../../journal/postgres/Registry.ts"
import { clusterPrefix } from "../../journal/postgres/tables.ts"
import * as Admission from "./Admission.ts"
import * as Shares from "./Shares.ts"

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

/** Says words, and owns nothing. */
export const client = sharding.pipe(Layer.provide(RunnerStorage.layerMemory), Layer.provide(settings(Option.none())))

/** Owns its share of the accounts. */
export const runner = (options: Omit<Shares.SharesOptions, "sharding">) =>
  Layer.unwrap(
    Effect.map(Deferred.make<Sharding.Sharding["Service"]>(), (made) =>
      Layer.effectDiscard(Effect.flatMap(Sharding.Sharding, (sharding) => Deferred.succeed(made, sharding))).pipe(
        Layer.provideMerge(sharding),
        Layer.provide(Shares.layer({ ...options, sharding: Deferred.await(made) })),
        Layer.provide(settings(Option.some(Shares.addressOf(options.name))))
      )
    )
  )
