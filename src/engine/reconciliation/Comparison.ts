/** Result of one comparison for one subject, with its evidence. */
import type { Amount } from "../../domain/Amount.ts"
import type { TimelineEntry } from "./JournalOrders.ts"

export type ComparisonVerdict = "agrees" | "explained" | "contradiction"

export interface Evidence {
  readonly journal: Readonly<Record<string, string>>
  readonly venue: Readonly<Record<string, string>> | undefined
  readonly history: Readonly<Record<string, string>> | undefined
  readonly correlationIds: ReadonlyArray<string>
  readonly hashes: ReadonlyArray<string>
  readonly timeline: ReadonlyArray<TimelineEntry>
}

export interface Comparison {
  readonly kind: "order" | "swap" | "balance" | "history"
  readonly subject: string
  readonly depositAddress: string | undefined
  readonly depositMemo: string | undefined
  readonly verdict: ComparisonVerdict
  /** It leaves open if the books agree, so it takes back no earlier report of its subject, even with a verdict. */
  readonly isUndecided?: true
  readonly text: string
  readonly evidence: Evidence
}

export const sentenceOf = ({ kind, subject, text }: Pick<Comparison, "kind" | "subject" | "text">): string =>
  `${kind} ${subject}: ${text}`
export const subjectOf = (sentence: string): string => sentence.split(": ")[0] ?? sentence

export const noEvidence: Evidence = {
  journal: {},
  venue: undefined,
  history: undefined,
  correlationIds: [],
  hashes: [],
  timeline: []
}

export const texts = (values: Readonly<Record<string, Amount | string | undefined>>) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]))
  )
