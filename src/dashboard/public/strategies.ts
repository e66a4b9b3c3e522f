/** Strategies as cards: profit, its parts, the budget in orders, the state, and the next order that can fill. One card is selected. */
import { h } from "preact"
import { operatorCommands } from "../../control/api/OperatorCommands.ts"
import type { SlotView } from "../../views/Slots.ts"
import { CommandButton, confirmPlan } from "./commands.ts"
import { age, brief, decimal, percent, shortPrice, spoken, toneOf, trend } from "./format.ts"
import { Button, type Child, Chip, type ChipKind, Empty, Figures, Money, Spark } from "./parts.ts"
import * as Store from "./store.ts"
import { b, div, dl, h2, h3, p, section, small, span } from "./tags.ts"

type Strategy = Store.Strategy

const profitOf = (name: string) => Store.profit.value?.strategies.find(({ strategy }) => strategy === name)

const stateOf = ({ kind, paused }: Strategy, problem: string | undefined): readonly [ChipKind, string] => {
  if (kind === "") return ["gone", "Not in a file"]
  if (Store.isLost.value) return ["gone", "No answer"]
  if (Store.isKilled.value) return ["killed", "Killed"]
  if (paused !== null) return ["paused", paused.action === "drain" ? "Drained" : "Paused"]
  return problem === undefined ? ["live", "Live"] : ["warn", spoken(problem)]
}

const Profit = ({ levels, market: ofCard, name }: Strategy) => {
  const own = profitOf(name)
  if (own === undefined) return p("dim", "No profit yet: its budget has no price.")
  const { asset, curve, fees, fills, gridProfit, held, inventory, total } = own
  const share = Number(held) === 0 ? 0 : Number(total) / Number(held)
  const profit = (value: string) => h(Money, { value, asset, profit: true })
  const figures = [
    ["Grid profit", profit(gridProfit)],
    ["Open profit", profit(inventory)],
    ["Fees", h(Money, { value: `-${fees}`, asset })],
    ["Fills", String(fills)]
  ] as const
  const breakEvens = levels
    .filter((level) => level.kind === "break-even")
    .map(
      ({ market, price }) => [market === ofCard ? "Breaks even" : `Breaks even, ${market}`, shortPrice(price)] as const
    )
  return [
    div(
      "pnl",
      div(
        "",
        p(`big ${toneOf(total)}`, profit(total), small("", ` ${asset}`)),
        p("ink2", span(toneOf((share * 100).toFixed(2)), trend(share)), " against holding")
      ),
      h(Spark, { of: curve })
    ),
    dl("three", h(Figures, { of: [...figures, ...breakEvens] }))
  ]
}

const gauge = (name: string, text: string, track: Child) => div("gauge", div("l", span("", name), b("", text)), track)

/** In quote: what open buys would pay, and what open sells would bring. */
const inOrders = (slots: ReadonlyArray<SlotView>): number =>
  slots.reduce((total, { filled, price, quantity, state }) => {
    const open = 1 - Number.parseFloat(filled || "0") / 100
    return state === "empty" || price === "" ? total : total + Number(price) * Number.parseFloat(quantity) * open
  }, 0)

const Budget = ({ name, market }: Strategy) => {
  const budget = Number(profitOf(name)?.held ?? 0)
  if (budget === 0) return null
  const used = inOrders(Store.slotsOf(name))
  const width = `${Math.min(100, (used / budget) * 100)}%`
  const whole = (value: number) => decimal(value.toFixed(0))
  const text = `${whole(used)} of ${whole(budget)} ${Store.quoteOf(market)}`
  return gauge("Budget in orders", text, div("track", h("i", { style: { width } })))
}

const Range = (strategy: Strategy) => {
  const range = Store.rangeOf(strategy)
  const price = Number(Store.priceOf(strategy.market)?.mid ?? 0)
  if (range === undefined) return null
  const { high, low } = range
  const title = `Range ${shortPrice(String(low))} – ${shortPrice(String(high))}`
  const share = (price - low) / (high - low)
  const where =
    price === 0 ? "" : share < 0 ? "price below" : share > 1 ? "price above" : `price at ${shortPrice(String(price))}`
  const place = `${Math.max(0, Math.min(1, share)) * 100}%`
  const mark = price === 0 ? null : h("i", { style: { left: place } })
  return gauge(title, where, div("track range", mark))
}

