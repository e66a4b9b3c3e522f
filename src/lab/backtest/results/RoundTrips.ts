/**
 * The trades of a run. A slot that enters and leaves by turns is matched with itself, the newest entry first. The orders of
 * all others of a strategy close what is open, the oldest first, whoever opened it: the exit of a deal sells what its base
 * order and its safety orders bought. All that one leg closes is one trade, and what the fees took of the base ends with it.
 * Base is exact; quote is in whole units, for looking at.
 */
import type { Candles } from "../../../candles/Candles.ts"
import { type Amount, max, min } from "../../../domain/Amount.ts"
import type { Side } from "../../../domain/Market.ts"
import type { Outcome } from "../kernel/Outcome.ts"
import * as FillRows from "./FillRows.ts"

/** What a slot did, and what its trades gained. */
interface SlotTrips {
  buys: number
  sells: number
  gained: number
}

/** What is open of one fill. */
interface Lot {
  readonly slotName: string
  readonly side: Side
  readonly bar: number
  /** What fees took of the base when it was bought: no position is smaller. */
  readonly dust: Amount
  base: Amount
  quote: number
}

/** What a leg has closed so far; `base` and `quote` changed hands. */
interface Closing {
  readonly slotName: string
  readonly entrySlotName: string
  /** Side of the entry. */
  readonly side: Side
  readonly entry: { base: Amount; quote: number }
  readonly exit: { base: Amount; quote: number }
  entryBar: number
  exitBar: number
}

/** What one leg of a slot closed. */
export interface ClosedTrade {
  /** The slot whose order closed it, and the one that opened the first of it. */
  readonly slotName: string
  readonly entrySlotName: string
  /** Side of the entry. */
  readonly side: Side
  readonly base: number
  /** Mean prices of entry and exit, both after fees. */
  readonly entryPrice: number
  readonly exitPrice: number
  readonly gained: number
  readonly entryBar: number
  readonly exitBar: number
}

/** In the order in which they were opened. A slot's own are kept beside, as one that takes turns closes no others. */
class OpenLots {
  readonly all = new Set<Lot>()
  /** Base by which closed lots fell short because of fees. A later leg may make it up: that opens no lot. */
  shortfall = 0n
  private readonly bySlot = new Map<string, Array<Lot>>()

  add(lot: Lot): void {
    this.all.add(lot)
    const own = this.bySlot.get(lot.slotName)
    if (own === undefined) this.bySlot.set(lot.slotName, [lot])
    else own.push(lot)
  }

  /** The next one that an order of this side closes. */
  next(slotName: string, side: Side, takesTurns: boolean): Lot | undefined {
    if (takesTurns) return this.newestOf(slotName, side)
    for (const lot of this.all) if (lot.side !== side) return lot
    return undefined
  }

  /** Takes a part of a lot, and what is left of it when that is dust; says what that was worth when it opened. */
  take(lot: Lot, part: Amount, dust: Amount): { readonly base: Amount; readonly quote: number } {
    const base = lot.base - part <= dust ? lot.base : part
    this.shortfall += base - part
    const quote = base === lot.base ? lot.quote : (lot.quote * Number(base)) / Number(lot.base)
    lot.base -= base
    lot.quote -= quote
    if (lot.base === 0n) this.all.delete(lot)
    return { base, quote }
  }

  private newestOf(slotName: string, side: Side): Lot | undefined {
    const own = this.bySlot.get(slotName) ?? []
    while (own.at(-1)?.base === 0n) own.pop()
    const newest = own.at(-1)
    return newest?.side === side ? undefined : newest
  }
}

const begun = (slotName: string, { slotName: entrySlotName, side, bar }: Lot): Closing => ({
  slotName,
  entrySlotName,
  side,
  entry: { base: 0n, quote: 0 },
  exit: { base: 0n, quote: 0 },
  entryBar: bar,
  exitBar: bar
})

/** Base that fees took, or that was not worth selling, counts at the price of the exit. */
const ended = ({ entry, exit, side, ...about }: Closing, baseUnit: number): ClosedTrade => {
  const [entered, left] = [Number(entry.base) / baseUnit, Number(exit.base) / baseUnit]
  const exitPrice = exit.quote / left
  const gained = exit.quote - entry.quote + (entered - left) * exitPrice
  return {
    ...about,
    side,
    base: entered,
    entryPrice: entry.quote / entered,
    exitPrice,
    gained: side === "BUY" ? gained : -gained
  }
}

