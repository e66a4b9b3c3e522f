/**
 * Bracket: an entry, then an exit by take-profit or stop. One slot of two legs, so the exit never asks for more than
 * the entry brought in. While the price stays on the good side of the stop, the exit rests at the take-profit. When
 * the price reaches the stop, the exit moves beyond it by `reach` and stays there.
 *
 * The stop may follow: `trail` keeps it behind the best price since the entry filled (in steps, so that not every
 * tick is a new answer), and `breakevenAt` moves it to the entry price. With `stopBy: swap` the exit at the stop is a
 * swap. A bracket that begins after a condition, again and again, or with prices that follow from the market is a rule
 * (see `BracketRule`).
 */
import { formatWithSymbol, max } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, opposite, type Price } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import type { Decision, Leg, Memory } from "../Decision.ts"
import * as Read from "../Fields.ts"
import { anyMarket, schemaOf } from "../JsonSchema.ts"
import type { Behaviour, Kind } from "../Kind.ts"
import { type Report, report } from "../Problem.ts"
import type { Setup } from "../Setup.ts"
import * as Ask from "../Setup.ts"
import { progressOf, type SlotProgress, type View } from "../View.ts"
import { checkBudget } from "./BudgetCheck.ts"
import { atPrice, bySwap, execution } from "./Execution.ts"
import { decimalIn, isTrueIn } from "./Memory.ts"
import { away, checkTick, negate, orderPrice } from "./PriceLevels.ts"
import type { Rules } from "./RulesSection.ts"
import { followingFields, isFollowing, readFollowing } from "./rules/BracketRule.ts"
import { adopted, type Beginning, beginningIn, rememberBeginning } from "./rules/Handover.ts"
import { behaviourOf } from "./rules.ts"
import { quantityAt, size } from "./Size.ts"
import { filledLegs } from "./SlotLegs.ts"
import { otherSide } from "./Total.ts"

const slot = "position"
const isOwn = (name: string): boolean => name === slot
const defaultReach = Decimal.make(5n, 3)
const defaultStep = Decimal.make(1n, 3)

interface Bracket {
  readonly market: Market
  readonly entry: Leg
  readonly takeProfit: Leg
  readonly stop: Price
  readonly reach: Decimal.Decimal
  readonly isStopSwap: boolean
  readonly trail: Decimal.Decimal | undefined
  readonly trailStep: Decimal.Decimal
  readonly trailFrom: Price | undefined
  readonly breakevenAt: Price | undefined
  readonly keys: Read.KeyPlaces
}

export const bracket: Kind = {
  name: "bracket",
  about: "one entry with a take-profit and a stop",
  setup: (market) => setup(market),
  schema: () => ({ anyOf: [schemaOf(bracketFields(anyMarket)), schemaOf(followingFields(anyMarket))] }),
  read: (section, context) => {
    if (isFollowing(section)) {
      const rule = readFollowing(section, context)
      return rule === undefined ? undefined : following(rule)
    }
    const { market, to } = context
    const read = bracketFields(market)(section, to)
    if (read?.side === undefined || read.size === undefined || read.entry === undefined) return undefined
    if (read.takeProfit === undefined || read.stop === undefined) return undefined
    const side = read.side.value === "buy" ? "BUY" : "SELL"
    const entry: Leg = {
      side,
      price: read.entry.value,
      quantity: quantityAt(market, read.size.value, read.entry.value)
    }
    const whole: Bracket = {
      market,
      entry,
      takeProfit: { side: opposite(side), price: read.takeProfit.value, quantity: entry.quantity, mayLose: true },
      stop: read.stop.value,
      reach: read.reach?.value ?? defaultReach,
      isStopSwap: read.stopBy?.value === "swap",
      trail: read.trail?.value,
      trailStep: read.trailStep?.value ?? defaultStep,
      trailFrom: read.trailFrom?.value,
      breakevenAt: read.breakevenAt?.value,
      keys: Read.keyPlaces(section, context.root, to)
    }
    for (const price of [read.entry, read.takeProfit, read.stop]) checkTick(market, price.value, price, to)
    if (entry.quantity === 0n) report(to, read.size, `this size is below the smallest unit of ${market.base.symbol}`)
    checkOrder(whole, { ...read, takeProfit: read.takeProfit, stop: read.stop }, to)
    checkBudget([entry], "the entry would", read.size, context)
    return {
      initialMemory: null,
      decide: (view, memory) => decide(whole, view, memory),
      unfit: (slots) => otherSide(market, side, slots, isOwn)
    }
  }
}

