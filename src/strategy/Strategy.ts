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

export interface Input {
  readonly text: string
  readonly values: string
  readonly holds: boolean
  /** True if the answer would change with this comparison alone. */
  readonly decides: boolean
  /** For a comparison: its present value and the value at which it turns. */
  readonly distance?: string
}

export type Inputs = ReadonlyMap<string, ReadonlyArray<Input>>

export type Look = (view: View, memory: Memory) => Inputs

/**
 * The facts that change between two events of a strategy's own orders: the price of its market (between bid and ask), the time, and the
 * closed candles. From these a strategy can tell that its last answer still stands, much faster than by deciding. Nothing else follows from
 * a glance: a caller without one asks by the bounds of the answer, and gets the same result.
 */
export interface Glance {
  readonly mid: number
  readonly now: number
  readonly candles: View["candles"]
}

/** Returns true if an answer still stands at a later glance, up to the time in its bounds and while none of its orders moves. */
export type StandsAt = (glance: Glance) => boolean

/** Returns `undefined` if a glance does not show everything that the answer depends on. `memory` is the answer's. */
export type StandsOf = (view: View, memory: Memory) => StandsAt | undefined

/** Returns the reason why a file cannot continue the trading that its slots did under another file. */
export type Unfit = (slots: View["slots"]) => string | undefined

/** Tries the user's own code and returns its fault. */
export type Proof = () => Problem | undefined

/** The largest amounts that may be outside the wallet, in smallest units. */
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
  /** Longest time that an order stays open: the bot must be alive again within it. */
  readonly orderLifetimeMillis?: number
  /** No new orders in these hours, except exits. */
  readonly quietHours?: QuietHours
  /** Largest loss of the holdings' value since midnight UTC, in quote. */
  readonly maxDailyLoss?: Amount
  /** Largest fall of the holdings below their highest value, as a ratio. */
  readonly maxDrawdown?: Decimal.Decimal
  /** The reaction to a loss limit. `pause` (default): nothing new is placed. `drain`: open orders are cancelled too. */
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

export interface Strategy {
  /** Unique among the running strategies; see `Fields.strategyName` for the form. */
  readonly name: string
  readonly kind: string
  readonly namesEverySlot?: true
  readonly restsAtWrittenPrices?: true
  readonly mayLackOrders?: true
  /** About how many orders share the budget, for the size of quotes; default: 10. None: quoted only if no other strategy is. */
  readonly orderCount?: number
  /** The file as the user named it, and a hash of its content. */
  readonly file: string
  readonly hash: string
  readonly text: string
  readonly market: Market
  /** Further markets, all with the same quote asset. */
  readonly others?: ReadonlyArray<Market>
  readonly limits: Limits
  readonly terms?: OrderTerms
  readonly initialMemory: Memory
  readonly decide: Decide
  /** The comparisons of `decide`, for explanations. Missing if its reasons say everything. */
  readonly inputs?: Look
  /** Missing if it cannot tell at a glance that its last answer still stands. */
  readonly stands?: StandsOf
  readonly unfit?: Unfit
  readonly earns?: string
  /** Epoch milliseconds of its end. From then on it only withdraws orders, or leaves what it holds. */
  readonly endsAt?: number
  /** Missing for this program's own code. A reader that uses the file runs it once. */
  readonly proof?: Proof
  /** `notLive`: the reason why it can only be backtested, with the place. `notSearched`: why searches and tests of luck cannot use it. */
  readonly notLive?: Problem
  readonly notSearched?: Problem
  readonly warnings?: ReadonlyArray<Problem>
  readonly watched?: ReadonlyArray<WatchedMarket>
  /** Candles for `View.candles`: the number of closed ones of each timeframe that makes it warm. */
  readonly candles?: ReadonlyMap<string, number>
  /** The source of candles from before the bot's start, as the file names it, with the place of the name. */
  readonly candleSource?: { readonly value: string; readonly start: number; readonly end: number }
  /** The markets whose volumes it uses, with the problem to report if no source has them. */
  readonly volumes?: ReadonlyMap<string, Problem>
  readonly depth?: ReadonlyArray<Amount>
  /** The signals that it reads, and the largest age of each in milliseconds. */
  readonly signals?: ReadonlyMap<string, number>
}

type Trades = Pick<Strategy, "market" | "others">

export const marketsOf = ({ market, others = [] }: Trades): readonly [Market, ...ReadonlyArray<Market>] => [
  market,
  ...others
]

export const marketsSeen = ({
  market,
  others = [],
  watched = []
}: Trades & Pick<Strategy, "watched">): readonly [Market, ...ReadonlyArray<Market>] => [
  market,
  ...others,
  ...watched.map((each) => each.market)
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

/** Every asset that it trades, with its budget; the quote is last. */
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
