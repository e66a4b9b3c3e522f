/**
 * A sweep: trials on all cores with stored results, ranked by their worse side, and how far to trust the best.
 */
import { Clock, Effect, Option, Result, Schedule } from "effect"
import * as Progress from "../../app/process/Progress.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as Backtest from "../../backtest/Backtest.ts"
import * as Statistics from "../../backtest/results/Statistics.ts"
import * as Halving from "../../backtest/search/Halving.ts"
import * as Objective from "../../backtest/search/Objective.ts"
import * as Sensitivity from "../../backtest/search/Sensitivity.ts"
import * as Sweep from "../../backtest/search/Sweep.ts"
import * as SweepStore from "../../backtest/search/SweepStore.ts"
import * as Trial from "../../backtest/search/Trial.ts"
import type { TrialResult } from "../../backtest/search/TrialResult.ts"
import { present } from "../../domain/Present.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as BacktestInput from "../backtest/BacktestInput.ts"
import type * as Across from "./across/Across.ts"
import * as SearchInput from "./SearchInput.ts"
import * as Suggest from "./Suggest.ts"
import type * as SweepSummary from "./SweepSummary.ts"

type Data = Pick<Sweep.SweepPlan, "candles" | "indices" | "others">

/**
 * How likely the best has skill, given how many were tried: Bailey and López de Prado's deflated Sharpe ratio. Trials
 * that halving dropped early have ratios over shorter data, which do not compare; then only their number counts.
 */
const deflated = (
  search: Trial.Search,
  best: TrialResult,
  all: ReadonlyArray<TrialResult>,
  isHalved: boolean,
  { candles, indices, others = [] }: Data
): number => {
  const read = Trial.strategyOf(search, best.values)
  if (Result.isFailure(read)) return 0
  const strategy = read.success
  const { options } = search
  const side = Backtest.runAll(strategy, [{ candles, indices, options }, ...others], best.side ?? "pessimistic")
  const returns = Statistics.returnsOf([...Backtest.dailyEquity(side)])
  const sharpes = all.filter(({ refused }) => refused === undefined).map(({ dailySharpe }) => dailySharpe)
  return isHalved ? Statistics.deflatedAfter(returns, sharpes.length) : Statistics.deflatedSharpe(returns, sharpes)
}

/** Shows how far a search is, and stores results as they come. */
const stored = Effect.fn("sweep.stored")(function* <A, E, R>(
  total: number,
  known: ReadonlyArray<TrialResult>,
  out: Option.Option<string>,
  search: (onResult: (result: TrialResult) => void) => Effect.Effect<A, E, R>
) {
  const progress = yield* Progress.make("sweep")
  let done = known.length
  let unwritten: Array<TrialResult> = []
  const flush = Effect.suspend(() => {
    const batch = unwritten
    unwritten = []
    return Option.isSome(out) ? SweepStore.append(out.value, batch) : Effect.void
  })
  yield* Effect.forkScoped(Effect.repeat(flush, Schedule.spaced("1 second")))
  return yield* search((result) => {
    done++
    unwritten.push(result)
    progress.update(done, total, `${done} of ${total}`)
  }).pipe(Effect.ensuring(Effect.ignore(flush)))
}, Effect.scoped)

/** The result of each trial, by number. */
const resultsOf = Effect.fnUntraced(function* (plan: Sweep.SweepPlan) {
  const found = new Map<number, TrialResult>()
  yield* Sweep.run(plan, (result) => found.set(result.trial, result))
  return found
})

/** The best by both sides, in the same order and judged as before: a search by one side has not run the other. */
const bothSides = Effect.fn("sweep.bothSides")(function* (plan: Sweep.SweepPlan, best: ReadonlyArray<TrialResult>) {
  const { mode } = plan.search
  if (mode === "worse") return best
  const other = mode === "optimistic" ? "pessimistic" : "optimistic"
  const search: Trial.Search = { ...plan.search, mode: other }
  const found = yield* resultsOf({ ...plan, search, trials: best.map(({ trial }) => trial) })
  return best.map((result) => ({ ...result, ...present({ other: found.get(result.trial) }) }))
})

/** Each trial once, with its result of the last step that it reached. */
const latest = (steps: ReadonlyArray<ReadonlyArray<TrialResult>>): ReadonlyArray<TrialResult> =>
  [...new Map(steps.flat().map((result) => [result.trial, result])).values()].toSorted((a, b) => a.trial - b.trial)

/** Trials that a program is asked for if nobody says how many. */
const usualSuggestions = 100

export interface SweepFlags extends SearchInput.SearchFlags {
  readonly halve: Option.Option<number>
  readonly top: number
  readonly out: Option.Option<string>
  readonly also: ReadonlyArray<string>
  readonly pareto: Option.Option<string>
  readonly sensitivity: boolean
  readonly suggest: Option.Option<string>
}

