/**
 * What a person sees while the bot runs and in `status`: first what is wrong, then prices with their age, the slots
 * with what they hold and why, the money by place, and the last events. It is a pure function of the state; the
 * caller decides where the lines go. On a terminal the lines fit its height and width, and stay in place while the
 * numbers change.
 */

import { type LiveProfit, slotEarned } from "../../control/view/LiveProfit.ts"
import { type SlotRow, slotRows } from "../../control/view/SlotRows.ts"
import type { Recorded } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { type MoneyProblem, problemsOf } from "../../engine/funding/Problems.ts"
import { operatorLimit } from "../../engine/planning/OperatorPause.ts"
import { type BotState, idleStrategies, workingLedger } from "../../engine/state/BotState.ts"
import { type Colour, type ColouredLine, painted } from "../../report/text/Colours.ts"
import { describe, type Weight } from "../../report/text/EventLine.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import { age, clock, clockText, counted } from "../../report/text/Words.ts"
import { ladder } from "./Ladder.ts"
import { profitLines, strategyLines } from "./ProfitLines.ts"

export interface ScreenInput {
  readonly title: string
  /** Since when the bot runs, or that it does not run. */
  readonly running: string
  /** A quiet line: whose account it is, and where to see more. */
  readonly detail: string | undefined
  /** The line that opens its page in a browser; none: it has no page, or is not on a terminal. */
  readonly dashboard?: string | undefined
  /** Shown on every screen, such as "DRY RUN: nothing is created or signed". */
  readonly warning: string | undefined
  readonly state: BotState
  readonly assets: Money.Assets
  readonly prices: ReadonlyMap<string, TwoSidedPrice>
  readonly recent: ReadonlyArray<Recorded>
  readonly profit: LiveProfit | undefined
  /** When the bot looks at the venue next; missing: it does not run here. */
  readonly nextLookAt?: number | undefined
  readonly now: number
}

/** Where it is shown. */
export interface Canvas {
  readonly colours: boolean
  readonly rows: number
  readonly columns: number
  /** The most slots shown; default: as many as fit. */
  readonly slots?: number
}

/** Unlimited in both directions, and without colours. */
export const paper: Canvas = { colours: false, rows: Number.POSITIVE_INFINITY, columns: Number.POSITIVE_INFINITY }

/** Terminals of at least this height show the whole balance sheet and more events. */
const tallRows = 36
const fewestSlots = 3

export const frame = (input: ScreenInput, canvas: Canvas): ReadonlyArray<string> => {
  const { state, assets } = input
  const isTall = canvas.rows >= tallRows
  const rows = slotRows(state, assets, input.prices)
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
  const money = (isTall ? Money.table : Money.shortTable)(workingLedger(state), assets)
  const events = eventsOf(input, isTall)
  const below: ReadonlyArray<ColouredLine> = [
    [""],
    ...(isTall ? strategyLines(state, input.profit, assets, canvas.columns) : []),
    ...money.map((text, index): ColouredLine => (index === 0 ? [text, "dim"] : [text])),
    ...idleLines(state),
    ...(events.length === 0 ? [] : [[""] as const, ...events])
  ]
  // The table's header and the count of hidden slots take a line each.
  const room = Math.max(fewestSlots, canvas.rows - above.length - below.length - 2)
  const slots = canvas.slots ?? room
  // Where nothing has to fit, every slot states its own reason.
  const shown = Number.isFinite(canvas.columns)
    ? ladder(rows, {
        prices: input.prices,
        earned: earnedBy(input),
        now: input.now,
        columns: canvas.columns,
        room: slots
      })
    : slotLines(rows, slots, earnedBy(input))
  const lines = [...above, ...shown, ...below]
  return lines.slice(0, canvas.rows).map((line) => painted(line, canvas))
}

/** A line of its own, so that it fits 80 columns: half a token opens nothing. */
const dashboardLine = ({ dashboard }: ScreenInput, { columns }: Canvas): ReadonlyArray<ColouredLine> => {
  if (dashboard === undefined) return []
  return [
    [
      [`dashboard ${dashboard}`, dashboard].find(({ length }) => length <= columns) ??
        "`limitbot dashboard` prints the address",
      "cyan"
    ]
  ]
}

