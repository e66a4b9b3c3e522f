/**
 * `limitbot replay`: makes every recorded decision again, with the files of the time or with an edited one. It says what
 * share of the fills came when the recorded prices allowed it, and between what an edited file's profit would differ.
 */
import { Effect, Option, Result, Schema, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { decisionCode } from "../../app/DecisionCode.ts"
import * as ReplayText from "../../app/money/ReplayText.ts"
import * as Answer from "../../app/process/Answer.ts"
import { fillPresets } from "../../backtest/kernel/FillPresets.ts"
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
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"

/** Live did not do what its files say. */
export class NotIdentical extends Schema.TaggedError<NotIdentical>()("NotIdentical", {
  decisions: Schema.Int,
  identical: Schema.Int
}) {
  override get message(): string {
    return `${this.decisions - this.identical} of ${this.decisions} decisions are not what the files of the time say: no certificate.`
  }
}

export const command = Command.make(
  "replay",
  {
    config: flags.config,
    journal: FileName.flag("journal").pipe(
      Flag.withDescription("A journal or a copy of one; default: that of the configuration"),
      Flag.optional
    ),
    with: Flag.String("with").pipe(
      Flag.withDescription("A strategy file that takes the place of the one of the same name"),
      Flag.between(0, 20)
    ),
    certificate: flags.toggle("certificate", "Fail unless every decision is what the files of the time say"),
    json: flags.json
  },
  Effect.fn(function* ({ config, journal, with: edited, certificate }) {
    const settings = yield* ConfigFile.loadSettings(config)
    const { account, markets, venue } = settings
    const strategies = edited.length === 0 ? [] : yield* StrategyFiles.load(edited, markets)
    const file = Option.getOrElse(journal, () => settings.journal)
    const places = new Map(markets.assets.map(({ symbol, decimals }) => [symbol, decimals]))
    const decimals = (symbol: string) => places.get(symbol)
    const { replayed, trading, minutes } = yield* Effect.gen(function* () {
      const { events } = yield* Journal
      const named = yield* marketsOf(markets, strategies)
      const [minutes, candles] = [yield* minutesOf(named), yield* keptOf(named)]
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
    // Backtests are loaded on demand.
    const differenceOf = (strategy: Strategy) =>
      Effect.flatMap(
        Effect.promise(() => import("../../app/money/WhatIf.ts")),
        (WhatIf) => WhatIf.differenceOf(strategy, recorded)
      )
    const profit = yield* Effect.forEach(strategies, differenceOf)
    const found = { replayed, verdicts: verdictsOf(trading, minutes), code: decisionCode(), profit }
    const { decisions, identical } = replayed
    const exit = certificate && identical < decisions ? new NotIdentical({ decisions, identical }) : undefined
    return { data: () => ReplayText.json(found), lines: () => ReplayText.lines(found), exit }
  }, Answer.print)
).pipe(
  Command.withDescription("Run every recorded decision again and compare"),
  Command.withExamples([
    { command: "limitbot replay --certificate", description: "The daily proof that the bot did what its files say" },
    { command: "limitbot replay --with strategies/grid.yaml", description: "What an edited file would have decided" }
  ])
)

/** Every market that a strategy of this journal traded or looked at, and those of the edited files. */
const marketsOf = Effect.fnUntraced(function* (markets: Markets, edited: ReadonlyArray<Strategy>) {
  const { events } = yield* Journal
  const loaded = yield* Stream.runCollect(events({ tags: ["StrategyLoaded"] }))
  const names = loaded.flatMap(({ event }) => {
    if (event._tag !== "StrategyLoaded") return []
    const { market, text = "", file } = event
    const read = Result.getOrUndefined(StrategyFile.parse(text, file, markets))
    return [...market.split(", "), ...(read === undefined ? [] : namesOf(read))]
  })
  return new Set([...names, ...edited.flatMap(namesOf)])
})

const namesOf = (strategy: Strategy): ReadonlyArray<string> => marketsSeen(strategy).map(({ name }) => name)

/** The pessimistic rules of backtests, and half a minute for clocks and looks. */
const margin: Margin = {
  edgeBasisPoints: fillPresets.pessimistic.edgeBasisPoints,
  delayMillis: 30 * secondMillis
}

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