const mostComing = 2

const Coming = ({ next }: Strategy) =>
  next.slice(0, mostComing).map(({ at, slot, text }) => {
    const subject = [slot, at !== null && `in ${age(at - Store.second.value)}`].filter(Boolean).join(" ")
    return p("", b("", subject && `${subject}: `), brief(text))
  })

/** The open order that is nearest to the price fills first. */
const Nearest = ({ name, next: coming, paused, slots }: Strategy) => {
  const own = Store.slotsOf(name)
  const open = own.filter(({ distance, state }) => distance !== null && state === "open")
  const [next] = open.toSorted((a, b) => Math.abs(a.distance ?? 0) - Math.abs(b.distance ?? 0))
  if (next !== undefined) {
    const away = percent(Math.abs(next.distance ?? 0)).replace("+", "")
    const what = `${next.side === "BUY" ? "buys" : "sells"} ${next.quantity} at ${shortPrice(next.price)}`
    return p({ title: brief(next.why) }, "Next: ", b("", what), ", ", span("num", `${away} away`))
  }
  if (paused !== null) return p("", `Paused by ${paused.by}: ${brief(paused.reason)}`)
  const waiting = own.find(({ state }) => state !== "empty") ?? own[0]
  if (coming.length > 0) return null
  if (waiting === undefined) return p("", slots === 0 ? "It has not decided yet." : "It has no order.")
  const why = brief(waiting.why)
  return p({ title: why }, b("", `${Store.nameOf(waiting.slot)} ${Store.stateOf(waiting)}: `), why)
}

const Buttons = ({ kind, name, paused }: Strategy) => {
  const command = paused === null ? "pause" : "resume"
  const label = span("", operatorCommands[command].title, span("vh", ` ${name}`))
  const close = {
    label: "Close…",
    name: `Close ${name}`,
    onClick: () => confirmPlan(`Close ${name}`, "close", { strategy: name }),
    style: "quiet sm"
  }
  return kind === ""
    ? null
    : [
        h(CommandButton, { name: command, payload: { strategy: name }, label, style: "sm" }),
        h(Button, { ...close, isAllowed: Store.may("operator") })
      ]
}

const Card = (strategy: Strategy) => {
  const { kind, market, name } = strategy
  const isSelected = Store.selectedName.value === name
  const pressed = isSelected ? "true" : "false"
  const title = h("button", { type: "button", "aria-pressed": pressed, onClick: () => Store.select(name) }, name)
  const problem = Store.problems.value.find(({ subject }) => subject === name || subject.startsWith(`${name}/`))
  const [chip, state] = stateOf(strategy, problem?.kind)
  const what = p("kind", [Store.isByHand(name) ? "Orders by hand" : spoken(kind), market].filter(Boolean).join(" · "))
  return h(
    "article",
    { class: `card strat ${isSelected ? "on" : ""}` },
    div(
      "top",
      div("", h3("", title), what),
      span({ class: "push", title: brief(problem?.text ?? "") }, h(Chip, { kind: chip, style: "sm" }, state))
    ),
    h(Profit, strategy),
    h(Budget, strategy),
    h(Range, strategy),
    div("next", div("", h(Nearest, strategy), h(Coming, strategy)), h(Buttons, strategy))
  )
}

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
  const cards = Store.strategies.value.map((strategy) => h(Card, { key: strategy.name, ...strategy }))
  return section(
    { class: "wide", "aria-labelledby": "t-strategies", onKeyDown },
    h2({ class: "vh", id: "t-strategies" }, "Strategies"),
    cards.length === 0
      ? div("card", h(Empty, { title: "No strategy runs" }, "Add a strategy file to the bot's folder: limitbot init"))
      : div({ class: "strats", role: "group", "aria-labelledby": "t-strategies" }, cards)
  )
}
