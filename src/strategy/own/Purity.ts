/**
 * Tests an own strategy on made-up markets: inside the bounds of its answer it must plan the same orders, and it must never fail. (Its
 * machine already ensures that the same view gives the same answer.) A failure is reported with the view that caused it. The markets are
 * seeded, so a strategy is accepted or refused the same way everywhere.
 */
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, quoteAmount } from "../../domain/Market.ts"
import type { Signal } from "../../domain/Signal.ts"
import { age, countText, iso, messageOf, orderedJson } from "../../domain/Text.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import { armedLeg, type Decision, type DesiredSlot, holds, type Leg, type Memory } from "../Decision.ts"
import type { Behaviour } from "../Strategy.ts"
import { type ClosedCandles, type SlotProgress, untouchedSlot, type View } from "../View.ts"
import { inStretches, repeated } from "./Watch.ts"

const startMillis = 1_700_000_000_000
const minuteMillis = 60_000
const looks = 60
const usual = [100, 60_000]

/** Repeatable numbers from 0 to 1, by the linear congruential generator of Numerical Recipes. Another one could refuse a running strategy. */
const chanceFrom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** `around`: the price at which the strategy is tried; missing: at usual prices. */
export const impurityOf = (file: string, behaviour: Behaviour, market: Market, around?: number): string | undefined => {
  const step = market.tick === undefined ? 0 : Decimal.toNumber(market.tick)
  const levels = around === undefined ? usual : [around]
  try {
    for (const [index, level] of levels.entries()) {
      if (level < 1_000 * step) continue
      const problem = repeated(() => impurityAt(file, behaviour, market, level, chanceFrom(index + 1)))
      if (problem !== undefined) return problem
    }
  } catch (mistake) {
    return messageOf(mistake)
  }
  return undefined
}

const impurityAt = (file: string, behaviour: Behaviour, market: Market, level: number, chance: () => number) => {
  const world = worldOf(market, behaviour, level, chance)
  const unready = coldFailure(behaviour, world.view())
  if (unready !== undefined) return unready
  let memory: Memory = null
  const impurityOfLook = (): string | undefined => {
    const view = world.view()
    const answer = behaviour.decide(view, memory)
    const later = world.inside(view, answer)
    const other = later && behaviour.decide(later, answer.memory)
    if (later !== undefined && other !== undefined && wishesOf(answer) !== wishesOf(other)) {
      const signalNote = behaviour.signals === undefined ? "" : `, with ${signalsText(view)}`
      const circumstances = `at a price of ${Decimal.format(mid(view.price))} on ${iso(view.now)}${signalNote}, with memory ${JSON.stringify(memory)}`
      const [then, at] = [Decimal.format(mid(later.price)), iso(later.now)]
      return `${file} holds too long ${circumstances}: it plans ${wishesText(answer)}, ${boundsText(answer)}; but at ${then} on ${at} it plans ${wishesText(other)}`
    }
    memory = answer.memory
    world.goOn(answer)
    return undefined
  }
  let [impurity, left]: [string | undefined, number] = [undefined, looks]
  inStretches(() => {
    impurity = impurityOfLook()
    left -= 1
    return impurity === undefined && left > 0
  })
  return impurity
}

/** The first start of a bot and the first bar of a backtest have few candles or none. */
const coldFailure = (behaviour: Behaviour, view: View): string | undefined => {
  const { candles = new Map<string, number>() } = behaviour
  const most = Math.max(0, ...candles.values())
  for (const closed of new Set([0, 1, Math.floor(most / 2), most - 1].filter((count) => count >= 0 && count < most)))
    try {
      const cold = [...(view.candles ?? [])].map(
        ([timeframe, { columns }]) => [timeframe, { columns, closed }] as const
      )
      behaviour.decide({ ...view, candles: new Map(cold) }, null)
    } catch (mistake) {
      const candleCount = countText(closed, "closed candle")
      return `${messageOf(mistake)}; it had only ${candleCount} and must wait for enough`
    }
  return undefined
}

const wishesOf = ({ desired }: Decision): string =>
  orderedJson(desired.map(({ slot, legs, cycle, after }) => ({ slot, legs, cycle, after })))

const wishesText = ({ desired }: Decision): string =>
  desired.length === 0
    ? "nothing"
    : desired.map(({ legs, slot }) => `${slot}: ${legs.map(legText).join(", then ")}`).join("; ")

const legText = ({ price, side }: Leg): string => `${side === "BUY" ? "buy" : "sell"} at ${Decimal.format(price)}`

const signalsText = ({ now, signals = new Map() }: View): string =>
  [...signals]
    .map(([name, { at, value }]) => `the signal ${name} ${value}, sent ${age(now - at)} before`)
    .join(" and ") || "no signal"

