/**
 * `from`, `when`, `until` and `onEnd` of a strategy file: when a strategy of any kind begins and ends. It begins at the first moment from
 * `from` on at which `when` is true, and stays begun. Until then nothing is placed, and times that the kind counts have not started.
 *
 * At `until` it ends for good. `onEnd: cancel` withdraws every order and keeps what it holds. `leave` lets open orders and exits go on, and
 * places nothing else. `sell` withdraws every order and sells what the strategy bought and has not sold: like an exit after a stop, or at
 * a price of its own, by an order or a swap.
 */
import { type Amount, formatWithSymbol, min } from "../../domain/Amount.ts"
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
import { beside, isTrueIn, recordIn } from "../kinds/Memory.ts"
import { orderPrice } from "../kinds/PriceLevels.ts"
import { leftIn, reach, rememberLeft, type StopExit, stopExit } from "../kinds/StopExit.ts"
import { place, type Report, report } from "../Problem.ts"
import type { Limits } from "../Strategy.ts"
import { legsDone, progressOf, type View, viewWith } from "../View.ts"
import type { YamlNode } from "../YamlReader.ts"

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
        if (isOver(period, view)) return ended(period, view, memory, behaviour)
        const wait = waitOf(period, view, memory)
        const decision = decide(view, mark.off(memory))
        if (wait === undefined)
          return { ...decision, memory: mark.on(decision.memory), until: endingBy(period, decision.until) }
        const slots = [...decision.desired, ...decision.absent].map(({ slot }) => slot)
        return { desired: [], absent: absentSlots(slots, wait.why), memory, reasons: [wait.why], until: wait.until }
      },
      inputs: (view, memory) => {
        if (isOver(period, view)) return new Map()
        const { when } = period
        if (when === undefined || waitOf(period, view, memory) === undefined) return inputs?.(view, memory) ?? new Map()
        const checks = inputsOf([when.term], momentOf(view.market, view), (at) => truth(when.term, at) === "yes")
        const { absent, desired } = decide(view, memory)
        return new Map([...desired, ...absent].map(({ slot }) => [slot, checks]))
      }
    }
  }

const isOver = ({ until }: Period, { now }: View): boolean => until !== undefined && now >= until

const absentSlots = (slots: ReadonlyArray<string>, why: Reason): Decision["absent"] =>
  slots.map((slot) => ({ slot, why }))

const endingBy = ({ until }: Period, bounds: Bounds): Bounds =>
  until === undefined ? bounds : { ...bounds, time: Math.min(bounds.time ?? until, until) }

const hasBegun = (memory: Memory): boolean => isTrueIn(recordIn(memory, key), "begun")

/** Marks a memory as that of a strategy that has begun. A kind gets the object back that it returned, and parses nothing anew. */
const marking = ({ when }: Period) => {
  let last: { readonly own: Memory; readonly marked: Memory } | undefined
  return {
    on: (own: Memory): Memory => {
      if (when === undefined) return own
      if (last?.own !== own) last = { own, marked: beside(own, { [key]: { begun: true } }) }
      return last.marked
    },
    off: (memory: Memory): Memory => (last !== undefined && last.marked === memory ? last.own : memory)
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

const ended = (period: Period, view: View, memory: Memory, { decide }: Behaviour): Decision => {
  const { onEnd, sourceOf, until = view.now } = period
  const why = { code: "period-over", text: `ended at ${iso(until)}`, source: sourceOf("until") }
  const decision = decide(viewWith(view, { isHeld: true }), memory)
  const goesOn = onEnd === "leave" ? decision.desired.flatMap((slot) => lastOrdersOf(slot, view)) : []
  const going = new Set(goesOn.map(({ slot }) => slot))
  const slots = [...decision.desired, ...decision.absent].map(({ slot }) => slot)
  const absent = absentSlots(
    slots.filter((slot) => !going.has(slot)),
    why
  )
  const bounds = { ...decision.until, onFill: true }
  if (onEnd === "leave") return { ...decision, desired: goesOn, absent, reasons: [why], until: bounds }
  const over = { absent, memory, reasons: [why], until: { onFill: true } }
  return onEnd === "cancel" ? { ...over, desired: [] } : sold(period, onEnd, view, over)
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
  if (quantity <= 0n || quoteAmount(view.market, quantity, price, "down") <= period.minOrder)
    return { ...over, desired: [] }
  const amount = formatWithSymbol(quantity, view.market.base)
  const text = `sells what it holds, ${amount}, ${atPrice(by === "swap", price)}: the strategy has ended`
  const slot: DesiredSlot = {
    slot: exit,
    legs: [{ side: "SELL", price, quantity, mayLose: true, ...bySwap(by === "swap") }],
    cycle: false,
    after: legsDone(view, exit),
    why: { code: "period-exit", text, source: sourceOf("until") }
  }
  return {
    ...over,
    desired: [slot],
    absent: over.absent.filter((each) => each.slot !== exit),
    memory: beside(over.memory, { [key]: beside(before, rememberLeft(left)) }),
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

const endLines = /^(?:until|onEnd):.*\r?\n?(?:^[ \t]+\S.*\r?\n?)*/gm

/** The text of a strategy file with this end instead of any other. */
export const endingText = (text: string, at: number, { by, price }: { price?: string; by?: "swap" }): string => {
  const terms = [price && `price: ${price}`, by && `by: ${by}`].filter((term) => term !== undefined)
  const onEnd = terms.length === 0 ? "sell" : `{ sell: { ${terms.join(", ")} } }`
  const rest = text.replace(endLines, "")
  const first = /^kind:.*(?:\r?\n|$)/m.exec(rest)
  const place = first === null ? 0 : first.index + first[0].length
  return `${rest.slice(0, place)}until: ${iso(at)}\nonEnd: ${onEnd}\n${rest.slice(place)}`
}
