/**
 * Rules: orders that are placed when a condition holds. Each rule is one slot with at most one order at a time. `when` places it;
 * `cancelWhen` or `expireAfter` cancels it while nothing of it has filled; `then` adds an exit. Prices are computed once, when the rule
 * fires; prices that the file states as numbers follow its edits.
 *
 * Conditions see closed candles, the mid, and the strategy's own trading. No rule fires on an indicator that is not warm, or on an unknown
 * value. The decision holds until a candle closes, the clock reaches a time in a condition, an order changes, or the mid reaches a price at
 * which a comparison changes.
 */
import { type Amount, formatWithSymbol } from "../../../domain/Amount.ts"
import type { Reason } from "../../../domain/BotEvent.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { netOfFills } from "../../../domain/fees/RoundCost.ts"
import { inputAsset, type Market, opposite, type Price, type Side } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import { countText } from "../../../domain/Text.ts"
import type { Decision, DesiredSlot, Leg, Memory, PriceBounds } from "../../Decision.ts"
import { inputsOf } from "../../expression/Checks.ts"
import { notePrice } from "../../expression/Crossing.ts"
import * as Judge from "../../expression/Judge.ts"
import { isSameList, lately } from "../../expression/Same.ts"
import { mayGlance, neededBy } from "../../expression/Scope.ts"
import { type Moment, nothingFound, type Term } from "../../expression/Term.ts"
import * as Read from "../../Fields.ts"
import { formOf, type Kind } from "../../Kind.ts"
import * as Ask from "../../Setup.ts"
import type { Behaviour, Inputs, StandsAt } from "../../Strategy.ts"
import { progressOf, type SlotProgress, type View } from "../../View.ts"
import { atPrice, bySwap, verbs } from "../Execution.ts"
import { type Notes, notes, numberIn, recordIn } from "../Memory.ts"
import { orderPrice } from "../PriceLevels.ts"
import { quantityAt, quantityOf } from "../Size.ts"
import { exitNames, exitTerms, follow, heldAt, isSamePrice, misplaced, staysAtGlance, stopsIn } from "./RuleExit.ts"
import { closed, evened, isReplaced, reachedBy, together, waitsFor } from "./RuleGroup.ts"
import { mostSold, positions, turnText } from "./RulePositions.ts"
import {
  entryOf,
  entryPrice,
  fillsOf,
  type Going,
  hasOpenExit,
  isDone,
  isHolding,
  isTouched,
  type RuleState,
  remember,
  stateIn
} from "./RuleState.ts"
import { mostFirings, type Rule, type Rules, rulesKeys, rulesOf, rulesSchema, scopeIn } from "./RulesSection.ts"

export const rules: Kind = {
  name: "rules",
  mayLackOrders: true,
  compounds: true,
  about: "free rules: orders when a condition holds (starts with one that buys dips)",
  setup: (market) => setup(market),
  ...formOf(rulesKeys, scopeIn, (whole, section, scope) => behaviourOf(rulesOf(whole, section, scope))),
  schema: rulesSchema
}

export const behaviourOf = (whole: Rules): Behaviour => {
  const names = knownOf(whole)
  return {
    ...neededBy(whole.needs),
    decide: (view, memory) => decide(whole, names, view, memory),
    unfit: (slots, memory) => turnText(whole, names.read(memory).states, slots),
    positions: (slots, memory) => positions(whole, names.read(memory).states, slots),
    inputs: (view, memory) => inputs(whole, names, view, memory),
    ...(mayGlance(whole.needs) ? { stands: (view, memory) => stands(whole, names, view, memory) } : {})
  }
}

interface RuleMemory {
  readonly startedAt: number | undefined
  readonly states: ReadonlyArray<RuleState>
}

/** An edit of the number of targets renames the slots of a rule. They keep the number of firings of the old slots. */
const siblingIn = (rules: Rules["rules"], { group, slot }: Rule, memory: Memory) => {
  const of = group?.of ?? slot
  const isOther = (name: string) =>
    rules.some((rule) => rule.slot === name && (group === undefined || rule.group?.of !== group.of))
  const before = [of, `${of}-1`].filter((name) => !isOther(name)).map((name) => recordIn(memory, name))
  const state = before.find((each) => each !== null)
  return state && { fired: numberIn(state, "fired") ?? 0, pausedUntil: numberIn(state, "pausedUntil") ?? 0 }
}

