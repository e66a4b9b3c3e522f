/**
 * The candles of a search: of each market that the strategy file sees and, with `--on`, of further markets that the same
 * file is run on, one at a time, as if it had named them.
 */
import { Array as Arr, Effect } from "effect"
import { Flag } from "effect/cli"
import * as FeeModel from "../../app/backtest/FeeModel.ts"
import { orWrong, WrongUsage } from "../../app/process/WrongUsage.ts"
import type * as Backtest from "../../backtest/Backtest.ts"
import * as SweepSpace from "../../backtest/search/SweepSpace.ts"
import type { Candles } from "../../candles/Candles.ts"
import type * as CrossingIndex from "../../candles/CrossingIndex.ts"
import { marketsSaid, marketsSeen } from "../../strategy/Strategy.ts"
import * as BacktestInput from "../backtest/BacktestInput.ts"
import * as BacktestMarkets from "../backtest/BacktestMarkets.ts"
import * as FileName from "../FileName.ts"

export const dataFlags = {
  ...BacktestInput.dataFlags,
  data: FileName.flag("data").pipe(
    Flag.withDescription(
      "Candles or trades: CSV, plain or gzipped; journal:FILE for prices that a bot saw itself. Of several markets MARKET=CSV for each"
    ),
    Flag.atLeast(1)
  ),
  on: FileName.flag("on").pipe(
    Flag.withDescription("MARKET=CSV: also run the same file on this market, with its own candles"),
    Flag.atLeast(0)
  )
}

/** A file with everything that it is run on. */
export interface SearchedMarket {
  /** For people: the market, or all of them. */
  readonly name: string
  readonly data: string
  readonly sha256: string
  readonly source: BacktestInput.StrategySource
  readonly candles: Candles
  readonly indices: CrossingIndex.Indices
  readonly options: Backtest.Options
  /** The series of further markets that the file sees. */
  readonly others: ReadonlyArray<Backtest.MarketInput>
  readonly fees: FeeModel.FeeModel
  /** What the configuration says of costs, read once. */
  readonly account: FeeModel.Account | undefined
}

type DataFlags = BacktestInput.FlagValues<typeof dataFlags>
type Flags = DataFlags &
  BacktestInput.FlagValues<typeof BacktestInput.ruleFlags & { config: typeof BacktestInput.configFlag }>

export const load = Effect.fn("SearchData.load")(function* (
  input: Omit<Flags, "on">,
  source: BacktestInput.StrategySource,
  isIndexed: boolean
) {
  return yield* loadWith(input, source, yield* FeeModel.accountOf(input.config), isIndexed)
})

const loadWith = Effect.fnUntraced(function* (
  input: Omit<Flags, "on">,
  source: BacktestInput.StrategySource,
  account: FeeModel.Account | undefined,
  isIndexed: boolean
) {
  const { strategy } = source
  const markets = marketsSeen(strategy)
  const wanted = { open: true, volume: true, indexed: isIndexed }
  const { sources, series } = yield* BacktestMarkets.load(input, wanted, strategy)
  yield* BacktestInput.checkTimeframes(strategy, series[0].candles)
  const costs = yield* FeeModel.of(input, account, markets, strategy.terms, strategy.limits.maxFeeBasisPoints)
  const [first, ...others] = yield* Effect.forEach(Arr.zip(series, markets), ([each, market]) =>
    Effect.map(BacktestInput.options(input, costs, market, markets), (asked) => ({
      ...each,
      options: BacktestInput.withoutVolume(asked, each.candles)
    }))
  )
  return {
    name: markets.map(({ name }) => name).join(", "),
    data: input.data.join(", "),
    sha256: sources.map(({ sha256 }) => sha256).join(", "),
    source,
    ...first,
    fees: costs.fees,
    account,
    others
  } satisfies SearchedMarket
})

const onOne = Effect.fnUntraced(function* (
  input: Flags,
  { text, file, strategy }: BacktestInput.StrategySource,
  account: FeeModel.Account | undefined,
  given: string,
  isIndexed: boolean
) {
  const at = given.indexOf("=")
  const market = given.slice(0, Math.max(0, at))
  if (!/^[^/=]+\/[^/=]+$/.test(market))
    return yield* new WrongUsage({
      message: `--on ${given}: write a market and its candles, such as --on ETH/USDC=eth.csv`
    })
  if (marketsSeen(strategy).length > 1)
    return yield* new WrongUsage({
      message: `--on ${given}: ${file} trades ${marketsSaid(strategy)}; only a file of one market is run on others too`
    })
  const space = [{ path: "market", values: [market] }]
  const template = yield* orWrong(SweepSpace.template(text, space))
  const source = yield* BacktestInput.strategyOf(template.text([market]), file, input.config)
  return yield* loadWith({ ...input, data: [given.slice(at + 1)] }, source, account, isIndexed)
})

/** The same file on each further market. */
export const onOthers = Effect.fn("SearchData.onOthers")(function* (
  input: Flags,
  { source, name, account }: SearchedMarket,
  isIndexed: boolean
) {
  const found = yield* Effect.forEach(input.on, (given) => onOne(input, source, account, given, isIndexed))
  const names = [name, ...found.map((each) => each.name)]
  const twice = names.find((each, index) => names.indexOf(each) < index)
  if (twice !== undefined)
    return yield* new WrongUsage({ message: `--on: ${twice} is there twice; name each market once` })
  return found
})
