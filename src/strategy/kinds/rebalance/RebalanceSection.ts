/** The `rebalance:` section of a strategy file: each asset's share of the value, and how far it may drift. */
import type { Amount } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Market } from "../../../domain/Market.ts"
import * as Read from "../../Fields.ts"
import { anyMarket, described, type JsonSchema, schemaOf } from "../../JsonSchema.ts"
import type { KindContext } from "../../Kind.ts"
import { type Report, report } from "../../Problem.ts"
import type { YamlNode } from "../../YamlReader.ts"

const defaultRequote = Decimal.make(5n, 3)

/** One asset besides the quote. */
export interface RebalancedAsset {
  readonly market: Market
  readonly target: Decimal.Decimal
  /** What the asset begins with. */
  readonly budget: Amount
  /** The names of its slots, and of its holdings and last price in the memory. */
  readonly names: { readonly buy: string; readonly sell: string; readonly price: string }
}

export interface Rebalance {
  readonly parts: readonly [RebalancedAsset, ...ReadonlyArray<RebalancedAsset>]
  readonly quote: Amount
  readonly band: Decimal.Decimal
  /**
   * How far the price of an asset may move before the orders of the others follow; missing where there are no others.
   */
  readonly requote: Decimal.Decimal | undefined
  /** Acts at the beginning of each period alone. */
  readonly periodic: { readonly everyMillis: number; readonly reach: Decimal.Decimal } | undefined
  readonly keys: Read.KeyPlaces
}

const bandAbout = "acts when a share is this far from its target"
const requoteAbout = "orders follow when the price of another asset has moved this far; default: 0.5%"

const defaultReach = Decimal.make(2n, 3)

const common = ({ quote }: Market) => ({
  every: Read.optional(Read.duration, "acts only once in each such period; default: whenever a share leaves its band"),
  reach: Read.optional(Read.ratioOrZero, "with every: an order may be this much worse than the mid; default: 0.2%"),
  reserve: Read.optional(Read.amount(quote, { zero: false }), "quote that is left alone and counts for no share")
})

const fieldsOfOne = (market: Market) =>
  Read.fields({
    target: Read.required(Read.ratio, "share of the base in the value of both"),
    band: Read.required(Read.ratio, bandAbout),
    ...common(market)
  })

const fieldsOfSeveral = (targets: Read.Reader<Targets>, market: Market) =>
  Read.fields({
    ...common(market),
    targets: Read.required(targets, "share of each asset in the value of all; the rest is the quote's"),
    band: Read.required(Read.ratio, bandAbout),
    requote: Read.optional(Read.ratio, requoteAbout)
  })

export const rebalanceSchema = (): JsonSchema => {
  const targets = described(
    () => undefined,
    () => ({ type: "object", minProperties: 2, additionalProperties: schemaOf(Read.ratio) })
  )
  const several = schemaOf(fieldsOfSeveral(targets, anyMarket))
  const properties = { ...Object(schemaOf(fieldsOfOne(anyMarket))["properties"]), ...Object(several["properties"]) }
  const oneOf = [{ required: ["target"] }, { required: ["targets"] }]
  return { ...several, properties, required: ["band"], oneOf }
}

/** By symbol. */
type Targets = Read.Fields<Readonly<Record<string, ReturnType<typeof Read.required<Decimal.Decimal>>>>>

const readTargets = ({ market, others }: KindContext): Read.Reader<Targets> => {
  const symbols = [market, ...others].map(({ base }) => base.symbol)
  return Read.fields({
    ...Object.fromEntries(symbols.map((symbol) => [symbol, Read.required(Read.ratio)])),
    [market.quote.symbol]: Read.optional(Read.ratio)
  })
}

export const readRebalance = (section: YamlNode, context: KindContext): Rebalance | undefined =>
  context.others.length === 0 ? readOne(section, context) : readSeveral(section, context)

