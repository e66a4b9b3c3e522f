/** Profit that is kept up event by event is the profit of the whole journal, in whatever order the fills were recorded. */
import { deserialize, serialize } from "node:v8"
import { assert, describe, it } from "@effect/vitest"
import { format } from "../../src/domain/Amount.ts"
import type { BotEvent, Recorded } from "../../src/domain/BotEvent.ts"
import { dayMillis, hourMillis } from "../../src/domain/Durations.ts"
import * as Ledger from "../../src/domain/Ledger.ts"
import * as Seeded from "../../src/domain/Seeded.ts"
import * as MoneyOverTime from "../../src/ledger/MoneyOverTime.ts"
import * as Profit from "../../src/ledger/Profit.ts"
import * as Standing from "../../src/ledger/Standing.ts"
import * as Trades from "../../src/ledger/Trades.ts"
import * as Money from "../../src/report/text/Money.ts"
import * as ProfitText from "../../src/report/text/ProfitText.ts"
import { standingsView } from "../../src/views/Profit.ts"
import * as LiveProfit from "../../src/views/profit/LiveProfit.ts"
import * as RunningProfit from "../../src/views/profit/RunningProfit.ts"
import { begin, orderOf } from "../world/journalRows.ts"

const start = 1_700_000_000_000
const decimals = (symbol: string) => (symbol === "BTC" ? 8 : 6)

const record = (events: ReadonlyArray<BotEvent>): ReadonlyArray<Recorded> =>
  events.map((event, index) => ({ sequence: index + 1, at: start + index * 60_000, event }))

/** Both sides at random, fills up to `lateMillis` older than their record. */
const history = (seed: number, orders: number, lateMillis: number) => {
  const draw = Seeded.seeded(seed)
  const events = Array.from({ length: orders }, (_, number) => orderOf(number + 1)).flat()
  const sales = new Map<string, boolean>()
  const at = (index: number) => start + index * 60_000
  return record(
    [...begin, ...events].map((event, index): BotEvent => {
      if (event._tag === "Planned") {
        const isSale = draw() < 0.5
        sales.set(event.placement, isSale)
        const { inputAmount, inputAsset, outputAmount, outputAsset } = event
        if (!isSale) return event
        return {
          ...event,
          side: "SELL",
          inputAsset: outputAsset,
          inputAmount: outputAmount,
          outputAsset: inputAsset,
          outputAmount: inputAmount
        }
      }
      if (event._tag !== "FillSeen") return event
      const part = BigInt(Math.floor(1_000 + draw() * 9_000))
      const filledAt = Math.floor(at(index) - draw() * lateMillis)
      const [base, quote] = [event.amountOut * part, event.amountIn * BigInt(Math.floor(1_000 + draw() * 9_000))]
      return sales.get(event.placement)
        ? { ...event, side: "SELL", amountIn: base, amountOut: quote, inputAsset: "BTC", outputAsset: "USDC", filledAt }
        : { ...event, amountIn: quote, amountOut: base, filledAt }
    })
  )
}

/** Each third purchase is given up as lost; most of that comes after all, some orders later. */
const withLosses = (entries: ReadonlyArray<Recorded>): ReadonlyArray<Recorded> => {
  const due: Array<readonly [index: number, event: BotEvent]> = []
  const events = entries.flatMap(({ event }, index): ReadonlyArray<BotEvent> => {
    const back = due.filter(([at]) => at === index).map(([, found]) => found)
    if (event._tag !== "FillSeen" || event.side !== "BUY" || index % 3 !== 0) return [...back, event]
    const { amountOut: amount, placement, slot, strategy } = event
    const lost = { strategy, slot, placement, market: "BTC/USDC", asset: "BTC", amount }
    if (index % 4 !== 0) due.push([index + 1 + (index % 170), { _tag: "Found", ...lost }])
    return [...back, event, { _tag: "WrittenOff", ...lost }]
  })
  return record(events)
}

const whole = (entries: ReadonlyArray<Recorded>) => {
  const fold = Trades.make(decimals)
  for (const entry of entries) fold.see(entry)
  return fold.result()
}

const compare = (profit: RunningProfit.RunningProfit, entries: ReadonlyArray<Recorded>): void => {
  const trading = whole(entries)
  const now = start + 30 * dayMillis
  const mark = Profit.markBy(trading.lastPrices, decimals)
  const items = RunningProfit.items(profit, Profit.markBy(profit.books.lastPrices, decimals), now)
  for (const by of [undefined, ...Profit.groupings]) {
    const report = Profit.report(trading, { method: "average", mark, now, ...(by === undefined ? {} : { by }) })
    assert.deepStrictEqual(Profit.grouped(items, by), report)
  }
}

const assets = new Map(["BTC", "USDC"].map((symbol) => [symbol, { symbol, id: symbol, decimals: decimals(symbol) }]))

