/** The `rules:` section of a strategy file: names, in the order in which they use each other, and expressions, checked and compiled. */
import { Result } from "effect"
import { type Amount, floorOf, min } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { inputAsset, type Market, opposite, type Side } from "../../../domain/Market.ts"
import { timeframeMillis } from "../../../domain/Timeframe.ts"
import { compile, compileAny } from "../../expression/Compiler.ts"
import { functions } from "../../expression/functions.ts"
import { type Expression, parse } from "../../expression/Grammar.ts"
import { ownWords } from "../../expression/names/OwnNames.ts"
import { type Needs, type Scope, scopeOf } from "../../expression/Scope.ts"
import { constantTerm, stillTerm, type Term, type ValueType } from "../../expression/Term.ts"
import * as Read from "../../Fields.ts"
import type { KindContext, Section } from "../../Kind.ts"
import { quoted, type Report, report, type Span, warn } from "../../Problem.ts"
import type { Budget } from "../../Strategy.ts"
import { type KeyPlaces, keyPlaces, valueIn, type YamlNode, type YamlScalar } from "../../YamlReader.ts"
import { execution, verbs } from "../Execution.ts"
import { checkDearExit, checkValues, valueOf } from "../OrderCheck.ts"
import { part } from "../PriceLevels.ts"
import { type ExitTarget, partsOf, type RuleSize, ruleSize, ruleSizeNode, targets } from "../Size.ts"
import { floor, reach, type StopExit, stopExit } from "../StopExit.ts"
import { checkLoss, checkPlaces, type Exit, fixedRatio, needsPosition, sellsPosition } from "./RuleExit.ts"
import { type NamedState, state, statesOf } from "./StateSection.ts"

export interface Rule {
  readonly slot: string
  readonly side: Side
  readonly when: Term
  readonly price: Term
  readonly size: RuleSize
  readonly sellsPosition?: boolean
  readonly isSwap: boolean
  readonly cancelWhen?: Term | undefined
  readonly exit: Exit | undefined
  /** Rules of one group share their rounds (see `RuleGroup`). */
  readonly group?: { readonly of: string; readonly entry: string } | undefined
  readonly expireMillis: number | undefined
  readonly times: number
  readonly pauseMillis: number
  readonly text: string
  readonly keys: KeyPlaces
}

export interface Rules {
  readonly market: Market
  readonly rules: ReadonlyArray<Rule>
  readonly needs: Needs
}

export const mostFirings = 1_000_000

const exitKeys = {
  price: Read.optional(
    targets(Read.expression),
    "price of the exit, computed once when the rule fires; or a list of { at, part }"
  ),
  by: Read.optional(execution, "swap: executed as soon as this price or a better one is available"),
  stop: Read.optional(
    Read.expression,
    "a price, computed once when the rule fires: it exits when the price is reached"
  ),
  trail: Read.optional(part(Read.ratio), "it exits when the price is this far behind its best since the entry"),
  trailFrom: Read.optional(
    Read.expression,
    "a price, computed once when the rule fires: it trails once the market has come there",
    "at once"
  ),
  breakevenAt: Read.optional(
    Read.expression,
    "a price, computed once when the rule fires: once the market has come there, the stop is at least the entry"
  ),
  when: Read.optional(Read.expression, "it exits when this is true"),
  after: Read.optional(Read.duration, "it exits this long after the first fill of its entry"),
  ends: Read.withDefault(
    Read.trueOrFalse,
    false,
    "true: the rule fires no more after an exit by stop, trail, when or after"
  ),
  reach,
  floor
}

const exitSection = Read.mapped(Read.section(exitKeys), (exit, node, to) => {
  checkTrail(exit.trail, exit.trailFrom, to)
  // A way with a mistake is reported already.
  const hasWay = ["price", "stop", "trail", "when", "after"].some((way) => node.type === "map" && node.entries.has(way))
  return hasWay ? exit : report(to, node, "there is no way to exit", "give price, stop, trail, when or after")
})