/** It goes on with what a bracket of fixed prices began in its slot, as an edit may leave it. */
const following = (rules: Rules): Behaviour => {
  const behaviour = behaviourOf(rules)
  const { inputs } = behaviour
  const [first] = rules.rules
  return {
    ...behaviour,
    ...(first === undefined ? {} : { unfit: (slots) => otherSide(rules.market, first.side, slots, isOwn) }),
    decide: (view, memory) => {
      const { memory: own, isWhole } = adopted(rules, view, memory)
      const decision = behaviour.decide(view, own)
      return isWhole ? decision : { ...decision, memory }
    },
    ...(inputs === undefined ? {} : { inputs: (view, memory) => inputs(view, adopted(rules, view, memory).memory) })
  }
}

const bracketFields = (market: Market) =>
  Read.fields({
    side: Read.required(Read.oneOf("buy", "sell"), "of the entry"),
    size: Read.required(size(market), "of the entry"),
    entry: Read.required(Read.price, "price of the entry"),
    takeProfit: Read.required(Read.price, "price of the exit with profit"),
    stop: Read.required(Read.price, "price at which it exits with a loss"),
    reach: Read.optional(Read.ratioOrZero, "at the stop the exit may give away this much more; default: 0.5%"),
    stopBy: Read.optional(execution, "swap: at the stop it is executed at once; default: an order beyond the stop"),
    trail: Read.optional(Read.ratio, "the stop follows this far behind the best price"),
    trailStep: Read.optional(Read.ratio, "in steps of this much; default: 0.1%"),
    trailFrom: Read.optional(Read.price, "the stop follows from this price on; default: from the entry"),
    breakevenAt: Read.optional(Read.price, "from this price on the stop is at least the entry price")
  })

/** Better for the position: above after a buy, below after a sale. */
const isBetter = ({ entry }: Bracket, a: Price, b: Price): boolean =>
  entry.side === "BUY" ? Decimal.isGreater(a, b) : Decimal.isLess(a, b)

interface Places {
  readonly takeProfit: Read.Located<Price>
  readonly stop: Read.Located<Price>
  readonly breakevenAt?: Read.Located<Price> | undefined
  readonly trailStep?: Read.Located<Decimal.Decimal> | undefined
  readonly trailFrom?: Read.Located<Price> | undefined
}

const checkOrder = (whole: Bracket, places: Places, to: Report): void => {
  const { takeProfit, stop, breakevenAt, trailStep, trailFrom } = places
  const [good, bad] = whole.entry.side === "BUY" ? ["above", "below"] : ["below", "above"]
  const entry = Decimal.format(whole.entry.price)
  if (!isBetter(whole, takeProfit.value, whole.entry.price)) {
    report(to, takeProfit, `the take-profit must be ${good} the entry price ${entry}`)
  }
  if (!isBetter(whole, whole.entry.price, stop.value)) {
    report(to, stop, `the stop must be ${bad} the entry price ${entry}`)
  }
  if (breakevenAt !== undefined && !isBetter(whole, breakevenAt.value, whole.entry.price)) {
    report(to, breakevenAt, `breakevenAt must be ${good} the entry price ${entry}`)
  }
  if (trailFrom !== undefined && !isBetter(whole, trailFrom.value, whole.entry.price)) {
    report(to, trailFrom, `trailFrom must be ${good} the entry price ${entry}`)
  }
  for (const [name, place] of Object.entries({ trailStep, trailFrom })) {
    if (place === undefined || whole.trail !== undefined) continue
    report(to, place, `${name} without trail does nothing`, "give trail, or remove this key")
  }
}

