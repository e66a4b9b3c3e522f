/** What the searching commands share: which values to try, on which candles, and what counts as best. */
import { createHash } from "node:crypto"
import { availableParallelism } from "node:os"
import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { orWrong, WrongUsage } from "../../app/process/WrongUsage.ts"
import * as Objective from "../../backtest/search/Objective.ts"
import * as Sweep from "../../backtest/search/Sweep.ts"
import * as SweepSpace from "../../backtest/search/SweepSpace.ts"
import type * as Trial from "../../backtest/search/Trial.ts"
import { plainJson } from "../../domain/Text.ts"
import * as BacktestInput from "../backtest/BacktestInput.ts"
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"
import * as SearchData from "./SearchData.ts"

export const searchFlags = {
  file: FileName.argument("file").pipe(Argument.withDescription("The strategy file (YAML)")),
  ...SearchData.dataFlags,
  ...BacktestInput.ruleFlags,
  config: BacktestInput.configFlag,
  set: Flag.String("set").pipe(
    Flag.withDescription("A key of the strategy file and its values: grid.levels=10..50:5 or grid.levels=10,20,30"),
    Flag.atLeast(1)
  ),
  fills: Flag.Literals("fills", ["worse", "optimistic", "pessimistic"]).pipe(
    Flag.withDescription(
      "The rules that rank; worse runs every trial by both sides and ranks by the one that does worse (default: worse)"
    ),
    Flag.withDefault("worse")
  ),
  objective: Flag.Literals("objective", Objective.objectives).pipe(
    Flag.withDescription("What makes a trial the best (default: profitQuote)"),
    Flag.withDefault("profitQuote")
  ),
  where: Flag.String("where").pipe(
    Flag.withDescription("A condition that the best must meet: maxDrawdown<=20%, fills>=50"),
    Flag.atLeast(0)
  ),
  random: Flag.Int("random").pipe(Flag.withDescription("Try only so many, chosen at random"), Flag.optional),
  seed: Flag.Int("seed").pipe(Flag.withDescription("Seed of the choice (default: 1)"), Flag.withDefault(1)),
  threads: Flag.Int("threads").pipe(Flag.withDescription("Worker threads; default: one per core"), Flag.optional),
  json: flags.json
}

export type SearchFlags = BacktestInput.FlagValues<typeof searchFlags>

const mostTrials = 10_000_000

const conditions = (where: ReadonlyArray<string>) =>
  Effect.forEach(where, (text) => {
    const condition = Objective.condition(text)
    return condition === undefined
      ? new WrongUsage({ message: `--where ${text}: not a condition; write for example maxDrawdown<=20%` })
      : Effect.succeed(condition)
  })

export const load = Effect.fn("SearchInput.load")(function* (input: SearchFlags) {
  const source = yield* BacktestInput.loadStrategy(input.file, input.config)
  const { text, strategy } = source
  const required = yield* conditions(input.where)
  const space = yield* Effect.forEach(input.set, (text) => orWrong(SweepSpace.dimension(text)))
  const count = Option.getOrElse(input.random, () => SweepSpace.size(space))
  if (count < 1 || count > mostTrials)
    return yield* new WrongUsage({ message: `${count} trials: take larger steps, or --random 1000` })
  yield* orWrong(SweepSpace.template(text, space))
  const threads = Math.max(1, Option.getOrElse(input.threads, availableParallelism))
  const team = yield* Sweep.team(Math.min(threads, count))
  const loaded = yield* SearchData.load(input, source, true)
  const { options, others } = loaded
  const furtherRules = others.length === 0 ? [] : [others.map((other) => other.options)]
  const judge = input.fills === "worse" ? [input.fills, input.objective] : [input.fills]
  const identity = [text, space, ...judge, loaded.sha256, input.from, input.to, input.repair, options]
  const searchOn = (on: SearchData.SearchedMarket): Trial.Search => {
    const { text, file, markets } = on.source
    return { text, file, markets, space, mode: input.fills, objective: input.objective, options: on.options }
  }
  const further = yield* SearchData.onOthers(input, loaded, true)
  return {
    ...loaded,
    strategy,
    search: searchOn(loaded),
    /** The same search on further markets. */
    further: further.map((on) => ({ ...on, search: searchOn(on) })),
    space,
    conditions: required,
    trials: SweepSpace.sample(space, count, input.seed),
    threads,
    team,
    fingerprint: createHash("sha256")
      .update(plainJson([...identity, ...furtherRules]))
      .digest("hex")
  }
})
