/**
 * A bracket whose prices follow from the market when it begins: entry, take-profit and stop as percentages or as
 * expressions, after a condition such as a breakout, again and again. It is one rule, so it decides, remembers and
 * explains itself like any other.
 */
import * as Decimal from "../../../domain/Decimal.ts"
import { type Market, opposite, type Side } from "../../../domain/Market.ts"
import { compile } from "../../expression/Compiler.ts"
import { type Scope, scopeOf } from "../../expression/Scope.ts"
import { constantTerm, type Term } from "../../expression/Term.ts"
import * as Read from "../../Fields.ts"
import type { KindContext } from "../../Kind.ts"
import { report } from "../../Problem.ts"
import { timeframe } from "../../Timeframe.ts"
import type { YamlNode, YamlScalar } from "../../YamlReader.ts"
import { checkSize, checkTrail, mostFirings, type Rule, type Rules, withEntry } from "../RulesSection.ts"
import { ruleSize, ruleSizeNode } from "../Size.ts"

const slot = "position"
const defaultReach = 0.005

const onlyFixed = Read.refuse("only a bracket of fixed prices takes this key: give trail, or a stop by an expression")

export const followingFields = (market: Market) =>
  Read.fields({
    side: Read.required(Read.oneOf("buy", "sell"), "of the entry"),
    size: Read.required(ruleSizeNode(market), "of the entry; by risk: so large that the stop loses this share"),
    when: Read.optional(Read.expression, "the bracket begins when this is true; default: at once"),
    timeframe: Read.optional(timeframe, "of candles whose timeframe is not written; default: 1h"),
    entry: Read.required(Read.expression, "a distance from the mid such as 1%, or an expression for the price"),
    takeProfit: Read.required(Read.expression, "a distance from the entry such as 5%, or an expression for the price"),
    stop: Read.required(Read.expression, "a distance from the entry such as 3%, or an expression for the price"),
    reach: Read.optional(Read.ratioOrZero, "at the stop the exit may give away this much more; default: 0.5%"),
    trail: Read.optional(Read.ratio, "the stop follows this far behind the best price"),
    trailFrom: Read.optional(
      Read.expression,
      "a distance from the entry such as 3%, or an expression: the stop follows from this price on; default: at once"
    ),
    expireAfter: Read.optional(Read.duration, "withdraws the entry when nothing of it has filled until then"),
    times: Read.optional(Read.integer(1, mostFirings), "how many brackets in all; default: 1"),
    cooldown: Read.optional(Read.duration, "between two brackets; default: none"),
    stopBy: Read.optional(onlyFixed),
    trailStep: Read.optional(onlyFixed),
    breakevenAt: Read.optional(onlyFixed)
  })

const followingKeys = ["when", "timeframe", "expireAfter", "times", "cooldown"]
const priceKeys = ["entry", "takeProfit", "stop"]

/** Fixed prices that are worked once need none of this. */
export const isFollowing = (section: YamlNode): boolean =>
  section.type === "map" &&
  (followingKeys.some((key) => section.entries.has(key)) ||
    priceKeys.some((key) => !isNumber(section.entries.get(key)?.value)))

/** The reader of fixed prices reports what is missing or not a single value. */
const isNumber = (node: YamlNode | undefined): boolean =>
  node?.type !== "scalar" || node.text === "" || Decimal.parse(node.text) !== undefined || !/[%a-z]/.test(node.text)

const isDistance = (text: string): boolean => /^[\d.]+ ?(%|bps)$/.test(text)

