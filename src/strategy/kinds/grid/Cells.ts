/** The cells of a grid, and the explanation of each. */
import { type Amount, formatWithSymbol } from "../../../domain/Amount.ts"
import type { Reason } from "../../../domain/BotEvent.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { baseQuantity, inputAmount, type Market, type Price } from "../../../domain/Market.ts"
import type { DesiredSlot, Leg } from "../../Decision.ts"
import type { KeyPlaces } from "../../YamlReader.ts"
import { quantityAt, type Size, scaled } from "../Size.ts"

export interface Cell {
  readonly slot: string
  readonly buy: Leg
  readonly sell: Leg
  readonly cost: Amount
  readonly buyFirst: DesiredSlot
  readonly sellFirst: DesiredSlot
  readonly waits: Reason
  readonly notAfforded: Reason
}

export interface CellShape {
  readonly size: Size
  /** Size of each cell divided by the size of the cell above it; the highest cell has `size`. */
  readonly sizeScale: number
  /** The asset in which a cycle takes its profit. With "base", it sells only enough to pay for the next purchase. */
  readonly profit: "quote" | "base"
  readonly mayLose: boolean
}

export interface Level {
  readonly price: Price
  readonly source: string
}

export type GridPlaces = KeyPlaces<"levels" | "fundNearest" | "trail" | "size" | "buyBase">

export const makeCells = (
  market: Market,
  prices: ReadonlyArray<Level>,
  shape: CellShape,
  keys: GridPlaces
): ReadonlyArray<Cell> => {
  const width = Math.max(2, String(prices.length - 2).length)
  const cells: Array<Cell> = []
  for (let index = 0; index + 1 < prices.length; index++) {
    const [low, high] = [prices[index], prices[index + 1]]
    if (low === undefined || high === undefined) continue
    const below = prices.length - 2 - index
    const size = shape.sizeScale === 1 ? shape.size : scaled(shape.size, market, shape.sizeScale ** below)
    const slot = `cell-${String(index).padStart(width, "0")}`
    cells.push(makeCell(market, slot, low, high.price, { ...shape, size }, keys))
  }
  return cells
}

export const makeCell = (
  market: Market,
  slot: string,
  low: Level,
  higher: Price,
  shape: CellShape,
  keys: GridPlaces
): Cell => {
  const { price, source } = low
  const quantity = quantityAt(market, shape.size, price)
  const buy: Leg = { side: "BUY", price, quantity }
  const cost = inputAmount(market, "BUY", quantity, price)
  const toSell = shape.profit === "quote" ? quantity : baseQuantity(market, cost, higher, "up")
  const sell: Leg = { side: "SELL", price: higher, quantity: toSell, ...(shape.mayLose ? { mayLose: true } : {}) }
  const [bought, sold] = [buy, sell].map(({ quantity }) => formatWithSymbol(quantity, market.base))
  const [below, above] = [Decimal.format(buy.price), Decimal.format(sell.price)]
  const because = (code: string, text: string, at = source): Reason => ({ code, text, source: at })
  const repeated = (legs: DesiredSlot["legs"], text: string): DesiredSlot => {
    return { slot, legs, cycle: true, why: because("grid-cell", `${text}, and again`) }
  }
  const waits = `waits until the price reaches ${below}: the base budget has no ${sold} to sell at ${above}`
  const notAfforded = `the quote budget has nothing left for a buy of ${bought} at ${below}`
  return {
    slot,
    buy,
    sell,
    cost,
    buyFirst: repeated([buy, sell], `buys ${bought} at ${below}, sells ${sold} at ${above}`),
    sellFirst: repeated([sell, buy], `sells ${sold} at ${above}, buys ${bought} at ${below}`),
    waits: because("waits-for-price", waits, keys("limits.budget.base")),
    notAfforded: because("budget-used-up", notAfforded, keys("limits.budget.quote"))
  }
}

export const renamed = (cell: Cell, slot: string): Cell =>
  slot === cell.slot
    ? cell
    : { ...cell, slot, buyFirst: { ...cell.buyFirst, slot }, sellFirst: { ...cell.sellFirst, slot } }

export const levelsOf = (cells: ReadonlyArray<Cell>): string => {
  let hash = 0
  for (const { buy, sell } of cells) {
    for (const sign of `${Decimal.format(buy.price)} ${Decimal.format(sell.price)};`)
      hash = (Math.imul(hash, 31) + (sign.codePointAt(0) ?? 0)) | 0
  }
  return `${cells.length} cells ${(hash >>> 0).toString(16)}`
}

export const sizesOf = ({ size, sizeScale, profit }: CellShape): string =>
  `${size.amount} ${size.unit}${sizeScale === 1 ? "" : `, each ${sizeScale} times the one above`}, profit in ${profit}`
