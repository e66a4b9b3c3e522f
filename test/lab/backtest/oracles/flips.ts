/**
 * A strategy that is long and short in turn, as other engines know it: a signal closes the position and opens the opposite
 * one, by orders that are marketable when they are placed. Short is to have less of the base than the budget, which has
 * enough of it.
 */

import type { Price, Side } from "../../../../src/domain/Market.ts"
import type * as FillRows from "../../../../src/lab/backtest/results/FillRows.ts"
import type { Leg } from "../../../../src/strategy/Decision.ts"
import type { CandleColumns } from "../../../../src/strategy/Indicators.ts"
import type { Decide } from "../../../../src/strategy/Strategy.ts"
import { progressOf } from "../../../../src/strategy/View.ts"
import { baseOf, inBase, inQuote, slotOf } from "./oracle.ts"

export interface Flips {
  /** By candle: 1 to go long, -1 to go short, 0 for no signal. */
  readonly signals: (candles: CandleColumns) => ReadonlyArray<number>
  /** Base of the position that the n-th signal opens. */
  readonly size: (flip: number) => number
  /** A position is opened by so many orders of equal size, and closed by one. */
  readonly parts: number
  /** The candle at whose close the last position is to be closed. */
  readonly last: number
  /** A limit that is marketable at this close. */
  readonly limit: (side: Side, close: number) => Price
}

/**
 * A slot fills one order for a position; the second leg of its cycle is of nothing, and there it stands until the next one.
 * Memory: how many signals there were, and the direction of the position.
 */
export const flipping = ({ signals, size, parts, last, limit }: Flips): Decide => {
  let known: { readonly of: CandleColumns; readonly signals: ReadonlyArray<number> } | undefined
  return (view, memory) => {
    const { columns, closed } = view.candles?.get("1m") ?? { columns: undefined, closed: 0 }
    if (columns === undefined) throw new Error("Flips are decided on candles of one minute")
    if (known?.of !== columns) known = { of: columns, signals: signals(columns) }
    const at = closed - 1
    const [flips = 0, position = 0] = Array.isArray(memory) ? memory.map(Number) : []
    const orderOf = (slot: string, direction: number, base: number) => {
      const side = direction > 0 ? "BUY" : "SELL"
      const order: Leg = { side, price: limit(side, columns.close[at] ?? 0), quantity: baseOf(base) }
      const nothing = { ...order, quantity: 0n }
      const isFirst = progressOf(view, slot).completedLegs % 2 === 0
      return slotOf(slot, isFirst ? [order, nothing] : [nothing, order], true)
    }
    const signal = at < last ? (known.signals[at] ?? 0) : 0
    const closing =
      (signal !== 0 || at === last) && position !== 0 ? [orderOf("close", -position, size(flips - 1))] : []
    const next = signal !== 0 && size(flips) > 0 ? signal : 0
    const opening = Array.from({ length: next === 0 ? 0 : parts }, (_, part) =>
      orderOf(`open ${part}`, next, size(flips) / parts)
    )
    return {
      desired: [...closing, ...opening],
      absent: [],
      memory: signal === 0 ? [flips, at === last ? 0 : position] : [flips + 1, next],
      reasons: [],
      until: { barClose: "1m", onFill: false }
    }
  }
}

/** A thousandth of what changed hands, exactly. */
export const feesOf = (fills: ReadonlyArray<FillRows.FillRow>): bigint =>
  fills.reduce((sum, { side, input, output }) => sum + (side === "BUY" ? input : output) / 1000n, 0n)

/** Equity at every close, after fees of a share of what changes hands. */
export const equities = (
  fills: ReadonlyArray<FillRows.FillRow>,
  closes: ArrayLike<number>,
  start: { readonly cash: number; readonly feeShare: number }
): ReadonlyArray<number> => {
  let [cash, base, next] = [start.cash, 0, 0]
  return Array.from(closes, (close, bar) => {
    for (let fill = fills[next]; fill !== undefined && fill.bar <= bar; fill = fills[++next]) {
      const value = inQuote(fill.side === "BUY" ? fill.input : fill.output)
      cash += (fill.side === "BUY" ? -value : value) - value * start.feeShare
      base += (fill.side === "BUY" ? 1 : -1) * inBase(fill.quantity)
    }
    return cash + base * close
  })
}

export const worstDrawdown = (equity: ReadonlyArray<number>): number => {
  let [peak, worst] = [0, 0]
  for (const worth of equity) {
    peak = Math.max(peak, worth)
    worst = Math.max(worst, 1 - worth / peak)
  }
  return worst
}
