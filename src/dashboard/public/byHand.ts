/** Orders by hand: the form for a new one, and the list with changes and cancels. */
import { h } from "preact"
import type { OrderStanding } from "../../control/api/Order.ts"
import { askFor, command, confirmPlan } from "./commands.ts"
import { brief, countText, filledText } from "./format.ts"
import { Button, type Column, column, Panel, Table } from "./parts.ts"
import * as Store from "./store.ts"
import { span } from "./tags.ts"

type Words = Readonly<Record<string, string>>

export const orderByHand = (earlier: Words = { side: "buy", market: Store.market.value }): void => {
  const fields = [
    { name: "side", label: "Buy or sell" },
    { name: "amount", label: "Amount, or all", placeholder: "0.01" },
    { name: "market", label: "Market" },
    { name: "price", label: "Limit price", placeholder: "59000" },
    { name: "takeProfit", label: "Take profit: a price, 5%, or 2%:50%,5%:50%", isOptional: true },
    { name: "stop", label: "Stop: a price or 3%", isOptional: true },
    { name: "trail", label: "Trailing stop: 4%", isOptional: true },
    { name: "breakevenAt", label: "Stop to the entry from: a price or 2%", isOptional: true },
    { name: "expire", label: "Expire after: 6h", isOptional: true },
    { name: "when", label: "When: rsi(close, 14) < 30", isOptional: true },
    { name: "parts", label: "In parts, one after the other: 3", isOptional: true }
  ].map((field) => ({ ...field, value: earlier[field.name] ?? "" }))
  askFor("Order by hand", "Plan", fields, "A take profit and a stop cancel each other.", (words) => {
    const { parts, ...terms } = words
    const key = Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join("-")
    const payload = { ...terms, ...(parts && { parts: Number(parts) }) }
    confirmPlan("Place it", "order", payload, key, () => orderByHand(words))
  })
}

const change = ({ order, terms }: OrderStanding): void =>
  askFor(`Change ${order}`, "Plan", [{ name: "price", label: "New price" }], terms, ({ price = "" }) => {
    confirmPlan(`Move ${order}`, "order/change", { order, price })
  })

const columns: ReadonlyArray<Column<OrderStanding>> = [
  column("Order", ({ order }) => order, "lead"),
  column("Terms", ({ terms }) => terms, "soft wrap"),
  column(
    "State",
    ({ exit = "", filled, state, why }) => {
      const part = state === "filled" ? "" : filledText(filled)
      const texts = [part !== "" && state === "open" ? "" : state, part, exit && `exit ${exit}`]
      return span({ title: brief(why) }, texts.filter((text) => text !== "").join(", "))
    },
    "soft"
  ),
  column("", (row) => {
    if (row.hasEnded) return null
    const { order } = row
    const [isOperator, isTrader] = [Store.may("operator"), Store.may("trader")]
    const [edit, cancel] = [() => change(row), () => command("order/cancel", { order })]
    return [
      h(Button, { label: "Change…", name: `Change ${order}`, isAllowed: isOperator, style: "sm", onClick: edit }),
      h(Button, { label: "Cancel", name: `Cancel ${order}`, isAllowed: isTrader, style: "quiet sm", onClick: cancel })
    ]
  })
]

export const ByHand = () => {
  const rows = Store.byHand.value ?? []
  const sub = countText(rows.filter(({ hasEnded }) => !hasEnded).length, "live order")
  const props = { id: "by-hand", title: "Orders by hand", sub, panel: "orders", style: "wide" }
  if (rows.length === 0) return null
  return h(Panel, props, h(Table<OrderStanding>, { style: "hand", keyOf: ({ order }) => order, rows, columns }))
}
