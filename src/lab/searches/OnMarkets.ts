/** Runs a strategy file on its own market, and on further ones (`--on MARKET=CSV`) as if the file named them, one after the other. */
import { Array as Arr, Effect } from "effect"
import { median } from "../../domain/Amount.ts"
import { orWrong, wrongUsage } from "../../process/WrongUsage.ts"
import { marketsSaid, marketsSeen } from "../../strategy/Strategy.ts"
import * as SweepSpace from "../backtest/search/SweepSpace.ts"
import * as FeeModel from "../runs/FeeModel.ts"
import * as RunCandles from "../runs/RunCandles.ts"
import * as RunSetUp from "../runs/RunSetUp.ts"
import * as StrategySource from "../runs/StrategySource.ts"

export interface MarketsAsked extends RunSetUp.RunAsked {
  readonly on: ReadonlyArray<string>
}

export type FileRun = Effect.Success<ReturnType<typeof setUp>>

const setUp = Effect.fnUntraced(function* (
  asked: RunSetUp.RunAsked,
  { markets, strategy }: StrategySource.StrategySource,
  account: FeeModel.Account | undefined,
  isIndexed: boolean
) {
  const columns = { open: true, volume: true, indexed: isIndexed }
  const loaded = yield* RunCandles.load(asked.data, asked, columns, strategy)
  const run = yield* RunSetUp.onCandles(yield* RunSetUp.groundOf(asked, strategy, account), loaded)
  return { ...run, markets }
})

const elsewhere = Effect.fnUntraced(function* (
  { config }: MarketsAsked,
  { strategy }: StrategySource.StrategySource,
  given: string
) {
  const { file, text } = strategy
  const at = given.indexOf("=")
  const market = given.slice(0, Math.max(0, at))
  if (!/^[^/=]+\/[^/=]+$/.test(market))
    return yield* wrongUsage(`--on ${given}: write a market and its candles, such as --on ETH/USDC=eth.csv`)
  if (marketsSeen(strategy).length > 1)
    return yield* wrongUsage(
      `--on ${given}: ${file} trades ${marketsSaid(strategy)}; only a file of one market is run on others too`
    )
  const template = yield* orWrong(SweepSpace.template(text, [{ path: "market", values: [market] }]))
  const source = yield* StrategySource.parse(template.text([market]), file, config)
  return { source, data: [given.slice(at + 1)] }
})

export const load = Effect.fn("OnMarkets.load")(function* (
  asked: MarketsAsked,
  source: StrategySource.StrategySource,
  isIndexed: boolean
) {
  const account = yield* FeeModel.accountOf(asked.config)
  const own = yield* setUp(asked, source, account, isIndexed)
  const further = yield* Effect.forEach(asked.on, (given) =>
    Effect.flatMap(elsewhere(asked, source, given), ({ data, source }) =>
      setUp({ ...asked, data }, source, account, isIndexed)
    )
  )
  const names = [own, ...further].map(({ name }) => name)
  const twice = names.find((each, index) => names.indexOf(each) < index)
  if (twice !== undefined) return yield* wrongUsage(`--on: ${twice} is named twice; name each market once`)
  return Arr.make(own, ...further)
})

export const warningsOf = (runs: ReadonlyArray<Pick<FileRun, "name" | "warnings">>): ReadonlyArray<string> =>
  runs.flatMap(({ name, warnings }) => (runs.length === 1 ? warnings : warnings.map((text) => `${name}: ${text}`)))

export interface OnMarket<A> extends Pick<FileRun, "name" | "data"> {
  readonly result: A
}

export const each = <Run extends FileRun, A, E, R>(
  runs: Arr.NonEmptyReadonlyArray<Run>,
  what: (on: Run, index: number) => Effect.Effect<A, E, R>
): Effect.Effect<Arr.NonEmptyReadonlyArray<OnMarket<A>>, E, R> =>
  Effect.forEach(runs, (on, index) =>
    Effect.map(what(on, index), (result) => ({ name: on.name, data: on.data, result }))
  )

/** Combines a figure over all markets. A missing figure counts as the worst. */
export const together = (figures: ReadonlyArray<number | undefined>) => {
  const scores = figures.map((figure) => figure ?? Number.NEGATIVE_INFINITY)
  return { median: median(scores) ?? Number.NEGATIVE_INFINITY, worst: Math.min(...scores) }
}