const headline = ({ running, state, nextLookAt, now }: ScreenInput, rows: ReadonlyArray<SlotRow>): string => {
  const look = nextLookAt === undefined ? [] : [nextLookAt > now ? `next look in ${age(nextLookAt - now)}` : "looking"]
  return [running, ...look, counted(state.fills, "fill"), `${counted(rows.length, "slot")}: ${byState(rows)}`].join(
    "   "
  )
}

/** What each slot has earned after its fees, once it closed anything. */
const earnedBy =
  ({ profit, assets }: ScreenInput) =>
  (slot: string): string => {
    const row = profit?.slots.get(slot)
    const earned = row === undefined ? undefined : slotEarned(row)
    return row === undefined || earned === undefined ? "" : Money.signed(assets, row.quote, earned)
  }

const idleLines = (state: BotState): ReadonlyArray<ColouredLine> => {
  const idle = [...idleStrategies(state)].filter((name) =>
    [...(state.strategies.get(name)?.budget.values() ?? [])].some((amount) => amount > 0n)
  )
  return idle.length === 0
    ? []
    : [[`Not counted: what is free of the budgets of ${idle.join(", ")}, not running.`, "dim"]]
}

const eventsOf = ({ recent, assets }: ScreenInput, isTall: boolean): ReadonlyArray<ColouredLine> =>
  recent.slice(isTall ? -8 : -5).flatMap((recorded): ReadonlyArray<ColouredLine> => {
    const line = describe(recorded.event, assets)
    if (line === undefined) return []
    return [[`${clock(recorded.at).slice(0, 8)}  ${line.subject}  ${line.text}`, colourOf[line.weight]]]
  })

/** What somebody who was just woken up must know first. */
const alarms = ({ warning, state, assets, now }: ScreenInput): ReadonlyArray<ColouredLine> => {
  const frozen = [...state.slots.values()].filter((slot) => slot.frozen !== undefined)
  const [first] = frozen
  return [
    ...(warning === undefined ? [] : [[warning, "yellow"] as const]),
    ...(state.killed === undefined ? [] : [[`KILL SWITCH: ${state.killed}`, "red"] as const]),
    ...(state.venueDownSince === undefined
      ? []
      : [
          [
            `The venue has not answered for ${age(now - state.venueDownSince)}; resting orders stay (${state.venueDownWhy})`,
            "red"
          ] as const
        ]),
    ...(state.diskFullSince === undefined
      ? []
      : [
          [`DISK FULL for ${age(now - state.diskFullSince)}: nothing new is funded, cancels still work`, "red"] as const
        ]),
    ...(state.leaseLost === undefined ? [] : [[`JOURNAL GONE: ${state.leaseLost}`, "red"] as const]),
    ...(state.broken === undefined
      ? []
      : [[`JOURNAL CHANGED: ${state.broken}; nothing new is funded: limitbot journal verify`, "red"] as const]),
    ...(state.clock === undefined || state.clock.ok
      ? []
      : [[`Clock: ${clockText(state.clock.skewMillis)}; above 30 s nothing new is funded`, "red"] as const]),
    ...[...state.doubts].map(
      ([market, { reason, since }]): ColouredLine => [`NO PRICE of ${market} for ${age(now - since)}: ${reason}`, "red"]
    ),
    ...(state.rejectedEdit === undefined
      ? []
      : [[`Edited file rejected, still running the old one: ${state.rejectedEdit.join(" ")}`, "red"] as const]),
    ...(first === undefined
      ? []
      : [
          [
            `${counted(frozen.length, "slot")} frozen, no new funding: ${first.strategy}/${first.slot}: ${first.frozen}`,
            "red"
          ] as const
        ]),
    ...unconfirmed(state, assets, now),
    ...[...state.strategies.values()].flatMap(
      ({ name, failing }): ReadonlyArray<ColouredLine> =>
        failing === undefined
          ? []
          : [[`${name} CANNOT BE PLANNED (${failing.reason}); its orders stay as they are`, "red"]]
    ),
    ...[...state.strategies.values()].flatMap(
      ({ name, paused }): ReadonlyArray<ColouredLine> =>
        paused === undefined || paused.limit === operatorLimit
          ? []
          : [[`${name} PAUSED by its limit ${paused.limit}: ${paused.reason}`, "red"]]
    )
  ]
}

