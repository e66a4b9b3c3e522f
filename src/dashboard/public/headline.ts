/** The first figure of the page: profit against holding the same budget, with its parts and its curve. Quote assets are never added. */
import { h } from "preact"
import type { Profit } from "../../views/Profit.ts"
import { Curve } from "./curve.ts"
import { cents, date, percent, sum, toneOf, trend } from "./format.ts"
import { type Child, Figures, Money } from "./parts.ts"
import * as Store from "./store.ts"

type Standing = (typeof Profit.Type)["standings"][number]

const Share = ({ capital, share, total }: Standing) => {
  if (share === null) return h("p", { class: "hero-s" }, "No budget has a price yet")
  const tone = toneOf(total)
  const words = tone === "up" ? "ahead of" : tone === "down" ? "behind" : "as much as"
  const held = capital === null ? "" : `, ${cents(capital)}`
  return h("p", { class: "hero-s" }, h("b", { class: tone }, trend(share)), ` ${words} holding the same budget${held}`)
}

const figuresOf = (standing: Standing): ReadonlyArray<readonly [string, Child]> => {
  const { asset, capital, earnedToday, fees, gridProfit, inventory, rounds, shareOfYear, total } = standing
  const profit = (value: string) => h(Money, { value, asset, profit: true })
  return [
    ["Grid profit", profit(gridProfit)],
    ["Inventory", profit(inventory)],
    ["Fees", h(Money, { value: `-${fees}`, asset })],
    ["Today", profit(earnedToday)],
    ["Equity", h(Money, { value: capital === null ? null : sum([capital, total]), asset })],
    // If one slot buys and another sells, rounds are not counted; that is not zero.
    ...(rounds === 0 ? [] : [["Rounds", String(rounds)] as const]),
    [
      "APR",
      shareOfYear === null ? h("span", { class: "dim", title: "Shown after one day" }, "–") : percent(shareOfYear)
    ]
  ]
}

const Other = ({ asset, share, total }: Standing) =>
  h(
    "p",
    { class: "hero-s", key: asset },
    `In ${asset}: `,
    h("b", {}, h(Money, { value: total, asset, profit: true })),
    share !== null && ` ${trend(share)}`
  )

/** The strategy that is selected has its quote asset first. */
const ordered = (standings: ReadonlyArray<Standing>): ReadonlyArray<Standing> => {
  const quote = Store.quoteOf(Store.market.value)
  return standings.toSorted((a, b) => Number(b.asset === quote) - Number(a.asset === quote))
}

export const Headline = () => {
  const profit = Store.profit.value
  const [first, ...others] = ordered(profit?.standings ?? [])
  const since = first?.since ?? null
  return h(
    "section",
    { class: "card main head", id: "standings", "aria-labelledby": "t-profit" },
    h(
      "div",
      { class: "head-top" },
      h(
        "div",
        { class: "hero" },
        h("h2", { id: "t-profit" }, since === null ? "Profit" : `Profit since ${date(since)}`),
        h(
          "p",
          { class: `hero-n ${toneOf(first?.total ?? null)}` },
          h(Money, { value: first?.total ?? "0", asset: first?.asset ?? "", profit: true }),
          h("small", {}, ` ${first?.asset ?? ""}`)
        ),
        first === undefined
          ? h("p", { class: "hero-s" }, profit === undefined ? "Reading …" : "No budget is allotted yet")
          : h(Share, first),
        others.map((other) => h(Other, other))
      ),
      first !== undefined && h("dl", { class: "stats", id: "profit-figures" }, h(Figures, { of: figuresOf(first) }))
    ),
    h(Curve, {})
  )
}
