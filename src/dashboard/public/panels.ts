/** The tables of the page: slots, fills, money, events, problems. Each is drawn from one answer of the API. */
import { mayAs, operatorCommands, type TokenRole } from "../../control/api/OperatorCommands.ts"
import type { LineView } from "../../views/Events.ts"
import type { FillView } from "../../views/Fills.ts"
import type { Money } from "../../views/Money.ts"
import type { ProblemView } from "../../views/Problems.ts"
import type { Profit } from "../../views/Profit.ts"
import type { SlotView } from "../../views/Slots.ts"
import type { Status } from "../../views/Status.ts"
import { byId, count, h, show, table } from "./dom.ts"
import { age, cents, clock, decimal, gain, percent, price, spoken, stamp, sum } from "./format.ts"

export const money = (text: string | null, asset: string, how = cents): HTMLElement | string =>
  text === null ? "" : h("span", { title: `${decimal(text)} ${asset}`.trim() }, how(text))

const exact = (text: string): HTMLElement => h("span", { title: decimal(text) }, price(text))

const toneOf = (text: string | null): string =>
  text === null || /^0\.0+$/.test(cents(text)) ? "" : text.startsWith("-") ? "sell" : "buy"

export const figure = (label: string, value: HTMLElement | string, tone = ""): HTMLElement =>
  h("div", {}, h("span", { class: "label" }, label), h("b", { class: tone }, value))

export const showStandings = ({ standings, days }: typeof Profit.Type): void => {
  const element = byId("standings")
  element.hidden = standings.length === 0
  element.replaceChildren(
    ...standings.map(
      ({ asset, capital, earnedToday, fees, gridProfit, inventory, rounds, share, shareOfYear, since, total }) =>
        h(
          "div",
          { class: "figures row" },
          figure(`Profit, ${asset}`, money(total, asset, gain), toneOf(total)),
          figure("Return", share === null ? "–" : percent(share), toneOf(total)),
          figure("Grid profit", money(gridProfit, asset, gain), toneOf(gridProfit)),
          figure("Inventory", money(inventory, asset, gain), toneOf(inventory)),
          figure("Fees", money(fees, asset)),
          figure("Earned today", money(earnedToday, asset, gain), toneOf(earnedToday)),
          // If one slot buys and another sells, rounds are not counted; that is not zero.
          ...(rounds === 0 ? [] : [figure("Rounds", String(rounds))]),
          figure("APR", shareOfYear === null ? "after 24 h" : percent(shareOfYear)),
          figure("Capital", capital === null ? "–" : money(capital, asset)),
          figure("Since", since === null ? "–" : `${stamp(since).slice(0, 16)} UTC`)
        )
    )
  )
  showDays(days)
}

const mostDays = 60

type Day = (typeof Profit.Type)["days"][number]

const showDays = (days: ReadonlyArray<Day>): void => {
  byId("profit-days").hidden = days.length === 0
  show(
    "profit-days",
    table<Day>(
      [
        { title: "Day (UTC)", class: "mono", cell: ({ day }) => day },
        {
          title: "Earned",
          number: true,
          cell: ({ asset, earned }) => money(earned, asset, gain),
          tone: ({ earned }) => toneOf(earned)
        },
        { title: "Rounds", number: true, cell: ({ rounds }) => (rounds === 0 ? "–" : rounds) },
        { title: "", class: "soft", cell: ({ asset }) => asset }
      ],
      days.slice(-mostDays).reverse()
    )
  )
}

export interface SlotActions {
  readonly explain: (slot: string) => void
  readonly cancel: (slot: string) => void
  readonly mayCommand: boolean
}

const quoteOf = (market: string): string => market.split("/")[1] ?? ""

const mostSlots = 400

const rank = ({ distance, state, tone }: SlotView): number =>
  tone === "alarm" ? -2 : state === "empty" ? 2 : state === "open" ? Math.min(1.9, Math.abs(distance ?? 0)) : -1

