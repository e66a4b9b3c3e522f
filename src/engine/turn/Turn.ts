/** One turn: observe, decide and plan for each strategy, then work on each order. */
import { Clock, Effect } from "effect"
import type { Reason } from "../../domain/BotEvent.ts"
import { withFeed } from "../../domain/Drift.ts"
import { LeaseLost } from "../../journal/Lease.ts"
import { IncidentFeed, Venue } from "../../venue/Venue.ts"
import { EngineInputs } from "../EngineSettings.ts"
import { closedForAll } from "../holds/HoldsOn.ts"
import { doubted, MarketWatch } from "../markets/MarketWatch.ts"
import * as Observation from "../observation/Observation.ts"
import { ForgottenOrders } from "../restart/ForgottenOrders.ts"
import { Bookkeeper, noteLease } from "../state/Bookkeeper.ts"
import { unfinished } from "../state/BotState.ts"
import * as VenueTime from "../tracking/VenueTime.ts"
import type { Contact } from "./Contact.ts"
import type { OrderWork } from "./OrderWork.ts"
import type { StrategyPlans } from "./StrategyPlans.ts"

/** Returns the reason if the venue could not be read. Fails if the credential is refused, decimals are wrong, or the journal fails. */
export const make = Effect.fnUntraced(function* (contact: Contact, plans: StrategyPlans, work: OrderWork) {
  const { admit, listen, markets, withdraw } = yield* EngineInputs
  const forgotten = yield* ForgottenOrders
  const watch = yield* MarketWatch
  const books = yield* Bookkeeper
  const venue = yield* Venue
  const incidents = yield* IncidentFeed
  const leaseLost = yield* LeaseLost
  const observation = yield* Observation.make

  /**
   * Reads prices; returns the reason if the venue gives none. A refused credential or wrong decimals fail the turn only if nothing is to be
   * cancelled and no order must be tracked.
   */
  const lookAtPrices = Effect.fnUntraced(function* (cancelAll: Reason | undefined, isAgain = false) {
    const hasNoOtherWork = cancelAll === undefined && unfinished(books.state).length === 0
    const unpriced = yield* watch.look(plans.inForce(), isAgain).pipe(
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
    const drift = feed === undefined ? books.state.drift : withFeed(books.state.drift, feed.refusal)
    if (drift.length !== books.state.drift.length) yield* books.record({ _tag: "ServiceCompared", drift })
    return problem
  })

  return Effect.fn("Turn.run", { root: true })(function* () {
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
    watch.rest(books.state)
    return problem
  })
})
