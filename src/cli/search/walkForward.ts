/** `limitbot walk-forward FILE --data CSV --set …`: what searching the past would have gained in the future. */
import { Clock, Console, Effect, FileSystem, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Progress from "../../app/process/Progress.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as SweepSpace from "../../backtest/search/SweepSpace.ts"
import * as WalkForward from "../../backtest/search/WalkForward.ts"
import * as WarmUp from "../../backtest/WarmUp.ts"
import * as Candles from "../../candles/Candles.ts"
import { percent, utcDate } from "../../domain/Text.ts"
import * as Table from "../../report/text/Table.ts"
import * as flags from "../flags.ts"
import * as WalkAcross from "./across/WalkAcross.ts"
import * as SearchInput from "./SearchInput.ts"
import * as WalkForwardReport from "./WalkForwardReport.ts"

const checkLength = (stretches: ReadonlyArray<WalkForward.Stretch>, name: string, bars: number) =>
  stretches.some(({ from, to, end }) => to - from < 2 || end - to < 2)
    ? Effect.fail(new WrongUsage({ message: `${name}: ${bars} bars are too few for so many windows` }))
    : Effect.void

export const command = Command.make(
  "walk-forward",
  {
    ...SearchInput.searchFlags,
    windows: Flag.Int("windows").pipe(
      Flag.withDescription("How many stretches to try the best on (default: 6)"),
      Flag.withDefault(6)
    ),
    train: Flag.Finite("train").pipe(
      Flag.withDescription("How many times a stretch's length to search on before it (default: 3)"),
      Flag.withDefault(3)
    ),
    anchored: flags.toggle("anchored", "Search on everything before, instead of a window that moves along"),
    report: flags.report
  },
  Effect.fn(function* (input) {
    if (input.windows < 1 || input.windows > 1000 || input.train <= 0)
      return yield* new WrongUsage({ message: "--windows: 1 to 1000; --train: more than 0" })
    const loaded = yield* SearchInput.load(input)
    const { candles, trials, space } = loaded
    const kind = input.anchored ? "anchored" : "rolling"
    const stretches = WalkForward.stretches(candles.bars, input.windows, input.train, kind)
    yield* checkLength(stretches, loaded.name, candles.bars)
    const progress = yield* Progress.make("walk-forward")
    const plan = { ...loaded, objective: input.objective, stretches }
    const perMarket = trials.length * stretches.length
    const total = perMarket * (1 + loaded.further.length)
    const noted = (market: number) => (done: number) =>
      progress.update(market * perMarket + done, total, `${market * perMarket + done} of ${total}`)
    const steps = yield* WalkForward.run(plan, noted(0))
    const further = yield* Effect.forEach(loaded.further, (on, index) =>
      Effect.gen(function* () {
        const stretches = WalkForward.stretches(on.candles.bars, input.windows, input.train, kind)
        yield* checkLength(stretches, on.name, on.candles.bars)
        const ran = yield* WalkForward.run({ ...plan, ...on, stretches }, noted(index + 1))
        return { name: on.name, data: on.data, steps: ran }
      })
    )
    const across = further.length === 0 ? undefined : WalkAcross.of([{ ...loaded, steps }, ...further])
    const [first] = stretches
    const cold =
      first === undefined
        ? []
        : WarmUp.sentences(
            loaded.strategy,
            [candles, ...loaded.others.map((other) => other.candles)].map((each) =>
              Candles.slice(each, first.from, first.end)
            )
          )
    const efficiency = WalkForward.efficiency(steps)
    const outOfSample = (figure: "profitQuote" | "pnlQuote"): number =>
      steps.reduce((sum, { test }) => sum + Number(test?.[figure] ?? 0), 0)
    const titles = ["FROM", "TO", ...space.map(({ path }) => path), "PNL BEFORE", "PNL THEN", "DRAWDOWN THEN"]
    const rows = steps.map(({ testFrom, testTo, train, test }) => [
      utcDate(testFrom),
      utcDate(testTo),
      ...space.map((_, index) => train?.values[index] ?? "none"),
      Number(train?.profitQuote ?? 0).toFixed(2),
      Number(test?.profitQuote ?? 0).toFixed(2),
      percent(test?.maxDrawdown ?? 0)
    ])
    if (Option.isSome(input.report)) {
      const fileSystem = yield* FileSystem.FileSystem
      const { strategy, further, fees } = loaded
      const about = {
        strategy,
        ranOn: [loaded, ...further],
        ...(across === undefined ? {} : { markets: WalkAcross.table(across) }),
        objective: input.objective,
        kind,
        fees: fees.sentence,
        warnings: cold,
        table: { titles: titles.map((title) => title.toLowerCase()), rows },
        total: outOfSample("profitQuote"),
        madeAt: yield* Clock.currentTimeMillis
      } as const
      yield* fileSystem.writeFileString(input.report.value, WalkForwardReport.html(steps, about))
    }
    if (input.json)
      return yield* Console.log(
        JSON.stringify({
          kind,
          fees: loaded.fees,
          objective: input.objective,
          profitQuote: outOfSample("profitQuote"),
          pnlQuote: outOfSample("pnlQuote"),
          efficiency,
          warnings: cold,
          steps: steps.map(({ curve: _, ...step }) => ({
            ...step,
            set: SweepSpace.named(space, step.train?.values ?? [])
          })),
          ...(across === undefined ? {} : across)
        })
      )
    yield* Console.log(
      [
        loaded.fees.sentence,
        ...Table.render(
          titles.map((title) => ({ title, align: "right" as const })),
          rows
        ),
        "",
        ...cold,
        `Together ${outOfSample("profitQuote").toFixed(2)} out of sample.`,
        efficiency === undefined
          ? "The search found no gain in the past."
          : `Out of sample against in sample, per bar: ${percent(efficiency, 0)}.`,
        ...(across === undefined ? [] : WalkAcross.lines(across))
      ].join("\n")
    )
  }, Effect.scoped)
).pipe(Command.withDescription("Search the past, try the best on what came after, again and again"))
