/**
 * Cancels orders (payouts are in `tracking`). This separate loop collects the reasons (kill switch, leaving, a removed strategy, a loss
 * limit), records one for each order concerned, and sends the cancels. It waits for no price, no list and no turn of the engine. Each
 * cancel runs in its own fiber, so one hanging request delays no other.
 *
 * Orders that are not funded yet are only marked; the turn that works on them gives them up, so nothing is signed in between.
 *
 * If everything is to be cancelled, a locked or unwritable journal delays nothing: the cancels go out before their record, or without one.
 */
import { Clock, Effect, Fiber, FiberMap, Option, Queue, Schedule } from "effect"
import type { Reason } from "../domain/BotEvent.ts"
import type { JournalError } from "../journal/Journal.ts"
import { Venue } from "../venue/Venue.ts"
import * as Defects from "./Defects.ts"
import { EngineSettings } from "./EngineSettings.ts"
import { leaving } from "./protocol/CancelCalls.ts"
import { othersIn } from "./protocol/DueCancels.ts"
import { Bookkeeper } from "./state/Bookkeeper.ts"
import { type BotState, perEvent, unfinished } from "./state/BotState.ts"
import type { Placement } from "./state/Placement.ts"
import { isEndUnbelieved } from "./tracking/EarlyEnd.ts"

/** The time from the kill switch to the requests must stay below a second. */
const lookMillis = 400
/**
 * Number of passes between a new cancel and the turn it wakes. A turn reads much, and cancels must not queue behind its requests. A turn
 * finds nothing new until the venue has answered the cancels.
 */
const looksBeforeTurn = 4
/** Most cancels that one pass starts: as many as the rate limiter lets through in a second. Cancels in flight delay none. */
const maxAtOnce = 50
/** A bot that can no longer record tries for this long to cancel everything, then ends. */
const lastTriesMillis = 60_000
/** Cancels wait this long for their record, then go out without it, and again after each `patienceMillis`. */
const firstPatienceMillis = 300
const patienceMillis = 5_000

export interface CancelOptions {
  readonly withdraw: Effect.Effect<Reason | undefined>
  readonly wakeTurn: Effect.Effect<unknown>
  readonly quietLookMillis?: number
}

export const make = Effect.fnUntraced(function* ({ quietLookMillis = lookMillis, wakeTurn, withdraw }: CancelOptions) {
  const books = yield* Bookkeeper
  const { state } = books
  const means = { books, venue: yield* Venue, settings: yield* EngineSettings }
  const cancelOf = yield* Defects.isolate("the cancel of")
  const lookFor = yield* Defects.isolate("the look for")

  const cancelReasons = new Map<string, Reason>()
  let looksUntilTurn = 0
  let isQuiet = false
  const woken = yield* Queue.sliding<void>(1)

  const mark = Effect.fnUntraced(function* (all: Reason | undefined) {
    const marks = (known: BotState) => unmarked(known, all, cancelReasons)
    if (marks(state).length > 0) {
      yield* books.recordFrom(marks)
      looksUntilTurn = looksBeforeTurn
    }
    cancelReasons.clear()
  })

  /** Orders that may be open although nothing can be recorded, with their cancels; none if another process owns the account. */
  const leavingOrdersOf = (why: Reason | undefined, underWay: ReadonlySet<string> = new Set()) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (books.isOfAnother()) return []
      const isKilled = why?.code === "kill-switch"
      return leaving(means, state.placements.values(), { now, isKilled, isUnrecorded: true, underWay })
    })

  const run = Effect.gen(function* () {
    const sending = yield* FiberMap.make<string, void, JournalError>()
    const underWay = () => new Set([...sending].map(([orderId]) => orderId))
    const send = Effect.fnUntraced(function* (placements: ReadonlyArray<Placement>) {
      const now = yield* Clock.currentTimeMillis
      const situation = { now, isKilled: state.killed !== undefined, isUnrecorded: false, underWay: underWay() }
      for (const { about, cancel, orderId } of leaving(means, placements, situation).slice(0, maxAtOnce))
        yield* FiberMap.run(sending, orderId, cancelOf(about, cancel))
    })
    const note = Effect.fnUntraced(function* (all: Reason | undefined) {
      const record = Effect.gen(function* () {
        // A turn looks for orders that live on although their books are closed.
        if (yield* noteKillSwitch(books, all)) looksUntilTurn = 1
        yield* mark(all)
      })
      if (all === undefined) return yield* record
      const noting = yield* Effect.forkChild(record)
      let patience = firstPatienceMillis
      while (Option.isNone(yield* Effect.timeoutOption(Fiber.await(noting), patience))) {
        for (const { cancel, orderId } of yield* leavingOrdersOf(all, underWay()))
          yield* FiberMap.run(sending, orderId, cancel)
        patience = patienceMillis
      }
      yield* Fiber.join(noting)
    })
    const look = Effect.gen(function* () {
      const all = yield* withdraw
      yield* note(all)
      const pendingCancels = withCancels(state)
      if (pendingCancels.length > 0 || othersIn(state).length > 0) yield* send(pendingCancels)
      isQuiet = all === undefined && pendingCancels.length === 0 && looksUntilTurn === 0
      if (looksUntilTurn === 0) return
      looksUntilTurn -= 1
      if (looksUntilTurn === 0) yield* wakeTurn
    })
    const pause = Effect.suspend(() => Effect.sleep(isQuiet ? quietLookMillis : lookMillis))
    const next = Effect.raceFirst(pause, Queue.take(woken))
    const looking = Effect.forever(Effect.andThen(lookFor("cancelling orders", look), next))
    return yield* Effect.raceFirst(looking, FiberMap.join(sending))
  }).pipe(Effect.scoped)

  const request = (placements: ReadonlyArray<string>, why: Reason) =>
    Effect.sync(() => {
      for (const placement of placements) cancelReasons.set(placement, why)
      isQuiet = false
    })

  return {
    run,
    request,
    cancelUnrecorded: unrecorded(withdraw, leavingOrdersOf),
    wakeSelf: Queue.offer(woken, undefined)
  } as const
})

