/** Inputs of a run in one market: the strategy, its money and limits there, and the rules by which orders fill. */
import type { Resampled } from "../../../candles/Resample.ts"
import type { Amount } from "../../../domain/Amount.ts"
import type { SignalHistory } from "../../../domain/Signal.ts"
import type { Limits, Strategy } from "../../../strategy/Strategy.ts"
import type { FillRules } from "./FillRules.ts"

export interface Conditions extends Pick<Strategy, "market" | "decide" | "initialMemory" | "mayLackOrders" | "stands"> {
  /** Set for user code, which may not return. */
  readonly mayHang?: boolean
  readonly rules: FillRules
  readonly budget: { readonly base: Amount; readonly quote: Amount }
  readonly maxOpenOrders: number
  /** Always set for a strategy that swaps, because a swap waits for its price like an order that a limit keeps back. */
  readonly limits?: Limits
  readonly timeframes?: ReadonlyMap<string, Resampled>
  readonly signals?: SignalHistory
  readonly keepsOrders?: boolean
}
