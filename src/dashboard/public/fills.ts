/** Fills of the selected strategy, one row for each order, newest first. */
import { h } from "preact"
import type { FillView } from "../../views/Fills.ts"
import { countText, decimal, stamp, sum, timeOrDay } from "./format.ts"
import { type Column, column, Empty, Panel, Price, Side, Table } from "./parts.ts"
import * as Store from "./store.ts"
import { span } from "./tags.ts"

const mostOrders = 200

type OrderFills = FillView & { readonly parts: number }

const byOrder = (fills: ReadonlyArray<FillView>): ReadonlyArray<OrderFills> =>
  [...Map.groupBy(fills, ({ placement }) => placement).values()].flatMap((parts) => {
    const [last] = parts
    if (last === undefined) return []
    const [paid, received] = [sum(parts.map((fill) => fill.paid)), sum(parts.map((fill) => fill.received))]
    // The price comes from the exchanged amounts, because an order's limit is only its bound.
    const at = last.side === "BUY" ? Number(paid) / Number(received) : Number(received) / Number(paid)
    return [{ ...last, paid, received, price: Number.isFinite(at) ? at.toFixed(12) : last.price, parts: parts.length }]
  })

const ofQuote = ({ paid, paidAsset, received, receivedAsset, side }: FillView) =>
  side === "BUY" ? `${decimal(paid)} ${paidAsset}` : `${decimal(received)} ${receivedAsset}`
const ofBase = ({ paid, received, side }: FillView) => decimal(side === "BUY" ? received : paid)

const columns: ReadonlyArray<Column<OrderFills>> = [
  column("Time", ({ at }) => span({ title: `${stamp(at)} UTC` }, timeOrDay(at)), "dim"),
  column("Side", ({ side }) => h(Side, { side })),
  column("Price", ({ price }) => h(Price, { value: price }), "num lead"),
  column("Size", (of) => span({ title: `${ofQuote(of)}, ${countText(of.parts, "fill")}` }, ofBase(of)), "num"),
  column("Slot", ({ slot }) => Store.nameOf(slot), "soft x")
]

export const Fills = () => {
  const own = Store.fillsOf(Store.selectedName.value)
  const newest = own.toSorted((a, b) => b.at - a.at || b.sequence - a.sequence)
  const orders = byOrder(newest)
  const sub = own.length === 0 ? "" : `${countText(own.length, "fill")} of ${countText(orders.length, "order")}`
  const props = { id: "fills", title: "Fills", sub, panel: "fills", style: "fills-card" }
  return h(
    Panel,
    { ...props, isReading: Store.fills.value === undefined },
    own.length === 0
      ? h(Empty, { title: "No fills yet" }, "The nearest order fills when the price reaches it.")
      : h(Table<OrderFills>, {
          style: "fills-t",
          keyOf: ({ placement }) => placement,
          rows: orders.slice(0, mostOrders),
          columns
        })
  )
}
