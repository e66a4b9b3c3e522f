/**
 * What a person sees while the bot runs and with `status`: prices with their age, every slot with what it holds and why, the
 * money by place, and the last events. A pure function of the state; whoever calls it decides where the lines go.
 */
import type { Recorded } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import type { TwoSidedPrice } from "../domain/Market.ts"
import {
  type BotState,
  filledBase,
  type Placement,
  type StrategyState,
  slotKey,
  unfinished
} from "../engine/BotState.ts"
import { describe, type Weight } from "../report/EventLine.ts"
import * as Money from "../report/Money.ts"
import * as Table from "../report/Table.ts"

export interface ScreenInput {
  readonly title: string
  /** Said on every screen, such as "DRY RUN: nothing is created or signed". */
  readonly warning: string | undefined
  readonly state: BotState
  readonly assets: Money.Assets
  readonly prices: ReadonlyMap<string, TwoSidedPrice>
  readonly recent: ReadonlyArray<Recorded>
  readonly now: number
  readonly colours: boolean
  /** Most slots shown; the rest is counted. */
  readonly slots: number
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

const paint = (colours: boolean, colour: keyof typeof codes, text: string): string =>
  colours ? `\u001B[${codes[colour]}m${text}\u001B[0m` : text

export const frame = (input: ScreenInput): ReadonlyArray<string> => {
  const { colours, state } = input
  const head = paint(colours, "bold", input.title)
  const warnings = [
    ...(input.warning === undefined ? [] : [input.warning]),
    ...(state.killed === undefined ? [] : [`KILL SWITCH: ${state.killed}`]),
    ...(state.venueDownSince === undefined
      ? []
      : [`The venue does not answer since ${age(input.now - state.venueDownSince)}; resting orders stay as they are`])
  ]
  return [
    head,
    ...warnings.map((warning) => paint(colours, "yellow", warning)),
    ...[...input.prices].map(([market, price]) => priceLine(market, price, input.now)),
    "",
    ...slotLines(input),
    "",
    ...Money.table(state.ledger, input.assets).map((line, index) => (index === 0 ? paint(colours, "dim", line) : line)),
    "",
    ...input.recent.flatMap((recorded) => eventLines(recorded, input.assets, colours))
  ]
}

const priceLine = (market: string, price: TwoSidedPrice, now: number): string =>
  `${market}  bid ${significant(price.bid)}  ask ${significant(price.ask)}  (${age(now - price.at)} old)`

/** Eight digits: a price to read, not to calculate with. */
const significant = (price: Decimal.Decimal): string => Decimal.format(Decimal.fromNumber(Decimal.toNumber(price), 8))

export const age = (millis: number): string => {
  const seconds = Math.max(0, millis) / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}

const slotLines = ({ state, assets, colours, slots }: ScreenInput): ReadonlyArray<string> => {
  const rows = slotRows(state, assets)
  const shown = rows.slice(0, slots)
  const table = Table.render(
    [
      { title: "SLOT" },
      { title: "SIDE" },
      { title: "PRICE", align: "right" },
      { title: "QUANTITY", align: "right" },
      { title: "FILLED", align: "right" },
      { title: "STATE" },
      { title: "LEGS", align: "right" },
      { title: "WHY" }
    ],
    shown.map(({ cells }) => cells)
  )
  const [header = "", ...lines] = table
  const painted = lines.map((line, index) => paint(colours, shown[index]?.colour ?? "dim", line))
  const rest = rows.length - shown.length
  return [paint(colours, "dim", header), ...painted, ...(rest > 0 ? [`… and ${rest} more slots`] : [])]
}

interface SlotRow {
  readonly cells: ReadonlyArray<string>
  readonly colour: keyof typeof codes
}

const slotRows = (state: BotState, assets: Money.Assets): ReadonlyArray<SlotRow> => {
  const live = new Map(unfinished(state).map((placement) => [slotKey(placement.strategy, placement.slot), placement]))
  const keys = new Set([...[...state.strategies.values()].flatMap((strategy) => namedSlots(strategy)), ...live.keys()])
  return [...keys].sort().map((key) => {
    const placement = live.get(key)
    const legs = String(state.slots.get(key)?.completedLegs ?? 0)
    return placement === undefined ? emptyRow(state, key, legs) : placementRow(placement, key, legs, assets)
  })
}

const namedSlots = (strategy: StrategyState): ReadonlyArray<string> => {
  const { decision } = strategy
  if (decision === undefined) return []
  return [...decision.desired, ...decision.absent].map(({ slot }) => slotKey(strategy.name, slot))
}

const placementRow = (placement: Placement, key: string, legs: string, assets: Money.Assets): SlotRow => {
  const base = placement.side === "SELL" ? placement.inputAsset : placement.outputAsset
  const state = placement.cancel === undefined ? placement.state : `${placement.state}, cancelling`
  const why = placement.contradiction ?? placement.cancel?.why.text ?? placement.why.text
  return {
    cells: [
      key,
      placement.side,
      Decimal.format(placement.price),
      Money.withSymbol(assets, base, placement.quantity),
      Money.amountText(assets, base, filledBase(placement)),
      state,
      legs,
      why
    ],
    colour: placement.contradiction !== undefined ? "red" : placement.side === "BUY" ? "green" : "cyan"
  }
}

const emptyRow = (state: BotState, key: string, legs: string): SlotRow => {
  const cut = key.indexOf("/")
  const strategy = state.strategies.get(key.slice(0, cut))
  const name = key.slice(cut + 1)
  const frozen = state.slots.get(key)?.frozen
  const absent = strategy?.decision?.absent.find(({ slot }) => slot === name)?.why.text
  const why = frozen ?? strategy?.refusals.get(name) ?? absent ?? "done"
  return {
    cells: [key, "", "", "", "", frozen === undefined ? "empty" : "frozen", legs, why],
    colour: frozen === undefined ? "dim" : "red"
  }
}

const colourOf: Readonly<Record<Weight, keyof typeof codes>> = {
  quiet: "dim",
  good: "green",
  warn: "yellow",
  alarm: "red"
}

/** "12:34:56.789  grid/cell-03  FILL …"; nothing for events that say nothing to a person. */
export const eventLines = (recorded: Recorded, assets: Money.Assets, colours: boolean): ReadonlyArray<string> => {
  const line = describe(recorded.event, assets)
  if (line === undefined) return []
  const text = `${clock(recorded.at)}  ${line.subject}  ${line.text}`
  return [paint(colours, colourOf[line.weight], Table.printable(text))]
}

/** Time of day in UTC. */
const clock = (at: number): string => {
  const pad = (value: number, width = 2) => String(Math.trunc(value)).padStart(width, "0")
  const day = ((at % 86_400_000) + 86_400_000) % 86_400_000
  return `${pad(day / 3_600_000)}:${pad((day / 60_000) % 60)}:${pad((day / 1000) % 60)}.${pad(day % 1000, 3)}`
}
