/** The cost of each change of a plan, order by order. Orders that stay are only counted. */
import { h } from "preact"
import type { Plan } from "../../views/Plan.ts"
import { counted, decimal } from "./format.ts"
import { type Column, column, Price, Side, Table } from "./parts.ts"
import { p, section, span } from "./tags.ts"

const mostRows = 50

type Change = (typeof Plan.Type)["changes"][number]

const words = { keep: "Keep", cancel: "− Cancel", create: "+ Place", defer: "+ Place once funds are back" } as const

const money = ({ amount, asset, smallest }: Change["input"]): string => `${decimal(amount ?? smallest)} ${asset}`

const columns: ReadonlyArray<Column<Change>> = [
  column("Change", ({ action }) => words[action], "lead"),
  column("Order", ({ price, side }) => [h(Side, { side }), " at ", h(Price, { value: price })], "r"),
  column("Pays", ({ input }) => money(input), "num", "Pays"),
  column("Cost", ({ costs }) => costs.map((cost) => `${money(cost)} ${cost.what}`).join(", ") || "–", "num", "Cost"),
  column("Why", ({ reason, slot }) => span({ title: slot }, reason.text), "soft")
]

export const PlannedChanges = ({ of }: { readonly of: typeof Plan.Type }) => {
  const changes = of.changes.filter(({ action }) => action !== "keep")
  if (changes.length === 0) return p("dim", "No order changes.")
  const keyOf = ({ action, slot, strategy }: Change) => `${action} ${strategy}/${slot}`
  const rest = changes.length - mostRows
  return section(
    "",
    h(Table<Change>, { columns, rows: changes.slice(0, mostRows), keyOf }),
    rest > 0 && p("dim", `… and ${counted(rest, "change")} more`)
  )
}
