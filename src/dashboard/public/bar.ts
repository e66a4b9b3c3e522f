/** The bar that stays visible: the state of the bot as one chip, its warnings as another, and the actions. Below it, the state in words. */
import { h } from "preact"
import type { ProblemView } from "../../views/Problems.ts"
import { AlertsButton } from "./alerts.ts"
import { orderByHand } from "./byHand.ts"
import { CommandButton, swap } from "./commands.ts"
import { age, brief, clock, countText, moment } from "./format.ts"
import { Button, type Child, Chip, Icon, useToggle } from "./parts.ts"
import * as Store from "./store.ts"
import { b, div, h2, header, p, section, span } from "./tags.ts"
import { switchTheme } from "./theme.ts"

const StateChip = () => {
  const { detail, kind, text } = Store.state.value
  return h(Chip, { kind, id: "mode" }, text, detail !== "" && span("lg", detail))
}

export const Brand = () => {
  const icon = h("img", { src: "/assets/icon.svg", alt: "", width: 22, height: 22 })
  return h("a", { class: "brand", href: "#main" }, icon, h("h1", {}, "limitbot"))
}

const TroubleChip = () => {
  const [count = "", noun = ""] = Store.trouble.value.split(" ")
  if (count === "") return null
  const link = { class: "chip warn", id: "trouble", href: "#attention" }
  return h("a", link, h(Icon, { name: "warn" }), count, span("lg", ` ${noun}`))
}

const lateMillis = 60_000
const turnAge = (): number | undefined => {
  const { turnedAt = 0 } = Store.status.value ?? {}
  return turnedAt === 0 ? undefined : Math.max(0, Store.second.value - turnedAt)
}

const ageText = (): string => {
  const { heardAt, link } = Store
  const turn = turnAge()
  if (link.value === "live") return turn === undefined ? "starting" : `updated ${age(turn)} ago`
  return heardAt.value === 0 ? "connecting" : `last update ${clock(heardAt.value)}`
}

/** Buttons of the bar: on a phone all but Kill are in its menu. */
export const Menu = ({ children }: { readonly children?: Child }) => {
  const [isOpen, toggle] = useToggle()
  const onKeyDown = ({ key }: KeyboardEvent) => isOpen && key === "Escape" && toggle()
  const onClick = () => isOpen && toggle()
  return div(
    { class: "menus", onKeyDown },
    div(
      { class: `menu ${isOpen ? "open" : ""}`, role: "group", "aria-label": "Commands", onClick },
      children,
      h(Button, {
        ...{ id: "theme", icon: "theme", name: "Light or dark", label: span("only-sm", "Light or dark") },
        ...{ style: "quiet icon", onClick: switchTheme }
      })
    ),
    h(Button, { icon: "more", name: "More actions", isOn: isOpen, style: "icon only-sm", onClick: toggle })
  )
}

const Actions = () =>
  div(
    "acts",
    h(
      Menu,
      {},
      Store.isPaused.value
        ? h(CommandButton, { id: "pause", name: "resume" })
        : h(CommandButton, { id: "pause", name: "pause", icon: "paused" }),
      h(CommandButton, { id: "cancel-all", name: "cancel-all", label: "Cancel all…" }),
      h(Button, { id: "order", label: "Order…", isAllowed: Store.may("operator"), onClick: () => orderByHand() }),
      h(Button, { id: "swap", label: "Swap…", isAllowed: Store.may("operator"), onClick: swap }),
      h(AlertsButton, {})
    ),
    Store.isKilled.value
      ? h(CommandButton, { name: "release", label: "Release…", style: "solid" })
      : h(CommandButton, { id: "kill", name: "kill", icon: "killed", style: "solid" })
  )

export const Bar = () => {
  const { account = "", venue = "" } = Store.status.value ?? {}
  return header(
    { class: "bar", id: "bar" },
    h(Brand, {}),
    h(StateChip, {}),
    h(TroubleChip, {}),
    div("where", b("", venue.replace(/^\w+:\/\//, "")), account !== "" && span("dim", "/"), b("", account)),
    p({ class: "age", id: "link", role: "status" }, ageText()),
    h(Actions, {})
  )
}

interface BannerProps {
  readonly kind: "gone" | "killed" | "paused"
  readonly title: string
  readonly text: string
  readonly action?: Child
}
export const Banner = ({ action, kind, text, title }: BannerProps) =>
  section(
    { class: `banner ${kind} wide`, id: "banner", role: kind === "gone" ? "alert" : undefined },
    span("badge", h(Icon, { name: kind })),
    div("", h2("", brief(title)), p("", text)),
    action
  )

const killed =
  "All payments are stopped and every order is cancelled. This stays on after a restart until you release it."
const disconnectedText =
  "Figures are old; open orders stay at the venue. This page keeps trying. On the machine: limitbot status, limitbot kill"

export const StateBanner = () => {
  const { heardAt, isKilled, isLost, isPaused, problems, second, status } = Store
  const { openOrders = 0 } = status.value ?? {}
  const turn = turnAge()
  const textOf = (matches: (problem: ProblemView) => boolean) => problems.value.find(matches)?.text
  if (isLost.value) {
    const since = heardAt.value === 0 ? "" : `, last heard ${age(second.value - heardAt.value)} ago`
    const text = `It may still be trading${since}. ${disconnectedText}`
    return h(Banner, { kind: "gone", title: "The bot does not answer", text })
  }
  if (isKilled.value) {
    const title = textOf(({ kind }) => kind === "kill-switch") ?? "Kill switch"
    const action = h(CommandButton, { name: "release", label: "Release…" })
    return h(Banner, { kind: "killed", title, text: killed, action })
  }
  if (isPaused.value) {
    const title = Store.pausedText.value ?? "All strategies are paused"
    const at = Store.events.value?.events.findLast(({ tag }) => tag === "Paused")?.at
    const since = at === undefined ? "" : `Since ${moment(at)}, ${age(second.value - at)} ago. `
    const open = openOrders === 0 ? "No order is open" : `${countText(openOrders, "open order")} can still fill`
    const text = `${since}${open}; no new order is placed until you resume.`
    return h(Banner, { kind: "paused", title, text, action: h(CommandButton, { name: "resume" }) })
  }
  if (turn === undefined || turn <= lateMillis) return null
  const title = `The bot has not completed a turn for ${age(turn)}`
  return h(Banner, { kind: "gone", title, text: "It is busy or stuck. Figures may be old." })
}
