/** Runs all trials on all cores, ranks the finalists by simulated runs, and measures the trust in the best. */
import { Clock, Effect, Result, Schedule } from "effect"
import { present } from "../../domain/Present.ts"
import * as Progress from "../../process/Progress.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Backtest from "../backtest/Backtest.ts"
import * as Overfitting from "../backtest/Overfitting.ts"
import * as BandSide from "../backtest/results/BandSide.ts"
import * as Statistics from "../backtest/results/Statistics.ts"
import * as Finalists from "../backtest/search/Finalists.ts"
import * as Halving from "../backtest/search/Halving.ts"
import * as Objective from "../backtest/search/Objective.ts"
import * as Sensitivity from "../backtest/search/Sensitivity.ts"
import * as Sweep from "../backtest/search/Sweep.ts"
import * as SweepStore from "../backtest/search/SweepStore.ts"
import * as Trial from "../backtest/search/Trial.ts"
import type { TrialResult } from "../backtest/search/TrialResult.ts"
import * as WarmUp from "../backtest/WarmUp.ts"
import * as RunCandles from "../runs/RunCandles.ts"
import * as RunSetUp from "../runs/RunSetUp.ts"
import * as BestWritten from "./BestWritten.ts"
import * as OnMarkets from "./OnMarkets.ts"
import * as SearchSetUp from "./SearchSetUp.ts"
import * as Suggest from "./Suggest.ts"

interface SweepAsked extends SearchSetUp.SearchAsked {
  readonly halve: number | undefined
  readonly top: number
  readonly out: string | undefined
  readonly also: ReadonlyArray<string>
  readonly pareto: string | undefined
  readonly sensitivity: boolean
  readonly suggest: string | undefined
  readonly write: boolean
}

export type SweepFound = Effect.Success<ReturnType<typeof run>>

/**
 * Returns the probability that the best trial has skill, given the number of trials: the deflated Sharpe ratio of Bailey and López de
 * Prado. Trials that halving dropped early have ratios over shorter data, which do not compare; then only their number counts.
 */
const deflated = (
  { search, inputs }: SearchSetUp.SearchedRun,
  best: TrialResult,
  all: ReadonlyArray<TrialResult>,
  isHalved: boolean
): number => {
  const parsing = Trial.strategyOf(search, best.values)
  if (Result.isFailure(parsing)) return 0
  const side = Backtest.runAll(parsing.success, inputs, best.side ?? "pessimistic")
  const returns = Statistics.returnsOf(BandSide.dailyMade(side))
  const sharpes = all.filter(({ refused }) => refused === undefined).map(({ dailySharpe }) => dailySharpe)
  return isHalved ? Statistics.deflatedAfter(returns, sharpes.length) : Statistics.deflatedSharpe(returns, sharpes)
}

/** Enough for a probability. Of more trials, every n-th is used. */
const mostCompared = 200

/** Returns the probability that the best trial is no better than the median on other days (`Overfitting`). */
const overfitting = Effect.fnUntraced(function* (plan: Sweep.SweepPlan, all: ReadonlyArray<TrialResult>) {
  const ran = all.filter(({ refused }) => refused === undefined).map(({ trial }) => trial)
  const step = Math.max(1, ran.length / mostCompared)
  const trials = ran.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
  const mode = plan.search.mode === "optimistic" ? "optimistic" : "pessimistic"
  const resultByTrial = yield* resultsOf({ ...plan, trials, search: { ...plan.search, mode, keepsDaily: true } })
  return Overfitting.probability(trials.map((trial) => Statistics.returnsOf(resultByTrial.get(trial)?.daily ?? [])))
})

const stored = Effect.fn("SweepRun.stored")(function* <A, E, R>(
  total: number,
  known: ReadonlyArray<TrialResult>,
  out: string | undefined,
  search: (onResult: (result: TrialResult) => void) => Effect.Effect<A, E, R>
) {
  const progress = yield* Progress.make("sweep")
  let done = known.length
  let unwritten: Array<TrialResult> = []
  const flush = Effect.suspend(() => {
    const batch = unwritten
    unwritten = []
    return out !== undefined ? SweepStore.append(out, batch) : Effect.void
  })
  yield* Effect.forkScoped(Effect.repeat(flush, Schedule.spaced("1 second")))
  return yield* search((result) => {
    done++
    unwritten.push(result)
    progress.update(done, total, `${done} of ${total}`)
  }).pipe(Effect.ensuring(Effect.ignore(flush)))
}, Effect.scoped)

const resultsOf = Effect.fnUntraced(function* (plan: Sweep.SweepPlan) {
  const trialResults = new Map<number, TrialResult>()
  yield* Sweep.run(plan, (result) => trialResults.set(result.trial, result))
  return trialResults
})

const bothSides = Effect.fn("SweepRun.bothSides")(function* (plan: Sweep.SweepPlan, best: ReadonlyArray<TrialResult>) {
  const { mode } = plan.search
  if (mode === "worse") return best
  const other = mode === "optimistic" ? "pessimistic" : "optimistic"
  const search: Trial.Search = { ...plan.search, mode: other }
  const otherResults = yield* resultsOf({ ...plan, search, trials: best.map(({ trial }) => trial) })
  return best.map((result): TrialResult => ({ ...result, ...present({ other: otherResults.get(result.trial) }) }))
})

const latest = (steps: ReadonlyArray<ReadonlyArray<TrialResult>>): ReadonlyArray<TrialResult> =>
  [...new Map(steps.flat().map((result) => [result.trial, result])).values()].toSorted((a, b) => a.trial - b.trial)

const usualSuggestions = 100

