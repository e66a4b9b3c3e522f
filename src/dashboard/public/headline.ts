/** The first figure of the page: profit against holding the same budget, with its parts and its curve. Quote assets are never added. */
import { h } from "preact"
import type { Profit } from "../../views/Profit.ts"
import { Curve } from "./curve.ts"
import { cents, date, percent, toneOf, trend } from "./format.ts"
import { type Child, Figures, hero, Money } from "./parts.ts"
import * as Store from "./store.ts"
import { b, div, dl, p, section } from "./tags.ts"

type Standing = (typeof Profit.Type)["standings"][number]

const Share = ({ capital, share }: Standing) => {
  if (share === null) return p("hero-s", "No budget has a price yet")
  const tone = toneOf((share * 100).toFixed(2))
  const words = tone === "up" ? " ahead of" : tone === "down" ? " behind" : " difference to"
  const capitalText = capital === null ? "" : `, ${cents(capital)}`
  return p("hero-s", b({ class: tone }, trend(share)), `${words} holding the same budget${capitalText}`)
}

const figuresOf = (standing: Standing): ReadonlyArray<readonly [string, Child]> => {
  const { asset, earnedToday, equity = null, fees, gridProfit, inventory, rounds, shareOfYear } = standing
  const profit = (value: string) => h(Money, { value, asset, profit: true })
  return [
    ["Grid profit", profit(gridProfit)],
    ["Open profit", profit(inventory)],
    ["Fees", h(Money, { value: `-${fees}`, asset })],
    ["Earned today", profit(earnedToday)],
    ["Equity", h(Money, { value: equity, asset })],
    // If one slot buys and another sells, rounds are not counted; that is not zero.
    ...(rounds === 0 ? [] : [["Rounds", String(rounds)] as const]),
    // Unknown in the first day.
    ...(shareOfYear === null ? [] : [["APR", percent(shareOfYear)] as const])
  ]
}

const Other = ({ asset, share, total }: Standing) => {
  const profit = b("", h(Money, { value: total, asset, profit: true }))
  return p("hero-s", `In ${asset}: `, profit, share !== null && ` ${trend(share)}`)
}

export const Headline = () => {
  const quote = Store.quoteOf(Store.market.value)
  const standings = Store.profit.value?.standings ?? []
  const [first, ...others] = standings.toSorted((a, b) => Number(b.asset === quote) - Number(a.asset === quote))
  const { asset = "", since = null, total = null } = first ?? {}
  const title = since === null ? "Profit" : `Profit since ${date(since)}`
  const nothing = Store.profit.value === undefined ? "Reading …" : "No budget is allotted yet"
  const more = others.map((other) => h(Other, { key: other.asset, ...other }))
  const share = first === undefined ? p("hero-s", nothing) : h(Share, first)
  const waiting = Store.fills.value?.length === 0 && p("hero-s", "No fill yet: profit begins when an order fills")
  return section(
    { class: "card main head", id: "standings", "aria-labelledby": "t-profit" },
    div(
      "head-top",
      hero(title, asset, total, share, waiting, more),
      dl({ class: "stats", id: "profit-figures" }, first !== undefined && h(Figures, { of: figuresOf(first) }))
    ),
    h(Curve, {})
  )
}
