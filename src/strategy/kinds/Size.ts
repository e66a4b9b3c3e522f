/** A size in base or in quote: `size: { quote: 50 }`. A rule may also have an expression. Also targets of exits. */
import { type Amount, type Asset, floorOf, max, min, toDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { baseQuantity, type Market, type Price, type Side } from "../../domain/Market.ts"
import { compile } from "../expression/Compiler.ts"
import { ownNamed, positionTerm } from "../expression/names/OwnNames.ts"
import type { Scope } from "../expression/Scope.ts"
import type { Moment, Term } from "../expression/Term.ts"
import * as Read from "../Fields.ts"
import { report } from "../Problem.ts"
import type { YamlNode } from "../YamlReader.ts"
import { share } from "./PriceLevels.ts"

export interface Size {
  readonly unit: "base" | "quote"
  readonly amount: Amount
}

export const size = (market: Market): Read.Reader<Size> => {
  const either = Read.fields({
    base: Read.optional(Read.amount(market.base, { zero: false }), "in units of the base asset"),
    quote: Read.optional(Read.amount(market.quote, { zero: false }), "in units of the quote asset")
  })
  const reader: Read.Reader<Size> = (node, to) => {
    const sizeFields = either(node, to)
    if (sizeFields === undefined || node.type !== "map") return undefined
    const { base, quote } = sizeFields
    if (node.entries.has("base") && node.entries.has("quote"))
      return report(to, node.entries.get("quote")?.key ?? node, 'give either "base" or "quote", not both')
    if (base !== undefined) return { unit: "base", amount: base.value }
    if (quote !== undefined) return { unit: "quote", amount: quote.value }
    if (node.entries.size > 0) return undefined
    return report(to, { start: node.start, end: node.start + 1 }, 'missing key "base" or "quote"')
  }
  return Read.described(reader, () => ({ ...Read.schemaOf(either), minProperties: 1, maxProperties: 1 }))
}

export const baseAmounts = (market: Market): Read.Reader<ReadonlyArray<Amount>> => {
  const one = Read.amount(market.base, { zero: false })
  const only = Read.mapped(one, (only) => [only])
  return Read.either(only, Read.plainList(one), Read.isList)
}

export const scaled = ({ unit, amount }: Size, { base, quote }: Market, scale: number): Size => {
  const { decimals } = unit === "base" ? base : quote
  const exact = Decimal.multiply(toDecimal(amount, decimals), Decimal.fromNumber(scale, 12))
  return { unit, amount: floorOf(exact, decimals) }
}

/** Never costs more than a quote amount. */
export const quantityAt = (market: Market, { unit, amount }: Size, price: Price): Amount =>
  unit === "base" ? amount : baseQuantity(market, amount, price, "down")

/** For an order worked in parts. Each part's payment is rounded up, so one unit is set aside for each part. */
export const quantityInParts = (market: Market, { unit, amount }: Size, price: Price, parts: bigint): Amount =>
  quantityAt(market, { unit, amount: unit === "base" ? amount : max(0n, amount - parts) }, price)

const wholes = ["budget", "equity", "position", "risk"] as const
type Whole = (typeof wholes)[number]

/** An order may use more than the position or the initial budget, so only a share of `equity` or `risk` is at most one. */
const ratioOf = (of: Whole) => (of === "equity" || of === "risk" ? share(Read.ratio) : Read.ratio)

/** One of several parts of an entry, which all enter at once, uses no more than this part of the free money. */
interface InPart {
  readonly part?: Decimal.Decimal
}

interface Computed extends InPart {
  readonly unit: Size["unit"]
  readonly term: Term
  readonly share: Decimal.Decimal
}

interface AtRisk extends InPart {
  readonly risk: number
  readonly equity: Term
}

export type RuleSize = Size | Computed | AtRisk

const isNumber = (text: string): boolean => /^\+?[\d.]+$/.test(text)

const units = ["base", "quote"] as const

/** The value of the only key, if it is one of these. */
const onlyIn = <K extends string>(node: YamlNode, keys: ReadonlyArray<K>) => {
  if (node.type !== "map" || node.entries.size !== 1) return undefined
  const of = keys.find((key) => node.entries.has(key))
  const value = of === undefined ? undefined : node.entries.get(of)?.value
  return of === undefined || value === undefined ? undefined : { of, value }
}

const expressionIn = (node: YamlNode) => {
  const only = onlyIn(node, units)
  if (only?.value.type !== "scalar" || only.value.text === "" || isNumber(only.value.text)) return undefined
  return { unit: only.of, value: only.value }
}

export const ruleSizeNode = (market: Market): Read.Reader<YamlNode> =>
  Read.described(
    (node, to) => {
      const shareSize = onlyIn(node, wholes)
      if (shareSize !== undefined) return ratioOf(shareSize.of)(shareSize.value, to) === undefined ? undefined : node
      return expressionIn(node) === undefined && size(market)(node, to) === undefined ? undefined : node
    },
    () => ({
      type: "object",
      properties: {
        base: { type: ["number", "string"] },
        quote: { type: ["number", "string"] },
        ...Object.fromEntries(wholes.map((of) => [of, Read.schemaOf(Read.ratio)]))
      },
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 1
    })
  )

export const ruleSize = (node: YamlNode, side: Side, scope: Scope): RuleSize | undefined => {
  const part = onlyIn(node, wholes)
  if (part !== undefined) return shareOf(part.of, ratioOf(part.of)(part.value, scope.to), side, scope)
  const amountExpression = expressionIn(node)
  if (amountExpression === undefined) return size(scope.market)(node, scope.to)
  const { unit, value } = amountExpression
  const term = compile(value, `amount of ${scope.market[unit].symbol}`, "price", scope)
  return term && { unit, term, share: Decimal.one }
}

const shareOf = (of: Whole, share: Decimal.Decimal | undefined, side: Side, scope: Scope): RuleSize | undefined => {
  const { market, budget } = scope
  const equity = ownNamed("equity", market, budget)
  if (share === undefined || equity === undefined) return undefined
  if (of === "risk") return { risk: Decimal.toNumber(share), equity }
  if (of === "position") return { unit: "base", term: positionTerm(market), share }
  if (of === "equity") return { unit: "quote", term: equity, share }
  const unit = side === "BUY" ? "quote" : "base"
  return { unit, amount: partOf(budget?.[unit] ?? 0n, share, market[unit]) }
}

/** A target of an exit: a price, with the part of the position that exits there. The parts of all targets add up to the whole. */
export interface ExitTarget<A> {
  readonly at: A
  readonly part: Decimal.Decimal
}

const mostTargets = 10

export const targets = <A>(price: Read.Reader<A>): Read.Reader<ReadonlyArray<ExitTarget<A>>> => {
  const keys = {
    at: Read.required(price, "its price, as for a single target"),
    part: Read.required(share(Read.ratio), "this part of the size exits there")
  }
  const only = Read.mapped(price, (at) => [{ at, part: Decimal.one }])
  const several = Read.mapped(Read.list(Read.section(keys)), (all, at, to) => {
    const sum = all.reduce((parts, { value }) => Decimal.add(parts, value.part), Decimal.zero)
    if (all.length > mostTargets) return report(to, at, `at most ${mostTargets} targets`)
    if (!Decimal.equals(sum, Decimal.one))
      return report(to, at, `the parts of the targets add up to ${Decimal.percent(sum)}, not to 100%`)
    return all.map(({ value }): ExitTarget<A> => ({ at: value.at, part: value.part }))
  })
  return Read.either(only, several, Read.isList)
}

export const partsOf = (
  size: RuleSize,
  parts: ReadonlyArray<Decimal.Decimal>,
  market: Market
): ReadonlyArray<RuleSize> => {
  if ("risk" in size) return parts.map((part) => ({ ...size, part, risk: size.risk * Decimal.toNumber(part) }))
  if ("term" in size) return parts.map((part) => ({ ...size, part, share: Decimal.multiply(size.share, part) }))
  return amountsOf(size.amount, parts, market[size.unit]).map((amount) => ({ ...size, amount }))
}

/** Rounded down; the last part has the rest. */
export const amountsOf = (all: Amount, parts: ReadonlyArray<Decimal.Decimal>, asset: Asset): ReadonlyArray<Amount> => {
  const amounts = parts.slice(0, -1).map((part) => partOf(all, part, asset))
  return [...amounts, amounts.reduce((left, amount) => left - amount, all)]
}

export const partOf = (amount: Amount, share: Decimal.Decimal, { decimals }: Asset): Amount =>
  floorOf(Decimal.multiply(toDecimal(amount, decimals), share), decimals)

/**
 * Rounded down; zero for a value that is not an amount. A computed quantity never exceeds the strategy's free money. `stop` is the price of
 * the order's exit at a loss.
 */
export const quantityOf = (
  { side, size }: { readonly side: Side; readonly size: RuleSize },
  market: Market,
  price: Price,
  moment: Moment,
  stop: Price | undefined
): Amount => {
  if ("amount" in size) return quantityAt(market, size, price)
  const quantity = "risk" in size ? atRisk(size, market, price, moment, stop) : computedAt(size, market, price, moment)
  if (moment.own === undefined) return quantity
  const { freeBase, freeQuote } = moment.own
  const free = side === "SELL" ? freeBase : baseQuantity(market, freeQuote, price, "down")
  return min(quantity, size.part === undefined ? free : partOf(free, size.part, market.base))
}

const atRisk = ({ equity, risk }: AtRisk, { base }: Market, price: Price, moment: Moment, stop: Price | undefined) => {
  const distance = stop === undefined ? Number.NaN : Math.abs(Decimal.toNumber(price) - Decimal.toNumber(stop))
  return amountOf((equity.value(moment) * risk) / distance, base)
}

const computedAt = ({ share, term, unit }: Computed, market: Market, price: Price, moment: Moment): Amount => {
  const exact = term.exact?.(moment)
  const amount =
    exact === undefined
      ? amountOf(term.value(moment) * Decimal.toNumber(share), market[unit])
      : partOf(exact, share, market[unit])
  return quantityAt(market, { unit, amount }, price)
}

const amountOf = (value: number, { decimals }: Asset): Amount =>
  Number.isFinite(value) && value > 0 ? floorOf(Decimal.downFromNumber(value), decimals) : 0n
