/**
 * The orders of a screen, the highest price first, with a line where the market is. If there are several markets and they do not fit, the
 * nearest order is first. Orders in trouble come before all others; orders with an old price are grey.
 */
import * as Decimal from "../../domain/Decimal.ts"
import { mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { age } from "../../domain/Text.ts"
import type { ColouredLine } from "../../report/text/Colours.ts"
import * as Figures from "../../report/text/Figures.ts"
import * as Table from "../../report/text/Table.ts"
import { awayOf, type SlotRow } from "../Slots.ts"
import type { ScreenInput } from "./Picture.ts"

const oldMillis = 30_000
export const isOld = (price: TwoSidedPrice | undefined, now: number): boolean =>
  price === undefined || now - price.at > oldMillis

/** The end of a long name tells it from others. */
export const shortened = (name: string, length: number): string =>
  name.length <= length ? name : `…${name.slice(1 - length)}`

const isTrouble = ({ tone }: SlotRow): boolean => tone === "alarm"

export const ladder = (rows: ReadonlyArray<SlotRow>, { now, prices }: ScreenInput, columns: number) => {
  const isOrder = (row: SlotRow) => row.price !== "" || isTrouble(row)
  const orders = rows.filter(isOrder).toSorted((a, b) => a.rank - b.rank)
  const idleSlots = rows.filter((row) => !isOrder(row))
  const reasons = Map.groupBy(idleSlots, ({ why }) => why)
  const idle = [...reasons].map(([why, { length }]) => `${length} idle: ${why}`).join("   ")
  const markets = [...new Set(orders.filter((row) => !isTrouble(row)).map(({ market }) => market))]
  const markers = markets.flatMap((market) => {
    const price = prices.get(market)
    return price === undefined ? [] : [{ market, at: Decimal.toNumber(mid(price)), line: marker(market, price, now) }]
  })
  const height = 1 + orders.length + markers.length
  const lines = (room: number): ReadonlyArray<ColouredLine> => {
    const isLadder = markets.length < 2 || height <= room
    const visible = orders.slice(0, Math.max(0, room - 1 - (isLadder ? markers.length : 0)))
    const title = visible.length < orders.length ? `${visible.length} OF ${orders.length} ORDERS` : "SLOT"
    const variants = [4, 3, 2, 1, 0].map((level) => table(title, level, now, columns).lines(visible))
    const fitting = variants.find((texts) => texts.every(({ length }) => length <= columns))
    const [header = "", ...texts] = fitting ?? variants.at(-1) ?? []
    const items = visible.map((row, index) => {
      // The reason is not a column, because the edge of the screen may cut it.
      const reason = row.progress === null && row.why !== "" ? `: ${row.why}` : ""
      const colour = isTrouble(row) ? "yellow" : isOld(prices.get(row.market), now) ? "dim" : undefined
      const line: ColouredLine = [`${texts[index]}${reason}`, colour]
      return { market: isTrouble(row) ? "" : row.market, at: Number(row.price), line }
    })
    const sorted = [...items, ...markers].toSorted((a, b) => a.market.localeCompare(b.market) || b.at - a.at)
    const ordered = (isLadder ? sorted : items).map(({ line }) => line)
    return [[header, "dim"] as const, ...ordered, ...(idle === "" ? [] : [[idle, "dim"] as const])].slice(0, room)
  }
  return { fullHeight: height + (idle === "" ? 0 : 1), isMarked: markers.length === 1, lines }
}

const marker = (market: string, price: TwoSidedPrice, now: number): ColouredLine => {
  const sides = `bid ${Figures.price(price.bid)}  ask ${Figures.price(price.ask)}  ${age(now - price.at)} old`
  return [`── ${market}  ${Figures.price(mid(price))} ──  ${sides}`, isOld(price, now) ? "dim" : "bold"]
}

const table = (title: string, level: number, now: number, columns: number) =>
  Table.of<SlotRow>([
    { title: "SIDE", value: ({ side }) => side },
    { title, value: ({ slot }) => shortened(slot, Math.floor(columns / 4)) },
    { title: Table.right("PRICE"), value: priceText },
    { title: Table.right("AWAY"), value: awayText },
    level > 1 && { title: Table.right("SIZE"), value: ({ quantity }) => quantity.replace(/^[\d.]+/, Figures.size) },
    level > 2 && { title: Table.right("AGE"), value: ({ plannedAt }) => plannedAt && age(now - plannedAt) },
    level > 3 && { title: Table.right("ROUNDS"), value: ({ legs }) => legs || "" },
    level > 0 && { title: Table.right("EARNED"), value: ({ earned }) => Figures.gainText(earned) },
    level > 3 && { title: Table.right("INVENTORY"), value: ({ inventory }) => Figures.gainText(inventory) },
    { title: "STATE", value: ({ filled, state }) => (/^[1-9]/.test(filled) ? `${state} ${filled}` : state) }
  ])

const priceText = ({ price }: SlotRow): string =>
  price === "" ? "" : Figures.price(Decimal.parse(price) ?? Decimal.zero)

const awayText = ({ distance }: SlotRow): string => (distance === null ? "" : Figures.share(distance))

export const nearestText = (orders: ReadonlyArray<SlotRow>): string => {
  const [nearest] = orders.toSorted((a, b) => awayOf(a.distance) - awayOf(b.distance))
  return nearest && awayText(nearest) ? [nearest.side, priceText(nearest), awayText(nearest)].join(" ") : ""
}
