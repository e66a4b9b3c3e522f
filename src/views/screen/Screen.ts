/**
 * The screen of a running bot, a pure function of the facts and of the size, in which every line fits. Orders get at least half of the
 * rows, the highest price first (the nearest, if several markets do not fit), with a line where the market is. A low screen drops events
 * first and strategies next, but never profit, balances or the worst warning.
 */
import type { Of } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { age, clock, countText, pausedBy } from "../../domain/Text.ts"
import { type ColouredLine, painted, type Style, toned } from "../../report/text/Colours.ts"
import { describe } from "../../report/text/EventLine.ts"
import * as Figures from "../../report/text/Figures.ts"
import * as Money from "../../report/text/Money.ts"
import { standingParts } from "../../report/text/ProfitText.ts"
import * as Table from "../../report/text/Table.ts"
import { linesOf } from "../Problems.ts"
import { awayOf, type SlotRow, slotsOf } from "../Slots.ts"
import type { ScreenInput } from "./Picture.ts"

type Lines = ReadonlyArray<ColouredLine>

export const frame = (input: ScreenInput, style: Style & { readonly rows: number }): ReadonlyArray<string> => {
  const { columns, rows } = style
  const slots = slotsOf(input.state, input.assets, input.prices, input.profit?.slots)
  const orders = ladder(slots, input, columns)
  const head = [bar(input, columns), ...profitLines(input, columns)]
  const foot = [balanceLine(input, columns), ...warningLine(input, columns)]
  const room = rows - head.length - foot.length - 1
  const least = Math.min(orders.fullHeight, Math.ceil(rows / 2) + (orders.isMarked ? 2 : 1))
  const strategies = strategyLines(input, slots, columns, room - least - 1)
  const rowsLeft = room - strategies.length
  const events = eventLines(input, Math.min(3, rowsLeft - least, Math.max(1, rowsLeft - orders.fullHeight)))
  const book = orders.lines(rowsLeft - events.length)
  const spare = rowsLeft - events.length - book.length
  const detail: Lines = input.detail === undefined || spare < 1 ? [] : [[input.detail, "dim"]]
  const gap: Lines = spare - detail.length >= 3 ? [[""]] : []
  const lines = [...head, ...gap, ...strategies, ...gap, ...book, ...gap, ...foot, ...events, ...detail]
  return inked([...lines, footer(input, columns)].slice(0, rows), style)
}

/** The result of a run at its last prices: profit and balances. */
export const resultLines = (ended: Omit<Valued, "now" | "prices">, style: Style): ReadonlyArray<string> => {
  const input = { ...ended, now: 0, prices: new Map() }
  return inked([...profitLines(input, style.columns), balanceLine(input, style.columns)], style)
}

type Valued = Pick<ScreenInput, "assets" | "now" | "prices" | "profit" | "state">

const inked = (lines: Lines, style: Style): ReadonlyArray<string> =>
  lines.map((line) => (style.colours && line[1] === undefined ? toned(painted(line, style)) : painted(line, style)))

/** Joins the parts that fit; the first one always stays. */
const fitting = ([first = "", ...rest]: ReadonlyArray<string>, columns: number): string =>
  rest.reduce((text, part) => (text.length + 3 + part.length > columns ? text : `${text}   ${part}`), first)

const bar = ({ nextLookAt, now, problems, running, state, title }: ScreenInput, columns: number): ColouredLine => {
  const { killed, run } = state
  const isRunning = running.startsWith("running")
  const strategies = [...state.strategies.values()].filter(({ isLoaded }) => isLoaded !== false)
  const isPaused = strategies.length > 0 && strategies.every(({ paused }) => paused !== undefined)
  const chip = !isRunning ? running.split(":")[0] : killed !== undefined ? "killed" : isPaused ? "paused" : run?.mode
  const lines = linesOf(problems)
  const alarms = lines.filter(({ severity }) => severity === "alarm").length
  const count = alarms > 0 ? [countText(alarms, "alarm")] : lines.length > 0 ? [countText(lines.length, "warning")] : []
  const next = nextLookAt === undefined || nextLookAt < now ? [] : [`next turn in ${age(nextLookAt - now)}`]
  const times = columns < 110 ? [] : [...(isRunning ? [running] : []), ...next]
  const right = `   ${[...count, ...times, clock(now).slice(0, 8)].join("   ")} UTC `
  const account = run && `limitbot   ${shortened(run.account, 20)} on ${run.venue.replace(/^\w+:\/\//, "")}`
  const width = columns - right.length
  return [` ${(chip ?? "").toUpperCase()}   ${account ?? title}`.slice(0, width).padEnd(width) + right, "inverse"]
}