const knownOf = (whole: Rules): Notes<RuleMemory> => {
  const { market, rules } = whole
  const readMemory = (memory: Memory): RuleMemory => ({
    startedAt: numberIn(memory, startKey),
    states: rules.map((rule) => {
      const own = recordIn(memory, rule.slot)
      return own === null ? { ...idle, ...siblingIn(rules, rule, memory) } : stateIn(market, own)
    })
  })
  const write = ({ startedAt, states }: RuleMemory): Memory => {
    const bySlot = states.map((state, index) => [rules[index]?.slot ?? "", remember(market, state)] as const)
    return { ...present({ [startKey]: startedAt }), ...Object.fromEntries(bySlot) }
  }
  return notes(readMemory, write, (a, b) => a.startedAt === b.startedAt && isSameList(a.states, b.states))
}

const decide = (whole: Rules, known: Notes<RuleMemory>, view: View, memory: Memory): Decision => {
  const { market, rules } = whole
  const { startedAt, states: before } = known.read(memory)
  const moment = momentIn(whole, view, startedAt)
  const most = mostSold(rules, before, view)
  const desired: Array<DesiredSlot> = []
  const absent: Array<Decision["absent"][number]> = []
  const followed = rules.map((rule, index) => {
    const progress = progressOf(view, rule.slot)
    const state = edited(rule, market, before[index] ?? idle, progress, moment)
    const isPutOff = view.begins === true && progress.live === undefined && state.going !== undefined
    if (isPutOff && !isTouched(state.going, progress)) return { ...state, fired: state.fired - 1, going: undefined }
    return afterOrder(rule, state, progress, moment, {
      isReplaced: () => isReplaced(rules, before, index, view),
      reached: () => reachedBy(rules, before, index, view, moment.mid),
      most: most[index]
    })
  })
  const settled = evened(rules, closed(rules, followed, view))
  const alone = rules.map((rule, index) => {
    const waits = view.mayBegin === false ? "waits until its strategy begins" : waitsFor(rules, settled, index, view)
    return step(rule, market, settled[index] ?? idle, progressOf(view, rule.slot), moment, waits)
  })
  const steps = together(rules, settled, alone)
  const times: Array<number> = []
  let [below, above] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  // A plain loop, because it runs at every candle.
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index]
    const { state, why } = steps[index] ?? {}
    if (rule === undefined || state === undefined) continue
    const { going, pausedUntil } = state
    if (why !== undefined) absent.push({ slot: rule.slot, why })
    else if (going !== undefined) desired.push(slotOf(rule, market, going, progressOf(view, rule.slot), most[index]))
    if (pausedUntil > view.now) times.push(pausedUntil)
    if (going === undefined) continue
    if (rule.expireMillis !== undefined) times.push(going.firedAt + rule.expireMillis)
    for (const stop of rule.exit === undefined ? [] : stopsIn(rule.exit, rule.side, going))
      if (rule.side === "BUY") below = Math.max(below, stop)
      else above = Math.min(above, stop)
  }
  return {
    desired,
    absent,
    memory: known.write({ startedAt: moment.startedAt, states: steps.map(({ state }) => state) }),
    reasons: [],
    until: Judge.boundsOf(whole.needs, moment, [...times, ...moment.found.times]),
    ...(Number.isFinite(below) || Number.isFinite(above) ? { stops: stopsAround(below, above) } : {})
  }
}

const [exactBelow, exactAbove] = [lately(Decimal.fromNumber), lately(Decimal.fromNumber)]

const stopsAround = (below: number, above: number): PriceBounds =>
  present({
    priceBelow: Number.isFinite(below) ? exactBelow(below) : undefined,
    priceAbove: Number.isFinite(above) ? exactAbove(above) : undefined
  })

/** No rule can have this name. */
const startKey = "startedAt"

const momentIn = ({ market, needs }: Rules, view: View, startedAt: number | undefined): Moment => {
  const moment = Judge.momentOf(market, view)
  return needs.start ? { ...moment, startedAt: startedAt ?? view.now } : moment
}

const inputs = (whole: Rules, known: Notes<RuleMemory>, view: View, memory: Memory): Inputs => {
  const { startedAt, states: before } = known.read(memory)
  const moment = momentIn(whole, view, startedAt)
  return new Map(
    whole.rules.map((rule, index) => {
      const { slot, when, cancelWhen } = rule
      const isIdle = before[index]?.going === undefined
      const fires = (at: Moment) => judgeAt(rule, at) === "yes"
      const isUnwanted = (at: Moment) => cancelWhen !== undefined && Judge.truth(cancelWhen, at) === "yes"
      const conditions = isIdle && rule.text !== "" ? [when, cancelWhen] : [cancelWhen]
      return [slot, inputsOf(conditions, moment, isIdle ? fires : isUnwanted)]
    })
  )
}

