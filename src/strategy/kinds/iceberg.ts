/**
 * Iceberg: a large order of which only a part is visible. One slot whose legs are the parts, all equal but the last.
 * Each part is placed when the one before has filled. The answer never changes, so it holds for ever, unless the slot
 * did something under another file: then the legs are parts of what is left (see `Total`).
 */
import { format, formatWithSymbol } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import type { Decision, Leg } from "../Decision.ts"
import * as Read from "../Fields.ts"
import { anyMarket, schemaOf } from "../JsonSchema.ts"
import type { Kind } from "../Kind.ts"
import { report } from "../Problem.ts"
import type { Setup } from "../Setup.ts"
import * as Ask from "../Setup.ts"
import { checkBudget } from "./BudgetCheck.ts"
import { checkTick } from "./PriceLevels.ts"
import { quantityAt, quantityInParts, size } from "./Size.ts"
import { doneText, legsLeft, otherSide, type PartOfTotal, restText, type Share, shareOut } from "./Total.ts"

const mostParts = 1_000
const slot = "iceberg"
const isOwn = (name: string): boolean => name === slot

export const iceberg: Kind = {
  name: "iceberg",
  about: "one large order of which only a part is visible",
  setup: (market) => setup(market),
  schema: () => schemaOf(icebergFields(anyMarket)),
  read: (section, context) => {
    const { market, to } = context
    const read = icebergFields(market)(section, to)
    if (read?.price !== undefined) checkTick(market, read.price.value, read.price, to)
    if (read?.side === undefined || read.price === undefined) return undefined
    if (read.total === undefined || read.visible === undefined) return undefined
    const price = read.price.value
    const side = read.side.value === "buy" ? "BUY" : "SELL"
    const visible = quantityAt(market, read.visible.value, price)
    const parts = visible === 0n ? 0n : (quantityAt(market, read.total.value, price) + visible - 1n) / visible
    const total = quantityInParts(market, read.total.value, price, parts)
    if (total === 0n || visible === 0n)
      return report(to, total === 0n ? read.total : read.visible, "this is less than the smallest unit")
    if (visible > total) return report(to, read.visible, "the visible part is larger than the total")
    const count = (total + visible - 1n) / visible
    if (count > BigInt(mostParts)) {
      return report(
        to,
        read.visible,
        `${count} parts: at most ${mostParts} are possible`,
        "make the visible part larger"
      )
    }
    const legs = Array.from({ length: Number(count) }, (_, index): Leg => {
      const rest = total - visible * BigInt(index)
      return { side, price, quantity: rest < visible ? rest : visible }
    })
    checkBudget(legs, "all parts together", read.total, context)
    const [first, ...others] = legs
    if (first === undefined) return undefined
    const verb = side === "BUY" ? "buys" : "sells"
    const text = `${verb} ${formatWithSymbol(total, market.base)} at ${Decimal.format(price)} in ${count} parts, one visible`
    const why = { code: "iceberg-part", text, source: Read.keyPlaces(section, context.root, to)("price") }
    const decision: Decision = {
      desired: [{ slot, legs: [first, ...others], cycle: false, why }],
      absent: [],
      memory: null,
      reasons: [],
      until: { onFill: false }
    }
    const part: PartOfTotal = { slot, side, price, size: read.total.value, quantity: total, piece: visible }
    return {
      initialMemory: null,
      decide: (view) => {
        const { shares, isPlain } = shareOut(market, [part], view, isOwn)
        const [share] = shares
        return isPlain || share === undefined ? decision : edited(market, decision, share, why)
      },
      unfit: (slots) => otherSide(market, side, slots, isOwn)
    }
  }
}

/** What is left of the total, in parts as they are now. */
const edited = (market: Market, plain: Decision, share: Share, own: Reason): Decision => {
  const left = legsLeft(share)
  const until = { onFill: true }
  if (left === undefined) {
    const why = { ...own, code: "done", text: doneText(market, share) }
    return { ...plain, desired: [], absent: [{ slot, why }], until }
  }
  const text = `${restText(market, share)} at ${Decimal.format(share.part.price)}, one part visible`
  return { ...plain, desired: [{ slot, ...left, cycle: false, why: { ...own, text } }], until }
}

const icebergFields = (market: Market) =>
  Read.fields({
    side: Read.required(Read.oneOf("buy", "sell"), "buy or sell"),
    price: Read.required(Read.price, "of every part"),
    total: Read.required(size(market), "all parts together"),
    visible: Read.required(size(market), "one part")
  })

/** Asked by `limitbot init`. */
const setup = (market: Market): Setup => ({
  steps: [
    Ask.side,
    Ask.paidAmount("total", "in all", market),
    Ask.price("price", `Price, ${Ask.per(market)}`, Ask.below(0.005)),
    (answer) => {
      const { asset } = Ask.paid(market, answer)
      // More than a tenth: ten parts of a tenth, each rounded down, would leave dust for an eleventh.
      const visible = (Ask.unitsOf(asset, answer("total")) * 101n) / 1000n
      return {
        key: "visible",
        text: `${asset.symbol} that others may see at a time`,
        read: Read.amount(asset),
        ...(visible > 0n ? { fallback: format(visible, asset.decimals) } : {})
      }
    }
  ],
  budget: (answer) => ({ [Ask.paid(market, answer).key]: answer("total") }),
  section: (answer) => `
  side: ${answer("side")}
  price: ${answer("price")}
  total: { ${Ask.paid(market, answer).key}: ${answer("total")} }
  visible: { ${Ask.paid(market, answer).key}: ${answer("visible")} }  # the next part comes when this one has filled`
})
