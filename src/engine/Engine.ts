/**
 * The engine's loop. A turn observes, decides, compares, checks limits, records, acts and records again; then the
 * loop waits until something may have changed.
 *
 * A turn looks only at the present (it is level-triggered), so a missed change does no harm. Starting up is the same
 * turn on a folded journal: there is no recovery code that runs only after a crash. Turns never overlap. A failure
 * within a turn stays small: without prices, orders are still followed; without the venue's list, orders are read one
 * by one. Only new orders need both. Withdrawing runs beside the turns and waits for none of them.
 */
import { Clock, Effect, Queue, Random } from "effect"
import type { Reason } from "../domain/BotEvent.ts"
import { elapsedMillis, monotonicMillis } from "../domain/Durations.ts"
import type { Market, Price } from "../domain/Market.ts"
import { messageOf } from "../domain/Text.ts"
import type { JournalError } from "../journal/Journal.ts"
import { LeaseLost } from "../journal/Lease.ts"
import type { Decision } from "../strategy/Decision.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import { FundingHold, Venue } from "../venue/Venue.ts"
import type { OutcomeUnknown, VenueError } from "../venue/VenueError.ts"
import { doubledMillis, EngineSettings, refusalPauseMillis } from "./EngineSettings.ts"
import { Consent } from "./holds/Consent.ts"
import * as FundingStop from "./holds/FundingStop.ts"
import { closedBecause, closedForAll, type Step } from "./holds/Holds.ts"
import * as Mistakes from "./Mistakes.ts"
import * as MarketWatch from "./markets/MarketWatch.ts"
import * as Observation from "./observation/Observation.ts"
import { isMoving, levelsIn, pauseMillis } from "./observation/PollPlan.ts"
import type { MarketMoment } from "./planning/DecisionRecord.ts"
import * as LossGuard from "./planning/LossGuard.ts"
import * as Planning from "./planning/Planning.ts"
import * as Driver from "./protocol/Driver.ts"
import * as ForgottenOrders from "./restart/ForgottenOrders.ts"
import * as StartUp from "./StartUp.ts"
import { Bookkeeper } from "./state/Bookkeeper.ts"
import { unfinished } from "./state/BotState.ts"
import { marketOf, type Placement } from "./state/Placement.ts"
import * as VenueTime from "./tracking/VenueTime.ts"
import * as Withdrawals from "./Withdrawals.ts"

/** A credential that was good is bad when every turn says so for this long. */
const refusedMillis = 3_000
/** A strategy that failed counts as mended after so long without another failure. */
const mendedAfterMillis = 60_000

export interface EngineOptions {
  /** The strategies at the start; `replace` changes them. */
  readonly strategies: ReadonlyArray<Strategy>
  /** Every configured market by name. Orders of removed strategies need their markets too. */
  readonly markets: ReadonlyMap<string, Market>
  /** Why everything must be withdrawn now (kill switch, leaving), if it must; asked at every turn. */
  readonly withdraw: Effect.Effect<Reason | undefined>
  /** Unclear payments (`unclearPayment`) that the operator says were not made. */
  readonly payAgain?: ReadonlySet<string>
  /** Whether strategies may be planned; asked at each turn that could plan, once the venue answers. Default: yes. */
  readonly admit?: Effect.Effect<boolean>
  /** Applies what the operator has said since the last turn; runs at the beginning of every turn. */
  readonly listen?: Effect.Effect<void, JournalError>
}

