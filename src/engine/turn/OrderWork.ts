/** Work of a turn on each order: the step that is due, if the gate permits it directly before money could leave. */
import { Effect } from "effect"
import type { JournalError } from "../../journal/Journal.ts"
import { exitsFirst } from "../../strategy/Decision.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import * as Defects from "../Defects.ts"
import { EngineInputs, EngineSettings } from "../EngineSettings.ts"
import * as Gate from "../holds/Gate.ts"
import { MarketWatch } from "../markets/MarketWatch.ts"
import * as Outlasting from "../Outlasting.ts"
import * as Driver from "../protocol/Driver.ts"
import { statesWithRows } from "../protocol/Due.ts"
import { ForgottenOrders } from "../restart/ForgottenOrders.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { unfinished } from "../state/BotState.ts"
import { marketOf } from "../state/Placement.ts"
import type { Contact } from "./Contact.ts"
import type { StrategyPlans } from "./StrategyPlans.ts"

type Begins = (strategy: string) => boolean

export type OrderWork = Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function* (contact: Contact, plans: StrategyPlans) {
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