const readOne = (section: YamlNode, { market, budget, root, to }: KindContext): Rebalance | undefined => {
  const read = fieldsOfOne(market)(section, to)
  if (read?.target === undefined || read.band === undefined) return undefined
  const { target, band } = read
  if (!fits(target.value, band.value)) return report(to, band, outOfRange)
  if (budget === undefined) return undefined
  if (budget.base === 0n || budget.quote === 0n) {
    return report(to, target, "rebalancing needs both assets: give limits.budget.base and limits.budget.quote")
  }
  const names = { buy: "buy", sell: "sell", price: "price" }
  return {
    parts: [{ market, target: target.value, budget: budget.base, names }],
    quote: freeOf(read, budget.quote, to),
    band: band.value,
    requote: undefined,
    periodic: periodicOf(read, to),
    keys: Read.keyPlaces(section, root, to)
  }
}

const readSeveral = (section: YamlNode, context: KindContext): Rebalance | undefined => {
  const { market, others, budget, root, to } = context
  const read = fieldsOfSeveral(readTargets(context), market)(section, to)
  if (read?.targets === undefined || read.band === undefined) return undefined
  const { band, targets, requote } = read
  if (requote !== undefined && read.every !== undefined) {
    report(to, requote, "with every, orders never move: remove requote")
  } else if (requote !== undefined && !Decimal.isLess(requote.value, band.value)) {
    report(to, requote, "requote must be smaller than the band")
  }
  if (budget !== undefined && budget.quote === 0n) {
    const { symbol } = market.quote
    report(to, targets, `rebalancing several assets needs some ${symbol}`, `give limits.budget.${symbol}`)
  }
  const partOf = (market: Market, amount: Amount): RebalancedAsset | undefined => {
    const { symbol } = market.base
    const target = targets.value[symbol]
    if (target === undefined) return undefined
    if (!fits(target.value, band.value)) return report(to, target, outOfRange)
    const names = { buy: `buy-${symbol}`, sell: `sell-${symbol}`, price: `price-${symbol}` }
    return { market, target: target.value, budget: amount, names }
  }
  const first = partOf(market, budget?.base ?? 0n)
  const further = others.map((other) => partOf(other, budget?.others?.get(other.base.symbol) ?? 0n))
  const parts = further.filter((part) => part !== undefined)
  if (!checkSum(targets, market.quote.symbol, to) || budget === undefined) return undefined
  if (first === undefined || parts.length < others.length) return undefined
  return {
    parts: [first, ...parts],
    quote: freeOf(read, budget.quote, to),
    band: band.value,
    requote: requote?.value ?? defaultRequote,
    periodic: periodicOf(read, to),
    keys: Read.keyPlaces(section, root, to)
  }
}

type Common = Pick<NonNullable<ReturnType<ReturnType<typeof fieldsOfOne>>>, "every" | "reach" | "reserve">

const periodicOf = ({ every, reach }: Common, to: Report): Rebalance["periodic"] => {
  if (every !== undefined) return { everyMillis: every.value, reach: reach?.value ?? defaultReach }
  return reach === undefined
    ? undefined
    : report(to, reach, "reach without every does nothing", "give every, or remove it")
}

/** The quote that counts for the shares. */
const freeOf = ({ reserve }: Common, quote: Amount, to: Report): Amount => {
  if (reserve !== undefined && reserve.value >= quote) report(to, reserve, "the reserve is all of the quote budget")
  return quote - (reserve?.value ?? 0n)
}

const outOfRange = "target minus band must be above 0%, and target plus band below 100%"

const fits = (target: Decimal.Decimal, band: Decimal.Decimal): boolean =>
  Decimal.isGreater(target, band) && Decimal.isLess(Decimal.add(target, band), Decimal.one)

/** Checks that the shares cover the whole value and leave some for the quote; reports and returns false if not. */
const checkSum = (targets: Read.Located<Targets>, quote: string, to: Report): boolean => {
  const shares = Object.values(targets.value).flatMap((target) => (target === undefined ? [] : [target.value]))
  const sum = shares.reduce(Decimal.add, Decimal.zero)
  const isWhole = targets.value[quote] !== undefined
  const isRight = isWhole ? Decimal.equals(sum, Decimal.one) : Decimal.isLess(sum, Decimal.one)
  if (isRight) return true
  const wanted = isWhole ? "all together must be 100%" : `something must be left for ${quote}`
  report(to, targets, `the targets add up to ${Decimal.percent(sum)}: ${wanted}`)
  return false
}
