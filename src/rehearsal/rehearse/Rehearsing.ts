/**
 * Before any money is at risk, the user's own files go through days of outages, lost requests and crashes on a sandbox in virtual time. The
 * report has the fills, the worst drawdown, the longest wait for the answer to a payment, and the alarms that a person would have got.
 */

import { Cause, Effect, FileSystem, Option, Schema } from "effect"
import { PlanRefused } from "../../app/plan/PlanRefused.ts"
import type { FindingName } from "../../engine/planning/ahead/PlanFindings.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as Layers from "../../Layers.ts"
import * as Progress from "../../process/Progress.ts"
import type { TroubleLevel } from "../world/Trouble.ts"
import { assetsOf, settingsOf } from "./RehearsalGround.ts"
import * as RehearsalText from "./RehearsalText.ts"
import * as RehearsedBot from "./RehearsedBot.ts"

interface Asked {
  readonly allow: ReadonlyArray<FindingName>
  readonly bad: TroubleLevel
  readonly candles: Option.Option<string>
  readonly config: string
  readonly usual: string
  readonly days: number
  readonly files: ReadonlyArray<string>
  readonly price: Option.Option<number>
  readonly seed: number
}

export const rehearsed = Effect.fn("Rehearsing.rehearsed")(function* ({
  usual,
  allow,
  bad,
  candles,
  config,
  days,
  files,
  price,
  seed
}: Asked) {
  const fileSystem = yield* FileSystem.FileSystem
  const folder = yield* fileSystem.makeTempDirectoryScoped({ prefix: "limitbot-rehearsal-" })
  const settings = yield* settingsOf({ config, usual }, files, folder)
  const strategies = yield* StrategyFiles.load(files, settings.markets, "rehearsal")
  const progress = yield* Progress.make("rehearse")
  const outcome = yield* RehearsedBot.rehearse({
    settings,
    strategies,
    allow,
    assets: assetsOf(settings.markets.assets, strategies, Option.getOrUndefined(price)),
    candles: Option.getOrUndefined(candles),
    candlesSymbol: strategies[0]?.market.base.symbol ?? "",
    seed,
    days,
    level: bad,
    folder,
    progress: (share) => Effect.sync(() => progress.update(share, 1, `${(share * days).toFixed(1)} days`))
  })
  progress.wipe()
  if (outcome.ended !== undefined) yield* refusalIn(outcome.ended)
  const names = strategies.map(({ name }) => name)
  const parameters = { names, bad, days, seed }
  const problems = RehearsalText.problemsOf(outcome)
  return {
    data: () => RehearsalText.json(outcome, parameters),
    lines: () => RehearsalText.lines(outcome, parameters),
    exit: problems.length === 0 ? undefined : new RehearsalFailed({ problems })
  }
}, Effect.scoped)

export class RehearsalFailed extends Schema.TaggedError<RehearsalFailed>()("RehearsalFailed", {
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The rehearsal failed, which should never happen:\n${this.problems.join("\n")}\nPlease report it with the seed.`
  }
}

const refusalIn = (ended: Cause.Cause<unknown>) => {
  const error = Option.getOrUndefined(Cause.findErrorOption(ended))
  return error instanceof Layers.AddressesUnfit || error instanceof PlanRefused ? Effect.fail(error) : Effect.void
}

export const levelNames = ["none", "low", "medium", "high"] as const satisfies ReadonlyArray<TroubleLevel>
