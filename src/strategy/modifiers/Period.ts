/**
 * `from`, `when`, `until`, `equity` and `onEnd` of a strategy file: when a strategy of any kind begins and ends. It begins at the first
 * time from `from` on at which `when` is true, and stays begun. Until then nothing is placed, and times that the kind counts have not
 * started. Only the exits of a position stay, if an edit of the file has added the beginning; the rest of an entry that has filled in part
 * is cancelled. What the kind had planned before the edit is then planned again, at the prices of the beginning.
 *
 * It ends for good at `until`, or once its equity reaches a limit of `equity`. `onEnd: cancel` cancels every order and keeps what the
 * strategy holds. `leave` keeps open orders and exits, and places nothing else. `sell` cancels every order and sells what the strategy
 * bought and has not sold. It sells like an exit after a stop, or at its own price, by an order or a swap. It buys nothing back.
 *
 * Equity is the budget and the result of trading, after fees. Between two fills equity depends on the price alone, so each threshold is a
 * price. The best equity is remembered in steps, so that not every tick changes the answer. A stop that has risen never falls.
 */
import { Array, Result } from "effect"
import { type Amount, floorOf, formatWithSymbol, magnitude, max, min, toDecimal } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import { isLeftover, noDust } from "../../domain/CostBasis.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, type Price, quoteAmount } from "../../domain/Market.ts"
import { exitSlot } from "../../domain/Placement.ts"
import { present } from "../../domain/Present.ts"
import { iso } from "../../domain/Text.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import {
  armedLeg,
  type Bounds,
  type Decision,
  type DesiredSlot,
  dueLeg,
  filledOfLeg,
  type Memory,
  narrowed,
  type PriceBounds,
  slotsIn,
  sooner
} from "../Decision.ts"
import { inputsOf } from "../expression/Checks.ts"
import { compile } from "../expression/Compiler.ts"
import { boundsOf, momentOf, positionIn, truth } from "../expression/Judge.ts"
import { joined, type Needs, noNeeds, scopeOf } from "../expression/Scope.ts"
import type { Term } from "../expression/Term.ts"
import * as Read from "../Fields.ts"
import type { KindContext } from "../Kind.ts"
import { atPrice, bySwap, execution } from "../kinds/Execution.ts"
import { decimalIn, isTrueIn, type Marking, marking, textIn } from "../kinds/Memory.ts"
import { away, negate, orderPrice, part, share } from "../kinds/PriceLevels.ts"
import { followStep, leftIn, reach, rememberLeft, type StopExit, stopExit } from "../kinds/StopExit.ts"
import { place, report, sourceText } from "../Problem.ts"
import type { Behaviour, Budget, Decide } from "../Strategy.ts"
import { legsDone, type OwnState, progressOf, type SlotProgress, type View, viewWith } from "../View.ts"
import { readYaml, type YamlNode } from "../YamlReader.ts"

const endKeys = {
  stop: Read.optional(part(Read.ratio), "the strategy ends when its equity is this much below that of its beginning"),
  stopRises: Read.optional(share(Read.ratio), "the stop rises by this share of what sales have earned", "it stays"),
  takeProfit: Read.optional(Read.ratio, "it ends when its equity is this much above that of its beginning"),
  trail: Read.optional(part(Read.ratio), "it ends when its equity is this much below its highest"),
  trailFrom: Read.optional(Read.ratio, "trail counts once equity is this much above that of the beginning", "at once")
}

type EquityEnd = Read.KnownSettings<typeof endKeys>

const partners = { stopRises: "stop", trailFrom: "trail" } as const

const equityEnd: Read.Reader<EquityEnd> = Read.mapped(Read.fields(endKeys), (fields, node, to) => {
  for (const key of ["stopRises", "trailFrom"] as const) {
    const [given, other] = [fields[key], partners[key]]
    if (given !== undefined && fields[other] === undefined)
      report(to, given, `${key} without ${other} does nothing`, `give ${other}, or remove this key`)
  }
  const isEmpty = node.type === "map" && node.entries.size === 0
  return isEmpty ? report(to, node, "nothing ends it: give stop, takeProfit or trail") : Read.valuesOf(endKeys, fields)
})

const moneyOf = ({ base, quote }: Market, money: Pick<Budget, "base" | "quote">) => ({
  quote: toDecimal(money.quote, quote.decimals),
  base: toDecimal(money.base, base.decimals)
})

