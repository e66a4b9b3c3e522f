/**
 * `from`, `when`, `until` and `onEnd` of a strategy file: when a strategy of any kind begins and ends. It begins at the first moment from
 * `from` on at which `when` is true, and stays begun. Until then nothing is placed, and times that the kind counts have not started.
 *
 * At `until` it ends for good. `onEnd: cancel` withdraws every order and keeps what it holds. `leave` lets open orders and exits go on, and
 * places nothing else. `sell` withdraws every order and sells what the strategy bought and has not sold: like an exit after a stop, or at
 * a price of its own, by an order or a swap.
 */
import { Result } from "effect"
import { type Amount, formatWithSymbol, max, min } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import { mid, type Price, quoteAmount } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { iso } from "../../domain/Text.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { armedLeg, type Bounds, type Decision, type DesiredSlot, type Memory } from "../Decision.ts"
import { inputsOf } from "../expression/Checks.ts"
import { compile } from "../expression/Compiler.ts"
import { boundsOf, momentOf, positionIn, truth } from "../expression/Judge.ts"
import { joined, type Needs, noNeeds } from "../expression/Needs.ts"
import { scopeOf } from "../expression/Scope.ts"
import type { Term } from "../expression/Term.ts"
import * as Read from "../Fields.ts"
import { described, schemaOf } from "../JsonSchema.ts"
import type { Behaviour, KindContext } from "../Kind.ts"
import { atPrice, bySwap, execution } from "../kinds/Execution.ts"
import { beside, isRecord, isTrueIn, recordIn } from "../kinds/Memory.ts"
import { orderPrice } from "../kinds/PriceLevels.ts"
import { leftIn, reach, rememberLeft, type StopExit, stopExit } from "../kinds/StopExit.ts"
import { place, type Report, report, sourceText } from "../Problem.ts"
import type { Limits } from "../Strategy.ts"
import { legsDone, progressOf, type View, viewWith } from "../View.ts"
import { readYaml, type YamlNode } from "../YamlReader.ts"

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
const end = described(
  (node: YamlNode, to: Report) => (node.type === "map" ? sale : endWord)(node, to),
  () => ({ anyOf: [schemaOf(endWord), schemaOf(sale)] })
)

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
    "cancel"
  )
}

type Fields = Partial<Read.Fields<typeof keys>>

/** No rule can have this name. */
const key = ":period"
/** The slot in which several kinds exit. At the end all other slots are withdrawn, so it is free. */
const exit = "exit"

interface Period {
  readonly from: number | undefined
  readonly until: number | undefined
  readonly when: { readonly term: Term; readonly text: string; readonly needs: Needs } | undefined
  readonly onEnd: End
  readonly leaving: StopExit
  readonly minOrder: Amount
  readonly sourceOf: (field: "from" | "when" | "until") => string
}

/** `timeframe`: of candles in `when` whose timeframe is not written. */
export const periodOf = (
  { from, onEnd, until, when }: Fields,
  timeframe: string,
  context: KindContext & { readonly limits?: Pick<Limits, "minOrder"> | undefined }
): ((behaviour: Behaviour) => Behaviour) | undefined => {
  const { market, others, to } = context
  if (from !== undefined && until !== undefined && until.value <= from.value)
    report(to, until, `it would end before it begins at ${iso(from.value)}`, "give a later date")
  if (onEnd !== undefined && until === undefined)
    report(to, onEnd, "onEnd without until does nothing", "give until, or remove this key")
  if (typeof onEnd?.value === "object" && others.length > 0)
    report(to, onEnd, "only the position of a single market can be sold at the end", "cancel or leave")
  const scope = scopeOf(context, timeframe)
  const term = when && compile(when.value, "boolean", "condition", scope)
  if (from === undefined && until === undefined && term === undefined) return undefined
  const places = { from, when, until }
  return during({
    from: from?.value,
    until: until?.value,
    when: term && when && { term, text: when.value.text, needs: scope.needs },
    onEnd: onEnd?.value ?? "cancel",
    leaving: stopExit(market, "SELL", { reach: reach.otherwise, floor: undefined }, to),
    minOrder: context.limits?.minOrder ?? 0n,
    sourceOf: (field) => place(to.source, places[field]?.start ?? 0)
  })
}

