/** How the engine paces itself and whose money it moves. Times are milliseconds; the defaults suit the real service. */

import { Context } from "effect"
import type { Amount } from "../domain/Amount.ts"
import { dayMillis, hourMillis, minuteMillis } from "../domain/Durations.ts"
import type { FeeEcho } from "../domain/EchoedFee.ts"
import type { Market } from "../domain/Market.ts"
import type { MoneyPlaces } from "../domain/MoneyPath.ts"
import type { OrderTerms } from "../domain/Order.ts"
import { byHand } from "../domain/Placement.ts"

/** Where our money comes from and goes back to, as every order must repeat it. */
export interface Expectations extends MoneyPlaces {
  /** The most that app fees may give to others. */
  readonly maxAppFeeBasisPoints: number
  /** What an order's echo may give to others, where the echo has the service's own share in it; else the bound above. */
  readonly echoedBasisPoints?: (market: Market, terms: OrderTerms) => number
  /** The venue's share of the output of every fill. */
  readonly fillBasisPoints?: number
  /** The same place: whose echo it is, and which app fees it answers. */
  readonly echoOf?: (terms: OrderTerms) => Omit<FeeEcho, "basisPoints">
}

export interface Settings {
  readonly account: Expectations
  /** Shortest and longest pause between two looks at the venue. */
  readonly pollMinMillis: number
  readonly pollMaxMillis: number
  /** A create without an answer is looked for this long and then given up. After that it can never be funded. */
  readonly resolveAfterMillis: number
  /** A turn begins no further order after this time, because its prices would be too old. */
  readonly turnMillis: number
  /** How long an order rests before the venue ends it: the safety net when the bot is gone. */
  readonly orderLifetimeMillis: number
  /** How long a swap quote stays payable. */
  readonly swapLifetimeMillis: number
  /** No funding when less than this is left until the order's deadline. */
  readonly deadlineMarginMillis: number
  /** How long after a payload's deadline its deposit could still become visible. */
  readonly visibilityMillis: number
  /** The longest time that a payment on another chain may take to show, from the end of its order. */
  readonly paymentVisibilityMillis: number
  /**
   * How long an order that the venue ended without a deposit is watched before a payment in doubt counts as not made.
   */
  readonly doubtMillis: number
  /**
   * How long what an earlier process had begun is watched when the journal may have lost what became of it: longer than a request
   * of that process can have been under way, and a deposit usually takes to show.
   */
  readonly takeoverMillis: number
  /** First pause before a repeated funding, cancel or placement; doubles up to `retryMaxMillis`. */
  readonly retryMinMillis: number
  readonly retryMaxMillis: number
  /** Longest pause of a slot whose attempts are refused again and again. */
  readonly refusalMaxMillis: number
  /** Limits over all strategies together. */
  readonly overall?: OverallLimits
  /** Placements worked on at the same time. */
  readonly concurrency: number
}

export interface OverallLimits {
  readonly maxOpenOrders?: number
  readonly maxOrdersPerHour?: number
  /** By symbol: the most that may be outside the wallet. */
  readonly exposure: ReadonlyMap<string, Amount>
}

export const defaults: Omit<Settings, "account"> = {
  pollMinMillis: 1_000,
  pollMaxMillis: 10_000,
  resolveAfterMillis: 30_000,
  turnMillis: 10_000,
  orderLifetimeMillis: 7 * dayMillis,
  swapLifetimeMillis: 600_000,
  deadlineMarginMillis: 60_000,
  visibilityMillis: 10_000,
  paymentVisibilityMillis: 600_000,
  doubtMillis: hourMillis,
  takeoverMillis: 2 * minuteMillis,
  retryMinMillis: 1_000,
  retryMaxMillis: 60_000,
  refusalMaxMillis: 900_000,
  concurrency: 4
}

export class EngineSettings extends Context.Service<EngineSettings, Settings>()("limitbot/engine/EngineSettings") {}

/**
 * The pause before a repeatedly refused slot is tried again. It doubles beyond the limit for a single request, so a
 * lasting refusal does not cost one order a minute for ever.
 */
export const refusalPauseMillis = ({ refusalMaxMillis, retryMinMillis }: Settings, refusals: number): number =>
  doubledMillis(retryMinMillis, refusalMaxMillis, refusals)

/** No funding when less than this is left until the deadline. A quote that somebody agreed to lives for minutes only. */
export const marginMillis = (
  { strategy }: { readonly strategy: string },
  { deadlineMarginMillis }: Pick<Settings, "deadlineMarginMillis">
): number => (strategy === byHand ? Math.min(deadlineMarginMillis, swapMarginMillis) : deadlineMarginMillis)

export const isTooLate = (
  order: { readonly deadline: number; readonly strategy: string },
  now: number,
  settings: Pick<Settings, "deadlineMarginMillis">
): boolean => order.deadline - now < marginMillis(order, settings)

const swapMarginMillis = 15_000

/** The pause before attempt number `attempts + 1`. The count is in the journal, so a restart does not forget it. */
export const backoffMillis = ({ retryMaxMillis, retryMinMillis }: Settings, attempts: number): number =>
  doubledMillis(retryMinMillis, retryMaxMillis, attempts)

/** Nothing at first, and then this much, doubled each time up to the most. */
export const doubledMillis = (first: number, most: number, times: number): number =>
  times === 0 ? 0 : Math.min(most, first * 2 ** Math.min(times - 1, 20))

/**
 * What the venue says against what it had said before is not believed at once either: a view may be old, and a connection may
 * deliver the answer to another question. It must go on to say so for this long.
 */
export const believedAfterMillis = {
  /** An order of ours ended before its time, and nobody here asked for that. */
  earlyEnd: 10 * minuteMillis,
  /** It ended as it was asked to, or has come to its end: what comes back would be spent at once. */
  end: 5_000,
  /** An order that was over is alive: it is cancelled once more. */
  aliveToCancel: 10_000,
  /** The same: its end is taken back. */
  alive: minuteMillis,
  /** A living order shows a fill no more. */
  vanished: minuteMillis,
  /** An order that is over shows less than it had shown. */
  lacking: minuteMillis,
  /** There is no such order. */
  missing: minuteMillis,
  /** The books of an order were closed, and it shows something else. */
  otherwise: 5_000
} as const
