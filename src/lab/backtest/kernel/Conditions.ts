/** What a run in one market is given: the strategy, its money and limits there, and the rules by which orders fill. */

import type { Resampled } from "../../../candles/Resample.ts"
import type { Amount } from "../../../domain/Amount.ts"
import type { Market } from "../../../domain/Market.ts"
import type { SignalHistory } from "../../../domain/Signal.ts"
import type { Memory } from "../../../strategy/Decision.ts"
import type { Decide, Limits, StandsOf } from "../../../strategy/Strategy.ts"
import type { FillRules } from "./FillRules.ts"

export interface Conditions {
  readonly market: Market
  readonly decide: Decide
  /** As in `Strategy`; only in a run of one market. */
  readonly stands?: StandsOf
  /** The strategy is code of the user, which may not return. */
  readonly mayHang?: boolean
  readonly initialMemory: Memory
  readonly rules: FillRules
  /** What the run starts with and can never exceed. */
  readonly budget: { readonly base: Amount; readonly quote: Amount }
  readonly maxOpenOrders: number
  /** The strategy's further limits. One that swaps has some: a swap that waits for its price waits like one that a limit keeps back. */
  readonly limits?: Limits
  /** By timeframe: what the strategy sees of this market's candles. */
  readonly timeframes?: ReadonlyMap<string, Resampled>
  readonly signals?: SignalHistory
  /** Keep where every order rested: for pictures. */
  readonly keepsOrders?: boolean
}
