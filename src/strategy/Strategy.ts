/**
 * The contract of all strategies: a pure function whose answer says how long it holds.
 *
 * Invariant (property-tested for every kind): a second decision anywhere inside the bounds of the first, with the
 * memory that the first returned, wants the same slots.
 */
import type { Amount, Asset } from "../domain/Amount.ts"
import type * as Decimal from "../domain/Decimal.ts"
import type { Market } from "../domain/Market.ts"
import type { OrderTerms } from "../domain/Order.ts"
import type { Decision, Memory } from "./Decision.ts"
import type { Problem } from "./Problem.ts"
import type { View } from "./View.ts"

export type Decide = (view: View, memory: Memory) => Decision

/** A comparison that a decision depends on, as written, with the numbers that it saw. */
export interface Input {
  readonly text: string
  readonly values: string
  readonly holds: boolean
  /** If only this comparison turned out differently, the answer would change. */
  readonly decides: boolean
}

/** By slot. */
export type Inputs = ReadonlyMap<string, ReadonlyArray<Input>>

export type Look = (view: View, memory: Memory) => Inputs

/**
 * What changes between two events of a strategy's own orders: the price of its market (between bid and ask), the time, and which
 * candles have closed. With it a strategy can say much faster than by deciding that its last answer still stands. Nothing else
 * follows from a glance: whoever has none asks by the bounds of the answer, and finds the same.
 */
export interface Glance {
  readonly mid: number
  readonly now: number
  readonly candles: View["candles"]
}

/** Whether an answer still stands at a later glance, up to the time in its bounds and while none of its orders moves. */
export type StandsAt = (glance: Glance) => boolean

/** `undefined` where a glance does not show what the answer follows from. `memory` is that of the answer. */
export type StandsOf = (view: View, memory: Memory) => StandsAt | undefined

/** Why a file cannot go on with what its slots have traded under another one. */
export type Unfit = (slots: View["slots"]) => string | undefined

/** What is wrong with code of the user's own, which is found by trying it. */
export type Proof = () => Problem | undefined

/** The most that may be outside the wallet, in smallest units. */
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
  /** Refuse an order that would give away more than this share of the current mid. */
  readonly maxPriceDeviation: Decimal.Decimal
  /** A price older than this is not used for decisions. */
  readonly staleAfterMillis: number
  /** Smallest value of one order, in quote. */
  readonly minOrder?: Amount
  /** Largest value of all open orders together, in quote. */
  readonly maxNotional?: Amount
  readonly maxOrdersPerHour?: number
  /** The highest fee that the answer to a create may name. */
  readonly maxFeeBasisPoints?: number
  /** How long an order rests at most: the time for which the bot promises to be alive again. */
  readonly orderLifetimeMillis?: number
  /** No new orders in these hours but those that leave a position. */
  readonly quietHours?: QuietHours
  /** The most that the strategy's holdings may lose in value since midnight UTC, in quote. */
  readonly maxDailyLoss?: Amount
  /** How far they may fall below their highest value so far. */
  readonly maxDrawdown?: Decimal.Decimal
  /** What happens at a loss limit: nothing new is placed (default), or the resting orders are withdrawn too. */
  readonly onLoss?: "pause" | "drain"
}

/** Minutes of the day in UTC; `from` after `to` crosses midnight. */
export interface QuietHours {
  readonly fromMinute: number
  readonly toMinute: number
}

/** A market that a strategy's conditions look at without trading there. */
export interface WatchedMarket {
  readonly market: Market
  /** How many closed candles of each timeframe make it warm. */
  readonly candles: ReadonlyMap<string, number>
}

export interface Strategy {
  /** Unique among the running strategies; its form is that of `Fields.strategyName`. */
  readonly name: string
  readonly kind: string
  /** How its kind behaves (see `Kind`). */
  readonly namesEverySlot?: true
  readonly restsAtWrittenPrices?: true
  /** The file it came from, as the user wrote it, and a hash of its content. */
  readonly file: string
  readonly hash: string
  /** That content. */
  readonly text: string
  /** Its only market, or its first. */
  readonly market: Market
  /** Further markets, all with the same quote asset. */
  readonly others?: ReadonlyArray<Market>
  readonly limits: Limits
  /** Terms of its orders, where its file differs from the account's configuration. */
  readonly terms?: OrderTerms
  /** Memory before the first decision. */
  readonly initialMemory: Memory
  readonly decide: Decide
  /** What `decide` would look at, for explanations; missing where the reasons of its decisions say it all. */
  readonly inputs?: Look
  /** Where it can tell at a glance that its last answer still stands. */
  readonly stands?: StandsOf
  readonly unfit?: Unfit
  /** Missing where the code is this program's. Whoever reads a file to use it asks for it once. */
  readonly proof?: Proof
  /** Why it can only be backtested, and where its file says so; why searches and tests of luck cannot use it. */
  readonly notLive?: Problem
  readonly notSearched?: Problem
  /** What its file says but probably does not mean. */
  readonly warnings?: ReadonlyArray<Problem>
  readonly watched?: ReadonlyArray<WatchedMarket>
  /** The candles of its market that `View.candles` should offer: how many closed ones of each timeframe make it warm. */
  readonly candles?: ReadonlyMap<string, number>
  /** The source of candles from before the bot began, as the file names it, and the place where it does. */
  readonly candleSource?: { readonly value: string; readonly start: number; readonly end: number }
  /** The markets whose volumes it looks at, and what is wrong with that where no source tells them. */
  readonly volumes?: ReadonlyMap<string, Problem>
  /** The base quantities of its first market that `View.depth` should offer. */
  readonly depth?: ReadonlyArray<Amount>
  /** The signals that it looks at, and how old each may be, in milliseconds. */
  readonly signals?: ReadonlyMap<string, number>
}

type Trades = Pick<Strategy, "market" | "others">

export const marketsOf = ({ market, others = [] }: Trades): readonly [Market, ...ReadonlyArray<Market>] => [
  market,
  ...others
]

/** Its markets and those that it only looks at. */
export const marketsSeen = ({
  market,
  others = [],
  watched = []
}: Trades & Pick<Strategy, "watched">): readonly [Market, ...ReadonlyArray<Market>] => [
  market,
  ...others,
  ...watched.map((each) => each.market)
]

/** The candles that it looks at, of its own market and of those that it watches. */
export const candlesWanted = ({
  market,
  candles = new Map(),
  watched = []
}: Pick<Strategy, "market" | "candles" | "watched">): ReadonlyArray<WatchedMarket> =>
  [{ market, candles }, ...watched].filter((each) => each.candles.size > 0)

/** For people: `BTC/USDC, ETH/USDC`. */
export const marketNames = (strategy: Trades): string =>
  marketsOf(strategy)
    .map(({ name }) => name)
    .join(", ")

/** The same with what it only looks at. */
export const marketsSaid = (strategy: Trades & Pick<Strategy, "watched">): string => {
  const watched = strategy.watched?.map(({ market }) => market.name).join(", ")
  return watched === undefined ? marketNames(strategy) : `${marketNames(strategy)} and looks at ${watched}`
}

/** Every asset that it trades, with the amount that it may use; the quote comes last. */
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