const orderKeys = (market: Market) => ({
  when: Read.required(Read.expression, "places the order when this is true"),
  side: Read.required(Read.side, "buy or sell"),
  price: Read.required(Read.expression, "an expression, computed once when the rule fires"),
  by: Read.optional(execution, "swap: executed at once at this price or a better one", "an order that rests"),
  size: Read.required(ruleSizeNode(market), "of the order, numbers or expressions"),
  cancelWhen: Read.optional(Read.expression, "cancels the order while nothing of it has filled"),
  expireAfter: Read.optional(Read.duration, "cancels the order if nothing has filled by then"),
  pause: Read.optional(Read.duration, "after an order has ended", "one candle"),
  times: Read.optional(Read.integer(1, mostFirings), "how often it may fire"),
  // biome-ignore lint/suspicious/noThenProperty: the key that people write; its value is never a function
  then: Read.optional(exitSection, "how the position of the entry is exited")
})

export const withEntry = (scope: Scope): Scope => {
  const entry = stillTerm("price", (moment) => moment.entry)
  return { ...scope, names: new Map([...scope.names, ["entry", entry]]) }
}

const keysWith = <A>(order: Read.Reader<A>) => ({
  timeframe: Read.usualTimeframe,
  let: Read.optional(Read.table(Read.text, Read.expression), "names for expressions, which may use each other"),
  state: Read.optional(Read.table(Read.text, state), "named series that follow from their own last value"),
  orders: Read.required(Read.table(Read.name, order), "rules by name")
})

export const rulesKeys = () => keysWith((node: YamlNode) => node)
export const rulesSchema = () => Read.schemaOf(Read.fields(keysWith(Read.fields(orderKeys(Read.anyMarket)))))

type RulesKeys = ReturnType<typeof rulesKeys>

export const scopeIn = (
  { let: names = [], state = [], timeframe }: Read.KnownSettings<RulesKeys>,
  section: Section<RulesKeys>
): Scope => {
  const scope: Scope = { ...scopeOf(section, timeframe), knowsStart: true }
  return { ...scope, names: namesOf([...names, ...state], scope) }
}

export const rulesOf = ({ orders }: Read.SettingsOf<RulesKeys>, section: Section<RulesKeys>, scope: Scope): Rules => {
  const { budget, market, root, to } = section
  const skimRule = orders.find(([slot]) => slot.value === "skim" && root.type === "map" && root.entries.has("skim"))
  if (skimRule !== undefined) {
    const problem = "beside the key skim no rule can have this name: both would be remembered in one place"
    report(to, skimRule[0], problem, "give the rule another name")
  }
  const pauseMillis = timeframeMillis(scope.timeframe) ?? 0
  const entries = orders.map(([slot, { value }]) => {
    const parts = ruleOf(slot, value, scope, pauseMillis)
    return { at: value, parts, rule: parts[0], slot }
  })
  const rules = entries.flatMap(({ parts }) => parts)
  for (const { at, parts, rule, slot } of entries) {
    if (rule === undefined || budget === undefined) continue
    checkSize(rule, at, isSupplied(rule, rules, budget), section, parts)
    const same =
      parts.length > 1 && parts.find((part) => rules.some((other) => other !== part && other.slot === part.slot))
    if (same) report(to, slot, `another rule has the name ${same.slot}, which one of its parts needs`)
  }
  checkFirst(entries, scope)
  checkHeld(entries, scope)
  return { market, rules, needs: scope.needs }
}

interface RuleAt {
  readonly at: YamlNode
  readonly rule: Rule | undefined
}

const checkFirst = (read: ReadonlyArray<RuleAt>, { to }: Scope): void => {
  const firstRows = read.map(({ at, rule }) => {
    const size = rule && "term" in rule.size ? rule.size.term : undefined
    const part = Object.entries({ price: rule?.price, size }).find(([, term]) => term && needsPosition(term))
    return { at, part: part?.[0], rule }
  })
  if (firstRows.some(({ part }) => part === undefined)) return
  for (const { at, part = "", rule } of firstRows) {
    const message = `rule ${rule?.slot} never fires: its ${part} has no value without a position, and no rule begins one`
    warn(to, valueIn(at, part) ?? at, message, "averageEntry has a value only while there is a position")
  }
}

/** Warns of a rule that sells the position, if open exits of other rules hold that base. */
const checkHeld = (read: ReadonlyArray<RuleAt>, { to }: Scope): void => {
  for (const { at, rule } of read) {
    const holder = read.find((other) => other.rule?.side === "BUY" && other.rule.exit?.price !== undefined)?.rule
    if (rule?.sellsPosition !== true || holder === undefined) continue
    const message = `rule ${rule.slot} sells a share of the position, and the exit of rule ${holder.slot} holds what it bought: while that rests, nothing is free`
    const advice = `let ${holder.slot} exit by then.stop or then.when, which hold nothing until they are due`
    warn(to, valueIn(at, "size") ?? at, message, advice)
  }
}

