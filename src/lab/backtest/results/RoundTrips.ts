/**
 * The trades of a run. A slot that alternates between entries and exits is matched with itself, the newest entry first. The orders of all
 * other slots close the oldest open position of any slot: the exit of a deal sells the base of its base order and its safety orders. All
 * that one leg closes is one trade, including the base that fees took. Base is exact; quote is in whole units, for display.
 */
import type { Candles } from "../../../candles/Candles.ts"
import { openTime } from "../../../candles/TimeAxis.ts"
import { type Amount, max, min } from "../../../domain/Amount.ts"
import * as Csv from "../../../domain/Csv.ts"
import type { Side } from "../../../domain/Market.ts"
import type { Outcome } from "../kernel/Outcome.ts"
import * as FillRows from "./FillRows.ts"

interface SlotTrips {
  buys: number
  sells: number
  gained: number
}

interface Lot {
  readonly slotName: string
  readonly side: Side
  readonly bar: number
  /** Base that fees took at the buy. A smaller rest is not a position. */
  readonly dust: Amount
  base: Amount
  quote: number
}

type Closing = ReturnType<typeof openClosing>
type ClosedTrade = Readonly<ReturnType<typeof ended>>

/** In opening order. The slot's own lots are indexed separately, because a slot that takes turns closes no others. */
class OpenLots {
  readonly all = new Set<Lot>()
  /** Base that closed lots lack because of fees. A later leg may compensate it, which opens no lot. */
  shortfall = 0n
  private readonly bySlot = new Map<string, Array<Lot>>()

  add(lot: Lot): void {
    this.all.add(lot)
    const own = this.bySlot.get(lot.slotName) ?? []
    own.push(lot)
    this.bySlot.set(lot.slotName, own)
  }

  next(slotName: string, side: Side, takesTurns: boolean): Lot | undefined {
    if (takesTurns) return this.newestOf(slotName, side)
    for (const lot of this.all) if (lot.side !== side) return lot
    return undefined
  }

