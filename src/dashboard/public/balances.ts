/** Where the money is: a row for each asset, a column for each place that holds anything. */
import { h } from "preact"
import { brief, cents, decimal, shortPrice, spoken, sum } from "./format.ts"
import { column, Empty, Panel, Table } from "./parts.ts"
import * as Store from "./store.ts"
import { p, span } from "./tags.ts"

const words: Readonly<Record<string, string>> = {
  wallet: "Free",
  "in order": "In orders",
  "filled unpaid": "Filled, payout pending",
  residual: "Unexplained"
}
export const placeName = (place: string): string => words[place] ?? spoken(place)

/** Paid fees and abandoned money no longer belong to the bot. */
const lost: ReadonlySet<string> = new Set(["fees", "lost"])

export const Balances = () => {
  const { notCounted = [], places = [], rows = [] } = Store.money.value ?? {}
  const assets = [...new Set(rows.map(({ asset }) => asset))]
  const amount = (asset: string, place: string) =>
    rows.find((row) => row.place === place && row.asset === asset)?.amount ?? "0"
  const total = (asset: string) => sum(places.filter((place) => !lost.has(place)).map((place) => amount(asset, place)))
  const exact = (text: string) =>
    Number(text) === 0 ? span("dim", "–") : span({ title: decimal(text) }, brief(decimal(text)))
  const quote = Store.quoteOf(Store.market.value)
  const valueOf = (asset: string) => {
    const worth = Number(total(asset)) * Number(asset === quote ? 1 : Store.priceOf(`${asset}/${quote}`)?.mid)
    return Number.isNaN(worth) ? span("dim", "–") : (worth < 100 ? shortPrice : cents)(worth.toFixed(8))
  }
  const used = places.filter((place) => assets.some((asset) => Number(amount(asset, place)) !== 0))
  const columns = [
    column<string>("Asset", (asset) => asset, "lead"),
    ...used.map((place) => {
      const [title, style] = [placeName(place), place === "residual" ? "num alarm" : "num"]
      return column<string>(title, (asset) => exact(amount(asset, place)), style, title)
    }),
    column<string>("Total", (asset) => exact(total(asset)), "num lead", "Total"),
    ...(quote === "" ? [] : [column<string>(`Value, ${quote}`, valueOf, "num", "Value")])
  ]
  const props = { id: "money", title: "Balances", panel: "money", style: "wide last" }
  return h(
    Panel,
    { ...props, isReading: Store.money.value === undefined },
    assets.length === 0
      ? h(Empty, { title: "No budget is allotted yet" }, "Each strategy file states its own: limits.budget")
      : h(Table<string>, { style: "bal", columns, rows: assets, keyOf: (asset) => asset }),
    notCounted.map(({ amount: back, asset, strategy }) =>
      p("note", `Not counted: ${decimal(back)} ${asset} that ${strategy} returned to the account; it is not running`)
    )
  )
}