export const showSlots = (slots: ReadonlyArray<SlotView>, now: number, actions: SlotActions): void => {
  const byState = Map.groupBy(slots, ({ state }) => state)
  count("t-slots", [...byState].map(([state, of]) => `${of.length} ${state}`).join(" · "))
  const visibleSlots = [...slots].sort((a, b) => rank(a) - rank(b)).slice(0, mostSlots)
  if (visibleSlots.length === 0) return show("slots", h("p", { class: "empty" }, "No strategy has decided yet."))
  show(
    "slots",
    table<SlotView>(
      [
        {
          title: "Slot",
          cell: ({ slot }) =>
            h(
              "button",
              { type: "button", class: "link-button", title: `Explain ${slot}`, click: () => actions.explain(slot) },
              slot
            )
        },
        { title: "Side", cell: ({ side }) => side, tone: ({ side }) => (side === "BUY" ? "buy" : "sell") },
        { title: "Price", number: true, cell: (slot) => (slot.price === "" ? "" : exact(slot.price)) },
        { title: "Away", number: true, cell: ({ distance }) => (distance === null ? "" : percent(distance)) },
        { title: "Quantity", number: true, optional: true, cell: ({ quantity }) => quantity },
        { title: "Filled", number: true, cell: ({ filled }) => (filled === "0 %" ? "" : filled) },
        { title: "State", cell: ({ state }) => state, tone: ({ tone }) => (tone === "alarm" ? "alarm" : "") },
        { title: "Age", number: true, cell: ({ since }) => (since === null ? "" : age(now - since)) },
        { title: "Trades", number: true, optional: true, cell: ({ legs }) => legs || "" },
        {
          title: "Earned",
          number: true,
          cell: ({ earned, market }) => money(earned, quoteOf(market), gain),
          tone: ({ earned }) => toneOf(earned)
        },
        {
          title: "Inventory",
          number: true,
          optional: true,
          cell: ({ inventory, market }) => money(inventory, quoteOf(market), gain),
          tone: ({ inventory }) => toneOf(inventory)
        },
        { title: "Why", class: "why", cell: ({ why }) => h("span", { title: why }, why) },
        {
          title: "",
          cell: ({ slot, state }) =>
            actions.mayCommand && state !== "empty" && state !== "frozen" && state !== "cancelling"
              ? h(
                  "button",
                  { type: "button", class: "small", "aria-label": `Cancel ${slot}`, click: () => actions.cancel(slot) },
                  "✕"
                )
              : ""
        }
      ],
      visibleSlots,
      ({ tone }) => (tone === "alarm" || tone === "quiet" ? tone : "")
    )
  )
}

const mostFills = 200

const byOrder = (fills: ReadonlyArray<FillView>): ReadonlyArray<FillView & { readonly parts: number }> =>
  [...Map.groupBy(fills.toReversed(), ({ placement }) => placement).values()].flatMap((parts) => {
    const [last] = parts
    if (last === undefined) return []
    const [paid, received] = [sum(parts.map((fill) => fill.paid)), sum(parts.map((fill) => fill.received))]
    // The price comes from the exchanged amounts, because an order's limit is only its bound.
    const at = last.side === "BUY" ? Number(paid) / Number(received) : Number(received) / Number(paid)
    const averagePrice = Number.isFinite(at) ? at.toFixed(12) : last.price
    return [{ ...last, paid, received, price: averagePrice, parts: parts.length }]
  })

export const showFills = (fills: ReadonlyArray<FillView>, total: number): void => {
  count("t-fills", String(total))
  if (fills.length === 0) return show("fills", h("p", { class: "empty" }, "No fills yet."))
  show(
    "fills",
    table<FillView & { readonly parts: number }>(
      [
        { title: "Time", class: "mono", cell: ({ at }) => clock(at) },
        { title: "Side", cell: ({ side }) => side, tone: ({ side }) => (side === "BUY" ? "buy" : "sell") },
        { title: "Price", number: true, cell: (fill) => exact(fill.price) },
        { title: "Paid", number: true, cell: ({ paid, paidAsset }) => `${decimal(paid)} ${paidAsset}` },
        {
          title: "Received",
          number: true,
          cell: ({ received, receivedAsset }) => `${decimal(received)} ${receivedAsset}`
        },
        { title: "Slot", class: "soft", cell: ({ slot }) => slot },
        { title: "Parts", number: true, optional: true, cell: ({ parts }) => (parts === 1 ? "" : parts) }
      ],
      byOrder(fills.slice(-mostFills))
    )
  )
}

const words: Readonly<Record<string, string>> = {
  wallet: "free",
  "filled unpaid": "filled, payout pending",
  residual: "unexplained"
}

