/** The order book: own resting orders around the market's price, the best in the middle, and the prices of larger trades. */
import type { Book } from "../../views/Book.ts"
import { h } from "./dom.ts"
import { age, decimal, price } from "./format.ts"

const mostRows = 60

const row = ({ filled, price: at, quantity, side, slot, state }: (typeof Book.Type)["orders"][number]): HTMLElement => {
  const rest = Number(quantity) - Number(filled)
  const isBid = side === "BUY"
  return h(
    "div",
    { class: isBid ? "bid" : "ask", title: `${slot}, ${state}, at ${decimal(at)}` },
    h("span", {}, decimal(String(Number(rest.toPrecision(10))))),
    h("span", { class: `price ${isBid ? "buy" : "sell"}` }, price(at)),
    h("span", { class: "slot" }, state === "open" ? (slot.split("/")[1] ?? slot) : state)
  )
}

const depthRow = (quantity: string, at: string, side: "bid" | "ask", most: number): HTMLElement => {
  const back = h("span", { class: "bar-back", "aria-hidden": "true" })
  back.style.width = `${Math.round((Number(quantity) / most) * 42)}%`
  return h(
    "div",
    { class: `soft ${side}`, title: decimal(at) },
    back,
    h("span", {}, decimal(quantity)),
    h("span", { class: "price" }, price(at)),
    h("span", { class: "slot" }, side === "ask" ? "ask depth" : "bid depth")
  )
}

export const bookView = ({ depth, orders, price: now }: typeof Book.Type, present: number): HTMLElement => {
  const asks = orders.filter(({ side }) => side === "SELL").slice(-mostRows)
  const bids = orders.filter(({ side }) => side === "BUY").slice(0, mostRows)
  const spread = now === null ? 0 : (Number(now.ask) - Number(now.bid)) / Number(now.mid)
  const deeper = depth.slice(1, 5)
  const most = Math.max(...deeper.map(({ quantity }) => Number(quantity)), 1e-12)
  return h(
    "div",
    { class: "ladder" },
    h(
      "div",
      { class: "head" },
      h("span", {}, "Quantity"),
      h("span", { class: "price" }, "Price"),
      h("span", { class: "slot" }, "Slot")
    ),
    asks.map(row),
    [...deeper].reverse().map(({ ask, quantity }) => depthRow(quantity, ask, "ask", most)),
    h(
      "div",
      { class: "spread" },
      now === null
        ? "no price yet"
        : h(
            "span",
            {},
            `${price(now.bid)} | ${price(now.ask)} `,
            h("small", {}, `${(spread * 100).toFixed(3)} %, ${age(present - now.at)} old`)
          )
    ),
    deeper.map(({ bid, quantity }) => depthRow(quantity, bid, "bid", most)),
    bids.map(row),
    orders.length === 0 && h("p", { class: "empty" }, "No open orders.")
  )
}
