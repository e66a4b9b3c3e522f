/** `limitbot sweep FILE --data CSV --set path=from..to:step …`: many parameter sets on all cores, and how far to trust the best. */
import { createHash } from "node:crypto"
import { availableParallelism } from "node:os"
import { Clock, Console, Effect, Option, Schedule } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Backtest from "../backtest/Backtest.ts"
import * as EquityCurve from "../backtest/EquityCurve.ts"
import * as Sweep from "../backtest/Sweep.ts"
import * as SweepSpace from "../backtest/SweepSpace.ts"
import * as Trial from "../backtest/Trial.ts"
import * as Statistics from "../report/Statistics.ts"
import * as Table from "../report/Table.ts"
import * as BacktestInput from "./BacktestInput.ts"
import * as flags from "./flags.ts"
import * as Progress from "./Progress.ts"
import * as SweepStore from "./SweepStore.ts"

const attempt = <A>(run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) => new BacktestInput.FlagInvalid({ message: cause instanceof Error ? cause.message : String(cause) })
  })

const dayMillis = 86_400_000

/** How likely the best has skill, given how many were tried: Bailey and López de Prado's deflated Sharpe ratio. */
const deflated = (
  search: Trial.Search,
  best: Trial.TrialResult,
  all: ReadonlyArray<Trial.TrialResult>,
  loaded: { readonly candles: Parameters<typeof Trial.run>[2]; readonly indices: Parameters<typeof Trial.run>[3] }
): number => {
  const strategy = Trial.strategyOf(search, best.values)
  if (typeof strategy === "string") return 0
  const side = Backtest.run(strategy, loaded.candles, loaded.indices, search.mode, search.options)
  const conditions = { market: strategy.market, budget: strategy.limits.budget }
  const days = EquityCurve.periodEnds(loaded.candles, dayMillis)
  const equity = EquityCurve.at(side.outcome, loaded.candles, conditions, days).map((point) => point.equity)
  const tried = all.filter(({ refused }) => refused === undefined)
  return Statistics.deflatedSharpe(
    Statistics.returnsOf(equity),
    tried.map(({ dailySharpe }) => dailySharpe)
  )
}

const sweepFlags = {
  file: Argument.String("file").pipe(Argument.withDescription("The strategy file (YAML)")),
  ...BacktestInput.dataFlags,
  ...BacktestInput.ruleFlags,
  config: BacktestInput.configFlag,
  set: Flag.String("set").pipe(
    Flag.withDescription("A key of the strategy file and its values: grid.levels=10..50:5 or grid.levels=10,20,30"),
    Flag.atLeast(1)
  ),
  fills: Flag.Literals("fills", ["optimistic", "pessimistic"]).pipe(
    Flag.withDescription("The rules to search with; the best are run with both"),
    Flag.withDefault("optimistic")
  ),
  objective: Flag.Literals("objective", Sweep.objectives).pipe(
    Flag.withDescription("What makes a trial the best"),
    Flag.withDefault("pnlQuote")
  ),
  where: Flag.String("where").pipe(
    Flag.withDescription("A condition that the best must meet: maxDrawdown<=0.2, fills>=50"),
    Flag.atLeast(0)
  ),
  random: Flag.Int("random").pipe(Flag.withDescription("Try only so many, chosen at random"), Flag.optional),
  seed: Flag.Int("seed").pipe(Flag.withDescription("Seed of the choice"), Flag.withDefault(1)),
  threads: Flag.Int("threads").pipe(Flag.withDescription("Worker threads; left out: one per core"), Flag.optional),
  top: Flag.Int("top").pipe(Flag.withDescription("How many of the best to show"), Flag.withDefault(10)),
  out: Flag.String("out").pipe(
    Flag.withDescription("Keep all results in this file; an interrupted search goes on from it"),
    Flag.optional
  ),
  json: flags.json
}

/** Runs what is not yet known, stores as it goes, and returns everything. */
const search = Effect.fn("sweep.search")(function* (
  plan: Sweep.Plan,
  known: ReadonlyArray<Trial.TrialResult>,
  out: Option.Option<string>
) {
  const progress = yield* Progress.make("sweep")
  const total = plan.trials.length + known.length
  const results = [...known]
  let unwritten: Array<Trial.TrialResult> = []
  const flush = Effect.suspend(() => {
    const batch = unwritten
    unwritten = []
    return Option.isSome(out) ? SweepStore.append(out.value, batch) : Effect.void
  })
  const run = Sweep.run(plan, (result) => {
    results.push(result)
    unwritten.push(result)
    progress.update(results.length, total, `${results.length} of ${total}`)
  })
  yield* run.pipe(
    Effect.raceFirst(Effect.repeat(flush, Schedule.spaced("1 second")).pipe(Effect.andThen(Effect.never))),
    Effect.ensuring(Effect.ignore(flush))
  )
  return results.toSorted((a, b) => a.trial - b.trial)
}, Effect.scoped)

