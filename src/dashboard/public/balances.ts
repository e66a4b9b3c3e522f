/** Where the money is: a row for each asset, a column for each place that holds anything. */
import { useSignal } from "@preact/signals"
import { h } from "preact"
import { counted, decimal, spoken, sum } from "./format.ts"
import { Button, type Column, Empty, Panel, Table } from "./parts.ts"
import * as Store from "./store.ts"

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
  const isAll = useSignal(false)
  const { notCounted = [], places = [], rows = [] } = Store.money.value ?? {}
  const assets = [...new Set(rows.map(({ asset }) => asset))]
  const amount = (asset: string, place: string) =>
    rows.find((row) => row.place === place && row.asset === asset)?.amount ?? "0"
  const used = places.filter((place) => assets.some((asset) => Number(amount(asset, place)) !== 0))
  const hidden = places.length - used.length
  const columns: ReadonlyArray<Column<string>> = [
    { title: "Asset", class: "lead", cell: (asset) => asset },
    ...(isAll.value ? places : used).map((place) => ({
      title: placeName(place),
      label: placeName(place),
      number: true,
      class: place === "residual" ? "alarm" : "",
      cell: (asset: string) =>
        Number(amount(asset, place)) === 0 ? h("span", { class: "dim" }, "–") : decimal(amount(asset, place))
    })),
    {
      title: "Total",
      label: "Total",
      number: true,
      class: "lead",
      cell: (asset) => decimal(sum(places.filter((place) => !lost.has(place)).map((place) => amount(asset, place))))
    }
  ]
  const toggle = () => {
    isAll.value = !isAll.value
  }
  return h(
    Panel,
    {
      id: "money",
      title: "Balances",
      sub: hidden > 0 && !isAll.value ? `${counted(hidden, "empty place")} hidden` : "",
      tools: h(Button, {
        label: isAll.value ? "Hide empty places" : "Show all places",
        style: "quiet sm push",
        onClick: toggle
      }),
      panel: "money",
      class: "wide last"
    },
    assets.length === 0
      ? h(Empty, { title: Store.money.value === undefined ? "Reading …" : "No budget is allotted yet" })
      : h(Table<string>, { class: "bal", columns, rows: assets, keyOf: (asset) => asset }),
    notCounted.map(({ amount: back, asset, strategy }) =>
      h(
        "p",
        { class: "note" },
        `Not counted: ${decimal(back)} ${asset} that ${strategy} returned to the account; it is not running`
      )
    )
  )
}