/** The trials over further files of candles, whole. */
const elsewhere = Effect.fn("sweep.elsewhere")(function* (
  input: SweepFlags,
  plan: Sweep.SweepPlan & { readonly strategy: Strategy; readonly name: string },
  trials: ReadonlyArray<number>
) {
  return yield* Effect.forEach(input.also, (data) =>
    Effect.gen(function* () {
      if ((plan.others ?? []).length > 0)
        return yield* new WrongUsage({
          message: `--also ${data}: a further file is for a strategy of one market, not of ${plan.name}`
        })
      const whole = { ...input, data, from: Option.none(), to: Option.none() }
      const wanted = { open: true, volume: true, indexed: true }
      const loaded = yield* BacktestInput.loadCandles(whole, wanted, plan.strategy.market.name)
      yield* BacktestInput.checkTimeframes(plan.strategy, loaded.candles)
      const options = BacktestInput.withoutVolume(plan.search.options, loaded.candles)
      const { candles, indices } = loaded
      const search = { ...plan.search, options }
      return { data, found: yield* resultsOf({ ...plan, candles, indices, search, trials }) }
    })
  )
})

/** The trials on further markets. */
const onMarkets = Effect.fn("sweep.onMarkets")(function* (
  plan: Effect.Success<ReturnType<typeof SearchInput.load>>,
  trials: ReadonlyArray<number>
) {
  return yield* Effect.forEach(plan.further, ({ name, data, candles, indices, others, search }) =>
    Effect.map(
      resultsOf({ team: plan.team, candles, indices, others, search, trials }),
      (results): Across.OnMarket => ({ name, data, results })
    )
  )
})

/** The objectives of the front; empty where nobody asked for one. */
const objectivesOf = (pareto: Option.Option<string>) => {
  if (Option.isNone(pareto)) return Effect.succeed([])
  const found = Objective.several(pareto.value)
  const message = `--pareto: two or more of ${Objective.objectives.join(", ")}, with commas`
  return found === undefined ? new WrongUsage({ message }) : Effect.succeed(found)
}

export const run = Effect.fn("sweep.run")(function* (input: SweepFlags) {
  const started = yield* Clock.currentTimeNanos
  const keepOneOf = Option.getOrElse(input.halve, () => Number.POSITIVE_INFINITY)
  if (keepOneOf < 2) return yield* new WrongUsage({ message: "--halve: 2 or more, 3 is usual" })
  const paretoOf = yield* objectivesOf(input.pareto)
  if (Option.isSome(input.suggest) && Option.isSome(input.halve))
    return yield* new WrongUsage({
      message: "--suggest: the program chooses what is tried, so there is nothing to --halve"
    })
  const loaded = yield* SearchInput.load(
    Option.isSome(input.suggest) ? { ...input, random: Option.orElseSome(input.random, () => usualSuggestions) } : input
  )
  const { candles, trials, objective, conditions } = { ...loaded, objective: input.objective }
  const rungs = Halving.rungs(trials.length, candles.bars, keepOneOf)
  const fingerprint = `${loaded.fingerprint}${rungs.map(({ bars }) => ` ${bars}`).join("")}`
  const known = Option.isSome(input.out) ? yield* SweepStore.open(input.out.value, fingerprint) : []
  const total = rungs.reduce((sum, { trials }) => sum + trials, 0)
  const steps = yield* stored(total, known, input.out, (onResult) => {
    if (Option.isNone(input.suggest)) return Halving.run({ ...loaded, objective, rungs }, known, onResult)
    const plan = { ...loaded, objective, command: input.suggest.value, count: trials.length, seed: input.seed }
    return Effect.map(Suggest.run(plan, known, onResult), (results) => [results])
  })
  const wallNanos = (yield* Clock.currentTimeNanos) - started
  const all = latest(steps)
  const last = steps.at(-1) ?? []
  const good = Objective.ranked(last, objective, conditions)
  const also = yield* elsewhere(
    input,
    loaded,
    good.map(({ trial }) => trial)
  )
  const markets = yield* onMarkets(
    loaded,
    good.map(({ trial }) => trial)
  )
  const own = { name: loaded.name, data: loaded.data, results: new Map(good.map((result) => [result.trial, result])) }
  const others: Objective.Elsewhere = new Map(
    good.map(({ trial }) => [
      trial,
      [
        ...also.flatMap(({ found }) => found.get(trial) ?? []),
        ...markets.flatMap(({ results }) => results.get(trial) ?? [])
      ]
    ])
  )
  const ranked = Objective.rankedAcross(good, others, objective, conditions).slice(0, input.top)
  const best = yield* bothSides(loaded, ranked)
  const [winner] = best
  const found: SweepSummary.SearchResult = {
    space: loaded.space,
    all,
    compared: steps[0] ?? [],
    rungs,
    best,
    resumed: known.length,
    bars: candles.bars,
    threads: loaded.threads,
    wallMillis: Number(wallNanos) / 1e6,
    objective,
    deflatedSharpe: winner === undefined ? 0 : deflated(loaded.search, winner, all, rungs.length > 1, loaded),
    ...(markets.length === 0 ? {} : { across: { objective, space: loaded.space, markets: [own, ...markets] } }),
    also: also.map(({ data, found }) => ({ data, best: best.flatMap(({ trial }) => found.get(trial) ?? []) })),
    ...(paretoOf.length === 0
      ? {}
      : { pareto: { objectives: paretoOf, front: Objective.front(last, paretoOf, conditions) } }),
    ...(input.sensitivity && winner !== undefined
      ? { sensitivity: Sensitivity.of(loaded.search, winner.trial, candles, loaded.indices, loaded.others) }
      : {})
  }
  return { found, loaded }
})
