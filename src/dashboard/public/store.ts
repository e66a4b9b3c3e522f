/** All that the page knows of the bot, as signals: its answers, the connection, and the choices of the reader. */
import { computed, signal } from "@preact/signals"
import { mayAs, type TokenRole } from "../../control/api/OperatorCommands.ts"
import type { Book } from "../../views/Book.ts"
import type { Candles } from "../../views/Candles.ts"
import type { LineView } from "../../views/Events.ts"
import type { FillView } from "../../views/Fills.ts"
import type { Money } from "../../views/Money.ts"
import type { ProblemView } from "../../views/Problems.ts"
import type { Profit } from "../../views/Profit.ts"
import type { Slots, SlotView } from "../../views/Slots.ts"
import type { Status } from "../../views/Status.ts"
import { age, counted } from "./format.ts"
import type { ChipKind } from "./parts.ts"

export type Link = "live" | "gone" | "refused"

export const status = signal<Status | undefined>(undefined)
export const slots = signal<typeof Slots.Type | undefined>(undefined)
export const profit = signal<typeof Profit.Type | undefined>(undefined)
export const money = signal<typeof Money.Type | undefined>(undefined)
export const book = signal<typeof Book.Type | undefined>(undefined)
export const candles = signal<typeof Candles.Type | undefined>(undefined)
export const events = signal<ReadonlyArray<LineView> | undefined>(undefined)
/** In the order in which the bot saw them: after a restart it can see older fills of one order after newer fills of another. */
export const fills = signal<ReadonlyArray<FillView> | undefined>(undefined)

export const link = signal<Link>("gone")
export const heardAt = signal(0)
/** Milliseconds that the bot's clock is ahead of ours, so that ages are right on another machine. */
export const skew = signal(0)
export const now = (): number => Date.now() + skew.value
/** The time of the bot once a second, for ages. */
export const second = signal(Date.now())

export const search = signal("")
const named = signal("")

const kept = (key: string, usual: string) => {
  const value = signal(localStorage.getItem(key) ?? usual)
  const keep = (choice: string): void => {
    localStorage.setItem(key, choice)
    value.value = choice
  }
  return { value, keep, isKept: localStorage.getItem(key) !== null }
}
export const timeframe = kept("limitbot-candles", "1m")
export const range = kept("limitbot-range", "all")

export const may = (needed: TokenRole): boolean =>
  link.value === "live" && status.value !== undefined && mayAs(status.value.role, needed)

export type Strategy = Status["strategies"][number]

/** A strategy that no file names any more is listed while a slot of it has an order. */
export const strategies = computed<ReadonlyArray<Strategy>>(() => {
  const running = status.value?.strategies ?? []
  const names = new Set(running.map(({ name }) => name))
  const left = Map.groupBy(
    (slots.value?.slots ?? []).filter(({ strategy }) => !names.has(strategy)),
    ({ strategy }) => strategy
  )
  return [
    ...running,
    ...[...left].map(([name, of]) => ({
      name,
      kind: "",
      file: "",
      market: of[0]?.market ?? "",
      paused: null,
      openOrders: of.length,
      slots: of.length,
      decidedAt: 0
    }))
  ]
})

export const selected = computed(() => strategies.value.find(({ name }) => name === named.value) ?? strategies.value[0])
export const market = computed(() => selected.value?.market ?? status.value?.prices[0]?.market ?? "")
export const baseOf = (name: string): string => name.split("/")[0] ?? ""
export const quoteOf = (name: string): string => name.split("/")[1] ?? ""
export const priceNow = computed(() => status.value?.prices.find((each) => each.market === market.value))
export const slotsOf = (strategy: string): ReadonlyArray<SlotView> =>
  slots.value?.slots.filter((slot) => slot.strategy === strategy) ?? []

export const select = (strategy: string): void => {
  named.value = strategy
  history.replaceState(null, "", `#${encodeURIComponent(strategy)}`)
}
export const selectByAddress = (): void => {
  named.value = decodeURIComponent(location.hash.slice(1))
}

export const problems = computed<ReadonlyArray<ProblemView>>(() => status.value?.problems ?? [])
export const problemKinds = computed(() => [...Map.groupBy(problems.value, ({ kind }) => kind).values()])

export const isPaused = computed(() => {
  const running = status.value?.strategies ?? []
  return running.length > 0 && running.every(({ paused }) => paused !== null)
})
export const isKilled = computed(
  () => (status.value?.killSwitch ?? null) !== null || problems.value.some(({ kind }) => kind === "kill-switch")
)

/** The worst state wins; warnings stand beside it. */
export const state = computed<{ readonly kind: ChipKind; readonly text: string; readonly detail: string }>(() => {
  const { leaving = null, mode = "" } = status.value ?? {}
  if (link.value !== "live")
    return { kind: "gone", text: "DISCONNECTED", detail: heardAt.value === 0 ? "" : age(second.value - heardAt.value) }
  if (isKilled.value) return { kind: "killed", text: "KILLED", detail: "" }
  if (leaving !== null) return { kind: "stopping", text: "STOPPING", detail: leaving }
  if (isPaused.value) return { kind: "paused", text: "PAUSED", detail: "" }
  return { kind: "live", text: mode.toUpperCase(), detail: "" }
})

/** Counts kinds of problem: 65 equal ones are one warning. */
export const trouble = computed(() => {
  const alarms = problemKinds.value.filter(([first]) => first?.severity === "alarm").length
  if (alarms > 0) return counted(alarms, "alarm")
  return problemKinds.value.length === 0 ? "" : counted(problemKinds.value.length, "warning")
})