const equityOf = (
  market: Market,
  budget: Budget,
  { averageEntry = Decimal.zero, dust = noDust, position, realisedProfit, setAside = 0n }: OwnState
) => {
  // An average entry is rounded down, so the exact cost is the next larger amount.
  const size = toDecimal(-magnitude(position), market.base.decimals)
  const cost = -floorOf(Decimal.multiply(size, averageEntry), market.quote.decimals)
  const quote = budget.quote + realisedProfit - setAside - dust.cost + (position < 0n ? cost : -cost)
  return moneyOf(market, { quote, base: budget.base + position + dust.base })
}

type EquityCourse = NonNullable<ReturnType<typeof courseOf>>

const equityPlaces = 18

/** `undefined` if the view does not record the strategy's trading. `ended` is `undefined` while the strategy continues. */
const courseOf = (end: EquityEnd, budget: Budget, view: View, memory: Memory) => {
  const { market, own } = view
  if (own === undefined) return undefined
  const { base, quote } = equityOf(market, budget, own)
  const price = mid(view.price)
  const now = Decimal.add(quote, Decimal.multiply(base, price))
  const capital = moneyOf(market, budget)
  // An edit of the budget moves capital, which is no profit and no loss.
  const more = (key: "base" | "quote") => Decimal.subtract(capital[key], decimalIn(memory, key) ?? capital[key])
  const moved = Decimal.add(more("quote"), Decimal.multiply(more("base"), price))
  const marked = (mark = Decimal.subtract(now, moved)) => Decimal.add(mark, moved)
  const began = marked(decimalIn(memory, "began"))
  const trailFrom = away(began, end.trailFrom ?? Decimal.zero)
  const goalAfter = (best: Decimal.Decimal) => (Decimal.isLess(best, trailFrom) ? trailFrom : away(best, followStep))
  const before = marked(decimalIn(memory, "best"))
  const best = Decimal.isLess(now, goalAfter(before)) ? before : now
  const profit = toDecimal(own.realisedProfit, market.quote.decimals)
  const profitBefore = decimalIn(memory, "profitBefore") ?? profit
  const earned = Decimal.max(Decimal.subtract(profit, profitBefore), decimalIn(memory, "earned") ?? Decimal.zero)
  const risen = Decimal.multiply(end.stopRises ?? Decimal.zero, earned)
  const stop = end.stop && Decimal.add(away(began, negate(end.stop)), risen)
  const trail = end.trail && !Decimal.isLess(best, trailFrom) ? away(best, negate(end.trail)) : undefined
  const low = stop && trail ? Decimal.max(stop, trail) : (stop ?? trail)
  const high = end.takeProfit && away(began, end.takeProfit)
  const endedBy = (equity: Decimal.Decimal, name: string): string =>
    `ended: its equity reached the ${name} of ${formatWithSymbol(floorOf(equity, market.quote.decimals), market.quote)}`
  const ended =
    low !== undefined && !Decimal.isGreater(now, low)
      ? endedBy(low, low === trail ? "trailing stop" : "stop")
      : high !== undefined && !Decimal.isLess(now, high)
        ? endedBy(high, "take-profit")
        : undefined
  const priceOf = (equity: Decimal.Decimal | undefined): Decimal.Decimal | undefined => {
    if (equity === undefined || !Decimal.isPositive(base)) return undefined
    const price = Decimal.divide(Decimal.subtract(equity, quote), base, equityPlaces, "down")
    return Decimal.isPositive(price) ? price : undefined
  }
  const leaves = priceOf(low)
  return {
    memory: {
      began: Decimal.format(began),
      base: Decimal.format(capital.base),
      quote: Decimal.format(capital.quote),
      ...(end.trail && { best: Decimal.format(best) }),
      ...(end.stopRises && { profitBefore: Decimal.format(profitBefore), earned: Decimal.format(earned) })
    },
    ended,
    until: narrowed<PriceBounds>({}, [leaves], [priceOf(high), end.trail && priceOf(goalAfter(best))]),
    stops: narrowed<PriceBounds>({}, [leaves], [])
  }
}

interface Sale {
  /** Missing: near the market, which it follows. */
  readonly price?: Price | undefined
  readonly by?: "order" | "swap" | undefined
}

type End = "cancel" | "leave" | Sale

