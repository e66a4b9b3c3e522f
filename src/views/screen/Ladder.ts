/**
 * The slots of a screen as a trader knows them: the highest price first, a line where the market is, distance and age
 * beside each order. Slots in trouble come first; empty slots are counted, one line per reason.
 */

import * as Decimal from "../../domain/Decimal.ts"
import { mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { percent } from "../../domain/Text.ts"
import { age, counted } from "../../domain/Words.ts"
import type { Colour, ColouredLine } from "../../report/text/Colours.ts"
import * as Table from "../../report/text/Table.ts"
import { awayOf, type SlotRow } from "../Slots.ts"

interface Sight {
  readonly prices: ReadonlyMap<string, TwoSidedPrice>
  readonly earned: (slot: string) => string
  readonly inventory: (slot: string) => string
  readonly now: number
  /** Width of the terminal; a narrow one loses columns, never the ends of lines. */
  readonly columns: number
  readonly room: number
}

export const colourOf: Readonly<Record<SlotRow["tone"], Colour>> = {
  alarm: "red",
  buy: "green",
  sell: "cyan",
  quiet: "dim"
}

const mostReasons = 3

export const ladder = (rows: ReadonlyArray<SlotRow>, sight: Sight): ReadonlyArray<ColouredLine> => {
  const { room } = sight
  const isEmpty = (row: SlotRow) => row.price === "" && !isTrouble(row)
  const emptySlotLines = emptyLines(rows.filter(isEmpty))
  const orderRows = rows.filter((row) => !isEmpty(row))
  const markets = [...new Set(orderRows.flatMap((row) => marketOf(row) ?? []))]
  const most = Math.max(1, room - emptySlotLines.length - markets.length)
  const telling = new Set(orderRows.toSorted((a, b) => a.rank - b.rank).slice(0, most))
  const shownRows = orderRows.filter((row) => telling.has(row)).toSorted(byPrice)
  const hidden = orderRows.length - shownRows.length
  return [
    ...tableLines(shownRows, sight),
    ...(hidden === 0 ? [] : [[`… and ${counted(hidden, "order")} further away`, "dim"] as const]),
    ...emptySlotLines
  ]
}

const isTrouble = ({ tone }: SlotRow): boolean => tone === "alarm"

const marketOf = ({ market, plannedAt }: SlotRow): string | undefined => (plannedAt === null ? undefined : market)

const byPrice = (a: SlotRow, b: SlotRow): number => {
  if (isTrouble(a) !== isTrouble(b)) return isTrouble(a) ? -1 : 1
  const markets = (marketOf(a) ?? "").localeCompare(marketOf(b) ?? "")
  return markets === 0 ? numberOf(b) - numberOf(a) : markets
}

const numberOf = ({ price }: SlotRow): number => Number(price)

const marker = (market: string, price: TwoSidedPrice): string => `── ${market}  ${Decimal.short(mid(price))} ──`

const tableLines = (
  shown: ReadonlyArray<SlotRow>,
  { prices, earned, inventory, now, columns }: Sight
): ReadonlyArray<ColouredLine> => {
  const [isWide, isMiddle] = [columns >= 100, columns >= 70]
  const hasEarned = isMiddle && shown.some(({ slot }) => earned(slot) !== "")
  const hasInventory = isWide && shown.some(({ slot }) => inventory(slot) !== "")
  const [header = "", ...lines] = Table.of<SlotRow>([
    { title: Table.decimal("PRICE"), value: ({ price }) => price },
    { title: "SIDE", value: ({ side }) => side },
    isMiddle && { title: Table.decimal("QUANTITY"), value: ({ quantity }) => quantity },
    { title: Table.right("AWAY"), value: ({ distance }) => (distance === null ? "" : percent(awayOf(distance))) },
    isMiddle && {
      title: Table.right("AGE"),
      value: ({ plannedAt }) => (plannedAt === null ? "" : age(now - plannedAt))
    },
    isWide && { title: Table.right("FILLED"), value: ({ filled }) => filled },
    isWide && { title: Table.right("TRADES"), value: ({ legs }) => legs },
    hasEarned && { title: Table.right("EARNED"), value: ({ slot }) => earned(slot) },
    hasInventory && { title: Table.right("INVENTORY"), value: ({ slot }) => inventory(slot) },
    { title: "STATE", value: ({ state }) => state },
    { title: "SLOT", value: ({ slot }) => slot },
    isWide && { title: "NOTE", value: ({ progress, why }) => (progress === null ? why : "") }
  ]).lines(shown)
  const colouredLines: Array<ColouredLine> = shown.length === 0 ? [] : [[header, "dim"]]
  const open = new Set<string>()
  for (const [index, row] of shown.entries()) {
    const market = marketOf(row)
    const price = market === undefined ? undefined : prices.get(market)
    const before = shown[index - 1]
    // Trouble stands above all markets.
    const previous = before === undefined || isTrouble(before) ? undefined : marketOf(before)
    const isLeft = previous !== undefined && previous !== market && open.has(previous)
    if (isLeft) pushMarker(colouredLines, open, previous, prices)
    if (market !== undefined && previous !== market && !isTrouble(row)) open.add(market)
    if (price !== undefined && open.has(market ?? "") && numberOf(row) < Decimal.toNumber(mid(price)))
      pushMarker(colouredLines, open, market, prices)
    colouredLines.push([lines[index] ?? "", colourOf[row.tone]])
  }
  for (const market of [...open]) pushMarker(colouredLines, open, market, prices)
  return colouredLines
}

const pushMarker = (
  said: Array<ColouredLine>,
  open: Set<string>,
  market: string | undefined,
  prices: Sight["prices"]
): void => {
  const price = market === undefined ? undefined : prices.get(market)
  if (market === undefined || price === undefined) return
  open.delete(market)
  said.push([marker(market, price), "bold"])
}

const emptyLines = (rows: ReadonlyArray<SlotRow>): ReadonlyArray<ColouredLine> => {
  const reasons = [...Map.groupBy(rows, ({ why }) => why)].toSorted(([, a], [, b]) => b.length - a.length)
  const others = reasons.slice(mostReasons).reduce((sum, [, slots]) => sum + slots.length, 0)
  return [
    ...reasons.slice(0, mostReasons).map(([why, slots]): ColouredLine => [`${slots.length} empty: ${why}`, "dim"]),
    ...(others === 0 ? [] : [[`${others} empty for other reasons: limitbot explain STRATEGY`, "dim"] as const])
  ]
}
