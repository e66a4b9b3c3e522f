/** The page of a running bot: the bar, the headline, the strategies, and what belongs to the selected one. */
import { effect, signal } from "@preact/signals"
import { h, render } from "preact"
import { Activity } from "./activity.ts"
import { offerAlerts } from "./alerts.ts"
import * as Api from "./api.ts"
import { Balances } from "./balances.ts"
import { Bar, StateBanner } from "./bar.ts"
import { OrderBook } from "./book.ts"
import { ByHand } from "./byHand.ts"
import { Dialog } from "./dialog.ts"
import { start } from "./feed.ts"
import { Fills } from "./fills.ts"
import { price } from "./format.ts"
import { Headline } from "./headline.ts"
import { Choices } from "./parts.ts"
import { PriceChart } from "./priceChart.ts"
import { Problems } from "./problems.ts"
import { Slots } from "./slots.ts"
import * as Store from "./store.ts"
import { Strategies } from "./strategies.ts"
import { div } from "./tags.ts"
import { followTheme } from "./theme.ts"

/** A phone shows one of these panels at a time. */
const tabs: Readonly<Record<string, string>> = { Orders: "orders", Book: "book", Fills: "fills", Balances: "money" }
const tab = signal("Orders")

const Tabs = () => {
  const pick = (name: string): void => {
    tab.value = name
  }
  return div("tabs", h(Choices, { label: "Panels", names: Object.keys(tabs), chosen: tab.value, pick }))
}

const Page = () => [
  h("a", { class: "skip", href: "#main" }, "Skip to content"),
  h(Bar, {}),
  h(
    "main",
    { class: `page ${Store.isLost.value ? "old" : ""}`, id: "main", "data-tab": tabs[tab.value] },
    h(StateBanner, {}),
    h(Headline, {}),
    div("stack rail-top", h(Problems, {}), h(Activity, {})),
    Store.status.value !== undefined && h(Strategies, {}),
    h(Tabs, {}),
    h(ByHand, {}),
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
    ". Charts are rounded."
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
