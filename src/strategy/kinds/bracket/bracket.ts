/**
 * Bracket: an entry, then an exit by take-profit or stop. One slot of two legs, so the exit never sells more than the entry brought in. (A
 * sold quantity may be more expensive to buy back; `check` warns of that.) While the price is on the good side of the stop, the exit is
 * open at the take-profit; after that it follows `StopExit`.
 *
 * `trail` keeps the stop behind the best price since the entry filled, in steps, so that not every tick changes the answer. `breakevenAt`
 * moves the stop to the entry price, or to the average of the fills if an edit has moved the entry. With `stopBy: swap` the exit at the stop
 * is a swap. No entry is placed while the market is beyond the stop. A bracket that begins after a condition, repeats, or has prices that
 * follow from the market is a rule (see `BracketRule`).
 */
import { max } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { inputAmount, type Market, mid, opposite, outputAmount, type Price } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import { type Decision, filledLegs, filledOfLeg, type Leg, type Memory, sooner } from "../../Decision.ts"
import * as Read from "../../Fields.ts"
import { eitherForm, form, type Kind, reasons, type Section, type Whole } from "../../Kind.ts"
import { report } from "../../Problem.ts"
import * as Ask from "../../Setup.ts"
import type { Behaviour } from "../../Strategy.ts"
import { progressOf, type SlotProgress, type View } from "../../View.ts"
import { atPrice, bySwap, execution, orderText } from "../Execution.ts"
import { decimalIn, isTrueIn, recordIn } from "../Memory.ts"
import { checkBudget, checkDearExit, checkRounds, checkValues, valueOf } from "../OrderCheck.ts"
import { ahead, away, behind, checkTick, isAsGood, isBetter, orderPrice, part } from "../PriceLevels.ts"
import { exitFill, fillsIn, fillsOf, rememberFills } from "../rules/RuleState.ts"
import type { Rules } from "../rules/RulesSection.ts"
import { behaviourOf } from "../rules/rules.ts"
import { quantityAt, size } from "../Size.ts"
import { checkFloor, floor, followStep, reach, rememberLeft, type StopExit, stopExit, stopsOf } from "../StopExit.ts"
import { otherSide, positionsOf } from "../Total.ts"
import * as BracketRule from "./BracketRule.ts"

const slot = "position"

const keys = (market: Market) => ({
  side: Read.required(Read.side, "of the entry"),
  size: Read.required(size(market), "of the entry"),
  entry: Read.required(Read.price, "price of the entry"),
  takeProfit: Read.required(Read.price, "price of the exit with profit"),
  stop: Read.required(Read.price, "price at which it exits with a loss"),
  reach,
  floor,
  stopBy: Read.withDefault(execution, "order", "swap: at the stop it is executed at once", "an order"),
  trail: BracketRule.trail,
  trailStep: Read.withDefault(part(Read.ratio), followStep, "in steps of this much"),
  trailFrom: Read.optional(Read.price, "the stop follows from this price on", "from the entry"),
  breakevenAt: Read.optional(Read.price, "from this price on the stop is at least the entry price")
})

type Settings = Whole<typeof keys>
interface Bracket extends Omit<Settings, "entry" | "takeProfit"> {
  readonly entry: Leg
  readonly takeProfit: Leg
  readonly leaving: StopExit
  /** Average price of the entry's fills, if an edit has moved it. */
  readonly filledAt?: Price | undefined
}

