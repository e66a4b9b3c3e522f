/**
 * Estimates the earnings of an edited file on the recorded prices, compared with the strategy's actual earnings. The answer is a band,
 * because fills depend on solvers. The edited file runs as a backtest over the minutes that the bot saw, with times and margins measured
 * from its own orders. The band of the file that ran last shows the error of such a band, and both ends are widened by that error.
 */
import { Array as Arr, Effect, Option } from "effect"
import * as JournalData from "../../app/journal/JournalData.ts"
import { type Amount, format, max, medianAmount } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import type { Market } from "../../domain/Market.ts"
import { iso } from "../../domain/Text.ts"
import { frameStart } from "../../domain/Timeframe.ts"
import type { Replayed } from "../../engine/explain/Replay.ts"
import type { BotSettings } from "../../files/ConfigFile.ts"
import type { Minute } from "../../journal/PriceStore.ts"
import * as Profit from "../../ledger/Profit.ts"
import type { TradingRecord } from "../../ledger/Trades.ts"
import { marketsSeen, type Strategy } from "../../strategy/Strategy.ts"
import { isPartner, ofFills, usualOf } from "../../venue/profile/Charges.ts"
import * as Band from "../backtest/Band.ts"
import * as BandSide from "../backtest/results/BandSide.ts"
import * as WarmUp from "../backtest/WarmUp.ts"
import type * as FeeModel from "../runs/FeeModel.ts"
import * as RunCandles from "../runs/RunCandles.ts"
import * as RunSetUp from "../runs/RunSetUp.ts"

/** The bounds, or why there are none. */
export type ProfitDifference = Effect.Success<ReturnType<typeof differenceOf>>

export interface RecordedRun {
  readonly journal: string
  readonly trading: TradingRecord
  readonly minutes: ReadonlyMap<string, ReadonlyArray<Minute>>
  readonly ran: Replayed["ran"]
  readonly decimals: (symbol: string) => number | undefined
  readonly venue: Pick<BotSettings["venue"], "facts" | "hasPartner">
  readonly account: Pick<BotSettings["account"], "terms">
}

export const differenceOf = Effect.fn("WhatIf.differenceOf")(function* (edited: Strategy, recorded: RecordedRun) {
  const { name: strategy, market } = edited
  const none = (why: string) => ({ strategy, why })
  const ran = recorded.ran(strategy)
  const files = ran === undefined ? [edited] : [edited, ran.last]
  if (files.some((file) => marketsSeen(file).length > 1 || file.market.name !== market.name))
    return none("profit bounds exist only for strategies of one market")
  if (files.some(({ volumes }) => volumes !== undefined)) return none("it uses volumes, which recorded prices lack")
  if (files.some(({ signals }) => signals !== undefined))
    return none("it uses signals: limitbot backtest --signals journal:FILE replays them")
  if (ran?.from === undefined) return none("no strategy of its name has decided anything")
  // Earlier minutes, which the bot stored or loaded before the strategy began, only warm up indicators.
  const from = frameStart(ran.from, minuteMillis)
  const isWithin = ({ openedAt }: Minute) => openedAt >= from && openedAt < (ran.to ?? Number.POSITIVE_INFINITY)
  const minutes = (recorded.minutes.get(market.name) ?? []).filter(isWithin)
  const [first, last] = [minutes[0], minutes.at(-1)]
  if (first === undefined || last === undefined || minutes.length < 2) return none("the bot stored too few prices")
  const { account, journal } = recorded
  const part = { from: `${from}`, to: ran.to?.toString(), repair: undefined, noCache: true }
  const columns = { open: true, volume: true, indexed: false }
  const data = yield* Effect.option(
    Effect.all([
      RunCandles.load([`journal:${journal}`], part, columns, edited),
      RunSetUp.calibrationOf(journal, market, account.terms),
      JournalData.costs(journal, keptBasisPoints(recorded))
    ])
  )
  if (Option.isNone(data)) return none("the journal's prices cannot be read")
  const [candles, { measured }, costs] = data.value
  const series = candles.series.map(({ candles }) => candles)
  if (files.some((file) => WarmUp.unusable(file, series) !== undefined))
    return none("it decides on shorter candles than minutes, but only minutes are recorded")
  const bandOf = Effect.fnUntraced(function* (file: Strategy) {
    const ground = yield* RunSetUp.groundOf({}, file, accountOf(recorded, market, costs))
    // Simulated runs draw the spread from the prior, even if the journal measured it.
    const options = Arr.map(ground.options, (each) => ({ ...each, changes: {}, measured }))
    const { inputs } = yield* RunSetUp.onCandles({ ...ground, options }, candles)
    return Band.quantilesOf(Band.run(file, inputs).simulated, BandSide.profitOf)
  })
  const earned = earnedBy(recorded, strategy, market, last.close)
  const recordedBand = yield* bandOf(ran.last)
  const { p5, p95 } = yield* bandOf(edited)
  const [editedLow, editedHigh] = [p5 - max(0n, recordedBand.p5 - earned), p95 + max(0n, earned - recordedBand.p95)]
  const { quote } = market
  const text = (amount: Amount) => format(amount, quote.decimals)
  return {
    strategy,
    asset: quote.symbol,
    from: iso(first.openedAt),
    to: iso(last.openedAt + minuteMillis),
    /** Number of different files of this strategy that ran. `earned` covers all of them. */
    filesRan: ran.hashes.size,
    /** Exact, after fees. */
    earned: text(earned),
    editedLow: text(editedLow),
    editedHigh: text(editedHigh),
    differenceLow: text(editedLow - earned),
    differenceHigh: text(editedHigh - earned)
  }
})

const earnedBy = ({ trading, decimals }: RecordedRun, strategy: string, market: Market, close: number): Amount => {
  const last = new Map([[market.name, { price: Decimal.fromNumber(close), at: 0 }]])
  const mark = Profit.markBy(last, decimals)
  const rows = Profit.report(trading, { method: "average", by: "strategy", mark, now: 0 })
  return rows.find(({ group, quote }) => group === strategy && quote === market.quote.symbol)?.figures.total ?? 0n
}

/** Returns the service's share of a trade, which quotes already include. */
const keptBasisPoints = ({ venue }: RecordedRun): number =>
  usualOf(venue.facts.fees, isPartner(venue.facts, venue.hasPartner))

/** The account with the service's fees, and with the median of the flat fees that the bot paid. */
const accountOf = (
  { account, journal, trading, venue: { facts, hasPartner } }: RecordedRun,
  { base, quote }: Market,
  measured: Effect.Success<ReturnType<typeof JournalData.costs>>
): FeeModel.Account => {
  const hasCredential = isPartner(facts, hasPartner)
  const medianFees = (kind: "payout" | "refund") => {
    const of = ({ symbol }: Market["base"]) => {
      const charges = trading.fees.filter((fee) => fee.kind === kind && fee.asset === symbol)
      return [symbol, medianAmount(charges.map(({ amount }) => amount))] as const
    }
    return new Map([of(base), of(quote)])
  }
  const flat = { payouts: medianFees("payout"), refunds: medianFees("refund") }
  const fees = { ...flat, fills: trading.trades.length, basisPoints: ofFills(facts.fees, hasCredential) }
  const about = { config: "", journal, isPartner: hasCredential, schedule: facts.fees, terms: account.terms }
  return { ...measured, ...about, fees }
}
