/** What backtests, sweeps and data commands share: flags, and the way from file names to strategies and candles. */

import { Effect, FileSystem, Option, Result } from "effect"
import { Flag, type Param } from "effect/cli"
import { isScalar, isSeq, parseDocument } from "yaml"
import * as FeeModel from "../../app/backtest/FeeModel.ts"
import { orWrong, WrongUsage } from "../../app/process/WrongUsage.ts"
import * as Backtest from "../../backtest/Backtest.ts"
import { noCosts } from "../../backtest/kernel/FillPresets.ts"
import type { FillRules } from "../../backtest/kernel/FillRules.ts"
import * as CandleFile from "../../candles/CandleFile.ts"
import * as Candles from "../../candles/Candles.ts"
import * as CrossingIndex from "../../candles/CrossingIndex.ts"
import { type Repair, repairs, toMillis } from "../../candles/csv/CandleChecks.ts"
import { parseField } from "../../candles/csv/CsvField.ts"
import { format } from "../../candles/DataProblem.ts"
import * as Amount from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import { StrategiesInvalid, suited } from "../../files/StrategyFiles.ts"
import { type Markets, quotedIn } from "../../strategy/Markets.ts"
import { render } from "../../strategy/Problem.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"

export const dataFlags = {
  data: FileName.flag("data").pipe(
    Flag.withDescription("Candles or trades: CSV, plain or gzipped; journal:FILE for prices that a bot saw itself")
  ),
  from: flags.text("from", "First moment of the data to use: 2024-01-31, 2024-01-31T12:00:00Z or epoch milliseconds"),
  to: flags.text("to", "End of the data to use, not included"),
  repair: flags.text("repair", `Repair the data: ${repairs.join(", ")} (comma between), or all`),
  noCache: flags.toggle("no-cache", "Neither read nor write the column cache beside the data file")
}

export const configFlag = flags.text(
  "config",
  "The configuration file; default: markets of the strategy with 18 decimals"
)

const touches = ["at", "through", "within", "close"] as const

export const ruleFlags = {
  touch: Flag.Literals("touch", touches).pipe(
    Flag.withDescription("When a bar fills an order: at, through, within (no gaps) or close"),
    Flag.optional
  ),
  fillPrice: Flag.Literals("fill-price", ["limit", "open", "arrival"]).pipe(
    Flag.withDescription("What is paid beyond the limit: nothing, a bar's open, or the market on arrival"),
    Flag.optional
  ),
  edgeBps: Flag.Finite("edge-bps").pipe(
    Flag.withDescription("How far beyond the limit the price must go, basis points"),
    Flag.optional
  ),
  volumeShare: Flag.Finite("volume-share").pipe(
    Flag.withDescription("The most of a bar's volume that is ours, 0 to 1; 0: no limit"),
    Flag.optional
  ),
  feeBps: Flag.Finite("fee-bps").pipe(
    Flag.withDescription(
      "Fees of a fill, basis points of the output; default: as the configuration's journal measured, otherwise 20, or none with a partner credential"
    ),
    Flag.optional
  ),
  spreadBps: Flag.Finite("spread-bps").pipe(
    Flag.withDescription(
      `From bid to ask, basis points; default: as the configuration's journal measured, otherwise ${FeeModel.sandboxSpreadBasisPoints}`
    ),
    Flag.optional
  ),
  withdrawFee: flags.text(
    "withdraw-fee",
    "Fee of every payout as BASE,QUOTE amounts, for example 0.00001,0.5; with several markets of every base"
  ),
  refundFee: flags.text("refund-fee", "Fee of every refund as BASE,QUOTE amounts"),
  minimumQuote: flags.text("minimum-quote", "Smallest order that the venue takes, in quote")
}

/** What a command gets for these flags and arguments. */
export type FlagValues<T> = { readonly [K in keyof T]: T[K] extends Param.Param<Param.ParamKind, infer A> ? A : never }
export type DataFlags = FlagValues<typeof dataFlags>
export type RuleFlags = FlagValues<typeof ruleFlags>

const amount = (flag: string, written: string, decimals: number) => {
  const decimal = Decimal.parse(written.trim())
  const found = decimal === undefined ? undefined : Amount.fromDecimal(decimal, decimals)
  return orWrong(
    found === undefined || found < 0n
      ? Result.fail(`--${flag} ${written}: not an amount with at most ${decimals} decimals; write for example 0.5`)
      : Result.succeed(found)
  )
}