export const make = Effect.fnUntraced(function* ({
  strategies: first,
  markets,
  withdraw,
  payAgain = new Set(),
  admit = Effect.succeed(true),
  listen = Effect.void
}: EngineOptions) {
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const venue = yield* Venue
  const hold = yield* FundingHold
  const consent = yield* Consent
  const leaseLost = yield* LeaseLost
  const observation = yield* Observation.make
  const forgotten = yield* ForgottenOrders.make(markets)
  const planning = yield* Planning.make(forgotten.admits)
  const working = yield* Mistakes.contained("the work on")
  const turning = yield* Mistakes.contained("a turn of")
  const driver = yield* Driver.make
  const watch = yield* MarketWatch.make
  const decisions = new Map<string, Decision>()
  let strategies = first
  /** The last two looks of each strategy, the newer one first. */
  const looks = new Map<string, readonly [MarketMoment, MarketMoment | undefined]>()
  const woken = yield* Queue.sliding<void>(1)
  let turnedAt = 0
  let beganAt = 0
  let nextLookAt = 0
  /** Whether the venue took our credential, and since when it does not, by the monotonic clock. */
  let isAccepted = false
  let refusedSince: number | undefined
  yield* watch.follow(first)
  /** Begins the next turn now. */
  const wake = Queue.offer(woken, undefined)
  const withdrawals = yield* Withdrawals.make({ withdraw, wake })

  /**
   * Uses these strategies from the next turn on. The history of their slots stays, by name. A strategy that is the
   * same object as before is not asked again. Orders of removed strategies are withdrawn or left, as the caller says.
   */
  const replace = Effect.fn("Engine.replace")(function* (next: ReadonlyArray<Strategy>, removed: "drained" | "left") {
    const names = new Set(next.map(({ name }) => name))
    const gone = strategies.filter(({ name }) => !names.has(name))
    const changed = next.filter((strategy) => !strategies.includes(strategy))
    yield* watch.follow(next)
    yield* books.record(
      ...changed.flatMap((strategy) => StartUp.loaded(books.state, strategy)),
      ...gone.map(({ name }) => ({ _tag: "StrategyRemoved", strategy: name, orders: removed }) as const)
    )
    // A price that an edited file saw may be another market's.
    for (const { name } of changed) looks.delete(name)
    strategies = next
    yield* wake
  })

  /** What a strategy saw at the look before this one. */
  const before = ({ name }: Strategy, moment: MarketMoment): MarketMoment | undefined => {
    const [last, earlier] = looks.get(name) ?? []
    const isSameLook = last?.price.at === moment.price.at
    looks.set(name, [moment, isSameLook ? earlier : last])
    return isSameLook ? earlier : last
  }

  /** Whether it could be planned: without a price nobody knows. */
  const decideAndPlan = Effect.fnUntraced(function* (strategy: Strategy, withdrawAll: Reason | undefined) {
    const now = yield* Clock.currentTimeMillis
    yield* books.record(...FundingStop.check(books.state, strategy))
    const moment = watch.moment(strategy, now)
    if (moment === undefined) return false
    yield* books.record(...LossGuard.check(books.state, strategy, moment, before(strategy, moment)))
    const paused = books.state.strategies.get(strategy.name)?.paused
    const losing = paused?.action === "drain" ? { code: paused.limit, text: paused.reason } : undefined
    decisions.set(strategy.name, yield* planning.plan(strategy, moment, withdrawAll ?? losing))
    return true
  })

  /** When the plan of a strategy last failed. */
  const failedAt = new Map<string, number>()

  /** A strategy that throws stops only itself: its orders stay as they are, and it is asked again at each turn. */
  const plan = Effect.fnUntraced(
    function* (strategy: Strategy, withdrawAll: Reason | undefined) {
      const isPlanned = yield* decideAndPlan(strategy, withdrawAll)
      if (!isPlanned || books.state.strategies.get(strategy.name)?.failing === undefined) return
      // Whatever fails every other turn is not mended yet.
      const calmMillis = elapsedMillis(failedAt.get(strategy.name) ?? 0, yield* Clock.currentTimeMillis)
      if (calmMillis >= mendedAfterMillis) yield* books.record({ _tag: "PlanMended", strategy: strategy.name })
    },
    (planned, { name }) =>
      Effect.catchDefect(planned, (mistake) =>
        Effect.gen(function* () {
          failedAt.set(name, yield* Clock.currentTimeMillis)
          if (books.state.strategies.get(name)?.failing !== undefined) return
          yield* books.record({ _tag: "PlanFailed", strategy: name, reason: messageOf(mistake) })
        })
      )
  )

  /** Withdraws these placements at once. A slot that is still wanted is placed again later. */
  const withdrawPlacements = (placements: ReadonlyArray<string>, why: Reason) =>
    Effect.andThen(withdrawals.request(placements, why), wake)

  /** Whether a turn may begin one more order: on fresh prices, and while the venue answers clearly. */
  const mayBegin = (turnStartedAt: number, now: number): boolean =>
    now <= turnStartedAt + settings.turnMillis && (driver.unclearAt() < turnStartedAt || driver.unclearAt() > now)

  const gate = Effect.fnUntraced(function* (placement: Placement, step: Step) {
    const market = marketOf(placement, markets)
    return closedBecause(books.state, placement, step, {
      incident: market && (yield* hold([market.base.id, market.quote.id])),
      unagreed: yield* consent(placement, step),
      stopped: (yield* withdraw)?.text,
      limits: strategies.find(({ name }) => name === placement.strategy)?.limits,
      price: watch.prices.get(placement.market),
      skewMillis: yield* venue.clockSkewMillis,
      leaseLost: yield* leaseLost,
      now: yield* Clock.currentTimeMillis
    })
  })

  const work = Effect.fnUntraced(function* (id: string, mayBeginAny: boolean, turnStartedAt: number) {
    const placement = books.state.placements.get(id)
    if (placement === undefined) return
    const market = marketOf(placement, markets)
    const mayGoOn = forgotten.mayGoOn(placement)
    const begins = (now: number) => mayBeginAny && mayBegin(turnStartedAt, now)
    yield* isolated(driver.advance(placement, { market, gate, payAgain, mayGoOn, mayBegin: begins }))
  })

  /** Somebody has to look after them, whatever is wrong with prices or their credential. */
  const hasOrders = () => unfinished(books.state).length > 0

  /** Prices, or why the venue gives none. While everything is withdrawn, prices and their credential are not needed. */
  const lookAtPrices = Effect.fnUntraced(function* (withdrawAll: Reason | undefined) {
    const isNeeded = withdrawAll === undefined && !hasOrders()
    const unpriced = yield* watch.look(strategies).pipe(
      Effect.as(undefined),
      Effect.catchTags({
        // The doubt about its market tells it.
        WrongDecimals: (error) => (isNeeded ? Effect.fail(error) : Effect.undefined),
        VenueError: (error) =>
          isNeeded && error.reason._tag === "Unauthorized" ? Effect.fail(error) : Effect.succeed(error.message)
      })
    )
    yield* books.record(...MarketWatch.doubted(books.state, watch.doubts, strategies))
    return unpriced
  })

  /**
   * One turn. Returns why the venue could not be read, if so. Fails when the venue rejects our credentials or the
   * journal cannot be written.
   */
  const turn = Effect.fn("Engine.turn")(function* () {
    yield* books.lookAtDisk
    yield* listen
    const lost = yield* leaseLost
    if (lost !== books.state.leaseLost) {
      yield* books.record(lost === undefined ? { _tag: "LeaseRegained" } : { _tag: "LeaseLost", reason: lost })
    }
    const withdrawAll = yield* withdraw
    const startedAt = yield* Clock.currentTimeMillis
    beganAt = startedAt
    // Whichever read fails first says so at once: the other may take as long again.
    const priced = Effect.tap(lookAtPrices(withdrawAll), (why) =>
      why === undefined ? Effect.void : noteVenueDown(why)
    )
    const seen = observation.look(markets, watch.prices, noteVenueDown, withdrawals.revive)
    const [unpriced, unseen] = yield* Effect.all([priced, seen], { concurrency: 2 })
    const problem = unseen ?? unpriced
    yield* problem === undefined ? noteVenueUp : noteVenueDown(problem)
    yield* books.record(...VenueTime.compared(books.state, yield* venue.clockSkewMillis))
    const mayPlan =
      problem === undefined &&
      closedForAll(books.state, { leaseLost: lost, stopped: undefined }, "plan") === undefined &&
      (yield* admit)
    if (mayPlan) {
      const planAll = Effect.forEach(strategies, (strategy) => plan(strategy, withdrawAll), { discard: true })
      yield* planAll
      // The first look after a start lets slots begin; a turn later may be long from now.
      yield* isolated(Effect.flatMap(forgotten.look(), (isOpened) => (isOpened ? planAll : Effect.void)))
    }
    yield* Effect.forEach(unfinished(books.state), ({ id }) => working(id, work(id, mayPlan, startedAt)), {
      concurrency: settings.concurrency,
      discard: true
    })
    watch.rest(books.state)
    turnedAt = yield* Clock.currentTimeMillis
    return problem
  })

  /**
   * A turn that survives a refused credential: a gateway that restarts may refuse one request. One that the venue took before,
   * or that orders hang on, is refused for some seconds first, any other twice. While everything is withdrawn, no refusal ends the
   * bot.
   */
  const turnUnlessRefused = Effect.gen(function* () {
    const problem = yield* turn()
    refusedSince = undefined
    isAccepted ||= problem === undefined
    return problem
  }).pipe(
    Effect.catchReason("VenueError", "Unauthorized", (reason, error) =>
      Effect.gen(function* () {
        const now = yield* monotonicMillis
        const isFirst = refusedSince === undefined
        refusedSince ??= now
        const isBelieved = isAccepted || hasOrders() ? now - refusedSince >= refusedMillis : !isFirst
        if (isBelieved && (yield* withdraw) === undefined) return yield* error
        yield* noteVenueDown(reason.message)
        return reason.message
      })
    )
  )

  const noteVenueDown = Effect.fnUntraced(function* (reason: string) {
    if (books.state.venueDownSince === undefined) yield* books.record({ _tag: "VenueDown", reason, since: beganAt })
  })

  /** A failed read of one placement must not interrupt requests of the others; it is read again next turn. */
  const isolated = (step: Effect.Effect<unknown, VenueError | JournalError>) =>
    Effect.catchReasons(step, "VenueError", { Rejected: later, RetryLater: later, OutcomeUnknown: unanswered })

  /** A read of an order that got no answer at all tells it: the next look would take as long again. */
  const unanswered = (reason: OutcomeUnknown) =>
    reason.status === undefined ? noteVenueDown(reason.message) : later(reason)

  const noteVenueUp = Effect.gen(function* () {
    const since = books.state.venueDownSince
    if (since === undefined) return
    const now = yield* Clock.currentTimeMillis
    yield* books.record({ _tag: "VenueUp", downMillis: Math.max(0, now - since) })
    yield* withdrawals.hurry
  })

  const pause = Effect.map(Clock.currentTimeMillis, (now) => {
    if (watch.prices.size === 0 || books.state.doubts.size > 0) return settings.pollMinMillis
    const watched = [...watch.prices].map(([market, price]) => ({ price, levels: levelsOf(market) }))
    const planned = pauseMillis(
      settings,
      watched,
      [...books.state.placements.values()].some((placement) => isMoving(placement, now))
    )
    return Math.max(settings.pollMinMillis, Math.min(planned, nextMoment(now) - now))
  })

  /** The first moment at which a decision expires or a failed attempt may be repeated. */
  const nextMoment = (now: number): number => {
    let next = Number.POSITIVE_INFINITY
    const note = (moment: number | undefined) => {
      if (moment !== undefined && moment > now) next = Math.min(next, moment)
    }
    for (const { name } of strategies) note(decisions.get(name)?.until.time)
    for (const { refusals, refusedAt } of books.state.slots.values()) {
      if (refusals > 0) note(refusedAt + refusalPauseMillis(settings, refusals))
    }
    return next
  }

  const levelsOf = (market: string): ReadonlyArray<Price> => [
    ...unfinished(books.state).flatMap((placement) => (placement.market === market ? [placement.price] : [])),
    ...strategies.flatMap((strategy) => {
      const decision = decisions.get(strategy.name)
      return decision === undefined ? [] : levelsIn(decision, strategy, market)
    })
  ]

  /**
   * The pause grows up to the longest poll pause while the venue is away; withdrawals are tried at the fastest pace.
   */
  const pauseWhileDown = Effect.fnUntraced(function* (failedTurns: number) {
    if ((yield* withdraw) !== undefined) return settings.pollMinMillis
    const pause = doubledMillis(settings.pollMinMillis, settings.pollMaxMillis, failedTurns)
    return pause * (0.8 + 0.4 * (yield* Random.next))
  })

  /** Runs turns until `stop` completes or `done` is true after a turn. A turn that has begun is always finished. */
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
      failedTurns = planned === undefined ? failedTurns + 1 : 0
      if (done()) return
      const millis = planned ?? (yield* pauseWhileDown(failedTurns))
      nextLookAt = (yield* Clock.currentTimeMillis) + millis
      const waits = Effect.sleep(millis)
      yield* Effect.raceFirst(Effect.raceFirst(waits, Queue.take(woken)), stopAsked)
    }
  })

  const runUntil = Effect.fn("Engine.runUntil")(function* (stop: Effect.Effect<void>, done = () => false) {
    const running = Effect.raceFirst(runTurns(stop, done), withdrawals.run)
    yield* Effect.tapErrorTag(running, "JournalError", () => withdrawals.withdrawUnrecorded)
  })

  /** True when waiting brings no more money back: all is settled, or the venue gave up and a person must resolve it. */
  const isIdle = (): boolean =>
    unfinished(books.state).every(
      (placement) => placement.payout === "failed" || placement.refund === "failed" || driver.isHopeless(placement)
    )

  return {
    runUntil,
    isIdle,
    replace,
    wake,
    withdrawPlacements,
    prices: watch.prices,
    /** When the last complete turn ended; 0 before the first. */
    turnedAt: () => turnedAt,
    /** When the next turn begins unless something wakes the loop before. */
    nextLookAt: () => nextLookAt
  } as const
})

export type Engine = Effect.Success<ReturnType<typeof make>>

const later = (reason: { readonly message: string }) => Effect.logDebug(reason.message)