/** Towards the good side of the position. */
const better = ({ entry }: Bracket, price: Price, ratio: Decimal.Decimal): Price =>
  away(price, entry.side === "BUY" ? ratio : negate(ratio))

interface State {
  /** Best price since the entry filled, in steps of `trailStep`; the first one until `trailFrom` is reached. */
  readonly best: Price
  readonly isBreakeven: boolean
  readonly isStopped: boolean
}

const stopOf = (whole: Bracket, { best, isBreakeven }: State): Price => {
  const fixed = isBreakeven ? whole.entry.price : whole.stop
  if (whole.trail === undefined) return fixed
  const trailing = better(whole, best, negate(whole.trail))
  return !waits(whole, best) && isBetter(whole, trailing, fixed) ? trailing : fixed
}

/** The key that puts the stop where it is. */
const stopKey = (whole: Bracket, { best, isBreakeven }: State): string => {
  const fixed = isBreakeven ? whole.entry.price : whole.stop
  const isTrailing = isBetter(whole, stopOf(whole, { best, isBreakeven, isStopped: false }), fixed)
  return isTrailing ? "trail" : isBreakeven ? "breakevenAt" : "stop"
}

/** The price has not come to where the stop begins to follow. */
const waits = (whole: Bracket, best: Price): boolean =>
  whole.trailFrom !== undefined && isBetter(whole, whole.trailFrom, best)

const nextBest = (whole: Bracket, best: Price): Price =>
  whole.trailFrom !== undefined && waits(whole, best) ? whole.trailFrom : better(whole, best, whole.trailStep)

const advance = (whole: Bracket, before: State, price: Price): State => {
  if (before.isStopped) return before
  const hasMoved = whole.trail !== undefined && !isBetter(whole, nextBest(whole, before.best), price)
  const best = hasMoved ? price : before.best
  const isBreakeven =
    before.isBreakeven || (whole.breakevenAt !== undefined && !isBetter(whole, whole.breakevenAt, price))
  const after = { best, isBreakeven, isStopped: false }
  return { ...after, isStopped: !isBetter(whole, price, stopOf(whole, after)) }
}

/** A leg leaves all that its entry brought in, whatever the file says of the size meanwhile. */
const legsOf = (
  { entry, takeProfit }: Bracket,
  { after, quantity }: Beginning,
  { completedLegs, receivedByLastLeg }: SlotProgress
): Pick<Bracket, "entry" | "takeProfit"> => {
  if (completedLegs <= after.completedLegs) return { entry, takeProfit }
  const whole = entry.side === "BUY" ? max(entry.quantity, receivedByLastLeg) : (quantity ?? entry.quantity)
  return { entry: { ...entry, quantity: whole }, takeProfit: { ...takeProfit, quantity: whole } }
}

