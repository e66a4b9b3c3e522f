/**
 * Rebalance: keeps the base at a share of the value of both assets. Two orders rest: a sale where rising prices make the
 * share too large by `band`, and a purchase where falling prices make it too small; each restores the target there.
 *
 * What it holds begins as the budget and changes with every order that filled, at the order's price; fees are left out,
 * so the real holdings are a little smaller, never larger.
 */
import { type Amount, format, formatWithSymbol, fromDecimal } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { baseQuantity, type Market, type Price, quoteAmount, type Side } from "../../domain/Market.ts"
import type { Decision, DesiredSlot, Leg, Memory } from "../Decision.ts"
import * as Read from "../Fields.ts"
import { schemaOf } from "../JsonSchema.ts"
import type { Budget, Kind } from "../Kind.ts"
import { place, report } from "../Problem.ts"
import { progressOf, type SlotProgress, type View } from "../View.ts"
import { decimalIn, numberIn, recordIn } from "./Memory.ts"
import { orderPrice } from "./PriceLevels.ts"

const pricePlaces = 18

interface Rebalance {
  readonly market: Market
  readonly budget: Budget
  readonly target: Decimal.Decimal
  readonly band: Decimal.Decimal
  readonly source: string
}

export const rebalance: Kind = {
  name: "rebalance",
  schema: () => schemaOf(rebalanceFields),
  read: (section, { market, budget, to }) => {
    const read = rebalanceFields(section, to)
    if (read?.target === undefined || read.band === undefined) return undefined
    const { target, band } = read
    const isInside =
      Decimal.isGreater(target.value, band.value) && Decimal.isLess(Decimal.add(target.value, band.value), Decimal.one)
    if (!isInside) return report(to, band, "target minus band must be above 0%, and target plus band below 100%")
    if (budget === undefined) return undefined
    if (budget.base === 0n || budget.quote === 0n) {
      return report(to, target, "rebalancing needs both assets: give limits.budget.base and limits.budget.quote")
    }
    const whole: Rebalance = {
      market,
      budget,
      target: target.value,
      band: band.value,
      source: place(to.source, section.start)
    }
    return { initialMemory: null, decide: (view, memory) => decide(whole, view, memory) }
  }
}

const rebalanceFields = Read.fields({ target: Read.required(Read.ratio), band: Read.required(Read.ratio) })

interface Holdings {
  readonly base: Amount
  readonly quote: Amount
}

/** The price at which the base makes up this share of the value: Q / B × share / (1 − share). */
const priceOfShare = (market: Market, { base, quote }: Holdings, share: Decimal.Decimal): Price => {
  if (base <= 0n || quote <= 0n) return Decimal.zero
  const money = Decimal.make(quote, market.quote.decimals)
  const goods = Decimal.make(base, market.base.decimals)
  const rest = Decimal.subtract(Decimal.one, share)
  return Decimal.divide(Decimal.multiply(money, share), Decimal.multiply(goods, rest), pricePlaces, "down")
}

/** The order that brings the base to the target share at this price. */
const orderAt = ({ market, target }: Rebalance, holdings: Holdings, side: Side, exact: Price): Leg => {
  const price = orderPrice(market, side, exact)
  if (!Decimal.isPositive(price)) return { side, price: exact, quantity: 0n }
  const value = holdings.quote + quoteAmount(market, holdings.base, price, "down")
  const wantedQuote = Decimal.multiply(Decimal.make(value), target)
  const wanted = baseQuantity(market, wantedQuote.digits / 10n ** BigInt(wantedQuote.scale), price, "down")
  const change = side === "SELL" ? holdings.base - wanted : wanted - holdings.base
  return { side, price, quantity: change < 0n ? 0n : change }
}

/** The order of a slot as last asked for, and how much of the slot is in the holdings already. */
interface Counted {
  readonly price: Price
  readonly quantity: Amount
  readonly legs: number
  readonly inLeg: Amount
}

