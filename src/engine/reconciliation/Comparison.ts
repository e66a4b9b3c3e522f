/**
 * What one look says of one subject: it agrees, differs for a nameable reason, or contradicts, with its evidence. A look that
 * leaves open whether the books agree is undecided, whatever its verdict.
 */
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
  /** Placement, swap, asset or deposit address. */
  readonly subject: string
  readonly depositAddress: string | undefined
  readonly depositMemo: string | undefined
  readonly verdict: ComparisonVerdict
  /** It leaves open whether the books agree, so it takes nothing back that was said of its subject before. */
  readonly isUndecided?: true
  readonly text: string
  readonly evidence: Evidence
}

/** How a finding is told, and the part of it that stays while its amounts change. */
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

/** The known figures, as text. */
export const texts = (
  values: Readonly<Record<string, Amount | string | undefined>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]))
  )
