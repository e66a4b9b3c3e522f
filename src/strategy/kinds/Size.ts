/** A size that is given either in the base or in the quote asset: `size: { quote: 50 }`. */
import { type Amount, max } from "../../domain/Amount.ts"
import { baseQuantity, type Market, type Price } from "../../domain/Market.ts"
import { amount, fields, optional, type Reader } from "../Fields.ts"
import { described, schemaOf } from "../JsonSchema.ts"
import { report } from "../Problem.ts"

export interface Size {
  readonly unit: "base" | "quote"
  readonly amount: Amount
}

export const size = (market: Market): Reader<Size> => {
  const either = fields({
    base: optional(amount(market.base, { zero: false }), "in units of the base asset"),
    quote: optional(amount(market.quote, { zero: false }), "in units of the quote asset")
  })
  const read: Reader<Size> = (node, to) => {
    const found = either(node, to)
    if (found === undefined || node.type !== "map") return undefined
    const { base, quote } = found
    if (node.entries.has("base") && node.entries.has("quote")) {
      return report(to, node.entries.get("quote")?.key ?? node, 'give either "base" or "quote", not both')
    }
    if (base !== undefined) return { unit: "base", amount: base.value }
    if (quote !== undefined) return { unit: "quote", amount: quote.value }
    if (node.entries.size > 0) return undefined
    return report(to, { start: node.start, end: node.start + 1 }, 'missing key "base" or "quote"')
  }
  return described(read, () => ({ ...schemaOf(either), minProperties: 1, maxProperties: 1 }))
}

/** Base quantity at a price; a quote amount is never exceeded. */
export const quantityAt = (market: Market, { unit, amount }: Size, price: Price): Amount =>
  unit === "base" ? amount : baseQuantity(market, amount, price, "down")

/** The same for an order that is worked in parts: what each of them pays is rounded up, so as many units are set aside. */
export const quantityInParts = (market: Market, { unit, amount }: Size, price: Price, parts: bigint): Amount =>
  quantityAt(market, { unit, amount: unit === "base" ? amount : max(0n, amount - parts) }, price)