/** If only the price moves, nothing but conditions decides which rules fire and which cancel their orders. */
const stands = (whole: Rules, known: Notes<RuleMemory>, view: View, memory: Memory): StandsAt | undefined => {
  const { startedAt, states } = known.read(memory)
  const glancing = Judge.glancingFrom(momentIn(whole, view, startedAt))
  const tests: Array<StandsAt> = []
  for (const [index, rule] of whole.rules.entries()) {
    if (waitsFor(whole.rules, states, index, view) !== undefined && states[index]?.going === undefined) continue
    const test = standsOf(rule, states[index] ?? idle, progressOf(view, rule.slot), glancing)
    if (test === undefined) return undefined
    if (test !== always) tests.push(test)
  }
  return (glance) => {
    glancing.at(glance)
    return tests.every((test) => test(glance))
  }
}

const always: StandsAt = () => true

const standsOf = (
  rule: Rule,
  { fired, going, pausedUntil }: RuleState,
  progress: SlotProgress,
  { moment, truth }: Judge.Glancing
): StandsAt | undefined => {
  const { cancelWhen, exit } = rule
  if (going === undefined) {
    if (fired >= rule.times || pausedUntil > moment.now) return always
    const verdict = () => judge(rule, truth)
    const present = verdict()
    // After "yes", the condition held but the price or the size had no value.
    return present === "unseen" || present === "yes" ? undefined : () => verdict() === present
  }
  if (going.withdrawnAt !== undefined) return always
  if (isTouched(going, progress)) {
    if (exit === undefined) return always
    return isHolding(going, progress) ? staysAtGlance(exit, rule.side, going) : undefined
  }
  if (cancelWhen === undefined) return always
  // A condition that waits for candles does not cancel the order.
  const isUnwanted = (): boolean => {
    const unwanted = truth(cancelWhen)
    return unwanted === "yes" || unwanted === "unseen"
  }
  return isUnwanted() ? undefined : () => !isUnwanted()
}

export const endedByExit = "its stop, trail, condition or time has ended it"

/** Firings of a rule that its exit has ended: more than any file allows. */
const endedRule = mostFirings + 1

const idle: RuleState = { fired: 0, pausedUntil: 0, going: undefined }

/** Returns one slot object for one order, so that a comparison of planned and open orders ends at once. */
const slots = new WeakMap<Going, DesiredSlot>()

const slotOf = (rule: Rule, market: Market, going: Going, progress: SlotProgress, most?: Amount): DesiredSlot => {
  const slot = slots.get(going) ?? wholeSlotOf(rule, market, going)
  slots.set(going, slot)
  const quantity = entryOf(going, progress)
  const [entry, ...exits] = slot.legs
  if (most === undefined && quantity === going.quantity) return slot
  const legs = [{ ...entry, quantity }, ...exits.map((exit) => ({ ...exit, quantity: most ?? exit.quantity }))] as const
  return { ...slot, ...(most === undefined ? {} : { neverMore: true }), legs }
}

const wholeSlotOf = (rule: Rule, market: Market, going: Going): DesiredSlot => {
  const { quantity, price, after, held } = going
  const leaves = held?.left && rule.exit?.leaving.price(held.left)
  const entry: Leg = { side: rule.side, price, quantity, ...bySwap(rule.isSwap) }
  const exact = leaves === undefined ? ({ isExact: true } as const) : {}
  const of = { slot: rule.slot, after, cycle: false, ...exact, why: orderReason(rule, market, going, leaves) }
  const exitPrice = leaves ?? going.exit
  const bySwapOrNot = bySwap(rule.exit?.isSwap === true)
  const exit =
    exitPrice && ({ side: opposite(rule.side), price: exitPrice, quantity, mayLose: true, ...bySwapOrNot } as const)
  return { ...of, legs: exit === undefined ? [entry] : [entry, exit] }
}

interface Step {
  readonly state: RuleState
  readonly why?: Reason
}

