/** Random candles, strategies and rules from a seed, for the tests that compare two ways of running the same thing. */

import * as Candles from "../../../src/candles/Candles.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { type Market, mid, type Side } from "../../../src/domain/Market.ts"
import { type Random, seeded } from "../../../src/domain/Seeded.ts"
import type { Conditions } from "../../../src/lab/backtest/kernel/Conditions.ts"
import { touching } from "../../../src/lab/backtest/kernel/FillPresets.ts"
import type { FillRules } from "../../../src/lab/backtest/kernel/FillRules.ts"
import type { DesiredSlot, Leg } from "../../../src/strategy/Decision.ts"
import type { Decide, Limits } from "../../../src/strategy/Strategy.ts"

export const random = seeded

export const pick = <A>(next: Random, first: A, ...rest: ReadonlyArray<A>): A =>
  rest[Math.floor(next() * (rest.length + 1)) - 1] ?? first

export const market: Market = {
  name: "BASE/QUOTE",
  base: { symbol: "BASE", id: "base", decimals: 8 },
  quote: { symbol: "QUOTE", id: "quote", decimals: 6 }
}

/** A walk around 100 with gaps in price and time. */
export const randomCandles = (next: Random, bars: number): Candles.Candles => {
  const columns = Array.from({ length: 5 }, () => Candles.column(bars))
  const [open, high, low, close, volume] = columns as [
    Candles.Column,
    Candles.Column,
    Candles.Column,
    Candles.Column,
    Candles.Column
  ]
  const times = new Float64Array(bars)
  const size = pick(next, 0.2, 0.5, 2)
  let price = 100
  let time = 1_600_000_000_000 - (1_600_000_000_000 % 60_000)
  const cents = (value: number) => Math.max(1, Math.round(value * 100)) / 100
  for (let bar = 0; bar < bars; bar++) {
    time += next() < 0.02 ? 60_000 * Math.ceil(next() * 40) : 60_000
    times[bar] = time
    if (next() < 0.05) price += (next() - 0.5) * 5 * size
    const path = [price]
    for (let step = 0; step < 3; step++) {
      price += (next() - 0.5) * size - (price - 100) * 0.01
      path.push(price)
    }
    const rounded = path.map(cents)
    open[bar] = rounded[0] ?? 0
    high[bar] = Math.max(...rounded)
    low[bar] = Math.min(...rounded)
    close[bar] = rounded[3] ?? 0
    volume[bar] = next() < 0.1 ? 0 : Math.round(next() * 300) / 100
  }
  return { bars, time: TimeAxis.make(times), open, high, low, close, volume, priceScale: 2 }
}

export const price = (value: number, scale: number) =>
  Decimal.make(BigInt(Math.max(1, Math.round(value * 10 ** scale))), scale)

/** `swaps`: the share of legs that are swaps. */
export const randomLegs = (next: Random, around: number, swaps = 0): readonly [Leg, ...ReadonlyArray<Leg>] => {
  const leg = (side: Side): Leg => ({
    side,
    price: price(around + (next() - 0.5) * 4 + (side === "BUY" ? -0.7 : 0.7), pick(next, 2, 2, 4, 1)),
    quantity: BigInt(Math.ceil(next() * 3e8)),
    ...(swaps > 0 && next() < swaps ? { by: "swap" as const } : {})
  })
  const first = pick<Side>(next, "BUY", "SELL")
  const other: Side = first === "BUY" ? "SELL" : "BUY"
  const shape = next()
  if (shape < 0.6) return [leg(first), leg(other)]
  if (shape < 0.8) return [leg(first)]
  return [leg(first), leg(pick<Side>(next, "BUY", "SELL")), leg(other)]
}

/** Different slots after every decision that finds another price, another time or another progress. */
const randomDecide = (seed: number, swaps: number): Decide => {
  const shape = random(seed)
  const slotCount = pick(shape, 1, 3, 8, 40)
  const onFill = shape() < 0.4
  const step = pick(shape, 0, 0.5, 1, 3)
  const timeframe = pick(shape, undefined, undefined, "1m", "5m", "1h")
  const everyMillis = pick(shape, 0, 0, 700_000)
  const dropsSlots = shape() < 0.3
  const stopsAt = pick(shape, 0, 0.1, 0.4)
  return (view, memory) => {
    const now = Decimal.toNumber(mid(view.price))
    const regime = step === 0 ? 0 : Math.floor(now / step)
    const filled = onFill
      ? [...view.slots.values()].reduce((sum, { completedLegs }) => sum + (completedLegs % 3), 0)
      : 0
    const calls = typeof memory === "number" ? memory + 1 : 0
    const next = random(seed * 31 + regime * 7 + (dropsSlots ? filled : 0))
    const around = step === 0 ? 100 : now
    // As after a stop, so that a part of a position may leave that is smaller than the smallest order.
    const code = regime % 3 === 0 ? "stop" : "random"
    const desired: Array<DesiredSlot> = []
    for (let index = 0; index < slotCount; index++) {
      const legs = randomLegs(next, around, swaps)
      const cycle = next() < 0.7
      if (next() < 0.9) desired.push({ slot: `slot-${index}`, legs, cycle, why: { code, text: "" } })
    }
    const until = {
      onFill,
      ...(step === 0 ? {} : { priceBelow: price(now - step * 0.7, 3), priceAbove: price(now + step * 0.6, 3) }),
      ...(timeframe === undefined ? {} : { barClose: timeframe }),
      ...(everyMillis === 0 ? {} : { time: view.now + everyMillis })
    }
    const stops = stopsAt === 0 ? {} : { priceBelow: price(now - stopsAt, 4), priceAbove: price(now + stopsAt, 3) }
    return { desired, absent: [], memory: calls, reasons: [], until, stops }
  }
}

