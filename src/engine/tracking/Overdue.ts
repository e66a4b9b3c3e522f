/** Orders whose money waits longer than the term of its step. Once the clock was set back, an answer depends on earlier calls. */
import { beginOf, hourMillis, minuteMillis } from "../../domain/Durations.ts"
import { type BotState, unfinished } from "../state/BotState.ts"
import { filledOut, type Placement } from "../state/Placement.ts"
import { isBareSuccess } from "./amounts/BareSuccess.ts"

/** Maximum milliseconds of each step before a person should check. */
export type StepTerms = Readonly<Record<keyof typeof defaultTerms, number>>

export const defaultTerms = {
  create: 10 * minuteMillis,
  deposit: 15 * minuteMillis,
  doubt: 30 * minuteMillis,
  end: 15 * minuteMillis,
  /** From the end of an order to the arrival of its output and its unspent input. */
  payout: hourMillis,
  refund: hourMillis
}

export interface Overdue {
  readonly placement: Placement
  readonly waitsFor: keyof StepTerms
  readonly since: number
  readonly term: number
  readonly text: string
}

const steps: { readonly [State in Placement["state"]]?: keyof StepTerms } = {
  creating: "create",
  created: "create",
  funding: "deposit",
  "in doubt": "doubt",
  open: "end",
  closing: "refund"
}

const stepOf = (placement: Placement): keyof StepTerms | undefined => {
  const isUnpaid = placement.state === "closing" && filledOut(placement) > 0n && placement.payout !== "paid"
  return isUnpaid ? "payout" : steps[placement.state]
}

const awaited: Readonly<Record<keyof StepTerms, string>> = {
  create: "the venue's answer",
  deposit: "its deposit to show",
  doubt: "a decision on its funding: limitbot resolve",
  end: "the venue to end it after its deadline",
  payout: "its payout",
  refund: "its refund"
}

const textOf = (placement: Placement, step: keyof StepTerms): string => {
  const { contradiction, payout, refund, unreadable } = placement
  if (unreadable !== undefined)
    return `a usable answer of the venue; nothing of its order is booked until then: ${unreadable.why}`
  if (contradiction !== undefined) return `the operator: ${contradiction}`
  if (payout === "failed") return "the operator: its payout failed"
  if (refund === "failed") return "the operator: its refund failed"
  return step === "end" && isBareSuccess(placement)
    ? "the amount that arrived, as the venue shows none: limitbot resolve"
    : awaited[step]
}

export const overdueIn = (state: BotState, terms: StepTerms, now: number): ReadonlyArray<Overdue> =>
  unfinished(state)
    .flatMap((placement): ReadonlyArray<Overdue> => {
      const waitsFor = stepOf(placement)
      if (waitsFor === undefined) return []
      const term = terms[waitsFor]
      const { changedAt, unreadable } = placement
      const isEnd = waitsFor === "end"
      const begunAt = isEnd ? placement.deadline : beginOf(placement, changedAt, now)
      const needsSomebody =
        placement.payout === "failed" ||
        placement.refund === "failed" ||
        placement.contradiction !== undefined ||
        unreadable !== undefined
      const since = needsSomebody ? Math.min(begunAt, unreadable?.since ?? changedAt) : begunAt
      const skewMillis = isEnd ? (state.clock?.skewMillis ?? 0) : 0
      if (now - skewMillis - since <= term && !needsSomebody) return []
      return [{ placement, waitsFor, since, term, text: textOf(placement, waitsFor) }]
    })
    .sort((a, b) => a.since - b.since)
