/**
 * No strategy of the catalogue falls off a cliff because the calendar turns: none may move most of what it holds again and again
 * in the first hour of days, or on the first day of weeks or months. Whatever looks at a clock, or at days, runs over a year,
 * the others over six weeks; `npm run catalogue` runs each over two years.
 */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import * as Generate from "../../src/candles/Generate.ts"
import { dayMillis, hourMillis } from "../../src/domain/Durations.ts"
import { timeframeMillis } from "../../src/domain/Timeframe.ts"
import * as Backtest from "../../src/lab/backtest/Backtest.ts"
import { noCosts } from "../../src/lab/backtest/kernel/FillPresets.ts"
import type { Outcome } from "../../src/lab/backtest/kernel/Outcome.ts"
import * as OrderTable from "../../src/lab/backtest/kernel/orders/OrderTable.ts"
import { strategyOf } from "./support.ts"

const folder = "strategies/catalogue"
const startMillis = Date.UTC(2021, 0, 20)
const runsAll = process.env["LIMITBOT_CATALOGUE"] === "all"

/** The names of the clock, schedules, candles of days, and limits by the day. */
const calendar = /\b(?:hour|minute|weekday|monthday|since|every|quietHours|maxDailyLoss|\d+[dw])\b/
const daysOf = (text: string): number => (runsAll ? 730 : calendar.test(text.replace(/#.*/g, "")) ? 365 : 45)

/** Bars of an hour, or of the shortest candles that the strategy looks at. */
const runOf = (text: string): { readonly outcome: Outcome; readonly stepMillis: number } => {
  const strategy = strategyOf(text)
  const stepMillis = Math.min(
    hourMillis,
    ...[...(strategy.candles ?? [])].map(([name]) => timeframeMillis(name) ?? hourMillis)
  )
  const bars = (daysOf(text) * dayMillis) / stepMillis
  const seriesOf = (seed: number, startPrice: number) => {
    const candles = Generate.generate({ bars, seed, startMillis, stepMillis, startPrice })
    return { candles, indices: CrossingIndex.linearIndices(candles), options }
  }
  const options = { costs: noCosts, changes: {}, keepsOrders: false }
  const others = (strategy.watched ?? []).map(() => seriesOf(13, 32_000))
  const { outcome } = Backtest.runAll(strategy, [seriesOf(12, 2_000), ...others], "optimistic")
  return { outcome, stepMillis }
}

/** The share of what was held that moved in each span in which something did: of the base sold, or of the quote spent. */
const movesOf = (
  { outcome, stepMillis }: ReturnType<typeof runOf>,
  spanMillis: number
): ReadonlyMap<number, number> => {
  const { fills, table } = outcome
  const moved = OrderTable.moved(table)
  let [base, quote] = [Number(outcome.base - moved.base), Number(outcome.quote - moved.quote)]
  const shares = new Map<number, number>()
  let span = Number.NaN
  let [heldBase, heldQuote, sold, spent] = [base, quote, 0, 0]
  for (let index = 0; index < fills.count; index += 1) {
    const row = table.rows[fills.orders[index] ?? -1]
    if (row === undefined) continue
    // What is decided at the close of a bar fills there.
    const at = startMillis + ((fills.bars[index] ?? 0) + 1) * stepMillis
    if (Math.floor(at / spanMillis) !== span) {
      span = Math.floor(at / spanMillis)
      ;[heldBase, heldQuote, sold, spent] = [base, quote, 0, 0]
    }
    const [amount, worth] = [Number(row.quantity), Number(OrderTable.quoteSide(row))]
    const sign = row.side === "BUY" ? 1 : -1
    if (sign > 0) spent += worth
    else sold += amount
    base += sign * amount
    quote -= sign * worth
    const share = Math.max(heldBase > 0 ? sold / heldBase : 0, heldQuote > 0 ? spent / heldQuote : 0)
    shares.set(span * spanMillis, share)
  }
  return shares
}

const turns: Readonly<Record<string, readonly [spanMillis: number, isTurn: (at: number) => boolean]>> = {
  day: [hourMillis, (at) => new Date(at).getUTCHours() === 0],
  week: [dayMillis, (at) => new Date(at).getUTCDay() === 1],
  month: [dayMillis, (at) => new Date(at).getUTCDate() === 1]
}

/** Fewer say nothing of a habit. */
const leastTurns = 6

/** Moves most of what it holds at this share of the turns of a calendar, and far more often there than elsewhere. */
const cliffsOf = (text: string): ReadonlyArray<string> => {
  const run = runOf(text)
  const end = startMillis + daysOf(text) * dayMillis
  return Object.entries(turns).flatMap(([name, [spanMillis, isTurn]]) => {
    const shares = movesOf(run, spanMillis)
    let [atTurns, elsewhere, countTurns, countElsewhere] = [0, 0, 0, 0]
    for (let at = startMillis; at < end; at += spanMillis) {
      const isLarge = (shares.get(at) ?? 0) > 0.5 ? 1 : 0
      if (isTurn(at)) {
        countTurns += 1
        atTurns += isLarge
      } else {
        countElsewhere += 1
        elsewhere += isLarge
      }
    }
    if (countTurns < leastTurns) return []
    const [there, other] = [atTurns / countTurns, elsewhere / countElsewhere]
    return there > 0.25 && there > 3 * other
      ? [`${name}: at ${atTurns} of ${countTurns} turns, ${elsewhere} times elsewhere`]
      : []
  })
}

describe("the turn of a calendar period does not move most of a strategy's holdings", () => {
  it.each(readdirSync(folder))("in %s", (file) => {
    assert.deepStrictEqual(cliffsOf(readFileSync(`${folder}/${file}`, "utf8")), [])
  })

  it("unless a goal restarts with the clock, which is detected", () => {
    const text = readFileSync(`${folder}/value-averaging.yaml`, "utf8")
    const cliffAt = (goal: string) =>
      cliffsOf(text.replace(/goal: .*/, `goal: ${goal}`)).map((found) => found.split(":")[0])
    assert.deepStrictEqual(cliffAt("monthday * 50 USDC"), ["month"])
    assert.deepStrictEqual(cliffAt("weekday * 50 USDC"), ["week"])
  })
})
