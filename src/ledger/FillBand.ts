/**
 * Checks the time of a fill against the recorded price, by the optimistic and pessimistic rules of backtests. A fill is too early if the
 * price had not come within a solver's margin of the limit. It is too late if the price passed the limit by that margin long before.
 */
import * as Decimal from "../domain/Decimal.ts"
import { minuteMillis } from "../domain/Durations.ts"
import type { OrderLife } from "./OrderLife.ts"
import type { Trade } from "./Trades.ts"

export type SeenMinute = Readonly<Record<"openedAt" | "low" | "high", number>>

export interface Margin {
  /** Distance beyond the limit, in basis points, at which a fill is certain. */
  readonly edgeBasisPoints: number
  /** Time that placing and reporting may take. */
  readonly delayMillis: number
}

export type BandVerdict = "in band" | "too early" | "too late" | "no prices"

export const judge = (
  { at }: Pick<Trade, "at">,
  { side, price, restingAt = Number.POSITIVE_INFINITY }: Pick<OrderLife, "side" | "price" | "restingAt">,
  minutes: ReadonlyArray<SeenMinute>,
  { edgeBasisPoints, delayMillis }: Margin
): BandVerdict => {
  const from = restingAt - delayMillis
  const candles = minutes.filter(({ openedAt }) => openedAt + minuteMillis > from && openedAt <= at + delayMillis)
  if (candles.length === 0) return "no prices"
  const limit = Decimal.toNumber(price)
  const share = edgeBasisPoints / 10_000
  const beyond = side === "BUY" ? limit * (1 - share) : limit * (1 + share)
  const near = side === "BUY" ? limit * (1 + share) : limit * (1 - share)
  const reaches = (level: number) => candles.find(({ low, high }) => (side === "BUY" ? low <= level : high >= level))
  // The recorded mid is one sample per poll, so a touch between two polls shows as a price close to the limit.
  if (reaches(near) === undefined) return "too early"
  const certain = reaches(beyond)
  return certain !== undefined && at > Math.max(certain.openedAt + minuteMillis, restingAt) + delayMillis
    ? "too late"
    : "in band"
}
