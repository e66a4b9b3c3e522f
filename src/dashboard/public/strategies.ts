/** Strategies as cards: profit, its parts, the budget in orders, the state, and the next order that can fill. One card is selected. */
import { h } from "preact"
import { operatorCommands } from "../../control/api/OperatorCommands.ts"
import type { SlotView } from "../../views/Slots.ts"
import { agree, command } from "./commands.ts"
import { cents, percent, price, spoken, toneOf, trend } from "./format.ts"
import { Button, Chip, type ChipKind, Empty, Figures, Money } from "./parts.ts"
import * as Store from "./store.ts"

type Strategy = Store.Strategy

const ChipOf = ({ kind, name, paused }: Strategy) => {
  const problem = Store.problems.value.find(({ subject }) => subject === name || subject.startsWith(`${name}/`))
  const [chip, text]: readonly [ChipKind, string] =
    kind === ""
      ? ["gone", "Not in a file"]
      : Store.isKilled.value
        ? ["killed", "Killed"]
        : paused !== null
          ? ["paused", paused.action === "drain" ? "Drained" : "Paused"]
          : problem !== undefined
            ? ["warn", spoken(problem.kind)]
            : ["live", "Live"]
  return h("span", { class: "push", title: problem?.text }, h(Chip, { kind: chip, small: true }, text))
}

const Profit = ({ name }: Strategy) => {
  const own = Store.profit.value?.strategies.find(({ strategy }) => strategy === name)
  if (own === undefined) return h("p", { class: "dim" }, "No profit yet: its budget has no price.")
  const { asset, fees, fills, gridProfit, held, inventory, total } = own
  const share = Number(held) === 0 ? 0 : Number(total) / Number(held)
  return [
    h(
      "div",
      { class: "pnl" },
      h(
        "p",
        { class: `big ${toneOf(total)}` },
        h(Money, { value: total, asset, profit: true }),
        h("small", {}, ` ${asset}`)
      ),
      h("p", { class: "ink2" }, h("span", { class: toneOf(total) }, trend(share)), " against holding")
    ),
    h(
      "dl",
      { class: "three" },
      h(Figures, {
        of: [
          ["Grid profit", h(Money, { value: gridProfit, asset, profit: true })],
          ["Open profit", h(Money, { value: inventory, asset, profit: true })],
          ["Fees", h(Money, { value: `-${fees}`, asset })],
          ["Fills", String(fills)]
        ]
      })
    )
  ]
}

/** In quote: what open buys would pay, and what open sells would bring. */
const inOrders = (slots: ReadonlyArray<SlotView>): number =>
  slots.reduce((total, { filled, price, quantity, state }) => {
    const open = 1 - Number.parseFloat(filled || "0") / 100
    return state === "empty" || price === "" ? total : total + Number(price) * Number.parseFloat(quantity) * open
  }, 0)

const Budget = ({ name, market }: Strategy) => {
  const budget = Number(Store.profit.value?.strategies.find(({ strategy }) => strategy === name)?.held ?? 0)
  if (budget === 0) return null
  const used = inOrders(Store.slotsOf(name))
  const share = Math.min(1, used / budget)
  const whole = (value: number) => cents(value.toFixed(2)).replace(/\.\d+$/, "")
  return h(
    "div",
    { class: "gauge" },
    h(
      "div",
      { class: "l" },
      h("span", {}, "Budget in orders"),
      h("b", {}, `${whole(used)} of ${whole(budget)} ${Store.quoteOf(market)}`)
    ),
    h("div", { class: "track" }, h("i", { style: { width: `${share * 100}%` } }))
  )
}

/** The open order that is nearest to the price fills first. */
const Next = ({ name, paused, slots }: Strategy) => {
  const own = Store.slotsOf(name)
  const open = own.filter(({ distance, state }) => distance !== null && state === "open")
  const [next] = open.toSorted((a, b) => Math.abs(a.distance ?? 0) - Math.abs(b.distance ?? 0))
  if (next !== undefined) {
    const away = percent(Math.abs(next.distance ?? 0)).replace("+", "")
    const what = `${next.side === "BUY" ? "buys" : "sells"} ${next.quantity} at ${price(next.price)}`
    return h("p", { title: next.why }, "Next: ", h("b", {}, what), `, ${away} away`)
  }
  if (paused !== null) return h("p", {}, `Paused by ${paused.by}: ${paused.reason}`)
  const waiting = own.find(({ state }) => state !== "empty") ?? own[0]
  if (waiting === undefined) return h("p", {}, slots === 0 ? "It has not decided yet." : "It has no order.")
  return h(
    "p",
    { title: waiting.why },
    h("b", {}, `${waiting.slot.split("/")[1] ?? ""} ${waiting.state}: `),
    waiting.why
  )
}

const Buttons = ({ kind, name, paused }: Strategy) => {
  if (kind === "") return null
  const { drain, pause, resume } = operatorCommands
  const button = (label: string, isAllowed: boolean, onClick: () => void, style = "") =>
    h(Button, { label, name: `${label} ${name}`, isAllowed, onClick, style: `sm ${style}` })
  return [
    paused === null
      ? button(pause.title, Store.may(pause.role), () => agree("pause", { strategy: name }))
      : button(resume.title, Store.may(resume.role), () => command("resume", { strategy: name })),
    button(drain.title, Store.may(drain.role), () => agree("drain", { strategy: name }), "quiet")
  ]
}

const Card = (strategy: Strategy) => {
  const { kind, market, name } = strategy
  const isSelected = Store.selected.value?.name === name
  return h(
    "article",
    { class: `card strat ${isSelected ? "on" : ""}` },
    h(
      "div",
      { class: "top" },
      h(
        "div",
        {},
        h(
          "h3",
          {},
          h(
            "button",
            { type: "button", "aria-pressed": isSelected ? "true" : "false", onClick: () => Store.select(name) },
            name
          )
        ),
        h("p", { class: "kind" }, [spoken(kind), market].filter(Boolean).join(" · "))
      ),
      h(ChipOf, strategy)
    ),
    h(Profit, strategy),
    h(Budget, strategy),
    h("div", { class: "next" }, h(Next, strategy), h(Buttons, strategy))
  )
}

/** Arrow keys move between cards. */
const onKeyDown = (event: KeyboardEvent): void => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  const { currentTarget, target } = event
  if (step === undefined || !(currentTarget instanceof HTMLElement) || !(target instanceof HTMLElement)) return
  const cards = [...currentTarget.querySelectorAll<HTMLButtonElement>("h3 button")]
  const next = cards[cards.findIndex((card) => card.contains(target)) + step]
  if (target.closest("h3") === null || next === undefined) return
  event.preventDefault()
  next.focus()
  next.click()
}

export const Strategies = () => {
  const all = Store.strategies.value
  return h(
    "section",
    { class: "wide", "aria-labelledby": "t-strategies", onKeyDown },
    h("h2", { class: "vh", id: "t-strategies" }, "Strategies"),
    all.length === 0
      ? h(
          "div",
          { class: "card" },
          h(Empty, { title: "No strategy runs" }, "Add a strategy file to the bot's folder, or: limitbot init")
        )
      : h(
          "div",
          { class: "strats", role: "group", "aria-label": "Strategies" },
          all.map((strategy) => h(Card, { key: strategy.name, ...strategy }))
        )
  )
}
