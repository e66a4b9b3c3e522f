/**
 * The contract of all strategies: a pure function whose answer says how long it holds.
 *
 * Invariant (property-tested for every kind): a second decision inside the bounds of the first, with the memory that the first returned,
 * plans the same slots.
 */
import type { Amount } from "../domain/Amount.ts"
import type * as Decimal from "../domain/Decimal.ts"
import type { SeenConditions } from "../domain/EventValues.ts"
import type { Market } from "../domain/Market.ts"
import type { OrderTerms } from "../domain/Order.ts"
import type { Decision, Memory } from "./Decision.ts"
import type { Problem } from "./Problem.ts"
import type { View } from "./View.ts"

export type Decide = (view: View, memory: Memory) => Decision

export type Input = (typeof SeenConditions.Type)["checks"][number]

export type Inputs = ReadonlyMap<string, ReadonlyArray<Input>>

export type Look = (view: View, memory: Memory) => Inputs

/**
 * The facts that change between two events of a strategy's own orders: the mid, the time and the closed candles. From these a strategy can
 * tell that its last answer still stands, much faster than by deciding. The bounds of the answer give the same result.
 */
export interface Glance {
  readonly mid: number
  readonly now: number
  readonly candles: View["candles"]
}

/** True if an answer still stands, up to the time in its bounds and while none of its orders moves. */
export type StandsAt = (glance: Glance) => boolean

/** `undefined` if the answer depends on more than a glance shows. `memory` is the answer's. */
export type StandsOf = (view: View, memory: Memory) => StandsAt | undefined

/** The reason why a file cannot continue the trading that its slots did under another file. */
export type Unfit = (slots: View["slots"], memory: Memory) => string | undefined

/** By slot, the positions that the strategy has yet to exit: base, below zero after a sale. */
export type PositionsLeft = (slots: View["slots"], memory: Memory) => ReadonlyMap<string, Amount>

/** The most that the strategy may use of each asset, in smallest units. */
export interface Budget {
  readonly base: Amount
  readonly quote: Amount
  readonly others?: ReadonlyMap<string, Amount>
}

/** Limits of one strategy, checked by the engine before anything is sent. */
export interface Limits {
  readonly budget: Budget
  readonly maxOpenOrders: number
  /** The largest share of the mid that an order may give away. */
  readonly maxPriceDeviation: Decimal.Decimal
  /** Decisions use no older price. */
  readonly staleAfterMillis: number
  /** Least value of one order, in quote. */
  readonly minOrder?: Amount
  /** Value of all open orders together, in quote. */
  readonly maxNotional?: Amount
  readonly maxOrdersPerHour?: number
  /** The answer to a create may name no higher fee. */
  readonly maxFeeBasisPoints?: number
  /** An order stays open no longer, so the bot must be alive again within this time. */
  readonly orderLifetimeMillis?: number
  readonly quietHours?: QuietHours
  /** Loss of the holdings' value since midnight UTC, in quote. */
  readonly maxDailyLoss?: Amount
  /** Fall of the holdings below their highest value, as a ratio. */
  readonly maxDrawdown?: Decimal.Decimal
  /** `pause` (default): nothing new is placed. `drain`: open orders are cancelled too. */
  readonly onLoss?: "pause" | "drain"
}

/** Minutes of the day in UTC; `from` after `to` crosses midnight. */
export interface QuietHours {
  readonly fromMinute: number
  readonly toMinute: number
}

export interface WatchedMarket {
  readonly market: Market
  readonly candles: ReadonlyMap<string, number>
}

/** The trading of a strategy: it follows from the section of its kind, and from keys that change any kind. */
export interface Behaviour {
  readonly decide: Decide
  /** The comparisons of `decide`, for explanations. Missing if its reasons say everything. */
  readonly inputs?: Look
  readonly stands?: StandsOf
  readonly unfit?: Unfit
  readonly positions?: PositionsLeft
  readonly earns?: string
  /** Epoch milliseconds of its end. From then on it only cancels orders or exits its position. */
  readonly endsAt?: number
  /** A stop or a target of the whole strategy may end it (see `Decision.isOver`). */
  readonly mayEnd?: true
  /** Runs the user's own code and returns its fault. A reader that uses the file runs it once. Missing for this program's own code. */
  readonly proof?: () => Problem | undefined
  readonly watched?: ReadonlyArray<WatchedMarket>
  /** The number of closed candles of each timeframe after which it is warm. */
  readonly candles?: ReadonlyMap<string, number>
  /** Markets whose volumes it uses, with the problem to report if no source has them. */
  readonly volumes?: ReadonlyMap<string, Problem>
  readonly depth?: ReadonlyArray<Amount>
  /** The largest age of each signal, in milliseconds. */
  readonly signals?: ReadonlyMap<string, number>
}

export interface Strategy extends Behaviour {
  /** Unique among the running strategies; `Fields.strategyName` defines its form. */
  readonly name: string
  readonly kind: string
  readonly namesEverySlot?: true
  readonly restsAtWrittenPrices?: true
  readonly mayLackOrders?: true
  /**
   * Payments of the largest orders, for the size of quotes. `ends`: true for each slot that gets no further order. Default: a tenth of the
   * budget. Both zero: the bot quotes for it only if no other strategy has orders.
   */
  readonly largestOrder?: (ends: ReadonlyMap<string, boolean>) => Pick<Budget, "base" | "quote">
  /** `file`: as the user named it. `hash`: SHA-256 of its text. */
  readonly file: string
  readonly hash: string
  readonly text: string
  readonly market: Market
  readonly others?: ReadonlyArray<Market>
  readonly limits: Limits
  readonly terms?: OrderTerms
  readonly initialMemory: Memory
  /** `notLive`: why it can only be backtested. `notSearched`: why searches and tests of luck cannot use it. */
  readonly notLive?: Problem
  readonly notSearched?: Problem
  readonly warnings?: ReadonlyArray<Problem>
  /** The source of candles from before the bot's start, as the file names it, with its place in the file. */
  readonly candleSource?: { readonly value: string; readonly start: number; readonly end: number }
}

type Trades = Pick<Strategy, "market" | "others">

/** One market, or several with the same quote. */
export type SomeMarkets = readonly [Market, ...ReadonlyArray<Market>]

export const marketsOf = ({ market, others = [] }: Trades): SomeMarkets => [market, ...others]

export const marketsSeen = ({ watched = [], ...traded }: Trades & Pick<Strategy, "watched">): SomeMarkets => [
  ...marketsOf(traded),
  ...watched.map(({ market }) => market)
]

export const candlesWanted = ({
  market,
  candles = new Map(),
  watched = []
}: Pick<Strategy, "market" | "candles" | "watched">): ReadonlyArray<WatchedMarket> =>
  [{ market, candles }, ...watched].filter((each) => each.candles.size > 0)

export const marketNames = (strategy: Trades): string =>
  marketsOf(strategy)
    .map(({ name }) => name)
    .join(", ")

export const marketsSaid = (strategy: Trades & Pick<Strategy, "watched">): string => {
  const watched = strategy.watched?.map(({ market }) => market.name).join(", ")
  return watched === undefined ? marketNames(strategy) : `${marketNames(strategy)} and watches ${watched}`
}

/** The quote is last. */
export const budgets = ({ market, others = [], limits }: Trades & { readonly limits: Pick<Limits, "budget"> }) => {
  const { base, quote, others: further } = limits.budget
  return [
    { asset: market.base, amount: base },
    ...others.map(({ base: asset }) => ({ asset, amount: further?.get(asset.symbol) ?? 0n })),
    { asset: market.quote, amount: quote }
  ]
}
