/**
 * A process of a fleet. It runs a bot for each account whose shard the cluster gives it. A failure in one account is reported for that
 * account and tried again; no other account is affected. A runner that cannot reach the database ends its bots: they could record nothing,
 * so they would pay nothing.
 */
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { Cause, Effect, Layer, Metric } from "effect"
import * as EntityId from "effect/cluster/EntityId"
import * as Sharding from "effect/cluster/Sharding"
import { HttpRouter } from "effect/http"
import { Account } from "../../app/cluster/Account.ts"
import * as Cluster from "../../app/cluster/Cluster.ts"
import * as Listening from "../../control/http/Listening.ts"
import * as pages from "../../control/http/pages.ts"
import { rendered } from "../../control/view/Metrics.ts"
import { cacheFor, monotonicMillis } from "../../domain/Durations.ts"
import { countText, messageOf } from "../../domain/Text.ts"
import { Registry } from "../../journal/postgres/Registry.ts"
import { Process } from "../../process/Process.ts"
import { sourcesCode, version } from "../../version.ts"
import * as Owner from "./Owner.ts"
import * as Shared from "./sharing/Shared.ts"

const readMillis = 1_000
const lookMillis = 500
const hurryMillis = 100
/** At most this many accounts start at once: with more, the processor renews locks too late. A hanging one counts for `startMillis`. */
const maxStarting = 4
const startMillis = 5_000
/** A row is sent when it is new, and again at every tenth poll in case it was lost. */
const looksPerTurn = 10
const forgetMillis = 3_600_000
/** An account that has not accepted its row after this time has left or is leaving. */
const patienceMillis = 1_000
const silentMillis = 10_000

export interface RunnerOptions {
  /** The port of health and metrics on this machine; 0 for any free one. */
  readonly port: number | undefined
  readonly folder: string
  readonly stop: Effect.Effect<void>
  readonly say: (line: string) => Effect.Effect<void>
}

/** Describes the figures that effect's cluster counts without a description. */
const meanings: Readonly<Record<string, string>> = {
  effect_cluster_entities: "Entities on this runner by type; each account is one",
  effect_cluster_entity_mailbox_size_max: "Most requests at one entity of this runner, by type",
  effect_cluster_runners: "Runners in the cluster's register",
  effect_cluster_runners_healthy: "Registered runners that answer",
  effect_cluster_shards: "Shards of this runner; each has a part of the accounts",
  effect_cluster_shards_releasing: "Shards that this runner is giving up",
  effect_cluster_singletons: "Tasks on this runner that run once in the cluster"
}
const described = Effect.map(
  Metric.MetricRegistry,
  (registry) =>
    new Map([...registry].map(([key, each]) => [key, { ...each, description: each.description ?? meanings[each.id] }]))
)

/** Serves health and figures of this process on loopback. They contain nothing about money, so they need no token. */
const surface = Effect.fnUntraced(function* (
  port: number,
  pulse: { readonly accounts: number; readonly readAt: number }
) {
  const problems = Effect.map(monotonicMillis, (now) =>
    now - pulse.readAt < silentMillis ? [] : ["the database does not answer"]
  )
  const figures = Effect.suspend(() =>
    rendered([
      { name: "info", kind: "gauge", help: "Always 1", samples: [[{ version, sources: sourcesCode() }, 1]] },
      { name: "fleet_runner_accounts", kind: "gauge", help: "Accounts of this runner", samples: [[{}, pulse.accounts]] }
    ]).pipe(Effect.provideServiceEffect(Metric.MetricRegistry, described))
  )
  const options = { host: "127.0.0.1", port, mayMove: false, names: [], viewerToken: undefined, tls: undefined }
  const routes = Layer.merge(
    pages.health(problems, Effect.succeed([])),
    HttpRouter.add("GET", "/metrics", pages.measured(figures))
  )
  return yield* Listening.listen(options, routes)
})

export const run = Effect.fn("Runner.run")(function* ({ folder, port, say, stop }: RunnerOptions) {
  const registry = yield* Registry
  const { pid } = yield* Process
  const name = `${hostname()}-${pid}-${randomBytes(3).toString("hex")}`
  const rows = yield* cacheFor(registry.rows, readMillis)
  const starting = new Map<string, number>()
  const pulse = { accounts: 0, readAt: Number.NEGATIVE_INFINITY }

  const keeping = Effect.gen(function* () {
    const [client, { getShardId, hasShardId }] = [yield* Account.client, yield* Sharding.Sharding]
    let before: ReadonlyMap<string, string> = new Map()
    let [looks, nextMillis] = [0, lookMillis]
    const look = Effect.gen(function* () {
      const accounts = (yield* rows).filter(({ name }) => hasShardId(getShardId(EntityId.make(name), "default")))
      const ownAccounts = accounts.filter(({ name }) => before.has(name))
      const fresh = accounts.filter(({ name }) => !before.has(name))
      const now = yield* monotonicMillis
      pulse.readAt = now
      for (const [name, since] of starting) if (now - since > startMillis) starting.delete(name)
      const newAccounts = fresh.slice(0, maxStarting - starting.size)
      for (const { name } of newAccounts) starting.set(name, now)
      nextMillis = newAccounts.length < fresh.length ? hurryMillis : lookMillis
      if (newAccounts.length > 0)
        yield* say(`took ${countText(newAccounts.length, "account")}, owns ${ownAccounts.length + newAccounts.length}`)
      const isDue = looks++ % looksPerTurn === 0
      const due = ownAccounts.filter((account) => isDue || before.get(account.name) !== JSON.stringify(account))
      before = new Map([...ownAccounts, ...newAccounts].map((account) => [account.name, JSON.stringify(account)]))
      pulse.accounts = before.size
      yield* Effect.forEach(
        [...newAccounts, ...due],
        (account) => Effect.ignore(Effect.timeout(client(account.name).Ensure(account), patienceMillis)),
        { concurrency: "unbounded", discard: true }
      )
    })
    // Bots end while the database is unreachable. Afterwards all start again, a few at a time.
    const failed = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
      if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
      before = new Map()
      yield* say(`the database: ${messageOf(Cause.squash(cause))}`)
      yield* Effect.sleep(readMillis)
    })
    const pause = Effect.suspend(() => Effect.sleep(nextMillis))
    return yield* Effect.forever(Effect.andThen(Effect.catchCause(look, failed), pause))
  })
  const forgetting = Effect.forever(Effect.andThen(Effect.ignore(registry.forgetWords), Effect.sleep(forgetMillis)))

  const owner = Owner.layer({ folder, say, starting, sharedBy: yield* Shared.make(name) })
  const upkeep = Layer.effectDiscard(Effect.forkScoped(Effect.all([keeping, forgetting], { concurrency: 2 })))
  const cluster = Cluster.runner(name, rows)
  const served = port === undefined ? "" : `; health and metrics: ${yield* surface(port, pulse)}`
  yield* say(`runs as ${name}${served}`)
  yield* Effect.raceFirst(Layer.launch(Layer.merge(owner, upkeep).pipe(Layer.provide(cluster))), stop)
}, Effect.scoped)