const during =
  (period: Period) =>
  (behaviour: Behaviour): Behaviour => {
    // A glance does not show a period.
    const { stands: _, ...kept } = behaviour
    const { decide, inputs } = behaviour
    const mark = marking(period)
    return {
      ...kept,
      ...present({ endsAt: period.until }),
      ...joined(kept, period.when?.needs ?? noNeeds()),
      decide: (view, memory) => {
        if (isOver(period, view)) return ended(period, view, memory, behaviour, mark)
        const wait = waitOf(period, view, memory)
        const decision = decide(view, mark.off(memory))
        if (wait === undefined)
          return { ...decision, memory: mark.on(decision.memory), until: endingBy(period, decision.until) }
        const slots = [...decision.desired, ...decision.absent].map(({ slot }) => slot)
        return {
          desired: [],
          absent: absentSlots(slots, wait.why, period.from),
          memory,
          reasons: [wait.why],
          until: wait.until
        }
      },
      inputs: (view, memory) => {
        if (isOver(period, view)) return new Map()
        const { when } = period
        const own = mark.off(memory)
        if (when === undefined || waitOf(period, view, memory) === undefined) return inputs?.(view, own) ?? new Map()
        const checks = inputsOf([when.term], momentOf(view.market, view), (at) => truth(when.term, at) === "yes")
        const { absent, desired } = decide(view, own)
        return new Map([...desired, ...absent].map(({ slot }) => [slot, checks]))
      }
    }
  }

const isOver = ({ until }: Period, { now }: View): boolean => until !== undefined && now >= until

const absentSlots = (slots: ReadonlyArray<string>, why: Reason, at?: number): Decision["absent"] =>
  slots.map((slot) => ({ slot, why, ...present({ at }) }))

const endingBy = ({ until }: Period, bounds: Bounds): Bounds =>
  until === undefined ? bounds : { ...bounds, time: Math.min(bounds.time ?? until, until) }

const hasBegun = (memory: Memory): boolean => isTrueIn(recordIn(memory, key), "begun")

const withPeriod = (own: Memory, period: { readonly [key: string]: Memory }): Memory =>
  isRecord(own) ? beside(own, { [key]: period }) : { [key]: { ...period, memory: own } }

/** The memory of the kind alone, as the kind returned it. */
const withoutPeriod = (memory: Memory): Memory => {
  if (!isRecord(memory) || !(key in memory)) return memory
  const { [key]: period = null, ...own } = memory
  return isRecord(period) && "memory" in period ? recordIn(period, "memory") : own
}

interface Mark {
  readonly on: (own: Memory) => Memory
  readonly off: (memory: Memory) => Memory
}

/** Marks a memory as that of a strategy that has begun. A kind gets the object back that it returned, and parses nothing anew. */
const marking = ({ when }: Period): Mark => {
  let last: { readonly own: Memory; readonly marked: Memory } | undefined
  return {
    on: (own) => {
      if (when === undefined) return own
      if (last?.own !== own) last = { own, marked: withPeriod(own, { begun: true }) }
      return last.marked
    },
    off: (memory) => (last !== undefined && last.marked === memory ? last.own : withoutPeriod(memory))
  }
}