/** One for each base, in the order of the markets, and one for the quote. */
const amounts = (
  flag: string,
  written: Option.Option<string>,
  market: Market,
  all: ReadonlyArray<Market>,
  measured: ReadonlyMap<string, bigint>
) =>
  Effect.gen(function* () {
    const known = ({ symbol }: Amount.Asset) => measured.get(symbol) ?? 0n
    if (Option.isNone(written)) return { base: known(market.base), quote: known(market.quote) }
    const parts = written.value.split(",")
    if (all.length > 1 && parts.length !== all.length + 1) {
      const symbols = [...all.map(({ base }) => base.symbol), market.quote.symbol].join(",")
      return yield* new WrongUsage({ message: `--${flag} ${written.value}: give an amount of each of ${symbols}` })
    }
    const [first = "", second = "0"] = [parts[all.indexOf(market)], parts[all.length]]
    return {
      base: yield* amount(flag, first, market.base.decimals),
      quote: yield* amount(flag, second, market.quote.decimals)
    }
  })

/** Costs and changed rules in one of all markets, from flags and what is known of costs. */
export const options = Effect.fn("BacktestInput.options")(function* (
  flags: RuleFlags,
  { accountTerms, fees, payouts, refunds, spreads }: FeeModel.KnownCosts,
  market: Market,
  all: ReadonlyArray<Market>
) {
  const withdrawFee = yield* amounts("withdraw-fee", flags.withdrawFee, market, all, payouts)
  const refundFee = yield* amounts("refund-fee", flags.refundFee, market, all, refunds)
  const minimumQuote = yield* amount(
    "minimum-quote",
    Option.getOrElse(flags.minimumQuote, () => "0"),
    market.quote.decimals
  )
  const spread = spreads.get(market.name)
  const costs = {
    ...noCosts,
    spreadBasisPoints: (spread?.basisPoints ?? 0) / 2,
    impactBasisPoints: spread?.impact.basisPoints ?? 0,
    feeBasisPoints: fees.basisPoints,
    appFeeBasisPoints: fees.ofInput,
    withdrawFee,
    refundFee,
    minimumQuote
  }
  const { spreadBasisPoints } = costs
  const changes: Partial<FillRules> = {
    ...(Option.isSome(flags.touch) ? { touch: flags.touch.value } : {}),
    ...(Option.isSome(flags.fillPrice) ? { price: flags.fillPrice.value } : {}),
    ...(Option.isSome(flags.edgeBps) ? { edgeBasisPoints: flags.edgeBps.value } : {}),
    // What is known is not drawn.
    ...(spread === undefined || spread.from === "sandbox" ? {} : { spreadBasisPoints }),
    ...(Option.isSome(flags.volumeShare) ? { volumeShare: flags.volumeShare.value } : {})
  }
  return { costs, changes, accountTerms } satisfies Backtest.Options
})

/**
 * Without a configuration: the assets that the file names, with enough decimals for any amount that a person writes.
 */
const marketsOf = (strategyText: string): Markets => {
  const named = parseDocument(strategyText).get("market")
  const names = isSeq(named) ? named.items.map((item) => (isScalar(item) ? item.value : item)) : [named]
  const all = [...names, ...quotedIn(strategyText)]
  const symbols = all.flatMap((name) => (typeof name === "string" ? name.split("/") : []))
  const assets = [...new Set(symbols)].map((symbol) => ({ symbol, id: symbol, decimals: 18 }))
  return { assets, ticks: new Map() }
}

/**
 * The reader of configurations brings wallets and venues along, so it is loaded on demand: most runs have no
 * configuration.
 */
const configuredMarkets = Effect.fnUntraced(function* (file: string) {
  const { loadSettings } = yield* Effect.promise(() => import("../../files/ConfigFile.ts"))
  return (yield* loadSettings(file)).markets
})

export interface StrategySource {
  readonly text: string
  readonly file: string
  readonly markets: Markets
  readonly strategy: Strategy
}

export const loadStrategy = Effect.fn("BacktestInput.loadStrategy")(function* (
  file: string,
  config: Option.Option<string>
) {
  const fileSystem = yield* FileSystem.FileSystem
  return yield* strategyOf(yield* fileSystem.readFileString(file), file, config)
})

export const strategyOf = Effect.fn("BacktestInput.strategyOf")(function* (
  text: string,
  file: string,
  config: Option.Option<string>
) {
  const markets = Option.isNone(config) ? marketsOf(text) : yield* configuredMarkets(config.value)
  const parsed = suited(StrategyFile.parse(text, file, markets), "backtest")
  if (Result.isFailure(parsed))
    return yield* new StrategiesInvalid({ rendered: parsed.failure.map((problem) => render(problem, text)) })
  return { text, file, markets, strategy: parsed.success } satisfies StrategySource
})

