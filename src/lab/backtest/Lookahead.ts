/**
 * Checks that a strategy does not use the future, and that the candles that it declares are enough. A view's columns hold the whole series,
 * with a count of closed candles. So the strategy runs at many times with the real future, without a future, and with another future; the
 * answers must be equal. It also runs with exactly the declared candles, which should hardly ever change the answer.
 */
import { type Candles, columnsBy, exactPrice } from "../../candles/Candles.ts"
import * as Resample from "../../candles/Resample.ts"
import * as TimeAxis from "../../candles/TimeAxis.ts"
import { plainJson } from "../../domain/Text.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import type { Decision, Memory } from "../../strategy/Decision.ts"
import type { CandleColumns } from "../../strategy/Indicators.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import type { ClosedCandles, View } from "../../strategy/View.ts"

export type LookaheadReport = Readonly<ReturnType<typeof look>>

/** A strategy needs more candles than it declares if a larger share of its answers differs. */
const maxSensitiveShare = 0.02

export const isTooSensitive = ({ warm, sensitive }: LookaheadReport): boolean => sensitive > warm * maxSensitiveShare

export const look = (strategy: Strategy, candles: Candles, moments: number) => {
  const frames = new Map(
    [...(strategy.candles ?? [])].map(([name, needed]) => [
      name,
      { needed, all: Resample.of(candles, timeframeMillis(name) ?? 60_000) }
    ])
  )
  const peeks: Array<{ readonly at: number; readonly text: string }> = []
  const counts = { moments: 0, warm: 0, sensitive: 0 }
  let memory: Memory = strategy.initialMemory
  const stride = Math.max(1, Math.floor(candles.bars / moments))
  for (let bar = stride - 1; bar < candles.bars; bar += stride) {
    const now = TimeAxis.closeTime(candles.time, bar)
    const closed = new Map([...frames].map(([name, { all }]) => [name, Resample.closedAt(all, now)]))
    const viewWith = (change: (all: Resample.Resampled, closed: number, needed: number) => ClosedCandles): View => {
      const closedFrames = [...frames].map(([name, { all, needed }]): [string, ClosedCandles] => [
        name,
        change(all, closed.get(name) ?? 0, needed)
      ])
      return viewAt(strategy, candles, bar, now, new Map(closedFrames))
    }
    counts.moments += 1
    const views = { asItIs: viewWith(whole), cut: viewWith(cut), other: viewWith(anotherFuture) }
    // Memory may hide that the strategy looks ahead, so it also decides with its initial memory.
    for (const from of [memory, strategy.initialMemory]) {
      const [asItIs, ...others] = [views.asItIs, views.cut, views.other].map((view) => strategy.decide(view, from))
      const different = others.find((other) => asItIs !== undefined && answer(other) !== answer(asItIs))
      if (different !== undefined && asItIs !== undefined) {
        peeks.push({ at: now, text: difference(asItIs, different) })
        break
      }
    }
    if ([...frames].every(([name, { needed }]) => (closed.get(name) ?? 0) > needed) && frames.size > 0) {
      counts.warm += 1
      const fresh = (view: View) => answer(strategy.decide(view, strategy.initialMemory))
      if (fresh(viewWith(declaredCandles)) !== fresh(views.cut)) counts.sensitive += 1
    }
    memory = strategy.decide(views.asItIs, memory).memory
  }
  return { ...counts, peeks }
}

const viewAt = (
  { market }: Strategy,
  candles: Candles,
  bar: number,
  now: number,
  seen: ReadonlyMap<string, ClosedCandles>
): View => {
  const price = exactPrice(candles.close[bar] ?? 0)
  return { now, market, price: { bid: price, ask: price, at: now }, slots: new Map(), candles: seen }
}

/** `first`: the number of the first candle that is kept. */
const mapColumns = (
  { columns, startMillis, timeframeMillis }: Resample.Resampled,
  change: (column: Float64Array) => Float64Array,
  first = 0
): CandleColumns => ({
  ...columnsBy((name) => change(columns[name])),
  startMillis: startMillis + first * timeframeMillis
})

const whole = ({ columns }: Resample.Resampled, closed: number): ClosedCandles => ({ columns, closed })

const cut = (all: Resample.Resampled, closed: number): ClosedCandles => ({
  columns: mapColumns(all, (column) => column.slice(0, closed)),
  closed
})

const anotherFuture = (all: Resample.Resampled, closed: number): ClosedCandles => ({
  columns: mapColumns(all, (column) =>
    column.map((value, index) => (index < closed ? value : value * (index % 2 === 0 ? 1.5 : 0.5)))
  ),
  closed
})

const declaredCandles = (all: Resample.Resampled, closed: number, needed: number): ClosedCandles => ({
  columns: mapColumns(all, (column) => column.slice(closed - needed, closed), closed - needed),
  closed: needed
})

const answer = ({ desired, absent, memory }: Decision): string =>
  plainJson([desired, absent.map(({ slot, why }) => [slot, why.code]), memory])

const difference = (a: Decision, b: Decision): string => {
  const slots = new Set([...a.desired, ...b.desired].map(({ slot }) => slot))
  const inA = new Map(a.desired.map((desired) => [desired.slot, plainJson(desired)]))
  const inB = new Map(b.desired.map((desired) => [desired.slot, plainJson(desired)]))
  const changed = [...slots].filter((slot) => inA.get(slot) !== inB.get(slot))
  return changed.length === 0 ? "its memory" : `the order of ${changed.slice(0, 3).join(", ")}`
}
