/**
 * `from`, `when`, `until`, `equity` and `onEnd` of a strategy file: when a strategy of any kind begins and ends. It begins at the first
 * time from `from` on at which `when` is true, and stays begun. Until then nothing is placed, and times that the kind counts have not
 * started.
 *
 * It ends for good at `until`, or once its equity reaches a limit of `equity`. `onEnd: cancel` cancels every order and keeps what the
 * strategy holds. `leave` keeps open orders and exits, and places nothing else. `sell` cancels every order and sells what the strategy
 * bought and has not sold. It sells like an exit after a stop, or at its own price, by an order or a swap.
 */
import { Result } from "effect"
import { type Amount, formatWithSymbol, max, min } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import { mid, type Price, quoteAmount } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { iso } from "../../domain/Text.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { armedLeg, type Bounds, type Decision, type DesiredSlot, type Memory, narrowed, slotsIn } from "../Decision.ts"
import { inputsOf } from "../expression/Checks.ts"
import { compile } from "../expression/Compiler.ts"
import { boundsOf, momentOf, positionIn, truth } from "../expression/Judge.ts"
import { joined, type Needs, noNeeds } from "../expression/Needs.ts"
import { scopeOf } from "../expression/Scope.ts"
import type { Term } from "../expression/Term.ts"
import * as Read from "../Fields.ts"
import type { KindContext } from "../Kind.ts"
import { atPrice, bySwap, execution } from "../kinds/Execution.ts"
import { isTrueIn, type Marking, marking, textIn } from "../kinds/Memory.ts"
import { orderPrice } from "../kinds/PriceLevels.ts"
import { exitSlot, leftIn, reach, rememberLeft, type StopExit, stopExit } from "../kinds/StopExit.ts"
import { place, report, sourceText } from "../Problem.ts"
import type { Behaviour, Budget, Decide } from "../Strategy.ts"
import { legsDone, progressOf, type View, viewWith } from "../View.ts"
import { readYaml, type YamlNode } from "../YamlReader.ts"
import { courseOf, type EquityCourse, type EquityEnd, equityEnd } from "./EquityEnd.ts"

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
    leaving: stopExit(market, "SELL", { reach: reach.otherwise, floor: undefined }, to),
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
        if (wait !== undefined) {
          const absent = absentSlots(slotsIn(decide(view, own)), wait.why, period.from)
          return { desired: [], absent, memory, reasons: [wait.why], until: wait.until }
        }
        const course = equity && courseOf(equity, period.budget, view, noted)
        if (course?.ended !== undefined) {
          const last = mark.on(own, { ...beginning, ...course.memory, ended: course.ended })
          return ended(period, view, last, decide, { field: "equity", text: course.ended })
        }
        const decision = decide(view, own)
        const until = endingBy(period, decision.until)
        const answer = { ...decision, memory: mark.on(decision.memory, { ...beginning, ...course?.memory }), until }
        return course === undefined ? answer : { ...answer, ...boundedBy(course, answer) }
      },
      inputs: (view, memory) => {
        const noted = mark.of(memory)
        if (overIn(period, view, noted) !== undefined) return new Map()
        const own = mark.off(memory)
        if (when === undefined || waitOf(period, view, noted) === undefined) return inputs?.(view, own) ?? new Map()
        const checks = inputsOf([when.term], momentOf(view.market, view), (at) => truth(when.term, at) === "yes")
        return new Map(slotsIn(decide(view, own)).map((slot) => [slot, checks]))
      }
    }
  }

interface Over {
  readonly field: "until" | "equity"
  readonly text: string
}

const overIn = ({ until }: Period, { now }: View, noted: Memory): Over | undefined => {
  if (until !== undefined && now >= until) return { field: "until", text: `ended at ${iso(until)}` }
  const text = textIn(noted, "ended")
  return text === undefined ? undefined : { field: "equity", text }
}

const boundedBy = ({ stops, until }: EquityCourse, decision: Decision): Pick<Decision, "stops" | "until"> => ({
  until: { ...narrowed(decision.until, [until.priceBelow], [until.priceAbove]), onFill: true },
  stops: narrowed(decision.stops ?? {}, [stops.priceBelow], [])
})

const absentSlots = (slots: ReadonlyArray<string>, why: Reason, at?: number): Decision["absent"] =>
  slots.map((slot) => ({ slot, why, ...present({ at }) }))

const endingBy = ({ until }: Period, bounds: Bounds): Bounds =>
  until === undefined ? bounds : { ...bounds, time: Math.min(bounds.time ?? until, until) }

/** The reason for waiting and its bounds, or `undefined` once the strategy has begun. */
const waitOf = (
  period: Period,
  view: View,
  noted: Memory
): { readonly why: Reason; readonly until: Bounds } | undefined => {
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

/** A due exit continues as its kind plans it. An open entry stays as it is. */
const lastOrdersOf = (desired: DesiredSlot, view: View): ReadonlyArray<DesiredSlot> => {
  const progress = progressOf(view, desired.slot)
  const { live } = progress
  if (armedLeg(desired, progress)?.isExit === true) return [desired]
  if (live === undefined) return []
  return live.quantity === 0n
    ? [desired]
    : [{ ...desired, legs: [live], cycle: false, after: legsDone(view, desired.slot) }]
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
  const sells = over.absent.map(({ why, ...each }) => ({ ...each, why: { ...why, code: "period-sells" } }))
  const absent = isSold ? over.absent : sells
  if (isTooSmall(quantity))
    return { ...over, absent, ...present({ isOver: (field === "equity" && isSold) || undefined }) }
  const amount = formatWithSymbol(quantity, view.market.base)
  const text = `sells what it holds, ${amount}, ${atPrice(by === "swap", price)}: the strategy has ended`
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
