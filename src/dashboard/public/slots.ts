/**
 * The slots of the selected strategy by price, the present price between them; trouble first, idle ones last. Of many slots only the rows
 * in sight are elements of the page.
 */
import { computed, signal } from "@preact/signals"
import { h } from "preact"
import type { SlotView } from "../../views/Slots.ts"
import { explain } from "./explain.ts"
import { age, counted, percent, price } from "./format.ts"
import { Choices, type Column, cellsOf, Empty, Head, Money, Panel, Price, Side } from "./parts.ts"
import * as Store from "./store.ts"

const groups = {
  All: () => true,
  Sell: ({ side }: SlotView) => side === "SELL",
  Buy: ({ side }: SlotView) => side === "BUY",
  Idle: ({ price }: SlotView) => price === ""
} as const
type Group = keyof typeof groups
const groupNames: ReadonlyArray<Group> = ["All", "Sell", "Buy", "Idle"]

const group = signal<Group>("All")
/** Pixels that the table is scrolled by, in steps, so that not each of them draws it again. */
const scrolled = signal(0)

const own = computed(() => Store.slotsOf(Store.selected.value?.name ?? ""))

const middle = "middle"
type Row = SlotView | typeof middle

const rows = computed<ReadonlyArray<Row>>(() => {
  const chosen = own.value.filter(groups[group.value])
  const [trouble, calm] = [chosen.filter(({ tone }) => tone === "alarm"), chosen.filter(({ tone }) => tone !== "alarm")]
  const placed = calm.filter(({ price }) => price !== "").toSorted((a, b) => Number(b.price) - Number(a.price))
  const idle = calm.filter(({ price }) => price === "")
  const now = Number(Store.priceNow.value?.mid ?? 0)
  const above = placed.filter(({ price }) => Number(price) > now)
  const below = placed.slice(above.length)
  return [...trouble, ...above, ...(placed.length === 0 ? [] : [middle as typeof middle]), ...below, ...idle]
})

const nameOf = (slot: string): string => slot.split("/")[1] ?? slot

const columns: ReadonlyArray<Column<SlotView>> = [
  {
    title: "Slot",
    cell: (slot) =>
      h("button", { type: "button", class: "link", title: slot.why, onClick: () => explain(slot) }, nameOf(slot.slot))
  },
  { title: "Side", class: "r", cell: ({ side }) => h(Side, { side }) },
  {
    title: "Price",
    number: true,
    class: "lead",
    cell: ({ price }) => (price === "" ? h("span", { class: "dim" }, "–") : h(Price, { value: price }))
  },
  { title: "Away", number: true, class: "soft", cell: ({ distance }) => (distance === null ? "" : percent(distance)) },
  { title: "Quantity", number: true, class: "soft", cell: ({ quantity }) => quantity },
  {
    title: "State",
    class: "soft gap",
    cell: ({ filled, state, tone, why }) =>
      h(
        "span",
        { class: tone === "alarm" ? "alarm" : "dim", title: why },
        filled === "" || filled === "0 %" ? state : `${filled} filled`
      )
  },
  {
    title: "Age",
    number: true,
    class: "soft",
    cell: ({ since }) => (since === null ? "" : age(Store.second.value - since).replace(/ h \d+ min$/, " h"))
  },
  { title: "Trades", number: true, class: "soft x", cell: ({ legs }) => legs },
  {
    title: "Earned",
    number: true,
    cell: ({ earned, market }) => h(Money, { value: earned, asset: Store.quoteOf(market), profit: true })
  },
  {
    title: "Open",
    number: true,
    class: "x",
    cell: ({ inventory, market }) => h(Money, { value: inventory, asset: Store.quoteOf(market), profit: true })
  }
]

const Line = ({ index, row }: { readonly row: Row; readonly index: number }) => {
  if (row !== middle) return h("tr", { "aria-rowindex": index + 2, class: row.tone }, cellsOf(columns, row))
  const now = Store.priceNow.value
  return h(
    "tr",
    { class: "mid" },
    h(
      "td",
      { colSpan: columns.length },
      now === undefined ? "no price yet" : price(now.mid),
      " ",
      h("span", { class: "dim" }, Store.market.value)
    )
  )
}

/** Up to this many rows are drawn at once. */
const mostRows = 200
const [rowHeight, phoneRowHeight, viewHeight, margin] = [32, 61, 640, 15]
const phone = matchMedia("(max-width: 720px)")

const Spacer = ({ height }: { readonly height: number }) =>
  height === 0
    ? null
    : h(
        "tr",
        { class: "spacer", "aria-hidden": "true" },
        h("td", { colSpan: columns.length, style: { height: `${height}px` } })
      )

const Rows = () => {
  const all = rows.value
  const height = phone.matches ? phoneRowHeight : rowHeight
  const isLong = all.length > mostRows
  const first = isLong ? Math.max(0, Math.floor(scrolled.value / height) - margin) : 0
  const last = isLong ? Math.min(all.length, first + Math.ceil(viewHeight / height) + 2 * margin) : all.length
  const onScroll = ({ currentTarget }: Event): void => {
    if (isLong && currentTarget instanceof HTMLElement)
      scrolled.value = Math.floor(currentTarget.scrollTop / (5 * height)) * 5 * height
  }
  return h(
    "div",
    { class: isLong ? "tall" : "", onScroll },
    h(
      "table",
      { class: "t cards slots-t", "aria-rowcount": all.length + 1 },
      h(Head<SlotView>, { columns }),
      h(
        "tbody",
        {},
        h(Spacer, { key: "before", height: first * height }),
        all
          .slice(first, last)
          .map((row, index) => h(Line, { key: row === middle ? middle : row.slot, row, index: first + index })),
        h(Spacer, { key: "after", height: (all.length - last) * height })
      )
    )
  )
}

const titled = (name: Group): string => (name === "All" ? name : `${name} ${own.value.filter(groups[name]).length}`)

export const Slots = () => {
  const byState = Map.groupBy(own.value, ({ state }) => state)
  const pick = (name: string): void => {
    group.value = groupNames.find((each) => titled(each) === name) ?? "All"
  }
  return h(
    Panel,
    {
      id: "slots",
      title: "Slots",
      sub: [...byState].map(([state, of]) => `${of.length} ${state}`).join(", "),
      tools: h(Choices, {
        label: "Slots that are shown",
        names: groupNames.map(titled),
        chosen: titled(group.value),
        pick
      }),
      panel: "orders",
      class: "main slots"
    },
    own.value.length === 0
      ? h(
          Empty,
          { title: Store.slots.value === undefined ? "Reading …" : "No slots yet" },
          Store.slots.value !== undefined &&
            "The strategy has not decided yet. It decides with the first price of its market."
        )
      : rows.value.length === 0
        ? h(Empty, { title: `None of ${counted(own.value.length, "slot")}` })
        : h(Rows, {})
  )
}
