/**
 * A process of a fleet: says every two seconds that it is alive, takes accounts that nobody alive owns up to its share, gives some back when
 * others have come, and runs a bot for each. What fails in one account is told of that account and tried again; no other notices. One
 * whose runner died is taken up within fifteen seconds. A runner that cannot reach the database goes on with what it has: it can record
 * nothing, so it pays nothing, and what it owned is another's when it is back.
 */
import { createHash, randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { Cause, Deferred, Effect, Fiber, FiberMap, Redacted, Scope } from "effect"
import { ChildProcessSpawner } from "effect/process"
import { messageOf } from "../../domain/Text.ts"
import { type OwnedAccount, Registry } from "../../journal/postgres/Registry.ts"
import * as Layers from "../../Layers.ts"
import type { OrderBook } from "../../orderbook/OrderBook.ts"
import { Process } from "../process/Process.ts"
import * as AccountBot from "./AccountBot.ts"

const beatMillis = 2_000
const tellMillis = 5_000
/** A turn that has begun gets so long to end. */
const graceMillis = 3_000
const againMillis = 10_000
/** Taken in one beat: so many start at once. */
const mostAtOnce = 50

/** An account as this process runs it. */
interface Life {
  readonly revision: number
  readonly stop: Deferred.Deferred<void>
  steer: AccountBot.AccountBot["steer"] | undefined
  /** What it was told last: only what is new wakes it. */
  wanted: Pick<OwnedAccount, "wanted" | "why">
}

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
  const scope = yield* Effect.scope
  const fibers = yield* FiberMap.make<string>()
  const lives = new Map<string, Life>()
  const bookOf = yield* booksIn(scope)

  const failed = Effect.fnUntraced(function* (account: string, why: string) {
    yield* say(`${account}: ${why}`)
    yield* Effect.ignore(registry.tellFailing(name, account, why))
  })

  const live = Effect.fnUntraced(function* (account: OwnedAccount, life: Life) {
    const text = yield* registry.text(account.name)
    if (text === undefined) return
    const loaded = yield* AccountBot.loaded(folder, text)
    const book = yield* bookOf(loaded)
    yield* Effect.gen(function* () {
      const bot = yield* AccountBot.make(loaded, account, pid, Deferred.await(life.stop))
      life.steer = bot.steer
      const telling = Effect.flatMap(bot.told, (told) => Effect.ignore(registry.tell(name, account.name, told)))
      const always = Effect.forever(Effect.andThen(telling, Effect.sleep(tellMillis)))
      yield* Effect.raceFirst(bot.runs, always)
      yield* telling
    }).pipe(Effect.provide(AccountBot.layer(account.name, loaded, book)), Effect.scoped)
  })

  /** Begun again as long as it is ours. */
  const begin = Effect.fnUntraced(function* (account: OwnedAccount) {
    const { revision, wanted, why } = account
    const life: Life = { revision, stop: yield* Deferred.make<void>(), steer: undefined, wanted: { wanted, why } }
    lives.set(account.name, life)
    const whole = live(account, life).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.andThen(failed(account.name, messageOf(Cause.squash(cause))), Effect.sleep(againMillis))
      ),
      Effect.ensuring(
        Effect.sync(() => {
          if (lives.get(account.name) === life) lives.delete(account.name)
        })
      )
    )
    yield* FiberMap.run(fibers, account.name, whole)
  })

  /** Orders go on resting; whoever runs the account next goes on with them. */
  const end = Effect.fnUntraced(function* (account: string) {
    const life = lives.get(account)
    if (life === undefined) return
    yield* Deferred.succeed(life.stop, undefined)
    const gone = Effect.repeat(Effect.sleep(50), { while: () => lives.get(account) === life })
    yield* Effect.timeoutOption(gone, graceMillis)
    yield* FiberMap.remove(fibers, account)
    lives.delete(account)
  })

  const steer = Effect.fnUntraced(function* (life: Life, account: OwnedAccount) {
    const isKnown = life.wanted.wanted === account.wanted && life.wanted.why === account.why
    if (isKnown || life.steer === undefined) return
    life.wanted = account
    yield* Effect.ignore(life.steer(account))
  })

  const beat = Effect.gen(function* () {
    const { owned, share } = yield* registry.beat(name)
    const mine = new Map(owned.map((account) => [account.name, account]))
    const lost = [...lives.keys()].filter((account) => !mine.has(account))
    yield* Effect.forEach(lost, end, { concurrency: "unbounded", discard: true })
    const spare = owned.slice(share).map((account) => account.name)
    yield* Effect.forEach(spare, end, { concurrency: "unbounded", discard: true })
    yield* registry.release(name, spare)
    const taken = owned.length < share ? yield* registry.claim(name, Math.min(mostAtOnce, share - owned.length)) : []
    if (taken.length > 0) yield* say(`took ${taken.length} accounts, owns ${owned.length + taken.length}`)
    const kept = owned.slice(0, share)
    const edited = kept.filter(
      (account) => (lives.get(account.name)?.revision ?? account.revision) !== account.revision
    )
    yield* Effect.forEach(edited, (account) => end(account.name), { concurrency: "unbounded", discard: true })
    for (const account of kept) {
      const life = lives.get(account.name)
      yield* life === undefined ? begin(account) : steer(life, account)
    }
    return taken.length
  })

  const beating = Effect.forever(
    beat.pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.as(say(`the database: ${messageOf(Cause.squash(cause))}`), 0)
      ),
      // What was just taken begins at once.
      Effect.flatMap((taken) => (taken > 0 ? Effect.void : Effect.sleep(beatMillis)))
    )
  )
  yield* say(`runs as ${name}`)
  // However long accounts take to end and begin, the others are told that this runner is alive.
  const breath = yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.ignore(registry.beat(name)), Effect.sleep(beatMillis)))
  )
  yield* Effect.raceFirst(beating, stop)
  yield* Effect.forEach([...lives.keys()], end, { concurrency: "unbounded", discard: true })
  yield* Fiber.interrupt(breath)
  yield* Effect.ignore(registry.leave(name))
}, Effect.scoped)

/** One order book for each venue, credential and way of trusting prices, made when the first account needs it. */
const booksIn = Effect.fnUntraced(function* (scope: Scope.Scope) {
  const known = new Map<string, Effect.Effect<OrderBook["Service"], unknown>>()
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  return Effect.fnUntraced(function* ({ account, config }: AccountBot.LoadedAccount) {
    const { apiKey, url } = config.venue
    const key = createHash("sha256")
      .update(`${url} ${Redacted.value(apiKey)} ${JSON.stringify(config.prices, withWhole)}`)
      .digest("hex")
    const making = Layers.sharedBook(config, account).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner)
    )
    const made = known.get(key) ?? (yield* Effect.cached(making))
    known.set(key, made)
    // One that could not be made is made anew by whoever needs it next.
    return yield* Effect.tapError(made, () => Effect.sync(() => known.delete(key)))
  })
})

/** JSON has no whole numbers of any size. */
const withWhole = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value)
