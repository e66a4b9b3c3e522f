/**
 * `candles:` of a strategy: a glob of CSV files, the bot's own prices, another bot's journal, an exchange. What the bot
 * saw itself comes first, gaps are filled from the source, a wrong source is refused, and the time until ready is said.
 */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { vi } from "vitest"
import * as Readiness from "../../../src/app/candles/Readiness.ts"
import * as WarmPrices from "../../../src/app/candles/WarmPrices.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { TwoSidedPrice } from "../../../src/domain/Market.ts"
import * as MarketWatch from "../../../src/engine/markets/MarketWatch.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { type Minute, PriceStore } from "../../../src/journal/PriceStore.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { candlesWanted } from "../../../src/strategy/Strategy.ts"
import { strategyOf } from "../../strategy/support.ts"
import { watchGround } from "../../world/bot/watchGround.ts"

const minuteMillis = 60_000
const now = Date.UTC(2026, 0, 2, 12)
const folder = mkdtempSync(join(tmpdir(), "limitbot-candles-"))

/** Ten five-minute candles: 51 minutes with the spare one. */
const strategyFrom = (source: string | undefined, condition = "close < sma(close, 10)") => ({
  ...strategyOf(`name: s
market: BTC/USDC
kind: rules
${source === undefined ? "" : `candles: ${source}\n`}limits: { budget: { quote: 1000 } }
rules:
  timeframe: 5m
  orders:
    dip:
      when: ${condition}
      side: buy
      price: mid
      size: { quote: 100 }
`),
  file: join(folder, "s.yaml")
})

const minute = (ago: number, close = 60_000): Minute => {
  const openedAt = now - ago * minuteMillis
  return { openedAt, open: close, high: close + 1, low: close - 1, close }
}
const minutes = (from: number, to: number, close?: number): ReadonlyArray<Minute> =>
  Array.from({ length: from - to + 1 }, (_, index) => minute(from - index, close))

const writeCsv = (name: string, rows: ReadonlyArray<Minute>, market = "BTC"): void => {
  const lines = rows.map(({ openedAt, open, high, low, close }) =>
    [market, openedAt, open, high, low, close, 1].join(",")
  )
  writeFileSync(join(folder, name), ["symbol,time,open,high,low,close,volume", ...lines, ""].join("\n"))
}

const stored = (own: ReadonlyArray<Minute>): PriceStore["Service"] => ({
  ...PriceStore.empty,
  since: (_, from) => Effect.succeed(own.filter(({ openedAt }) => openedAt >= from)),
  newest: () => Effect.succeed(own.at(-1))
})

const look = Effect.fnUntraced(function* (
  source: string | undefined,
  { own = [], price = 60_000 }: { own?: ReadonlyArray<Minute>; price?: number } = {}
) {
  const strategy = strategyFrom(source)
  const [wanted] = candlesWanted(strategy)
  if (wanted === undefined) return assert.fail("it looks at candles")
  const found = yield* Readiness.look(strategy, wanted, new Map(), { own, price })
  const warm = yield* WarmPrices.make(stored(own), new Map())
  warm.use([strategy])
  const seen = yield* warm.store.since("BTC/USDC", now - 120 * minuteMillis)
  return { line: Readiness.lineOf(found, now), problem: found.problem, seen }
})

const atNow = <A, E>(effect: Effect.Effect<A, E, NodeServices.NodeServices>) =>
  Effect.andThen(TestClock.setTime(now), effect).pipe(Effect.provide(NodeServices.layer))

const journalOf = (file: string) =>
  PriceStore.layer.pipe(
    Layer.provideMerge(Journal.layer),
    Layer.provide(Sqlite.layer({ filename: join(folder, file) }))
  )

/** A bot that starts now on the candles of `source`. `look` sees a price, and returns the number of closed candles. */
const startOn = Effect.fnUntraced(function* (source: string | undefined) {
  const strategy = strategyFrom(source)
  const prices = new Map<string, TwoSidedPrice>()
  const warm = yield* WarmPrices.make(PriceStore.empty, new Map())
  warm.use([strategy])
  const watch = yield* MarketWatch.make.pipe(Effect.provide(watchGround(prices, warm.store)))
  yield* watch.watchMarketsOf([strategy])
  const look = Effect.fnUntraced(function* (at: number) {
    const price = Decimal.make(60_000n)
    prices.set("BTC/USDC", { bid: price, ask: price, at })
    yield* watch.look(BotState.make(), [strategy])
    return watch.moment(strategy, at)?.candles?.get("5m")?.closed ?? 0
  })
  const lookAfter = Effect.fnUntraced(function* (seconds: number) {
    const at = now + seconds * 1_000
    yield* TestClock.setTime(at)
    yield* warm.readLate
    return yield* look(at)
  })
  return { warm, look, lookAfter }
})

