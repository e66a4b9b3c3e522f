/** The order book: own orders and quoted depth around the price. Old depth is grey with its age; a level that the price has passed is gone. */
import { h } from "preact"
import type { Book } from "../../views/Book.ts"
import { age, counted, decimal, percent, price, quantity } from "./format.ts"
import { Empty, Panel, Price } from "./parts.ts"
import * as Store from "./store.ts"

const staleMillis = 30_000
const mostRows = 12

type BookView = typeof Book.Type

interface Row {
  readonly price: string
  readonly size: string
  /** Slot or state of an own order; nothing for quoted depth. */
  readonly own: string | undefined
  readonly at: number | undefined
}

const ownRows = ({ orders }: BookView, side: string): ReadonlyArray<Row> =>
  orders
    .filter((order) => order.side === side)
    .map(({ filled, price, quantity: all, slot, state }) => ({
      price,
      size: quantity(Number(all) - Number(filled)),
      own: state === "open" ? (slot.split("/")[1] ?? slot) : state,
      at: undefined
    }))

/** The first level is the price itself. */
const depthRows = ({ depth, price: now }: BookView, side: "bid" | "ask"): ReadonlyArray<Row> =>
  depth
    .slice(1)
    .filter(
      (level) =>
        now === null || (side === "ask" ? Number(level.ask) > Number(now.mid) : Number(level.bid) < Number(now.mid))
    )
    .map((level) => ({ price: level[side], size: decimal(level.quantity), own: undefined, at: level.at }))

/** Nearest to the price first. */
const rowsOf = (book: BookView, side: "bid" | "ask"): ReadonlyArray<Row> =>
  [...ownRows(book, side === "ask" ? "SELL" : "BUY"), ...depthRows(book, side)]
    .toSorted((a, b) => (side === "ask" ? 1 : -1) * (Number(a.price) - Number(b.price)))
    .slice(0, mostRows)

const sizeOf = (size: string): number => Number(size.replaceAll(",", ""))

const Level = ({ largest, row: { at, own, price: of, size }, side }: LevelProps) => {
  const old = at === undefined ? 0 : Store.second.value - at
  const isStale = old > staleMillis
  const style = own !== undefined ? "own" : isStale ? "stale" : ""
  return h(
    "div",
    { class: `${side} ${style}` },
    own === undefined &&
      h("span", {
        class: "bg",
        style: { width: `${Math.round((sizeOf(size) / largest) * 90)}%` },
        "aria-hidden": "true"
      }),
    h("span", { class: `num ${isStale ? "" : side === "ask" ? "down" : "up"}` }, h(Price, { value: of })),
    h("span", { class: "num" }, size),
    h("span", { class: own === undefined ? "num dim" : "num tag" }, own ?? (isStale ? `${age(old)} old` : "depth"))
  )
}
interface LevelProps {
  readonly row: Row
  readonly side: "bid" | "ask"
  readonly largest: number
}

const Middle = (book: BookView) => {
  const now = Store.priceNow.value ?? book.price
  if (now === null) return h("div", { class: "m" }, h("b", {}, "no price yet"))
  const spread = (Number(now.ask) - Number(now.bid)) / Number(now.mid)
  return h(
    "div",
    { class: "m", title: `${decimal(now.bid)} | ${decimal(now.ask)}` },
    h("b", {}, price(now.mid)),
    h("span", { class: "dim" }, `${price(now.bid)} | ${price(now.ask)}, ${percent(spread).replace("+", "")}`),
    h("span", { class: "dim push" }, `${age(Store.second.value - now.at)} old`)
  )
}

export const OrderBook = () => {
  const book = Store.book.value
  if (book === undefined)
    return h(Panel, { id: "book", title: "Order book", panel: "book" }, h(Empty, { title: "Reading …" }))
  const [asks, bids] = [rowsOf(book, "ask"), rowsOf(book, "bid")]
  const largest = Math.max(
    ...[...asks, ...bids].filter(({ own }) => own === undefined).map(({ size }) => sizeOf(size)),
    1e-12
  )
  const level = (side: "bid" | "ask") => (row: Row, index: number) =>
    h(Level, { key: `${side} ${index}`, row, side, largest })
  return h(
    Panel,
    {
      id: "book",
      title: "Order book",
      sub: counted(book.orders.length, "own order"),
      panel: "book",
      class: "book-card"
    },
    h(
      "div",
      { class: "book" },
      h(
        "div",
        { class: "h" },
        h("span", { class: "num" }, "Price"),
        h("span", { class: "num" }, Store.baseOf(book.market)),
        h("span", { class: "num" }, "Own")
      ),
      asks.toReversed().map(level("ask")),
      h(Middle, book),
      bids.map(level("bid")),
      book.orders.length === 0 && h("p", { class: "empty" }, "No open orders.")
    )
  )
}
