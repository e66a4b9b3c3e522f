/** The state of a run in one market. A part is changed only by its own file, or by the files named in its comment. */
import type { Candles } from "../../../candles/Candles.ts"
import type { Amount } from "../../../domain/Amount.ts"
import { type Random, seeded } from "../../../domain/Seeded.ts"
import type { Conditions } from "./Conditions.ts"
import * as LimitGuard from "./LimitGuard.ts"
import { LossWatch } from "./LossWatch.ts"
import { Orders } from "./orders/Orders.ts"
import type { SlotState } from "./orders/SlotState.ts"
import { Asking } from "./state/Asking.ts"
import { Clock } from "./state/Clock.ts"
import { Frames } from "./state/Frames.ts"
import { LastClose } from "./state/LastClose.ts"
import { LimitAccount, type MarketHolding } from "./state/LimitAccount.ts"
import { TradingResult } from "./state/TradingResult.ts"
import { Waiting } from "./state/Waiting.ts"
import { Wallet } from "./state/Wallet.ts"

type Shared = Readonly<ReturnType<typeof share>>

/** Slots whose next order opens, or is placed, after the fills of a bar or after the strategy has run; for `Fills` and `Decisions`. */
interface Followers {
  readonly arriving: Array<SlotState>
  /** The payout pays for the next order, so these are placed before those in `later`. */
  readonly first: Array<SlotState>
  readonly later: Array<SlotState>
  readonly held: Set<SlotState>
}

/** Slots whose order was already marketable when it opened; for `Placing`, `Fills` and `Kernel`. */
interface Arrivals {
  readonly slots: Array<SlotState>
  /** True if an order breaks the price limit or is a swap while the run has no guard. The run is then repeated with one. */
  needsGuard: boolean
}

export interface MarketRun extends MarketHolding {
  readonly clock: Readonly<Clock>
  readonly waiting: Readonly<Waiting>
  readonly followers: Followers
  readonly arrivals: Arrivals
  readonly lastClose: LastClose
  readonly frames: Frames
  /** Rest of the volume that our orders get of a bar. Only `Fills` changes it. */
  readonly capacity: { bar: number; amount: Amount }
  readonly trading: Readonly<TradingResult>
  readonly asking: Readonly<Asking>
  readonly random: Random
  /** Set in a run that checks every order. Other runs only detect that they need it. */
  readonly guard: LimitGuard.LimitGuard | undefined
  readonly losses: LossWatch | undefined
  readonly looksAtArrivals: boolean
}

export type Runs = readonly [MarketRun, ...ReadonlyArray<MarketRun>]

/** Makes the state that all markets of a strategy share. `account` and `losses` are set in a run with a guard. */
export const share = ({ market, budget, initialMemory, limits, mayLackOrders }: Conditions, isGuarded: boolean) => {
  const account = isGuarded && limits !== undefined ? new LimitAccount(limits) : undefined
  return {
    purse: { freeQuote: budget.quote },
    open: { count: 0 },
    asking: new Asking(initialMemory, mayLackOrders === true),
    account,
    losses: account?.watchesLosses ? new LossWatch(account, market.quote) : undefined
  }
}

export const make = (conditions: Conditions, candles: Candles, shared: Shared): MarketRun => {
  const { market, rules, budget, limits } = conditions
  const { purse, open, asking, account, losses } = shared
  const orders = new Orders(conditions, candles.priceScale, open)
  const run: MarketRun = {
    conditions,
    candles,
    clock: new Clock(candles.time),
    wallet: new Wallet(market, budget, purse),
    orders,
    waiting: new Waiting(),
    followers: { arriving: [], first: [], later: [], held: new Set() },
    arrivals: { slots: [], needsGuard: false },
    lastClose: new LastClose(candles),
    frames: new Frames(conditions.timeframes),
    capacity: { bar: -1, amount: 0n },
    trading: new TradingResult(orders, rules.minimumQuote),
    asking,
    random: seeded(rules.inHand.seed),
    guard: account && LimitGuard.make(account),
    losses,
    looksAtArrivals: rules.price === "arrival" || limits !== undefined
  }
  account?.enrol(run)
  return run
}
