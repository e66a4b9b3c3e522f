/**
 * A bracket whose prices follow from the market when it begins: entry, take-profit and stop as percentages or expressions, after a
 * condition, and repeatedly. It is one rule, so it decides, remembers and explains like any other. With several targets it is one rule for
 * each part of the size; all of them begin together.
 */
import { format } from "../../../domain/Amount.ts"
import { perUnit } from "../../../domain/CostBasis.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { type Market, opposite, type Price, type Side } from "../../../domain/Market.ts"
import { filledOfLeg, type Memory } from "../../Decision.ts"
import { compile } from "../../expression/Compiler.ts"
import { notePrice } from "../../expression/Crossing.ts"
import { boundsOf, momentOf } from "../../expression/Judge.ts"
import { type Scope, scopeOf } from "../../expression/Scope.ts"
import { constantTerm } from "../../expression/Term.ts"
import * as Read from "../../Fields.ts"
import type { Section, Whole } from "../../Kind.ts"
import { legsDone, progressOf, type SlotProgress, type View } from "../../View.ts"
import { keyPlaces, type YamlNode, type YamlScalar } from "../../YamlReader.ts"
import { isRecord, isTrueIn, legsIn, recordIn } from "../Memory.ts"
import { part } from "../PriceLevels.ts"
import { checkPlaces } from "../rules/RuleExit.ts"
import { type Going, isTouched, remember, stateIn } from "../rules/RuleState.ts"
import { checkSize, checkTrail, inParts, mostFirings, type Rule, type Rules, withEntry } from "../rules/RulesSection.ts"
import { exitPricesOf } from "../rules/rules.ts"
import { ruleSize, ruleSizeNode, targets } from "../Size.ts"
import { floor, leftIn, reach, stopExit } from "../StopExit.ts"

const slot = "position"

const onlyFixed = Read.refuse("only a bracket of fixed prices takes this key: give trail")

export const trail = Read.optional(part(Read.ratio), "the stop follows this far behind the best price")

export const followingKeys = (market: Market) => ({
  side: Read.required(Read.side, "of the entry"),
  size: Read.required(ruleSizeNode(market), "of the entry; by risk: so large that the stop loses this share"),
  when: Read.optional(Read.expression, "the bracket begins when this is true", "at once"),
  timeframe: Read.usualTimeframe,
  entry: Read.required(Read.expression, "a distance from the mid such as 1%, or an expression for the price"),
  or: Read.optional(
    Read.section({
      entry: Read.required(Read.expression, "as the first"),
      when: Read.optional(Read.expression, "the second entry is placed when this is true", "that of the first")
    }),
    "a second entry of the same size: once one of the two begins to fill, the other is cancelled"
  ),
  takeProfit: Read.required(
    targets(Read.expression),
    "earned after fees, such as 5% from the entry, or an expression for the price; or a list of { at, part }"
  ),
  stop: Read.required(Read.expression, "a distance from the entry such as 3%, or an expression for the price"),
  reach,
  floor,
  trail,
  trailFrom: Read.optional(
    Read.expression,
    "a distance from the entry such as 3%, or an expression: the stop follows from this price on",
    "at once"
  ),
  breakevenAt: Read.optional(
    Read.expression,
    "a distance from the entry such as 2%, or an expression: from this price on the stop is at least the entry price"
  ),
  expireAfter: Read.optional(Read.duration, "cancels the entry if nothing has filled by then"),
  times: Read.withDefault(Read.integer(1, mostFirings), 1, "total number of brackets"),
  cooldown: Read.withDefault(Read.duration, 0, "between two brackets", "none"),
  stopBy: Read.optional(onlyFixed),
  trailStep: Read.optional(onlyFixed)
})

const ownKeys = ["when", "or", "timeframe", "expireAfter", "times", "cooldown"]
const priceKeys = ["entry", "takeProfit", "stop"]

export const isFollowing = (section: YamlNode): boolean =>
  section.type === "map" &&
  (ownKeys.some((key) => section.entries.has(key)) ||
    section.entries.get("takeProfit")?.value.type === "list" ||
    priceKeys.some((key) => !isNumber(section.entries.get(key)?.value)))

const isNumber = (node: YamlNode | undefined): boolean =>
  node?.type !== "scalar" || node.text === "" || Decimal.parse(node.text) !== undefined || !/[%a-z]/.test(node.text)

const isDistance = (text: string): boolean => /^[\d.]+ ?(%|bps)$/.test(text)

