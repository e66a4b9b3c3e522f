/** The bar that stays visible: the state of the bot as one chip, its warnings as another, and the actions. Below it, the state in words. */
import { useSignal } from "@preact/signals"
import { h } from "preact"
import { operatorCommands } from "../../control/api/OperatorCommands.ts"
import { AlertsButton } from "./alerts.ts"
import { agree, command, swap } from "./commands.ts"
import { age, clock } from "./format.ts"
import { Button, type Child, Chip, Icon } from "./parts.ts"
import * as Store from "./store.ts"
import { switchTheme } from "./theme.ts"

export const StateChip = () => {
  const { detail, kind, text } = Store.state.value
  return h(Chip, { kind, id: "mode" }, text, detail !== "" && h("span", { class: "lg" }, detail))
}

export const Brand = () =>
  h(
    "a",
    { class: "brand", href: "#main" },
    h("img", { src: "/assets/icon.svg", alt: "", width: 22, height: 22 }),
    h("h1", {}, "limitbot")
  )

const TroubleChip = () => {
  const [count = "", noun = ""] = Store.trouble.value.split(" ")
  if (count === "") return null
  return h(
    "a",
    { class: "chip warn", id: "trouble", href: "#attention" },
    h(Icon, { name: "warn" }),
    count,
    h("span", { class: "lg" }, ` ${noun}`)
  )
}

const lateMillis = 60_000
const turnAge = (): number | undefined => {
  const { turnedAt = 0 } = Store.status.value ?? {}
  return turnedAt === 0 ? undefined : Math.max(0, Store.second.value - turnedAt)
}

const Age = () => {
  const turn = turnAge()
  const { heardAt, link } = Store
  const text =
    link.value === "live"
      ? turn === undefined
        ? "starting"
        : `updated ${age(turn)} ago`
      : heardAt.value === 0
        ? "not connected"
        : `last update ${clock(heardAt.value)}`
  return h("p", { class: "age", id: "link", role: "status" }, text)
}

/** Buttons of the bar: on a phone all but Kill are in its menu. */
export const Menu = ({ children }: { readonly children?: Child }) => {
  const isOpen = useSignal(false)
  const toggle = (): void => {
    isOpen.value = !isOpen.value
  }
  const close = (): void => {
    isOpen.value = false
  }
  return [
    h(
      "div",
      { class: `menu ${isOpen.value ? "open" : ""}`, role: "group", "aria-label": "Commands", onClick: close },
      children,
      h(Button, {
        id: "theme",
        icon: "theme",
        name: "Switch between light and dark",
        style: "quiet icon",
        onClick: switchTheme
      })
    ),
    h(
      "button",
      {
        type: "button",
        class: "btn icon only-sm",
        "aria-label": "More actions",
        "aria-expanded": isOpen.value ? "true" : "false",
        onClick: toggle,
        onKeyDown: (event: KeyboardEvent) => event.key === "Escape" && close()
      },
      h(Icon, { name: "more" })
    )
  ]
}

const Actions = () => {
  const { isPaused, may } = Store
  const { "cancel-all": cancelAll, kill, pause, resume } = operatorCommands
  const pausing = isPaused.value
    ? { label: resume.title, onClick: () => command("resume", {}) }
    : { label: pause.title, icon: "paused" as const, onClick: () => agree("pause") }
  return h(
    "div",
    { class: "acts" },
    h(
      Menu,
      {},
      h(Button, { id: "pause", isAllowed: may(pause.role), ...pausing }),
      h(Button, {
        id: "cancel-all",
        label: `${cancelAll.title}…`,
        isAllowed: may(cancelAll.role),
        onClick: () => agree("cancel-all")
      }),
      h(Button, { id: "swap", label: "Swap…", isAllowed: may("operator"), onClick: swap }),
      h(AlertsButton, {})
    ),
    h(Button, {
      id: "kill",
      label: kill.title,
      icon: "killed",
      style: "solid",
      isAllowed: may(kill.role),
      onClick: () => agree("kill")
    })
  )
}

export const Bar = () => {
  const { account = "", venue = "" } = Store.status.value ?? {}
  return h(
    "header",
    { class: "bar", id: "bar" },
    h(Brand, {}),
    h(StateChip, {}),
    h(TroubleChip, {}),
    h(
      "div",
      { class: "where" },
      h("b", {}, venue),
      account !== "" && h("span", { class: "dim" }, "/"),
      h("b", {}, account)
    ),
    h(Age, {}),
    h(Actions, {})
  )
}

interface Words {
  readonly kind: "gone" | "killed" | "paused"
  readonly title: string
  readonly text: string
  readonly action?: Child
}

const wordsOf = (): Words | undefined => {
  const { heardAt, isKilled, isPaused, link, may, problems, second, status } = Store
  const { release, resume } = operatorCommands
  const turn = turnAge()
  if (link.value !== "live" && status.value !== undefined) {
    const since = heardAt.value === 0 ? "" : `, last heard ${age(second.value - heardAt.value)} ago`
    const text = `It may still be trading${since}. Figures are old; open orders stay at the venue. This page keeps trying. On the machine: limitbot status, limitbot kill`
    return { kind: "gone", title: "The bot does not answer", text }
  }
  if (isKilled.value) {
    const title = problems.value.find(({ kind }) => kind === "kill-switch")?.text ?? "Kill switch"
    const text =
      "All payments are stopped and every order is cancelled. This stays on after a restart until you release it."
    const action = {
      id: "release",
      label: `${release.title}…`,
      isAllowed: may(release.role),
      onClick: () => agree("release")
    }
    return { kind: "killed", title, text, action: h(Button, action) }
  }
  if (isPaused.value) {
    const [first] = status.value?.strategies ?? []
    const title = problems.value.find(({ subject }) => subject === first?.name)?.text ?? "All strategies are paused"
    const text = `Nothing new is placed. Open orders: ${status.value?.openOrders ?? 0}; they stay tracked and can fill.`
    const action = {
      id: "resume",
      label: resume.title,
      isAllowed: may(resume.role),
      onClick: () => command("resume", {})
    }
    return { kind: "paused", title, text, action: h(Button, action) }
  }
  if (turn === undefined || turn <= lateMillis) return undefined
  const title = `The bot has not completed a turn for ${age(turn)}`
  return { kind: "gone", title, text: "It is busy or stuck. Figures may be old." }
}

export const Banner = () => {
  const words = wordsOf()
  if (words === undefined) return null
  const { action, kind, text, title } = words
  return h(
    "section",
    { class: `banner ${kind} wide`, id: "banner", role: kind === "gone" ? "alert" : undefined },
    h("span", { class: "badge" }, h(Icon, { name: kind })),
    h("div", {}, h("h2", {}, title), h("p", {}, text)),
    action
  )
}