/** Returns the reason for waiting and its bounds, or `undefined` once the strategy has begun. */
const waitOf = (
  period: Period,
  view: View,
  memory: Memory
): { readonly why: Reason; readonly until: Bounds } | undefined => {
  const { from, sourceOf, when } = period
  if (from !== undefined && view.now < from) {
    const why = { code: "not-begun", text: `begins at ${iso(from)}`, source: sourceOf("from") }
    return { why, until: { onFill: false, time: from } }
  }
  if (when === undefined || hasBegun(memory)) return undefined
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

const ended = (period: Period, view: View, memory: Memory, { decide }: Behaviour, mark: Mark): Decision => {
  const { onEnd, sourceOf, until = view.now } = period
  const why = { code: "period-over", text: `ended at ${iso(until)}`, source: sourceOf("until") }
  const decision = decide(viewWith(view, { isHeld: true }), mark.off(memory))
  const leaves = onEnd === "leave" && !isUntouched(view, memory)
  const goesOn = leaves ? decision.desired.flatMap((slot) => lastOrdersOf(slot, view)) : []
  const going = new Set(goesOn.map(({ slot }) => slot))
  const slots = [...decision.desired, ...decision.absent].map(({ slot }) => slot)
  const absent = absentSlots(
    slots.filter((slot) => !going.has(slot)),
    why
  )
  const bounds = { ...decision.until, onFill: true }
  if (leaves) {
    const left = hasBegun(memory) ? mark.on(decision.memory) : decision.memory
    return { ...decision, desired: goesOn, absent, memory: left, reasons: [why], until: bounds }
  }
  const over = { absent, memory, reasons: [why], until: { onFill: true } }
  return typeof onEnd === "string" ? { ...over, desired: [] } : sold(period, onEnd, view, over)
}

/** An exit that is due goes on as its kind wants it. An entry that is open stays as it is. */
const lastOrdersOf = (desired: DesiredSlot, view: View): ReadonlyArray<DesiredSlot> => {
  const progress = progressOf(view, desired.slot)
  const { live } = progress
  if (armedLeg(desired, progress)?.isExit === true) return [desired]
  if (live === undefined) return []
  return live.quantity === 0n
    ? [desired]
    : [{ ...desired, legs: [live], cycle: false, after: legsDone(view, desired.slot) }]
}

const sold = (period: Period, { by, price: worst }: Sale, view: View, over: Omit<Decision, "desired">): Decision => {
  const { leaving, sourceOf } = period
  const now = mid(view.price)
  const before = recordIn(over.memory, key)
  const left = leaving.left(now, now, leftIn(before))
  const price = worst === undefined ? leaving.price(left) : orderPrice(view.market, "SELL", worst)
  const quantity = heldIn(view)
  if (quantity <= 0n || quoteAmount(view.market, quantity, price, "down") < max(1n, period.minOrder))
    return { ...over, desired: [] }
  const amount = formatWithSymbol(quantity, view.market.base)
  const text = `sells what it holds, ${amount}, ${atPrice(by === "swap", price)}: the strategy has ended`
  const slot: DesiredSlot = {
    slot: exit,
    legs: [{ side: "SELL", price, quantity, mayLose: true, ...bySwap(by === "swap") }],
    cycle: false,
    after: legsDone(view, exit),
    why: { code: worst === undefined ? "period-exit" : "period-sale", text, source: sourceOf("until") }
  }
  return {
    ...over,
    desired: [slot],
    absent: over.absent.filter((each) => each.slot !== exit),
    memory: withPeriod(withoutPeriod(over.memory), beside(before, rememberLeft(left))),
    until: { ...(worst === undefined && leaving.until(left)), onFill: true }
  }
}

/** Base that the strategy bought, has not sold, and can sell now. */
const heldIn = (view: View): Amount => {
  const position = positionIn(view)
  if (view.own === undefined) return position
  const { live } = progressOf(view, exit)
  return min(position, view.own.freeBase + (live?.side === "SELL" ? live.quantity : 0n))
}

/** A mapping without braces ends with its last value, and its span where the next key begins. */
const textEnd = (node: YamlNode, text: string): number =>
  node.type === "map" && text[node.start] !== "{"
    ? [...node.entries.values()].reduce((end, { value }) => Math.max(end, textEnd(value, text)), node.start)
    : node.end

/**
 * The text of a strategy file with this end instead of any other, and without a beginning that is still to come. Other lines stay as they
 * are.
 */
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