const endWord = Read.mapped(Read.oneOf("cancel", "leave", "sell"), (word): End => (word === "sell" ? {} : word))
const saleKeys = {
  price: Read.optional(Read.price, "the worst price of the sale", "near the market, which it follows"),
  by: Read.optional(execution, "swap: sold at once at this price or a better one", "an order")
}
const sale = Read.checked(
  { sell: Read.required(Read.checked(saleKeys, (asked): Sale => asked)) },
  ({ sell }): End => sell
)
const end = Read.either(endWord, sale, Read.isMap)

const moment = Read.written(
  Read.scalar(
    "a date such as 2027-01-31 or 2027-01-31T12:00Z",
    Timestamp.written,
    () => "the year first; without a zone it is UTC",
    { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}" }
  ),
  iso
)

export const keys = {
  from: Read.optional(moment, "nothing is placed before this date", "at once"),
  when: Read.optional(Read.expression, "it begins when this is first true, and stays begun", "at once"),
  until: Read.optional(moment, "it ends at this date", "never"),
  onEnd: Read.optional(
    end,
    "what happens then: cancel, leave, sell, or { sell: { price: 61000 } }, { sell: { by: swap } }",
    "cancel at until, sell at a limit of equity"
  ),
  equity: Read.optional(equityEnd, "stop, takeProfit and trail of the whole strategy, by its equity", "none")
}

type Fields = Partial<Read.Fields<typeof keys>>

interface Period {
  readonly from: number | undefined
  readonly until: number | undefined
  readonly when: { readonly term: Term; readonly text: string; readonly needs: Needs } | undefined
  readonly equity: EquityEnd | undefined
  readonly budget: Budget
  readonly onEnd: End | undefined
  readonly leaving: StopExit
  readonly sourceOf: (field: "from" | "when" | "until" | "equity") => string
  readonly mark: Marking
}

/** `timeframe` is for candles in `when` whose timeframe is not written. */
export const periodOf = (
  { equity, from, onEnd, until, when }: Fields,
  timeframe: string,
  context: KindContext
): ((behaviour: Behaviour) => Behaviour) | undefined => {
  const { market, others, to } = context
  if (from !== undefined && until !== undefined && until.value <= from.value)
    report(to, until, `it would end before it begins at ${iso(from.value)}`, "give a later date")
  if (onEnd !== undefined && until === undefined && equity === undefined)
    report(to, onEnd, "onEnd without until or equity does nothing", "give one of them, or remove this key")
  if (equity !== undefined && others.length > 0)
    report(to, equity, "only a strategy of a single market can end by its equity", "remove this key")
  if (typeof onEnd?.value === "object" && others.length > 0)
    report(to, onEnd, "only the position of a single market can be sold at the end", "cancel or leave")
  const scope = scopeOf(context, timeframe)
  const term = when && compile(when.value, "boolean", "condition", scope)
  if (from === undefined && until === undefined && term === undefined && equity === undefined) return undefined
  const places = { from, when, until, equity }
  return during({
    from: from?.value,
    until: until?.value,
    when: term && when && { term, text: when.value.text, needs: scope.needs },
    equity: equity?.value,
    budget: context.budget ?? { base: 0n, quote: 0n },
    onEnd: onEnd?.value,
    leaving: stopExit(market, "SELL", { reach: reach.fallback, floor: undefined }, to),
    sourceOf: (field) => place(to.source, places[field]?.start ?? 0),
    mark: marking(":period")
  })
}