const fixed = form(keys, (settings, { at, ...context }) => {
  const { market, side, entry: price } = settings
  const entry: Leg = { side, price, quantity: quantityAt(market, settings.size, price) }
  const takeProfit = { ...entry, side: opposite(side), price: settings.takeProfit, mayLose: true } as const
  for (const key of ["entry", "takeProfit", "stop"] as const) checkTick(market, settings[key], at(key), context.to)
  if (entry.quantity === 0n)
    report(context.to, at("size"), `this size is below the smallest unit of ${market.base.symbol}`)
  checkOrder(settings, { at, ...context })
  checkBudget([entry], "the entry would", at("size"), context)
  const dearest = orderPrice(market, "BUY", away(settings.stop, settings.reach))
  const back = inputAmount(market, "BUY", entry.quantity, dearest) - outputAmount(market, side, entry.quantity, price)
  checkDearExit(side, at("stop"), context, back)
  const prices = [price, settings.takeProfit, settings.stop]
  const values = prices.map((each) => valueOf(market, { ...entry, price: each }))
  checkValues(values, at("size"), context)
  if (settings.trail === undefined) checkFloor(takeProfit.side, settings, settings.stop, at("floor"), context.to)
  const [buy, sell] = side === "BUY" ? [entry, takeProfit] : [takeProfit, entry]
  checkRounds([{ buy, sell }], "take-profit", at("takeProfit"), context, "move it further from the entry")
  const whole = { ...settings, entry, takeProfit, leaving: stopExit(market, takeProfit.side, settings, context.to) }
  return {
    decide: (view, memory) => decide(whole, view, memory),
    unfit: (slots) => otherSide(market, side, slots, BracketRule.isOwn) ?? BracketRule.heldElsewhere([{ slot }], slots),
    positions: (slots) => positionsOf([{ slot, side }], slots)
  }
})

const following = (rules: Rules): Behaviour => {
  const behaviour = behaviourOf(rules)
  const { inputs } = behaviour
  const [first] = rules.rules
  return {
    ...behaviour,
    unfit: (slots) =>
      first &&
      (otherSide(rules.market, first.side, slots, BracketRule.isOwn) ?? BracketRule.heldElsewhere(rules.rules, slots)),
    positions: (slots) => positionsOf(rules.rules, slots),
    decide: (view, memory) => {
      const { memory: own, until } = BracketRule.adopted(rules, view, memory)
      const decision = behaviour.decide(view, own)
      return until === undefined
        ? decision
        : { ...decision, memory, until: { ...sooner(decision.until, until), onFill: true } }
    },
    ...(inputs && { inputs: (view, memory) => inputs(view, BracketRule.adopted(rules, view, memory).memory) })
  }
}

const followed = form(BracketRule.followingKeys, (whole, section) => {
  const rules = BracketRule.followingRules(whole, section)
  return rules && following(rules)
})

const good = (answer: Ask.AnswerOf) => (Ask.isBuy(answer) ? "above" : "below")
const bad = (answer: Ask.AnswerOf) => (Ask.isBuy(answer) ? "below" : "above")

export const bracket: Kind = {
  name: "bracket",
  takesTurns: true,
  about: "one entry with a take-profit and a stop",
  setup: (market) =>
    Ask.setupOf(keys(market), {
      asks: ["side", "size", "entry", "takeProfit", "stop"],
      budget: (answer) => ({ [Ask.inputOf(market, answer).key]: answer("size") }),
      lines: {
        side: { ask: Ask.side },
        size: { ask: Ask.paidAmount("at the entry", market), is: Ask.paidSize(market) },
        entry: { ask: Ask.price(`Price of the entry, ${Ask.per(market)}`, Ask.onItsSide(0.01)) },
        takeProfit: { ask: Ask.priceBeyond("Exit with profit at", "entry", good, Ask.onItsSide(-0.05)) },
        stop: {
          ask: Ask.priceBeyond("Exit with loss at", "entry", bad, Ask.onItsSide(0.05)),
          note: "a venue without stop orders: the bot must be running to act on it"
        },
        reach: { is: "0.5%" },
        trail: { hint: "4%" },
        breakevenAt: { hint: "…", note: "from this price on the stop is at least the entry" }
      }
    }),
  ...eitherForm([fixed, followed], (section) => (BracketRule.isFollowing(section) ? followed : fixed))
}

const checkOrder = (
  settings: Settings,
  { at, isWritten, to }: Pick<Section<ReturnType<typeof keys>>, "at" | "isWritten" | "to">
): void => {
  const [good, bad] = settings.side === "BUY" ? ["above", "below"] : ["below", "above"]
  const entry = Decimal.format(settings.entry)
  const check = (key: "takeProfit" | "stop" | "breakevenAt" | "trailFrom", name: string, where = good) => {
    const price = settings[key]
    if (price === undefined || isBetter(where === "above" ? "BUY" : "SELL", price, settings.entry)) return
    report(to, at(key), `${name} must be ${where} the entry price ${entry}`)
  }
  check("takeProfit", "the take-profit")
  check("stop", "the stop", bad)
  check("breakevenAt", "breakevenAt")
  check("trailFrom", "trailFrom")
  for (const key of ["trailStep", "trailFrom"] as const) {
    if (!isWritten(key) || settings.trail !== undefined) continue
    report(to, at(key), `${key} without trail does nothing`, "give trail, or remove this key")
  }
}

