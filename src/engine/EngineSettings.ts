/** Settings of the engine. Times are milliseconds; the defaults suit the real service. */
import { Context, type Effect } from "effect"
import type { Amount } from "../domain/Amount.ts"
import type { Reason } from "../domain/BotEvent.ts"
import { dayMillis, hourMillis, minuteMillis } from "../domain/Durations.ts"
import type { FeeEcho } from "../domain/EchoedFee.ts"
import type { Market } from "../domain/Market.ts"
import type { MoneyPlaces } from "../domain/MoneyPath.ts"
import type { OrderTerms } from "../domain/Order.ts"
import { byHand } from "../domain/Placement.ts"
import type { JournalError } from "../journal/Journal.ts"
import type { Strategy } from "../strategy/Strategy.ts"

/** A report of our orders is held against these: the source and return path of our money, and fees. */
export interface Expectations extends MoneyPlaces {
  /** Highest app fees to others that an order may have, unless the strategy's own terms have more. */
  readonly maxAppFeeBasisPoints: number
  /** Scheduled fee of an order by its terms; above it an order is not paid. Absent if echoes do not include the service's share. */
  readonly echoedBasisPoints?: (market: Market, terms: OrderTerms) => number
  /** The venue's share of the output of every fill, in basis points. */
  readonly fillBasisPoints?: number
  /** Credential and app fees to which an echo belongs. */
  readonly echoOf?: (terms: OrderTerms) => Omit<FeeEcho, "basisPoints">
}

export const defaults = {
  pollMinMillis: 1_000,
  pollMaxMillis: 10_000,
  /** Time for which the bot searches for a create without an answer. It then gives the create up and never funds it. */
  resolveAfterMillis: 30_000,
  /** A turn starts no further order after this time, because its prices would be too old. */
  turnMillis: 10_000,
  /** Lifetime of an order until the venue ends it: the safety net when the bot is gone. */
  orderLifetimeMillis: 7 * dayMillis,
  swapLifetimeMillis: 600_000,
  /** No funding when less than this is left until the order's deadline. */
  deadlineMarginMillis: 60_000,
  /** Time after a payload's deadline in which its deposit could still become visible. */
  visibilityMillis: 10_000,
  /** Longest time that a payment on another chain may take to show, from the end of its order. */
  paymentVisibilityMillis: 600_000,
  /** Time for which the bot watches an order that the venue ended without a deposit, before a payment in doubt counts as not made. */
  doubtMillis: hourMillis,
  /** Time to watch an earlier process's unclear work: longer than a request is under way, and than a deposit usually takes to show. */
  takeoverMillis: 2 * minuteMillis,
  /** First pause before a repeated funding, cancel or placement; doubles up to `retryMaxMillis`. */
  retryMinMillis: 1_000,
  retryMaxMillis: 60_000,
  /** Longest pause of a slot whose attempts are refused repeatedly. */
  refusalMaxMillis: 900_000,
  concurrency: 4
}

export interface Settings extends Readonly<Record<keyof typeof defaults, number>> {
  readonly account: Expectations
  readonly overall?: OverallLimits
}

export interface OverallLimits {
  readonly maxOpenOrders?: number
  readonly maxOrdersPerHour?: number
  /** By symbol: the most that may be outside the wallet. */
  readonly exposure: ReadonlyMap<string, Amount>
}

export interface EngineOptions {
  readonly strategies: ReadonlyArray<Strategy>
  /** Every configured market by name. Orders of removed strategies need their markets too. */
  readonly markets: ReadonlyMap<string, Market>
  /** Reason to cancel everything now (kill switch, leaving). Absent without one. Read at every turn. */
  readonly withdraw: Effect.Effect<Reason | undefined>
  /** Unclear payments (`unclearPayment`) that the operator says were not made. Default: none. */
  readonly payAgain?: ReadonlySet<string>
  /** Returns which strategies may be planned, by name. Read at each turn that could plan, once the venue answers. Default: all. */
  readonly admit?: Effect.Effect<(strategy: string) => boolean>
  readonly listen?: Effect.Effect<void, JournalError>
  /** Interval at which `withdraw` is read while nothing is to be cancelled. Only for callers that call `wake` when it changes. */
  readonly quietLookMillis?: number
}

export class EngineInputs extends Context.Service<
  EngineInputs,
  EngineOptions & Required<Pick<EngineOptions, "admit" | "listen" | "payAgain">>
>()("limitbot/engine/EngineInputs") {}

export class EngineSettings extends Context.Service<EngineSettings, Settings>()("limitbot/engine/EngineSettings") {}

/** Highest pause for an exit after a stop: while it is refused, the position has no stop. A refusal costs one request and no money. */
const stopRefusalMaxMillis = 5_000

/**
 * Pause before a repeatedly refused slot is tried again. It doubles beyond the limit for a single request, so that a lasting refusal does
 * not cost one order a minute.
 */
export const refusalPauseMillis = (
  { refusalMaxMillis, retryMinMillis }: Settings,
  { failures, isUrgent }: { readonly failures: number; readonly isUrgent?: boolean }
): number => doubledMillis(retryMinMillis, isUrgent === true ? stopRefusalMaxMillis : refusalMaxMillis, failures)

/** Funding stops when less than this is left until the deadline. A swap by hand has a shorter margin: its quote lives for minutes only. */
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

/** The number of attempts is in the journal, so a restart does not forget it. */
export const backoffMillis = ({ retryMaxMillis, retryMinMillis }: Settings, attempts: number): number =>
  doubledMillis(retryMinMillis, retryMaxMillis, attempts)

/** Zero at first, then `first`, doubled each time up to `most`. */
export const doubledMillis = (first: number, most: number, times: number): number =>
  times === 0 ? 0 : Math.min(most, first * 2 ** Math.min(times - 1, 20))

/** Time for which a report must contradict an earlier one to be believed. A view may be old, or a connection may misdeliver an answer. */
export const believedAfterMillis = {
  /** Our order ended before its time without a cancel from us. */
  earlyEnd: 10 * minuteMillis,
  /** The order ended as requested or expired. The bot would spend its refund at once. */
  end: 5_000,
  /** An ended order is alive: the bot cancels it once more. */
  aliveToCancel: 10_000,
  /** An ended order is alive: the bot takes its end back. */
  alive: minuteMillis,
  /** A live order no longer shows a fill. */
  vanished: minuteMillis,
  /** An ended order shows less than before. */
  lacking: minuteMillis,
  /** The venue says that the order does not exist. */
  missing: minuteMillis,
  /** An order shows something else after its books were closed. */
  otherwise: 5_000
} as const
