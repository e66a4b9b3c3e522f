/**
 * Iceberg: a large order of which only a part is visible. One slot whose legs are the parts, all equal but the last. Each part is placed
 * when the one before has filled. The answer holds without limit, unless the slot traded under another file: then the legs are parts of the
 * remaining total (see `Total`).
 */
import { format } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import type { Market } from "../../domain/Market.ts"
import type { Decision, Leg } from "../Decision.ts"
import * as Read from "../Fields.ts"
import { form, type Kind } from "../Kind.ts"
import { report } from "../Problem.ts"
import * as Ask from "../Setup.ts"
import { orderText } from "./Execution.ts"
import { checkBudget, checkFees, checkValues, valueOf } from "./OrderCheck.ts"
import { tickPrice } from "./PriceLevels.ts"
import { quantityAt, quantityInParts, size } from "./Size.ts"
import { doneText, legsLeft, otherSide, type PartOfTotal, restText, type Share, sharing } from "./Total.ts"

const mostParts = 1_000
const slot = "iceberg"
const isOwn = (name: string): boolean => name === slot

const keys = (market: Market) => ({
  side: Read.required(Read.side, "buy or sell"),
  price: Read.required(tickPrice(market), "of every part"),
  total: Read.required(size(market), "all parts together"),
  visible: Read.required(size(market), "one part")
})

export const iceberg: Kind = {
  name: "iceberg",
  restsAtWrittenPrices: true,
  about: "one large order of which only a part is visible",
  setup: (market) =>
    Ask.setupOf(keys(market), {
      asks: ["side", "total", "price", "visible"],
      budget: (answer) => ({ [Ask.inputOf(market, answer).key]: answer("total") }),
      lines: {
        side: { ask: Ask.side },
        price: { ask: Ask.price(`Price, ${Ask.per(market)}`, Ask.onItsSide(0.005)) },
        total: { ask: Ask.paidAmount("in all", market), is: Ask.paidSize(market) },
        visible: {
          ask: (key) => (answer) => {
            const { asset } = Ask.inputOf(market, answer)
            // Slightly more than a tenth: ten parts of a tenth, each rounded down, would leave dust for an eleventh.
            const visible = (Ask.unitsOf(asset, answer("total")) * 101n) / 1000n
            const fallback = visible > 0n ? format(visible, asset.decimals) : undefined
            return Ask.question(key, asset, "that others may see at a time", fallback)
          },
          is: Ask.paidSize(market),
          note: "the next part comes when this one has filled"
        }
      }
    }),
  ...form(keys, ({ market, side, price, keys, ...whole }, { at, ...context }) => {
    const { to } = context
    const visible = quantityAt(market, whole.visible, price)
    const parts = visible === 0n ? 0n : (quantityAt(market, whole.total, price) + visible - 1n) / visible
    const total = quantityInParts(market, whole.total, price, parts)
    if (total === 0n || visible === 0n)
      return report(to, at(total === 0n ? "total" : "visible"), "this is less than the smallest unit")
    if (visible > total) return report(to, at("visible"), "the visible part is larger than the total")
    const count = (total + visible - 1n) / visible
    if (count > BigInt(mostParts)) {
      const text = `${count} parts: at most ${mostParts} are possible`
      return report(to, at("visible"), text, "make the visible part larger")
    }
    const legs = Array.from({ length: Number(count) }, (_, index): Leg => {
      const rest = total - visible * BigInt(index)
      return { side, price, quantity: rest < visible ? rest : visible }
    })
    checkBudget(legs, "all parts together", at("total"), context)
    checkFees(legs, at("visible"), context)
    const values = legs.map((part) => valueOf(market, part))
    checkValues(values, at("visible"), context)
    const [first, ...others] = legs
    if (first === undefined) return undefined
    const text = `${orderText({ ...first, quantity: total }, market)} in ${count} parts, one visible`
    const why = { code: "iceberg-part", text, source: keys("price") }
    const decision: Decision = {
      desired: [{ slot, legs: [first, ...others], cycle: false, why }],
      absent: [],
      memory: null,
      reasons: [],
      until: { onFill: false }
    }
    const part: PartOfTotal = { slot, side, price, size: whole.total, quantity: total, piece: visible }
    const shareOut = sharing(market, isOwn)
    return {
      decide: (view) => {
        const { shares, isPlain } = shareOut([part], view)
        const [share] = shares
        return isPlain || share === undefined ? decision : edited(market, decision, share, why)
      },
      unfit: (slots) => otherSide(market, side, slots, isOwn)
    }
  })
}

const edited = (market: Market, plain: Decision, share: Share, own: Reason): Decision => {
  const remainder = legsLeft(share)
  const until = { onFill: true }
  if (remainder === undefined) {
    const why = { ...own, code: "done", text: doneText(market, share) }
    return { ...plain, desired: [], absent: [{ slot, why }], until }
  }
  const why = { ...own, text: `${restText(market, share)}, one part visible` }
  return { ...plain, desired: [{ slot, ...remainder, cycle: false, why }], until }
}
