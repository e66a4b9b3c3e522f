/** All that the page knows of the bot, as signals: its answers, the connection, and the choices of the reader. */
import { computed, signal } from "@preact/signals"
import { mayAs, type TokenRole } from "../../control/api/OperatorCommands.ts"
import type { OrderStanding } from "../../control/api/Order.ts"
import type { Book } from "../../views/Book.ts"
import type { Candles } from "../../views/Candles.ts"
import type { Lines } from "../../views/Events.ts"
import type { FillView } from "../../views/Fills.ts"
import type { Money } from "../../views/Money.ts"
import type { ProblemView } from "../../views/Problems.ts"
import type { Profit } from "../../views/Profit.ts"
import type { Slots, SlotView } from "../../views/Slots.ts"
import type { Status } from "../../views/Status.ts"
import { age, countText } from "./format.ts"
import type { ChipKind } from "./parts.ts"

export type Link = "live" | "gone" | "refused"

export const status = signal<Status | undefined>(undefined)
export const slots = signal<typeof Slots.Type | undefined>(undefined)
export const byHand = signal<ReadonlyArray<OrderStanding> | undefined>(undefined)
export const profit = signal<typeof Profit.Type | undefined>(undefined)
export const money = signal<typeof Money.Type | undefined>(undefined)
export const book = signal<typeof Book.Type | undefined>(undefined)
export const candles = signal<typeof Candles.Type | undefined>(undefined)
export const events = signal<typeof Lines.Type | undefined>(undefined)
/** In the order in which the bot saw them: after a restart it can see older fills of one order after newer fills of another. */
export const fills = signal<ReadonlyArray<FillView> | undefined>(undefined)

export const link = signal<Link>("gone")
export const heardAt = signal(0)
/** Milliseconds that the bot's clock is ahead of ours, so that ages are right on another machine. */
export const skew = signal(0)
export const now = (): number => Date.now() + skew.value
/** The bot's time, updated once a second, for ages. */
export const second = signal(Date.now())

export const search = signal("")
/** The strategy in the address, still encoded. */
const address = signal("")

const storedChoice = (key: string, usual: string) => {
  const value = signal(localStorage.getItem(key) ?? usual)
  const keep = (choice: string): void => {
    localStorage.setItem(key, choice)
    value.value = choice
  }
  return { value, keep, isKept: localStorage.getItem(key) !== null }
}
export const timeframe = storedChoice("limitbot-candles", "1m")
export const range = storedChoice("limitbot-range", "all")

export const may = (needed: TokenRole): boolean =>
  link.value === "live" && status.value !== undefined && mayAs(status.value.role, needed)

export type Strategy = Status["strategies"][number]

/** A strategy that no file names any more is listed while a slot of it has an order. */
export const strategies = computed<ReadonlyArray<Strategy>>(() => {
  const running = status.value?.strategies ?? []
  const names = new Set(running.map(({ name }) => name))
  const slotsByStrategy = Map.groupBy(
    (slots.value?.slots ?? []).filter(({ strategy }) => !names.has(strategy)),
    ({ strategy }) => strategy
  )
  return [
    ...running,
    ...[...slotsByStrategy].map(([name, of]) => ({
      name,
      kind: "",
      file: "",
      market: of[0]?.market ?? "",
      paused: null,
      openOrders: of.length,
      slots: of.length,
      decidedAt: 0,
      next: [],
      levels: []
    }))
  ]
})