/** Fires if it may. Finished orders have ended in `state`, so a second decision changes nothing. */
const step = (
  rule: Rule,
  market: Market,
  state: RuleState,
  progress: SlotProgress,
  moment: Moment,
  waits: string | undefined
): Step => {
  const because = (code: string, text: string, key: string): Step => ({
    state,
    why: { code, text, source: rule.keys(key) }
  })
  if (state.going?.withdrawnAt !== undefined) {
    const expiry = state.going.firedAt + (rule.expireMillis ?? Number.POSITIVE_INFINITY)
    const key = state.going.withdrawnAt >= expiry ? "expireAfter" : "cancelWhen"
    return because("withdrawn", "waits until its order is withdrawn", key)
  }
  if (state.going !== undefined) return { state }
  if (state.fired >= endedRule) return because("used-up", endedByExit, "then")
  if (state.fired >= rule.times)
    return because("used-up", `has fired all its ${countText(rule.times, "time")}`, "times")
  if (state.pausedUntil > moment.now) return because("paused", "waits until its pause is over", "pause")
  if (waits !== undefined) return because("in-parts", waits, "then")
  const verdict = judgeAt(rule, moment)
  if (typeof verdict === "object") return because(verdict.code, verdict.text, "when")
  if (verdict === "no") return because("condition", `its condition does not hold: ${rule.text}`, "when")
  const { found } = moment
  Judge.forget(found)
  const going = fire(rule, market, progress, moment)
  if (found.lacking.size > 0) return because("not-known", Judge.undecided(found).text, "price")
  if (going === undefined && found.dividesByZero.size > 0) {
    // The divisor may change with the price, or with the time.
    notePrice(moment, moment.mid)
    found.times.push(moment.now + 1)
    return because("not-known", Judge.undecided(found).text, "price")
  }
  if (going === undefined) {
    const { code, text, key } = noOrder(rule, market, moment)
    // Any other price may give an order; a value that is not warm waits for a candle.
    if (code === "no-order") notePrice(moment, moment.mid)
    return because(code, text, key)
  }
  const wrong = misplaced(rule.side, going, rule.exit?.isSwap === true, moment)
  if (wrong !== undefined) {
    notePrice(moment, moment.mid)
    return because("no-order", wrong, "then")
  }
  return { state: { ...state, fired: state.fired + 1, going } }
}

const noOrder = ({ exit, price, side, size }: Rule, market: Market, moment: Moment) => {
  const entry = price.value(moment)
  const values: ReadonlyArray<readonly [key: string, term: Term | undefined]> = [
    ["price", price],
    ["size", "term" in size ? size.term : undefined],
    ...Object.values(exitTerms(exit)).map((term) => ["then", term] as const)
  ]
  for (const [key, term] of values) {
    const lookups = nothingFound()
    if (term === undefined || Number.isFinite(term.value({ ...moment, entry, found: lookups }))) continue
    const part = key === "then" ? "exit" : key
    if (!lookups.isUndefined) return { code: "warming-up", text: `needs more candles for its ${part}`, key }
    const text = `its ${part} has no value now: it uses a value that does not exist now, such as an average entry without a position`
    return { code: "no-order", text, key }
  }
  const text = `its price comes to ${Decimal.format(Decimal.fromNumber(entry, 8))}: a price must be above zero`
  if (entry <= 0) return { code: "no-order", text, key: "price" }
  const amount = "term" in size ? size.term.value({ ...moment, entry }) * Decimal.toNumber(size.share) : 0
  const free = side === "SELL" ? moment.own?.freeBase : moment.own?.freeQuote
  if ("term" in size && amount > 0 && free === 0n) {
    const amountText = `${Decimal.format(Decimal.fromNumber(amount, 8))} ${market[size.unit].symbol}`
    const fundsText = `its size comes to ${amountText}, and no ${inputAsset(market, side).symbol} is free outside its orders`
    return { code: "no-order", text: fundsText, key: "size" }
  }
  return { code: "no-order", text: "its price or size is too small for an order", key: "size" }
}

/** A rule does not fire while its own `cancelWhen` holds. Both are evaluated, because the bounds of both count. */
const judge = <T>({ cancelWhen, when }: Rule, truthOf: (condition: Term) => T | "yes" | "no"): T | "yes" | "no" => {
  const whenTruth = truthOf(when)
  const unwanted = cancelWhen === undefined ? "no" : truthOf(cancelWhen)
  // An unknown condition takes precedence over a known one.
  if (whenTruth !== "yes" && whenTruth !== "no") return whenTruth
  return unwanted === "yes" ? "no" : unwanted === "no" ? whenTruth : unwanted
}

