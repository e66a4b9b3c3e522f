/**
 * Rules: orders that are placed when a condition holds. Each rule is one slot that has at most one order going: `when`
 * places it, `cancelWhen` or `expireAfter` withdraws it as long as nothing of it has filled, `then` adds an exit. Price and
 * exit are computed once, when the rule fires.
 *
 * Conditions see closed candles, the mid and what the strategy's own trading has come to; nothing is decided on an indicator
 * that is not warm, or on what is not known. The decision holds until a candle closes, the clock reaches what a condition
 * asks for, an order moves on, or the mid reaches a price at which a comparison changes.
 */

import { type Amount, format, formatWithSymbol, fromDecimal, toDecimal } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, opposite, type Price, type Side } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import type { Bounds, Decision, DesiredSlot, Leg, Memory } from "../Decision.ts"
import { inputsOf } from "../expression/Checks.ts"
import type { Needs } from "../expression/Compiler.ts"
import type { Moment, Term } from "../expression/Term.ts"
import type { Kind } from "../Kind.ts"
import type { Inputs } from "../Strategy.ts"
import { progressOf, type SlotProgress, type View } from "../View.ts"
import { atPrice, bySwap } from "./Execution.ts"
import { decimalIn, numberIn, recordIn } from "./Memory.ts"
import { orderPrice } from "./PriceLevels.ts"
import { type Rule, type Rules, readRules, rulesSchema } from "./RulesSection.ts"
import { quantityAt } from "./Size.ts"

export const rules: Kind = {
  name: "rules",
  schema: rulesSchema,
  read: (section, context) => {
    const whole = readRules(section, context)
    if (whole === undefined) return undefined
    return {
      initialMemory: null,
      candles: whole.needs.candles,
      ...present({ notLive: whole.needs.volume }),
      decide: (view, memory) => decide(whole, view, memory),
      inputs: (view, memory) => inputs(whole, view, memory)
    }
  }
}

/** What a rule is in the middle of. */
interface Going {
  readonly price: Price
  readonly exit: Price | undefined
  readonly quantity: Amount
  /** Legs of the slot that were complete when it fired. */
  readonly legsBefore: number
  readonly firedAt: number
}

interface State {
  readonly fired: number
  /** Not again before this moment. */
  readonly pausedUntil: number
  readonly going: Going | undefined
  /** Base bought minus base sold by the orders that are over. */
  readonly held: Amount
}

const decide = (whole: Rules, view: View, memory: Memory): Decision => {
  const { market } = whole
  const before = statesIn(whole, memory)
  const moment = momentOf(whole, view, before)
  const desired: Array<DesiredSlot> = []
  const absent: Array<Decision["absent"][number]> = []
  const states: Record<string, Memory> = {}
  const times: Array<number> = []
  for (const [index, rule] of whole.rules.entries()) {
    const known = before[index] ?? idle
    const { state, why } = step(rule, market, known, progressOf(view, rule.slot), moment)
    states[rule.slot] = remember(market, state)
    const { going } = state
    if (going === undefined) absent.push({ slot: rule.slot, why })
    else desired.push(slotOf(rule, going, why))
    if (going === undefined && state.pausedUntil > view.now) times.push(state.pausedUntil)
    if (going !== undefined && rule.expireMillis !== undefined) times.push(going.firedAt + rule.expireMillis)
  }
  return {
    desired,
    absent,
    memory: states,
    reasons: [],
    until: boundsOf(whole.needs, moment, [...times, ...moment.found.times])
  }
}

const statesIn = ({ rules, market }: Rules, memory: Memory): ReadonlyArray<State> =>
  rules.map((rule) => stateIn(rule, market, recordIn(memory, rule.slot)))

const momentOf = ({ rules, market }: Rules, view: View, before: ReadonlyArray<State>): Moment => {
  const position = rules.reduce(
    (sum, rule, index) => sum + positionOf(rule, before[index], progressOf(view, rule.slot)),
    0n
  )
  return {
    mid: Decimal.toNumber(mid(view.price)),
    bid: Decimal.toNumber(view.price.bid),
    ask: Decimal.toNumber(view.price.ask),
    now: view.now,
    candles: view.candles,
    entry: Number.NaN,
    position: Decimal.toNumber(toDecimal(position, market.base.decimals)),
    own: view.own,
    elapsed: 0,
    found: { isCold: false, isUndefined: false, lacking: new Set(), crossings: [], times: [] }
  }
}