const reservedWords: ReadonlySet<string> = new Set([
  ..."open high low close volume mid bid ask hour minute weekday monthday position entry since depth".split(" "),
  ..."and or not if then else".split(" "),
  ...ownWords
])

type Named = YamlScalar | NamedState

const textsOf = (value: Named): ReadonlyArray<string> =>
  "next" in value ? [value.initial, value.next].flatMap((text) => text?.text ?? []) : [value.text]

interface NamedRow {
  readonly name: Read.Located<string>
  readonly texts: ReadonlyArray<string>
}

const operandsOf = (tree: Expression): ReadonlyArray<Expression> => {
  switch (tree.type) {
    case "number":
    case "name":
    case "market":
      return []
    case "call":
      return tree.arguments
    case "unary":
    case "past":
      return [tree.operand]
    case "if":
      return [tree.condition, tree.then, tree.otherwise]
    case "binary":
      return [tree.left, tree.right]
  }
}

const mentionedIn = (tree: Expression): ReadonlyArray<string> =>
  tree.type === "name" ? [tree.name] : operandsOf(tree).flatMap(mentionedIn)

/** A text that cannot be parsed mentions nothing; the compiler reports the reason. A name in its own text is its last value. */
const mentioned = ({ name, texts }: NamedRow): ReadonlyArray<string> =>
  texts.flatMap((text) => {
    const tree = parse(text)
    return Result.isFailure(tree) ? [] : mentionedIn(tree.success).filter((other) => other !== name.value)
  })

