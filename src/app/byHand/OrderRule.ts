/** Writes an order by hand as a rule of a strategy file, on one line, and reads the terms of such a line. */
import { Option, Schema } from "effect"
import type { OrderRequest } from "../../control/api/Order.ts"
import { type Amount, format, formatWithSymbol, fromDecimal, max } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { DurationText } from "../../domain/Durations.ts"
import { inputAmount, type Market, outputAmount, type Price, type Side } from "../../domain/Market.ts"
import type { BotSettings } from "../../files/ConfigFile.ts"
import * as Layers from "../../Layers.ts"
import { orderPrice } from "../../strategy/kinds/PriceLevels.ts"
import { always, targetSlot } from "../../strategy/kinds/rules/RulesSection.ts"
import { amountsOf } from "../../strategy/kinds/Size.ts"
import { suggestion } from "../../strategy/Problem.ts"

export interface RuleTerms {
  readonly side: Side
  /** Rounded as that of the order. */
  readonly price: Price
  /** In base, for each part. */
  readonly quantity: Amount
  readonly sizes: ReadonlyArray<Amount>
  readonly parts: number
  readonly hasExit: boolean
  /** Quote that a stop may need to buy back, beyond the proceeds of the sale. */
  readonly dearness: Amount
}

const amountOf = (text: string, decimals: number): Amount | undefined => {
  const number = Decimal.parse(text)
  return number && fromDecimal(number, decimals)
}

/** A stop may give this away against its price. */
const stopReach = Decimal.make(101n, 2)
const percent = Decimal.make(1n, 2)

/** `undefined` for a line that a person changed beyond recognition. */
export const termsIn = (market: Market, rule: string): RuleTerms | undefined => {
  const textOf = (pattern: RegExp) => pattern.exec(rule)?.[1] ?? ""
  const written = Decimal.parse(textOf(/side: \w+, price: ([\d.]+)/))
  const quantity = amountOf(textOf(/base: ([\d.]+)/), market.base.decimals)
  if (written === undefined || quantity === undefined) return undefined
  const side = rule.includes("side: sell") ? "SELL" : "BUY"
  const price = orderPrice(market, side, Decimal.fromNumber(Decimal.toNumber(written), 12))
  const stops = [textOf(/stop: ([\d.]+)/), textOf(/stop: "entry \* \(1 \+ ([\d.]+)%/), textOf(/trail: ([\d.]+)%/)]
  const [stop, ...shares] = stops.map((text) => Decimal.parse(text))
  const risen = shares.map(
    (share) => share && Decimal.multiply(price, Decimal.add(Decimal.one, Decimal.multiply(share, percent)))
  )
  const highest = [stop, ...risen].flatMap((each) => each ?? []).reduce(Decimal.max, Decimal.zero)
  const back = inputAmount(market, "BUY", quantity, Decimal.multiply(highest, stopReach))
  const targets = [...rule.matchAll(/part: ([\d.]+)%/g)].flatMap(([, share = ""]) => Decimal.parse(share) ?? [])
  const targetShares = targets.map((target) => Decimal.multiply(target, percent))
  const dearness = side === "SELL" ? max(0n, back - outputAmount(market, "SELL", quantity, price)) : 0n
  const sizes = amountsOf(quantity, targetShares, market.base)
  const parts = Number(textOf(/times: (\d+)/))
  return { side, price, quantity, sizes, parts, hasExit: rule.includes("then:"), dearness }
}

/** Returns the slots of an order with their sizes: one for each target if there are several. */
export const slotsOf = (id: string, terms: RuleTerms | undefined) =>
  (terms?.sizes ?? [0n]).map((size, index, { length }) => ({ slot: length === 1 ? id : targetSlot(id, index), size }))

const dollar = /USD|^DAI$/

/** BTC alone means BTC against the first stable asset of the configuration, otherwise against the first other one. */
export const marketNamed = (
  name: string,
  { markets, venue }: Pick<BotSettings, "markets"> & { readonly venue: Pick<BotSettings["venue"], "facts"> }
) => {
  const byName = Layers.marketsByName(markets)
  const others = markets.assets.map(({ symbol }) => symbol).filter((symbol) => symbol !== name)
  const isStable = (symbol: string) => venue.facts.fees.stable.includes(symbol) || dollar.test(symbol)
  const quote = others.find(isStable) ?? others[0]
  const market = byName.get(name) ?? byName.get(`${name}/${quote}`)
  return market ?? suggestion(name, [...markets.assets.map(({ symbol }) => symbol), ...byName.keys()])
}

export const sideOf = ({ side }: Pick<OrderRequest, "side">): Side => (side === "buy" ? "BUY" : "SELL")

export const wholeOf = (market: Market, rule: string): string => {
  const { parts = 0, quantity = 0n } = termsIn(market, rule) ?? {}
  return format(quantity * BigInt(parts), market.base.decimals)
}

export const sentenceOf = (market: Market, rule: string): string => {
  const terms = termsIn(market, rule)
  if (terms === undefined) return rule
  const exits = /then: \{ ((?:[^{}]|\{[^{}]*\})*?)(?:, ends: true)? \}/
    .exec(rule)?.[1]
    ?.replaceAll(/"entry \* \(1 ([+-]) ([\d.]+%)\)"/g, "$1$2")
    .replaceAll(/\{ at: (\S+), part: (\S+) \}/g, "$2 at $1")
    .replace(/price: (?:\[(.*)\])?/, "take-profit: $1")
    .replace("breakevenAt:", "breakeven:")
  const whole = formatWithSymbol(terms.quantity * BigInt(terms.parts), market.base)
  const inParts = terms.parts === 1 ? "" : ` in ${terms.parts} parts`
  const entry = `${terms.side} ${whole}${inParts} at ${Decimal.format(terms.price)} ${market.quote.symbol}`
  const [, when = always] = /when: "((?:[^"\\]|\\.)*)"/.exec(rule) ?? []
  const [, expire] = /expireAfter: (\w+)/.exec(rule) ?? []
  const condition = when === always ? "" : ` when ${when.replaceAll(/\\(.)/g, "$1")}`
  const end = expire === undefined ? "" : `, expires after ${expire}`
  return `${entry}${condition}${end}${exits === undefined ? "" : `, then ${exits}`}`
}

