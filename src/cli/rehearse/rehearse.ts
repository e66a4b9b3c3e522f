/**
 * `limitbot rehearse FILE…`: before any money is at risk, the user's own files go through days of outages, lost
 * requests and crashes on a sandbox in virtual time. The report says what happened: fills, the worst drawdown, the
 * longest wait for the answer to a payment, and what would have woken somebody up.
 */
import { Cause, Effect, FileSystem, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { allowFlag, PlanRefused } from "../../app/plan/PlanRefused.ts"
import * as Answer from "../../app/process/Answer.ts"
import * as Progress from "../../app/process/Progress.ts"
import { assetsOf, settingsOf } from "../../app/rehearse/RehearsalGround.ts"
import * as RehearsalText from "../../app/rehearse/RehearsalText.ts"
import * as RehearsedBot from "../../app/rehearse/RehearsedBot.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import * as Layers from "../../Layers.ts"
import type { TroubleLevel } from "../../rehearsal/Trouble.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import * as sandboxFlags from "../run/sandboxFlags.ts"

/** The rehearsal showed a defect of the program: do not trust it with money. */
export class RehearsalFailed extends Schema.TaggedError<RehearsalFailed>()("RehearsalFailed", {
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The rehearsal failed, which should never be:\n${this.problems.join("\n")}\nPlease report it with the seed.`
  }
}

/** What `run` would refuse is refused in the same words, and is no defect. */
const refusalIn = (ended: Cause.Cause<unknown>) => {
  const error = Option.getOrUndefined(Cause.findErrorOption(ended))
  return error instanceof Layers.AddressesUnfit || error instanceof PlanRefused ? Effect.fail(error) : Effect.void
}

const levelNames = ["none", "low", "medium", "high"] as const satisfies ReadonlyArray<TroubleLevel>

const Days = Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 365 }))

export const command = Command.make(
  "rehearse",
  {
    files: flags.files("Strategy files (YAML)"),
    config: flags.config,
    candles: sandboxFlags.candles,
    price: flags.figure(
      "price",
      "Price of the first market at which generated prices begin; default: the sandbox's own"
    ),
    days: Flag.Finite("days").pipe(Flag.withSchema(Days), flags.byDefault("Virtual days; one takes about a minute", 1)),
    bad: flags.choiceOr(
      "bad",
      levelNames,
      "How bad the network, the service and the machine are: none, low, medium or high",
      "medium"
    ),
    seed: sandboxFlags.seed,
    allow: allowFlag,
    json: flags.json
  },
  Effect.fn(
    function* ({ allow, bad, candles, config, days, files, price, seed }) {
      const fileSystem = yield* FileSystem.FileSystem
      const folder = yield* fileSystem.makeTempDirectoryScoped({ prefix: "limitbot-rehearsal-" })
      const settings = yield* settingsOf({ config, usual: flags.defaultConfig }, files, folder)
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
      const asked = { names, bad, days, seed }
      const problems = RehearsalText.problemsOf(outcome)
      return {
        data: () => RehearsalText.json(outcome, asked),
        lines: () => RehearsalText.lines(outcome, asked),
        exit: problems.length === 0 ? undefined : new RehearsalFailed({ problems })
      }
    },
    Answer.print,
    Effect.scoped
  )
).pipe(
  help("Put strategy files through days of outages and crashes on a sandbox, before any money", {
    "limitbot rehearse strategies/grid.yaml --days 3": "Three days of a bad week",
    "limitbot rehearse grid.yaml --candles prices.csv --bad high": "On real prices, at its worst"
  })
)
