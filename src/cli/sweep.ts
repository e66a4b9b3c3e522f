/** `limitbot sweep FILE --data CSV --set path=from..to:step …`: many parameter sets on all cores, and how far to trust the best. */
import { Clock, Console, Effect, Option, Schedule } from "effect"
import { Command, Flag } from "effect/cli"
import * as Backtest from "../backtest/Backtest.ts"
import type { Candles } from "../backtest/Candles.ts"
import * as EquityCurve from "../backtest/EquityCurve.ts"
import type * as Kernel from "../backtest/Kernel.ts"
import * as Sweep from "../backtest/Sweep.ts"
import type { Dimension } from "../backtest/SweepSpace.ts"
import * as Trial from "../backtest/Trial.ts"
import * as Statistics from "../report/Statistics.ts"
import * as Table from "../report/Table.ts"
import * as Progress from "./Progress.ts"
import * as SearchInput from "./SearchInput.ts"
import * as SweepStore from "./SweepStore.ts"

const dayMillis = 86_400_000

interface Data {
  readonly candles: Candles
  readonly indices: Kernel.Indices
}

/** How likely the best has skill, given how many were tried: Bailey and López de Prado's deflated Sharpe ratio. */
const deflated = (
  search: Trial.Search,
  best: Trial.TrialResult,
  all: ReadonlyArray<Trial.TrialResult>,
  { candles, indices }: Data
): number => {
  const strategy = Trial.strategyOf(search, best.values)
  if (typeof strategy === "string") return 0
  const side = Backtest.run(strategy, candles, indices, search.mode, search.options)
  const conditions = { market: strategy.market, budget: strategy.limits.budget }
  const days = EquityCurve.periodEnds(candles, dayMillis)
  const equity = EquityCurve.at(side.outcome, candles, conditions, days).map((point) => point.equity)
  const tried = all.filter(({ refused }) => refused === undefined)
  return Statistics.deflatedSharpe(
    Statistics.returnsOf(equity),
    tried.map(({ dailySharpe }) => dailySharpe)
  )
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
  yield* Effect.forkScoped(Effect.repeat(flush, Schedule.spaced("1 second")))
  yield* Sweep.run(plan, (result) => {
    results.push(result)
    unwritten.push(result)
    progress.update(results.length, total, `${results.length} of ${total}`)
  }).pipe(Effect.ensuring(Effect.ignore(flush)))
  return results.toSorted((a, b) => a.trial - b.trial)
}, Effect.scoped)

interface Found {
  readonly space: ReadonlyArray<Dimension>
  readonly all: ReadonlyArray<Trial.TrialResult>
  readonly best: ReadonlyArray<Trial.TrialResult>
  /** The best ones again, by the pessimistic rules. */
  readonly pessimistic: ReadonlyArray<Trial.TrialResult>
  readonly resumed: number
  readonly bars: number
  readonly threads: number
  readonly wallMillis: number
  readonly objective: Sweep.Objective
  readonly deflatedSharpe: number
}

const json = (found: Found) => ({
  trials: found.all.length,
  resumed: found.resumed,
  refused: found.all.filter(({ refused }) => refused !== undefined).length,
  bars: found.bars,
  threads: found.threads,
  wallMillis: found.wallMillis,
  objective: found.objective,
  deflatedSharpe: found.deflatedSharpe,
  best: found.best.map((result, index) => ({
    ...result,
    set: SearchInput.named(found.space, result.values),
    pessimistic: found.pessimistic[index]
  }))
})

/** Whoever tries often enough finds something that looked good by luck. */
const warning = ({ deflatedSharpe, all }: Found): string =>
  `Deflated Sharpe: ${(deflatedSharpe * 100).toFixed(1)} % that the best is not just the luckiest of ${all.length} trials.${
    deflatedSharpe < 0.95
      ? " That is too little to rely on: prefer fewer, coarser choices, and test on other data (walk-forward)."
      : ""
  }`

const lines = (found: Found): ReadonlyArray<string> => {
  const { space, all, best, pessimistic, bars, wallMillis, threads, resumed } = found
  const refused = all.filter(({ refused }) => refused !== undefined)
  const titles = ["#", ...space.map(({ path }) => path), "PNL", "PESSIMISTIC", "DRAWDOWN", "FILLS", "DAILY SHARPE"]
  const rows = best.map((result, index) => [
    `${index + 1}`,
    ...result.values,
    Number(result.pnlQuote).toFixed(2),
    Number(pessimistic[index]?.pnlQuote ?? 0).toFixed(2),
    `${(result.maxDrawdown * 100).toFixed(2)} %`,
    `${result.fills}`,
    result.dailySharpe.toFixed(4)
  ])
  return [
    `${all.length} trials over ${bars} bars in ${(wallMillis / 1000).toFixed(1)} s on ${threads} threads`,
    ...(resumed === 0 ? [] : [`${resumed} of them were known from before`]),
    ...(refused[0] === undefined ? [] : [`${refused.length} refused, for example: ${refused[0].refused}`]),
    "",
    ...(best.length === 0
      ? ["No trial meets the conditions."]
      : Table.render(
          titles.map((title) => ({ title, align: "right" as const })),
          rows
        )),
    "",
    warning(found)
  ]
}

export const command = Command.make(
  "sweep",
  {
    ...SearchInput.searchFlags,
    top: Flag.Int("top").pipe(Flag.withDescription("How many of the best to show"), Flag.withDefault(10)),
    out: Flag.String("out").pipe(
      Flag.withDescription("Keep all results in this file; an interrupted search goes on from it"),
      Flag.optional
    )
  },
  Effect.fn(function* (input) {
    const started = yield* Clock.currentTimeNanos
    const loaded = yield* SearchInput.load(input)
    const known = Option.isSome(input.out) ? yield* SweepStore.open(input.out.value, loaded.fingerprint) : []
    const done = new Set(known.map(({ trial }) => trial))
    const trials = loaded.trials.filter((trial) => !done.has(trial))
    const all = yield* search({ ...loaded, trials }, known, input.out)
    const wallNanos = (yield* Clock.currentTimeNanos) - started
    const best = Sweep.ranked(all, input.objective, loaded.accept).slice(0, input.top)
    const pessimistically: Trial.Search = { ...loaded.search, mode: "pessimistic" }
    const found: Found = {
      space: loaded.space,
      all,
      best,
      pessimistic: best.map(({ trial }) => Trial.run(pessimistically, trial, loaded.candles, loaded.indices)),
      resumed: known.length,
      bars: loaded.candles.bars,
      threads: loaded.threads,
      wallMillis: Number(wallNanos) / 1e6,
      objective: input.objective,
      deflatedSharpe: best[0] === undefined ? 0 : deflated(loaded.search, best[0], all, loaded)
    }
    yield* Console.log(input.json ? JSON.stringify(json(found)) : lines(found).join("\n"))
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