/** What each rule's conditions see: while its order goes on, only the one that would withdraw it. */
const inputs = (whole: Rules, view: View, memory: Memory): Inputs => {
  const before = statesIn(whole, memory)
  const moment = momentOf(whole, view, before)
  return new Map(
    whole.rules.map((rule, index) => {
      const { slot, when, cancelWhen } = rule
      if (before[index]?.going === undefined) {
        return [slot, inputsOf([when, cancelWhen], moment, (at) => judge(rule, at) === "yes")]
      }
      const isUnwanted = (at: Moment) => cancelWhen !== undefined && truth(cancelWhen, at) === "yes"
      return [slot, inputsOf([cancelWhen], moment, isUnwanted)]
    })
  )
}

const idle: State = { fired: 0, pausedUntil: 0, going: undefined, held: 0n }

/** What the orders of a rule have bought on balance, whole legs only. */
const positionOf = (rule: Rule, { held, going } = idle, { completedLegs }: SlotProgress): Amount =>
  going === undefined ? held : held + boughtBy(rule, going, completedLegs)

/** An entry that is over without its exit changed the position, one with it did not. */
const boughtBy = ({ side }: Rule, { quantity, legsBefore, exit }: Going, completedLegs: number): Amount => {
  const legs = completedLegs - legsBefore
  if (legs < 1 || (exit !== undefined && legs >= 2)) return 0n
  return side === "BUY" ? quantity : -quantity
}

const slotOf = (rule: Rule, going: Going, why: Reason): DesiredSlot => {
  const { quantity, price } = going
  const entry: Leg = { side: rule.side, price, quantity, ...bySwap(rule.isSwap) }
  if (going.exit === undefined) return { slot: rule.slot, legs: [entry], cycle: true, why }
  const exit: Leg = { side: opposite(rule.side), price: going.exit, quantity, ...bySwap(rule.isExitSwap) }
  return { slot: rule.slot, legs: [entry, exit], cycle: true, why }
}

interface Step {
  readonly state: State
  readonly why: Reason
}

/** Ends what has ended, then fires when it may: one call settles it, so that asking again changes nothing. */
const step = (rule: Rule, market: Market, before: State, progress: SlotProgress, moment: Moment): Step => {
  const ended = endOf(rule, before, progress, moment)
  if (ended === undefined && before.going !== undefined) {
    return { state: before, why: orderReason(rule, market, before.going) }
  }
  const state = ended ?? before
  const because = (code: string, text: string): Step => ({ state, why: { code, text, source: rule.source } })
  if (state.fired >= rule.times) return because("used-up", `fired ${rule.times} times, which is all it may`)
  if (state.pausedUntil > moment.now) return because("paused", "waits until its pause is over")
  const verdict = judge(rule, moment)
  if (typeof verdict === "object") return because("not-known", lacks(verdict.lacking))
  if (verdict === "cold") return because("warming-up", "waits for more candles: its indicators are not warm yet")
  if (verdict === "no") return because("condition", `its condition does not hold: ${rule.text}`)
  const lacking = new Set<string>()
  const going = fire(rule, market, progress, { ...moment, found: { ...moment.found, lacking } })
  if (lacking.size > 0) return because("not-known", lacks(lacking))
  if (going === undefined) return because("no-order", "its price or size comes to nothing that could be ordered")
  return { state: { ...state, fired: state.fired + 1, going }, why: orderReason(rule, market, going) }
}

const lacks = (names: ReadonlySet<string>): string =>
  `cannot be decided: ${[...names].join(", ")} is not known here; only a run that records its own trading knows it`

type Verdict = "yes" | "no" | "cold" | { readonly lacking: ReadonlySet<string> }

/** Truth of a condition; "cold" where it stands on something that is not there yet. */
const truth = (term: Term, moment: Moment): Verdict => {
  const found = { ...moment.found, isCold: false, lacking: new Set<string>() }
  const value = term.value({ ...moment, found })
  if (found.lacking.size > 0) return { lacking: found.lacking }
  return found.isCold ? "cold" : value > 0 ? "yes" : "no"
}

/** A rule does not fire while its own cancelWhen holds. Both are evaluated, for the bounds of both. */
const judge = (rule: Rule, moment: Moment): Verdict => {
  const when = truth(rule.when, moment)
  const cancel = rule.cancelWhen === undefined ? "no" : truth(rule.cancelWhen, moment)
  if (typeof when === "object") return when
  if (typeof cancel === "object") return cancel
  if (when === "cold" || cancel === "cold") return "cold"
  return when === "yes" && cancel === "no" ? "yes" : "no"
}

