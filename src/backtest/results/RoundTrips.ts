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
}

/** Closes what it can and returns what that gained; the rest of the fill opens. */
const book = (open: Open, base: number, quote: number): number | undefined => {
  if (open.base === 0 || open.base > 0 === base > 0) {
    open.base += base
    open.quote += quote
    return undefined
  }
  const closed = Math.min(1, Math.abs(base / open.base))
  const used = Math.min(1, Math.abs(open.base / base))
  const gained = open.quote * closed + quote * used
  open.quote = open.quote * (1 - closed) + quote * (1 - used)
  open.base = closed === 1 ? base * (1 - used) : open.base + base
  return gained
}

export const of = (outcome: Outcome, candles: Candles): RoundTrips => {
  const { market } = outcome.table
  const [baseUnit, quoteUnit] = [10 ** market.base.decimals, 10 ** market.quote.decimals]
  const bySlot = new Map<string, SlotTrips>()
  const open = new Map<string, Open>()
  let [trips, won, grossProfit, grossLoss] = [0, 0, 0, 0]
  for (const { slotName, side, input, output } of FillRows.rows(outcome, candles)) {
    const slot = bySlot.get(slotName) ?? { buys: 0, sells: 0, gained: 0, won: 0, lost: 0 }
    const position = open.get(slotName) ?? { base: 0, quote: 0 }
    bySlot.set(slotName, slot)
    open.set(slotName, position)
    const buys = side === "BUY"
    if (buys) slot.buys++
    else slot.sells++
    const [paid, got] = [Number(input), Number(output)]
    const gained = buys
      ? book(position, got / baseUnit, -paid / quoteUnit)
      : book(position, -paid / baseUnit, got / quoteUnit)
    if (gained === undefined) continue
    trips++
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
  return { bySlot, trips, won, grossProfit, grossLoss }
}
