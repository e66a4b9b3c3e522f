/**
 * The bids and asks that lie around a centre, as far as the inventory allows. Decisions come often and change little, so the
 * same ground gives the same objects again: whoever compares what is wanted with what rests is done at once.
 */
import { type Amount, type Asset, formatWithSymbol } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Market, Side } from "../../../domain/Market.ts"
import { type Decision, type DesiredSlot, LateReason, type Leg } from "../../Decision.ts"
import { isSameList, lately } from "../../expression/Same.ts"
import { reasons } from "../../Kind.ts"
import type { KeyPlaces } from "../../YamlReader.ts"
import { away, type Near, nearOf, negate, orderPriceTimes } from "../PriceLevels.ts"
import type { Inventoried } from "./Inventory.ts"

/** A price that stays until the market has moved away from it, with how it is written and where it ends. */
export interface HeldCentre {
  readonly price: Decimal.Decimal
  readonly text: string
  readonly below: Decimal.Decimal
  readonly above: Decimal.Decimal
}

export const centreAt = (price: Decimal.Decimal, requote: Decimal.Decimal): HeldCentre => ({
  price,
  text: Decimal.format(price),
  below: away(price, negate(requote)),
  above: away(price, requote)
})

/** What quotes follow from. */
export interface QuoteInputs {
  readonly centre: HeldCentre
  /** How far the quotes lie below the centre, as a ratio. */
  readonly shift: Decimal.Decimal
  readonly spread: Decimal.Decimal
  readonly inventory: Amount
  /** By side, from the middle outwards. */
  readonly sizes: Readonly<Record<Side, ReadonlyArray<Amount>>>
  readonly full: Readonly<Record<Side, ReadonlyArray<string>>>
  /** They have filled, and wait. */
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

/** Distance of a level's bid and ask from the middle. */
export const offsetOf = (spread: Decimal.Decimal, step: Decimal.Decimal = spread, index: number): Decimal.Decimal =>
  Decimal.add(Decimal.multiply(spread, Decimal.half), Decimal.multiply(step, Decimal.make(BigInt(index))))

/** Price over middle, by side and level. */
const factorsOf = ({ levels, step }: Quoting, spread: Decimal.Decimal): Readonly<Record<Side, ReadonlyArray<Near>>> => {
  const offsets = levels.map((_, index) => offsetOf(spread, step, index))
  return {
    BUY: offsets.map((offset) => nearOf(Decimal.subtract(Decimal.one, offset))),
    SELL: offsets.map((offset) => nearOf(Decimal.add(Decimal.one, offset)))
  }
}

/** Quotes as the file says; each strategy has its own. */
export const quoter = (whole: Quoting): ((ground: QuoteInputs) => QuotedSlots) => {
  let known: { readonly ground: QuoteInputs; readonly quotes: QuotedSlots } | undefined
  const factors = lately((spread: Decimal.Decimal) => factorsOf(whole, spread))
  return (ground) => {
    if (known !== undefined && isSame(known.ground, ground)) return known.quotes
    const quotes = quotesOn(whole, ground, factors(ground.spread))
    known = { ground, quotes }
    return quotes
  }
}

/** What quotes say of themselves: `says` comes before the numbers, of an order or of none. */
class QuoteReason extends LateReason {
  declare private readonly says: string
  declare private readonly leg: Leg | undefined
  declare private readonly base: Asset
  declare private readonly ground: QuoteInputs

  constructor(code: string, source: string, says: string, leg: Leg | undefined, base: Asset, ground: QuoteInputs) {
    super(code, source)
    this.says = says
    this.leg = leg
    this.base = base
    this.ground = ground
  }

  get text(): string {
    const { base, leg, says } = this
    const { centre, inventory, spread } = this.ground
    const order = leg === undefined ? "" : ` ${formatWithSymbol(leg.quantity, base)} at ${Decimal.format(leg.price)}`
    return `${says}${order}: centre ${centre.text}, spread ${Decimal.percent(spread)}, inventory ${formatWithSymbol(inventory, base)}`
  }
}

const quotesOn = (
  { market, levels, keys }: Quoting,
  ground: QuoteInputs,
  factors: ReturnType<typeof factorsOf>
): QuotedSlots => {
  const { centre, shift, sizes, full, delayed } = ground
  const because = reasons(keys)
  const middle = nearOf(away(centre.price, negate(shift)))
  const [quotedBy, limitedBy] = [keys("spread"), keys("maxInventory")]
  const desired: Array<DesiredSlot> = []
  const absent: Array<Decision["absent"][number]> = []
  const quote = (slot: string, side: Side, index: number) => {
    const [factor, quantity] = [factors[side][index], sizes[side][index]]
    if (factor === undefined || quantity === undefined) return
    const price = orderPriceTimes(market, side, middle, factor)
    if (full[side].includes(slot))
      absent.push({
        slot,
        why: new QuoteReason("inventory-full", limitedBy, "maxInventory is reached", undefined, market.base, ground)
      })
    else if (!Decimal.isPositive(price))
      absent.push({ slot, why: because("no-price", "below the smallest price step", "spread") })
    else if (delayed.has(slot))
      absent.push({ slot, why: because("filled-delay", "it has filled, and its delay is not over", "filledDelay") })
    else {
      const leg = { side, price, quantity }
      const why = new QuoteReason("quote", quotedBy, side === "BUY" ? "bids" : "asks", leg, market.base, ground)
      const legs = [leg] as const
      if (full[side].length === 0) desired.push({ slot, legs, cycle: true, why })
      else desired.push({ slot, legs, cycle: true, yieldsTo: full[side], why })
    }
  }
  levels.forEach(({ bid, ask }, index) => {
    quote(bid, "BUY", index)
    quote(ask, "SELL", index)
  })
  return { desired, absent }
}
