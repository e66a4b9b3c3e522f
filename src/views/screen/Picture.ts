/** The picture of a bot as lines of text, for `status`, logs and pipes. Nothing is cut. On a terminal, `Screen` shows the same facts. */
import type { Recorded } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import * as Ledger from "../../domain/Ledger.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { age, clock, countText, utc } from "../../domain/Text.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import type { Row } from "../../ledger/Profit.ts"
import { type Colour, type ColouredLine, painted } from "../../report/text/Colours.ts"
import { describe, type Weight } from "../../report/text/EventLine.ts"
import * as Money from "../../report/text/Money.ts"
import * as ProfitText from "../../report/text/ProfitText.ts"
import * as Table from "../../report/text/Table.ts"
import { breakEvenText } from "../Levels.ts"
import type { NextOf } from "../Next.ts"
import { linesOf, type ProblemView } from "../Problems.ts"
import { profitByStrategy } from "../Profit.ts"
import * as LiveProfit from "../profit/LiveProfit.ts"
import { type SlotRow, slotsOf } from "../Slots.ts"
import { breakEvensIn, type JournalFacts, problemsInJournal, safeUntil } from "../Status.ts"

const profitLines = ({ assets, profit }: ScreenInput): ReadonlyArray<ColouredLine> =>
  (profit?.standings ?? []).map((standing): ColouredLine => {
    const { figures, quote } = standing
    const line = [`profit in ${quote}:`, ...ProfitText.standingParts(standing, assets)].join("   ")
    return [line, figures.total < 0n ? "red" : figures.total > 0n ? "green" : "dim"]
  })

const maxRows = 8

const strategyLines = ({ assets, profit, state }: ScreenInput): ReadonlyArray<ColouredLine> => {
  const running = [...state.strategies.values()].filter(({ isLoaded }) => isLoaded !== false)
  if (running.length < 2) return []
  const rows = running.flatMap(({ name, budget }) =>
    [...budget].map(([asset, amount]) => {
      const free = Ledger.freeOf(state.ledger, name, asset)
      const amounts = [free, Ledger.ownedBy(state.ledger, name, asset) - free, amount]
      const row = profit?.strategies.find(({ group, quote }) => group === name && quote === asset)
      const gain = row === undefined ? "" : Money.signed(assets, asset, row.figures.total)
      return [name, asset, ...amounts.map((value) => Money.short(assets, asset, value)), gain]
    })
  )
  const titles = ["STRATEGY", "ASSET", ...["FREE", "IN USE", "BUDGET"].map(Table.decimal), Table.right("PROFIT")]
  const more = rows.length - maxRows
  const moreLines = more > 0 ? [[`… and ${countText(more, "more row")}: limitbot money`, "dim"] as const] : []
  return [...headed(Table.render(titles, rows.slice(0, maxRows))), ...moreLines, [""]]
}

const headed = ([header = "", ...lines]: ReadonlyArray<string>): ReadonlyArray<ColouredLine> => [
  [header, "dim"],
  ...lines.map((line): ColouredLine => [line])
]

export interface ScreenInput extends Pick<JournalFacts, "assets" | "now" | "state"> {
  readonly title: string
  readonly running: string
  readonly detail?: string | undefined
  readonly dashboard?: string | undefined
  readonly warning: string | undefined
  readonly problems: ReadonlyArray<ProblemView>
  readonly prices: ReadonlyMap<string, TwoSidedPrice>
  readonly recent: ReadonlyArray<Recorded>
  readonly profit: LiveProfit.LiveProfit | undefined
  /** Time of the bot's next poll; missing: it does not run here. */
  readonly nextLookAt?: number | undefined
}

/** Shows at most `slots` slots; default: all. */
export const picture = (input: ScreenInput, colours: boolean, slots?: number): ReadonlyArray<string> => {
  const { state, assets } = input
  const rows = slotsOf(state, assets, input.prices)
  const events = eventsOf(input)
  const detail = input.detail ?? (state.run && `${state.run.mode}  ${state.run.venue}  account ${state.run.account}`)
  const lines: ReadonlyArray<ColouredLine> = [
    [input.title, "bold"],
    ...(detail === undefined ? [] : [[detail, "dim"] as const]),
    ...(input.dashboard === undefined ? [] : [[`dashboard ${input.dashboard}`, "cyan"] as const]),
    ...alarms(input),
    [headline(input, rows)],
    ...priceLines(input),
    ...profitLines(input),
    [""],
    ...slotLines(input, rows, slots),
    [""],
    ...strategyLines(input),
    ...headed(Money.table(state.ledger, assets)),
    ...(events.length === 0 ? [] : [[""] as const, ...events])
  ]
  return lines.map((line) => painted(line, { colours, columns: Number.POSITIVE_INFINITY }))
}