const decide = (whole: Bracket, view: View, memory: Memory): Decision => {
  const { market, keys } = whole
  const price = mid(view.price)
  const begun = beginningIn(market, slot, view, memory)
  const after = begun.after.completedLegs === 0 && begun.after.filledInLeg === 0n ? undefined : begun.after
  const { entry, takeProfit } = legsOf(whole, begun, progressOf(view, slot))
  const side = takeProfit.side
  const filled =
    filledLegs({ legs: [entry, takeProfit], cycle: false, ...present({ after }) }, view, slot) -
    begun.after.completedLegs
  const before: State = {
    best: decimalIn(memory, "best") ?? price,
    isBreakeven: isTrueIn(memory, "isBreakeven"),
    isStopped: isTrueIn(memory, "isStopped") || begun.isLeaving
  }
  const state = filled === 0 ? undefined : filled === 1 ? advance(whole, before, price) : before
  const stop = state === undefined ? whole.stop : stopOf(whole, state)
  const exit: Leg = state?.isStopped
    ? {
        ...takeProfit,
        price: orderPrice(market, side, better(whole, stop, negate(whole.reach))),
        ...bySwap(whole.isStopSwap)
      }
    : takeProfit
  const numbers = `take-profit ${Decimal.format(takeProfit.price)}, stop ${Decimal.format(stop)}`
  const amount = `${formatWithSymbol(entry.quantity, market.base)} at ${Decimal.format(entry.price)}`
  const because = (code: string, text: string, key: string): Reason => ({ code, text, source: keys(key) })
  const why = state?.isStopped
    ? because(
        "stop",
        `the price reached the stop ${Decimal.format(stop)}: exits ${atPrice(whole.isStopSwap, exit.price)}`,
        stopKey(whole, state)
      )
    : because(
        "bracket",
        `${entry.side === "BUY" ? "buys" : "sells"} ${amount}; ${numbers}`,
        filled === 0 ? "entry" : "takeProfit"
      )
  const legs = [entry, exit] as const
  const decided = { desired: [{ slot, legs, ...present({ after }), cycle: false, why }], absent: [], reasons: [] }
  // What was bought says itself how much it is; what was sold has to be remembered.
  const quantity = filled === 1 && entry.side === "SELL" ? entry.quantity : undefined
  const beginning = rememberBeginning(market, { ...begun, quantity })
  if (state === undefined) {
    return { ...decided, memory: after === undefined ? null : beginning, until: { onFill: true } }
  }
  const { best, isBreakeven, isStopped } = state
  return {
    ...decided,
    memory: { best: Decimal.format(best), isBreakeven, isStopped, ...beginning },
    until: filled === 1 ? boundsOf(whole, state, stop) : { onFill: false }
  }
}

const boundsOf = (whole: Bracket, state: State, stop: Price): Decision["until"] => {
  if (state.isStopped) return { onFill: false }
  const isLong = whole.entry.side === "BUY"
  const goals = [
    ...(whole.trail === undefined ? [] : [nextBest(whole, state.best)]),
    ...(whole.breakevenAt === undefined || state.isBreakeven ? [] : [whole.breakevenAt])
  ]
  const [first, ...others] = goals
  const goal = first === undefined ? undefined : others.reduce(isLong ? Decimal.min : Decimal.max, first)
  const good = goal === undefined ? {} : isLong ? { priceAbove: goal } : { priceBelow: goal }
  return { ...good, ...(isLong ? { priceBelow: stop } : { priceAbove: stop }), onFill: false }
}

/** Asked by `limitbot init`. */
const setup = (market: Market): Setup => ({
  steps: [
    Ask.side,
    Ask.paidAmount("size", "at the entry", market),
    Ask.price("entry", `Price of the entry, ${Ask.per(market)}`, Ask.below(0.01)),
    Ask.priceBeyond(
      "takeProfit",
      "Exit with profit at",
      "entry",
      (answer) => (Ask.isBuy(answer) ? "above" : "below"),
      Ask.below(-0.05)
    ),
    Ask.priceBeyond(
      "stop",
      "Exit with loss at",
      "entry",
      (answer) => (Ask.isBuy(answer) ? "below" : "above"),
      Ask.below(0.05)
    )
  ],
  budget: (answer) => ({ [Ask.paid(market, answer).key]: answer("size") }),
  section: (answer) => `
  side: ${answer("side")}
  size: { ${Ask.paid(market, answer).key}: ${answer("size")} }
  entry: ${answer("entry")}
  takeProfit: ${answer("takeProfit")}
  stop: ${answer("stop")}  # a venue without stop orders: the bot must be running to act on it
  reach: 0.5%  # at the stop the exit may give away this much more
  # trail: 4%  # the stop follows this far behind the best price
  # breakevenAt: …  # from this price on the stop is at least the entry`
})