export const followingRules = (
  whole: Whole<typeof followingKeys>,
  section: Section<ReturnType<typeof followingKeys>>
): Rules | undefined => {
  const { side } = whole
  const { market, to } = section
  const scope = scopeOf(section, whole.timeframe)
  const inPosition = withEntry(scope)
  const better = (towards: Side) => (towards === "BUY" ? "+" : "-")
  const priceOf = (value: YamlScalar, of: string, sign: string, within: Scope) => {
    // Only a fall is limited, to less than 100 %.
    const isFall = isDistance(value.text) && sign === "-"
    if (isFall && part(Read.ratioOrZero)(value, to) === undefined) return undefined
    const text = isDistance(value.text) ? `${of} * (1 ${sign} ${value.text})` : value.text
    return compile({ ...value, text }, "price", "price", within)
  }
  // An entry by a distance is placed on its own side of the market: below the mid to buy, above it to sell.
  const priceOfEntry = (entry: YamlScalar) => priceOf(entry, "mid", better(opposite(side)), scope)
  const [price, otherPrice] = [priceOfEntry(whole.entry), whole.or && priceOfEntry(whole.or.entry)]
  const targets = whole.takeProfit.map(({ at, part }) => {
    return { at: priceOf(at, "entry", better(side), inPosition), isNet: isDistance(at.text), part }
  })
  const stop = priceOf(whole.stop, "entry", better(opposite(side)), inPosition)
  const trailFrom = whole.trailFrom && priceOf(whole.trailFrom, "entry", better(side), inPosition)
  const breakevenAt = whole.breakevenAt && priceOf(whole.breakevenAt, "entry", better(side), inPosition)
  checkTrail(whole.trail, whole.trailFrom, to)
  const condition = (text: YamlScalar | undefined) => text && compile(text, "boolean", "condition", scope)
  const when = whole.when === undefined ? constantTerm(1, "boolean", false) : condition(whole.when)
  const otherWhen = whole.or?.when === undefined ? when : condition(whole.or.when)
  const size = ruleSize(whole.size, side, scope)
  if (price === undefined || targets.some(({ at }) => at === undefined) || stop === undefined) return undefined
  if (when === undefined || size === undefined) return undefined
  const exits = [
    ...targets.map(({ at }) => ["exit", "the take-profit", at, section.at("takeProfit")] as const),
    ["stop", "the stop", stop, section.at("stop")],
    ["trailFrom", "trailFrom", trailFrom, section.at("trailFrom")],
    ["breakevenAt", "breakevenAt", breakevenAt, section.at("breakevenAt")]
  ] as const
  for (const entryPrice of [price, otherPrice]) if (entryPrice !== undefined) checkPlaces(side, entryPrice, exits, to)
  const places = keyPlaces(section.section, section.root, to)
  const entry: Rule = {
    slot,
    side,
    when,
    price,
    size,
    isSwap: false,
    exit: {
      isSwap: false,
      stop,
      trail: whole.trail && Decimal.toNumber(whole.trail),
      trailFrom,
      breakevenAt,
      leaving: stopExit(market, opposite(side), whole, to)
    },
    expireMillis: whole.expireAfter,
    times: whole.times,
    pauseMillis: whole.cooldown,
    text: whole.when?.text ?? "the bracket begins at once",
    keys: (key) => places(ownKey(key, whole.when !== undefined))
  }
  const first = inParts(entry, targets, market)
  const text = whole.or?.when?.text ?? entry.text
  const other = otherPrice && otherWhen && { ...entry, slot: `${slot}-or`, price: otherPrice, when: otherWhen, text }
  const grouped = (all: ReadonlyArray<Rule>, entry: string) =>
    all.map((rule) => ({ ...rule, group: { of: slot, entry } }))
  const rules = other === undefined ? first : [...grouped(first, "0"), ...grouped(inParts(other, targets, market), "1")]
  checkSize(entry, section.section, false, section, rules)
  return { market, rules, needs: scope.needs }
}

export const isOwn = (name: string): boolean => /^position(?:-or)?(?:-\d{1,2})?$/.test(name)

/** The reason why a position of other slots would lose its exits, because the number of targets or entries has changed. */
export const heldElsewhere = (rules: ReadonlyArray<Pick<Rule, "slot">>, slots: View["slots"]): string | undefined => {
  const names = new Set(rules.map((rule) => rule.slot))
  const isHeld = ({ completedLegs, filledInLeg }: SlotProgress) => completedLegs % 2 === 1 || filledInLeg > 0n
  const position = [...slots].find(([name, progress]) => isOwn(name) && !names.has(name) && isHeld(progress))
  return position && `${position[0]} holds a position: change the number of targets when it is closed`
}

