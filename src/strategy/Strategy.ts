/**
 * The contract of all strategies: a pure function whose answer says how long it holds.
 *
 * Invariant (property-tested for every kind): deciding again anywhere inside the bounds of a decision, with the memory
 * that it returned, gives the same desired slots.
 */
import type { Amount } from "../domain/Amount.ts"
import type * as Decimal from "../domain/Decimal.ts"
import type { Market } from "../domain/Market.ts"
import type { Decision, Memory } from "./Decision.ts"
import type { View } from "./View.ts"

export type Decide = (view: View, memory: Memory) => Decision

/** Limits of one strategy, checked by the engine before anything is sent. */
export interface Limits {
  /** The most that may be outside the wallet, smallest units. */
  readonly budget: { readonly base: Amount; readonly quote: Amount }
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
  readonly market: Market
  readonly limits: Limits
  /** Memory before the first decision. */
  readonly initialMemory: Memory
  readonly decide: Decide
  /** The candles that `View.candles` should offer: how many closed ones of each timeframe make it warm. */
  readonly candles?: ReadonlyMap<string, number>
}