/** A fill in base, and in quote of whole units. */
interface Moved extends Pick<FillRows.FillRow, "slotName" | "side" | "bar"> {
  readonly takesTurns: boolean
  readonly base: Amount
  readonly quote: number
  /** What fees took of the base. */
  readonly dust: Amount
}

/** Closes what it can, and opens a lot with the rest. */
const book = (lots: OpenLots, closings: Map<string, Closing>, moved: Moved): void => {
  const { slotName, side, bar, takesTurns, base, quote } = moved
  let [left, dust] = [base, moved.dust]
  for (
    let lot = lots.next(slotName, side, takesTurns);
    lot !== undefined && left > 0n;
    lot = lots.next(slotName, side, takesTurns)
  ) {
    const closing = closings.get(slotName) ?? begun(slotName, lot)
    closings.set(slotName, closing)
    dust += lot.dust
    const part = min(left, lot.base)
    const entered = lots.take(lot, part, moved.dust + lot.dust)
    const surplus = left - part
    const closed = surplus <= dust + lots.shortfall ? left : part
    if (closed === left) lots.shortfall = max(0n, lots.shortfall - surplus)
    left -= closed
    closing.entry.base += entered.base
    closing.entry.quote += entered.quote
    closing.exit.base += closed
    closing.exit.quote += (quote * Number(closed)) / Number(base)
    closing.entryBar = Math.min(closing.entryBar, lot.bar)
    closing.exitBar = bar
  }
  if (left === 0n) return
  lots.add({ slotName, side, bar, dust: moved.dust, base: left, quote: (quote * Number(left)) / Number(base) })
}

/** What ended, and what is open. */
const matched = (outcome: Outcome, candles: Candles) => {
  const { market } = outcome.table
  const [baseUnit, quoteUnit] = [10 ** market.base.decimals, 10 ** market.quote.decimals]
  const lots = new OpenLots()
  const closings = new Map<string, Closing>()
  const found: Array<ClosedTrade> = []
  const end = (slotName: string): void => {
    const closing = closings.get(slotName)
    if (closing !== undefined) found.push(ended(closing, baseUnit))
    closings.delete(slotName)
  }
  for (const { slot, slotName, side, input, output, fee, bar, endsLeg } of FillRows.rows(outcome, candles)) {
    if (closings.get(slotName)?.side === side) end(slotName)
    const takesTurns = outcome.slotsTakeTurns[slot] === true
    const moved =
      side === "BUY"
        ? { base: output, quote: Number(input) / quoteUnit, dust: fee }
        : { base: input, quote: Number(output) / quoteUnit, dust: 0n }
    if (moved.base > 0n) book(lots, closings, { slotName, side, bar, takesTurns, ...moved })
    if (endsLeg) end(slotName)
  }
  for (const slotName of closings.keys()) end(slotName)
  return { found, lots }
}

/** In the order in which they ended; what legs closed that have not ended comes last. */
export const trades = (outcome: Outcome, candles: Candles): ReadonlyArray<ClosedTrade> =>
  matched(outcome, candles).found

/** What each slot's open position would gain at the last close, over what it cost or brought in. */
export const inventoryBySlot = (outcome: Outcome, candles: Candles): ReadonlyMap<string, number> => {
  const price = (candles.close[candles.bars - 1] ?? 0) / 10 ** outcome.table.market.base.decimals
  const bySlot = new Map<string, number>()
  for (const { slotName, side, base, quote } of matched(outcome, candles).lots.all) {
    const held = Number(base) * price - quote
    bySlot.set(slotName, (bySlot.get(slotName) ?? 0) + (side === "BUY" ? held : -held))
  }
  return bySlot
}

export const bySlot = (outcome: Outcome, candles: Candles): ReadonlyMap<string, SlotTrips> => {
  const found = new Map<string, SlotTrips>()
  const tripsOf = (slotName: string): SlotTrips => {
    const slot = found.get(slotName) ?? { buys: 0, sells: 0, gained: 0 }
    found.set(slotName, slot)
    return slot
  }
  for (const { slotName, side } of FillRows.rows(outcome, candles))
    tripsOf(slotName)[side === "BUY" ? "buys" : "sells"]++
  for (const { slotName, gained } of trades(outcome, candles)) tripsOf(slotName).gained += gained
  return found
}