const during =
  (period: Period) =>
  (behaviour: Behaviour): Behaviour => {
    // A glance does not show a period.
    const { stands: _, ...kept } = behaviour
    const { decide, inputs } = behaviour
    const { equity, mark, when } = period
    const beginning = when === undefined ? {} : { begun: true }
    return {
      ...kept,
      ...present({ endsAt: period.until }),
      ...joined(kept, when?.needs ?? noNeeds()),
      decide: (view, memory) => {
        const noted = mark.of(memory)
        const own = mark.off(memory)
        const over = overIn(period, view, noted)
        if (over !== undefined) return ended(period, view, memory, decide, over)
        const wait = waitOf(period, view, noted)
        const waits = wait === undefined || own === null ? {} : { waits: true }
        if (wait !== undefined && !hasPosition(view)) {
          const absent = absentSlots(slotsIn(decide(view, own)), wait.why, period.from)
          const waiting = mark.on(own, { ...noted, ...waits })
          return { desired: [], absent, memory: waiting, reasons: [wait.why], until: wait.until }
        }
        const course = equity && courseOf(equity, period.budget, view, noted)
        if (course?.ended !== undefined) {
          const last = mark.on(own, { ...beginning, ...course.memory, ended: course.ended })
          return ended(period, view, last, decide, { field: "equity", text: course.ended })
        }
        const decision = decide(viewOf(view, wait !== undefined, isTrueIn(noted, "waits")), own)
        const until = endingBy(period, decision.until)
        const fields = { ...(wait === undefined && beginning), ...waits, ...course?.memory }
        const answer = { ...decision, memory: mark.on(decision.memory, fields), until }
        const bounded = course === undefined ? answer : { ...answer, ...boundedBy(course, answer) }
        return wait === undefined ? bounded : exitsOf(bounded, view, wait, period.from)
      },
      inputs: (view, memory) => {
        const noted = mark.of(memory)
        if (overIn(period, view, noted) !== undefined) return new Map()
        const own = mark.off(memory)
        const waits = when !== undefined && waitOf(period, view, noted) !== undefined && !hasPosition(view)
        if (!waits) return inputs?.(view, own) ?? new Map()
        const checks = inputsOf([when.term], momentOf(view.market, view), (at) => truth(when.term, at) === "yes")
        return new Map(slotsIn(decide(view, own)).map((slot) => [slot, checks]))
      }
    }
  }

const viewOf = (view: View, isWaiting: boolean, hasWaited: boolean): View =>
  isWaiting ? viewWith(view, { isHeld: true, mayBegin: false }) : hasWaited ? viewWith(view, { begins: true }) : view

type Over = NonNullable<ReturnType<typeof overIn>>

const overIn = ({ until }: Period, { now }: View, noted: Memory) => {
  if (until !== undefined && now >= until) return { field: "until", text: `ended at ${iso(until)}` } as const
  const text = textIn(noted, "ended")
  return text === undefined ? undefined : ({ field: "equity", text } as const)
}

const boundedBy = ({ stops, until }: EquityCourse, decision: Decision): Pick<Decision, "stops" | "until"> => ({
  until: { ...narrowed(decision.until, [until.priceBelow], [until.priceAbove]), onFill: true },
  stops: narrowed(decision.stops ?? {}, [stops.priceBelow], [])
})

const absentSlots = (slots: ReadonlyArray<string>, why: Reason, at?: number): Decision["absent"] =>
  slots.map((slot) => ({ slot, why, ...present({ at }) }))

const endingBy = ({ until }: Period, bounds: Bounds): Bounds =>
  until === undefined ? bounds : { ...bounds, time: Math.min(bounds.time ?? until, until) }

/** Slot by slot: a purchase of one cell of a grid and a sale of another do not close a position. */
const hasPosition = ({ slots }: View): boolean =>
  [...slots.values()].some(({ bought, filledInLeg, lastLeg, sold }) => {
    const rest = magnitude(bought - sold)
    return rest > 0n && (filledInLeg > 0n || !isLeftover(rest, lastLeg?.quantity ?? 0n))
  })

/**
 * A slot whose exit is due, or follows an entry that has filled in part, as its kind plans it. Such an entry trades at most the rest of its
 * open order, or without `order` nothing more. A repeated slot that sells first is not closed with a part of its sale: it would buy back the
 * whole.
 */
const positionOf = (
  desired: DesiredSlot,
  progress: SlotProgress,
  order: SlotProgress["live"]
): DesiredSlot | undefined => {
  if (armedLeg(desired, progress)?.isExit === true) return desired
  const due = dueLeg(desired, progress)
  const [entry, exit] = desired.legs.slice(due)
  const filled = filledOfLeg(desired, progress)
  if (entry === undefined || exit === undefined || exit.side === entry.side || filled <= 0n) return undefined
  if (desired.cycle && entry.side === "SELL") return undefined
  if (entry.quantity <= filled) return desired
  const cut = { ...entry, price: order?.price ?? entry.price, quantity: filled + (order?.quantity ?? 0n) }
  return { ...desired, legs: Array.map(desired.legs, (leg, index) => (index === due ? cut : leg)) }
}

