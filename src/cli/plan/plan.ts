/**
 * `limitbot plan FILE…`: what a run of these files would do now, at what cost, and what is unsafe about it. It
 * changes nothing.
 */

import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import * as PlanDraft from "../../app/plan/PlanDraft.ts"
import { PlanRefused } from "../../app/plan/PlanRefused.ts"
import * as PlanText from "../../app/plan/PlanText.ts"
import * as Answer from "../../app/process/Answer.ts"
import { Terminal } from "../../app/process/Terminal.ts"
import { bySymbol } from "../../domain/Amount.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as Layers from "../../Layers.ts"
import { planView, refusedIn } from "../../views/Plan.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { allow } from "./allow.ts"

export const command = Command.make(
  "plan",
  {
    files: flags.files("All strategy files that would run together (YAML)"),
    config: flags.config,
    journal: flags.file("journal", "Plan on this journal, such as that of a dry run; default: the configuration's"),
    allow,
    json: flags.json
  },
  Effect.fn(function* ({ files, config: configFile, journal, allow, json }) {
    const configured = yield* ConfigFile.load(configFile)
    const config = { ...configured, journal: Option.getOrElse(journal, () => configured.journal) }
    const strategies = yield* StrategyFiles.load(files, config.markets)
    const account = yield* Layers.accountOf(config)
    const plan = yield* Effect.provide(PlanDraft.draft(config, account, strategies), Layers.looking(config, account))
    const refused = refusedIn(plan, allow)
    const assets = bySymbol(config.markets.assets)
    const style = yield* styleHere
    return {
      data: () => planView(plan, assets, refused),
      lines: () => PlanText.lines(plan, assets, refused, style),
      exit: refused.length === 0 ? undefined : new PlanRefused({ names: refused, findings: [], isPrinted: json })
    }
  }, Answer.print)
).pipe(
  help("Show what a run would keep, cancel, create and defer now, with costs and dangers", {
    "limitbot plan strategies/*.yaml --config config/limitbot.yaml": "Plan all strategies together",
    "limitbot plan strategies/grid.yaml --allow fee-floor": "Accept one finding by its name"
  })
)

/** In a pipe nothing is cut. */
const styleHere = Effect.gen(function* () {
  const { isInteractive, colours, columns } = yield* Terminal
  return { colours, columns: isInteractive ? columns() : Number.POSITIVE_INFINITY }
})
