/** A reconciliation as text for the terminal. */
import { iso, printable } from "../../domain/Text.ts"
import * as Table from "../../report/text/Table.ts"
import type { Reconciliation } from "../../views/Reconciliation.ts"

type Found = typeof Reconciliation.Type

export const lines = (
  { agrees, contradiction, explained, findings, missing, proven, witnesses }: Found,
  all: boolean,
  withEvidence: boolean
): ReadonlyArray<string> => {
  const visibleFindings = findings.filter(({ verdict }) => all || verdict !== "agrees")
  const rows = visibleFindings.map(({ kind, subject, text, verdict }) => [verdict.toUpperCase(), kind, subject, text])
  const withTheirs = withEvidence
    ? visibleFindings
    : visibleFindings.filter(({ verdict }) => verdict === "contradiction")
  return [
    ...(rows.length === 0 ? [] : Table.render(["VERDICT", "WHAT", "SUBJECT", "WHY"], rows)),
    ...withTheirs.flatMap(evidenceLines),
    `Compared with the journal: ${witnesses.join(", ")}.`,
    ...missing.map((what) => `Not compared: ${what}`),
    ...proven.map(({ placement, text }) => `${placement} can be settled with --resolve: it was paid, ${text}`),
    `${agrees} agree, ${explained} explained, ${contradiction} contradict.`
  ]
}

const evidenceLines = ({ depositAddress, depositMemo, evidence, kind, subject }: Found["findings"][number]) => {
  const pairs = (values: Readonly<Record<string, string>>) =>
    Object.entries(values)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")
  const memo = depositMemo === null ? "" : ` memo ${depositMemo}`
  const timeline = evidence.timeline.map(({ at, what }) => `${iso(at)} ${what}`)
  return [
    "",
    `${kind} ${subject}`,
    ...(depositAddress === null ? [] : [`  address      ${depositAddress}${memo}`]),
    `  ${kind === "balance" ? "now        " : "journal    "}  ${pairs(evidence.journal)}`,
    ...(evidence.venue === null
      ? []
      : [`  ${kind === "balance" ? "before   " : "venue    "}    ${pairs(evidence.venue)}`]),
    ...(evidence.history === null ? [] : [`  history      ${pairs(evidence.history)}`]),
    ...(evidence.hashes.length === 0 ? [] : [`  hashes       ${evidence.hashes.join(" ")}`]),
    ...(evidence.correlationIds.length === 0 ? [] : [`  correlation  ${evidence.correlationIds.join(" ")}`]),
    ...timeline.map((moment) => `    ${moment}`)
  ].map(printable)
}
