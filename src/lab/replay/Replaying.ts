/**
 * Makes every recorded decision again, with the files of the time or with an edited one. Reports the share of fills that came when the
 * recorded prices allowed them, and bounds of the profit difference of an edited file, for people and programs.
 */
import { Effect, Result, Stream } from "effect"
import { commandFailed } from "../../app/CommandFailed.ts"
import { decisionCode } from "../../app/DecisionCode.ts"
import { secondMillis } from "../../domain/Durations.ts"
import { present } from "../../domain/Present.ts"
import { countText, percent, utc } from "../../domain/Text.ts"
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
import type { ProfitDifference } from "./WhatIf.ts"

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
  readonly journal: string | undefined
  readonly with: ReadonlyArray<string>
  readonly certificate: boolean
}

export const replayed = Effect.fn("Replaying.replayed")(function* (asked: Asked) {
  const { config, journal, with: edited, certificate } = asked
  const settings = yield* ConfigFile.loadSettings(config)
  const { account, markets, venue } = settings
  const strategies = edited.length === 0 ? [] : yield* StrategyFiles.load(edited, markets)
  const file = journal ?? settings.journal
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
  const whatIf = Effect.promise(() => import("./WhatIf.ts"))
  const profit = yield* Effect.forEach(strategies, (strategy) =>
    Effect.flatMap(whatIf, ({ differenceOf }) => differenceOf(strategy, recorded))
  )
  const outcome = { replayed, verdicts: verdictsOf(trading, minutes), code: decisionCode(), profit }
  const { decisions, identical } = replayed
  const differing = `${decisions - identical} of ${decisions} decisions differ from the files of the time`
  const exit = certificate && identical < decisions ? commandFailed(`${differing}: no certificate.`) : undefined
  return { data: () => jsonOf(outcome), lines: () => linesOf(outcome), exit }
})

interface Found {
  readonly replayed: Replay.Replayed
  readonly verdicts: ReadonlyArray<BandVerdict>
  readonly code: string
  readonly profit: ReadonlyArray<ProfitDifference>
}

const countOf = (verdicts: ReadonlyArray<BandVerdict>, wanted: BandVerdict): number =>
  verdicts.filter((verdict) => verdict === wanted).length

/** Fields are added, never changed or removed. */
const jsonOf = ({ replayed, verdicts, code, profit }: Found) => {
  const { decisions, identical, hash, withoutFile, differences, byCode } = replayed
  return {
    decisions,
    identical,
    hash,
    fillsInBand: countOf(verdicts, "in band"),
    fills: verdicts.length,
    fillsTooEarly: countOf(verdicts, "too early"),
    fillsTooLate: countOf(verdicts, "too late"),
    fillsWithoutPrices: countOf(verdicts, "no prices"),
    decisionCode: code,
    decidedBy: [...byCode].map(([by, counts]) => ({ decisionCode: by === "" ? null : by, ...counts })),
    withoutFile,
    ...present({ profit: profit.length === 0 ? undefined : profit }),
    differences
  }
}

const linesOf = ({ replayed, verdicts, code, profit }: Found): ReadonlyArray<string> => {
  const { decisions, identical, hash, differences, byCode, withoutFile } = replayed
  const judged = verdicts.length - countOf(verdicts, "no prices")
  const within = countOf(verdicts, "in band")
  const share = judged === 0 ? "" : ` (${percent(within / judged)} of those with recorded prices)`
  const outside = (["too early", "too late", "no prices"] as const).flatMap((verdict) => {
    const count = countOf(verdicts, verdict)
    return count === 0 ? [] : [`${count} ${verdict === "no prices" ? "without recorded prices" : verdict}`]
  })
  return [
    `${identical} of ${decisions} decisions identical. Hash ${hash}`,
    ...(withoutFile === 0 ? [] : [`${countText(withoutFile, "decision")} not compared: no file of the same market.`]),
    ...[...byCode].map(([by, counts]) => codeLine(by, counts, code)),
    `${within} of ${verdicts.length} fills lay within the band${share}${outside.length === 0 ? "" : `; ${outside.join(", ")}`}.`,
    ...profit.map(profitLine),
    ...differences.flatMap(differenceLines)
  ]
}

const maxChanges = 10

const differenceLines = ({ at, changes, strategy }: Replay.Replayed["differences"][number]): ReadonlyArray<string> => {
  const more = changes.length - maxChanges
  return [
    `${utc(at)} ${strategy}`,
    ...changes.slice(0, maxChanges).map((change) => `  ${change}`),
    ...(more > 0 ? [`  and ${countText(more, "more change")}: --json has all`] : [])
  ]
}

/** If the decision code differs now, a difference says nothing about the bot. */
const codeLine = (by: string, { decisions, identical }: { decisions: number; identical: number }, now: string) => {
  const prefix = `  ${countText(decisions, "decision")} made by`
  if (by === now) return `${prefix} decision code ${by}, as in this program.`
  const code = by === "" ? "a version that did not record its decision code" : `decision code ${by}`
  const after =
    identical === decisions ? "it decides the same here" : "differences may come from the code: replay with that build"
  return `${prefix} ${code}; this program has ${now}: ${after}.`
}

const profitLine = (found: ProfitDifference): string => {
  if ("why" in found) return `${found.strategy}: no profit difference: ${found.why}.`
  const { filesRan, strategy, asset, from, to, earned, editedLow, editedHigh, differenceLow, differenceHigh } = found
  return `${strategy}: earned ${earned} ${asset}${filesRan > 1 ? ` with ${filesRan} files` : ""} from ${from} to ${to}; the edited file would have earned ${editedLow} to ${editedHigh}, a difference of ${differenceLow} to ${differenceHigh} ${asset}.`
}
