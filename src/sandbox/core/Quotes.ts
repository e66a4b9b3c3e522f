/**
 * What a swap would give now: the solver's price for the size, less platform and app fees, exact from there on. The
 * amount out is what arrives: on another chain it is already less the withdrawal fee.
 */
import { Result } from "effect"
import * as Amount from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import * as Market from "../../domain/Market.ts"
import type { QuoteRequest } from "../../venue/WireQuote.ts"
import { distance, usdOf } from "./Pricing.ts"
import { type Refusal, refuse } from "./Refusal.ts"
import { assetById, type SandboxAsset } from "./Settings.ts"
import type { State } from "./State.ts"

export interface QuotedAmounts {
  readonly origin: SandboxAsset
  readonly destination: SandboxAsset
  readonly amountIn: Amount.Amount
  readonly minAmountIn: Amount.Amount
  readonly amountOut: Amount.Amount
  readonly minAmountOut: Amount.Amount
  /** Taken from what is paid out, or paid back, on another chain. */
  readonly withdrawFee: Amount.Amount
  readonly refundFee: Amount.Amount
}

const platformFeeBasisPoints = 20
const insuranceBasisPoints = 2
const priceDigits = 12

export const quote = (state: State, request: QuoteRequest, isPartner: boolean): Result.Result<QuotedAmounts, Refusal> =>
  Result.gen(function* () {
    const origin = assetById(state.settings, request.originAsset)
    const destination = assetById(state.settings, request.destinationAsset)
    if (origin === undefined) return yield* unavailable(`tokenIn is not valid: ${request.originAsset}`)
    if (destination === undefined) return yield* unavailable(`tokenOut is not valid: ${request.destinationAsset}`)
    if (origin.id === destination.id) return yield* unavailable("Quoting for this pair is not available")
    if (request.swapType === "ANY_INPUT") return yield* unavailable("ANY_INPUT is not available")
    const amount = BigInt(request.amount)
    const usd = usdOf(state, request.swapType === "EXACT_OUTPUT" ? destination : origin, amount)
    if (usd > state.settings.maxQuoteUsd) return yield* unavailable("No liquidity available")

    const market: Market.Market = { name: "", base: origin, quote: destination }
    const rate = state.model.mid(origin, destination, state.now) * (1 - distance(state, usd))
    const price = Decimal.fromNumber(rate * (1 - feeRatio(request, isPartner)), priceDigits)
    const withdrawFee = request.recipientType === "DESTINATION_CHAIN" ? BigInt(destination.fee) : 0n
    const refundFee = request.refundType === "ORIGIN_CHAIN" ? BigInt(origin.fee) : 0n
    const fees = { withdrawFee, refundFee }
    const slippage = BigInt(Math.round(request.slippageTolerance))
    if (request.swapType === "EXACT_OUTPUT") {
      const needed = Market.baseQuantity(market, amount + withdrawFee, price, "up")
      const amountIn = Decimal.divideInteger(needed * (10_000n + slippage), 10_000n, "up")
      return { origin, destination, amountIn, minAmountIn: needed, amountOut: amount, minAmountOut: amount, ...fees }
    }
    const amountOut = Market.quoteAmount(market, amount, price, "down") - withdrawFee
    if (amountOut <= 0n) {
      const least = Market.baseQuantity(market, withdrawFee + 1n, price, "up")
      return yield* unavailable(`Amount is too low for bridge, try at least ${least}`)
    }
    const lessSlippage = (value: Amount.Amount) => (value * (10_000n - slippage)) / 10_000n
    const minAmountIn = request.swapType === "FLEX_INPUT" ? Amount.max(1n, lessSlippage(amount)) : amount
    return {
      origin,
      destination,
      amountIn: amount,
      minAmountIn,
      amountOut,
      minAmountOut: lessSlippage(amountOut),
      ...fees
    }
  })

const unavailable = (text: string) => refuse("request-rejected", text)

const feeRatio = (request: QuoteRequest, isPartner: boolean): number => {
  const app = (request.appFees ?? []).reduce((sum, { fee }) => sum + fee, 0)
  return (app + (isPartner ? 0 : platformFeeBasisPoints) + (request.insured ? insuranceBasisPoints : 0)) / 10_000
}
