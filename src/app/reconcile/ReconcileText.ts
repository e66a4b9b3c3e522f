/** What a reconciliation found, for the terminal. */
import { iso } from "../../domain/Text.ts"
import type { Comparison } from "../../engine/reconciliation/Comparison.ts"
import * as Table from "../../report/text/Table.ts"
import { countsOf, type Reconciled } from "../../views/Reconciliation.ts"

export const lines = (
  { findings, missing, proven, witnesses }: Reconciled,
  all: boolean,
  withEvidence: boolean
): ReadonlyArray<string> => {
  const shown = findings.filter(({ verdict }) => all || verdict !== "agrees")
  const rows = shown.map(({ kind, subject, text, verdict }) => [verdict.toUpperCase(), kind, subject, text])
  const { agrees, contradiction, explained } = countsOf(findings)
  return [
    ...(rows.length === 0 ? [] : Table.render(["VERDICT", "WHAT", "SUBJECT", "WHY"], rows)),
    ...(withEvidence ? shown.flatMap(evidenceLines) : contradictionsOf(shown).flatMap(evidenceLines)),
    `Compared with the journal: ${witnesses.join(", ")}.`,
    ...missing.map((what) => `Not compared: ${what}`),
    ...proven.map(({ placement, text }) => `${placement} is no longer in doubt with --resolve: it was paid, ${text}`),
    `${agrees} agree, ${explained} explained, ${contradiction} contradict.`
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