const isAt = (place: string) => (strategy: Strategy) => encodeURIComponent(strategy.name) === place
export const selected = computed(() => strategies.value.find(isAt(address.value)) ?? strategies.value[0])
export const selectedName = computed(() => selected.value?.name ?? "")
export const market = computed(() => selected.value?.market ?? status.value?.prices[0]?.market ?? "")
export const baseOf = (name: string): string => name.split("/")[0] ?? ""
/** True for the strategy that keeps a market's orders by hand. */
export const isByHand = (strategy: string): boolean => strategy.startsWith("by-hand-")
/** The slot's name without the strategy's. */
export const nameOf = (slot: string): string => slot.split("/")[1] ?? slot
export const quoteOf = (name: string): string => name.split("/")[1] ?? ""
export const priceOf = (name: string) => status.value?.prices.find((each) => each.market === name)
export const priceNow = computed(() => priceOf(market.value))
/** The lowest and the highest price at which a grid trades. */
export const rangeOf = ({ levels }: Strategy): { readonly low: number; readonly high: number } | undefined => {
  const [low, high] = ["range-low", "range-high"].map((kind) => levels.find((level) => level.kind === kind)?.price)
  return low === undefined || high === undefined ? undefined : { low: Number(low), high: Number(high) }
}
/** A slot without an order is idle in every text. */
export const stateOf = ({ state }: SlotView): string => (state === "empty" ? "idle" : state)
export const slotsOf = (strategy: string): ReadonlyArray<SlotView> =>
  slots.value?.slots.filter((slot) => slot.strategy === strategy) ?? []

export const fillsOf = (strategy: string): ReadonlyArray<FillView> =>
  fills.value?.filter(({ slot }) => slot.startsWith(`${strategy}/`)) ?? []

export const select = (strategy: string): void => {
  address.value = encodeURIComponent(strategy)
  history.replaceState(null, "", `#${address.value}`)
}
/** Other links of the page, such as that to its warnings, select nothing. */
export const selectByAddress = (): void => {
  const place = location.hash.slice(1)
  if (status.value === undefined || strategies.value.some(isAt(place))) address.value = place
}

export const problems = computed<ReadonlyArray<ProblemView>>(() => status.value?.problems ?? [])
/** The one reason for which every strategy is paused. The banner has it, so the list of problems leaves it out. */
export const pausedText = computed(() => {
  const pauses = new Set(problems.value.flatMap(({ kind, text }) => (kind.startsWith("paused") ? [text] : [])))
  return state.value.kind === "paused" && pauses.size === 1 ? [...pauses][0] : undefined
})
export const problemKinds = computed(() => {
  const listed = problems.value.filter(({ text }) => text !== pausedText.value)
  return [...Map.groupBy(listed, ({ kind }) => kind).values()]
})

export const isPaused = computed(() => {
  const running = status.value?.strategies ?? []
  return running.length > 0 && running.every(({ paused }) => paused !== null)
})
export const isKilled = computed(
  () => (status.value?.killSwitch ?? null) !== null || problems.value.some(({ kind }) => kind === "kill-switch")
)

/** A page that has just opened may need some seconds. */
const patienceMillis = 5_000
export const isLost = computed(
  () => link.value !== "live" && (heardAt.value > 0 || (second.value > 0 && performance.now() > patienceMillis))
)

/** The worst state wins; warnings stand beside it. */
export const state = computed<{ readonly kind: ChipKind; readonly text: string; readonly detail: string }>(() => {
  const { leaving = null, mode = "" } = status.value ?? {}
  if (isLost.value)
    return { kind: "gone", text: "DISCONNECTED", detail: heardAt.value === 0 ? "" : age(second.value - heardAt.value) }
  if (status.value === undefined) return { kind: "stopping", text: "CONNECTING", detail: "" }
  if (isKilled.value) return { kind: "killed", text: "KILLED", detail: "" }
  if (leaving !== null) return { kind: "stopping", text: "STOPPING", detail: leaving }
  if (isPaused.value) return { kind: "paused", text: "PAUSED", detail: "" }
  return { kind: "live", text: mode.toUpperCase(), detail: "" }
})

/** Counts kinds of problem: 65 equal ones are one warning. */
export const trouble = computed(() => {
  const alarms = problemKinds.value.filter(([first]) => first?.severity === "alarm").length
  if (alarms > 0) return countText(alarms, "alarm")
  return problemKinds.value.length === 0 ? "" : countText(problemKinds.value.length, "warning")
})
