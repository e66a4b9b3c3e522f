/**
 * What an edited file would have earned on the recorded prices, against what its strategy really earned. Nobody can know
 * that exactly, because fills depend on solvers. The edited file runs as a backtest over the minutes that the bot saw, with
 * times and margins measured from its own orders, and the answer is a band. The band of the file that
 * ran last shows by how much such a band misses here, and both ends are moved apart by that.
 */
import { Effect, Option } from "effect"
import * as Backtest from "../../backtest/Backtest.ts"
import * as Band from "../../backtest/Band.ts"
import { type Costs, noCosts } from "../../backtest/kernel/FillPresets.ts"
import * as Calibration from "../../backtest/results/Calibration.ts"
import * as CrossingIndex from "../../candles/CrossingIndex.ts"
import { type Amount, format, max } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import type { Market } from "../../domain/Market.ts"
import { medianAmount } from "../../domain/Median.ts"
import type { OrderTerms } from "../../domain/Order.ts"
import { iso } from "../../domain/Text.ts"
import type { Replayed } from "../../engine/explain/Replay.ts"
import type { BotSettings } from "../../files/ConfigFile.ts"
import type { Minute } from "../../journal/PriceStore.ts"
import * as Profit from "../../ledger/Profit.ts"
import type { TradingRecord } from "../../ledger/Trades.ts"
import { marketsSeen, type Strategy } from "../../strategy/Strategy.ts"
import { isPartner, usualOf } from "../../venue/profile/Charges.ts"
import * as FeeModel from "../backtest/FeeModel.ts"
import * as JournalData from "../journal/JournalData.ts"

export interface ProfitDifference {
  readonly strategy: string
  readonly asset: string
  /** The time that the recorded prices cover. */
  readonly from: string
  readonly to: string
  /** Different files of this strategy that ran: what it earned, it earned with all of them. */
  readonly filesRan: number
  /** What it really earned, after fees: exact. */
  readonly earned: string
  /** What the edited file would have earned lies between these. */
  readonly editedLow: string
  readonly editedHigh: string
  /** Edited less earned. */
  readonly differenceLow: string
  readonly differenceHigh: string
}

/** Why there is no figure. */
export interface NoDifference {
  readonly strategy: string
  readonly why: string
}

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
  const none = (why: string): NoDifference => ({ strategy, why })
  const ran = recorded.ran(strategy)
  const files = ran === undefined ? [edited] : [edited, ran.last]
  if (files.some((file) => marketsSeen(file).length > 1 || file.market.name !== market.name))
    return none("its profit is bounded for strategies that see one market only")
  const minutes = recorded.minutes.get(market.name) ?? []
  const [first, last] = [minutes[0], minutes.at(-1)]
  if (first === undefined || last === undefined || minutes.length < 2) return none("the bot stored too few prices")
  const { account, journal } = recorded
  const data = yield* Effect.option(
    Effect.all([
      JournalData.candles(journal, market.name),
      JournalData.calibration(journal, market.name, account.terms),
      JournalData.costs(journal, keptBasisPoints(recorded))
    ])
  )
  if (Option.isNone(data)) return none("the journal's prices cannot be read")
  const [{ candles }, calibration, { echoed, impacts, spreads }] = data.value
  const [finest] = Backtest.tooFine(edited, candles)
  if (finest !== undefined) return none(`it decides by ${finest} candles, and minutes are recorded`)
  const spread = spreads.get(market.name) ?? FeeModel.sandboxSpreadBasisPoints
  const optionsFor = ({ terms }: Strategy): Backtest.Options => ({
    costs: {
      ...costsOf(recorded, market, { ...account.terms, ...terms }, echoed),
      spreadBasisPoints: spread / 2,
      impactBasisPoints: FeeModel.impactIn(impacts, market).basisPoints
    },
    accountTerms: account.terms,
    // What others trade is not recorded.
    changes: { volumeShare: 0 },
    measured: {
      pessimistic: Calibration.rulesFor(calibration, "pessimistic"),
      optimistic: Calibration.rulesFor(calibration, "optimistic")
    }
  })
  const indices = CrossingIndex.linearIndices(candles, "at")
  const bandOf = (file: Strategy): readonly [Amount, Amount] => {
    const { simulated } = Band.run(file, [{ candles, indices, options: optionsFor(file) }])
    const { p5, p95 } = Band.quantilesOf(simulated, Backtest.profitOf)
    return [p5, p95]
  }
  const earned = earnedBy(recorded, strategy, market, last.close)
  const [ranLow, ranHigh] = ran === undefined ? [earned, earned] : bandOf(ran.last)
  const [low, high] = bandOf(edited)
  const [editedLow, editedHigh] = [low - max(0n, ranLow - earned), high + max(0n, earned - ranHigh)]
  const { quote } = market
  const text = (amount: Amount) => format(amount, quote.decimals)
  return {
    strategy,
    asset: quote.symbol,
    from: iso(first.openedAt),
    to: iso(last.openedAt + minuteMillis),
    filesRan: ran?.files ?? 0,
    earned: text(earned),
    editedLow: text(editedLow),
    editedHigh: text(editedHigh),
    differenceLow: text(editedLow - earned),
    differenceHigh: text(editedHigh - earned)
  } satisfies ProfitDifference
})

/** Realised and unrealised less fees, open positions at the last recorded close, as a backtest counts. */
const earnedBy = ({ trading, decimals }: RecordedRun, strategy: string, market: Market, close: number): Amount => {
  const last = new Map([[market.name, { price: Decimal.fromNumber(close), at: 0 }]])
  const rows = Profit.report(trading, {
    method: "average",
    by: "strategy",
    mark: Profit.markBy(last, decimals),
    now: 0
  })
  return rows.find(({ group, quote }) => group === strategy && quote === market.quote.symbol)?.figures.total ?? 0n
}

/** What the service keeps of a trade: a quote includes it. */
const keptBasisPoints = ({ venue }: RecordedRun): number =>
  usualOf(venue.facts.fees, isPartner(venue.facts, venue.hasPartner))

/** What the service takes with these terms, and the middle one of the flat fees that the bot paid. */
const costsOf = (
  recorded: RecordedRun,
  market: Market,
  terms: OrderTerms,
  echoed: FeeModel.Account["echoed"]
): Omit<Costs, "spreadBasisPoints" | "impactBasisPoints"> => {
  const { base, quote } = market
  const { facts, hasPartner } = recorded.venue
  const known = { echoed, isPartner: isPartner(facts, hasPartner), schedule: facts.fees }
  const paid = (kind: "payout" | "refund") => {
    const of = (symbol: string): Amount => {
      const paid = recorded.trading.fees.filter((fee) => fee.kind === kind && fee.asset === symbol)
      return medianAmount(paid.map(({ amount }) => amount))
    }
    return { base: of(base.symbol), quote: of(quote.symbol) }
  }
  return {
    ...noCosts,
    ...(facts.fees.appFees === "shared"
      ? { appFeeBasisPoints: FeeModel.ofInputs(known, [market], terms).basisPoints }
      : { feeBasisPoints: keptBasisPoints(recorded) }),
    withdrawFee: paid("payout"),
    refundFee: paid("refund")
  }
}