/** One line for each quote asset: they are never added. */
const profitLines = ({ assets, now, prices, profit }: Valued, columns: number): Lines =>
  (profit?.standings ?? []).map((standing) => {
    const { equity, quote } = standing
    const [total, ...parts] = standingParts(standing, assets, Figures)
    const marks = [...prices].flatMap(([market, price]) => (market.endsWith(`/${quote}`) ? [price] : []))
    const oldest = marks.toSorted((a, b) => a.at - b.at)[0]
    const equityText = equity === undefined ? [] : [`equity ${Figures.rounded(assets, quote, equity)}`]
    const ageText = oldest === undefined ? "last known prices" : `price ${age(now - oldest.at)} old`
    const note = isOld(oldest, now) ? [ageText] : []
    const earnedToday = parts.splice(3, 1)
    const line = [`PROFIT ${quote}  ${total}`, ...equityText, ...note, ...earnedToday, ...parts]
    return [fitting(line, columns), isOld(oldest, now) ? "dim" : undefined]
  })

const strategyLines = (input: ScreenInput, slots: ReadonlyArray<SlotRow>, columns: number, room: number): Lines => {
  const { assets, now, prices, profit, state } = input
  const money = moneyOf(profit)
  const running = [...state.strategies.values()].filter(({ isLoaded }) => isLoaded !== false)
  const rows = running.slice(0, Math.max(0, room - 1)).map(({ loaded, name, paused }) => {
    const orders = slots.filter(({ price, strategy }) => strategy === name && price !== "")
    const market = loaded?.market ?? orders[0]?.market ?? ""
    const price = prices.get(market)
    const ageText = price === undefined || !isOld(price, now) ? "" : `, ${age(now - price.at)} old`
    const priceText = price === undefined ? "" : `${Figures.price(mid(price))}${ageText}`
    const gains = (profit?.strategies ?? []).filter(({ group, quote }) => group === name && money.has(quote))
    const gainTexts = gains.map(({ figures: { total }, quote }) => `${Figures.gain(assets, quote, total)} ${quote}`)
    const next = paused === undefined ? nearestText(orders) : `paused ${pausedBy(paused)}`
    const cells = [
      shortened(name, Math.floor(columns / 5)),
      market,
      priceText,
      gainTexts.join(" "),
      `${orders.length}`,
      next
    ]
    return { cells, colour: isOld(price, now) ? ("dim" as const) : undefined }
  })
  const title = rows.length < running.length ? `${rows.length} OF ${running.length} STRATEGIES` : "STRATEGY"
  const titles = [title, "MARKET", ...["PRICE", "PROFIT", "ORDERS"].map(Table.right), "NEXT"]
  const cells = rows.map((row) => row.cells)
  const lines = Table.render(titles, cells)
  return rows.length === 0 ? [] : lines.map((line, index) => [line, index === 0 ? "dim" : rows[index - 1]?.colour])
}

const moneyOf = (profit: ScreenInput["profit"]) => new Set(profit?.standings.map(({ quote }) => quote))

const balanceLine = ({ assets, profit, state }: Valued, columns: number): ColouredLine => {
  const money = moneyOf(profit)
  const balances = Money.balances(state.ledger).toSorted((a, b) => +money.has(b.symbol) - +money.has(a.symbol))
  const write = Figures.amountBy(money)
  const parts = (hasFree: boolean) =>
    balances.map(({ free, symbol, total }) => {
      const part = hasFree && free !== total ? ` (${write(assets, symbol, free).split(" ")[0]} free)` : ""
      return `${write(assets, symbol, total)}${part}`
    })
  const whole = ["BALANCES", ...parts(parts(true).join("   ").length + 11 <= columns)]
  const line = fitting(whole, whole.join("   ").length <= columns ? columns : columns - 10)
  const hidden = whole.length - line.split("   ").length
  return [hidden === 0 ? line : `${line}   ${hidden} more`]
}

