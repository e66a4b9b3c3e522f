/** Sets up a searching command: the values to try, the candles, and the objective. */
import { availableParallelism } from "node:os"
import { Array as Arr, Effect, Result } from "effect"
import { plainJson } from "../../domain/Text.ts"
import { orWrong, wrongUsage } from "../../process/WrongUsage.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import { sourcesCode, version } from "../../version.ts"
import * as Objective from "../backtest/search/Objective.ts"
import * as Sweep from "../backtest/search/Sweep.ts"
import * as SweepSpace from "../backtest/search/SweepSpace.ts"
import type * as Trial from "../backtest/search/Trial.ts"
import * as RunSetUp from "../runs/RunSetUp.ts"
import * as StrategySource from "../runs/StrategySource.ts"
import * as OnMarkets from "./OnMarkets.ts"

export interface SearchAsked extends OnMarkets.MarketsAsked {
  readonly file: string
  readonly set: ReadonlyArray<string>
  readonly fills: Trial.Search["mode"]
  readonly objective: Objective.Objective
  readonly where: ReadonlyArray<string>
  readonly rank: Objective.Rank
  readonly random: number | undefined
  readonly seed: number
  readonly threads: number | undefined
}

export interface SearchedRun extends OnMarkets.FileRun {
  readonly search: Trial.Search
}

const maxTrials = 10_000_000

const conditionsOf = (where: ReadonlyArray<string>) =>
  Effect.forEach(where, (text) => {
    const why = `--where ${text}: not a condition; write for example maxDrawdown<=20%`
    return Effect.mapError(Effect.fromNullishOr(Objective.condition(text)), () => wrongUsage(why))
  })

/** Fails on an unknown key in `--set`, which would make every trial invalid. */
const refuseUnknownKeys = Effect.fnUntraced(function* (
  { markets, strategy: { file, text } }: StrategySource.StrategySource,
  searched: string
) {
  const problemsOf = (text: string) => {
    const parsing = StrategyFile.parse(text, file, markets)
    return Result.isFailure(parsing)
      ? parsing.failure.map(({ hint, message }) => [message, hint].filter(Boolean).join("; "))
      : []
  }
  const before = new Set(problemsOf(text))
  const unknown = problemsOf(searched).find((problem) => problem.startsWith("unknown key") && !before.has(problem))
  if (unknown !== undefined) return yield* wrongUsage(`--set: ${unknown}`)
})

export const load = Effect.fn("SearchSetUp.load")(function* (asked: SearchAsked) {
  const { fills, objective, rank } = asked
  const source = yield* StrategySource.readSource(asked.file, asked.config)
  const { text } = source.strategy
  const conditions = yield* conditionsOf(asked.where)
  const space = yield* Effect.forEach(asked.set, (text) => orWrong(SweepSpace.dimension(text)))
  const count = asked.random ?? SweepSpace.size(space)
  if (count < 1 || count > maxTrials) return yield* wrongUsage(`${count} trials: take larger steps, or --random 1000`)
  // Results do not depend on the values that the file has for the keys of the search.
  const template = yield* orWrong(SweepSpace.template(text, space))
  const searched = template.text(space.map(({ values: [first = ""] }) => first))
  yield* refuseUnknownKeys(source, searched)
  const threads = asked.threads ?? availableParallelism()
  const team = yield* Sweep.team(Math.min(threads, count))
  const runs = Arr.map(yield* OnMarkets.load(asked, source, true), (run): SearchedRun => {
    const { markets, strategy } = run
    const { file, text } = strategy
    return { ...run, search: { text, file, markets, space, mode: fills, objective } }
  })
  const [own] = runs
  const { assets, ticks } = source.markets
  const identity = {
    program: `limitbot ${version} ${sourcesCode()}`,
    "strategy file": RunSetUp.hashOf(searched),
    "--set": RunSetUp.hashOf(space),
    "--fills or --objective": RunSetUp.hashOf(fills === "worse" ? [fills, objective] : [fills]),
    data: sha256Of(own),
    "--from, --to or --repair": plainJson([asked.from, asked.to, asked.repair]),
    "assets of --config": RunSetUp.hashOf([assets.map(({ symbol, decimals }) => [symbol, decimals]), ticks]),
    "fees or rules": RunSetUp.hashOf(own.inputs.map(({ options }) => options))
  }
  return {
    runs,
    space,
    objective,
    rank,
    conditions,
    trials: SweepSpace.sample(space, count, asked.seed),
    threads,
    team,
    identity
  }
})

export const sha256Of = ({ sources }: Pick<OnMarkets.FileRun, "sources">): string =>
  sources.map(({ sha256 }) => sha256).join(", ")
