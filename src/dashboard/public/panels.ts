/** The tables of the page: slots, fills, money, events, problems. Each is drawn from one answer of the API. */
import { count, h, show, table } from "./dom.ts"
import { age, clock, decimal, percent, price, spoken } from "./format.ts"

export interface Slot {
  readonly slot: string
  readonly strategy: string
  readonly market: string
  readonly side: string
  readonly price: string
  readonly quantity: string
  readonly filled: string
  readonly state: string
  readonly since: number | null
  readonly distance: number | null
  readonly legs: number
  readonly earned: string | null
  readonly inventory: string | null
  readonly why: string
  readonly tone: "alarm" | "buy" | "sell" | "quiet"
}

export interface SlotActions {
  readonly explain: (slot: string) => void
  readonly cancel: (slot: string) => void
  readonly mayCommand: boolean
}

const mostSlots = 400

/** Trouble first, then what is on the move, then by the distance from the price. */
const rank = ({ distance, state, tone }: Slot): number =>
  tone === "alarm" ? -2 : state === "empty" ? 2 : state === "open" ? Math.min(1.9, Math.abs(distance ?? 0)) : -1

export const showSlots = (slots: ReadonlyArray<Slot>, now: number, actions: SlotActions): void => {
  const byState = Map.groupBy(slots, ({ state }) => state)
  count("t-slots", [...byState].map(([state, of]) => `${of.length} ${state}`).join(" · "))
  const shown = [...slots].sort((a, b) => rank(a) - rank(b)).slice(0, mostSlots)
  if (shown.length === 0) return show("slots", h("p", { class: "empty" }, "No strategy has said what it wants yet."))
  show(
    "slots",
    table<Slot>(
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
        { title: "Price", number: true, cell: (slot) => (slot.price === "" ? "" : price(slot.price)) },
        { title: "Away", number: true, cell: ({ distance }) => (distance === null ? "" : percent(distance)) },
        { title: "Quantity", number: true, optional: true, cell: ({ quantity }) => quantity },
        { title: "Filled", number: true, cell: ({ filled }) => (filled === "0 %" ? "" : filled) },
        { title: "State", cell: ({ state }) => state, tone: ({ tone }) => (tone === "alarm" ? "alarm" : "") },
        { title: "For", number: true, cell: ({ since }) => (since === null ? "" : age(now - since)) },
        { title: "Legs", number: true, optional: true, cell: ({ legs }) => legs || "" },
        {
          title: "Earned",
          number: true,
          cell: ({ earned }) => (earned === null ? "" : decimal(earned, 2)),
          tone: ({ earned }) => (earned === null ? "" : earned.startsWith("-") ? "sell" : "buy")
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
      shown,
      ({ tone }) => (tone === "alarm" || tone === "quiet" ? tone : "")
    )
  )
}

export interface Fill {
  readonly sequence: number
  readonly at: number
  readonly slot: string
  readonly market: string
  readonly side: string
  readonly price: string
  readonly paid: string
  readonly paidAsset: string
  readonly received: string
  readonly receivedAsset: string
}

const mostFills = 200

export const showFills = (fills: ReadonlyArray<Fill>, total: number): void => {
  count("t-fills", String(total))
  if (fills.length === 0) return show("fills", h("p", { class: "empty" }, "No fills yet."))
  show(
    "fills",
    table<Fill>(
      [
        { title: "Time", class: "mono", cell: ({ at }) => clock(at) },
        { title: "Side", cell: ({ side }) => side, tone: ({ side }) => (side === "BUY" ? "buy" : "sell") },
        { title: "Price", number: true, cell: (fill) => price(fill.price) },
        { title: "Paid", number: true, cell: ({ paid, paidAsset }) => `${decimal(paid)} ${paidAsset}` },
        {
          title: "Received",
          number: true,
          cell: ({ received, receivedAsset }) => `${decimal(received)} ${receivedAsset}`
        },
        { title: "Slot", class: "soft", cell: ({ slot }) => slot }
      ],
      fills.slice(-mostFills).reverse()
    )
  )
}

export interface Money {
  readonly places: ReadonlyArray<string>
  readonly rows: ReadonlyArray<{ readonly asset: string; readonly place: string; readonly amount: string }>
}

const words: Readonly<Record<string, string>> = {
  wallet: "free",
  "filled unpaid": "filled, payout pending",
  residual: "unexplained"
}

export const showMoney = ({ places, rows }: Money): void => {
  const assets = [...new Set(rows.map(({ asset }) => asset))]
  const amount = (place: string, asset: string) =>
    rows.find((row) => row.place === place && row.asset === asset)?.amount ?? "0"
  if (assets.length === 0) return show("money", h("p", { class: "empty" }, "No budget is allotted yet."))
  show(
    "money",
    table<string>(
      [
        { title: "Place", cell: (place) => words[place] ?? place },
        ...assets.map((asset) => ({
          title: asset,
          number: true,
          cell: (place: string) => (amount(place, asset) === "0" ? "·" : decimal(amount(place, asset)))
        }))
      ],
      places,
      (place) => (place === "residual" && assets.some((asset) => amount(place, asset) !== "0") ? "alarm" : "")
    )
  )
}

export interface Line {
  readonly sequence: number
  readonly at: number
  readonly tag: string
  readonly subject: string
  readonly text: string
  readonly weight: "quiet" | "good" | "warn" | "alarm"
}

export const showEvents = (lines: ReadonlyArray<Line>): void => {
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
    items.length === 0 ? h("p", { class: "empty" }, "No event says that.") : h("ul", { class: "log" }, items)
  )
}

export interface Problem {
  readonly severity: "alarm" | "warn"
  readonly kind: string
  readonly subject: string
  readonly text: string
  readonly since: number | null
  readonly command: string | null
  readonly resolve: {
    readonly placement: string
    readonly words: ReadonlyArray<string>
    readonly evidence: string
  } | null
}

const labels: Readonly<Record<string, string>> = {
  release: "Release",
  resume: "Resume",
  reconcile: "Reconcile",
  resolve: "Resolve"
}

export const showProblems = (
  problems: ReadonlyArray<Problem>,
  mayCommand: boolean,
  act: (problem: Problem) => void
): void => {
  const element = document.getElementById("problems")
  if (element === null) return
  element.hidden = problems.length === 0
  const wanted = JSON.stringify([problems, mayCommand])
  if (element.dataset["shown"] === wanted) return
  element.dataset["shown"] = wanted
  element.replaceChildren(
    ...problems.slice(0, 12).map((problem) => {
      const label = problem.command === null ? undefined : labels[problem.command]
      return h(
        "div",
        { class: `problem ${problem.severity}` },
        h("b", {}, problem.subject),
        h("span", {}, problem.text),
        problem.since !== null && h("span", { class: "soft" }, `since ${clock(problem.since)}`),
        label !== undefined &&
          mayCommand &&
          h("button", { type: "button", class: "small", click: () => act(problem) }, label)
      )
    })
  )
}
