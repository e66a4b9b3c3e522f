/** Formats a replay for people and programs: the number of identical decisions, the band of fills, and the differences. */
import { present } from "../../domain/Present.ts"
import { countText, iso, percent } from "../../domain/Text.ts"
import type { Replayed } from "../../engine/explain/Replay.ts"
import type { BandVerdict } from "../../ledger/FillBand.ts"
import type { ProfitDifference } from "./WhatIf.ts"

interface Found {
  readonly replayed: Replayed
  readonly verdicts: ReadonlyArray<BandVerdict>
  readonly code: string
  readonly profit: ReadonlyArray<ProfitDifference>
}

const countOf = (verdicts: ReadonlyArray<BandVerdict>, wanted: BandVerdict): number =>
  verdicts.filter((verdict) => verdict === wanted).length

/** Fields are added, never changed or removed. */
export const json = ({ replayed, verdicts, code, profit }: Found) => {
  const { decisions, identical, hash, withoutFile, differences, byCode } = replayed
  return {
    decisions,
    identical,
    hash,
    fillsInBand: countOf(verdicts, "in band"),
    fills: verdicts.length,
    fillsTooEarly: countOf(verdicts, "too early"),
    fillsTooLate: countOf(verdicts, "too late"),
    fillsWithoutPrices: countOf(verdicts, "no prices"),
    decisionCode: code,
    decidedBy: [...byCode].map(([by, counts]) => ({ decisionCode: by === "" ? null : by, ...counts })),
    withoutFile,
    ...present({ profit: profit.length === 0 ? undefined : profit }),
    differences
  }
}

export const lines = ({ replayed, verdicts, code, profit }: Found): ReadonlyArray<string> => {
  const { decisions, identical, hash, differences, byCode } = replayed
  const judged = verdicts.length - countOf(verdicts, "no prices")
  const within = countOf(verdicts, "in band")
  const share = judged === 0 ? "" : ` (${percent(within / judged)} of those with recorded prices)`
  const outside = (["too early", "too late", "no prices"] as const).flatMap((verdict) => {
    const count = countOf(verdicts, verdict)
    return count === 0 ? [] : [`${count} ${verdict === "no prices" ? "without recorded prices" : verdict}`]
  })
  return [
    `${identical} of ${decisions} decisions identical. Hash ${hash}`,
    ...[...byCode].map(([by, counts]) => codeLine(by, counts, code)),
    `${within} of ${verdicts.length} fills lay within the band${share}${outside.length === 0 ? "" : `; ${outside.join(", ")}`}.`,
    ...profit.map(profitLine),
    ...differences.flatMap(differenceLines)
  ]
}

const maxChanges = 10

const differenceLines = ({ at, changes, strategy }: Replayed["differences"][number]): ReadonlyArray<string> => {
  const more = changes.length - maxChanges
  return [
    `${iso(at)} ${strategy}`,
    ...changes.slice(0, maxChanges).map((change) => `  ${change}`),
    ...(more > 0 ? [`  and ${countText(more, "more change")}: --json has all`] : [])
  ]
}

/** If the decision code differs now, a difference says nothing about the bot. */
const codeLine = (by: string, { decisions, identical }: { decisions: number; identical: number }, now: string) => {
  const prefix = `  ${countText(decisions, "decision")} made by`
  if (by === now) return `${prefix} decision code ${by}, as in this program.`
  const code = by === "" ? "a version that did not record its decision code" : `decision code ${by}`
  const after =
    identical === decisions ? "it decides the same here" : "differences may come from the code: replay with that build"
  return `${prefix} ${code}; this program has ${now}: ${after}.`
}

const profitLine = (found: ProfitDifference): string => {
  if ("why" in found) return `${found.strategy}: no profit difference: ${found.why}.`
  const { filesRan, strategy, asset, from, to, earned, editedLow, editedHigh, differenceLow, differenceHigh } = found
  return `${strategy}: earned ${earned} ${asset}${filesRan > 1 ? ` with ${filesRan} files` : ""} from ${from} to ${to}; the edited file would have earned ${editedLow} to ${editedHigh}, a difference of ${differenceLow} to ${differenceHigh} ${asset}.`
}
