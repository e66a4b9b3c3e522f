/** The page of a running bot: the bar, the headline, the strategies, and what belongs to the selected one. */
import { effect, signal } from "@preact/signals"
import { h, render } from "preact"
import { Activity } from "./activity.ts"
import { offerAlerts } from "./alerts.ts"
import * as Api from "./api.ts"
import { Balances } from "./balances.ts"
import { Banner, Bar } from "./bar.ts"
import { OrderBook } from "./book.ts"
import { Dialog } from "./dialog.ts"
import { start } from "./feed.ts"
import { Fills } from "./fills.ts"
import { price } from "./format.ts"
import { Headline } from "./headline.ts"
import { PriceChart } from "./priceChart.ts"
import { Problems } from "./problems.ts"
import { Slots } from "./slots.ts"
import * as Store from "./store.ts"
import { Strategies } from "./strategies.ts"
import { followTheme } from "./theme.ts"

/** A phone shows one of these at a time. */
const tabs = { orders: "Orders", book: "Book", fills: "Fills", money: "Balances" } as const
type Tab = keyof typeof tabs
const tabNames: ReadonlyArray<Tab> = ["orders", "book", "fills", "money"]
const tab = signal<Tab>("orders")

const Tabs = () => {
  const pick = (name: Tab) => () => {
    tab.value = name
  }
  return h(
    "nav",
    { class: "tabs", "aria-label": "Panels" },
    h(
      "div",
      { class: "seg" },
      tabNames.map((name) =>
        h(
          "button",
          { key: name, type: "button", "aria-pressed": name === tab.value ? "true" : "false", onClick: pick(name) },
          tabs[name]
        )
      )
    )
  )
}

const Page = () => [
  h("a", { class: "skip", href: "#main" }, "Skip to content"),
  h(Bar, {}),
  h(
    "main",
    {
      class: `page ${Store.link.value === "live" || Store.status.value === undefined ? "" : "old"}`,
      id: "main",
      "data-tab": tab.value
    },
    h(Banner, {}),
    h(Headline, {}),
    h("div", { class: "stack rail-top" }, h(Problems, {}), h(Activity, {})),
    h(Strategies, {}),
    h(Tabs, {}),
    h(PriceChart, {}),
    h(OrderBook, {}),
    h(Slots, {}),
    h(Fills, {}),
    h(Balances, {})
  ),
  h(
    "footer",
    {},
    "Charts by ",
    h("a", { href: "https://www.tradingview.com/", rel: "noreferrer noopener" }, "TradingView Lightweight Charts™"),
    ". Amounts are exact; charts are for the eye."
  ),
  h(Dialog, {})
]

followTheme()
Api.takeToken()
Store.selectByAddress()
addEventListener("hashchange", () => {
  if (Api.takeToken()) location.reload()
  else Store.selectByAddress()
})
effect(() => {
  const now = Store.priceNow.value
  if (now !== undefined) document.title = `${price(now.mid)} ${now.market} · limitbot`
})
render(h(Page, {}), document.getElementById("app") ?? document.body)
start()
// A browser that allows no worker, for example because of an unknown certificate, shows no button.
if (Api.token() !== null) offerAlerts().catch(() => undefined)
