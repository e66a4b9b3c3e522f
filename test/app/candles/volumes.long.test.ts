/**
 * Volumes of a live bot: from the source of candles, read again at each close. The same candles give the same orders as a
 * backtest, however late the source tells them, after a restart, and again in a replay and an explanation.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Readiness from "../../../src/app/candles/Readiness.ts"
import * as WarmPrices from "../../../src/app/candles/WarmPrices.ts"
import * as PlanDraft from "../../../src/app/plan/PlanDraft.ts"
import * as CrossingIndex from "../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../src/candles/Generate.ts"
import * as Resample from "../../../src/candles/Resample.ts"
import type { BotEvent, Recorded } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { minuteMillis, secondMillis } from "../../../src/domain/Durations.ts"
import type { TwoSidedPrice } from "../../../src/domain/Market.ts"
import { present } from "../../../src/domain/Present.ts"
import * as Replay from "../../../src/engine/explain/Replay.ts"
import * as MarketWatch from "../../../src/engine/markets/MarketWatch.ts"
import { decisionEvent, viewOf } from "../../../src/engine/planning/DecisionRecord.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { keptOf, minutesOf, PriceStore } from "../../../src/journal/PriceStore.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import * as Backtest from "../../../src/lab/backtest/Backtest.ts"
import { noCosts } from "../../../src/lab/backtest/kernel/FillPresets.ts"
import type { Decision } from "../../../src/strategy/Decision.ts"
import type { CandleColumns } from "../../../src/strategy/Indicators.ts"
import type { MarketSources } from "../../../src/strategy/Markets.ts"
import { candlesWanted } from "../../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"
import { untouchedSlot, type View } from "../../../src/strategy/View.ts"
import * as PastInputs from "../../../src/views/explain/PastInputs.ts"
import { markets, strategyOf } from "../../strategy/support.ts"
import { watchGround } from "../../world/bot/watchGround.ts"

const frameMinutes = 5
/** The bot starts in the middle of a frame. */
const startMinute = 62
const frames = 38
const began = Date.UTC(2026, 0, 2)
const folder = mkdtempSync(join(tmpdir(), "limitbot-volumes-"))

const candles = Generate.generate({
  bars: frames * frameMinutes,
  seed: 7,
  startMillis: began,
  stepMillis: minuteMillis,
  startPrice: 60_000
})

const strategyFrom = (source: string, condition: string) => {
  const text = `name: busy
market: BTC/USDC
kind: rules
candles: ${source}
limits: { budget: { quote: 6000 }, maxPriceDeviation: 90% }
rules:
  timeframe: ${frameMinutes}m
  state: { busy: { initial: 0, next: 'if volume > 25 then 1 else busy[1] * 0.5', over: 4 } }
  orders:
    dip: { when: '${condition}', cancelWhen: 'not (${condition})', side: buy, price: mid * (1 - 50%), size: { quote: 100 }, pause: 1s }
    calm: { when: 'close > 1', side: buy, price: mid * (1 - 50%), size: { quote: 100 } }
`
  return { ...strategyOf(text), file: join(folder, "s.yaml") }
}
const condition =
  "volume > sma(volume, 6) and volume[1] < highest(volume, 4) and busy > 0 and close > vwap(3, 15m) * 99%"

/** What the source has written when the bot looks, by the number of minutes that are over. */
type Written = (over: number, second: number) => number

interface Course {
  readonly written?: Written
  /** Minutes at which the process begins anew. */
  readonly restarts?: ReadonlyArray<number>
  readonly row?: typeof row
  readonly isGone?: (minute: number) => boolean
  /** Minutes of each candle of the source. */
  readonly minutes?: number
  /** Minutes between which the process is away; it begins anew after them. */
  readonly away?: readonly [from: number, to: number]
}

const row = ({ open, high, low, close, volume }: CandleColumns, bar: number, minutes: number): string =>
  [began + bar * minutes * minuteMillis, open[bar], high[bar], low[bar], close[bar], volume[bar]].join(",")

/** A whole minute is there two seconds after its end. */
const prompt: Written = (over, second) => (second < 2 ? over - 1 : over)

const columnNames = ["time", "open", "high", "low", "close", "volume"]

let files = 0