/** A moment as people write it. */
export const moment = (flag: string, written: Option.Option<string>, otherwise: number) =>
  Effect.suspend(() => {
    if (Option.isNone(written)) return Effect.succeed(otherwise)
    const read = Result.map(parseField(written.value, "time"), ({ value }) => toMillis(value))
    return orWrong(Result.mapError(read, ({ advice, message }) => `--${flag} ${message}; ${advice}`))
  })

const repairsOf = (written: Option.Option<string>) =>
  Effect.suspend(() => {
    if (Option.isNone(written)) return Effect.succeed<ReadonlySet<Repair>>(new Set())
    const names = written.value === "all" ? [...repairs] : written.value.split(",").map((name) => name.trim())
    const known = repairs.filter((repair) => names.includes(repair))
    const unknown = names.find((name) => !repairs.some((repair) => repair === name))
    return unknown === undefined
      ? Effect.succeed<ReadonlySet<Repair>>(new Set(known))
      : Effect.fail(
          new WrongUsage({ message: `--repair ${unknown}: no such repair; choose from ${repairs.join(", ")}, all` })
        )
  })

const journalPrefix = "journal:"

/** A journal's minutes, as if they were a file. Loaded on demand: most runs read files. */
const fromJournal = Effect.fnUntraced(function* (file: string, market: string | undefined) {
  const JournalData = yield* Effect.promise(() => import("../../app/journal/JournalData.ts"))
  const { candles, sha256 } = yield* JournalData.candles(file, market)
  const repaired = { invalid: 0, sort: 0, duplicates: 0, range: 0, gaps: 0 }
  const indices = CrossingIndex.linearIndices(candles, "at")
  return { candles, sha256, indices, problems: [], repaired, source: "file" } satisfies CandleFile.Loaded
})

/** Without volume there is nothing to take a share of: orders fill whole, and the output says so. */
export const withoutVolume = (options: Backtest.Options, candles: Candles.Candles): Backtest.Options =>
  Candles.hasOnlyZeroVolumes(candles) ? { ...options, changes: { ...options.changes, volumeShare: 0 } } : options

/** Candles of the file within the requested time. `indexed`: an index pays off, because many runs follow. */
export const loadCandles = Effect.fn("BacktestInput.loadCandles")(function* (
  flags: DataFlags,
  wanted: CandleFile.LoadOptions["wanted"] & { readonly indexed: boolean; readonly tradeCandleMillis?: number },
  market?: string
) {
  const repair = yield* repairsOf(flags.repair)
  const from = yield* moment("from", flags.from, 0)
  const to = yield* moment("to", flags.to, Number.MAX_SAFE_INTEGER)
  const cache = flags.noCache ? "never" : "kept"
  // A part has its own index, so it is copied to whole columns.
  const isPart = Option.isSome(flags.from) || Option.isSome(flags.to)
  const { range, ...columns } = wanted
  const asked = range === undefined || isPart ? columns : { ...columns, range }
  const isJournal = flags.data.startsWith(journalPrefix)
  const loaded = isJournal
    ? yield* fromJournal(flags.data.slice(journalPrefix.length), market)
    : yield* CandleFile.load(flags.data, {
        repair,
        tradeCandleMillis: wanted.tradeCandleMillis ?? 60_000,
        cache,
        wanted: asked
      })
  const warnings = loaded.problems.filter(({ severity }) => severity === "warning").map(format)
  const candles = isPart ? Candles.between(loaded.candles, from, to) : loaded.candles
  if (candles.bars < 2)
    return yield* new WrongUsage({
      message: `--from, --to: ${candles.bars} candles lie between; choose a longer time`
    })
  const hasTree = loaded.indices.orders.minima.length > 0
  const indices =
    !isPart && (hasTree || !wanted.indexed)
      ? loaded.indices
      : wanted.indexed
        ? CrossingIndex.buildIndices(candles, "at")
        : CrossingIndex.linearIndices(candles, "at")
  return { ...loaded, candles, indices, warnings }
})

/** A strategy that needs candles shorter than the data cannot run on it. */
export const checkTimeframes = (strategy: Strategy, candles: Candles.Candles) => {
  const [timeframe] = Backtest.tooFine(strategy, candles)
  return timeframe === undefined
    ? Effect.void
    : Effect.fail(
        new WrongUsage({
          message: `the strategy decides by ${timeframe} candles, the data has candles of ${candles.time.stepMillis / 1000} s; give finer data`
        })
      )
}