/** Groups names that need each other, each group after those that it needs: Tarjan's strongly connected components. */
const groupsOf = <Row extends NamedRow>(rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<Row>> => {
  const byName = new Map(rows.map((row) => [row.name.value, row]))
  const [begun, groups, open] = [new Map<Row, number>(), [] as Array<ReadonlyArray<Row>>, [] as Row[]]
  const visit = (row: Row): number => {
    const at = begun.size
    begun.set(row, at)
    open.push(row)
    let earliest = at
    for (const name of mentioned(row)) {
      const other = byName.get(name)
      if (other === undefined) continue
      const visitIndex = begun.get(other)
      if (visitIndex === undefined) earliest = Math.min(earliest, visit(other))
      else if (open.includes(other)) earliest = Math.min(earliest, visitIndex)
    }
    if (earliest === at) groups.push(open.splice(open.indexOf(row)))
    return earliest
  }
  for (const row of rows) if (!begun.has(row)) visit(row)
  return groups.map((group) => group.toSorted((a, b) => a.name.start - b.name.start))
}

/**
 * Orders names for compilation: each comes after the names that its expressions mention. States that need each other are compiled together,
 * because each has a last value. Other names that need each other are reported and get no value.
 */
const inOrder = <Row extends NamedRow>(rows: ReadonlyArray<Row>, isState: (row: Row) => boolean, to: Report) => {
  const groups = groupsOf(rows)
  const circles = groups.filter((group) => group.length > 1 && !group.every(isState))
  for (const [first, ...others] of circles) {
    if (first === undefined) continue
    const needs = others.map(({ name }) => quoted(name.value)).join(", ")
    const text = `${quoted(first.name.value)} and ${needs} need each other, so none of them can be computed first`
    report(to, first.name, text, "states may need each other's last value, NAME[1]: write out what stands between them")
  }
  return { groups, circular: new Set(circles.flat().map(({ name }) => name.value)) }
}

const namesOf = (
  rows: ReadonlyArray<readonly [Read.Located<string>, Read.Located<Named>]>,
  scope: Scope
): ReadonlyMap<string, Term> => {
  const names = new Map<string, Term>()
  const written = rows.toSorted(([a], [b]) => a.start - b.start)
  const definitions = written.map(([name, { value }]) => ({ name, value, texts: textsOf(value) }))
  const { circular, groups } = inOrder(definitions, ({ value }) => "next" in value, scope.to)
  for (const name of circular) names.set(name, constantTerm(Number.NaN, "number", true))
  const mayBeNamed = (name: Read.Located<string>): boolean => {
    const isWord = /^[a-z][A-Za-z0-9_]{0,40}$/.test(name.value)
    const isTaken = reservedWords.has(name.value) || functions.has(name.value)
    if (isTaken) report(scope.to, name, `${quoted(name.value)} means something already: take another name`)
    else if (names.has(name.value)) report(scope.to, name, `${quoted(name.value)} is named twice`)
    else if (!isWord) report(scope.to, name, "a name has a lower-case letter, then at most 40 letters, digits and _")
    return !isTaken
  }
  for (const group of groups.filter((all) => !all.some(({ name }) => circular.has(name.value)))) {
    const usable = group.filter(({ name }) => mayBeNamed(name))
    const states = group.flatMap(({ name, value }) => ("next" in value ? [{ name, read: value }] : []))
    const within = { ...scope, names: new Map(names) }
    const terms = new Map(states.length === 0 ? [] : statesOf(states, within))
    for (const { name, value } of usable) {
      const term = "next" in value ? terms.get(name.value) : compileAny(value, "condition", within)
      if (term !== undefined) names.set(name.value, term)
    }
  }
  return names
}

const ruleOf = (slot: Read.Located<string>, node: YamlNode, scope: Scope, pauseMillis: number): ReadonlyArray<Rule> => {
  const { to, market } = scope
  const keys = orderKeys(market)
  const fields = Read.fields(keys)(node, to)
  if (fields === undefined) return []
  const rule = Read.valuesOf(keys, fields)
  const termIn =
    (within: Scope): CompileTerm =>
    (at, type) =>
      at && compile(at, type, type === "boolean" ? "condition" : "price", within)
  const term = termIn(scope)
  const when = term(rule.when, "boolean")
  const cancelWhen = term(rule.cancelWhen, "boolean")
  const price = term(rule.price, "price")
  const { side = "BUY" } = rule
  const exitTerm = termIn(withEntry(scope))
  const exit = rule.then && exitOf(rule.then, exitTerm, stopExit(market, opposite(side), rule.then, to))
  const targets = (rule.then?.price ?? []).map(({ at, part }) => ({ at: exitTerm(at, "price"), part, place: at }))
  const size = rule.size && ruleSize(rule.size, side, scope)
  if (size !== undefined && "risk" in size && exit?.stop === undefined) {
    const hint = "then: { stop: entry - 2 * atr(14) }, for example"
    report(to, fields.size ?? slot, "a size by risk needs a stop, the price at which that risk is lost", hint)
    return []
  }
  if (rule.side !== undefined && price !== undefined) {
    const targetOrders = exit?.isSwap ? [] : targets
    const exits = [
      ...targetOrders.map(({ at, place }) => ["exit", "the exit", at, place] as const),
      ["stop", "the stop", exit?.stop, rule.then?.stop]
    ] as const
    checkPlaces(rule.side, price, exits, to)
    // Earlier versions accepted it, and a file that runs must still start.
    const breakeven = ["breakevenAt", "breakevenAt", exit?.breakevenAt, rule.then?.breakevenAt] as const
    checkPlaces(rule.side, price, [breakeven], to, warn)
    for (const { at, place } of targetOrders) if (at) checkLoss(side, { entry: price, exit: at, size }, place, scope)
  }
  if (when === undefined || price === undefined || rule.side === undefined || size === undefined) return []
  const whole: Rule = {
    slot: slot.value,
    side: rule.side,
    when,
    price,
    size,
    sellsPosition: sellsPosition(rule.side, size),
    isSwap: rule.by === "swap",
    cancelWhen,
    exit,
    expireMillis: rule.expireAfter,
    times: rule.times ?? mostFirings,
    pauseMillis: rule.pause ?? pauseMillis,
    text: rule.when === undefined || rule.when.text === always ? "" : rule.when.text,
    keys: keyPlaces(node, node, to)
  }
  return targets.length === 0 ? [whole] : inParts(whole, targets, market)
}

export const targetSlot = (rule: string, index: number): string => `${rule}-${index + 1}`

/** One rule for each target, with its part of the size. The rules fire together. */
export const inParts = (
  rule: Rule,
  targets: ReadonlyArray<ExitTarget<Term | undefined> & { readonly isNet?: boolean }>,
  market: Market
): ReadonlyArray<Rule> => {
  const parts = targets.map(({ part }) => part)
  return partsOf(rule.size, parts, market).map((size, index) => {
    const { at: price, isNet = false } = targets[index] ?? {}
    const exit = rule.exit && { ...rule.exit, price, isNet }
    const isOnly = targets.length === 1
    const of = isOnly ? {} : { slot: targetSlot(rule.slot, index), group: { of: rule.slot, entry: rule.slot } }
    return { ...rule, size, exit, ...of }
  })
}

/** The condition of an order by hand. It always holds, so it is not shown as a reason. */
export const always = "mid > 0"

type CompileTerm = (at: YamlScalar | undefined, type: ValueType) => Term | undefined

const exitOf = (
  { by, stop, trail, trailFrom, breakevenAt, when, after, ends }: Read.SettingsOf<typeof exitKeys>,
  term: CompileTerm,
  leaving: StopExit
): Exit => ({
  isSwap: by === "swap",
  stop: term(stop, "price"),
  trail: trail && Decimal.toNumber(trail),
  trailFrom: term(trailFrom, "price"),
  breakevenAt: term(breakevenAt, "price"),
  when: term(when, "boolean"),
  afterMillis: after,
  ends,
  leaving
})

export const checkTrail = (trail: unknown, trailFrom: Span | undefined, to: Report): void => {
  if (trail === undefined && trailFrom !== undefined) report(to, trailFrom, "trailFrom without trail does nothing")
}

const isSupplied = ({ side }: Rule, all: ReadonlyArray<Rule>, budget: Budget): boolean =>
  all.some((other) => other.side !== side && budget[other.side === "BUY" ? "quote" : "base"] > 0n)

/** Values of the entry, and of an exit at this price if that is less, as far as they are the same in every market. */
const valuesOf = ({ price, size }: Rule, exit: Term | undefined, market: Market): ReadonlyArray<Amount> => {
  if (!("amount" in size)) return []
  const { amount: quantity, unit } = size
  const valueAt = ({ constant }: Term) =>
    constant === undefined || unit === "quote"
      ? undefined
      : valueOf(market, { price: Decimal.fromNumber(constant, 12), quantity })
  const [entry, ratio] = [unit === "quote" ? quantity : valueAt(price), exit && fixedRatio(price, exit)]
  if (entry === undefined || ratio === undefined)
    return [entry, exit && valueAt(exit)].filter((value) => value !== undefined)
  return [entry, min(entry, floorOf(Decimal.multiply(Decimal.make(entry), ratio), 0))]
}

/**
 * Each single order must fit into the budget. The limits check whether all fit at once when the rules fire: one rule may sell what another
 * buys, whatever the budget begins with.
 */
export const checkSize = (
  rule: Rule,
  at: YamlNode,
  isSupplied: boolean,
  context: KindContext,
  parts: ReadonlyArray<Rule>
): void => {
  const { exit, side, size } = rule
  const { budget, market, to } = context
  const key = side === "BUY" ? "quote" : "base"
  const sized = valueIn(at, "size") ?? at
  const { afterMillis, stop, trail, when } = exit ?? {}
  if ([afterMillis, stop, trail, when].some((way) => way !== undefined))
    checkDearExit(side, valueIn(at, "then") ?? valueIn(at, "stop") ?? at, context)
  // An exit after a stop is judged by the whole position.
  const values = [...parts.flatMap((each) => valuesOf(each, each.exit?.price, market)), ...valuesOf(rule, stop, market)]
  checkValues(values, sized, context)
  if (isSupplied || budget === undefined) return
  if (budget[key] === 0n) {
    const text = `this order pays with ${inputAsset(market, side).symbol}, and the budget has none`
    report(to, sized, text, `give limits.budget.${key}, or a rule that ${verbs[opposite(side)]} before`)
  } else if ("amount" in size && size.unit === key) {
    const amount = parts.reduce((sum, part) => sum + ("amount" in part.size ? part.size.amount : 0n), 0n)
    const what = amount > size.amount && parts.length > 1 ? "its orders are together" : "one order is"
    if (amount > budget[key])
      report(to, sized, `${what} larger than the ${key} budget`, `raise limits.budget.${key}, or make it smaller`)
  }
}
