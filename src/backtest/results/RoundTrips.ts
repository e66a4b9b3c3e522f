/**
 * What each slot earned: a sell against the buy before it, or a buy back against the sell before it, by the share of the
 * base that changed hands. Quote, whole units; for looking at.
 */
import type { Candles } from "../../candles/Candles.ts"
import type { Outcome } from "../kernel/Outcome.ts"
import * as FillRows from "./FillRows.ts"

export interface SlotTrips {
  buys: number
  sells: number
  gained: number
  won: number
  lost: number
}

export interface RoundTrips {
  readonly bySlot: ReadonlyMap<string, SlotTrips>
  readonly trips: number
  readonly won: number
  readonly grossProfit: number
  readonly grossLoss: number
}

/** Open position of a slot: base and the quote paid (or got) for it; negative base is sold ahead. */
interface Open {
  base: number
  quote: number
  /** The bar in which it was opened. */
  since: number
}

/** A fill, or the part of one, that closed a position or a part of it. */
export interface ClosedTrade {
  readonly slotName: string
  /** Side of the entry. */
  readonly side: "BUY" | "SELL"
  readonly base: number
  /** Mean price of the entry, and price of the exit, both after fees. */
  readonly entryPrice: number
  readonly exitPrice: number
  readonly gained: number
  readonly entryBar: number
  readonly exitBar: number
}

/** Closes what it can and returns what that closed; the rest of the fill opens. */
const book = (open: Open, slotName: string, base: number, quote: number, bar: number): ClosedTrade | undefined => {
  if (open.base === 0 || open.base > 0 === base > 0) {
    if (open.base === 0) open.since = bar
    open.base += base
    open.quote += quote
    return undefined
  }
  const closed = Math.min(1, Math.abs(base / open.base))
  const used = Math.min(1, Math.abs(open.base / base))
  const trade: ClosedTrade = {
    slotName,
    side: open.base > 0 ? "BUY" : "SELL",
    base: Math.abs(open.base) * closed,
    entryPrice: Math.abs(open.quote / open.base),
    exitPrice: Math.abs(quote / base),
    gained: open.quote * closed + quote * used,
    entryBar: open.since,
    exitBar: bar
  }
  open.quote = open.quote * (1 - closed) + quote * (1 - used)
  if (closed === 1) open.since = bar
  open.base = closed === 1 ? base * (1 - used) : open.base + base
  return trade
}

/** In the order in which they ended. */
export const trades = (outcome: Outcome, candles: Candles): ReadonlyArray<ClosedTrade> => {
  const { market } = outcome.table
  const [baseUnit, quoteUnit] = [10 ** market.base.decimals, 10 ** market.quote.decimals]
  const open = new Map<string, Open>()
  return Array.from(FillRows.rows(outcome, candles)).flatMap(({ slotName, side, input, output, bar }) => {
    const position = open.get(slotName) ?? { base: 0, quote: 0, since: bar }
    open.set(slotName, position)
    const [paid, got] = [Number(input), Number(output)]
    const trade =
      side === "BUY"
        ? book(position, slotName, got / baseUnit, -paid / quoteUnit, bar)
        : book(position, slotName, -paid / baseUnit, got / quoteUnit, bar)
    return trade ?? []
  })
}

export const of = (outcome: Outcome, candles: Candles): RoundTrips => {
  const bySlot = new Map<string, SlotTrips>()
  const tripsOf = (slotName: string): SlotTrips => {
    const slot = bySlot.get(slotName) ?? { buys: 0, sells: 0, gained: 0, won: 0, lost: 0 }
    bySlot.set(slotName, slot)
    return slot
  }
  for (const { slotName, side } of FillRows.rows(outcome, candles)) {
    const slot = tripsOf(slotName)
    if (side === "BUY") slot.buys++
    else slot.sells++
  }
  const all = trades(outcome, candles)
  let [won, grossProfit, grossLoss] = [0, 0, 0]
  for (const { slotName, gained } of all) {
    const slot = tripsOf(slotName)
    slot.gained += gained
    if (gained > 0) {
      won++
      slot.won++
      grossProfit += gained
    } else {
      slot.lost++
      grossLoss -= gained
    }
  }
  return { bySlot, trips: all.length, won, grossProfit, grossLoss }
}