  /** Takes a part of a lot, and its rest if that is dust. Returns the value of the part at its opening. */
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

const openClosing = (slotName: string, { slotName: entrySlotName, side, bar }: Lot) => ({
  slotName,
  entrySlotName,
  side,
  entry: { base: 0n, quote: 0 },
  exit: { base: 0n, quote: 0 },
  entryBar: bar,
  exitBar: bar
})

/** Prices are means after fees. Base that fees took, or that was too small to sell, counts at the exit price. */
const ended = ({ entry, exit, side, ...about }: Closing, baseUnit: number) => {
  const [entered, left] = [Number(entry.base) / baseUnit, Number(exit.base) / baseUnit]
  const exitPrice = exit.quote / left
  const gained = exit.quote - entry.quote + (entered - left) * exitPrice
  const prices = { entryPrice: entry.quote / entered, exitPrice }
  return { ...about, side, base: entered, ...prices, gained: side === "BUY" ? gained : -gained }
}

interface Moved extends Pick<FillRows.FillRow, "slotName" | "side" | "bar"> {
  readonly takesTurns: boolean
  readonly base: Amount
  readonly quote: number
  readonly dust: Amount
}

const book = (lots: OpenLots, closings: Map<string, Closing>, moved: Moved): void => {
  const { slotName, side, bar, takesTurns, base, quote } = moved
  let [left, dust] = [base, moved.dust]
  const next = () => lots.next(slotName, side, takesTurns)
  for (let lot = next(); lot !== undefined && left > 0n; lot = next()) {
    const closing = closings.get(slotName) ?? openClosing(slotName, lot)
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

const matched = (outcome: Outcome, candles: Candles) => {
  const { market } = outcome.table
  const [baseUnit, quoteUnit] = [10 ** market.base.decimals, 10 ** market.quote.decimals]
  const lots = new OpenLots()
  const closings = new Map<string, Closing>()
  const closedTrades: Array<ClosedTrade> = []
  const end = (slotName: string): void => {
    const closing = closings.get(slotName)
    if (closing !== undefined) closedTrades.push(ended(closing, baseUnit))
    closings.delete(slotName)
  }
  for (const { slot, slotName, side, input, output, fee, bar, endsOrder, isPart } of FillRows.rows(outcome, candles)) {
    if (closings.get(slotName)?.side === side) end(slotName)
    const takesTurns = outcome.slotsTakeTurns[slot] === true
    const moved =
      side === "BUY"
        ? { base: output, quote: Number(input) / quoteUnit, dust: fee }
        : { base: input, quote: Number(output) / quoteUnit, dust: 0n }
    if (moved.base > 0n) book(lots, closings, { slotName, side, bar, takesTurns, ...moved })
    if (endsOrder && !isPart) end(slotName)
  }
  for (const slotName of closings.keys()) end(slotName)
  return { found: closedTrades, lots }
}

/** Ordered by the end of the trade. Closed parts of legs that have not ended come last. */
export const trades = (outcome: Outcome, candles: Candles): ReadonlyArray<ClosedTrade> =>
  matched(outcome, candles).found

/** Returns for each slot the gain of its open position at the last close, over its cost or proceeds. */
export const inventoryBySlot = (outcome: Outcome, candles: Candles): ReadonlyMap<string, number> => {
  const price = (candles.close[candles.bars - 1] ?? 0) / 10 ** outcome.table.market.base.decimals
  const bySlot = new Map<string, number>()
  for (const { slotName, side, base, quote } of matched(outcome, candles).lots.all) {
    const value = Number(base) * price - quote
    bySlot.set(slotName, (bySlot.get(slotName) ?? 0) + (side === "BUY" ? value : -value))
  }
  return bySlot
}

export const bySlot = (outcome: Outcome, candles: Candles): ReadonlyMap<string, SlotTrips> => {
  const tripsBySlot = new Map<string, SlotTrips>()
  const tripsOf = (slotName: string): SlotTrips => {
    const slot = tripsBySlot.get(slotName) ?? { buys: 0, sells: 0, gained: 0 }
    tripsBySlot.set(slotName, slot)
    return slot
  }
  for (const { slotName, side } of FillRows.rows(outcome, candles))
    tripsOf(slotName)[side === "BUY" ? "buys" : "sells"]++
  for (const { slotName, gained } of trades(outcome, candles)) tripsOf(slotName).gained += gained
  return tripsBySlot
}

const blockBars = 256

const extremes = (values: ArrayLike<number>, pick: (a: number, b: number) => number) => {
  const within = (from: number, to: number): number => {
    let extreme = values[from] ?? Number.NaN
    for (let bar = from + 1; bar <= to; bar++) extreme = pick(extreme, values[bar] ?? extreme)
    return extreme
  }
  const count = Math.floor(values.length / blockBars)
  const blocks = Array.from({ length: count }, (_, block) => within(block * blockBars, (block + 1) * blockBars - 1))
  return (from: number, to: number): number => {
    const [first, last] = [Math.ceil(from / blockBars), Math.floor((to + 1) / blockBars)]
    if (first >= last) return within(from, to)
    let blockExtreme = blocks[first] ?? Number.NaN
    for (let block = first + 1; block < last; block++) blockExtreme = pick(blockExtreme, blocks[block] ?? blockExtreme)
    if (from < first * blockBars) blockExtreme = pick(blockExtreme, within(from, first * blockBars - 1))
    return last * blockBars > to ? blockExtreme : pick(blockExtreme, within(last * blockBars, to))
  }
}

/** Adds the largest moves of the price against and for each trade, over whole bars from the entry's to the exit's. */
export const withExcursions = (outcome: Outcome, candles: Candles) => {
  const [highest, lowest] = [extremes(candles.high, Math.max), extremes(candles.low, Math.min)]
  return trades(outcome, candles).map((trade) => {
    const { side, entryPrice, entryBar, exitBar } = trade
    const up = highest(entryBar, exitBar) / entryPrice - 1
    const down = lowest(entryBar, exitBar) / entryPrice - 1
    const [adverse, favourable] = side === "BUY" ? [down, up] : [-up, -down]
    const times = { entryTime: openTime(candles.time, entryBar), exitTime: openTime(candles.time, exitBar) }
    return { ...trade, ...times, adverse: Math.min(0, adverse), favourable: Math.max(0, favourable) }
  })
}

const titles = [
  ...["entry_time_ms", "exit_time_ms", "held_ms", "market", "slot", "entry_slot", "side"],
  ...["base", "entry_price", "exit_price", "gained_quote", "gained", "mae", "mfe"]
]

export const tradesCsv = (parts: ReadonlyArray<FillRows.FilledPart>): string => {
  const all = parts.flatMap(({ outcome, candles, market }) =>
    withExcursions(outcome, candles).map((trade) => ({ trade, market }))
  )
  const rows = all
    .toSorted((a, b) => a.trade.exitTime - b.trade.exitTime)
    .map(({ market, trade }) => {
      const { side, base, entryPrice, exitPrice, gained, entryTime, exitTime, adverse, favourable } = trade
      const numbers = [base, entryPrice, exitPrice, gained, gained / (base * entryPrice), adverse, favourable]
      const about = [entryTime, exitTime, exitTime - entryTime, market.name, trade.slotName, trade.entrySlotName, side]
      return [...about, ...numbers.map((value) => Number(value.toPrecision(10)))]
    })
  return Csv.render(titles, rows, "\n")
}