/** Cancels, before the bot ends, what cannot be recorded. Returns the number of orders that may still be open. */
const unrecorded = (
  withdraw: CancelOptions["withdraw"],
  left: (why: Reason | undefined) => Effect.Effect<ReturnType<typeof leaving>>
) => {
  const cancelLeft = Effect.gen(function* () {
    const why = yield* withdraw
    if (why === undefined) return false
    yield* Effect.forEach(yield* left(why), ({ cancel }) => cancel, { concurrency: maxAtOnce, discard: true })
    return (yield* left(why)).length > 0
  })
  return Effect.gen(function* () {
    const schedule = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced(patienceMillis)])
    const repeated = Effect.repeat(cancelLeft, { schedule, while: (isAnyLeft) => isAnyLeft })
    yield* Effect.timeoutOption(repeated, lastTriesMillis)
    return (yield* left(yield* withdraw)).length
  })
}

const withCancels = perEvent(({ placements }) =>
  [...placements.values()].filter(({ cancel, spares }) => cancel !== undefined || spares.size > 0)
)

/** Returns true if it has recorded that the switch is on. */
const noteKillSwitch = Effect.fnUntraced(function* (books: Bookkeeper["Service"], why: Reason | undefined) {
  const reason = why?.code === "kill-switch" ? why.text : undefined
  if (reason === books.state.killed) return false
  yield* books.record({ _tag: "KillSwitch", on: reason !== undefined, reason: reason ?? "released" })
  if (reason === undefined) return false
  books.tries.hurry(yield* Clock.currentTimeMillis)
  return true
})

const strategyReasons = ({ strategies }: BotState): ReadonlyMap<string, Reason> => {
  const reasons = new Map<string, Reason>()
  for (const [name, { paused, removed }] of strategies)
    if (removed === "drained") reasons.set(name, { code: "removed", text: "Its strategy was removed" })
    else if (paused?.action === "drain") reasons.set(name, { code: paused.limit, text: paused.reason })
  return reasons
}

const unmarked = (state: BotState, all: Reason | undefined, asked: ReadonlyMap<string, Reason>) => {
  const ofStrategies = strategyReasons(state)
  if (all === undefined && asked.size + ofStrategies.size === 0) return []
  return unfinished(state).flatMap((placement) => {
    const { cancel, id, slot, strategy } = placement
    if (cancel !== undefined || (placement.state === "closing" && !isEndUnbelieved(placement))) return []
    const why = all ?? asked.get(id) ?? ofStrategies.get(strategy)
    return why === undefined ? [] : [{ _tag: "CancelRequested", strategy, slot, placement: id, why } as const]
  })
}
