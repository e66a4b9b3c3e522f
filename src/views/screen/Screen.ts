/**
 * The screen of a running bot, also for `status`: first the problems, then prices with their age, the slots with their orders and reasons,
 * the money by place, and the last events. It is a pure function of the state; the caller decides where the lines go. On a terminal the
 * lines fit its height and width, and stay in place while the numbers change.
 */

import type { Recorded } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import * as Ledger from "../../domain/Ledger.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { age, clock, counted } from "../../domain/Words.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import type { Row } from "../../ledger/Profit.ts"
import { type Colour, type ColouredLine, painted } from "../../report/text/Colours.ts"
import { describe, type Weight } from "../../report/text/EventLine.ts"
import * as Money from "../../report/text/Money.ts"
import { standingParts } from "../../report/text/ProfitText.ts"
import * as Table from "../../report/text/Table.ts"
import { linesOf, type ProblemView } from "../Problems.ts"
import { type LiveProfit, slotEarned } from "../profit/LiveProfit.ts"
import { type SlotRow, slotsOf } from "../Slots.ts"
import { colourOf, ladder } from "./Ladder.ts"

const fitting = (parts: ReadonlyArray<string>, columns: number): string => {
  let text = parts[0] ?? ""
  for (const part of parts.slice(1)) {
    if (text.length + 3 + part.length > columns) break
    text += `   ${part}`
  }
  return text
}

const profitLines = (
  profit: LiveProfit | undefined,
  assets: Money.Assets,
  columns: number
): ReadonlyArray<ColouredLine> =>
  (profit?.standings ?? []).map((standing): ColouredLine => {
    const { quote, figures } = standing
    const line = fitting([`profit in ${quote}:`, ...standingParts(standing, assets)], columns)
    return [line, figures.total < 0n ? "yellow" : figures.total > 0n ? "green" : "dim"]
  })

const mostRows = 8

const strategyLines = (
  state: BotState,
  profit: LiveProfit | undefined,
  assets: Money.Assets,
  columns: number
): ReadonlyArray<ColouredLine> => {
  const running = [...state.strategies.values()].filter(({ isLoaded }) => isLoaded !== false)
  if (running.length < 2) return []
  const isWide = columns >= 80
  const rows = running.flatMap(({ name, budget }) =>
    [...budget].map(([asset, amount]) => {
      const free = Ledger.freeOf(state.ledger, name, asset)
      const own = Ledger.ownedBy(state.ledger, name, asset)
      const row = profit?.strategies.find(({ group, quote }) => group === name && quote === asset)
      const say = (value: bigint) => Money.short(assets, asset, value)
      return [
        name,
        asset,
        say(free),
        say(own - free),
        ...(isWide ? [say(amount)] : []),
        row === undefined ? "" : totalOf(row, assets)
      ]
    })
  )
  const table = Table.render(
    [
      "STRATEGY",
      "ASSET",
      Table.decimal("FREE"),
      Table.decimal("IN USE"),
      ...(isWide ? [Table.decimal("BUDGET")] : []),
      Table.right("PROFIT")
    ],
    rows.slice(0, mostRows)
  )
  const more = rows.length - mostRows
  return [
    ...table.map((text, index): ColouredLine => (index === 0 ? [text, "dim"] : [text])),
    ...(more > 0 ? [[`… and ${counted(more, "more row")}: limitbot money`, "dim"] as const] : []),
    [""]
  ]
}

const totalOf = ({ quote, figures }: Row, assets: Money.Assets): string => Money.signed(assets, quote, figures.total)

export interface ScreenInput {
  readonly title: string
  readonly running: string
  readonly detail: string | undefined
  readonly dashboard?: string | undefined
  readonly warning: string | undefined
  readonly problems: ReadonlyArray<ProblemView>
  readonly state: BotState
  readonly assets: Money.Assets
  readonly prices: ReadonlyMap<string, TwoSidedPrice>
  readonly recent: ReadonlyArray<Recorded>
  readonly profit: LiveProfit | undefined
  /** Time of the bot's next poll; missing: it does not run here. */
  readonly nextLookAt?: number | undefined
  readonly now: number
}

export interface Canvas {
  readonly colours: boolean
  readonly rows: number
  readonly columns: number
  /** The maximum number of slots shown; default: as many as fit. */
  readonly slots?: number
}

export const paper: Canvas = { colours: false, rows: Number.POSITIVE_INFINITY, columns: Number.POSITIVE_INFINITY }

const tallRows = 36
const fewestSlots = 3

export const frame = (input: ScreenInput, canvas: Canvas): ReadonlyArray<string> => {
  const { state, assets } = input
  const isTall = canvas.rows >= tallRows
  const rows = slotsOf(state, assets, input.prices)
  // Empty for a slot that has closed nothing yet.
  const earned = figureBy(input, slotEarned)
  const inventory = figureBy(input, ({ figures }) => figures.inventory || undefined)
  const above: ReadonlyArray<ColouredLine> = [
    [input.title, "bold"],
    ...(input.detail !== undefined && isTall ? [[input.detail, "dim"] as const] : []),
    ...dashboardLine(input, canvas),
    ...alarms(input),
    [headline(input, rows)],
    ...priceLines(input),
    ...profitLines(input.profit, assets, canvas.columns),
    [""]
  ]
  const money = (isTall ? Money.table : Money.shortTable)(state.ledger, assets)
  const events = eventsOf(input, isTall)
  const below: ReadonlyArray<ColouredLine> = [
    [""],
    ...(isTall ? strategyLines(state, input.profit, assets, canvas.columns) : []),
    ...money.map((text, index): ColouredLine => (index === 0 ? [text, "dim"] : [text])),
    ...(events.length === 0 ? [] : [[""] as const, ...events])
  ]
  // The table's header and the count of hidden slots take a line each.
  const room = Math.max(fewestSlots, canvas.rows - above.length - below.length - 2)
  const slots = canvas.slots ?? room
  // Where nothing has to fit, every slot states its own reason.
  const orderLines = Number.isFinite(canvas.columns)
    ? ladder(rows, { prices: input.prices, earned, inventory, now: input.now, columns: canvas.columns, room: slots })
    : slotLines(rows, slots, earned, inventory)
  const lines = [...above, ...orderLines, ...below]
  return lines.slice(0, canvas.rows).map((line) => painted(line, canvas))
}