const judgeAt = (rule: Rule, moment: Moment): Judge.Judgement =>
  judge(rule, (condition) => Judge.truth(condition, moment))

/**
 * Exits that an edit adds are computed once, now; those that it removes are gone. Prices that the file states as numbers follow its edits.
 * What has filled keeps its price, from which its exits count.
 */
const edited = (rule: Rule, market: Market, state: RuleState, progress: SlotProgress, moment: Moment): RuleState => {
  const { exit, price, side, size } = rule
  const { going } = state
  if (going === undefined) return state
  const terms = exitTerms(exit)
  const hasExit = exit !== undefined || hasOpenExit(going, side, progress)
  const changed = exitNames.filter((key) => (terms[key] === undefined) !== (going[key] === undefined))
  const isAdded = changed.some((key) => terms[key] !== undefined)
  const hasNumber = [price, ...Object.values(terms)].some((term) => term?.constant !== undefined)
  if (!hasNumber && changed.length === 0 && hasExit === going.hasExit) return state
  const isWritten = price.constant !== undefined && !isHolding(going, progress)
  const nextPrice = (isWritten && orderPriceOf(price, market, side, moment)) || going.price
  const isMoved = !isSamePrice(nextPrice, going.price)
  const next = { ...going, hasExit, price: nextPrice, fills: fillsOf(going, side, progress, isMoved) }
  const entry = entryPrice(next)
  const hasOtherEntry = !isSamePrice(entry, entryPrice(going))
  // Without a value now, it is computed at the next price, order or candle.
  if (isAdded) notePrice(moment, moment.mid)
  const found = isAdded ? moment.found : nothingFound()
  const now = exitPricesOf(rule, market, { ...moment, entry: Decimal.toNumber(entry), found })
  const after = (key: keyof typeof terms) => {
    const isKept = going[key] !== undefined && !hasOtherEntry && terms[key]?.constant === undefined
    return terms[key] && ((isKept ? undefined : now[key]) ?? going[key])
  }
  const [trail, breakeven] = [after("trailFrom"), after("breakevenAt")]
  const exits = { exit: after("exit"), stop: after("stop"), trailFrom: trail, breakevenAt: breakeven }
  const isSame = exitNames.every((key) => isSamePrice(exits[key], going[key]))
  if (!isMoved && next.fills === going.fills && isSame && hasExit === going.hasExit) return state
  const isOfQuote = isMoved && "amount" in size && size.unit === "quote" && !isTouched(going, progress)
  const quantity = isOfQuote ? quantityAt(market, size, nextPrice) : going.quantity
  return { ...state, going: { ...next, ...exits, quantity } }
}

const afterOrder = (
  rule: Rule,
  state: RuleState,
  progress: SlotProgress,
  moment: Moment,
  { isReplaced, most, reached }: { isReplaced: () => boolean; most: Amount | undefined; reached: () => number }
): RuleState => {
  const { going } = state
  if (going === undefined) return state
  const over = { ...state, going: undefined }
  if (isDone(going, progress, most)) {
    const isLast = rule.exit?.ends === true && going.held?.left !== undefined
    const ended = { ...over, fired: isLast ? endedRule : state.fired, pausedUntil: moment.now + rule.pauseMillis }
    return rule.group === undefined ? ended : { ...ended, exited: state.fired }
  }
  const { withdrawnAt } = going
  const isResting = progress.live !== undefined
  if (isTouched(going, progress)) {
    const isPart = !isHolding(going, progress)
    const exitState = rule.exit
      ? follow(rule.exit, rule.side, going, moment, reached(), isPart)
      : (going.held ?? heldAt(moment))
    if (withdrawnAt === undefined && state.pausedUntil === 0 && exitState === going.held) return state
    // If another entry replaces this one, this one buys only what fills until it is cancelled.
    const isClosing = exitState.isClosing || (withdrawnAt !== undefined && isReplaced())
    return { ...state, pausedUntil: 0, going: { ...going, withdrawnAt: undefined, held: { ...exitState, isClosing } } }
  }
  if (withdrawnAt !== undefined) return isResting ? state : over
  const isExpired = rule.expireMillis !== undefined && moment.now >= going.firedAt + rule.expireMillis
  const isUnwanted = rule.cancelWhen !== undefined && Judge.truth(rule.cancelWhen, moment) === "yes"
  if (!isExpired && !isUnwanted && !isReplaced()) return state
  const pausedUntil = moment.now + rule.pauseMillis
  return isResting ? { ...state, pausedUntil, going: { ...going, withdrawnAt: moment.now } } : { ...over, pausedUntil }
}