const lived = Effect.fnUntraced(function* (course: Course) {
  const { written = prompt, restarts = [], row: lineOf = row, isGone, minutes = 1, away = [0, 0] } = course
  const name = `source-${files++}.csv`
  const strategy = strategyFrom(name, condition)
  const store = yield* PriceStore
  const { columns } = Resample.of(candles, minutes * minuteMillis)
  const lines = Array.from(columns.close, (_, bar) => lineOf(columns, bar, minutes))
  const header = columnNames.slice(0, lines[0]?.split(",").length).join()
  const write = (minute: number, second: number) =>
    isGone?.(minute) === true
      ? rmSync(join(folder, name), { force: true })
      : writeFileSync(
          join(folder, name),
          [header, ...lines.slice(0, Math.floor(written(minute, second) / minutes)), ""].join("\n")
        )
  const prices = new Map<string, TwoSidedPrice>()
  const beginning = Effect.gen(function* () {
    const warm = yield* WarmPrices.make(store, new Map())
    warm.use([strategy])
    const watch = yield* MarketWatch.make.pipe(Effect.provide(watchGround(prices, warm.store)))
    yield* watch.watchMarketsOf([strategy])
    return { warm, watch }
  })
  const { name: called, kind, hash, market, text } = strategy
  const state = BotState.make()
  const events: Array<Recorded> = []
  const note = (at: number, event: BotEvent) => {
    const entry = { sequence: events.length + 1, at, event }
    events.push(entry)
    BotState.apply(state, entry)
  }
  note(began, { _tag: "BotStarted", pid: 1, version: "0", mode: "test", account: "me", venue: "https://v.example" })
  note(began, { _tag: "StrategyLoaded", strategy: called, file: "test.yaml", kind, market: market.name, hash, text })
  let memory = strategy.initialMemory
  let last: Decision | undefined
  let running: Effect.Success<typeof beginning> | undefined
  /** At the end of each frame: whether the order rests, and what the conditions saw. */
  const orders: Array<boolean | undefined> = []
  const reasons = new Set<string>()
  let calm = false
  let candlesSeen: View["candles"]
  const looks: Array<readonly [at: number, checks: string]> = []
  for (let minute = startMinute; minute < candles.bars; minute++) {
    const isLastOfFrame = (minute + 1) % frameMinutes === 0
    if (minute >= away[0] && minute < away[1]) {
      running = undefined
      if (isLastOfFrame) orders.push(undefined)
      continue
    }
    const ticks = [candles.open, candles.low, candles.high, candles.close].map((column) => column[minute] ?? 0)
    for (const [index, tick] of ticks.entries()) {
      const second = 1 + index * 15
      const at = began + minute * minuteMillis + second * secondMillis
      yield* TestClock.setTime(at)
      write(minute, second)
      if (index === 0 && restarts.includes(minute)) running = undefined
      running ??= yield* beginning
      yield* running.warm.readDue
      const mid = Decimal.fromNumber(tick)
      prices.set(market.name, { bid: mid, ask: mid, at })
      yield* running.watch.look(BotState.make(), [strategy])
      const moment = running.watch.moment(strategy, at)
      if (moment === undefined) return assert.fail("it has no price")
      const seen = viewOf(state, strategy, moment)
      note(
        at,
        decisionEvent(strategy, seen, strategy.decide(seen, state.strategies.get(called)?.memory ?? null), undefined)
      )
      const resting = (last?.desired ?? []).flatMap(({ slot, legs: [live] }) =>
        live === undefined ? [] : [[slot, { ...untouchedSlot, live }] as const]
      )
      const view = { ...seen, slots: new Map(resting) }
      last = strategy.decide(view, memory)
      memory = last.memory
      for (const { slot, why } of last.absent) reasons.add(`${slot}: ${why.text}`)
      if (index === 3) calm ||= last.desired.some(({ slot }) => slot === "calm")
      candlesSeen = seen.candles
      if (index === 1) looks.push([at, JSON.stringify([...(strategy.inputs?.(view, memory) ?? [])])])
    }
    if (isLastOfFrame) orders.push(last?.desired.some(({ slot }) => slot === "dip"))
  }
  return { strategy, orders, calm, reasons: [...reasons], events, looks, candlesSeen, prices, store }
})

/** The kernel's orders over the same candles, at the end of each frame since the bot's start. */
const tested = (): ReadonlyArray<boolean> => {
  const options = { costs: noCosts, changes: {}, keepsOrders: true }
  const input = { candles, indices: CrossingIndex.linearIndices(candles), options }
  const { slotNames, stays } = Backtest.runAll(strategyFrom("none.csv", condition), [input], "optimistic").outcome
  const first = Math.floor(startMinute / frameMinutes)
  return Array.from({ length: frames - first }, (_, index) => {
    const bar = (first + index + 1) * frameMinutes - 1
    return stays.some(({ row, from, to }) => slotNames[row.slot] === "dip" && from <= bar && bar < to)
  })
}

const inJournal = <A, E>(effect: Effect.Effect<A, E, NodeServices.NodeServices | PriceStore>) =>
  effect.pipe(
    Effect.provide(
      PriceStore.layer.pipe(Layer.provideMerge(Journal.layer), Layer.provide(Sqlite.layer({ filename: ":memory:" })))
    ),
    Effect.provide(NodeServices.layer)
  )