/** The worst problem with its command, and the kinds of the others. */
const warningLine = ({ problems, warning }: ScreenInput, columns: number): Lines => {
  const texts = linesOf(problems).map(({ severity, text }) => `${severity === "alarm" ? "ALARM" : "!"} ${text}`)
  const [worst = warning] = texts
  if (worst === undefined) return []
  const [, ...kinds] = new Set(problems.map(({ kind }) => kind))
  const others = kinds.length === 0 ? "" : `   +${kinds.length}: ${kinds.join(", ")}`
  const room = columns - Math.min(others.length, Math.floor(columns / 3))
  const [command = ""] = / \(limitbot [^)]*\)$/.exec(worst) ?? []
  const text = worst.length <= room ? worst : `${worst.slice(0, Math.max(0, room - command.length - 1))}…${command}`
  return [[`${text}${others}`, "yellow"]]
}

/** Newest first. Routine events are shown only if there are no others. */
const eventLines = ({ assets, profit, recent }: ScreenInput, count: number): Lines => {
  const write = Figures.amountBy(moneyOf(profit))
  const lines = recent.flatMap(({ at, event }): Lines => {
    const line = describe(event, assets, write)
    if (line === undefined) return []
    const sentence = event._tag === "FillSeen" ? fillText(event, assets, write) : `: ${line.text}`
    const colour = line.weight === "quiet" ? "dim" : line.weight === "good" ? undefined : "yellow"
    return [[`${clock(at).slice(0, 8)} ${line.subject}${sentence}`, colour]]
  })
  const news = lines.filter(([, colour]) => colour !== "dim")
  return (news.length === 0 ? lines : news).toReversed().slice(0, Math.max(0, count))
}

const fillText = (fill: Of<"FillSeen">, assets: Money.Assets, write: typeof Money.withSymbol): string => {
  const { amountIn, amountOut, inputAsset, outputAsset, price, side } = fill
  const amount = side === "BUY" ? write(assets, outputAsset, amountOut) : write(assets, inputAsset, amountIn)
  return ` ${side === "BUY" ? "bought" : "sold"} ${amount} at ${Figures.price(price)}`
}

/** A cut token is useless, so the dashboard's address is whole or absent. */
const footer = ({ dashboard, nextLookAt, running }: ScreenInput, columns: number): ColouredLine => {
  const absent = "`limitbot status --dashboard` prints the address"
  const addresses = dashboard === undefined ? [] : [`dashboard ${dashboard}`, dashboard, absent]
  const end = nextLookAt === undefined ? "Ctrl-C ends the watch" : "Ctrl-C stops the bot"
  const parts = [running.includes(":") ? running : addresses.find(({ length }) => length <= columns), end]
  return [
    fitting([...parts.filter((part) => part !== undefined), "limitbot explain STRATEGY says why"], columns),
    "cyan"
  ]
}

const oldMillis = 30_000
const isOld = (price: TwoSidedPrice | undefined, now: number): boolean =>
  price === undefined || now - price.at > oldMillis

/** The end of a long name tells it from others. */
const shortened = (name: string, length: number): string =>
  name.length <= length ? name : `…${name.slice(1 - length)}`

const isTrouble = ({ tone }: SlotRow): boolean => tone === "alarm"

/**
 * If there are several markets and they do not fit, the nearest order is first. Orders in trouble come before all others; orders with an
 * old price are grey.
 */
