/**
 * The engine's loop. A turn observes, decides, compares, checks limits, records, acts and records again; then the loop waits until
 * something may have changed.
 *
 * A turn looks only at the present, so a missed change does no harm. Starting up is the same turn on a folded journal. Only a journal that
 * may have lost events needs code of its own (`restart`, `checkTakenOver`). Turns never overlap. A failure stays small: without prices,
 * orders are still tracked; without the venue's list, they are read one by one. Only new orders need both. Cancelling waits for no turn.
 */
import { Clock, Effect, Layer, Queue, Random } from "effect"
import type { Reason } from "../domain/BotEvent.ts"
import { present } from "../domain/Present.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import * as Cancelling from "./Cancelling.ts"
import * as Defects from "./Defects.ts"
import { doubledMillis, EngineInputs, type EngineOptions, EngineSettings, type Settings } from "./EngineSettings.ts"
import { MarketWatch } from "./markets/MarketWatch.ts"
import { pauseAfter } from "./observation/PollPlan.ts"
import { ForgottenOrders } from "./restart/ForgottenOrders.ts"
import { Bookkeeper } from "./state/Bookkeeper.ts"
import * as Contact from "./turn/Contact.ts"
import * as StrategyPlans from "./turn/StrategyPlans.ts"
import * as Turn from "./turn/Turn.ts"

const parts = Layer.mergeAll(ForgottenOrders.layer, MarketWatch.layer)

export const make = Effect.fnUntraced(function* (options: EngineOptions) {
  const none = { payAgain: new Set<string>(), admit: Effect.succeed(() => true), listen: Effect.void }
  const inputs = Layer.succeed(EngineInputs, { ...none, ...options })
  return yield* Effect.provide(engine, yield* Layer.build(Layer.provideMerge(parts, inputs)))
})

export type Engine = Effect.Success<typeof engine>

const engine = Effect.gen(function* () {
  const { quietLookMillis, withdraw } = yield* EngineInputs
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const watch = yield* MarketWatch
  const contact = yield* Contact.make
  const plans = yield* StrategyPlans.make
  const turning = yield* Defects.isolate("a turn of")
  const turn = yield* Turn.make(contact, plans)
  const woken = yield* Queue.sliding<void>(1)
  const nextTurn = Queue.offer(woken, undefined)
  const cancelling = yield* Cancelling.make({ withdraw, wakeTurn: nextTurn, ...present({ quietLookMillis }) })
  const wake = Effect.andThen(cancelling.wakeSelf, nextTurn)
  let turnedAt = 0
  let nextLookAt = 0

  const replace = (next: ReadonlyArray<Strategy>, removed: "drained" | "left") =>
    Effect.andThen(plans.replace(next, removed), wake)

  const withdrawPlacements = (placements: ReadonlyArray<string>, why: Reason) =>
    Effect.andThen(cancelling.request(placements, why), wake)

  /** Ends the bot only if the journal cannot be written, decimals are wrong, or a credential is permanently refused. */
  const turnUnlessRefused = Effect.gen(function* () {
    const problem = yield* turn.run()
    turnedAt = yield* Clock.currentTimeMillis
    contact.turnEnded(problem)
    return problem
  }).pipe(Effect.catchReason("VenueError", "Unauthorized", (_, error) => contact.turnRefused(error)))

  const pause = Effect.map(Clock.currentTimeMillis, (now) =>
    pauseAfter(settings, books.state, watch.prices, plans.decided(), now)
  )

  /** Runs turns until `stop` completes or `done` is true after a turn, then finishes started work, whatever the venue refuses. */
  const runTurns = Effect.fnUntraced(function* (stop: Effect.Effect<void>, done: () => boolean) {
    let stopped = false
    let failedTurns = 0
    const stopAsked = Effect.map(stop, () => {
      stopped = true
    })
    while (!stopped) {
      let planned: number | undefined
      const settled = Effect.gen(function* () {
        if ((yield* turnUnlessRefused) === undefined) planned = yield* pause
      })
      yield* turning("the engine", settled)
      // A turn may have requested cancels, which must not wait for the next rare pass.
      if (quietLookMillis !== undefined) yield* cancelling.wakeSelf
      failedTurns = planned === undefined ? failedTurns + 1 : 0
      if (done()) break
      const millis = planned ?? (yield* pauseWhileDown(settings, failedTurns, withdraw))
      nextLookAt = (yield* Clock.currentTimeMillis) + millis
      yield* Effect.raceFirst(Effect.raceFirst(Effect.sleep(millis), Queue.take(woken)), stopAsked)
    }
    yield* Effect.catchTag(turn.finish, "VenueError", () => Effect.void)
  })

  const runUntil = Effect.fnUntraced(function* (stop: Effect.Effect<void>, done = () => false) {
    const running = Effect.raceFirst(runTurns(stop, done), cancelling.run)
    yield* Effect.tapErrorTag(running, "JournalError", () => cancelling.cancelUnrecorded)
  })

  return {
    runUntil,
    isIdle: turn.isIdle,
    replace,
    wake,
    withdrawPlacements,
    checksOf: plans.checksOf,
    decisionOf: plans.decisionOf,
    prices: watch.prices,
    turnedAt: () => turnedAt,
    nextLookAt: () => nextLookAt
  } as const
})

/** Pause after a failed turn, with 20 % jitter: doubles up to `pollMaxMillis`, but not while everything is to be cancelled. */
const pauseWhileDown = Effect.fnUntraced(function* (
  { pollMaxMillis, pollMinMillis }: Settings,
  failedTurns: number,
  withdraw: EngineOptions["withdraw"]
) {
  if ((yield* withdraw) !== undefined) return pollMinMillis
  return doubledMillis(pollMinMillis, pollMaxMillis, failedTurns) * (0.8 + 0.4 * (yield* Random.next))
})