export const randomConditions = (seed: number, rules: FillRules, swaps = 0): Conditions => {
  const next = random(seed)
  const budget = pick(next, 1n, 4n, 100n)
  return {
    market,
    decide: randomDecide(seed, swaps),
    initialMemory: null,
    rules,
    budget: { base: budget * 200_000_000n, quote: budget * 200_000_000n },
    maxOpenOrders: pick(next, 1_000_000, 5)
  }
}

const half = (next: Random): boolean => next() < 0.5

/** Of those that a strategy file can have; the candles begin at 12:26 UTC. */
export const randomLimits = (next: Random, { budget, maxOpenOrders }: Conditions): Limits => {
  const worth = budget.quote * 2n
  const maxPriceDeviation = pick(next, Decimal.make(5n, 2), Decimal.make(1n, 2), Decimal.make(2n, 3), Decimal.zero)
  const always = { budget, maxOpenOrders, maxPriceDeviation, staleAfterMillis: 30_000 }
  if (next() < 0.3) return always
  return {
    ...always,
    ...(half(next) ? {} : { maxNotional: pick(next, 300_000_000n, 900_000_000n) }),
    ...(half(next) ? {} : { maxOrdersPerHour: pick(next, 2, 6, 20) }),
    ...(half(next)
      ? {}
      : { quietHours: pick(next, { fromMinute: 750, toMinute: 790 }, { fromMinute: 800, toMinute: 740 }) }),
    ...(half(next) ? {} : { maxDailyLoss: pick(next, worth / 50n, worth / 300n) }),
    ...(half(next) ? {} : { maxDrawdown: pick(next, Decimal.make(3n, 2), Decimal.make(4n, 3)) }),
    onLoss: pick(next, "pause", "drain")
  }
}

/** Rules of the fast path. */
export const immediateRules = (next: Random): FillRules => {
  const rules = withoutImpact(next)
  return { ...rules, impactBasisPoints: rules.spreadBasisPoints === 20 ? 10_000 : 0 }
}

const withoutImpact = (next: Random): FillRules => ({
  ...touching,
  touch: pick(next, "at", "at", "through", "close"),
  price: pick(next, "limit", "limit", "limit", "arrival"),
  edgeBasisPoints: pick(next, 0, 0, 5, 12.5),
  spreadBasisPoints: pick(next, 0, 5, 20),
  feeBasisPoints: pick(next, 0, 10, 25),
  withdrawFee: pick(next, { base: 0n, quote: 0n }, { base: 1000n, quote: 50_000n }),
  refundFee: pick(next, { base: 0n, quote: 0n }, { base: 2000n, quote: 30_000n }),
  minimumQuote: pick(next, 0n, 0n, 20_000_000n),
  appFeeBasisPoints: pick(next, 0, 0, 20.01)
})

/** Nothing of its own is drawn, so that each seed stays what it is. */
const withStops = (rules: FillRules): FillRules => {
  const { feeBasisPoints, payoutMillis, placeMillis } = rules
  const sum = Math.floor(feeBasisPoints / 5 + (placeMillis + payoutMillis) / 30_000)
  return { ...rules, stops: sum % 2 === 1 ? "first" : "close" }
}

export const anyRules = (next: Random): FillRules =>
  withStops({
    ...immediateRules(next),
    touch: pick(next, "at", "through", "within", "close"),
    price: pick(next, "limit", "open", "arrival"),
    placeMillis: pick(next, 0, 30_000, 90_000, 400_000),
    payoutMillis: pick(next, 0, 60_000, 150_000),
    cancelMillis: pick(next, 0, 20_000, 200_000),
    volumeShare: pick(next, 0, 0.1, 1),
    inHand: pick(
      next,
      { share: 0, distance: 0, seed: 1 },
      { share: 0.5, distance: 0.01, seed: 3 },
      { share: 1, distance: 0.1, seed: 5 }
    )
  })
