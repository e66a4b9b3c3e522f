/** Assigns candle files to markets, and puts all candles on one time axis. */

import { Array as Arr, Effect, Result } from "effect"
import { orWrong } from "../../app/process/WrongUsage.ts"
import * as Alignment from "../../candles/Alignment.ts"
import type * as CandleFile from "../../candles/CandleFile.ts"
import type { Candles } from "../../candles/Candles.ts"
import * as CrossingIndex from "../../candles/CrossingIndex.ts"
import type { Market } from "../../domain/Market.ts"
import { marketsSaid, marketsSeen, type Strategy } from "../../strategy/Strategy.ts"
import * as BacktestInput from "./BacktestInput.ts"

/** Loaded candles, and their source. */
export interface Source extends Pick<CandleFile.Loaded, "candles" | "sha256" | "source" | "repaired"> {
  readonly market: Market
  readonly data: string
}

/** What a run needs to know of a market. */
export interface LoadedMarket {
  readonly candles: Candles
  readonly indices: CrossingIndex.Indices
}

type All<A> = Arr.NonEmptyReadonlyArray<A>

export interface LoadedMarkets {
  readonly sources: All<Source>
  readonly series: All<LoadedMarket>
  readonly warnings: ReadonlyArray<string>
}

type Seen = Pick<Strategy, "market" | "others" | "watched">

const names = (markets: ReadonlyArray<Market>): string => markets.map(({ name }) => name).join(", ")

/** `MARKET=CSV`, or a file alone. Text without capital letters before its equals sign is a file name. */
const split = (given: string, markets: ReadonlyArray<Market>): { readonly market?: string; readonly file: string } => {
  const at = given.indexOf("=")
  const market = given.slice(0, Math.max(0, at))
  const isMarket = markets.some(({ name }) => name === market) || /^[A-Z0-9.]+\/[A-Z0-9.]+$/.test(market)
  return isMarket ? { market, file: given.slice(at + 1) } : { file: given }
}

/** The file of each market that the strategy sees, in their order, or what is wrong with the arguments. */
export const filesOf = (given: ReadonlyArray<string>, strategy: Seen): Result.Result<ReadonlyArray<string>, string> => {
  const markets = marketsSeen(strategy)
  const traded = `the strategy trades ${marketsSaid(strategy)}`
  const files = new Map<string, string>()
  for (const each of given) {
    const { market = markets.length === 1 ? markets[0]?.name : undefined, file } = split(each, markets)
    if (market === undefined)
      return Result.fail(
        `--data ${each}: of which market? ${traded}; write for example --data ${markets[0]?.name}=${each}`
      )
    if (!markets.some(({ name }) => name === market))
      return Result.fail(`--data ${each}: ${traded}, not ${market}; leave it out`)
    const before = files.get(market)
    if (before !== undefined)
      return Result.fail(`--data: ${market} is given twice, as ${before} and as ${file}; give each market one file`)
    files.set(market, file)
  }
  const missing = markets.filter(({ name }) => !files.has(name))
  const [first] = missing
  return first === undefined
    ? Result.succeed(markets.map(({ name }) => files.get(name) ?? ""))
    : Result.fail(`--data: nothing is given for ${names(missing)}; add --data ${first.name}=CSV`)
}

type Wanted = Parameters<typeof BacktestInput.loadCandles>[1]

const loadOne = Effect.fnUntraced(function* (flags: BacktestInput.DataFlags, wanted: Wanted, market: Market) {
  const { warnings, indices, ...loaded } = yield* BacktestInput.loadCandles(flags, wanted, market.name)
  return { source: { ...loaded, market, data: flags.data } satisfies Source, indices, warnings }
})

/** Candles of every market within the requested time. */
export const load = Effect.fn("BacktestMarkets.load")(function* (
  { data, ...flags }: Omit<BacktestInput.DataFlags, "data"> & { readonly data: ReadonlyArray<string> },
  wanted: Wanted,
  strategy: Seen
) {
  const markets = marketsSeen(strategy)
  const files = yield* orWrong(filesOf(data, strategy))
  const loaded = yield* Effect.forEach(markets, (market, index) =>
    loadOne({ ...flags, data: files[index] ?? "" }, wanted, market)
  )
  const series = loaded.map(({ source }) => ({ market: source.market.name, candles: source.candles }))
  const aligned = yield* orWrong(Result.mapError(Alignment.align(series), (why) => `--data: ${why}`))
  return {
    sources: Arr.map(loaded, ({ source }) => source),
    series: Arr.map(loaded, ({ source, indices }, index) => {
      const candles = aligned.candles[index] ?? source.candles
      const made = wanted.indexed ? CrossingIndex.buildIndices : CrossingIndex.linearIndices
      return { candles, indices: candles === source.candles ? indices : made(candles, "at") }
    }),
    warnings: [...loaded.flatMap(({ warnings }) => warnings), ...aligned.notes]
  } satisfies LoadedMarkets
})
