/** Turns the known costs and rules into options for each market that the strategy sees, and joins these with its candles. */
import { Array as Arr, Effect, FileSystem, Result } from "effect"
import * as Candles from "../../candles/Candles.ts"
import { sha256Of } from "../../candles/ColumnCache.ts"
import * as SignalCsv from "../../candles/csv/SignalCsv.ts"
import { format } from "../../candles/DataProblem.ts"
import * as Amount from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import type { OrderTerms } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import { historyOf } from "../../domain/Signal.ts"
import * as Calibration from "../../ledger/measured/Calibration.ts"
import { orWrong, wrongUsage } from "../../process/WrongUsage.ts"
import { marketsSeen, type Strategy } from "../../strategy/Strategy.ts"
import type * as Backtest from "../backtest/Backtest.ts"
import type { FillRules } from "../backtest/kernel/FillRules.ts"
import * as MeasuredRules from "../backtest/results/MeasuredRules.ts"
import * as WarmUp from "../backtest/WarmUp.ts"
import * as FeeModel from "./FeeModel.ts"
import { journalPrefix, type PartAsked, type RunCandles } from "./RunCandles.ts"

export interface RulesAsked extends FeeModel.CostFlags {
  readonly touch?: FillRules["touch"] | undefined
  readonly fillPrice?: FillRules["price"] | undefined
  readonly edgeBps?: number | undefined
  readonly volumeShare?: number | undefined
  readonly minimumQuote?: string | undefined
  readonly calibrate?: string | undefined
  /** Source of the signal values. A command without the flag has no such key. */
  readonly signals?: string | undefined
}

export interface RunAsked extends PartAsked, RulesAsked {
  readonly data: ReadonlyArray<string>
  readonly config: string | undefined
}

const amount = (flag: string, written: string, decimals: number) => {
  const decimal = Decimal.parse(written.trim())
  const amountValue = decimal === undefined ? undefined : Amount.fromDecimal(decimal, decimals)
  return orWrong(
    amountValue === undefined || amountValue < 0n
      ? Result.fail(`--${flag} ${written}: not an amount with at most ${decimals} decimals; write for example 0.5`)
      : Result.succeed(amountValue)
  )
}

/** Expects one amount for each base, in the order of the markets, and one for the quote. */
const amounts = Effect.fnUntraced(function* (
  flag: string,
  written: string | undefined,
  market: Market,
  all: ReadonlyArray<Market>,
  measured: ReadonlyMap<string, bigint>
) {
  const measuredAmountOf = ({ symbol }: Amount.Asset) => measured.get(symbol) ?? 0n
  if (written === undefined) return { base: measuredAmountOf(market.base), quote: measuredAmountOf(market.quote) }
  const parts = written.split(",")
  if (all.length > 1 ? parts.length !== all.length + 1 : parts.length > 2) {
    const symbols = [...all.map(({ base }) => base.symbol), market.quote.symbol].join(",")
    return yield* wrongUsage(`--${flag} ${written}: give an amount of each of ${symbols}`)
  }
  const [first = "", second = "0"] = [parts[all.indexOf(market)], parts[all.length]]
  return {
    base: yield* amount(flag, first, market.base.decimals),
    quote: yield* amount(flag, second, market.quote.decimals)
  }
})

export const calibrationOf = Effect.fnUntraced(function* (journal: string, market: Market, accountTerms: OrderTerms) {
  const JournalData = yield* Effect.promise(() => import("../../app/journal/JournalData.ts"))
  const calibration = yield* JournalData.calibration(journal, market.name, accountTerms)
  const measured = {
    pessimistic: MeasuredRules.rulesFor(calibration, "pessimistic"),
    optimistic: MeasuredRules.rulesFor(calibration, "optimistic")
  }
  return { measured, said: Calibration.describe(calibration) }
})

const optionsIn = Effect.fnUntraced(function* (
  asked: RulesAsked,
  known: FeeModel.KnownCosts,
  market: Market,
  all: ReadonlyArray<Market>
) {
  const { calibrate, volumeShare } = asked
  const withdrawFee = yield* amounts("withdraw-fee", asked.withdrawFee, market, all, known.payouts)
  const refundFee = yield* amounts("refund-fee", asked.refundFee, market, all, known.refunds)
  const least = asked.minimumQuote ?? "0"
  const minimumQuote = yield* amount("minimum-quote", least, market.quote.decimals)
  const spread = known.spreads.get(market.name)
  const spreadBasisPoints = (spread?.basisPoints ?? 0) / 2
  const impactBasisPoints = spread?.impact.basisPoints ?? 0
  const { basisPoints: feeBasisPoints, ofInput: appFeeBasisPoints } = known.fees
  const rates = { spreadBasisPoints, impactBasisPoints, feeBasisPoints, appFeeBasisPoints }
  const costs = { ...rates, withdrawFee, refundFee, minimumQuote }
  const changes: Partial<FillRules> = {
    ...present({ touch: asked.touch, price: asked.fillPrice, edgeBasisPoints: asked.edgeBps, volumeShare }),
    // A measured or given spread is fixed; simulated runs draw only an assumed one.
    ...(spread === undefined || spread.from === "sandbox" ? {} : { spreadBasisPoints })
  }
  const baseOptions = { costs, changes, accountTerms: known.accountTerms } satisfies Backtest.Options
  if (calibrate === undefined) return { options: baseOptions, calibrated: [] }
  const { measured, said } = yield* calibrationOf(calibrate, market, known.accountTerms)
  const calibrated = all.length === 1 ? said : said.map((text) => `${market.name}: ${text}`)
  return { options: { ...baseOptions, measured }, calibrated }
})