interface State {
  /** The target was reached while part of the entry was open. */
  readonly isClosing: boolean
  /** Best price since the entry began to fill, in steps of `trailStep`; the first one until `trailFrom` is reached. */
  readonly best: Price
  readonly isBreakeven: boolean
  readonly left: BracketRule.Beginning["left"]
}

/** The price of the stop in force, and the key of the file that puts it there. */
const stopOf = (whole: Bracket, { best, isBreakeven }: Pick<State, "best" | "isBreakeven">) => {
  const fixed = isBreakeven ? (whole.filledAt ?? whole.entry.price) : whole.stop
  const trailing = whole.trail && !waits(whole, best) ? behind(whole.side, best, whole.trail) : undefined
  return trailing !== undefined && isBetter(whole.side, trailing, fixed)
    ? { price: trailing, key: "trail" as const }
    : { price: fixed, key: isBreakeven ? ("breakevenAt" as const) : ("stop" as const) }
}

const waits = (whole: Bracket, best: Price): boolean =>
  whole.trailFrom !== undefined && isBetter(whole.side, whole.trailFrom, best)

const nextBest = (whole: Bracket, best: Price): Price =>
  whole.trailFrom !== undefined && waits(whole, best) ? whole.trailFrom : ahead(whole.side, best, whole.trailStep)

/** `fill`: the price at which a part of the exit has filled, so that the market has come there. */
const advance = (whole: Bracket, before: State, price: Price, fill: Price | undefined, isPart: boolean): State => {
  if (before.left !== undefined)
    return { ...before, left: whole.leaving.left(price, stopOf(whole, before).price, before.left) }
  const { breakevenAt, side, takeProfit } = whole
  const reached = fill !== undefined && isBetter(side, fill, price) ? fill : price
  const hasMoved = whole.trail !== undefined && isAsGood(side, reached, nextBest(whole, before.best))
  const best = hasMoved ? reached : before.best
  const isBreakeven = before.isBreakeven || (breakevenAt !== undefined && isAsGood(side, reached, breakevenAt))
  const stop = stopOf(whole, { best, isBreakeven }).price
  const isClosing = before.isClosing || (isPart && isAsGood(side, price, takeProfit.price))
  const leftNow = isBetter(side, price, stop) ? undefined : whole.leaving.left(price, stop)
  return { best, isBreakeven, isClosing, left: leftNow }
}

/** The exit covers the whole amount that its entry bought or sold, even if the size in the file has changed. */
const legsOf = (
  { entry, takeProfit }: Bracket,
  { after }: BracketRule.Beginning,
  { completedLegs, lastLeg, receivedByLastLeg }: SlotProgress
) => {
  // After the exit, the output of the last leg is quote.
  if (completedLegs !== after.completedLegs + 1) return { entry, takeProfit }
  const whole = entry.side === "BUY" ? max(entry.quantity, receivedByLastLeg) : (lastLeg?.quantity ?? entry.quantity)
  return { entry: { ...entry, quantity: whole }, takeProfit: { ...takeProfit, quantity: whole } }
}