const courses: Readonly<Record<string, Course>> = {
  "a source that is prompt": {},
  "a source that is up to four minutes late": {
    written: (over, second) => over - (second < 2 ? 1 : 0) - (Math.floor(over / frameMinutes) % 4)
  },
  "restarts, one of them while a candle is missing": {
    written: (over, second) => over - (second < 2 ? 1 : 0) - (Math.floor(over / frameMinutes) % 3),
    restarts: [100, 122, 171]
  },
  "a source that is missing after a restart until the frame ends": {
    restarts: [101],
    isGone: (minute) => minute >= 101 && minute < 104
  },
  "candles as long as the strategy's, and a bot that misses most of two of them": { minutes: 5, away: [101, 109] }
}

const shown = (candles: View["candles"]) =>
  [...(candles ?? [])].map(([frame, { closed, columns }]) => [frame, closed, ...columns.close, ...columns.volume])

describe("volumes of a live bot", () => {
  it.effect.each(Object.entries(courses))(
    "%s: a live bot places, replays and explains the orders of the backtest",
    ([, course]) =>
      inJournal(
        Effect.gen(function* () {
          const { orders, events, looks, strategy, store, prices, candlesSeen } = yield* lived(course)
          const expected = tested()
          assert.deepStrictEqual(
            orders,
            expected.map((each, index) => (orders[index] === undefined ? undefined : each))
          )
          assert.isAtMost(orders.filter((each) => each === undefined).length, 1)
          assert.isAbove(expected.filter(Boolean).length, 5)
          const [minutes, kept] = [yield* minutesOf(["BTC/USDC"]), yield* keptOf(["BTC/USDC"])]
          const replay = Replay.make({ markets, minutes, candles: kept, edited: new Map() })
          for (const entry of events) replay.see(entry)
          const { decisions, identical, differences } = replay.result()
          assert.strictEqual(identical, decisions, JSON.stringify(differences[0]))
          const { feeds } = yield* PlanDraft.feedsOf(store, [strategy], new Map())
          const planned = PlanDraft.candlesAt(strategy, feeds, prices, yield* Clock.currentTimeMillis)
          assert.deepStrictEqual(shown(planned), shown(candlesSeen))
          // What an explanation of any minute sees is what the bot saw then.
          const state = BotState.make()
          for (const entry of events) BotState.apply(state, entry)
          for (const [at, checks] of looks.filter((_, index) => index % 7 === 0)) {
            const seen = yield* PastInputs.look(state, strategy, at).pipe(Effect.provideService(PriceStore, store))
            const values = (text: string) => text.match(/"text":.*?"values":".*?"/g) ?? assert.fail(text)
            assert.deepStrictEqual(values(JSON.stringify([...seen])), values(checks), new Date(at).toISOString())
          }
        })
      )
  )

  const missing = /^dip: cannot be decided: its source lacks the volume of the 5m candle from 2026-01-02T01:35:00.000Z/

  const broken: Readonly<Record<string, Course>> = {
    "late by more than a candle": { written: (over) => Math.min(over, 95) },
    "without a volume in any row": { row: (...given) => row(...given).replace(/,[^,]*$/, ",") },
    "without a volume above zero": { row: (...given) => row(...given).replace(/,[^,]*$/, ",0") },
    "without a column of volumes": { row: (...given) => row(...given).replace(/,[^,]*$/, "") },
    "missing before the start": { isGone: () => true },
    "wrong in a row": { row: (...given) => row(...given).replace(/,[^,]*$/, ",much") }
  }

  it.effect.each(Object.entries(broken))(
    "a source that is %s: its rule says what it waits for, and other rules continue",
    ([, course]) =>
      inJournal(
        Effect.gen(function* () {
          const { orders, calm, reasons } = yield* lived(course)
          assert.isTrue(calm)
          assert.isFalse(orders.slice(8).includes(true))
          assert.isDefined(
            reasons.find((reason) => missing.test(reason)),
            reasons.join("\n")
          )
        })
      )
  )

  it.effect("of a market that is only watched come from that market's source", () =>
    inJournal(
      Effect.gen(function* () {
        const strategy = strategyOf(`name: watching
market: BTC/USDC
kind: rules
limits: { budget: { quote: 6000 } }
rules:
  timeframe: 5m
  orders:
    dip: { when: 'volume("SOL/USDC") > 1 and close > 1', side: buy, price: mid, size: { quote: 100 } }
`)
        const { columns } = Resample.of(candles, minuteMillis)
        const sums = Resample.of(candles, frameMinutes * minuteMillis).columns.volume
        const write = (rows: number) => {
          const lines = Array.from({ length: rows }, (_, bar) => row(columns, bar, 1))
          writeFileSync(join(folder, "sol.csv"), [columnNames.join(), ...lines, ""].join("\n"))
        }
        write(startMinute)
        const prices = new Map<string, TwoSidedPrice>()
        const warm = yield* WarmPrices.make(yield* PriceStore, new Map([["SOL/USDC", { source: "sol.csv", folder }]]))
        warm.use([strategy])
        const watch = yield* MarketWatch.make.pipe(Effect.provide(watchGround(prices, warm.store)))
        const seen: Array<string> = []
        for (let minute = startMinute; minute <= 80; minute++) {
          const at = began + (minute * 60 + 10) * secondMillis
          yield* TestClock.setTime(at)
          // The last candle stays away.
          write(Math.min(minute, 79))
          if (minute === startMinute) yield* watch.watchMarketsOf([strategy])
          yield* warm.readDue
          for (const [market, tick] of [
            ["BTC/USDC", 60_000],
            ["SOL/USDC", columns.close[minute] ?? 0]
          ] as const) {
            const mid = Decimal.fromNumber(tick)
            prices.set(market, { bid: mid, ask: mid, at })
          }
          yield* watch.look(BotState.make(), [strategy])
          const moment = watch.moment(strategy, at)
          if (moment === undefined) return assert.fail("it has no price")
          const view = viewOf(BotState.make(), strategy, moment)
          const [check] = strategy.inputs?.(view, strategy.initialMemory).get("dip") ?? []
          const { absent } = strategy.decide(view, strategy.initialMemory)
          if (minute % frameMinutes === 0) seen.push(`${check?.values}; ${absent[0]?.why.text}`)
        }
        const [before, last] = seen.slice(-2)
        assert.include(before, `${Decimal.format(Decimal.fromNumber(sums[14] ?? 0, 8))} SOL`)
        assert.include(last, "its source lacks the volume of the 5m candle of SOL/USDC from 2026-01-02T01:15:00.000Z")
      })
    )
  )

  const notLive = (text: string, sources?: MarketSources) => {
    const read = StrategyFile.parse(text, "test.yaml", { ...markets, ...present({ sources }) })
    return Result.isSuccess(read) ? read.success.notLive : assert.fail(JSON.stringify(read.failure))
  }
  const { text } = strategyFrom("btc.csv", condition)
  const elsewhere = text.replace(condition, 'volume("SOL/USDC") > 1 and volume > 1')
  const sourceOf = (...names: ReadonlyArray<string>) =>
    new Map(names.map((name) => [name, { source: "sol.csv", folder }]))

  it("are refused if no source provides them, with what to do", () => {
    for (const source of ["recorded", "journal:other.sqlite"]) {
      const refused = notLive(text.replace("btc.csv", source), sourceOf("BTC/USDC"))
      assert.match(refused?.message ?? "", /^the venue reports no volume: live, volume needs a source of candles/)
    }
    const { hint, line } = notLive(text.replace(/candles: .*\n/, "")) ?? assert.fail("it is accepted")
    assert.deepStrictEqual([line, hint?.includes("markets: { BTC/USDC: { candles: … } }")], [7, true])
    assert.match(notLive(elsewhere)?.hint ?? "", /^markets: { SOL\/USDC: { candles: … } } in the configuration$/)
  })

  it("are accepted if the file or the configuration names a source", () => {
    assert.isUndefined(notLive(text))
    assert.isUndefined(notLive(text.replace(/candles: .*\n/, ""), sourceOf("BTC/USDC")))
    assert.isUndefined(notLive(elsewhere, sourceOf("SOL/USDC")))
  })

  it.effect("are refused before a start if the source has none", () =>
    inJournal(
      Effect.gen(function* () {
        yield* TestClock.setTime(began + candles.bars * minuteMillis)
        const { columns } = Resample.of(candles, minuteMillis)
        const problemOf = Effect.fnUntraced(function* (name: string, asked: string, ending: string) {
          const rows = Array.from(columns.close, (_, bar) => row(columns, bar, 1).replace(/,[^,]*$/, ending))
          writeFileSync(join(folder, name), [columnNames.join(), ...rows, ""].join("\n"))
          const strategy = {
            ...strategyOf(
              strategyFrom(name, condition)
                .text.replace(/ {2}state:.*\n/, "")
                .replaceAll(condition, asked)
            ),
            file: join(folder, "s.yaml")
          }
          const [wanted] = candlesWanted(strategy)
          if (wanted === undefined) return assert.fail("it looks at candles")
          return (yield* Readiness.look(strategy, wanted, new Map(), { own: [] })).problem
        })
        assert.strictEqual(yield* problemOf("some.csv", "volume > 1", ",1"), null)
        assert.match((yield* problemOf("none.csv", "volume > 1", ",0")) ?? "", /^candles: none.csv has no volumes/)
        assert.strictEqual(yield* problemOf("none.csv", "close > 1", ",0"), null)
      })
    )
  )
})
