/** What a strategy's trading has earned and cost, folded from the events of its placements (see `BotState`). */

import type { Amount } from "../../../domain/Amount.ts"
import type { Of, PlacementEvent } from "../../../domain/BotEvent.ts"
import * as CostBasis from "../../../domain/CostBasis.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Price } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import type { Placement } from "../Placement.ts"

/** On one market. */
export interface MarketTrading {
  readonly basis: CostBasis.CostBasis
  /** What base that was given up had closed, by placement. */
  readonly lost?: ReadonlyMap<string, CostBasis.GivenUp>
  readonly lastFill?: { readonly price: Price; readonly at: number }
  readonly lastPlacedAt?: number
}

export const tradingAfter = (
  before: MarketTrading = { basis: CostBasis.empty },
  placement: Placement,
  event: PlacementEvent,
  at: number
): MarketTrading => {
  switch (event._tag) {
    case "Planned":
      return { ...before, lastPlacedAt: at }
    case "FillSeen":
      return { ...before, basis: afterFill(before.basis, event), lastFill: { price: event.price, at } }
    case "PaidOut":
    case "Refunded":
      return { ...before, basis: CostBasis.charge(before.basis, inQuote(placement, event.asset, event.fee)) }
    case "WrittenOff":
    case "Found":
      return { ...before, ...afterLoss(before, placement, event) }
    case "TakenBack":
      return { ...before, basis: afterTakingBack(before.basis, placement, event) }
    default:
      return before
  }
}

/** As if each fill had been undone at its own price, and its fees given back. */
const afterTakingBack = (
  basis: CostBasis.CostBasis,
  placement: Placement,
  { fills, inputAsset, outputAsset, payoutFee, refundFee, side }: Of<"TakenBack">
): CostBasis.CostBasis => {
  const fees = inQuote(placement, outputAsset, payoutFee) + inQuote(placement, inputAsset, refundFee)
  return fills.reduce(
    (known, { amountIn, amountOut }) =>
      side === "BUY"
        ? CostBasis.trade(known, "SELL", amountOut, amountIn)
        : CostBasis.trade(known, "BUY", amountIn, amountOut),
    CostBasis.charge(basis, -fees)
  )
}

/** Sold for nothing. If it comes after all, that is undone. */
const afterLoss = (
  { basis, lost }: MarketTrading,
  placement: Placement,
  { _tag, amount, asset }: Of<"WrittenOff" | "Found">
): Pick<MarketTrading, "basis" | "lost"> => {
  const isBase = (asset === placement.inputAsset) === (placement.side === "SELL")
  if (!isBase) return { basis: CostBasis.charge(basis, _tag === "WrittenOff" ? amount : -amount), ...present({ lost }) }
  const known = new Map(lost)
  if (_tag === "WrittenOff") {
    const { after, loss } = CostBasis.lose(basis, amount)
    return { basis: after, lost: known.set(placement.id, loss) }
  }
  const { closed, cost } = known.get(placement.id) ?? { closed: 0n, cost: 0n }
  known.delete(placement.id)
  return { basis: CostBasis.regain(basis, amount, { closed, cost }), lost: known }
}

const afterFill = (basis: CostBasis.CostBasis, { side, amountIn, amountOut }: Of<"FillSeen">): CostBasis.CostBasis =>
  side === "BUY"
    ? CostBasis.trade(basis, "BUY", amountOut, amountIn)
    : CostBasis.trade(basis, "SELL", amountIn, amountOut)

/** A fee in base counts at the price of its order, rounded up. */
const inQuote = ({ side, inputAsset, inputAmount, outputAmount }: Placement, asset: string, fee: Amount): Amount => {
  const isInput = asset === inputAsset
  if (isInput === (side === "BUY")) return fee
  const [quote, base] = side === "BUY" ? [inputAmount, outputAmount] : [outputAmount, inputAmount]
  return Decimal.divideInteger(fee * quote, base, "up")
}

/** Whether this event may change what a strategy can see of its own trading or money. */
export const changesOwnState = ({ _tag }: PlacementEvent): boolean => movingTags.has(_tag)

const movingTags: ReadonlySet<PlacementEvent["_tag"]> = new Set([
  "Planned",
  "Abandoned",
  "FundingSigned",
  "FundingDead",
  "DepositSeen",
  "FillSeen",
  "PaidOut",
  "Refunded",
  "LegFailed",
  "Settled",
  "TakenBack",
  "WrittenOff",
  "Found"
])
