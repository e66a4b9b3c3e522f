/** Orders whose money has waited for a step longer than the step's term. Pure. */
import { hourMillis, minuteMillis } from "../../domain/Durations.ts"
import { type BotState, unfinished } from "../state/BotState.ts"
import { filledOut, type Placement } from "../state/Placement.ts"
import { isBareSuccess } from "./amounts/BareSuccess.ts"

/** Maximum milliseconds of each step before a person should check. */
export interface StepTerms {
  readonly create: number
  readonly deposit: number
  readonly doubt: number
  readonly end: number
  /** From the end of an order to the arrival of its output and its unspent input. */
  readonly payout: number
  readonly refund: number
}

export const defaultTerms: StepTerms = {
  create: 10 * minuteMillis,
  deposit: 15 * minuteMillis,
  doubt: 30 * minuteMillis,
  end: 15 * minuteMillis,
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

const stepOf = (placement: Placement): readonly [keyof StepTerms, number] | undefined => {
  switch (placement.state) {
    case "creating":
    case "created":
      return ["create", placement.changedAt]
    case "funding":
      return ["deposit", placement.changedAt]
    case "in doubt":
      return ["doubt", placement.changedAt]
    case "open":
      return ["end", placement.deadline]
    case "closing":
      return [isUnpaid(placement) ? "payout" : "refund", placement.changedAt]
    default:
      return undefined
  }
}

const isUnpaid = (placement: Placement): boolean => filledOut(placement) > 0n && placement.payout !== "paid"

const textOf = (placement: Placement, step: keyof StepTerms): string => {
  const { contradiction, payout, refund, unreadable } = placement
  if (unreadable !== undefined)
    return `a usable answer of the venue; nothing of its order is booked until then: ${unreadable.why}`
  if (contradiction !== undefined) return `the operator: ${contradiction}`
  if (payout === "failed") return "the operator: its payout failed"
  if (refund === "failed") return "the operator: its refund failed"
  switch (step) {
    case "create":
      return "the venue's answer"
    case "deposit":
      return "its deposit to show"
    case "doubt":
      return "a decision on its funding: limitbot resolve"
    case "end":
      if (isBareSuccess(placement)) return "the amount that arrived, as the venue shows none: limitbot resolve"
      return "the venue to end it after its deadline"
    case "payout":
    case "refund":
      return `its ${step}`
  }
}

export const overdueIn = (state: BotState, terms: StepTerms, now: number): ReadonlyArray<Overdue> =>
  unfinished(state)
    .flatMap((placement): ReadonlyArray<Overdue> => {
      const step = stepOf(placement)
      if (step === undefined) return []
      const [waitsFor, begunAt] = step
      const term = terms[waitsFor]
      const { changedAt, unreadable } = placement
      const needsSomebody =
        placement.payout === "failed" ||
        placement.refund === "failed" ||
        placement.contradiction !== undefined ||
        unreadable !== undefined
      const since = needsSomebody ? Math.min(begunAt, unreadable?.since ?? changedAt) : begunAt
      if (now - since <= term && !needsSomebody) return []
      return [{ placement, waitsFor, since, term, text: textOf(placement, waitsFor) }]
    })
    .sort((a, b) => a.since - b.since)