const fire = (rule: Rule, market: Market, progress: SlotProgress, moment: Moment): Going | undefined => {
  const { completedLegs, filledInLeg } = progress
  const price = orderPriceOf(rule.price, market, rule.side, moment)
  if (price === undefined) return undefined
  const at = { ...moment, entry: Decimal.toNumber(price) }
  const { isWhole, ...prices } = exitPricesOf(rule, market, at)
  const quantity = quantityOf(rule, market, price, at, prices.stop)
  if (quantity <= 0n || !isWhole) return undefined
  const order = { price, quantity, hasExit: rule.exit !== undefined, ...prices, held: undefined }
  return { ...order, after: { completedLegs, filledInLeg }, firedAt: moment.now, withdrawnAt: undefined }
}

const orderPriceOf = (term: Term, market: Market, side: Side, moment: Moment, netOf?: number): Price | undefined => {
  const value = term.value(moment)
  if (!Number.isFinite(value) || value <= 0) return undefined
  // A double has only computational noise beyond twelve digits.
  const price = orderPrice(market, side, netOfFills(side === "SELL", Decimal.fromNumber(value, 12), netOf))
  return Decimal.isPositive(price) ? price : undefined
}

export const exitPricesOf = ({ exit, side }: Rule, market: Market, moment: Moment) => {
  const terms = exitTerms(exit)
  const at = (term: Term | undefined, netOf?: number) =>
    term && orderPriceOf(term, market, opposite(side), moment, netOf)
  const target = at(terms.exit, exit?.isNet === true ? moment.fillBasisPoints : undefined)
  const moves = { trailFrom: at(terms.trailFrom), breakevenAt: at(terms.breakevenAt) }
  const prices = { exit: target, stop: at(terms.stop), ...moves }
  const isWhole = exitNames.every((name) => terms[name] === undefined || prices[name] !== undefined)
  return { ...prices, isWhole }
}

const orderReason = (rule: Rule, market: Market, { price, exit, quantity }: Going, leaves: Price | undefined) => {
  if (leaves !== undefined) {
    const text = `exits ${atPrice(rule.exit?.isSwap === true, leaves)}: its stop, time or condition was reached`
    return { code: "rule-left", text, source: rule.keys("then") }
  }
  const after = exit === undefined ? "" : `, then exits ${atPrice(rule.exit?.isSwap === true, exit)}`
  const order = `${verbs[rule.side]} ${formatWithSymbol(quantity, market.base)} ${atPrice(rule.isSwap, price)}${after}`
  return { code: "rule-fired", text: [order, rule.text].filter(Boolean).join(": "), source: rule.keys("when") }
}

const timesOf = (answer: Ask.AnswerOf): number => Number(answer("times"))

const setup = ({ quote }: Market): Ask.Setup => ({
  steps: [
    Ask.total(quote, "that it may use in all"),
    Ask.text("Candles to look at, such as 5m, 1h or 4h", "1h")("timeframe", Read.timeframe),
    Ask.text("Buy when the RSI of 14 candles is below", "30")("rsi", Read.integer(1, 99)),
    Ask.text("How many purchases in all", "20")("times", Read.integer(1, 1000)),
    Ask.share(quote, "for each purchase", timesOf)("size", Read.text),
    Ask.text("Profit at which each is sold", "2%")("profit", Read.ratio)
  ],
  budget: (answer) => ({ quote: Ask.totalOf(quote, answer, timesOf(answer)) }),
  section: (answer) => `
  timeframe: ${answer("timeframe")}
  orders:
    dip:
      # an RSI of 14 needs 85 candles; nothing is decided before
      when: rsi(close, 14) < ${answer("rsi")}
      side: buy
      price: mid * (1 - 0.1%)  # computed once, when the rule fires
      size: { quote: ${answer("size")} }
      cancelWhen: rsi(close, 14) > ${Math.min(99, Number(answer("rsi")) + 20)}
      expireAfter: 12h  # cancelled if nothing has filled by then
      times: ${answer("times")}
      then:  # after the purchase
        price: entry * (1 + ${answer("profit")})`
})