export const command = Command.make(
  "sweep",
  sweepFlags,
  Effect.fn(function* (input) {
    const started = yield* Clock.currentTimeNanos
    const source = yield* BacktestInput.loadStrategy(input.file, input.config)
    const options = yield* BacktestInput.options(input, source.strategy.market)
    const space = yield* attempt(() => input.set.map(SweepSpace.dimension))
    const accept = yield* Effect.forEach(input.where, (text) => {
      const condition = Sweep.parseConstraint(text)
      return condition === undefined
        ? new BacktestInput.FlagInvalid({
            message: `--where ${text}: no condition; write for example maxDrawdown<=0.2`
          })
        : Effect.succeed(condition)
    })
    const count = Option.getOrElse(input.random, () => SweepSpace.size(space))
    if (count > 10_000_000)
      return yield* new BacktestInput.FlagInvalid({
        message: `${count} trials are too many; take larger steps or --random`
      })
    yield* attempt(() => SweepSpace.apply(source.text, space, SweepSpace.combination(space, 0)))
    const rules = { open: true, volume: true, indexed: true }
    const loaded = yield* BacktestInput.loadCandles(input, rules)
    yield* BacktestInput.checkTimeframes(source.strategy, loaded.candles)
    const { text, file, markets } = source
    const trialSearch: Trial.Search = { text, file, markets, space, mode: input.fills, options }
    const trials = SweepSpace.sample(space, count, input.seed)
    const fingerprint = createHash("sha256")
      .update(
        JSON.stringify(
          [text, space, input.fills, loaded.sha256, input.from, input.to, input.repair, options],
          (_, value) => (typeof value === "bigint" ? `${value}` : value)
        )
      )
      .digest("hex")
    const known = Option.isSome(input.out) ? yield* SweepStore.open(input.out.value, fingerprint) : []
    const done = new Set(known.map(({ trial }) => trial))
    const threads = Math.max(1, Option.getOrElse(input.threads, availableParallelism))
    const open = trials.filter((trial) => !done.has(trial))
    const { candles, indices } = loaded
    const all = yield* search({ search: trialSearch, candles, indices, trials: open, threads }, known, input.out)
    const best = Sweep.ranked(all, input.objective, accept)
    const wallMillis = Number((yield* Clock.currentTimeNanos) - started) / 1e6
    const shown = best.slice(0, input.top)
    const skill = shown[0] === undefined ? 0 : deflated(trialSearch, shown[0], all, loaded)
    const pessimistic = shown.map(({ trial }) =>
      Trial.run({ ...trialSearch, mode: "pessimistic" }, trial, candles, indices)
    )
    const refused = all.filter(({ refused }) => refused !== undefined)
    const named = (result: Trial.TrialResult) =>
      Object.fromEntries(space.map(({ path }, index) => [path, result.values[index]]))
    if (input.json)
      return yield* Console.log(
        JSON.stringify({
          trials: all.length,
          resumed: known.length,
          refused: refused.length,
          bars: candles.bars,
          threads,
          wallMillis,
          objective: input.objective,
          deflatedSharpe: skill,
          best: shown.map((result, index) => ({ ...result, set: named(result), pessimistic: pessimistic[index] }))
        })
      )
    const columns = ["#", ...space.map(({ path }) => path), "PNL", "PESSIMISTIC", "DRAWDOWN", "FILLS", "DAILY SHARPE"]
    yield* Console.log(
      [
        `${all.length} trials over ${candles.bars} bars in ${(wallMillis / 1000).toFixed(1)} s on ${threads} threads${known.length > 0 ? `, ${known.length} of them from ${Option.getOrElse(input.out, () => "")}` : ""}`,
        ...(refused[0] === undefined ? [] : [`${refused.length} refused, for example: ${refused[0].refused}`]),
        "",
        ...Table.render(
          columns.map((title) => ({ title, align: "right" as const })),
          shown.map((result, index) => [
            `${index + 1}`,
            ...result.values,
            Number(result.pnlQuote).toFixed(2),
            Number(pessimistic[index]?.pnlQuote ?? 0).toFixed(2),
            `${(result.maxDrawdown * 100).toFixed(2)} %`,
            `${result.fills}`,
            result.dailySharpe.toFixed(4)
          ])
        ),
        "",
        warning(skill, all.length)
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription("Try many parameter sets on all cores"),
  Command.withExamples([
    {
      command: "limitbot sweep strategies/grid.yaml --data btc-1m.csv.gz --set grid.levels=10..50:5",
      description: "Grids of 10 to 50 levels"
    }
  ])
)

/** Whoever tries often enough finds something that looked good by luck. */
const warning = (skill: number, trials: number): string =>
  `Deflated Sharpe: ${(skill * 100).toFixed(1)} % that the best is not just the luckiest of ${trials} trials.${
    skill < 0.95
      ? " That is too little to rely on: prefer fewer, coarser choices, and test on other data (walk-forward)."
      : ""
  }`
