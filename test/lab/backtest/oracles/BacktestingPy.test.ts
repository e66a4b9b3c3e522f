/**
 * Three strategies as another engine runs them on real minutes: averages that cross, buy and hold, and one resting purchase
 * with its sale. Every trade with its bars, prices and size, the return, and the worst drawdown of all closes.
 *
 * Its rules by the names of ours: `price: open` (`--fill-price open`). What is decided at a close fills at the next open when
 * it is marketable, and a bar that opens beyond a resting limit fills it at its open. Of its own are three. Fees are a thousandth
 * of the value in quote beside the order, where ours come off what a fill brings in, so they are taken here, from the
 * kernel's fills. It sizes an order when it fills, with all the money there is at that price, where ours are sized when they
 * are decided: here the strategy is told the sizes. And what the last close asks for it fills at the open before that close,
 * where here nothing follows the last close.
 */

import { assert, describe, it } from "@effect/vitest"
import type { Candles } from "../../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Resample from "../../../../src/candles/Resample.ts"
import * as TimeAxis from "../../../../src/candles/TimeAxis.ts"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import type { Price, Side } from "../../../../src/domain/Market.ts"
import * as Kernel from "../../../../src/lab/backtest/kernel/Kernel.ts"
import * as FillRows from "../../../../src/lab/backtest/results/FillRows.ts"
import type { Leg } from "../../../../src/strategy/Decision.ts"
import { type CandleColumns, sma } from "../../../../src/strategy/Indicators.ts"
import type { Decide } from "../../../../src/strategy/Strategy.ts"
import * as sharedData from "../sharedData.ts"
import { equities, feesOf, flipping, worstDrawdown } from "./flips.ts"
import { baseOf, conditionsOf, inBase, inQuote, priceOf, slotOf } from "./oracle.ts"

type Trade = readonly [entryBar: number, exitBar: number, entry: number, exit: number, size: number]

interface Statistics {
  readonly "Equity Final [$]": number
  readonly "Return [%]": number
  readonly "Commissions [$]"?: number
  readonly "# Trades": number
  readonly trades_head: ReadonlyArray<Trade>
  readonly max_drawdown_recomputed_pct: number
}

const cash = 1_000_000
const feeShare = 0.001

/** Far beyond every price: marketable. */
const marketable = (side: Side): Price => (side === "BUY" ? Decimal.make(1n, -7) : Decimal.make(1n, 2))

const simulate = (decide: Decide, candles: Candles) => {
  const conditions = conditionsOf(decide)
  const outcome = Kernel.simulate(
    {
      ...conditions,
      rules: { ...conditions.rules, price: "open" },
      timeframes: new Map([["1m", Resample.of(candles, 60_000)]])
    },
    candles,
    CrossingIndex.linearIndices(candles)
  )
  const fills = [...FillRows.rows(outcome, candles)]
  return { fills, gained: outcome.quote - conditions.budget.quote, held: outcome.base - conditions.budget.base }
}

/** Fills in pairs: a position, and the order that closed it. */
const tradesOf = (
  opened: ReadonlyArray<FillRows.FillRow>,
  closed: ReadonlyArray<FillRows.FillRow>
): ReadonlyArray<Trade> =>
  opened.map((open, index) => {
    const close = closed[index]
    const size = inBase(open.quantity) * (open.side === "BUY" ? 1 : -1)
    return [
      open.bar,
      close?.bar ?? -1,
      Decimal.toNumber(open.price),
      Decimal.toNumber(close?.price ?? Decimal.zero),
      size
    ]
  })

/** Strictly from one side to the other, between one candle and the next. */
const crossings = ({ close }: CandleColumns): ReadonlyArray<number> => {
  const [quick, steady] = [sma(close, 10), sma(close, 20)]
  const gap = (at: number) => (quick[at] ?? Number.NaN) - (steady[at] ?? Number.NaN)
  return Array.from(close, (_, at) => (gap(at - 1) < 0 && gap(at) > 0 ? 1 : gap(at - 1) > 0 && gap(at) < 0 ? -1 : 0))
}

/** As many whole units as the money pays with the fee, at the open after every signal. */
const sizesOf = (candles: Candles): ReadonlyArray<number> => {
  let [money, position, entry] = [cash, 0, 0]
  return crossings(candles).flatMap((signal, at) => {
    if (signal === 0) return []
    const now = candles.open[at + 1] ?? 0
    money += position * (now - entry) - Math.abs(position) * now * feeShare
    const size = affordable(money, now)
    position = signal * size
    entry = now
    money -= size * now * feeShare
    return [size]
  })
}

const affordable = (money: number, price: number): number => Math.floor(money / (price * (1 + feeShare)))

const files = [
  ["btc-perp", "btc-perp-1m-20211231-20220201.csv.gz"],
  ["sol", "binance-solusdt-1m-20240801-20240803.csv.gz"]
] as const