const ladder = (rows: ReadonlyArray<SlotRow>, { now, prices }: ScreenInput, columns: number) => {
  const isOrder = (row: SlotRow) => row.price !== "" || isTrouble(row)
  const orders = rows.filter(isOrder).toSorted((a, b) => a.rank - b.rank)
  const idleSlots = rows.filter((row) => !isOrder(row))
  const reasons = Map.groupBy(idleSlots, ({ why }) => why)
  const idle = [...reasons].map(([why, { length }]) => `${length} idle: ${why}`).join("   ")
  const markets = [...new Set(orders.filter((row) => !isTrouble(row)).map(({ market }) => market))]
  const markers = markets.flatMap((market) => {
    const price = prices.get(market)
    return price === undefined ? [] : [{ market, at: Decimal.toNumber(mid(price)), line: marker(market, price, now) }]
  })
  const height = 1 + orders.length + markers.length
  const lines = (room: number): Lines => {
    const isLadder = markets.length < 2 || height <= room
    const visible = orders.slice(0, Math.max(0, room - 1 - (isLadder ? markers.length : 0)))
    const title = visible.length < orders.length ? `${visible.length} OF ${orders.length} ORDERS` : "SLOT"
    const variants = [4, 3, 2, 1, 0].map((level) => table(title, level, now, columns).lines(visible))
    const fitting = variants.find((texts) => texts.every(({ length }) => length <= columns))
    const [header = "", ...texts] = fitting ?? variants.at(-1) ?? []
    const items = visible.map((row, index) => {
      // The reason is not a column, because the edge of the screen may cut it.
      const reason = row.shortState === null && row.why !== "" ? `: ${row.why}` : ""
      const colour = isTrouble(row) ? "yellow" : isOld(prices.get(row.market), now) ? "dim" : undefined
      const line: ColouredLine = [`${texts[index]}${reason}`, colour]
      return { market: isTrouble(row) ? "" : row.market, at: Number(row.price), line }
    })
    const sorted = [...items, ...markers].toSorted((a, b) => a.market.localeCompare(b.market) || b.at - a.at)
    const ordered = (isLadder ? sorted : items).map(({ line }) => line)
    return [[header, "dim"] as const, ...ordered, ...(idle === "" ? [] : [[idle, "dim"] as const])].slice(0, room)
  }
  return { fullHeight: height + (idle === "" ? 0 : 1), isMarked: markers.length === 1, lines }
}

const marker = (market: string, price: TwoSidedPrice, now: number): ColouredLine => {
  const sides = `bid ${Figures.price(price.bid)}  ask ${Figures.price(price.ask)}  ${age(now - price.at)} old`
  return [`── ${market}  ${Figures.price(mid(price))} ──  ${sides}`, isOld(price, now) ? "dim" : "bold"]
}

const table = (title: string, level: number, now: number, columns: number) =>
  Table.of<SlotRow>([
    { title: "SIDE", value: ({ side }) => side },
    { title, value: ({ slot }) => shortened(slot, Math.floor(columns / 4)) },
    { title: Table.right("PRICE"), value: priceText },
    { title: Table.right("AWAY"), value: awayText },
    level > 1 && { title: Table.right("SIZE"), value: ({ quantity }) => quantity.replace(/^[\d.]+/, Figures.size) },
    level > 2 && { title: Table.right("AGE"), value: ({ plannedAt }) => plannedAt && age(now - plannedAt) },
    level > 3 && { title: Table.right("TRADES"), value: ({ legs }) => legs || "" },
    level > 0 && { title: Table.right("EARNED"), value: ({ earned }) => Figures.gainText(earned) },
    level > 3 && { title: Table.right("INVENTORY"), value: ({ inventory }) => Figures.gainText(inventory) },
    { title: "STATE", value: ({ filled, state }) => (/^[1-9]/.test(filled) ? `${state} ${filled}` : state) }
  ])

const priceText = ({ price }: SlotRow): string =>
  price === "" ? "" : Figures.price(Decimal.parse(price) ?? Decimal.zero)

const awayText = ({ distance }: SlotRow): string => (distance === null ? "" : Figures.share(distance))

const nearestText = (orders: ReadonlyArray<SlotRow>): string => {
  const [nearest] = orders.toSorted((a, b) => awayOf(a.distance) - awayOf(b.distance))
  return nearest && awayText(nearest) ? [nearest.side, priceText(nearest), awayText(nearest)].join(" ") : ""
}
