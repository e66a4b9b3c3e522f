/**
 * Makes every recorded decision again, with the files of the time or with an edited one. Reports the share of fills that came when the
 * recorded prices allowed them, and bounds of the profit difference of an edited file.
 */
import { Effect, Option, Result, Schema, Stream } from "effect"
import { decisionCode } from "../../app/DecisionCode.ts"
import { secondMillis } from "../../domain/Durations.ts"
import * as Replay from "../../engine/explain/Replay.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import { Journal } from "../../journal/Journal.ts"
import { keptOf, type Minute, minutesOf } from "../../journal/PriceStore.ts"
import * as Layers from "../../Layers.ts"
import { type BandVerdict, judge, type Margin } from "../../ledger/FillBand.ts"
import * as Trades from "../../ledger/Trades.ts"
import type { Markets } from "../../strategy/Markets.ts"
import { marketsSeen, type Strategy } from "../../strategy/Strategy.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import { fillPresets } from "../backtest/kernel/FillPresets.ts"
import * as ReplayText from "./ReplayText.ts"

export class NotIdentical extends Schema.TaggedError<NotIdentical>()("NotIdentical", {
  decisions: Schema.Int,
  identical: Schema.Int
}) {
  override get message(): string {
    return `${this.decisions - this.identical} of ${this.decisions} decisions differ from the files of the time: no certificate.`
  }
}

const marketsOf = Effect.fnUntraced(function* (markets: Markets, edited: ReadonlyArray<Strategy>) {
  const { events } = yield* Journal
  const loaded = yield* Stream.runCollect(events({ tags: ["StrategyLoaded"] }))
  const names = loaded.flatMap(({ event }) => {
    if (event._tag !== "StrategyLoaded") return []
    const { market, text = "", file } = event
    const parsedStrategy = Result.getOrUndefined(StrategyFile.parse(text, file, markets))
    return [...market.split(", "), ...(parsedStrategy === undefined ? [] : namesOf(parsedStrategy))]
  })
  return new Set([...names, ...edited.flatMap(namesOf)])
})

const namesOf = (strategy: Strategy): ReadonlyArray<string> => marketsSeen(strategy).map(({ name }) => name)

/** Uses the pessimistic margin of backtests, and half a minute for clock differences and polls. */
const margin: Margin = { edgeBasisPoints: fillPresets.pessimistic.edgeBasisPoints, delayMillis: 30 * secondMillis }

const verdictsOf = (
  { trades, orders }: Trades.TradingRecord,
  minutes: ReadonlyMap<string, ReadonlyArray<Minute>>
): ReadonlyArray<BandVerdict> => {
  const lives = new Map(orders.map((order) => [order.placement, order]))
  return trades.map((trade) => {
    const life = lives.get(trade.placement)
    return life === undefined ? "no prices" : judge(trade, life, minutes.get(trade.market) ?? [], margin)
  })
}

interface Asked {
  readonly config: string
  readonly journal: Option.Option<string>
  readonly with: ReadonlyArray<string>
  readonly certificate: boolean
}

export const replayed = Effect.fn("Replaying.replayed")(function* (asked: Asked) {
  const { config, journal, with: edited, certificate } = asked
  const settings = yield* ConfigFile.loadSettings(config)
  const { account, markets, venue } = settings
  const strategies = edited.length === 0 ? [] : yield* StrategyFiles.load(edited, markets)
  const file = Option.getOrElse(journal, () => settings.journal)
  const places = new Map(markets.assets.map(({ symbol, decimals }) => [symbol, decimals]))
  const decimals = (symbol: string) => places.get(symbol)
  const { replayed, trading, minutes } = yield* Effect.gen(function* () {
    const { events } = yield* Journal
    const marketNames = yield* marketsOf(markets, strategies)
    const [minutes, candles] = [yield* minutesOf(marketNames), yield* keptOf(marketNames)]
    const edited = new Map(strategies.map((each) => [each.name, each]))
    const replay = Replay.make({ markets, minutes, candles, edited })
    const trades = Trades.make(decimals)
    yield* Stream.runForEach(events(), (entry) =>
      Effect.sync(() => {
        replay.see(entry)
        trades.see(entry)
      })
    )
    return { replayed: replay.result(), trading: trades.result(), minutes }
  }).pipe(Effect.provide(Layers.readOnlyJournal(file)))
  const { ran } = replayed
  const recorded = { journal: file, trading, minutes, ran, decimals, account, venue }
  const differenceOf = (strategy: Strategy) =>
    Effect.flatMap(
      Effect.promise(() => import("./WhatIf.ts")),
      (WhatIf) => WhatIf.differenceOf(strategy, recorded)
    )
  const profit = yield* Effect.forEach(strategies, differenceOf)
  const outcome = { replayed, verdicts: verdictsOf(trading, minutes), code: decisionCode(), profit }
  const { decisions, identical } = replayed
  const exit = certificate && identical < decisions ? new NotIdentical({ decisions, identical }) : undefined
  return { data: () => ReplayText.json(outcome), lines: () => ReplayText.lines(outcome), exit }
})