/** Keeps the exits of a strategy that has not begun again, and the bounds at which its kind plans others. */
const exitsOf = (decision: Decision, view: View, { until, why }: Wait, from: number | undefined): Decision => {
  const [desired, idle] = Array.partition(decision.desired, (slot) => {
    const position = positionOf(slot, progressOf(view, slot.slot), undefined)
    if (position === undefined) return Result.fail(slot.slot)
    return Result.succeed(position === slot ? slot : { ...position, why })
  })
  const absent = absentSlots([...decision.absent.map(({ slot }) => slot), ...idle], why, from)
  return { ...decision, desired, absent, until: { ...sooner(decision.until, until), onFill: true } }
}

type Wait = NonNullable<ReturnType<typeof waitOf>>

/** The reason for waiting and its bounds, or `undefined` once the strategy has begun. */
const waitOf = (period: Period, view: View, noted: Memory) => {
  const { from, sourceOf, when } = period
  if (from !== undefined && view.now < from) {
    const why = { code: "not-begun", text: `begins at ${iso(from)}`, source: sourceOf("from") }
    return { why, until: { onFill: false, time: from } }
  }
  if (when === undefined || isTrueIn(noted, "begun")) return undefined
  const at = momentOf(view.market, view)
  const verdict = truth(when.term, at)
  if (verdict === "yes") return undefined
  const text = verdict === "no" ? `begins when ${when.text}` : verdict.text
  const why = { code: "not-begun", text, source: sourceOf("when") }
  return { why, until: endingBy(period, boundsOf(when.needs, at, at.found.times)) }
}

/** True if the kind has never decided, so that it has nothing to exit. */
const isUntouched = ({ slots }: View, memory: Memory): boolean =>
  memory === null && [...slots.values()].every(({ bought, live, sold }) => live === undefined && bought + sold === 0n)

const ended = (period: Period, view: View, memory: Memory, decide: Decide, { field, text }: Over): Decision => {
  const { mark, sourceOf } = period
  const onEnd = period.onEnd ?? (field === "until" ? "cancel" : {})
  const why = { code: "period-over", text, source: sourceOf(field) }
  const own = mark.off(memory)
  const decision = decide(viewWith(view, { isHeld: true }), own)
  const leaves = onEnd === "leave" && !isUntouched(view, own)
  const goesOn = leaves ? decision.desired.flatMap((slot) => lastOrdersOf(slot, view)) : []
  const going = new Set(goesOn.map(({ slot }) => slot))
  const idle = slotsIn(decision).filter((slot) => !going.has(slot))
  const absent = absentSlots(idle, why)
  const over = { desired: goesOn, absent, memory, reasons: [why], until: { onFill: true } }
  if (typeof onEnd === "object") return sold(period, onEnd, view, over, field)
  const isOver = (field === "equity" && goesOn.length === 0) || undefined
  if (!leaves) return { ...over, ...present({ isOver }) }
  const marked = mark.on(decision.memory, mark.of(memory))
  const until = { ...decision.until, onFill: true }
  return { ...over, ...present({ isOver, stops: decision.stops }), memory: marked, until }
}

/** A position continues as its kind plans it. An open entry stays as it is. */
const lastOrdersOf = (desired: DesiredSlot, view: View): ReadonlyArray<DesiredSlot> => {
  const progress = progressOf(view, desired.slot)
  const { live } = progress
  const position = positionOf(desired, progress, live)
  if (position !== undefined) return [position]
  if (live === undefined) return []
  const order = { ...live, ...present({ by: desired.legs[dueLeg(desired, progress)]?.by }) }
  return live.quantity === 0n
    ? [desired]
    : [{ ...desired, legs: [order], cycle: false, after: legsDone(view, desired.slot) }]
}

