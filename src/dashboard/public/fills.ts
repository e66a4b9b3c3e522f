/** Fills of the selected strategy, one row for each order, newest first. */
import { h } from "preact"
import type { FillView } from "../../views/Fills.ts"
import { clock, counted, decimal, stamp, sum } from "./format.ts"
import { Empty, Panel, Price, Side, Table } from "./parts.ts"
import * as Store from "./store.ts"

const mostFills = 200

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

export const Fills = () => {
  const name = Store.selected.value?.name ?? ""
  const own = (Store.fills.value ?? []).filter(({ slot }) => slot.startsWith(`${name}/`))
  const newest = own.toSorted((a, b) => b.at - a.at || b.sequence - a.sequence).slice(0, mostFills)
  return h(
    Panel,
    { id: "fills", title: "Fills", sub: counted(own.length, "fill"), panel: "fills", class: "fills-card" },
    own.length === 0
      ? h(
          Empty,
          { title: Store.fills.value === undefined ? "Reading …" : "No fills yet" },
          "The nearest order fills when the price reaches it."
        )
      : h(Table<OrderFills>, {
          class: "fills-t",
          keyOf: ({ placement }) => placement,
          rows: byOrder(newest),
          columns: [
            {
              title: "Time",
              class: "dim",
              cell: ({ at }) => h("span", { title: `${stamp(at)} UTC` }, clock(at).slice(0, 5))
            },
            { title: "Side", cell: ({ side }) => h(Side, { side }) },
            { title: "Price", number: true, class: "lead", cell: (fill) => h(Price, { value: fill.price }) },
            {
              title: Store.baseOf(Store.market.value),
              number: true,
              cell: (fill) => h("span", { title: `${ofQuote(fill)}, ${counted(fill.parts, "fill")}` }, ofBase(fill))
            },
            { title: "Slot", class: "soft x", cell: ({ slot }) => slot.split("/")[1] }
          ]
        })
  )
}
