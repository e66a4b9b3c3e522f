/**
 * The contract of all strategies: a pure function whose answer says how long it holds.
 *
 * Invariant (property-tested for every kind): deciding again anywhere inside the bounds of a decision, with the memory
 * that it returned, gives the same desired slots.
 */
import type { Amount, Asset } from "../domain/Amount.ts"
import type * as Decimal from "../domain/Decimal.ts"
import type { Market } from "../domain/Market.ts"
import type { OrderTerms } from "../domain/Order.ts"
import type { Decision, Memory } from "./Decision.ts"
import type { Problem } from "./Problem.ts"
import type { View } from "./View.ts"

export type Decide = (view: View, memory: Memory) => Decision

/** A comparison that a decision stands on, as written, with the numbers that it saw. */
export interface Input {
  readonly text: string
  readonly values: string
  readonly holds: boolean
  /** Were it alone the other way, the answer would be another. */
  readonly decides: boolean
}

/** By slot. */
export type Inputs = ReadonlyMap<string, ReadonlyArray<Input>>

export type Look = (view: View, memory: Memory) => Inputs

/** The most that may be outside the wallet, smallest units. */
export interface Budget {
  readonly base: Amount
  readonly quote: Amount
  /** Budgets of the base assets of further markets, by symbol. */
  readonly others?: ReadonlyMap<string, Amount>
}

/** Limits of one strategy, checked by the engine before anything is sent. */
export interface Limits {
  readonly budget: Budget
  readonly maxOpenOrders: number
  /** Refuse an order that would give away more than this ratio against the current mid. */
  readonly maxPriceDeviation: Decimal.Decimal
  /** A price older than this decides nothing. */
  readonly staleAfterMillis: number
  /** Smallest value of one order, quote. */
  readonly minOrder?: Amount
  /** Most value of all open orders together, quote. */
  readonly maxNotional?: Amount
  readonly maxOrdersPerHour?: number
  /** No new orders in these hours. */
  readonly quietHours?: QuietHours
  /** Most that the strategy's holdings may lose in value since midnight UTC, quote. */
  readonly maxDailyLoss?: Amount
  /** Most that they may fall below their highest value so far. */
  readonly maxDrawdown?: Decimal.Decimal
  /** At a loss limit: place nothing new (left out), or withdraw the resting orders as well. */
  readonly onLoss?: "pause" | "drain"
}

/** Minutes of the day in UTC; `from` after `to` crosses midnight. */
export interface QuietHours {
  readonly fromMinute: number
  readonly toMinute: number
}

export interface Strategy {
  /** Unique among the running strategies; `^[a-z0-9][a-z0-9-]{0,63}$`. */
  readonly name: string
  readonly kind: string
  /** The file it came from, as the user wrote it, and a hash of its content. */
  readonly file: string
  readonly hash: string
  /** That content. */
  readonly text: string
  /** The only market that it trades, or the first. */
  readonly market: Market
  /** Further ones, all against the same quote asset. */
  readonly others?: ReadonlyArray<Market>
  readonly limits: Limits
  /** Terms of its orders, where its file says something else than the account's configuration. */
  readonly terms?: OrderTerms
  /** Memory before the first decision. */
  readonly initialMemory: Memory
  readonly decide: Decide
  /** What `decide` would look at, for explanations; left out where the reasons of its decisions say it all. */
  readonly inputs?: Look
  /** Why it can only be backtested, if so, at its place in the file; and why searches and other luck cannot have it. */
  readonly notLive?: Problem
  readonly notSearched?: Problem
  /** What its file says but hardly means. */
  readonly warnings?: ReadonlyArray<Problem>
  /** The candles that `View.candles` should offer: how many closed ones of each timeframe make it warm. */
  readonly candles?: ReadonlyMap<string, number>
  /** Where candles of the time before the bot come from, as the file names it, and where it does. */
  readonly candleSource?: { readonly value: string; readonly start: number; readonly end: number }
  /** The base quantities of its first market that `View.depth` should offer. */
  readonly depth?: ReadonlyArray<Amount>
}

type Trades = Pick<Strategy, "market" | "others">

export const marketsOf = ({ market, others = [] }: Trades): readonly [Market, ...ReadonlyArray<Market>] => [
  market,
  ...others
]

/** For people: `BTC/USDC, ETH/USDC`. */
export const marketNames = (strategy: Trades): string =>
  marketsOf(strategy)
    .map(({ name }) => name)
    .join(", ")

/** Every asset that it trades with what it may use of it, the quote last. */
export const budgets = (
  strategy: Trades & { readonly limits: Pick<Limits, "budget"> }
): ReadonlyArray<{ readonly asset: Asset; readonly amount: Amount }> => {
  const { market, others = [], limits } = strategy
  const { base, quote, others: further } = limits.budget
  return [
    { asset: market.base, amount: base },
    ...others.map(({ base: asset }) => ({ asset, amount: further?.get(asset.symbol) ?? 0n })),
    { asset: market.quote, amount: quote }
  ]
}
