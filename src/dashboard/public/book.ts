/**
 * The order book: own orders and quoted depth around the price. Old depth is grey with its age; levels that the price has passed are
 * hidden.
 */
import { h } from "preact"
import type { Book } from "../../views/Book.ts"
import { age, countText, decimal, percent, price, quantity } from "./format.ts"
import { Panel, Price } from "./parts.ts"
import * as Store from "./store.ts"
import { b, div, p, span } from "./tags.ts"

const staleMillis = 30_000
const mostRows = 12

type BookView = typeof Book.Type

interface Row {
  readonly price: string
  readonly size: number
  /** Slot or state of an own order; nothing for quoted depth. */
  readonly own?: string
  readonly at?: number
}

const ownRows = ({ orders }: BookView, side: string): ReadonlyArray<Row> =>
  orders
    .filter((order) => order.side === side)
    .map(({ filled, price, quantity: all, slot, state }) => ({
      price,
      size: Number(all) - Number(filled),
      own: state === "open" ? Store.nameOf(slot) : state
    }))

/** The first level is the price itself. */
const depthRows = ({ depth, price: now }: BookView, side: "bid" | "ask"): ReadonlyArray<Row> => {
  const isPassed = (at: string): boolean => now !== null && Number(at) > Number(now.mid) !== (side === "ask")
  return depth
    .slice(1)
    .filter((level) => !isPassed(level[side]))
    .map((level) => ({ price: level[side], size: Number(level.quantity), at: level.at }))
}

const rowsOf = (book: BookView, side: "bid" | "ask"): ReadonlyArray<Row> =>
  [...ownRows(book, side === "ask" ? "SELL" : "BUY"), ...depthRows(book, side)]
    .toSorted((a, b) => (side === "ask" ? 1 : -1) * (Number(a.price) - Number(b.price)))
    .slice(0, mostRows)

interface LevelProps {
  readonly row: Row
  readonly side: "bid" | "ask"
  readonly largest: number
}
const Level = ({ largest, row: { at, own, price: of, size }, side }: LevelProps) => {
  const old = at === undefined ? 0 : Store.second.value - at
  const isStale = old > staleMillis
  const width = `${Math.round((size / largest) * 90)}%`
  return div(
    `${side} ${own !== undefined ? "own" : isStale ? "stale" : ""}`,
    own === undefined && span({ class: "bg", style: { width }, "aria-hidden": "true" }),
    span(`num ${isStale ? "" : side === "ask" ? "down" : "up"}`, h(Price, { value: of })),
    span("num", quantity(size)),
    span(own === undefined ? "num dim" : "num tag", own ?? (isStale ? `${age(old)} old` : "depth"))
  )
}

const Middle = (book: BookView) => {
  const now = Store.priceNow.value ?? book.price
  if (now === null) return div("m", b("", "no price yet"))
  const spread = (Number(now.ask) - Number(now.bid)) / Number(now.mid)
  return div(
    { class: "m", title: `${decimal(now.bid)} | ${decimal(now.ask)}` },
    b("", price(now.mid)),
    span("dim", `${price(now.bid)} | ${price(now.ask)}, ${percent(spread).replace("+", "")}`),
    span("dim push", `${age(Store.second.value - now.at)} old`)
  )
}

const Levels = (book: BookView) => {
  const [asks, bids] = [rowsOf(book, "ask"), rowsOf(book, "bid")]
  const depth = [...asks, ...bids].filter(({ own }) => own === undefined)
  const largest = Math.max(...depth.map(({ size }) => size), 1e-12)
  const level = (side: "bid" | "ask") => (row: Row, index: number) =>
    h(Level, { key: `${side} ${index}`, row, side, largest })
  return div(
    "book",
    div("h", span("num", "Price"), span("num", Store.baseOf(book.market)), span("num", "Own")),
    asks.toReversed().map(level("ask")),
    h(Middle, book),
    bids.map(level("bid")),
    book.orders.length === 0 && p("empty", "No open orders.")
  )
}

export const OrderBook = () => {
  const book = Store.book.value
  const sub = book && countText(book.orders.length, "own order")
  const props = { id: "book", title: "Order book", sub, panel: "book", style: "book-card" }
  return h(Panel, { ...props, isReading: book === undefined }, book !== undefined && h(Levels, book))
}