/** The state after an order is done, expired or to be cancelled; `undefined` while it goes on. */
const endOf = (
  rule: Rule,
  { fired, going, held }: State,
  progress: SlotProgress,
  moment: Moment
): State | undefined => {
  if (going === undefined) return undefined
  const legs = rule.exit === undefined ? 1 : 2
  const bought = boughtBy(rule, going, progress.completedLegs)
  const over: State = { fired, pausedUntil: moment.now + rule.pauseMillis, going: undefined, held: held + bought }
  if (progress.completedLegs >= going.legsBefore + legs) return over
  const isTouched = progress.completedLegs > going.legsBefore || progress.filledInLeg > 0n
  if (isTouched) return undefined
  const isExpired = rule.expireMillis !== undefined && moment.now >= going.firedAt + rule.expireMillis
  const isUnwanted = rule.cancelWhen !== undefined && truth(rule.cancelWhen, moment) === "yes"
  return isExpired || isUnwanted ? over : undefined
}

const fire = (rule: Rule, market: Market, { completedLegs }: SlotProgress, moment: Moment): Going | undefined => {
  const price = orderPriceOf(rule.price, market, rule.side, moment)
  if (price === undefined) return undefined
  const quantity = quantityAt(market, rule.size, price)
  const at = { ...moment, entry: Decimal.toNumber(price) }
  const exit = rule.exit === undefined ? undefined : orderPriceOf(rule.exit, market, opposite(rule.side), at)
  if (quantity === 0n || (rule.exit !== undefined && exit === undefined)) return undefined
  return { price, exit, quantity, legsBefore: completedLegs, firedAt: moment.now }
}

const orderPriceOf = (term: Term, market: Market, side: Side, moment: Moment): Price | undefined => {
  const value = term.value(moment)
  if (!Number.isFinite(value) || value <= 0) return undefined
  // Twelve digits: what a double has beyond them is noise of the computation.
  const price = orderPrice(market, side, Decimal.fromNumber(value, 12))
  return Decimal.isPositive(price) ? price : undefined
}

const orderReason = (rule: Rule, market: Market, { price, exit, quantity }: Going): Reason => {
  const verb = rule.side === "BUY" ? "buys" : "sells"
  const after = exit === undefined ? "" : `, then exits ${atPrice(rule.isExitSwap, exit)}`
  const order = `${verb} ${formatWithSymbol(quantity, market.base)} ${atPrice(rule.isSwap, price)}${after}`
  return { code: "rule-fired", text: `${order}: ${rule.text}`, source: rule.source }
}

const remember = (market: Market, { fired, pausedUntil, going, held }: State): Memory => ({
  fired,
  pausedUntil,
  ...(held === 0n ? {} : { held: format(held, market.base.decimals) }),
  ...(going === undefined
    ? {}
    : {
        price: Decimal.format(going.price),
        ...(going.exit === undefined ? {} : { exit: Decimal.format(going.exit) }),
        quantity: format(going.quantity, market.base.decimals),
        legsBefore: going.legsBefore,
        firedAt: going.firedAt
      })
})

const stateIn = (rule: Rule, market: Market, memory: Memory): State => {
  const price = decimalIn(memory, "price")
  const exit = decimalIn(memory, "exit")
  const amountIn = (key: string) => fromDecimal(decimalIn(memory, key) ?? Decimal.zero, market.base.decimals) ?? 0n
  const quantity = amountIn("quantity")
  const [legsBefore, firedAt] = [numberIn(memory, "legsBefore") ?? 0, numberIn(memory, "firedAt") ?? 0]
  const isGoing = price !== undefined && quantity > 0n && (exit !== undefined) === (rule.exit !== undefined)
  return {
    fired: numberIn(memory, "fired") ?? 0,
    pausedUntil: numberIn(memory, "pausedUntil") ?? 0,
    going: isGoing ? { price, exit, quantity, legsBefore, firedAt } : undefined,
    held: amountIn("held")
  }
}

/** Doubles decide the comparisons, so the bounds stay a little on the near side of where they change. */
const margin = 1e-9

const boundsOf = (
  { candles, clockMillis }: Needs,
  { now, mid: price, found }: Moment,
  times: ReadonlyArray<number>
): Bounds => {
  const above = Math.min(...found.crossings.filter((crossing) => crossing >= price))
  const below = Math.max(...found.crossings.filter((crossing) => crossing <= price))
  const clock = clockMillis === undefined ? [] : [(Math.floor(now / clockMillis) + 1) * clockMillis]
  const time = Math.min(...times.filter((moment) => moment > now), ...clock)
  const shortest = [...candles.keys()].sort((a, b) => (timeframeMillis(a) ?? 0) - (timeframeMillis(b) ?? 0))[0]
  return {
    ...(Number.isFinite(below) ? { priceBelow: Decimal.fromNumber(below * (1 + margin)) } : {}),
    ...(Number.isFinite(above) ? { priceAbove: Decimal.fromNumber(above * (1 - margin)) } : {}),
    ...(Number.isFinite(time) ? { time } : {}),
    ...present({ barClose: shortest }),
    onFill: true
  }
}