describe.skipIf(!sharedData.isPresent)("backtests compared with an engine for signals", () => {
  const oracle: Readonly<Record<string, Statistics>> = sharedData.isPresent
    ? JSON.parse(sharedData.text("oracle-backtesting-py-stats.json"))
    : {}

  const assertTrades = (trades: ReadonlyArray<Trade>, expected: Statistics | undefined) => {
    assert.strictEqual(trades.length, expected?.["# Trades"])
    assert.deepStrictEqual(trades.slice(0, 40), expected?.trades_head)
  }

  for (const [name, file] of files) {
    it(`${name}: crossing averages give the same result`, () => {
      const expected = oracle[`${name}/SmaCross`]
      const candles = sharedData.candles(file)
      const sizes = sizesOf(candles)
      const { fills, gained, held } = simulate(
        flipping({
          signals: crossings,
          size: (flip) => sizes[flip] ?? 0,
          parts: 1,
          last: candles.bars - 2,
          limit: marketable
        }),
        candles
      )
      assertTrades(
        tradesOf(
          fills.filter(({ slotName }) => slotName !== "close"),
          fills.filter(({ slotName }) => slotName === "close")
        ),
        expected
      )
      assert.strictEqual(held, 0n)
      const fees = inQuote(feesOf(fills))
      assert.closeTo(fees, expected?.["Commissions [$]"] ?? 0, 1e-6)
      const equity = [...equities(fills, candles.close, { cash, feeShare })]
      let final = cash + inQuote(gained) - fees
      const [late, close] = [crossings(candles).at(-1) ?? 0, candles.close.at(-1) ?? 0]
      if (late !== 0) {
        const open = candles.open.at(-1) ?? 0
        const size = affordable(final, open)
        final += late * size * (close - open) - size * open * feeShare
        equity.push(final)
      }
      assert.closeTo(final, expected?.["Equity Final [$]"] ?? 0, 1e-6)
      assert.closeTo((final / cash - 1) * 100, expected?.["Return [%]"] ?? 0, 1e-9)
      assert.closeTo(-worstDrawdown(equity) * 100, expected?.max_drawdown_recomputed_pct ?? 0, 1e-9)
    })

    /** It is first asked at its second close, and closes what is open at the last open. */
    const asking = (candles: Candles, closed: number) => {
      const next = closed < 2 ? closed : candles.bars - 2
      const time = TimeAxis.closeTime(candles.time, next)
      return { absent: [], reasons: [], until: { onFill: true, ...(closed < candles.bars - 1 ? { time } : {}) } }
    }
    const one = baseOf(1)
    const [buy, sell]: [Leg, Leg] = [
      { side: "BUY", price: marketable("BUY"), quantity: one },
      { side: "SELL", price: marketable("SELL"), quantity: one }
    ]

    it(`${name}: buy and hold gives the same result`, () => {
      const candles = sharedData.candles(file)
      const { fills, gained } = simulate(({ candles: seen }) => {
        const closed = seen?.get("1m")?.closed ?? 0
        const desired = closed < 2 ? [] : [slotOf("hold", closed < candles.bars - 1 ? [buy] : [buy, sell], false)]
        return { desired, memory: null, ...asking(candles, closed) }
      }, candles)
      const expected = oracle[`${name}/Hold`]
      assertTrades(tradesOf(fills.slice(0, 1), fills.slice(1)), expected)
      assert.closeTo(cash + inQuote(gained), expected?.["Equity Final [$]"] ?? 0, 1e-6)
      const equity = equities(fills, candles.close, { cash, feeShare: 0 })
      assert.closeTo(-worstDrawdown(equity) * 100, expected?.max_drawdown_recomputed_pct ?? 0, 1e-9)
    })

    it(`${name}: a purchase a hundredth below and its sale a hundredth above give the same result`, () => {
      const candles = sharedData.candles(file)
      const cents = (value: number): number => Math.round(value * 100) / 100
      /** Memory: the limit of the round under way, and how many rounds there were. */
      const decide: Decide = ({ candles: seen, slots }, memory) => {
        const { columns, closed } = seen?.get("1m") ?? { columns: undefined, closed: 0 }
        const [before = 0, round = 0] = Array.isArray(memory) ? memory.map(Number) : []
        if (closed < 2) return { desired: [], memory, ...asking(candles, closed) }
        const isOver = before === 0 || (slots.get(`${round}`)?.completedLegs ?? 0) === 2
        const limit = isOver ? cents((columns?.close[closed - 1] ?? 0) * 0.99) : before
        const now = isOver ? round + 1 : round
        const target: Leg = { side: "SELL", price: priceOf(cents(limit * 1.01)), quantity: one }
        const legs = [{ ...buy, price: priceOf(limit) }, closed < candles.bars - 1 ? target : sell] as const
        return { desired: [slotOf(`${now}`, legs, false)], memory: [limit, now], ...asking(candles, closed) }
      }
      const { fills, gained } = simulate(decide, candles)
      const expected = oracle[`${name}/DipLimit`]
      const [opened, closed] = [fills.filter(({ side }) => side === "BUY"), fills.filter(({ side }) => side === "SELL")]
      assertTrades(tradesOf(opened, closed), expected)
      const fees = inQuote(feesOf(fills))
      assert.closeTo(fees, expected?.["Commissions [$]"] ?? 0, 1e-6)
      assert.closeTo(cash + inQuote(gained) - fees, expected?.["Equity Final [$]"] ?? 0, 1e-6)
      const equity = equities(fills, candles.close, { cash, feeShare })
      assert.closeTo(-worstDrawdown(equity) * 100, expected?.max_drawdown_recomputed_pct ?? 0, 1e-9)
    })
  }
})