export const readFollowing = (section: YamlNode, context: KindContext): Rules | undefined => {
  const { market, budget, root, to } = context
  const before = to.problems.length
  const read = followingFields(market)(section, to)
  if (read?.side === undefined || read.size === undefined || read.entry === undefined) return undefined
  if (read.takeProfit === undefined || read.stop === undefined) return undefined
  const side: Side = read.side.value === "buy" ? "BUY" : "SELL"
  const scope = scopeOf(context, read.timeframe?.value)
  const inPosition = withEntry(scope)
  const better = (towards: Side) => (towards === "BUY" ? "+" : "-")
  const priceOf = ({ value }: Read.Located<YamlScalar>, of: string, sign: string, within: Scope) => {
    const text = isDistance(value.text) ? `${of} * (1 ${sign} ${value.text})` : value.text
    return compile({ ...value, text }, "price", "price", within)
  }
  // An entry by a distance rests on its own side of the market: below the mid to buy, above it to sell.
  const price = priceOf(read.entry, "mid", better(opposite(side)), scope)
  const takeProfit = priceOf(read.takeProfit, "entry", better(side), inPosition)
  const stop = priceOf(read.stop, "entry", better(opposite(side)), inPosition)
  const trailFrom =
    read.trailFrom === undefined ? undefined : priceOf(read.trailFrom, "entry", better(side), inPosition)
  checkTrail(read.trail, read.trailFrom, to)
  const when = read.when === undefined ? always : compile(read.when.value, "boolean", "condition", scope)
  const size = ruleSize(read.size.value, side, scope)
  if (price === undefined || takeProfit === undefined || stop === undefined) return undefined
  if (when === undefined || size === undefined) return undefined
  const { takeProfit: takeProfitAt, stop: stopAt, trailFrom: trailFromAt } = read
  checkPlaces(
    side,
    price,
    { takeProfit: [takeProfitAt, takeProfit], stop: [stopAt, stop], trailFrom: [trailFromAt, trailFrom] },
    to
  )
  const keys = Read.keyPlaces(section, root, to)
  const rule: Rule = {
    slot,
    side,
    when,
    price,
    size,
    isSwap: false,
    cancelWhen: undefined,
    exit: {
      price: takeProfit,
      isSwap: false,
      stop,
      trail: read.trail === undefined ? undefined : Decimal.toNumber(read.trail.value),
      trailFrom,
      when: undefined,
      afterMillis: undefined,
      reach: read.reach === undefined ? defaultReach : Decimal.toNumber(read.reach.value)
    },
    expireMillis: read.expireAfter?.value,
    times: read.times?.value ?? 1,
    pauseMillis: read.cooldown?.value ?? 0,
    text: read.when?.value.text ?? "the bracket begins at once",
    keys: (key) => keys(ownKey(key, read.when !== undefined))
  }
  if (budget !== undefined) checkSize(rule, section, false, market, budget, to)
  return to.problems.length > before ? undefined : { market, rules: [rule], needs: scope.needs }
}

/** What a bracket calls the keys of a rule. */
const ownKey = (key: string, hasCondition: boolean): string =>
  key === "when" ? (hasCondition ? "when" : "entry") : (bracketKeys.get(key) ?? key)

const bracketKeys: ReadonlyMap<string, string> = new Map([
  ["price", "entry"],
  ["then", "stop"],
  ["pause", "cooldown"]
])

const always: Term = constantTerm(1, "boolean", false)

type Placed = readonly [at: Read.Located<YamlScalar> | undefined, term: Term | undefined]

/** Prices that are numbers can be compared before anything runs. */
const checkPlaces = (
  side: Side,
  { constant: entry }: Term,
  { takeProfit, stop, trailFrom }: Readonly<Record<"takeProfit" | "stop" | "trailFrom", Placed>>,
  to: KindContext["to"]
): void => {
  const [good, bad] = side === "BUY" ? ["above", "below"] : ["below", "above"]
  const sign = side === "BUY" ? 1 : -1
  if (entry === undefined) return
  const check = ([at, term]: Placed, name: string, towards: number, where: string | undefined) => {
    if (at === undefined || term?.constant === undefined || (term.constant - entry) * towards > 0) return
    report(to, at, `${name} must be ${where} the entry price ${entry}`)
  }
  check(takeProfit, "the take-profit", sign, good)
  check(stop, "the stop", -sign, bad)
  check(trailFrom, "trailFrom", sign, good)
}
