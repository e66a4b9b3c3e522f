/**
 * A process of a fleet. It has its share of the accounts, of each for as long as the cluster's engine gives it the account's shard, and runs a
 * bot for each. What fails in one account is told of that account and tried again; no other notices. A runner that cannot reach the
 * database ends its bots: it could record nothing, so it would pay nothing.
 */
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { Cause, Effect, Layer } from "effect"
import * as EntityId from "effect/cluster/EntityId"
import * as Sharding from "effect/cluster/Sharding"
import { messageOf } from "../../domain/Text.ts"
import { counted } from "../../domain/Words.ts"
import { Registry } from "../../journal/postgres/Registry.ts"
import { Account } from "../cluster/Account.ts"
import * as Cluster from "../cluster/Cluster.ts"
import { Process } from "../process/Process.ts"
import * as Owner from "./Owner.ts"
import * as Shared from "./sharing/Shared.ts"

const readMillis = 1_000
const lookMillis = 500
/** Accounts that begin at one look: they take the processor from those that run. */
const maxBegun = 25
/** A row is said when it is new, and again at every tenth look, in case it was not taken. */
const looksPerTurn = 10
/** Whoever comes first deletes old words for all. */
const forgetMillis = 3_600_000
/** An account that does not take its row by then has left, or is leaving. */
const patienceMillis = 1_000

export interface RunnerOptions {
  /** Where each account has a folder with its secrets. */
  readonly folder: string
  /** Completes when the runner is to leave. */
  readonly stop: Effect.Effect<void>
  readonly say: (line: string) => Effect.Effect<void>
}

export const run = Effect.fn("Runner.run")(function* ({ folder, say, stop }: RunnerOptions) {
  const registry = yield* Registry
  const { pid } = yield* Process
  const name = `${hostname()}-${pid}-${randomBytes(3).toString("hex")}`
  const rows = yield* Effect.cachedWithTTL(registry.rows, readMillis)

  /** Accounts begin with their first row. */
  const keeping = Effect.gen(function* () {
    const [client, { getShardId, hasShardId }] = [yield* Account.client, yield* Sharding.Sharding]
    let before: ReadonlyMap<string, string> = new Map()
    let looks = 0
    const look = Effect.gen(function* () {
      const accounts = (yield* rows).filter(({ name }) => hasShardId(getShardId(EntityId.make(name), "default")))
      const known = accounts.filter(({ name }) => before.has(name))
      const taken = accounts.filter(({ name }) => !before.has(name)).slice(0, maxBegun)
      if (taken.length > 0) yield* say(`took ${counted(taken.length, "account")}, owns ${known.length + taken.length}`)
      const isDue = looks++ % looksPerTurn === 0
      const due = known.filter((account) => isDue || before.get(account.name) !== JSON.stringify(account))
      before = new Map([...known, ...taken].map((account) => [account.name, JSON.stringify(account)]))
      yield* Effect.forEach(
        [...taken, ...due],
        (account) => Effect.ignore(Effect.timeout(client(account.name).Ensure(account), patienceMillis)),
        { concurrency: "unbounded", discard: true }
      )
    })
    yield* Effect.forever(Effect.andThen(Effect.catchCause(look, told), Effect.sleep(lookMillis)))
  })
  const told = (cause: Cause.Cause<unknown>) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.andThen(say(`the database: ${messageOf(Cause.squash(cause))}`), Effect.sleep(readMillis))
  const forgetting = Effect.forever(Effect.andThen(Effect.ignore(registry.forgetWords), Effect.sleep(forgetMillis)))

  const owner = Owner.layer({ folder, say, sharedBy: yield* Shared.make(name) })
  const kept = Layer.effectDiscard(Effect.forkScoped(Effect.all([keeping, forgetting], { concurrency: 2 })))
  const cluster = Cluster.runner(name, rows)
  yield* say(`runs as ${name}`)
  yield* Effect.raceFirst(Layer.launch(Layer.merge(owner, kept).pipe(Layer.provide(cluster))), stop)
}, Effect.scoped)