const headline = ({ running, state, nextLookAt, now }: ScreenInput, rows: ReadonlyArray<SlotRow>): string => {
  const look =
    nextLookAt === undefined ? [] : [nextLookAt > now ? `next turn in ${age(nextLookAt - now)}` : "checking price"]
  const slots = `${countText(rows.length, "slot")}: ${byState(rows)}`
  return [running, ...look, countText(state.fills, "fill"), slots].join("   ")
}

const eventsOf = ({ recent, assets }: ScreenInput): ReadonlyArray<ColouredLine> =>
  recent.slice(-8).flatMap((recorded): ReadonlyArray<ColouredLine> => {
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
  { assets, profit }: ScreenInput,
  rows: ReadonlyArray<SlotRow>,
  room = rows.length
): ReadonlyArray<ColouredLine> => {
  const figureBy = (figureOf: (row: Row) => bigint | undefined) => (slot: string) => {
    const row = profit?.slots.get(slot)
    const figure = row && figureOf(row)
    return row === undefined || figure === undefined ? "" : Money.signed(assets, row.quote, figure)
  }
  // Empty for a slot that has closed nothing yet.
  const earned = figureBy(LiveProfit.slotEarned)
  const inventory = figureBy(({ figures }) => figures.inventory || undefined)
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
    { title: "WHY", value: ({ shortState, why }) => (shortState === null ? why : `${shortState}: ${why}`) }
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

const colourOf: Readonly<Record<SlotRow["tone"], Colour>> = { alarm: "yellow", buy: "green", sell: "red", quiet: "dim" }

const weightColour: Readonly<Record<Weight, Colour>> = { quiet: "dim", good: "green", warn: "yellow", alarm: "red" }

export const statusLines = (
  facts: JournalFacts,
  running: string | undefined,
  { colours, page }: { readonly colours: boolean; readonly page: string | undefined }
): ReadonlyArray<string> => {
  const { assets, journal, killSwitch, now, prices, seenAfter = [], state, trading } = facts
  const profit = LiveProfit.profitNow(trading, assets, now)
  const input = {
    ...facts,
    title: journal,
    warning: pendingSwitch(state.killed, killSwitch, running !== undefined),
    problems: problemsInJournal(facts),
    running: running ?? stopped(state),
    dashboard: page,
    prices: new Map(),
    recent: [],
    profit
  }
  const end = safeUntil(state)
  return [
    picture(input, colours).join("\n").trimEnd(),
    "",
    ...ProfitText.lines(profitByStrategy(profit), assets),
    `Prices are ${prices === "signed" ? "signed" : "not signed: an attacker on the network could change them; set venue.quoteKey"}.`,
    ...seenAfter.map(
      ({ market, p50Millis, p99Millis }) =>
        `Price delay of ${market}: ${seconds(p50Millis)} s (p50), ${seconds(p99Millis)} s (p99).`
    ),
    ...breakEvensIn(facts).map((row) => `${row.strategy} ${breakEvenText(row)}.`),
    ...facts.next.map((line) => nextLine(line, now)),
    ...[...state.signals].map(
      ([name, { at, value }]) => `Signal ${name}: ${value} (since ${utc(at)}, ${age(now - at)} ago).`
    ),
    ...(end === undefined ? [] : [`Safe unattended until ${utc(end)}: then the first order expires and is refunded.`])
  ]
}

const nextLine = ({ at, slot, strategy, text }: NextOf, now: number): string =>
  `Next in ${slot === null ? strategy : slotKey(strategy, slot)}${at === null ? "" : `, in ${age(at - now)}`}: ${text}.`

/** The bot records the switch when it obeys. Until then the journal and the switch differ. */
const pendingSwitch = (noted: string | undefined, switched: string | undefined, isRunning: boolean) => {
  if ((noted === undefined) === (switched === undefined)) return undefined
  const when = isRunning ? "takes effect within a second" : "no bot is running; it takes effect at the next start"
  return switched === undefined ? `Kill switch released: ${when}` : `Kill switch set (${switched}): ${when}`
}

const seconds = (millis: number): string => (millis / 1_000).toFixed(1)

const stopped = ({ run, runStartedAt }: BotState): string =>
  run === undefined ? "NOT RUNNING, never started" : `NOT RUNNING, last started ${utc(runStartedAt)}`
