/**
 * The bids and asks around a centre, as far as the inventory allows. Equal inputs return the same objects: decisions come often and change
 * little, and a comparison of planned and open orders then ends at once.
 */
import { type Amount, type Asset, formatWithSymbol } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Market, Side } from "../../../domain/Market.ts"
import { type Decision, type DesiredSlot, LateReason, type Leg } from "../../Decision.ts"
import { isSameList, lately } from "../../expression/Same.ts"
import { reasons } from "../../Kind.ts"
import type { KeyPlaces } from "../../YamlReader.ts"
import { away, type Near, nearOf, negate, orderPriceTimes } from "../PriceLevels.ts"
import type { Inventoried, OrderSizes } from "./Inventory.ts"

export type HeldCentre = Readonly<ReturnType<typeof centreAt>>

export const centreAt = (price: Decimal.Decimal, requote: Decimal.Decimal) => ({
  price,
  text: Decimal.format(price),
  below: away(price, negate(requote)),
  above: away(price, requote)
})

export interface QuoteInputs extends Pick<OrderSizes, "full" | "sizes"> {
  readonly centre: HeldCentre
  readonly shift: Decimal.Decimal
  readonly spread: Decimal.Decimal
  readonly inventory: Amount
  readonly delayed: ReadonlySet<string>
}

export type QuotedSlots = Pick<Decision, "desired" | "absent">

const isSame = (a: QuoteInputs, b: QuoteInputs): boolean =>
  a.centre === b.centre &&
  a.inventory === b.inventory &&
  Decimal.equals(a.spread, b.spread) &&
  Decimal.equals(a.shift, b.shift) &&
  isSameList(a.full.BUY, b.full.BUY) &&
  isSameList(a.full.SELL, b.full.SELL) &&
  isSameList(a.sizes.BUY, b.sizes.BUY) &&
  isSameList(a.sizes.SELL, b.sizes.SELL) &&
  (a.delayed.size === 0 ? b.delayed.size === 0 : isSameList([...a.delayed], [...b.delayed]))

interface Quoting extends Inventoried {
  readonly market: Market
  readonly step: Decimal.Decimal | undefined
  readonly keys: KeyPlaces<"spread" | "maxInventory" | "filledDelay">
}

export const offsetOf = (spread: Decimal.Decimal, step: Decimal.Decimal = spread, index: number): Decimal.Decimal =>
  Decimal.add(Decimal.multiply(spread, Decimal.half), Decimal.multiply(step, Decimal.make(BigInt(index))))

const factorsOf = ({ levels, step }: Quoting, spread: Decimal.Decimal): Readonly<Record<Side, ReadonlyArray<Near>>> => {
  const offsets = levels.map((_, index) => offsetOf(spread, step, index))
  return {
    BUY: offsets.map((offset) => nearOf(Decimal.subtract(Decimal.one, offset))),
    SELL: offsets.map((offset) => nearOf(Decimal.add(Decimal.one, offset)))
  }
}

export const quoter = (whole: Quoting): ((ground: QuoteInputs) => QuotedSlots) => {
  const factors = lately((spread: Decimal.Decimal) => factorsOf(whole, spread), Decimal.equals)
  return lately((ground: QuoteInputs) => quotesOn(whole, ground, factors(ground.spread)), isSame)
}

interface Quoted {
  readonly ground: QuoteInputs
  readonly base: Asset
}

const groundText = ({ base, ground: { centre, inventory, spread } }: Quoted): string =>
  `centre ${centre.text}, spread ${Decimal.percent(spread)}, inventory ${formatWithSymbol(inventory, base)}`

const fullText = (_: undefined, quoted: Quoted): string => `maxInventory is reached: ${groundText(quoted)}`

const orderText = ({ price, quantity, side }: Leg, quoted: Quoted): string => {
  const amount = formatWithSymbol(quantity, quoted.base)
  return `${side === "BUY" ? "bids" : "asks"} ${amount} at ${Decimal.format(price)}: ${groundText(quoted)}`
}

const quotesOn = (
  { market, levels, keys }: Quoting,
  ground: QuoteInputs,
  factors: ReturnType<typeof factorsOf>
): QuotedSlots => {
  const { centre, shift, sizes, full, delayed } = ground
  const quoted = { ground, base: market.base }
  const because = reasons(keys)
  const middle = nearOf(away(centre.price, negate(shift)))
  const [quotedBy, limitedBy] = [keys("spread"), keys("maxInventory")]
  const desired: Array<DesiredSlot> = []
  const absent: Array<Decision["absent"][number]> = []
  const sideOf = (side: Side) => ({ side, near: factors[side], quantities: sizes[side], yieldsTo: full[side] })
  const [bids, asks] = [sideOf("BUY"), sideOf("SELL")]
  const quote = (slot: string, { side, near, quantities, yieldsTo }: typeof bids, index: number) => {
    const [factor, quantity] = [near[index], quantities[index]]
    if (factor === undefined || quantity === undefined) return
    const price = orderPriceTimes(market, side, middle, factor)
    if (yieldsTo.includes(slot))
      absent.push({ slot, why: new LateReason("inventory-full", limitedBy, fullText, undefined, quoted) })
    else if (!Decimal.isPositive(price))
      absent.push({ slot, why: because("no-price", "below the smallest price step", "spread") })
    else if (delayed.has(slot))
      absent.push({ slot, why: because("filled-delay", "it has filled, and its delay is not over", "filledDelay") })
    else {
      const leg = { side, price, quantity }
      const why = new LateReason("quote", quotedBy, orderText, leg, quoted)
      const legs = [leg] as const
      if (yieldsTo.length === 0) desired.push({ slot, legs, cycle: true, why })
      else desired.push({ slot, legs, cycle: true, yieldsTo, why })
    }
  }
  levels.forEach(({ bid, ask }, index) => {
    quote(bid, bids, index)
    quote(ask, asks, index)
  })
  return { desired, absent }
}