const decide = (file: Bracket, view: View, memory: Memory): Decision => {
  const { market, keys } = file
  const price = mid(view.price)
  const start = BracketRule.beginningIn(market, slot, view, memory)
  const after = start.after.completedLegs === 0 && start.after.filledInLeg === 0n ? undefined : start.after
  const progress = progressOf(view, slot)
  const { entry, takeProfit } = legsOf(file, start, progress)
  const before = fillsIn(market, recordIn(memory, slot)) ?? fillsIn(market, memory)
  const fills = fillsOf({ ...start, ...entry, fills: before }, entry.side, progress, false)
  const whole = { ...file, filledAt: fills?.price }
  const filled =
    filledLegs({ legs: [entry, takeProfit], cycle: false, ...present({ after }) }, view, slot) -
    start.after.completedLegs
  const part = filled === 0 ? filledOfLeg(start, progress) : 0n
  const memoryState = {
    best: decimalIn(memory, "best") ?? price,
    isBreakeven: isTrueIn(memory, "isBreakeven"),
    isClosing: isTrueIn(memory, "isClosing")
  }
  const from = start.left ?? { mid: price, from: stopOf(whole, memoryState).price }
  const last: State = { ...memoryState, left: start.isLeaving ? from : undefined }
  const isIn = filled === 1 || part > 0n
  const fill = exitFill(start, progress)
  const state = isIn ? advance(whole, last, price, fill, part > 0n) : filled === 0 ? undefined : last
  const stop = state === undefined ? whole.stop : stopOf(whole, state).price
  const exitState = state?.left
  const exit: Leg =
    exitState === undefined
      ? takeProfit
      : { ...takeProfit, price: whole.leaving.price(exitState), ...bySwap(whole.stopBy === "swap") }
  const numbers = `take-profit ${Decimal.format(takeProfit.price)}, stop ${Decimal.format(stop)}`
  const because = reasons(keys)
  const beginning = after === undefined ? null : BracketRule.rememberBeginning(market, start)
  if (state === undefined && progress.live === undefined && !isBetter(entry.side, price, whole.stop)) {
    const text = `waits: the market is beyond its stop ${Decimal.format(whole.stop)}`
    const absent = [{ slot, why: because("beyond-stop", text, "stop") }]
    const until = { ...stopsOf(takeProfit.side, [whole.stop]), onFill: true }
    return { desired: [], absent, reasons: [], memory: beginning, until }
  }
  const why =
    state !== undefined && exitState !== undefined
      ? because(
          "stop",
          `the price reached the stop ${Decimal.format(exitState.from)}: exits ${atPrice(whole.stopBy === "swap", exit.price)}`,
          stopOf(whole, state).key
        )
      : because("bracket", `${orderText(entry, market)}; ${numbers}`, filled === 0 ? "entry" : "takeProfit")
  const isClosing = part > 0n && (exitState !== undefined || state?.isClosing === true)
  const legs = [isClosing ? { ...entry, quantity: part } : entry, exit] as const
  const desired = [{ slot, legs, ...present({ after }), cycle: false, why }]
  // Before the entry has filled, this is the stop that it will have then.
  const next = stopOf(whole, state ?? { best: entry.price, isBreakeven: false }).price
  const stops = stopsOf(entry.side, filled === 2 || exitState !== undefined ? [] : [next])
  const decided = { desired, absent: [], reasons: [], stops }
  if (state === undefined) {
    const bounds = stopsOf(entry.side, progress.live === undefined ? [whole.stop] : [])
    return { ...decided, memory: beginning, until: { ...bounds, onFill: true } }
  }
  const { best, isBreakeven } = state
  const isStopped = exitState !== undefined
  return {
    ...decided,
    memory: {
      ...{ best: Decimal.format(best), isBreakeven, isStopped, ...rememberLeft(exitState), ...beginning },
      ...rememberFills(market, fills),
      ...present({ isClosing: state.isClosing || undefined })
    },
    until: isIn ? boundsOf(whole, state, stop, part > 0n) : { onFill: false }
  }
}

const boundsOf = (whole: Bracket, state: State, stop: Price, isPart: boolean): Decision["until"] => {
  if (state.left !== undefined) return { ...whole.leaving.until(state.left), onFill: isPart }
  const goals = [
    ...(whole.trail === undefined ? [] : [nextBest(whole, state.best)]),
    ...(whole.breakevenAt === undefined || state.isBreakeven ? [] : [whole.breakevenAt]),
    ...(isPart && !state.isClosing ? [whole.takeProfit.price] : [])
  ]
  const bounds = { ...stopsOf(opposite(whole.side), goals), ...stopsOf(whole.side, [stop]) }
  return { ...bounds, onFill: isPart || goals.length > 0 }
}
