/** What a reconciliation found, for the terminal and for programs. */
import { iso } from "../../domain/Text.ts"
import type { OperatorAnswer } from "../../engine/funding/Problems.ts"
import type { Comparison } from "../../engine/reconciliation/Comparison.ts"
import * as Table from "../../report/text/Table.ts"

const verdicts = ["agrees", "explained", "contradiction"] as const

const countsOf = (findings: ReadonlyArray<Comparison>) =>
  Object.fromEntries(
    verdicts.map((verdict) => [verdict, findings.filter((finding) => finding.verdict === verdict).length])
  )

export interface Gathered {
  readonly findings: ReadonlyArray<Comparison>
  readonly missing: ReadonlyArray<string>
  readonly witnesses: ReadonlyArray<string>
  /** Doubts that the history ends. */
  readonly proven: ReadonlyArray<OperatorAnswer>
}

/** Programs find the same keys in every finding. */
export const json = ({ findings, missing, proven, witnesses }: Gathered): string =>
  JSON.stringify(
    { ...countsOf(findings), witnesses, missing, proven, findings },
    (_key, value: unknown) => value ?? null
  )

export const lines = (
  { findings, missing, proven, witnesses }: Gathered,
  all: boolean,
  withEvidence: boolean
): ReadonlyArray<string> => {
  const shown = findings.filter(({ verdict }) => all || verdict !== "agrees")
  const rows = shown.map(({ kind, subject, text, verdict }) => [verdict.toUpperCase(), kind, subject, text])
  const counts = countsOf(findings)
  return [
    ...(rows.length === 0
      ? []
      : Table.render(
          ["VERDICT", "WHAT", "SUBJECT", "WHY"].map((title) => ({ title })),
          rows
        )),
    ...(withEvidence ? shown.flatMap(evidenceLines) : contradictionsOf(shown).flatMap(evidenceLines)),
    `Compared with the journal: ${witnesses.join(", ")}.`,
    ...missing.map((what) => `Not compared: ${what}`),
    ...proven.map(({ placement, text }) => `${placement} is no longer in doubt with --resolve: it was paid, ${text}`),
    `${counts["agrees"]} agree, ${counts["explained"]} explained, ${counts["contradiction"]} contradict.`
  ]
}

export const contradictionsOf = (findings: ReadonlyArray<Comparison>) =>
  findings.filter(({ verdict }) => verdict === "contradiction")

const evidenceLines = ({ depositAddress, depositMemo, evidence, kind, subject }: Comparison) => {
  const pairs = (values: Readonly<Record<string, string>> | undefined) =>
    Object.entries(values ?? {})
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")
  const memo = depositMemo === undefined ? "" : ` memo ${depositMemo}`
  const timeline = evidence.timeline.map(({ at, what }) => `${iso(at)} ${what}`)
  return [
    "",
    `${kind} ${subject}`,
    ...(depositAddress === undefined ? [] : [`  address      ${depositAddress}${memo}`]),
    `  ${kind === "balance" ? "now        " : "journal    "}  ${pairs(evidence.journal)}`,
    ...(evidence.venue === undefined
      ? []
      : [`  ${kind === "balance" ? "before   " : "venue    "}    ${pairs(evidence.venue)}`]),
    ...(evidence.history === undefined ? [] : [`  history      ${pairs(evidence.history)}`]),
    ...(evidence.hashes.length === 0 ? [] : [`  hashes       ${evidence.hashes.join(" ")}`]),
    ...(evidence.correlationIds.length === 0 ? [] : [`  correlation  ${evidence.correlationIds.join(" ")}`]),
    ...timeline.map((moment) => `    ${moment}`)
  ].map(Table.printable)
}