/** What a slot has filled since it was last counted. A leg counts as soon as it has filled, before its payout. */
const count = (known: Counted, progress: SlotProgress): { readonly fresh: Amount; readonly counted: Counted } => {
  const passed = progress.completedLegs - known.legs
  if (passed < 0) return { fresh: 0n, counted: { ...known, inLeg: 0n } }
  const whole = BigInt(passed) * known.quantity
  const fresh = whole + progress.filledInLeg - known.inLeg
  const isFilled = passed === 0 && known.quantity > 0n && progress.filledInLeg >= known.quantity
  const legs = progress.completedLegs + (isFilled ? 1 : 0)
  return { fresh, counted: { ...known, legs, inLeg: isFilled ? 0n : progress.filledInLeg } }
}

const decide = (whole: Rebalance, view: View, memory: Memory): Decision => {
  const { market, target, band } = whole
  const known = holdingsIn(whole, memory)
  const bought = count(countedIn(market, memory, "buy"), progressOf(view, "buy"))
  const sold = count(countedIn(market, memory, "sell"), progressOf(view, "sell"))
  const holdings = {
    base: known.base + bought.fresh - sold.fresh,
    quote:
      known.quote -
      quoteAmount(market, bought.fresh, bought.counted.price, "up") +
      quoteAmount(market, sold.fresh, sold.counted.price, "down")
  }
  const [low, high] = [Decimal.subtract(target, band), Decimal.add(target, band)]
  const buy = orderAt(whole, holdings, "BUY", priceOfShare(market, holdings, low))
  const sell = orderAt(whole, holdings, "SELL", priceOfShare(market, holdings, high))
  // The part of a leg that has filled belongs to it: what is still wanted comes on top.
  const wanted = ({ inLeg }: Counted, leg: Leg): Leg => ({ ...leg, quantity: leg.quantity + inLeg })
  const legs = { buy: wanted(bought.counted, buy), sell: wanted(sold.counted, sell) }
  return {
    desired: [desiredSlot(whole, "buy", legs.buy, low), desiredSlot(whole, "sell", legs.sell, high)].filter(
      ({ legs: [leg] }) => leg.quantity > 0n && Decimal.isPositive(leg.price)
    ),
    absent: [],
    memory: {
      base: format(holdings.base, market.base.decimals),
      quote: format(holdings.quote, market.quote.decimals),
      buy: remember(market, legs.buy, bought.counted),
      sell: remember(market, legs.sell, sold.counted)
    },
    reasons: [],
    until: { onFill: true }
  }
}

const desiredSlot = (
  { market, target, source }: Rebalance,
  slot: string,
  leg: Leg,
  limit: Decimal.Decimal
): DesiredSlot => {
  const percent = (ratio: Decimal.Decimal) => `${Decimal.format(Decimal.multiply(ratio, Decimal.make(100n)))}%`
  const numbers = `${market.base.symbol} would be ${percent(limit)} of the value, the target is ${percent(target)}`
  const verb = leg.side === "BUY" ? "buys" : "sells"
  const text = `${verb} ${formatWithSymbol(leg.quantity, market.base)} at ${Decimal.format(leg.price)}, where ${numbers}`
  const why: Reason = { code: "rebalance", text, source }
  return { slot, legs: [leg], cycle: true, why }
}

const remember = ({ base }: Market, { price, quantity }: Leg, { legs, inLeg }: Counted): Memory => ({
  price: Decimal.format(price),
  quantity: format(quantity, base.decimals),
  legs,
  inLeg: format(inLeg, base.decimals)
})

const countedIn = ({ base }: Market, memory: Memory, slot: string): Counted => {
  const known = recordIn(memory, slot)
  const amountIn = (key: string) => fromDecimal(decimalIn(known, key) ?? Decimal.zero, base.decimals) ?? 0n
  return {
    price: decimalIn(known, "price") ?? Decimal.zero,
    quantity: amountIn("quantity"),
    legs: numberIn(known, "legs") ?? 0,
    inLeg: amountIn("inLeg")
  }
}

const holdingsIn = ({ market, budget }: Rebalance, memory: Memory): Holdings => {
  const amountIn = (key: "base" | "quote", decimals: number): Amount =>
    fromDecimal(decimalIn(memory, key) ?? Decimal.zero, decimals) ?? 0n
  if (memory === null) return budget
  return { base: amountIn("base", market.base.decimals), quote: amountIn("quote", market.quote.decimals) }
}
