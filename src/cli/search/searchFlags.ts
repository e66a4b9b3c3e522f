/** Flags that the searching commands share, and how they say what they found. */
import { Clock, Effect, FileSystem, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import * as Answer from "../../app/process/Answer.ts"
import * as Objective from "../../backtest/search/Objective.ts"
import * as HtmlPage from "../../report/html/HtmlPage.ts"
import type { Page } from "../../report/Page.ts"
import * as PageText from "../../report/text/PageText.ts"
import * as runFlags from "../backtest/runFlags.ts"
import * as flags from "../flags.ts"

/** A file on its own market and on further ones. */
export const marketFlags = {
  file: flags.fileArgument("file").pipe(Argument.withDescription("The strategy file (YAML)")),
  data: runFlags.dataOfMarkets,
  ...runFlags.partFlags,
  on: flags
    .fileFlag("on")
    .pipe(
      Flag.withDescription("MARKET=CSV: also run the same file on this market, with its own candles"),
      Flag.atLeast(0)
    ),
  ...runFlags.ruleFlags,
  config: runFlags.configFlag
}

export const searchFlags = {
  ...marketFlags,
  set: Flag.String("set").pipe(
    Flag.withDescription("A key of the strategy file and its values: grid.levels=10..50:5 or grid.levels=10,20,30"),
    Flag.atLeast(1)
  ),
  fills: flags.choiceOr(
    "fills",
    ["worse", "optimistic", "pessimistic"],
    "The rules that rank; worse runs every trial by both sides and ranks by the one that does worse",
    "worse"
  ),
  objective: flags.choiceOr("objective", Objective.objectives, "What makes a trial the best", "profitQuote"),
  where: Flag.String("where").pipe(
    Flag.withDescription("A condition that the best must meet: maxDrawdown<=20%, fills>=50"),
    Flag.atLeast(0)
  ),
  random: flags.count("random", "Try only so many, chosen at random"),
  seed: flags.byDefault("Seed of the choice", 1)(Flag.Int("seed")),
  threads: flags.count("threads", "Worker threads; default: one per core"),
  json: flags.json
}

interface Form<Found> {
  readonly page: (found: Found, madeAt: number) => Page
  readonly json: (found: Found) => object
}

interface Input {
  readonly json: boolean
  readonly report: Option.Option<string>
}

/** The body of a searching command: runs, writes the report, and answers with the same page. */
export const searching = <Asked, Found, E, R>(
  run: (asked: Asked) => Effect.Effect<Found, E, R>,
  { page, json }: Form<Found>
) =>
  Effect.fn(
    function* (input: Asked & Input) {
      const found = yield* run(input)
      const made = page(found, yield* Clock.currentTimeMillis)
      if (Option.isSome(input.report)) {
        const fileSystem = yield* FileSystem.FileSystem
        yield* fileSystem.writeFileString(input.report.value, HtmlPage.render(made))
      }
      return { data: () => json(found), lines: () => PageText.lines(made) }
    },
    Answer.print,
    Effect.scoped
  )
