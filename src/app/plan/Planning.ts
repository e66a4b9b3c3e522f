/** Shows what strategy files would do now, its cost and its risks. It changes nothing. */
import { Effect, Option } from "effect"
import { bySymbol } from "../../domain/Amount.ts"
import type { FindingName } from "../../engine/planning/ahead/PlanFindings.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as Layers from "../../Layers.ts"
import type { CommandAnswer } from "../../process/Answer.ts"
import { Terminal } from "../../process/Terminal.ts"
import { planView, refusedIn } from "../../views/Plan.ts"
import * as PlanDraft from "./PlanDraft.ts"
import { PlanRefused } from "./PlanRefused.ts"
import * as PlanText from "./PlanText.ts"

interface Asked {
  readonly files: ReadonlyArray<string>
  readonly config: string
  readonly journal: Option.Option<string>
  readonly allow: ReadonlyArray<FindingName>
  readonly json: boolean
}

export const planned = Effect.fn("Planning.planned")(function* ({ allow, config: file, files, journal, json }: Asked) {
  const configured = yield* ConfigFile.load(file)
  const config = { ...configured, journal: Option.getOrElse(journal, () => configured.journal) }
  const strategies = yield* StrategyFiles.load(files, config.markets)
  const account = yield* Layers.accountOf(config)
  const plan = yield* Effect.provide(PlanDraft.draft(config, account, strategies), Layers.looking(config, account))
  const refused = refusedIn(plan, allow)
  const assets = bySymbol(config.markets.assets)
  const { colours, columns, isInteractive } = yield* Terminal
  // In a pipe nothing is cut.
  const style = { colours, columns: isInteractive ? columns() : Number.POSITIVE_INFINITY }
  return {
    data: () => planView(plan, assets, refused),
    lines: () => PlanText.lines(plan, assets, refused, style),
    exit: refused.length === 0 ? undefined : new PlanRefused({ names: refused, findings: [], isPrinted: json })
  } satisfies CommandAnswer
})
