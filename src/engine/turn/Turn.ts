/** One turn: observe, decide and plan for each strategy, then work on each order. */
import { Clock, Effect } from "effect"
import type { Reason } from "../../domain/BotEvent.ts"
import { comparedFeed } from "../../domain/Drift.ts"
import type { JournalError } from "../../journal/Journal.ts"
import { LeaseLost } from "../../journal/Lease.ts"
import { exitsFirst } from "../../strategy/Decision.ts"
import { IncidentFeed, Venue } from "../../venue/Venue.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import * as Defects from "../Defects.ts"
import { EngineInputs, EngineSettings } from "../EngineSettings.ts"
import * as Gate from "../holds/Gate.ts"
import { closedForAll } from "../holds/Holds.ts"
import { doubted, MarketWatch } from "../markets/MarketWatch.ts"
import * as Outlasting from "../Outlasting.ts"
import * as Observation from "../observation/Observation.ts"
import * as Driver from "../protocol/Driver.ts"
import { statesWithRows } from "../protocol/Due.ts"
import { ForgottenOrders } from "../restart/ForgottenOrders.ts"
import { Bookkeeper, noteLease } from "../state/Bookkeeper.ts"
import { unfinished } from "../state/BotState.ts"
import { marketOf } from "../state/Placement.ts"
import * as VenueTime from "../tracking/VenueTime.ts"
import type { Contact } from "./Contact.ts"
import type { StrategyPlans } from "./StrategyPlans.ts"

type Begins = (strategy: string) => boolean

/** Work of a turn on each order: the step that is due, if the gate permits it directly before money could leave. */
const orderWork = Effect.fnUntraced(function* (contact: Contact, plans: StrategyPlans) {
  const { markets, payAgain, withdraw } = yield* EngineInputs
  const forgotten = yield* ForgottenOrders
  const { prices } = yield* MarketWatch
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const working = yield* Defects.isolate("the work on")
  const works = yield* Outlasting.make<VenueError | JournalError>(settings.concurrency)
  const driver = yield* Driver.make
  const gate = yield* Gate.make({
    markets,
    stopped: Effect.map(withdraw, (reason) => reason?.text),
    limitsOf: (strategy) => plans.inForce().find(({ name }) => name === strategy)?.limits,
    prices
  })

  /** A turn may start one more order only on fresh prices, and while the venue answers clearly. */
  const mayBegin = (turnStartedAt: number, now: number): boolean =>
    now <= turnStartedAt + settings.turnMillis && (driver.unclearAt() < turnStartedAt || driver.unclearAt() > now)

  const workOn = Effect.fnUntraced(function* (id: string, mayBeginFor: Begins, turnStartedAt: number) {
    const placement = books.state.placements.get(id)
    if (placement === undefined) return
    const market = marketOf(placement, markets)
    const mayContinue = forgotten.mayContinue(placement)
    const begins = (now: number) => mayBeginFor(placement.strategy) && mayBegin(turnStartedAt, now)
    yield* contact.isolated(driver.advance(placement, { market, gate, payAgain, mayContinue, mayBegin: begins }))
  })

  const all = (mayBeginFor: Begins, turnStartedAt: number) => {
    // Most placements have an open order, and nothing is ever due for those.
    const due = unfinished(books.state).filter(({ state }) => statesWithRows.has(state))
    const inOrder = exitsFirst(due, ({ isExit }) => isExit === true)
    return works.all(inOrder.map(({ id }) => [id, working(id, workOn(id, mayBeginFor, turnStartedAt))]))
  }

  /** True when waiting brings no more money back: all is settled, or the venue gave up and a person must resolve it. */
  const isIdle = (): boolean =>
    unfinished(books.state).every(
      (placement) => placement.payout === "failed" || placement.refund === "failed" || driver.isHopeless(placement)
    )

  return { all, finish: works.finish, isIdle }
})

export const make = Effect.fnUntraced(function* (contact: Contact, plans: StrategyPlans) {
  const { admit, listen, markets, withdraw } = yield* EngineInputs
  const forgotten = yield* ForgottenOrders
  const watch = yield* MarketWatch
  const books = yield* Bookkeeper
  const venue = yield* Venue
  const incidents = yield* IncidentFeed
  const leaseLost = yield* LeaseLost
  const work = yield* orderWork(contact, plans)
  const observation = yield* Observation.make

  /**
   * Reads prices; returns the reason if the venue gives none. A refused credential or wrong decimals fail the turn only if nothing is to be
   * cancelled and no order must be tracked.
   */
  const lookAtPrices = Effect.fnUntraced(function* (cancelAll: Reason | undefined, isAgain = false) {
    const hasNoOtherWork = cancelAll === undefined && unfinished(books.state).length === 0
    const unpriced = yield* watch.look(books.state, plans.inForce(), isAgain).pipe(
      Effect.as(undefined),
      Effect.catchTags({
        // The doubt about the price of its market reports it.
        WrongDecimals: (error) => (hasNoOtherWork ? Effect.fail(error) : Effect.undefined),
        VenueError: (error) =>
          hasNoOtherWork && error.reason._tag === "Unauthorized" ? Effect.fail(error) : Effect.succeed(error.message)
      })
    )
    yield* books.record(...doubted(books.state, watch.doubts, plans.inForce()))
    return unpriced
  })

  const observe = Effect.fnUntraced(function* (cancelAll: Reason | undefined) {
    const priced = Effect.tap(lookAtPrices(cancelAll), (why) =>
      why === undefined ? Effect.void : contact.recordDown(why)
    )
    const orderCheck = observation.look(markets, watch.prices, contact.recordDown)
    const [unpriced, unseen] = yield* Effect.all([priced, orderCheck], { concurrency: 2 })
    // An order has filled after the price of its market was read, so the price has moved.
    const isStale = [...observation.lastFillAt].some(([market, at]) => at >= (watch.prices.get(market)?.at ?? Infinity))
    observation.lastFillAt.clear()
    const problem = unseen ?? unpriced ?? (isStale ? yield* lookAtPrices(cancelAll, true) : undefined)
    if (problem !== undefined) yield* contact.recordDown(problem)
    else if (yield* contact.recordUp) books.tries.hurry(yield* Clock.currentTimeMillis)
    yield* books.record(...VenueTime.compared(books.state, yield* venue.clockSkewMillis))
    const feed = yield* incidents
    yield* books.record(...(feed === undefined ? [] : comparedFeed(books.state.drift, feed.is)))
    return problem
  })

  /** Returns the reason if the venue could not be read. Fails if the credential is refused, decimals are wrong, or the journal fails. */
  const run = Effect.fn("Turn.run", { root: true })(function* () {
    yield* books.lookAtDisk
    yield* listen
    const lost = yield* leaseLost
    yield* noteLease(books, lost)
    const cancelAll = yield* withdraw
    const startedAt = yield* Clock.currentTimeMillis
    contact.turnBegins(startedAt)
    const problem = yield* observe(cancelAll)
    const mayPlan =
      problem === undefined && closedForAll(books.state, { leaseLost: lost, stopped: undefined }, "plan") === undefined
    const admits = mayPlan ? yield* admit : () => false
    if (mayPlan) {
      const planAll = plans.planAll(admits, cancelAll)
      yield* planAll
      // The first answer after a start lets waiting slots begin in this turn; the next turn may be far away.
      yield* contact.isolated(Effect.flatMap(forgotten.look(), (isOpened) => (isOpened ? planAll : Effect.void)))
    }
    yield* work.all(admits, startedAt)
    return problem
  })

  return { run, finish: work.finish, isIdle: work.isIdle }
})