/** A line of its own, so that the address with its token fits 80 columns: a cut token is useless. */
const dashboardLine = ({ dashboard }: ScreenInput, { columns }: Canvas): ReadonlyArray<ColouredLine> => {
  if (dashboard === undefined) return []
  return [
    [
      [`dashboard ${dashboard}`, dashboard].find(({ length }) => length <= columns) ??
        "`limitbot status --dashboard` prints the address",
      "cyan"
    ]
  ]
}

const headline = ({ running, state, nextLookAt, now }: ScreenInput, rows: ReadonlyArray<SlotRow>): string => {
  const look =
    nextLookAt === undefined ? [] : [nextLookAt > now ? `next check in ${age(nextLookAt - now)}` : "checking price"]
  return [running, ...look, counted(state.fills, "fill"), `${counted(rows.length, "slot")}: ${byState(rows)}`].join(
    "   "
  )
}

const figureBy =
  ({ assets, profit }: ScreenInput, figureOf: (row: Row) => bigint | undefined) =>
  (slot: string): string => {
    const row = profit?.slots.get(slot)
    const figure = row && figureOf(row)
    return row === undefined || figure === undefined ? "" : Money.signed(assets, row.quote, figure)
  }

const eventsOf = ({ recent, assets }: ScreenInput, isTall: boolean): ReadonlyArray<ColouredLine> =>
  recent.slice(isTall ? -8 : -5).flatMap((recorded): ReadonlyArray<ColouredLine> => {
    const line = describe(recorded.event, assets)
    if (line === undefined) return []
    return [[`${clock(recorded.at).slice(0, 8)}  ${line.subject}  ${line.text}`, weightColour[line.weight]]]
  })

const alarms = ({ warning, problems }: ScreenInput): ReadonlyArray<ColouredLine> => [
  ...(warning === undefined ? [] : [[warning, "yellow"] as const]),
  ...linesOf(problems).map(
    ({ severity, text }): ColouredLine => [`${severity.toUpperCase()} ${text}`, severity === "alarm" ? "red" : "yellow"]
  )
]

const priceLines = ({ prices, now }: ScreenInput): ReadonlyArray<ColouredLine> =>
  [...prices].map(([market, { bid, ask, at }]) => [
    `${market}  bid ${Decimal.short(bid)}  ask ${Decimal.short(ask)}  ${age(now - at)} old`
  ])

const slotLines = (
  rows: ReadonlyArray<SlotRow>,
  room: number,
  earned: (slot: string) => string,
  inventory: (slot: string) => string
): ReadonlyArray<ColouredLine> => {
  const telling = new Set(rows.toSorted((a, b) => a.rank - b.rank).slice(0, room))
  const visibleRows = rows.filter((row) => telling.has(row))
  const hasEarned = visibleRows.some(({ slot }) => earned(slot) !== "")
  const hasInventory = visibleRows.some(({ slot }) => inventory(slot) !== "")
  const [header = "", ...lines] = Table.of<SlotRow>([
    { title: "SLOT", value: ({ slot }) => slot },
    { title: "SIDE", value: ({ side }) => side },
    { title: Table.decimal("PRICE"), value: ({ price }) => price },
    { title: Table.decimal("QUANTITY"), value: ({ quantity }) => quantity },
    { title: Table.right("FILLED"), value: ({ filled }) => filled },
    { title: "STATE", value: ({ state }) => state },
    { title: Table.right("TRADES"), value: ({ legs }) => legs },
    hasEarned && { title: Table.right("EARNED"), value: ({ slot }) => earned(slot) },
    hasInventory && { title: Table.right("INVENTORY"), value: ({ slot }) => inventory(slot) },
    { title: "WHY", value: ({ progress, why }) => (progress === null ? why : `${progress}: ${why}`) }
  ]).lines(visibleRows)
  const hidden = rows.filter((row) => !telling.has(row))
  return [
    [header, "dim"],
    ...lines.map((line, index): ColouredLine => [line, colourOf[visibleRows[index]?.tone ?? "quiet"]]),
    ...(hidden.length === 0 ? [] : [[`… and ${hidden.length} more: ${byState(hidden)}`, "dim"] as const])
  ]
}

/** "22 open, 2 empty". */
const byState = (rows: ReadonlyArray<SlotRow>): string =>
  [...new Set(rows.map(({ state }) => state))]
    .map((state) => `${rows.filter((row) => row.state === state).length} ${state}`)
    .join(", ")

const weightColour: Readonly<Record<Weight, Colour>> = { quiet: "dim", good: "green", warn: "yellow", alarm: "red" }