export const placeName = (place: string): string => words[place] ?? place

export const showMoney = ({ notCounted, places, rows }: typeof Money.Type): void => {
  const back = notCounted.map(({ amount, asset, strategy }) =>
    h(
      "p",
      { class: "empty" },
      `Not counted: ${decimal(amount)} ${asset} that ${strategy} returned to the account; it is not running`
    )
  )
  const assets = [...new Set(rows.map(({ asset }) => asset))]
  const amount = (place: string, asset: string) =>
    rows.find((row) => row.place === place && row.asset === asset)?.amount ?? "0"
  if (assets.length === 0) return show("money", h("p", { class: "empty" }, "No budget is allotted yet."), ...back)
  show(
    "money",
    table<string>(
      [
        { title: "Place", cell: placeName },
        ...assets.map((asset) => ({
          title: asset,
          number: true,
          cell: (place: string) => (amount(place, asset) === "0" ? "·" : decimal(amount(place, asset)))
        }))
      ],
      places,
      (place) => (place === "residual" && assets.some((asset) => amount(place, asset) !== "0") ? "alarm" : "")
    ),
    ...back
  )
}

export const showEvents = (lines: ReadonlyArray<LineView>): void => {
  const items = [...lines]
    .reverse()
    .map(({ at, subject, tag, text, weight }) =>
      h(
        "li",
        { class: weight !== "quiet" ? weight : text === "" ? "inner" : "", title: tag },
        h("time", { datetime: new Date(at).toISOString() }, clock(at)),
        h("span", { class: "subject" }, subject),
        h("span", {}, text === "" ? spoken(tag) : text)
      )
    )
  show(
    "events",
    items.length === 0 ? h("p", { class: "empty" }, "No matching events.") : h("ul", { class: "log" }, items)
  )
}

const remedies: Readonly<Record<string, { readonly title: string; readonly role: TokenRole }>> = {
  release: operatorCommands.release,
  resume: operatorCommands.resume,
  reconcile: { title: "Reconcile", role: "trader" },
  resolve: { title: "Resolve", role: "operator" }
}

const mostProblems = 60

export const showProblems = (
  problems: ReadonlyArray<ProblemView>,
  role: TokenRole,
  act: (problem: ProblemView) => void
): void => {
  const element = document.getElementById("problems")
  if (element === null) return
  element.hidden = problems.length === 0
  const stateKey = JSON.stringify([problems, role])
  if (element.dataset["shown"] === stateKey) return
  element.dataset["shown"] = stateKey
  const visibleProblems = problems.filter(({ kind }, index) => index < mostProblems || kind === "exit-refused")
  const hidden = problems.length - visibleProblems.length
  element.replaceChildren(
    ...visibleProblems.map((problem) => {
      const remedy = problem.command === null ? undefined : remedies[problem.command]
      return h(
        "div",
        { class: `problem ${problem.severity}` },
        h("b", {}, problem.subject),
        h("span", {}, problem.text),
        problem.since !== null && h("span", { class: "soft" }, `since ${clock(problem.since)}`),
        remedy !== undefined &&
          mayAs(role, remedy.role) &&
          h("button", { type: "button", class: "small", click: () => act(problem) }, remedy.title)
      )
    }),
    ...(hidden > 0 ? [h("div", { class: "problem" }, `and ${hidden} more: limitbot status`)] : [])
  )
}

export const showState = ({ leaving, mode, problems, strategies }: Status): void => {
  const element = byId("mode")
  const alarms = problems.filter(({ severity }) => severity === "alarm").length
  const isKilled = problems.some(({ kind }) => kind === "kill-switch")
  const isPaused = strategies.length > 0 && strategies.every(({ paused }) => paused !== null)
  const what = isKilled ? "killed" : (leaving ?? (isPaused ? "paused" : mode))
  const trouble =
    alarms > 0
      ? `${alarms} ${alarms === 1 ? "alarm" : "alarms"}`
      : problems.length > 0
        ? `${problems.length} ${problems.length === 1 ? "warning" : "warnings"}`
        : ""
  element.textContent = trouble === "" ? what : `${what} · ${trouble}`
  element.className = `badge ${alarms > 0 ? "alarm" : mode}`
}
