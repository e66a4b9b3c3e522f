/**
 * Every distinct order of a run, once: a leg of a slot with one quantity is one row, however often it is placed and filled. Its exact
 * amounts are computed when it first appears. A fill only counts and is logged, so exact money costs nothing in the kernel's loop. A row
 * that never filled may be released and used again.
 */
import { type Amount, min } from "../../../../domain/Amount.ts"
import * as RoundCost from "../../../../domain/fees/RoundCost.ts"
import { inputAmount, type Market, outputAmount, type Price, type Side } from "../../../../domain/Market.ts"
import { type FillRules, lastFeeOf, shareOf } from "../FillRules.ts"

export interface OrderRow {
  readonly slot: number
  readonly leg: number
  readonly side: Side
  readonly price: Price
  readonly quantity: Amount
  /** The order is never open: it is executed whole on arrival, or refunded. */
  readonly by?: "swap" | undefined
  readonly input: Amount
  /** Received after fees. */
  readonly output: Amount
  readonly fee: Amount
  /** The last fill of its order, which bears the payout fee. */
  readonly endsOrder: boolean
  readonly isExit: true | undefined
  /** The money does not cover the rest of its leg, which stays due. */
  readonly isPart: boolean
}

export interface OrderTable {
  readonly market: Market
  readonly rules: FillRules
  readonly baseUnit: number
  readonly quoteUnit: number
  readonly rows: Array<OrderRow>
  readonly unused: Array<number>
  fills: Float64Array
  /** Change of holdings by a fill, in whole units. Used for equity only, never for money. */
  baseChange: Float64Array
  quoteChange: Float64Array
  /** Order that follows a complete fill; -1 for none, -2 if not yet known. */
  next: Int32Array
  /** Output left after `next` is paid from it; negative if it does not suffice. */
  readonly surplus: Array<Amount>
}

export const make = (market: Market, rules: FillRules): OrderTable => ({
  market,
  rules,
  baseUnit: 10 ** market.base.decimals,
  quoteUnit: 10 ** market.quote.decimals,
  rows: [],
  unused: [],
  fills: new Float64Array(64),
  baseChange: new Float64Array(64),
  quoteChange: new Float64Array(64),
  next: new Int32Array(64).fill(unknown),
  surplus: []
})

export const none = -1
export const unknown = -2

/** Returns `undefined` for `none`. A negative array index is looked up as a property name, which takes thirty times as long. */
export const rowAt = ({ rows }: OrderTable, id: number): OrderRow | undefined => (id < 0 ? undefined : rows[id])

/** Lists fills in order of time: the bar and the order's row of each. */
export interface FillLog {
  readonly count: number
  readonly bars: Int32Array
  readonly orders: Int32Array
}

type OpenLog = { -readonly [Field in keyof FillLog]: FillLog[Field] }

export const emptyLog = (): FillLog => ({ count: 0, bars: new Int32Array(1024), orders: new Int32Array(1024) })

export const grown = <T extends Float64Array | Int32Array>(old: T, made: T): T => {
  made.set(old)
  return made
}

const grow = (table: OrderTable): void => {
  const capacity = table.next.length * 2
  table.fills = grown(table.fills, new Float64Array(capacity))
  table.baseChange = grown(table.baseChange, new Float64Array(capacity))
  table.quoteChange = grown(table.quoteChange, new Float64Array(capacity))
  table.next = grown(table.next, new Int32Array(capacity))
}

export const add = (table: OrderTable, row: OrderRow): number => {
  const id = table.unused.pop() ?? table.rows.length
  if (id === table.next.length) grow(table)
  table.rows[id] = row
  table.fills[id] = 0
  table.next[id] = unknown
  table.surplus[id] = 0n
  return id
}

export const wholeOrder = (
  { market, rules }: OrderTable,
  slot: number,
  leg: number,
  { side, price, by }: Pick<OrderRow, "side" | "price" | "by">,
  quantity: Amount,
  isExit: true | undefined
): OrderRow => {
  const gross = outputAmount(market, side, quantity, price)
  const fee = lastFeeOf(rules, side, gross, 0n)
  const input = inputAmount(market, side, quantity, price)
  const output = gross - fee
  return { slot, leg, side, price, quantity, by, input, output, fee, endsOrder: true, isExit, isPart: false }
}

export const fill = (table: OrderTable, log: OpenLog, bar: number, id: number): void => {
  if (log.count === log.bars.length) {
    const capacity = log.count * 2
    log.bars = grown(log.bars, new Int32Array(capacity))
    log.orders = grown(log.orders, new Int32Array(capacity))
  }
  log.bars[log.count] = bar
  log.orders[log.count] = id
  log.count++
  const fills = table.fills[id] ?? 0
  // Most rows never fill.
  if (fills === 0) setChanges(table, id)
  table.fills[id] = fills + 1
}

const setChanges = ({ baseChange, baseUnit, quoteChange, quoteUnit, rows }: OrderTable, id: number): void => {
  const { input = 0n, output = 0n, side } = rows[id] ?? {}
  const [sold, bought] = [Number(input), Number(output)]
  baseChange[id] = (side === "BUY" ? bought : -sold) / baseUnit
  quoteChange[id] = (side === "BUY" ? -sold : bought) / quoteUnit
}

export const link = (table: OrderTable, id: number, next: number): void => {
  const [from, to] = [rowAt(table, id), rowAt(table, next)]
  table.next[id] = next
  if (from === undefined || to === undefined) return
  const payable = from.side !== to.side && quoteSide(to) >= table.rules.minimumQuote
  table.surplus[id] = payable ? from.output - to.input : -1n
}

export const quoteSide = ({ side, input, output, fee }: OrderRow): Amount => (side === "BUY" ? input : output + fee)

export const release = (table: OrderTable, id: number): void => {
  if (table.fills[id] === 0) table.unused.push(id)
}

interface InAssets {
  readonly base: Amount
  readonly quote: Amount
}

/** Adds up an amount of all fills of each row. It is in base for rows of this side, and in quote for the others. */
const summed = ({ fills, rows }: OrderTable, inBase: Side, amountOf: (row: OrderRow, fills: Amount) => Amount) => {
  let [base, quote] = [0n, 0n]
  for (const [id, row] of rows.entries()) {
    const times = fills[id] ?? 0
    if (times === 0) continue
    if (row.side === inBase) base += amountOf(row, BigInt(times))
    else quote += amountOf(row, BigInt(times))
  }
  return { base, quote }
}

export const moved = (table: OrderTable): InAssets => {
  const received = summed(table, "BUY", ({ output }, fills) => fills * output)
  const spent = summed(table, "SELL", ({ input }, fills) => fills * input)
  return { base: received.base - spent.base, quote: received.quote - spent.quote }
}

/** By the asset from which they were taken. App fees are part of the inputs. */
export const appFees = (table: OrderTable): InAssets => {
  const ratio = RoundCost.ratioOf(table.rules.appFeeBasisPoints)
  return summed(table, "SELL", ({ input }, fills) => RoundCost.shareOf(ratio, fills * input, "down"))
}

export interface FlatCosts extends InAssets {
  readonly count: number
}

export const payouts = (table: OrderTable): FlatCosts => {
  let count = 0
  const costs = summed(table, "BUY", ({ endsOrder, fee, output }, fills) => {
    if (!endsOrder) return 0n
    count += Number(fills)
    return fills * (fee - min(fee, shareOf(table.rules, output + fee)))
  })
  return { count, ...costs }
}

export const fees = (table: OrderTable): InAssets => summed(table, "BUY", ({ fee }, fills) => fills * fee)