type Rule = { readonly rule: string } | { readonly why: string }

/** Refuses an early `breakevenAt`. A file with such a rule only gets a warning, because earlier versions accepted it. */
const withLateBreakeven = (rule: string): Rule => {
  const [, side, price = ""] = /side: (\w+), price: ([\d.]+)/.exec(rule) ?? []
  const [at, entry = Decimal.zero] = [/breakevenAt: ([\d.]+)/.exec(rule)?.[1] ?? "", price].map(Decimal.parse)
  const [place, order] = side === "buy" ? ["above", 1] : ["below", -1]
  if (at === undefined || Decimal.compare(at, entry) === order) return { rule }
  return { why: `breakevenAt must be ${place} the entry price ${price}` }
}

const durationOf = Schema.decodeUnknownOption(DurationText)

/** Returns the rule, or why there can be none. The reader of strategy files checks what depends on the market. */
export const ruleOf = (request: OrderRequest, { base }: Market): Rule => {
  const { amount, breakevenAt, expire, parts = 1, price, side, stop, takeProfit = "", trail, when = always } = request
  const whole = amountOf(amount, base.decimals)
  if (whole === undefined) return { why: `amount ${amount}: ${base.symbol} has ${base.decimals} decimals; round it` }
  const even = whole - (whole % BigInt(parts))
  if (even !== whole)
    return { why: `amount ${amount}: not divisible into ${parts} equal parts; take ${format(even, base.decimals)}` }
  if (expire !== undefined && Option.isNone(durationOf(expire)))
    return { why: `expire ${expire}: write a duration such as 30m, 6h or 7d` }
  if (expire !== undefined && parts > 1)
    return { why: "expire: the next part would follow an expired one; leave out expire, or the parts" }
  const [better, worse] = side === "buy" ? ["+", "-"] : ["-", "+"]
  const exitAt = (text: string, sign = better) => (text.endsWith("%") ? `"entry * (1 ${sign} ${text})"` : text)
  const targets = takeProfit.split(/, ?/).map((target) => target.split(":"))
  const list = targets.map(([at = "", part = ""]) => `{ at: ${exitAt(at)}, part: ${part} }`).join(", ")
  const exits = takeProfit === "" ? [] : [`price: ${takeProfit.includes(":") ? `[${list}]` : exitAt(takeProfit)}`]
  if (stop !== undefined) exits.push(`stop: ${exitAt(stop, worse)}`)
  if (trail !== undefined) exits.push(`trail: ${trail}`)
  if (breakevenAt !== undefined) exits.push(`breakevenAt: ${exitAt(breakevenAt)}`)
  const size = `size: { base: ${format(whole / BigInt(parts), base.decimals)} }, times: ${parts}`
  const keys = [`when: ${JSON.stringify(when)}`, `side: ${side}, price: ${price}`, size]
  if (parts > 1) keys.push("pause: 1s")
  if (expire !== undefined) keys.push(`expireAfter: ${expire}`)
  if (parts > 1 && (stop ?? trail ?? breakevenAt) !== undefined) exits.push("ends: true")
  if (exits.length > 0) keys.push(`then: { ${exits.join(", ")} }`)
  return withLateBreakeven(`{ ${keys.join(", ")} }`)
}

export const repriced = (rule: string, price: string): Rule =>
  withLateBreakeven(rule.replace(/(side: \w+, price: )[\d.]+/, `$1${price}`))