describe("the standing of trading", () => {
  it("is the same in `status`, `profit`, the page, the screen and the chat", () => {
    const entries = history(7, 120, 600_000)
    const now = start + 30 * dayMillis
    const kept = RunningProfit.make(10)
    RunningProfit.see(kept, entries)
    const ofStatus = LiveProfit.profitNow(kept, assets, now)
    const trading = whole(entries)
    const mark = Profit.markBy(trading.lastPrices, decimals)
    const flows = trading.flows.map(Profit.itemOfFlow)
    const report = Profit.report(trading, { method: "average", mark, now })
    const days = Profit.report(trading, { method: "average", by: "day", mark, now })
    const strategies = Profit.report(trading, { method: "average", by: "strategy", mark, now })
    const ofProfit = Standing.of(report, { flows, markets: trading.markets, mark, now, days, strategies })
    assert.deepStrictEqual(ofStatus.standings, ofProfit)
    const [shown] = standingsView(ofStatus, assets).standings
    const [standing] = ofProfit
    if (shown === undefined || standing === undefined) return assert.fail("no figures")
    assert.strictEqual(shown.total, format(standing.figures.total, 6))
    assert.strictEqual(
      ProfitText.standingParts(standing, assets)[1],
      `grid profit ${Money.gain(assets, "USDC", standing.figures.gridProfit)}`
    )
    const slots = [...ofStatus.slots.values()].reduce((sum, { figures }) => sum + figures.gridProfit, 0n)
    assert.strictEqual(slots + standing.figures.inventory - standing.figures.fees, standing.figures.total)
  })
})

describe("the running profit", () => {
  it("equals that of the whole journal, wherever it is stored and continued", () => {
    for (const seed of [1, 2, 3, 4]) {
      const entries = seed === 4 ? withLosses(history(seed, 150, 0)) : history(seed, 150, 600_000)
      if (seed === 4) assert.isAbove(entries.filter(({ event }) => event._tag === "Found").length, 3)
      let profit = RunningProfit.make(10)
      for (let index = 0; index < entries.length; index += 37) {
        RunningProfit.see(profit, entries.slice(index, index + 37))
        profit = deserialize(serialize(profit))
      }
      assert.isTrue(profit.isExact)
      assert.isBelow(profit.books.planned.size, 40)
      assert.isTrue([...profit.pools.values()].every(({ kept }) => kept.length <= 10))
      compare(profit, entries)
    }
  })

  it("says if a fill comes too late for its place, and includes it once all trades are stored", () => {
    const entries = history(4, 150, 5 * dayMillis)
    const profit = RunningProfit.make(10)
    RunningProfit.see(profit, entries.slice(0, 500))
    RunningProfit.see(profit, entries.slice(500))
    assert.isFalse(profit.isExact)
    const complete = RunningProfit.make(Number.POSITIVE_INFINITY)
    RunningProfit.see(complete, entries)
    assert.isTrue(complete.isExact)
    compare(complete, entries)
  })

  it("needs only the events that it names, like trades and money", () => {
    const entries = history(5, 100, 0)
    const [trading, moving] = [new Set<string>(Trades.tags), new Set<string>(Ledger.movingTags)]
    assert.deepStrictEqual(whole(entries.filter(({ event }) => trading.has(event._tag))), whole(entries))
    const places = (some: ReadonlyArray<Recorded>) => {
      const books = MoneyOverTime.emptyBooks()
      for (const entry of some) MoneyOverTime.see(books, entry)
      return MoneyOverTime.result(books)
    }
    assert.deepStrictEqual(places(entries.filter(({ event }) => moving.has(event._tag))), places(entries))
  })
})

describe("attempts that ended without money", () => {
  it("are read once an hour, not with each new order", () => {
    let looks = 0
    class Counted extends Map<string, number> {
      override [Symbol.iterator]() {
        looks += 1
        return super[Symbol.iterator]()
      }
    }
    const profit: RunningProfit.RunningProfit = { ...RunningProfit.make(), ended: new Counted() }
    const refused = record([
      ...begin,
      ...Array.from({ length: 1_000 }, (_, number) => orderOf(5 * (number + 1))).flat()
    ])
    RunningProfit.see(profit, refused)
    assert.strictEqual(profit.ended.size, 1_000)
    assert.strictEqual(looks, Math.ceil((4 * 1_000) / 60))

    const [planned] = orderOf(7)
    if (planned === undefined) return assert.fail("no order")
    const last = start + 7 * dayMillis + 5_000 * 30_000 + hourMillis
    RunningProfit.see(profit, [{ sequence: refused.length + 1, at: last - 1, event: planned }])
    assert.strictEqual(profit.ended.size, 1)
    RunningProfit.see(profit, [{ sequence: refused.length + 2, at: last + hourMillis, event: planned }])
    assert.strictEqual(profit.ended.size, 0)
  })
})
