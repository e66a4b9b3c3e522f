/** `limitbot explain [STRATEGY/SLOT] [--at TIME]`: why a slot holds (or held) its order, or nothing. */
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { inJournal } from "../../app/journal/JournalView.ts"
import { explained, shownEvents } from "../../app/plan/Explaining.ts"
import * as Answer from "../../app/process/Answer.ts"
import { iso } from "../../domain/Text.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import type { Explanation } from "../../views/Explanation.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "explain",
  {
    slot: Argument.String("strategy/slot").pipe(
      Argument.withDescription("A slot as `status` shows it; all slots when left out"),
      Argument.optional
    ),
    at: flags.text("at", "A moment in the past: 2026-01-31T12:00:00Z, or how long ago: 30s, 5m, 6h, 7d"),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ slot, at, config }) {
    const settings = yield* ConfigFile.loadSettings(config)
    const asked = explained(settings, Option.getOrUndefined(slot), Option.getOrUndefined(at))
    const { now, slots } = yield* inJournal(settings.journal, asked)
    const title = Option.isSome(at) ? [`At ${iso(now)}:`] : []
    return {
      data: () => slots,
      lines: () => [...title, ...slots.flatMap((each) => lines(each, slots.length === 1))]
    }
  }, Answer.print)
).pipe(
  help("Explain why a slot holds what it holds, or nothing, now or at any time, and what would change that", {
    "limitbot explain btc-grid/cell-07": "One slot now",
    "limitbot explain btc-grid --at 2h": "All slots of a strategy two hours ago"
  })
)

/** A slot shown alone lists every limit with its numbers; in a list, limits that pass are only named. */
const lines = (
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
    ...(inputs === null ? [] : [`  on a mid of ${inputs.mid}, ${inputs.priceAgeMillis} ms old`]),
    ...(inputs === null ? [] : conditionLines(inputs)),
    ...refusing.map(({ guard, verdict, text }) => `  limit ${guard} ${verdict}: ${text}`),
    ...(isAlone
      ? passing.map(({ guard, text }) => `  ${guard}: ok, ${text}`)
      : passing.length === 0
        ? []
        : [`  limits, all ok: ${passing.map(({ guard }) => guard).join(", ")}`]),
    ...wouldChange.map((line) => `  reconsidered ${line.startsWith("mid") ? "when" : "with"} ${line}`),
    ...lately.slice(-shownEvents).map((line) => `  saw ${line}`)
  ]
}

const conditionLines = ({ checks, checkedAt }: NonNullable<Explanation["inputs"]>): ReadonlyArray<string> => [
  ...(checks.length === 0 || checkedAt === null ? [] : [`  on these conditions at ${iso(checkedAt)}`]),
  ...checks.map(({ text, values, holds }) => `    ${text} ${holds ? "holds" : "does not hold"}: ${values}`)
]