/** Hashes a value with its maps and amounts. */
export const hashOf = (value: unknown): string => {
  const plain = (_: string, part: unknown) =>
    typeof part === "bigint" ? `${part}` : part instanceof Map ? [...part] : part
  return sha256Of(new TextEncoder().encode(JSON.stringify(value, plain)))
}

export type RunInputs = Effect.Success<ReturnType<typeof groundOf>>

export const groundOf = Effect.fn("RunSetUp.groundOf")(function* (
  asked: RulesAsked,
  strategy: Strategy,
  account: FeeModel.Account | undefined
) {
  const { terms, limits } = strategy
  const markets = marketsSeen(strategy)
  const costs = yield* FeeModel.of(asked, account, markets, terms, limits.maxFeeBasisPoints)
  const perMarket = yield* Effect.forEach(markets, (market) => optionsIn(asked, costs, market, markets))
  const values = yield* signalsOf(asked, strategy)
  const signals = values && historyOf(values)
  const { calibrate, signals: from } = asked
  const inputs = [
    ["signals", from, values],
    ["calibration", calibrate, perMarket.map(({ options }) => options)],
    ["configuration", account?.config, [markets, { ...account, config: "", journal: "" }]]
  ] as const
  return {
    strategy,
    options: Arr.map(perMarket, ({ options }): Backtest.Options => ({ ...options, ...present({ signals }) })),
    /** Content that decides the figures, beside candles, strategy file and flags. */
    inputsRead: inputs.flatMap(([name, file, content]) =>
      content !== undefined && file !== undefined ? [{ name, file, sha256: hashOf(content) }] : []
    ),
    calibrated: perMarket.flatMap(({ calibrated }) => calibrated),
    fees: costs.fees
  }
})

export const checkTimeframes = (strategy: Strategy, series: ReadonlyArray<Candles.Candles>) => {
  const why = WarmUp.unusable(strategy, series)
  return why === undefined ? Effect.void : Effect.fail(wrongUsage(why))
}

/** Without volume there is no share to compute, so orders fill whole, and the output says so. */
const withoutVolume = (options: Backtest.Options): Backtest.Options => ({
  ...options,
  changes: { ...options.changes, volumeShare: 0 }
})

export interface RunSetUp extends RunCandles {
  readonly name: string
  readonly inputs: Backtest.MarketInputs
}

export const onCandles = <G extends RunInputs>(ground: G, loaded: RunCandles) => {
  const series = loaded.series.map(({ candles }) => candles)
  return Effect.map(checkTimeframes(ground.strategy, series), (): G & RunSetUp => {
    const bare = series.map(Candles.hasOnlyZeroVolumes)
    const [first, ...others] = Arr.map(loaded.series, (each, index) => {
      const options = ground.options[index] ?? ground.options[0]
      return { ...each, options: bare[index] === true ? withoutVolume(options) : options }
    })
    const noVolumes = loaded.sources.flatMap(({ data }, index) => {
      if (bare[index] !== true) return []
      return others.length === 0 && loaded.detail === undefined
        ? ["the data have no volumes: orders fill whole"]
        : [`${loaded.detail?.data ?? data} has no volumes: its orders fill whole`]
    })
    const name = loaded.sources.map(({ market }) => market.name).join(", ")
    const warmUp = WarmUp.sentences(ground.strategy, series)
    const warnings = Arr.dedupe([...loaded.warnings, ...noVolumes, ...warmUp])
    return { ...ground, ...loaded, name, inputs: [first, ...others], warnings }
  })
}

const maxProblems = 20

const signalValuesOf = Effect.fnUntraced(function* (from: string) {
  if (from.startsWith(journalPrefix)) {
    const JournalData = yield* Effect.promise(() => import("../../app/journal/JournalData.ts"))
    return yield* JournalData.signals(from.slice(journalPrefix.length))
  }
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem
    .readFileString(from)
    .pipe(Effect.mapError(({ message }) => wrongUsage(`--signals ${from}: ${message}`)))
  const { problems, values } = SignalCsv.parseSignals(text, from)
  if (problems.length === 0) return values
  return yield* wrongUsage(problems.slice(0, maxProblems).map(format).join("\n"))
})

/** Returns `undefined` for a strategy without signals. Fails if a strategy with signals gets no values, because it would decide nothing. */
const signalsOf = Effect.fn("RunSetUp.signalsOf")(function* (
  asked: RulesAsked,
  { file, signals }: Pick<Strategy, "file" | "signals">
) {
  if (signals === undefined) return undefined
  const names = [...signals.keys()]
  const looks = `${file} uses the signal ${names.join(", ")}`
  const { signals: from } = asked
  if (!("signals" in asked))
    return yield* wrongUsage(`${looks}, which a search cannot supply: run limitbot backtest --signals FILE`)
  if (from === undefined)
    return yield* wrongUsage(`${looks}: add its values with --signals FILE, in lines of time,name,value`)
  const values = yield* signalValuesOf(from)
  const missing = names.filter((name) => values.every((value) => value.name !== name))
  if (missing.length > 0)
    return yield* wrongUsage(`--signals ${from}: has no value of ${missing.join(", ")}, which ${file} uses`)
  return values
})
