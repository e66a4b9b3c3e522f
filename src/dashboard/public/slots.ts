/**
 * The slots of the selected strategy by price, trouble first and idle ones last. If there are many, only the rows in sight are elements.
 */
import { computed, signal } from "@preact/signals"
import { h } from "preact"
import type { Explanation } from "../../views/Explanation.ts"
import type { SlotView } from "../../views/Slots.ts"
import * as Api from "./api.ts"
import { CommandButton, Lines } from "./commands.ts"
import { answered, CloseButton } from "./dialog.ts"
import { age, brief, countText, filledText, percent, price } from "./format.ts"
import { Choices, type Column, cellsOf, column, Empty, Head, LinkButton, Money, Panel, Price, Side } from "./parts.ts"
import * as Store from "./store.ts"
import { div, p, span, tr } from "./tags.ts"

const groups = {
  All: () => true,
  Sell: ({ side }: SlotView) => side === "SELL",
  Buy: ({ side }: SlotView) => side === "BUY",
  Idle: ({ price }: SlotView) => price === ""
} as const
type Group = keyof typeof groups
const groupNames: ReadonlyArray<Group> = ["All", "Sell", "Buy", "Idle"]

const group = signal<Group>("All")
/** Scrolled pixels, in steps, so that not each pixel draws the table again. */
const scrolled = signal(0)

const own = computed(() => Store.slotsOf(Store.selectedName.value))

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

const gain = (value: string | null, { market }: SlotView) =>
  h(Money, { value, asset: Store.quoteOf(market), profit: true })

const Reasons = ({ because, guards, lately, rule, ruleText, slot, wouldChange }: Explanation) => [
  h(Lines, { title: "Why this order is here", lines: because.map((line) => line.replace(/ \[[\w-]+, [^\]]+\]$/, "")) }),
  // The reader did not write the file of orders by hand.
  rule !== null && !Store.isByHand(slot) && p("dim", `${rule} `, h("code", {}, ruleText)),
  h(Lines, { title: "What would change it", lines: wouldChange }),
  h(Lines, {
    title: "Limits that refuse",
    lines: guards.filter(({ verdict }) => verdict !== "passes").map(({ guard, text }) => `${guard}: ${text}`)
  }),
  // The slot's name is in the title already.
  h(Lines, { title: "History, UTC", lines: lately.map((line) => line.replace(/\.\d{3} +\S+ +/, " ")) })
]

const over: ReadonlySet<string> = new Set(["empty", "frozen", "cancelling"])

const explain = ({ slot, state }: SlotView): Promise<void> => {
  const answer = async () => {
    const [explanation] = await Api.get<ReadonlyArray<Explanation>>(`explain?slot=${encodeURIComponent(slot)}`)
    const body = explanation === undefined ? p("", "The bot knows nothing about this slot.") : h(Reasons, explanation)
    const cancel = over.has(state) ? null : h(CommandButton, { name: "cancel", payload: { slot } })
    return { sub: explanation?.verdict, body, foot: [cancel, h(CloseButton, { label: "Close" })] }
  }
  return answered({ title: slot, isDrawer: true }, "Reading the journal …", answer())
}

const State = (of: SlotView) => {
  const { filled, tone, why } = of
  const text = filledText(filled) || Store.stateOf(of)
  return span({ class: tone === "alarm" ? "alarm" : "dim", title: brief(why) }, text)
}

const columns: ReadonlyArray<Column<SlotView>> = [
  column("Slot", (of) =>
    h(LinkButton, { label: Store.nameOf(of.slot), title: brief(of.why), onClick: () => explain(of) })
  ),
  column("Side", ({ side }) => h(Side, { side })),
  column("Price", ({ price }) => (price === "" ? span("dim", "–") : h(Price, { value: price })), "num lead"),
  column("Away", ({ distance }) => (distance === null ? "" : percent(distance)), "num soft"),
  column("Quantity", ({ quantity }) => quantity, "num soft"),
  column("State", (of) => h(State, of), "soft gap"),
  column(
    "Age",
    ({ since }) => (since === null ? "" : age(Store.second.value - since).replace(/ h .*/, " h")),
    "num soft"
  ),
  column("Trades", ({ legs }) => legs, "num soft x"),
  column("Earned", (of) => gain(of.earned, of), "num"),
  column("Open", (of) => gain(of.inventory, of), "num x")
]

const Line = ({ index, row }: { readonly row: Row; readonly index: number }) => {
  if (row !== middle) return tr({ "aria-rowindex": index + 2, class: row.tone }, cellsOf(columns, row))
  const now = Store.priceNow.value
  const text = now === undefined ? "no price yet" : price(now.mid)
  return tr("mid", h("td", { colSpan: columns.length }, text, " ", span("dim", Store.market.value)))
}

/** A longer table draws only the rows in sight. */
const mostRows = 200
const [rowHeight, phoneRowHeight, viewHeight, margin] = [32, 61, 640, 15]
const phone = matchMedia("(max-width: 720px)")

const Spacer = ({ height }: { readonly height: number }) =>
  tr({ class: "spacer", "aria-hidden": "true" }, h("td", { colSpan: columns.length, style: { height: `${height}px` } }))

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
  const keyOf = (row: Row): string => (row === middle ? middle : row.slot)
  const lines = all.slice(first, last).map((row, index) => h(Line, { key: keyOf(row), row, index: first + index }))
  const before = first > 0 && h(Spacer, { key: "before", height: first * height })
  const after = last < all.length && h(Spacer, { key: "after", height: (all.length - last) * height })
  const table = { class: "t cards slots-t", "aria-rowcount": all.length + 1 }
  return div(
    { class: isLong ? "tall" : "", onScroll },
    h("table", table, h(Head<SlotView>, { columns }), h("tbody", {}, before, lines, after))
  )
}

const titled = (name: Group): string => (name === "All" ? name : `${name} ${own.value.filter(groups[name]).length}`)

const Filter = () => {
  const pick = (name: string): void => {
    group.value = groupNames.find((each) => titled(each) === name) ?? "All"
  }
  return h(Choices, { label: "Shown slots", names: groupNames.map(titled), chosen: titled(group.value), pick })
}

export const Slots = () => {
  const byState = Map.groupBy(own.value, Store.stateOf)
  const sub = [...byState].map(([state, of]) => `${of.length} ${state}`).join(", ")
  const props = { id: "slots", title: "Slots", sub, tools: h(Filter, {}), panel: "orders", style: "main slots" }
  return h(
    Panel,
    { ...props, isReading: Store.slots.value === undefined },
    own.value.length === 0
      ? h(Empty, { title: "No slots yet" }, "The strategy decides with the first price of its market.")
      : rows.value.length === 0
        ? h(Empty, { title: `None of ${countText(own.value.length, "slot")}` })
        : h(Rows, {})
  )
}
