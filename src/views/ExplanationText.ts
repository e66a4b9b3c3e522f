/** An explanation as people read it, in a terminal or in a chat: a line for each fact. */
import { iso } from "../domain/Text.ts"
import type { Explanation } from "./Explanation.ts"

export const shownEvents = 6

/** A slot shown alone lists every limit with its numbers; in a list, limits that pass are only named. */
export const lines = (
  { slot, verdict, because, rule, ruleText, inputs, guards, wouldChange, lately }: Explanation,
  isAlone: boolean
): ReadonlyArray<string> => {
  const refusing = guards.filter(({ verdict }) => verdict !== "passes")
  const passing = guards.filter(({ verdict, text }) => verdict === "passes" && text !== "not set")
  return [
    `${slot} ${verdict}`,
    ...because.map((line) => `  because ${line}`),
    ...(rule === null
      ? []
      : [`  by the rule at ${rule}${ruleText === null || ruleText.endsWith(":") ? "" : `: ${ruleText}`}`]),
    ...(inputs === null ? [] : [`  at mid price ${inputs.mid}, ${inputs.priceAgeMillis} ms old`]),
    ...(inputs === null ? [] : conditionLines(inputs)),
    ...refusing.map(({ guard, verdict, text }) => `  limit ${guard} ${verdict}: ${text}`),
    ...(isAlone
      ? passing.map(({ guard, text }) => `  ${guard}: ok, ${text}`)
      : passing.length === 0
        ? []
        : [`  limits, all ok: ${passing.map(({ guard }) => guard).join(", ")}`]),
    ...wouldChange.map((line) => `  re-evaluated ${line.startsWith("mid") ? "when" : "after"} ${line}`),
    ...lately.slice(-shownEvents).map((line) => `  history ${line}`)
  ]
}

const conditionLines = ({ checks, checkedAt }: NonNullable<Explanation["inputs"]>): ReadonlyArray<string> => [
  ...(checks.length === 0 || checkedAt === null ? [] : [`  conditions at ${iso(checkedAt)}`]),
  ...checks.map(({ text, values, holds }) => `    ${text} ${holds ? "holds" : "does not hold"}: ${values}`)
]