const ownKey = (key: string, hasCondition: boolean): string =>
  key === "when" ? (hasCondition ? "when" : "entry") : (bracketKeys.get(key) ?? key)

const bracketKeys: ReadonlyMap<string, string> = new Map([
  ["price", "entry"],
  ["cancelWhen", "or"],
  ["then", "stop"],
  ["pause", "cooldown"]
])

/**
 * An edit may turn a bracket of fixed prices into one that follows the market, or back, while it holds a position. Both forms work in the
 * same slot, but remember different things. The new form continues with the position, at its own prices, so the position keeps an exit.
 */
export const beginningIn = (market: Market, slot: string, view: View, memory: Memory) => {
  const record = recordIn(memory, slot)
  if (!isRecord(record))
    return { after: legsIn(market.base, memory), isLeaving: isTrueIn(memory, "isStopped"), left: leftIn(memory) }
  const { going } = stateIn(market, record)
  const progress = progressOf(view, slot)
  if (going === undefined || !(isTouched(going, progress) || progress.live !== undefined))
    return { after: legsDone(view, slot), isLeaving: false, left: undefined }
  const exitStart = going.held?.left
  return { after: going.after, isLeaving: exitStart !== undefined, left: exitStart }
}

export type Beginning = Readonly<ReturnType<typeof beginningIn>>

export const rememberBeginning = ({ base }: Market, { after }: Pick<Beginning, "after">) => ({
  ...(after.completedLegs === 0 ? {} : { legsBefore: after.completedLegs }),
  ...(after.filledInLeg === 0n ? {} : { filledBefore: format(after.filledInLeg, base.decimals) })
})

const entryPrice = ({ past, live }: SlotProgress, rule: Rule, market: Market, otherwise: Price): Price => {
  if (rule.side === "BUY" && past !== undefined && past.held > 0n && past.cost > 0n)
    return perUnit(past.cost, past.held, market, "up", 12)
  if (past?.lastOrder.side === rule.side) return past.lastOrder.price
  return live?.side === rule.side ? live.price : otherwise
}

/** The strategy decides again beyond `until`, within which the exits cannot be computed. It is `undefined` if they can be computed. */
export const adopted = (all: Rules, view: View, memory: Memory) => {
  const asItIs = { memory, until: undefined }
  const { market, needs, rules } = all
  const [rule] = rules
  if (rule === undefined || isRecord(recordIn(memory, rule.slot))) return asItIs
  const { after, isLeaving, left } = beginningIn(market, rule.slot, view, memory)
  const progress = progressOf(view, rule.slot)
  const { live, completedLegs, lastLeg, receivedByLastLeg } = progress
  const done = completedLegs - after.completedLegs
  const filled = filledOfLeg({ after }, progress)
  const isEntryLive = live !== undefined && live.side === rule.side && done === 0
  const isHolding = done === 1 || (done === 0 && filled > 0n)
  if (!isHolding && !isEntryLive) return asItIs
  const moment = momentOf(market, view)
  const now = Decimal.fromNumber(moment.mid, 12)
  const price = entryPrice(progress, rule, market, now)
  const at = { ...moment, entry: Decimal.toNumber(price) }
  const { exit, isWhole: isExact, ...others } = exitPricesOf(rule, market, at)
  const isWhole = exit !== undefined && isExact
  const whole = rule.side === "BUY" ? receivedByLastLeg : (lastLeg?.quantity ?? progress.sold - progress.bought)
  const going: Going = {
    price,
    hasExit: true,
    exit: exit ?? (live?.side === opposite(rule.side) ? live.price : price),
    ...others,
    // A stop that has fired stays fired.
    held: isLeaving
      ? { since: view.now, best: moment.mid, left: left ?? { mid: now, from: now }, isClosing: false }
      : undefined,
    quantity: done === 1 ? whole : filled + (isEntryLive ? live.quantity : 0n),
    after,
    firedAt: view.now,
    // An open order of the old form without a fill is cancelled; fills until its end are tracked.
    withdrawnAt: isHolding ? undefined : view.now
  }
  if (going.quantity <= 0n) return asItIs
  const state = { fired: isHolding ? 1 : 0, pausedUntil: 0, going }
  const own = { [rule.slot]: remember(market, state) }
  if (isWhole) return { memory: own, until: undefined }
  // The prices may also depend on the mid, so any change of it asks again.
  notePrice(moment, moment.mid)
  return { memory: own, until: boundsOf(needs, moment, moment.found.times) }
}
