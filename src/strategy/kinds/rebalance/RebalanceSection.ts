/** The `rebalance:` section of a strategy file, checked. */
import type { Amount } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Market } from "../../../domain/Market.ts"
import * as Read from "../../Fields.ts"
import { anyMarket, described, type JsonSchema, schemaOf } from "../../JsonSchema.ts"
import { type Form, form, type KindContext, type Section } from "../../Kind.ts"
import { type Report, report, type Span } from "../../Problem.ts"
import type { Behaviour } from "../../Strategy.ts"
import type { KeyPlaces } from "../../YamlReader.ts"
import { givenAway } from "../Execution.ts"
import { part } from "../PriceLevels.ts"

export interface RebalancedAsset {
  readonly market: Market
  readonly target: Decimal.Decimal
  readonly budget: Amount
  readonly names: { readonly buy: string; readonly sell: string; readonly price: string }
}

export interface Rebalance {
  readonly parts: readonly [RebalancedAsset, ...ReadonlyArray<RebalancedAsset>]
  /** Quote, of which the reserve counts for no share. */
  readonly budget: Amount
  readonly reserve: Amount
  readonly band: Decimal.Decimal
  /** The price of an asset may move by this ratio before the orders of the others follow; missing if there are no others. */
  readonly requote: Decimal.Decimal | undefined
  readonly periodic: { readonly everyMillis: number; readonly reach: Decimal.Decimal } | undefined
  readonly keys: KeyPlaces<"band" | "every">
}

const common = ({ quote }: Market) => ({
  every: Read.optional(
    Read.duration,
    "acts only once in each period of this length",
    "whenever a share leaves its band"
  ),
  reach: Read.withDefault(givenAway, Decimal.make(2n, 3), "with every: an order may be this much worse than the mid"),
  reserve: Read.optional(Read.amount(quote), "quote that is not used and counts for no share")
})

const band = Read.required(Read.ratio, "acts when a share is this far from its target")

export const keysOfOne = (market: Market) => ({
  target: Read.required(Read.ratio, "share of the base in the value of both"),
  band,
  ...common(market)
})

const keysOfSeveral = (targets: Read.Reader<Targets>) => (market: Market) => ({
  ...common(market),
  targets: Read.required(targets, "share of each asset in the value of all; the rest is the quote's"),
  band,
  requote: Read.withDefault(
    part(Read.ratio),
    Decimal.make(5n, 3),
    "orders move when the price of another asset has moved this far"
  )
})

export const rebalanceSchema = (): JsonSchema => {
  const targets = described(
    () => undefined,
    () => ({ type: "object", minProperties: 2, additionalProperties: schemaOf(Read.ratio) })
  )
  const several = schemaOf(Read.fields(keysOfSeveral(targets)(anyMarket)))
  const properties = {
    ...Object(schemaOf(Read.fields(keysOfOne(anyMarket)))["properties"]),
    ...Object(several["properties"])
  }
  const oneOf = [{ required: ["target"] }, { required: ["targets"] }]
  return { ...several, properties, required: ["band"], oneOf }
}

type Targets = Read.Fields<Readonly<Record<string, ReturnType<typeof Read.required<Decimal.Decimal>>>>>

const readTargets = ({ market, others }: KindContext): Read.Reader<Targets> => {
  const symbols = [market, ...others].map(({ base }) => base.symbol)
  return Read.fields({
    ...Object.fromEntries(symbols.map((symbol) => [symbol, Read.required(Read.ratio)])),
    [market.quote.symbol]: Read.optional(Read.ratio)
  })
}

type Behave = (whole: Rebalance) => Behaviour

export const formOfOne = (behave: Behave): Form =>
  form(keysOfOne, ({ target, band, ...whole }, section) => {
    const { market, at, budget, to } = section
    if (!fits(target, band)) return report(to, at("band"), outOfRange)
    if (budget === undefined) return undefined
    if (budget.base === 0n || budget.quote === 0n) {
      const text = "rebalancing needs both assets: give limits.budget.base and limits.budget.quote"
      return report(to, at("target"), text)
    }
    const names = { buy: "buy", sell: "sell", price: "price" }
    return behave({
      parts: [{ market, target, budget: budget.base, names }],
      band,
      requote: undefined,
      keys: whole.keys,
      ...commonOf(whole, budget.quote, section)
    })
  })

export const formOfSeveral = (behave: Behave, context: KindContext): Form =>
  form(keysOfSeveral(readTargets(context)), ({ band, requote, targets, ...whole }, section) => {
    const { at, budget, isWritten, market, others, to } = section
    if (isWritten("requote") && whole.every !== undefined) {
      report(to, at("requote"), "with every, orders never move: remove requote")
    } else if (isWritten("requote") && !Decimal.isLess(requote, band)) {
      report(to, at("requote"), "requote must be smaller than the band")
    }
    if (budget !== undefined && budget.quote === 0n) {
      const { symbol } = market.quote
      report(to, at("targets"), `rebalancing several assets needs some ${symbol}`, `give limits.budget.${symbol}`)
    }
    const partOf = (market: Market, amount: Amount): RebalancedAsset | undefined => {
      const { symbol } = market.base
      const target = targets[symbol]
      if (target === undefined) return undefined
      if (!fits(target.value, band)) return report(to, target, outOfRange)
      const names = { buy: `buy-${symbol}`, sell: `sell-${symbol}`, price: `price-${symbol}` }
      return { market, target: target.value, budget: amount, names }
    }
    const first = partOf(market, budget?.base ?? 0n)
    const further = others.map((other) => partOf(other, budget?.others?.get(other.base.symbol) ?? 0n))
    const parts = further.filter((part) => part !== undefined)
    if (!checkSum(targets, at("targets"), market.quote.symbol, to) || budget === undefined) return undefined
    if (first === undefined || parts.length < others.length) return undefined
    const { keys } = whole
    return behave({ parts: [first, ...parts], band, requote, keys, ...commonOf(whole, budget.quote, section) })
  })

const commonOf = (
  { every, reach, reserve = 0n }: Read.SettingsOf<ReturnType<typeof common>>,
  budget: Amount,
  { at, isWritten, to }: Section<ReturnType<typeof common>>
): Pick<Rebalance, "budget" | "periodic" | "reserve"> => {
  if (isWritten("reserve") && reserve >= budget) report(to, at("reserve"), "the reserve is all of the quote budget")
  if (every === undefined && isWritten("reach"))
    report(to, at("reach"), "reach without every does nothing", "give every, or remove it")
  return { periodic: every === undefined ? undefined : { everyMillis: every, reach }, budget, reserve }
}

const outOfRange = "target minus band must be above 0%, and target plus band below 100%"

const fits = (target: Decimal.Decimal, band: Decimal.Decimal): boolean =>
  Decimal.isGreater(target, band) && Decimal.isLess(Decimal.add(target, band), Decimal.one)

/** The shares must add up to 100%, or to less if the quote has no share of its own. */
const checkSum = (targets: Targets, at: Span, quote: string, to: Report): boolean => {
  const shares = Object.values(targets).flatMap((target) => (target === undefined ? [] : [target.value]))
  const sum = shares.reduce(Decimal.add, Decimal.zero)
  const isWhole = targets[quote] !== undefined
  const isRight = isWhole ? Decimal.equals(sum, Decimal.one) : Decimal.isLess(sum, Decimal.one)
  if (isRight) return true
  const requirement = isWhole ? "all together must be 100%" : `something must be left for ${quote}`
  report(to, at, `the targets add up to ${Decimal.percent(sum)}: ${requirement}`)
  return false
}
