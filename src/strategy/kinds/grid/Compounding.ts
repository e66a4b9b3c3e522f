/**
 * `size: { equity: 5% }` of a grid: each purchase is this share of the quote budget and of what the grid has earned since, after fees. An
 * open order keeps its size, and a cell sells what it bought, so only the next purchases grow or shrink.
 */
import { formatWithSymbol, max } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Market } from "../../../domain/Market.ts"
import { type DesiredSlot, dueLeg, filledOfLeg, type Leg } from "../../Decision.ts"
import * as Read from "../../Fields.ts"
import type { Budget, Decide } from "../../Strategy.ts"
import { progressOf } from "../../View.ts"
import { orderText } from "../Execution.ts"
import { share } from "../PriceLevels.ts"
import { partOf, type Size, size } from "../Size.ts"

export type CellSize = Size | { readonly equity: Decimal.Decimal }

const shareKeys = {
  equity: Read.required(share(Read.ratio), "a share of the quote budget and of what the grid has earned")
}

export const cellSize = (market: Market): Read.Reader<CellSize> =>
  Read.either(size(market), Read.section(shareKeys), (node) => node.type === "map" && node.entries.has("equity"))

/** The size of cells before the grid has earned anything. */
export const firstSize = (size: CellSize, budget: Budget | undefined, { quote }: Market): Size =>
  "unit" in size ? size : { unit: "quote", amount: partOf(budget?.quote ?? 0n, size.equity, quote) }

export const compounding =
  (decide: Decide, budget: Budget, equity: Decimal.Decimal, source: string): Decide =>
  (view, memory) => {
    const { market, own } = view
    const whole = max(0n, budget.quote + (own?.realisedProfit ?? 0n))
    const grown = (desired: DesiredSlot): DesiredSlot => {
      const progress = progressOf(view, desired.slot)
      const due = desired.legs[dueLeg(desired, progress)]
      const { lastLeg, live, receivedByLastLeg } = progress
      const isFirstSale = due?.side === "SELL" && lastLeg === undefined
      if (due === undefined || !desired.cycle || isFirstSale) return desired
      const before = desired.legs.find(({ side }) => side === "BUY") ?? due
      const quantity =
        live?.side === due.side
          ? live.quantity + filledOfLeg(desired, progress)
          : due.side === "SELL"
            ? (due.quantity * receivedByLastLeg) / before.quantity
            : (due.quantity * whole) / budget.quote
      // The strategy decides again when the next leg is due, and sizes it then.
      const sized = (leg: Leg): Leg => ({ ...leg, quantity: (leg.quantity * quantity) / due.quantity })
      const [first, ...others] = desired.legs
      const text = `${orderText({ ...due, quantity }, market)}, and so on`
      return { ...desired, legs: [sized(first), ...others.map(sized)], why: { ...desired.why, text } }
    }
    const decision = decide(view, memory)
    const text = `sizes are ${Decimal.percent(equity)} of ${formatWithSymbol(whole, market.quote)}: the quote budget and what it has earned`
    return {
      ...decision,
      desired: decision.desired.map(grown),
      reasons: [...decision.reasons, { code: "grid-size", text, source }],
      until: { ...decision.until, onFill: true }
    }
  }
