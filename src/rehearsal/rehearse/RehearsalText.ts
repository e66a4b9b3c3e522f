/** Describes the result of a rehearsal, for the terminal and for programs. */
import { Cause, type Effect } from "effect"
import { hourMillis } from "../../domain/Durations.ts"
import { countText, percent } from "../../domain/Text.ts"
import type { TroubleLevel } from "../world/Trouble.ts"
import type * as RehearsedBot from "./RehearsedBot.ts"

export type RehearsalOutcome = Effect.Success<ReturnType<typeof RehearsedBot.rehearse>>

export interface RehearsalAsked {
  readonly names: ReadonlyArray<string>
  readonly bad: TroubleLevel
  readonly days: number
  readonly seed: number
}

export const problemsOf = ({ differences, ended, isAtRest, stillOpen }: RehearsalOutcome): ReadonlyArray<string> => [
  ...(ended === undefined ? [] : [`the bot ended by itself: ${Cause.pretty(ended)}`]),
  ...(isAtRest ? [] : [`${countText(stillOpen, "order")} could not be cancelled after the trouble`]),
  ...differences
]

const happenedIn = ({ accidents, events, fills, requests }: RehearsalOutcome) => {
  const of = (tag: string) => events.get(tag) ?? 0
  const requestCount = [...requests.values()].reduce((sum, times) => sum + times, 0)
  return {
    planned: of("Planned"),
    funded: of("FundingSigned") + of("PaymentAsked"),
    fills,
    cancels: of("CancelRequested"),
    settled: of("Settled"),
    givenUp: of("Abandoned") + of("FundingDead"),
    requests: requestCount,
    disturbedRequests: requestCount - (requests.get("delivered") ?? 0),
    outagesNoticed: of("VenueDown"),
    crashes: accidents.get("crash") ?? 0,
    suspensions: accidents.get("suspension") ?? 0
  }
}

export const json = (outcome: RehearsalOutcome, { bad, days, names, seed }: RehearsalAsked) => ({
  event: "rehearsal",
  strategies: names,
  days,
  bad,
  seed,
  happened: happenedIn(outcome),
  worth: { firstUsd: outcome.worth.first, lastUsd: outcome.worth.last },
  worstDrawdown: outcome.worstDrawdown,
  longestInDoubtMillis: outcome.longestUnansweredMillis,
  alerts: outcome.alerts,
  messages: outcome.letters,
  booksAgree: outcome.isAtRest && outcome.differences.length === 0,
  problems: problemsOf(outcome),
  virtualMillis: outcome.virtualMillis,
  realMillis: outcome.realMillis
})

const usd = (amount: number): string => `${amount.toFixed(2)} USD`

const span = (millis: number): string => {
  if (millis < 120_000) return `${Math.round(millis / 1000)} s`
  if (millis < 7_200_000) return `${Math.round(millis / 60_000)} min`
  return `${(millis / hourMillis).toFixed(1)} h`
}

const messageLines = ({ letters: { failures, messages, signsOfLife } }: RehearsalOutcome): ReadonlyArray<string> =>
  messages + signsOfLife + failures === 0
    ? []
    : [
        `messages    ${messages} written and not sent; ${countText(signsOfLife, "sign")} of life, ${countText(failures, "time")} reported as failing`
      ]

export const lines = (outcome: RehearsalOutcome, { bad, days, names, seed }: RehearsalAsked): ReadonlyArray<string> => {
  const { alerts, longestUnansweredMillis, virtualMillis, realMillis, worstDrawdown, worth } = outcome
  const happened = happenedIn(outcome)
  const faster = Math.round(virtualMillis / Math.max(1, realMillis))
  return [
    `Rehearsed ${names.join(", ")}: ${days} virtual days of ${bad} trouble in ${span(realMillis)} (${faster} times real time), seed ${seed}`,
    "",
    `orders      ${happened.planned} planned, ${happened.funded} funded, ${happened.givenUp} given up, ${countText(happened.fills, "fill")}, ${countText(happened.cancels, "cancel")}, ${happened.settled} settled`,
    `trouble     ${happened.disturbedRequests} of ${happened.requests} requests, ${countText(happened.outagesNoticed, "outage")}, ${countText(happened.crashes, "restart")}, ${countText(happened.suspensions, "suspension")}`,
    `equity      ${usd(worth.first)} at the start, ${usd(worth.last)} at the end`,
    `drawdown    ${usd(worstDrawdown.usd)} at worst (${percent(worstDrawdown.ratio)}), ${span(worstDrawdown.afterMillis)} after the start`,
    `in doubt    ${span(longestUnansweredMillis)} at longest without an answer to a payment`,
    ...(alerts.length === 0
      ? ["alerts      none"]
      : alerts.map(
          ({ count, event, first, firstAfterMillis }) =>
            `alert       ${event}, ${countText(count, "time")}, first after ${span(firstAfterMillis)}: ${first}`
        )),
    ...messageLines(outcome),
    `books       ${outcome.isAtRest && outcome.differences.length === 0 ? "agree to the unit, after all orders were cancelled" : "DO NOT AGREE"}`
  ]
}