const boundsText = ({ until: { barClose, priceAbove, priceBelow, time } }: Decision): string =>
  [
    ...(priceBelow === undefined ? [] : [`above ${Decimal.format(priceBelow)}`]),
    ...(priceAbove === undefined ? [] : [`below ${Decimal.format(priceAbove)}`]),
    ...(time === undefined ? [] : [`before ${iso(time)}`]),
    ...(barClose === undefined ? [] : [`until a candle of ${barClose} closes`])
  ].join(", ") || "whatever happens"

const sentValue = (level: number, chance: () => number): number => {
  const randomValue = chance()
  const values = [0, 1, -1, randomValue, -randomValue, level * (1 + (randomValue - 0.5) * 0.02)]
  return values[Math.floor(chance() * 6)] ?? randomValue
}

const worldOf = (
  market: Market,
  { candles: wanted = new Map(), signals: ages = new Map() }: Pick<Behaviour, "candles" | "signals">,
  level: number,
  chance: () => number
) => {
  const shortestMillis = Math.min(
    60 * minuteMillis,
    ...[...wanted.keys()].map((each) => timeframeMillis(each) ?? minuteMillis)
  )
  let [now, price] = [startMillis, level]
  const slots = new Map<string, SlotProgress>()
  const signals = new Map<string, Signal>()
  const series = new Map([...wanted].map(([timeframe, count]) => [timeframe, candlesOf(count, level, chance)] as const))
  const candlesAt = (at: number): ReadonlyMap<string, ClosedCandles> =>
    new Map(
      [...series].map(([timeframe, columns]) => {
        const more = Math.floor((at - startMillis) / (timeframeMillis(timeframe) ?? minuteMillis))
        return [timeframe, { columns, closed: Math.min(columns.close.length, (wanted.get(timeframe) ?? 0) + more) }]
      })
    )
  const viewAt = (at: number, value: number): View => {
    const exact = Decimal.fromNumber(value, 8)
    return {
      now: at,
      market,
      price: { bid: exact, ask: exact, at },
      slots: new Map(slots),
      ...(series.size === 0 ? {} : { candles: candlesAt(at) }),
      ...(ages.size === 0 ? {} : { signals: new Map(signals) })
    }
  }
  return {
    view: () => viewAt(now, price),
    inside: (view: View, { until }: Decision): View | undefined => {
      const at = now + Math.floor(chance() * shortestMillis)
      const value = price * (1 + (chance() - 0.5) * 0.02)
      const later = viewAt(at, value)
      const closes = until.barClose === undefined ? undefined : timeframeMillis(until.barClose)
      const isClosed =
        closes !== undefined && Math.floor((at - startMillis) / closes) > Math.floor((now - startMillis) / closes)
      return !isClosed && holds(until, later, false) && view.now <= at ? later : undefined
    },
    goOn: ({ desired }: Decision): void => {
      now += Math.floor(chance() * 2 * shortestMillis)
      price *= 1 + (chance() - 0.5) * 0.03
      for (const [name, most] of ages)
        if (chance() < 0.4)
          signals.set(name, {
            value: sentValue(level, chance),
            at: now - Math.floor(chance() * Math.min(most, now - startMillis))
          })
      for (const slot of desired)
        slots.set(slot.slot, after(slot, slots.get(slot.slot) ?? untouchedSlot, price, market))
    }
  }
}

const after = (desired: DesiredSlot, before: SlotProgress, price: number, market: Market): SlotProgress => {
  const { live: _, ...progress } = before
  const due = armedLeg(desired, progress)
  if (due === undefined) return progress
  const limit = Decimal.toNumber(due.price)
  if (due.side === "BUY" ? price > limit : price < limit)
    return { ...progress, live: { side: due.side, price: due.price, quantity: due.quantity } }
  const value = quoteAmount(market, due.quantity, due.price, "up")
  const leg = { ...progress, completedLegs: progress.completedLegs + 1, filledInLeg: 0n, lastLeg: { side: due.side } }
  return due.side === "BUY"
    ? { ...leg, bought: leg.bought + due.quantity, paid: leg.paid + value, receivedByLastLeg: due.quantity }
    : { ...leg, sold: leg.sold + due.quantity, proceeds: leg.proceeds + value, receivedByLastLeg: value }
}

const candlesOf = (count: number, level: number, chance: () => number): ClosedCandles["columns"] => {
  const bars = count + 4 * looks
  const column = () => new Float64Array(bars)
  const columns = { open: column(), high: column(), low: column(), close: column(), volume: column() }
  let price = level
  for (let bar = 0; bar < bars; bar++) {
    const opened = price
    price *= 1 + (chance() - 0.5) * 0.03
    columns.open[bar] = opened
    columns.close[bar] = price
    columns.high[bar] = Math.max(opened, price) * (1 + chance() * 0.005)
    columns.low[bar] = Math.min(opened, price) * (1 - chance() * 0.005)
    columns.volume[bar] = chance() * 10
  }
  return columns
}