/** Money of which only a person can find out where it is; frozen slots are told before. */
const unconfirmed = (state: BotState, assets: Money.Assets, now: number): ReadonlyArray<ColouredLine> => {
  const problems = problemsOf(state, now)
  const told = (kind: MoneyProblem["kind"], what: string): ReadonlyArray<ColouredLine> => {
    const all = problems.filter((problem) => problem.kind === kind)
    const [first] = all
    if (first === undefined) return []
    const more = all.length === 1 ? "" : ` and ${all.length - 1} more`
    const amount = Money.withSymbol(assets, first.asset, first.amount)
    return [[`${what}: ${amount} of ${first.strategy}/${first.slot}${more} (limitbot resolve)`, "red"]]
  }
  return [
    ...told("in-doubt", "IN DOUBT, nobody has confirmed the payment"),
    ...told("stuck", "STUCK, not seen for an hour"),
    ...(state.tail.forgotten.size === 0
      ? []
      : [
          [
            `JOURNAL BEHIND, nothing is funded: ${counted(state.tail.forgotten.size, "order")} not known (limitbot resolve)`,
            "red"
          ] as const
        ])
  ]
}

const priceLines = ({ prices, now }: ScreenInput): ReadonlyArray<ColouredLine> =>
  [...prices].map(([market, { bid, ask, at }]) => [
    `${market}  bid ${Decimal.short(bid)}  ask ${Decimal.short(ask)}  ${age(now - at)} old`
  ])

/** Eight digits: a price to read, not to calculate with. */
/** As many of the most telling slots as fit, in their own order, and a count of the others. */
const slotLines = (
  rows: ReadonlyArray<SlotRow>,
  room: number,
  earned: (slot: string) => string
): ReadonlyArray<ColouredLine> => {
  const telling = new Set(rows.toSorted((a, b) => a.rank - b.rank).slice(0, room))
  const shown = rows.filter((row) => telling.has(row))
  const hasEarned = shown.some(({ slot }) => earned(slot) !== "")
  const [header = "", ...lines] = Table.render(
    [
      { title: "SLOT" },
      { title: "SIDE" },
      { title: "PRICE", align: "decimal" },
      { title: "QUANTITY", align: "decimal" },
      { title: "FILLED", align: "right" },
      { title: "STATE" },
      { title: "LEGS", align: "right" },
      ...(hasEarned ? [{ title: "EARNED", align: "right" as const }] : []),
      { title: "WHY" }
    ],
    shown.map(({ slot, side, price, quantity, filled, state, legs, why, progress }) => [
      slot,
      side,
      price,
      quantity,
      filled,
      state,
      legs,
      ...(hasEarned ? [earned(slot)] : []),
      progress === undefined ? why : `${progress}: ${why}`
    ])
  )
  const hidden = rows.filter((row) => !telling.has(row))
  return [
    [header, "dim"],
    ...lines.map((line, index): ColouredLine => [line, shown[index]?.colour ?? "dim"]),
    ...(hidden.length === 0 ? [] : [[`… and ${hidden.length} more: ${byState(hidden)}`, "dim"] as const])
  ]
}

/** "22 open, 2 empty". */
const byState = (rows: ReadonlyArray<SlotRow>): string =>
  [...new Set(rows.map(({ state }) => state))]
    .map((state) => `${rows.filter((row) => row.state === state).length} ${state}`)
    .join(", ")

const colourOf: Readonly<Record<Weight, Colour>> = { quiet: "dim", good: "green", warn: "yellow", alarm: "red" }
