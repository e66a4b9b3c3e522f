/** The API's profit is the ledger's: the same figures as `profit`, `status` and the screen, and a line that ends at them. */
import { assert, describe, it } from "@effect/vitest"
import * as Recent from "../../src/control/view/Recent.ts"
import { format } from "../../src/domain/Amount.ts"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { minuteMillis } from "../../src/domain/Durations.ts"
import type { Market } from "../../src/domain/Market.ts"
import * as BotState from "../../src/engine/state/BotState.ts"
import * as Profit from "../../src/ledger/Profit.ts"
import * as Trades from "../../src/ledger/Trades.ts"
import {
  profitBySlot,
  series,
  standingCurve,
  standingsView,
  strategyCurve,
  strategyProfit,
  valuedBy
} from "../../src/views/Profit.ts"
import * as LiveProfit from "../../src/views/profit/LiveProfit.ts"
import * as RunningProfit from "../../src/views/profit/RunningProfit.ts"
import { emptyRecord } from "../ledger/emptyRecord.ts"
import { parse } from "../world/bot/botWorld.ts"
import { begin, orderOf } from "../world/journalRows.ts"

const btc = { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 }
const usdc = { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
const assets = new Map([btc, usdc].map((asset) => [asset.symbol, asset]))
const decimals = (symbol: string) => assets.get(symbol)?.decimals

const { market } = parse(`name: grid
market: BTC/USDC
kind: grid
limits: { budget: { quote: 6000 } }
grid: { lower: 59000, upper: 61000, levels: 11, size: { base: 0.005 } }
`)

/** What number 1 bought is sold for a tenth more. */
const sale = (): ReadonlyArray<BotEvent> =>
  orderOf(41).flatMap((event): ReadonlyArray<BotEvent> => {
    if (event._tag === "Planned")
      return [
        {
          ...event,
          side: "SELL",
          inputAsset: "BTC",
          inputAmount: event.quantity,
          outputAsset: "USDC",
          outputAmount: 132_000_000n
        }
      ]
    if (event._tag !== "FillSeen") return []
    return [
      { ...event, side: "SELL", inputAsset: "BTC", amountIn: 200_000n, outputAsset: "USDC", amountOut: 132_000_000n }
    ]
  })

describe("the profit in the API", () => {
  it("equals the ledger's of the same journal, and its equity line ends there", () => {
    const state = BotState.make()
    const [recent, earned] = [Recent.make(), RunningProfit.make()]
    const trades = Trades.make(decimals)
    const events = [...begin, ...[1, 2, 3, 4].flatMap(orderOf), ...sale()]
    events.forEach((event, index) => {
      const entry = { sequence: index + 1, at: index + 1, event }
      if (index < events.length - sale().length) BotState.apply(state, entry)
      Recent.note(recent, entry, assets)
      RunningProfit.see(earned, [entry])
      trades.see(entry)
    })
    const now = 1_700_000_000_000 + 30 * minuteMillis
    const [bid, ask] = [Decimal.make(64_999n), Decimal.make(65_001n)]
    const prices = new Map([["BTC/USDC", { bid, ask, at: now }]])
    const mark = Profit.markBy(new Map([["BTC/USDC", { price: Decimal.make(65_000n), at: now }]]), decimals)
    const [row] = Profit.report(trades.result(), { method: "average", mark, now })
    if (row === undefined) return assert.fail("no figures")
    const { gridProfit, fees, total } = row.figures
    assert.isTrue(gridProfit > 0n && total > gridProfit)

    const picture = LiveProfit.profitNow(earned, assets, now, prices)
    const [shown] = strategyProfit(assets, { name: "grid", market }, picture, recent.fills)
    if (shown === undefined) return assert.fail("no strategy")
    const units = (text: string) => BigInt(Math.round(Number(text) * 1e6))
    assert.strictEqual(shown.earned, format(gridProfit - fees, 6))
    assert.strictEqual(units(shown.worth) - units(shown.held), total)
    assert.strictEqual(shown.fills, 4)

    const [standing] = standingsView(picture, assets).standings
    assert.strictEqual(standing?.equity, shown.worth)
    // Three purchases less one sale, less three payout fees of 10 smallest units.
    const baseHeld = 3 * 0.002 - 0.002 - 3 * 0.000_000_1
    assert.approximately((standing?.exposure ?? 0) * Number(standing?.equity), baseHeld * 65_000, 1e-3)

    const minutes = [60_000, 61_000].map((close, index) => ({
      openedAt: 1_700_000_000_000 + index * minuteMillis,
      open: close,
      high: close,
      low: close,
      close
    }))
    const present = { bid, ask, at: now }
    const valued = [{ market, minutes, millis: minuteMillis, now: present }]
    const line = series(trades.result(), assets, valued, now)
    assert.deepStrictEqual(line.time.at(-1), now / 1000)
    assert.strictEqual(line.time.length, 3)
    const gain = (line.worth.at(-1) ?? 0) - (line.held.at(-1) ?? 0)
    // At 65,000 each unit of base is worth whole units of quote: nothing is rounded, and the doubles are right to half a unit.
    assert.approximately(gain, Number(total) / 1e6, 5e-7)

    assert.approximately(standingCurve(line).at(-1) ?? 0, Number(total) / 1e6, 5e-7)

    const curveOf = (name: string) => strategyCurve(trades.result(), assets, { name, market }, valued, now)
    const curve = curveOf("grid")
    assert.strictEqual(curve.length, 3)
    assert.approximately(curve.at(-1) ?? 0, Number(total) / 1e6, 5e-7)
    assert.deepStrictEqual(curveOf("other"), [])
  })

  it("has the time of the oldest price that values its figures, and none if no figure needs a price", () => {
    const ethAssets = new Map([...assets, ["ETH", { symbol: "ETH", id: "nep141:eth.omft.native", decimals: 9 }]])
    const markedAt = (events: ReadonlyArray<BotEvent>, prices?: Parameters<typeof LiveProfit.profitNow>[3]) => {
      const earned = RunningProfit.make()
      RunningProfit.see(
        earned,
        events.map((event, index) => ({ sequence: index + 1, at: index + 1, event }))
      )
      earned.books.lastPrices.set("ETH/USDC", { price: Decimal.make(3_000n), at: 5 })
      const { USDC } = profitBySlot(LiveProfit.profitNow(earned, ethAssets, 9_000, prices), ethAssets)
      return USDC?.markedAt
    }
    const bought = [...begin, ...orderOf(1)]
    const filledAt = orderOf(1).flatMap((event) => (event._tag === "FillSeen" ? [event.filledAt] : []))[0]
    const price = { bid: Decimal.make(64_999n), ask: Decimal.make(65_001n), at: 8_000 }
    assert.strictEqual(markedAt(bought), filledAt)
    assert.strictEqual(markedAt(bought, new Map([["BTC/USDC", price]])), 8_000)
    assert.strictEqual(markedAt(begin), null)
  })

  it("has all markets of a strategy in its curve, with one point for each time", () => {
    const eth = { symbol: "ETH", id: "nep141:eth.omft.native", decimals: 9 }
    const ethMarket: Market = { ...market, name: "ETH/USDC", base: eth }
    const ofThree = new Map([btc, eth, usdc].map((asset) => [asset.symbol, asset]))
    const start = 1_700_000_000_000
    const purchase = (of: Market, baseAmount: bigint): Trades.Trade => ({
      at: start,
      strategy: "mix",
      slot: "buy",
      placement: of.name,
      market: of.name,
      base: of.base.symbol,
      quote: "USDC",
      fillId: "f1",
      side: "BUY",
      baseAmount,
      quoteAmount: 6_000_000_000n
    })
    const trading = {
      ...emptyRecord,
      flows: [{ at: start, strategy: "mix", asset: "USDC", amount: 20_000_000_000n }],
      trades: [purchase(market, 10_000_000n), purchase(ethMarket, 2_000_000_000n)]
    }
    const candle = (after: number, close: number) => ({
      openedAt: start + after,
      open: close,
      high: close,
      low: close,
      close
    })
    const present = (price: bigint, after: number) => {
      const mid = Decimal.make(price)
      return { bid: mid, ask: mid, at: start + after }
    }
    const mix = { name: "mix", market, others: [ethMarket] }
    const millis = 30_000
    const rising = [
      { market, millis, minutes: [candle(0, 60_000), candle(millis, 61_000)], now: present(61_000n, 120_000) },
      { market: ethMarket, millis, minutes: [candle(0, 3_000), candle(millis, 3_050)], now: present(3_100n, 120_000) }
    ]
    assert.deepStrictEqual(strategyCurve(trading, ofThree, mix, rising, start + 120_000), [0, 200, 300])

    // Each market lacks another candle.
    const seconds = Array.from({ length: 240 }, (_, index) => index)
    const dense = rising.map((each, lacking) => ({
      ...each,
      millis: 1_000,
      minutes: seconds.flatMap((second) => (second === 100 + lacking ? [] : [candle(second * 1_000, 3_000)]))
    }))
    assert.strictEqual(strategyCurve(trading, ofThree, mix, dense, start + 240_000).length, 60)
  })

  it("has a curve of at most 30 points that begins and ends with the line", () => {
    for (const length of [2, 30, 31, 59, 1_501]) {
      const worth = Array.from({ length }, (_, index) => index + 5)
      const curve = standingCurve({ asset: "USDC", time: worth, worth, held: worth.map(() => 5) })
      assert.isAtMost(curve.length, 30)
      assert.deepStrictEqual([curve[0], curve.at(-1)], [0, length - 1])
    }
  })

  it("has one point a minute after stored minutes, and every price of a bot that has none", () => {
    const tick = (openedAt: number) => ({ openedAt, open: 1, high: 1, low: 1, close: 1 })
    const minutes = Array.from({ length: 24 }, (_, index) => tick(minuteMillis + index * 5_000))
    const openedIn = (stored: ReadonlyArray<number>) =>
      valuedBy({ market, now: undefined }, stored.map(tick), { minutes, millis: 5_000 }).at(-1)?.minutes
    assert.deepStrictEqual(
      openedIn([0])?.map(({ openedAt }) => openedAt),
      [2 * minuteMillis - 5_000, 3 * minuteMillis - 5_000]
    )
    assert.deepStrictEqual(openedIn([]), minutes)
  })

  it("begins with the first stored minute of a journal that is younger than an hour", () => {
    const minute = (openedAt: number, close: number) => ({ openedAt, open: close, high: close, low: close, close })
    const stored = [0, 1, 2, 3].map((index) => minute(index * minuteMillis, 100 + index))
    const recent = { minutes: [minute(3 * minuteMillis + 5_000, 200)], millis: 5_000 }
    const shown = valuedBy({ market, now: undefined }, stored, recent)
    const closes = shown.flatMap(({ millis, minutes }) =>
      minutes.map(({ close, openedAt }) => [openedAt + millis, close])
    )
    assert.deepStrictEqual(closes, [
      [minuteMillis, 100],
      [2 * minuteMillis, 101],
      [3 * minuteMillis, 102],
      [3 * minuteMillis + 10_000, 200]
    ])
    const [alone] = valuedBy({ market, now: undefined }, stored, { minutes: [], millis: 5_000 })
    assert.deepStrictEqual([alone?.minutes, alone?.millis], [stored, minuteMillis])
  })
})