const sold = (
  { leaving, mark, sourceOf }: Period,
  { by, price: worst }: Sale,
  view: View,
  over: Decision,
  field: Over["field"]
): Decision => {
  const now = mid(view.price)
  const noted = mark.of(over.memory)
  const exitStart = leaving.left(now, now, leftIn(noted))
  const price = worst === undefined ? leaving.price(exitStart) : orderPrice(view.market, "SELL", worst)
  // Counts from the last restart, as for a new strategy.
  const bought = positionIn(view) - (view.means?.position ?? 0n)
  const quantity = heldIn(view, bought)
  const isTooSmall = (amount: Amount) => quoteAmount(view.market, max(0n, amount), price, "down") === 0n
  // Base of a cancelled sale may still be on its way back.
  const isSold = isTooSmall(bought)
  const inBase = (amount: Amount) => formatWithSymbol(amount, view.market.base)
  const short = isTooSmall(-bought) ? "" : `, short ${inBase(-bought)}: it buys nothing back`
  const rest = isSold ? short : `, then sells ${inBase(bought)}`
  const reasonOf = (why: Reason) => ({ ...why, text: why.text + rest, ...(!isSold && { code: "period-sells" }) })
  const absent = over.absent.map((each) => ({ ...each, why: reasonOf(each.why) }))
  if (isTooSmall(quantity)) {
    const isOver = (field === "equity" && isSold) || undefined
    return { ...over, absent, reasons: over.reasons.map(reasonOf), ...present({ isOver }) }
  }
  const text = `sells what it holds, ${inBase(quantity)}, ${atPrice(by === "swap", price)}: the strategy has ended`
  const slot: DesiredSlot = {
    slot: exitSlot,
    legs: [{ side: "SELL", price, quantity, mayLose: true, ...bySwap(by === "swap") }],
    cycle: false,
    after: legsDone(view, exitSlot),
    why: { code: worst === undefined ? "period-exit" : "period-sale", text, source: sourceOf(field) }
  }
  return {
    ...over,
    desired: [slot],
    absent: absent.filter((each) => each.slot !== exitSlot),
    memory: mark.on(mark.off(over.memory), { ...noted, ...rememberLeft(exitStart) }),
    until: { ...(worst === undefined && leaving.until(exitStart)), onFill: true }
  }
}

/** Base that was bought and can be sold now, without base that other open orders may still sell. */
const heldIn = (view: View, bought: Amount): Amount => {
  const live = [...view.slots].flatMap(([slot, { live: order }]) =>
    order?.side === "SELL" ? [{ isOurs: slot === exitSlot, quantity: order.quantity }] : []
  )
  const sumOf = (isOurs: boolean) =>
    live.reduce((sum, order) => (order.isOurs === isOurs ? sum + order.quantity : sum), 0n)
  const rest = bought - sumOf(false)
  return view.own === undefined ? rest : min(rest, view.own.freeBase + sumOf(true))
}

/** A mapping without braces ends with its last value, although its span ends where the next key begins. */
const textEnd = (node: YamlNode, text: string): number =>
  node.type === "map" && text[node.start] !== "{"
    ? [...node.entries.values()].reduce((end, { value }) => Math.max(end, textEnd(value, text)), node.start)
    : node.end

/** The text of a strategy file with this end instead of any other, and without a future beginning. Other lines stay as they are. */
export const endingText = (text: string, at: number, { by, price }: { price?: string; by?: "swap" }): string => {
  const terms = [price && `price: ${price}`, by && `by: ${by}`].filter((term) => term !== undefined)
  const onEnd = terms.length === 0 ? "sell" : `{ sell: { ${terms.join(", ")} } }`
  const yaml = Result.getOrUndefined(readYaml(sourceText("", text)))
  const kind = yaml?.type === "map" ? yaml.entries.get("kind") : undefined
  if (yaml?.type !== "map" || kind === undefined) return text
  const isFlow = text[yaml.start] === "{"
  const from = yaml.entries.get("from")
  const isToCome = from?.value.type === "scalar" && (Timestamp.written(from.value.text) ?? at) >= at
  const old = [yaml.entries.get("until"), yaml.entries.get("onEnd"), isToCome ? from : undefined]
  const lineStart = (offset: number) => text.lastIndexOf("\n", offset - 1) + 1
  const [eol] = /\r?\n/.exec(text) ?? ["\n"]
  const [indent] = /[ ]*$/.exec(text.slice(lineStart(kind.key.start), kind.key.start)) ?? [""]
  const between = isFlow ? ", " : `${eol}${indent}`
  const edits = old.flatMap((entry) => {
    if (entry === undefined) return []
    const end = textEnd(entry.value, text)
    const [rest] = (isFlow ? /^\s*,?\s*/ : /^.*\r?\n?/).exec(text.slice(end)) ?? [""]
    return [{ start: isFlow ? entry.key.start : lineStart(entry.key.start), end: end + rest.length, by: "" }]
  })
  const added = [`until: ${iso(at)}`, `onEnd: ${onEnd}`].map((line) => `${line}${between}`).join("")
  return [...edits, { start: kind.key.start, end: kind.key.start, by: added }]
    .sort((one, other) => other.start - one.start)
    .reduce((edited, { by, end, start }) => edited.slice(0, start) + by + edited.slice(end), text)
}
