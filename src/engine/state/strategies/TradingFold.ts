/** Profit and cost of a strategy's trading, folded from the events of its placements (see `BotState`). */
import type { Amount } from "../../../domain/Amount.ts"
import type { Of, PlacementEvent } from "../../../domain/BotEvent.ts"
import * as CostBasis from "../../../domain/CostBasis.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { isDustSlot } from "../../../domain/Ledger.ts"
import { opposite, type Price } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import { feeBeforeFill, type Placement } from "../Placement.ts"

export interface MarketTrading {
  readonly position: CostBasis.HeldPosition
  readonly lost?: ReadonlyMap<string, CostBasis.GivenUp>
  readonly lastFill?: { readonly price: Price; readonly at: number }
  readonly lastPlacedAt?: number
}

export const noTrading: MarketTrading = { position: CostBasis.noPosition }

/** `least` is the smallest order, in quote. */
export const tradingAfter = (
  before: MarketTrading = noTrading,
  placement: Placement,
  event: PlacementEvent,
  { at, least }: { readonly at: number; readonly least: Amount }
): MarketTrading => {
  /** A dust slot has no part in the position. */
  const changed = (change: (position: CostBasis.HeldPosition) => CostBasis.HeldPosition): MarketTrading => {
    const { position } = before
    return { ...before, position: isDustSlot(placement.slot) ? CostBasis.mapDust(position, change) : change(position) }
  }
  const charged = (position: CostBasis.HeldPosition, asset: string, fee: Amount): CostBasis.HeldPosition =>
    isBase(placement, asset)
      ? CostBasis.feeTaken(position, fee, orderOf(placement), least)
      : CostBasis.mapBasis(position, (basis) => CostBasis.charge(basis, fee))
  switch (event._tag) {
    case "Planned":
      return { ...before, lastPlacedAt: at }
    case "FillSeen":
      return {
        ...changed((position) => {
          const filled = CostBasis.traded(position, event.side, tradeOf(placement, event), least)
          return charged(filled, event.outputAsset, feeBeforeFill(placement, event.amountOut))
        }),
        lastFill: { price: event.price, at }
      }
    case "PaidOut":
    case "Refunded":
      return changed((position) => charged(position, event.asset, event.fee))
    case "WrittenOff":
    case "Found":
      return { ...before, ...afterLoss(before, placement, event) }
    case "TakenBack":
      return changed((position) => CostBasis.mapBasis(position, (basis) => afterTakingBack(basis, placement, event)))
    default:
      return before
  }
}

/** The trade of a fill before the fee that the venue may have taken of its output already. */
const tradeOf = (placement: Placement, { amountIn, amountOut }: Record<"amountIn" | "amountOut", Amount>) =>
  exchangeOf(placement, amountIn, amountOut + feeBeforeFill(placement, amountOut))

const orderOf = (placement: Placement) => exchangeOf(placement, placement.inputAmount, placement.outputAmount)

const exchangeOf = ({ side }: Placement, input: Amount, output: Amount) =>
  side === "BUY" ? { base: output, quote: input } : { base: input, quote: output }

const isBase = ({ inputAsset, side }: Placement, asset: string): boolean => (asset === inputAsset) === (side === "SELL")

const afterTakingBack = (
  basis: CostBasis.CostBasis,
  placement: Placement,
  { fills, inputAsset, outputAsset, payoutFee, refundFee, side }: Of<"TakenBack">
): CostBasis.CostBasis => {
  const { base, quote } = orderOf(placement)
  const givenBack = (known: CostBasis.CostBasis, asset: string, fee: Amount): CostBasis.CostBasis => {
    if (!isBase(placement, asset)) return CostBasis.charge(known, -fee)
    const worth = Decimal.divideInteger(fee * quote, base, "up")
    return CostBasis.charge(CostBasis.trade(known, "BUY", fee, worth), -worth)
  }
  const outputFees = fills.reduce((sum, { amountOut }) => sum + feeBeforeFill(placement, amountOut), payoutFee)
  return fills.reduce(
    (known, fill) => {
      const { base, quote } = tradeOf(placement, fill)
      return CostBasis.trade(known, opposite(side), base, quote)
    },
    givenBack(givenBack(basis, outputAsset, outputFees), inputAsset, refundFee)
  )
}

const afterLoss = (
  { lost, position }: MarketTrading,
  placement: Placement,
  { _tag, amount, asset }: Of<"WrittenOff" | "Found">
): Pick<MarketTrading, "position" | "lost"> => {
  const basisAfter = (basis: CostBasis.CostBasis) => ({ ...position, basis })
  if (!isBase(placement, asset)) {
    const charged = CostBasis.charge(position.basis, _tag === "WrittenOff" ? amount : -amount)
    return { position: basisAfter(charged), ...present({ lost }) }
  }
  const losses = new Map(lost)
  if (_tag === "WrittenOff") {
    const { after, loss } = CostBasis.lose(position.basis, amount)
    return { position: basisAfter(after), lost: losses.set(placement.id, loss) }
  }
  const { closed, cost } = losses.get(placement.id) ?? { closed: 0n, cost: 0n }
  losses.delete(placement.id)
  return { position: basisAfter(CostBasis.regain(position.basis, amount, { closed, cost })), lost: losses }
}

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