const exchange = vi.hoisted(() => ({ isSilent: false }))

/** The face of the library: pages of rows from a time on. */
vi.mock("ccxt", () => ({
  default: {
    kraken: class {
      async fetchOHLCV(symbol: string, timeframe: string, since: number, limit: number) {
        if (exchange.isSilent) await new Promise(() => {})
        const step = timeframe === "5m" ? 300_000 : 60_000
        const first = Math.ceil(since / step) * step
        const price = symbol === "BTC/USD" ? 60_000 : 3_000
        return Array.from({ length: limit }, (_, index) => first + index * step)
          .filter((at) => at <= Date.UTC(2026, 0, 2, 12))
          .map((at) => [at, price, price, price, price, 1])
      }
    }
  }
}))

describe("candles from before the start", () => {
  it.effect("from a glob of CSV files are read together and are ready at once", () =>
    atNow(
      Effect.gen(function* () {
        writeCsv("glob-1.csv", minutes(90, 40))
        writeCsv("glob-2.csv", minutes(45, 1))
        const { line, seen } = yield* look("glob-*.csv")
        assert.strictEqual(line, "candles: ready")
        const times = seen.map(({ openedAt }) => openedAt)
        assert.strictEqual(new Set(times).size, times.length)
        assert.isAtLeast(seen.length, 50)
      })
    )
  )

  it.effect("from a glob over two markets are refused", () =>
    atNow(
      Effect.gen(function* () {
        writeCsv("two-1.csv", minutes(90, 40), "ETH")
        writeCsv("two-2.csv", minutes(39, 1))
        const { problem } = yield* look("two-*.csv")
        assert.match(problem ?? "", /two-2\.csv has symbol BTC, \S*two-1\.csv symbol ETH; choose files of one market/)
      })
    )
  )

  it.effect("from a glob leave out the column cache that a backtest wrote beside a file", () =>
    atNow(
      Effect.gen(function* () {
        writeCsv("cached.csv", minutes(90, 1))
        writeFileSync(join(folder, "cached.csv.columns"), "no candles")
        assert.strictEqual((yield* look("cached.csv*")).line, "candles: ready")
      })
    )
  )

  it.effect("of the bot's own record come first, and its gap is filled from the source", () =>
    atNow(
      Effect.gen(function* () {
        writeCsv("gap.csv", minutes(90, 1, 60_100))
        const own = [...minutes(60, 31), ...minutes(20, 1)]
        const alone = yield* look(undefined, { own })
        assert.match(alone.line, /^candles: \d of 11 5m candles, ready in .*; `candles:` can name a source/)
        const filled = yield* look("gap.csv", { own })
        assert.strictEqual(filled.line, "candles: ready")
        const closes = new Map(filled.seen.map(({ openedAt, close }) => [(now - openedAt) / minuteMillis, close]))
        assert.deepStrictEqual([closes.get(40), closes.get(25), closes.get(10)], [60_000, 60_100, 60_000])
        const recorded = yield* look("recorded", { own })
        assert.strictEqual(recorded.line, alone.line)
      })
    )
  )

  it.effect("are refused from a source of another market or unit; a source that ends early says so", () =>
    atNow(
      Effect.gen(function* () {
        writeCsv("eth.csv", minutes(90, 1, 3_000))
        const far = yield* look("eth.csv")
        assert.match(far.problem ?? "", /^candles: eth\.csv is 95\.0 % away from the price of BTC\/USDC/)
        const seenOtherwise = yield* look("eth.csv", { own: minutes(5, 1), price: 3_000 })
        assert.match(seenOtherwise.problem ?? "", /away from the price/, "what the bot saw itself counts first")
        writeCsv("old.csv", minutes(200, 60))
        const old = yield* look("old.csv")
        assert.match(old.line, /^candles: 0 of 11 5m candles, ready in .*old\.csv ends .* ago/)
        const missing = yield* look("nothing-*.csv")
        assert.match(missing.problem ?? "", /no such file/)
        writeCsv(
          "coarse.csv",
          Array.from({ length: 9 }, (_, index) => minute(60 * (9 - index)))
        )
        assert.match((yield* look("coarse.csv")).problem ?? "", /candles of 3600 s, but the strategy needs 5m/)
      })
    )
  )

  it.effect("are read again each minute from a source that fails, and count once it answers", () => {
    const warnings: Array<string> = []
    return atNow(
      Effect.gen(function* () {
        const { lookAfter } = yield* startOn("late.csv")
        assert.strictEqual(yield* lookAfter(10), 0)
        writeCsv("late.csv", minutes(90, 1))
        assert.strictEqual(yield* lookAfter(40), 0, "it has failed less than a minute ago")
        assert.isAtLeast(yield* lookAfter(65), 11)
        assert.isAtLeast(yield* lookAfter(130), 11)
        assert.lengthOf(warnings, 2)
        assert.match(warnings[0] ?? "", /^candles: late\.csv: no such file/)
        assert.strictEqual(warnings[1], "candles: late.csv: it answers again")
      }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void warnings.push(String(message)))])))
    )
  })

  it.effect("of a source that an edit names count without a restart", () =>
    atNow(
      Effect.gen(function* () {
        const { lookAfter, warm } = yield* startOn(undefined)
        yield* Effect.forkScoped(warm.forever)
        assert.strictEqual(yield* lookAfter(1), 0)
        writeCsv("edited.csv", minutes(90, 1))
        warm.use([strategyFrom("edited.csv")])
        assert.isAtLeast(yield* lookAfter(5), 11)
      }).pipe(Effect.scoped)
    )
  )

  it.effect("from before a first price that comes long after the start are read again", () =>
    atNow(
      Effect.gen(function* () {
        writeCsv("early.csv", minutes(90, 1))
        const { lookAfter } = yield* startOn("early.csv")
        writeCsv("early.csv", minutes(90, -9))
        assert.isAtLeast(yield* lookAfter(610), 11)
      })
    )
  )

  it.effect("of an exchange that does not answer delay a turn by only five seconds", () =>
    atNow(
      Effect.gen(function* () {
        const { look, lookAfter, warm } = yield* startOn("ccxt:kraken:BTC/USD")
        assert.isAtLeast(yield* lookAfter(10), 11)
        yield* Effect.forkChild(warm.forever, { startImmediately: true })
        yield* TestClock.setTime(now + 610_000)
        exchange.isSilent = true
        const turn = yield* Effect.forkChild(look(now + 610_000), { startImmediately: true })
        for (let second = 0; second < 6; second += 1) yield* TestClock.adjust("1 second")
        exchange.isSilent = false
        assert.isDefined(turn.pollUnsafe())
      })
    )
  )

  it.effect("are read from the prices that another bot recorded", () =>
    atNow(
      Effect.gen(function* () {
        yield* Effect.gen(function* () {
          const store = yield* PriceStore
          for (const each of minutes(90, 1)) yield* store.append("BTC/USDC", each)
        }).pipe(Effect.provide(journalOf("other.sqlite")))
        assert.strictEqual((yield* look("journal:other.sqlite")).line, "candles: ready")
        assert.match((yield* look("journal:none.sqlite")).problem ?? "", /no such journal/)
      })
    )
  )

  it.effect("are fetched from an exchange if its library is installed", () =>
    atNow(
      Effect.gen(function* () {
        const { line, seen } = yield* look("ccxt:kraken:BTC/USD")
        assert.strictEqual(line, "candles: ready")
        assert.isTrue(seen.every(({ openedAt }) => openedAt + minuteMillis <= now))
        const [plain, busy] = [
          strategyFrom("recorded.csv"),
          strategyFrom("ccxt:kraken:BTC/USD", "volume < sma(volume, 10)")
        ]
        const warm = yield* WarmPrices.make(PriceStore.empty, new Map())
        warm.use([plain, busy])
        yield* warm.readDue
        assert.strictEqual(warm.store.told("BTC/USDC", "5m").size, 0, "it has five seconds to write the candle")
        yield* TestClock.adjust("5 seconds")
        yield* warm.readDue
        const told = [...warm.store.told("BTC/USDC", "5m").values()]
        assert.deepStrictEqual(told.at(-1), {
          openedAt: now - 5 * minuteMillis,
          open: 60_000,
          high: 60_000,
          low: 60_000,
          close: 60_000,
          volume: 1
        })
        assert.match((yield* look("ccxt:kraken:ETH/USD")).problem ?? "", /away from the price of BTC\/USDC/)
        assert.match((yield* look("ccxt:nowhere:BTC/USD")).problem ?? "", /has no such exchange/)
      })
    )
  )
})