const onFile = Effect.fnUntraced(function* (asked: SweepAsked, run: SearchSetUp.SearchedRun, data: string) {
  if (run.inputs.length > 1)
    return yield* wrongUsage(`--also ${data}: a further file is for a strategy of one market, not of ${run.name}`)
  const whole = { ...asked, from: undefined, to: undefined }
  const columns = { open: true, volume: true, indexed: true }
  return yield* RunSetUp.onCandles(run, yield* RunCandles.load([data], whole, columns, run.strategy, "also"))
})

/** The indicators of the best trial may need other candles than those of the file. */
const warmUpOf = ({ inputs, search, warnings }: SearchSetUp.SearchedRun, best: TrialResult | undefined) => {
  const parsing = best && Trial.strategyOf(search, best.values)
  if (parsing === undefined || Result.isFailure(parsing)) return []
  const series = inputs.map(({ candles }) => candles)
  const sentences = WarmUp.sentences(parsing.success, series).filter((text) => !warnings.includes(text))
  return sentences.map((text) => `#1: ${text}`)
}

const objectivesOf = (pareto: string | undefined) => {
  if (pareto === undefined) return Effect.succeed([])
  const chosenObjectives = Objective.several(pareto)
  const message = `--pareto: two or more of ${Objective.objectives.join(", ")}, with commas`
  return chosenObjectives === undefined ? wrongUsage(message) : Effect.succeed(chosenObjectives)
}

export const run = Effect.fn("SweepRun.run")(function* (asked: SweepAsked) {
  const started = yield* Clock.currentTimeNanos
  const keepOneOf = asked.halve ?? Number.POSITIVE_INFINITY
  const paretoOf = yield* objectivesOf(asked.pareto)
  const loaded = yield* SearchSetUp.load(
    asked.suggest !== undefined ? { ...asked, random: asked.random ?? usualSuggestions } : asked
  )
  const { conditions, objective, rank, runs, space, team, threads, trials } = loaded
  const [own] = runs
  const { bars } = own.inputs[0].candles
  const rungs = Halving.rungs(trials.length, bars, keepOneOf)
  const identity = { ...loaded.identity, "--halve": rungs.map(({ bars }) => bars).join(" ") }
  const earlierResults = asked.out !== undefined ? yield* SweepStore.open(asked.out, identity) : []
  const total = rungs.reduce((sum, { trials }) => sum + trials, 0)
  const plan = { ...loaded, search: own.search, inputs: own.inputs }
  const steps = yield* stored(total, earlierResults, asked.out, (onResult) => {
    if (asked.suggest === undefined) return Halving.run({ ...plan, rungs }, earlierResults, onResult)
    const suggested = { ...plan, command: asked.suggest, count: trials.length, seed: asked.seed }
    return Effect.map(Suggest.run(suggested, earlierResults, onResult), (results) => [results])
  })
  const wallNanos = (yield* Clock.currentTimeNanos) - started
  const all = latest(steps)
  const last = steps.at(-1) ?? []
  const good = Objective.ranked(last, objective, conditions)
  const resultsOn = ({ inputs, search }: SearchSetUp.SearchedRun) =>
    resultsOf({ team, search, inputs, trials: good.map(({ trial }) => trial) })
  const files = yield* Effect.forEach(asked.also, (data) =>
    Effect.map(onFile(asked, own, data), (on) => ({ data, on }))
  )
  const also = yield* Effect.forEach(files, ({ data, on }) => Effect.map(resultsOn(on), (result) => ({ data, result })))
  const here = new Map(good.map((result) => [result.trial, result]))
  const markets = yield* OnMarkets.each(runs, (on) => (on === own ? Effect.succeed(here) : resultsOn(on)))
  const elsewhere = [...also, ...markets.slice(1)]
  const others: Objective.Elsewhere = new Map(
    good.map(({ trial }) => [trial, elsewhere.flatMap(({ result }) => result.get(trial) ?? [])])
  )
  const ranked = Objective.rankedAcross(good, others, objective, conditions)
  const further = [...files.map(({ on }) => on), ...runs.slice(1)].map((on) => ({ ...plan, ...on }))
  const finalists = yield* Finalists.of([plan, ...further], ranked, rank)
  const best = yield* bothSides(plan, finalists.slice(0, asked.top))
  const [winner] = best
  const written = asked.write ? yield* BestWritten.write(own.strategy, asked.config, space, winner?.values) : undefined
  return {
    runs,
    space,
    /** Each trial once, with its result on the longest data that it ran on. */
    all,
    /** Results of all trials on equal data: all of it, or the first step of a halving search. */
    compared: steps[0] ?? [],
    rungs,
    best,
    resumed: earlierResults.length,
    bars,
    threads,
    wallMillis: Number(wallNanos) / 1e6,
    objective,
    rank,
    deflatedSharpe: winner === undefined ? 0 : deflated(own, winner, all, rungs.length > 1),
    markets,
    warnings: [
      ...OnMarkets.warningsOf(runs),
      ...files.flatMap(({ data, on }) => on.warnings.map((text) => `--also ${data}: ${text}`)),
      ...warmUpOf(own, winner)
    ],
    also: also.map(({ data, result }) => ({ data, best: best.flatMap(({ trial }) => result.get(trial) ?? []) })),
    ...present({
      /** Absent for one trial or few days. */
      overfitting: yield* overfitting(plan, all),
      pareto:
        paretoOf.length === 0
          ? undefined
          : { objectives: paretoOf, front: Objective.front(last, paretoOf, conditions) },
      sensitivity:
        asked.sensitivity && winner !== undefined ? Sensitivity.of(own.search, winner.trial, own.inputs) : undefined,
      written
    })
  }
})
