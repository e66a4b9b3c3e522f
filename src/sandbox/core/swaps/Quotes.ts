/** The amounts that a swap would give now: the solver's price less all fees. The amount out is what arrives, after the withdrawal fee. */
import { Result } from "effect"
import * as Amount from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import * as Market from "../../../domain/Market.ts"
import { type Charges, chargesOf, totalOf } from "../../../venue/profile/Charges.ts"
import { factsOf } from "../../../venue/VenueConfig.ts"
import type { QuoteRequest } from "../../../venue/wire/WireQuote.ts"
import { assetById, type SandboxAsset } from "../../Settings.ts"
import { type Refusal, refuse } from "../Refusal.ts"
import { awayFromMid, type Pair, type QuotedAmounts, type State, usdOf } from "../State.ts"

const insuranceBasisPoints = 2
const priceDigits = 12
const whole = 10_000n

export const quote = (
  state: State,
  request: QuoteRequest,
  isPartner: boolean
): Result.Result<readonly [Pair, QuotedAmounts], Refusal> =>
  Result.gen(function* () {
    const pair = yield* pairOf(state, request, isPartner)
    const amount = BigInt(request.amount)
    const sized = request.swapType === "EXACT_OUTPUT" ? pair.destination : pair.origin
    if (usdOf(state, sized, amount) > state.settings.maxQuoteUsd) return yield* unavailable("No liquidity available")
    const price = swapPrice(state, pair, request, isPartner, amount)
    const slippage = BigInt(Math.round(request.slippageTolerance))
    if (request.swapType === "EXACT_OUTPUT") {
      const minAmountIn = inputFor(pair, price, amount)
      const amountIn = Decimal.divideInteger(minAmountIn * (whole + slippage), whole, "up")
      return [pair, { amountIn, minAmountIn, amountOut: amount, minAmountOut: amount }]
    }
    const amountOut = outputFor(pair, price, amount)
    if (amountOut <= 0n) {
      return yield* unavailable(`Amount is too low for bridge, try at least ${inputFor(pair, price, 1n)}`)
    }
    if (request.swapType === "ANY_INPUT") {
      return [pair, { amountIn: amount, minAmountIn: 1n, amountOut, minAmountOut: 0n }]
    }
    const lessSlippage = (value: Amount.Amount) => (value * (whole - slippage)) / whole
    const minAmountIn = request.swapType === "FLEX_INPUT" ? Amount.max(1n, lessSlippage(amount)) : amount
    return [pair, { amountIn: amount, minAmountIn, amountOut, minAmountOut: lessSlippage(amountOut) }]
  })

const unavailable = (text: string) => refuse("request-rejected", text)

const pairOf = (state: State, request: QuoteRequest, isPartner: boolean): Result.Result<Pair, Refusal> => {
  const origin = assetById(state.settings, request.originAsset)
  const destination = assetById(state.settings, request.destinationAsset)
  if (origin === undefined) return unavailable(`tokenIn is not valid: ${request.originAsset}`)
  if (destination === undefined) return unavailable(`tokenOut is not valid: ${request.destinationAsset}`)
  if (origin.id === destination.id && !isMove(state, request)) {
    return unavailable("Quoting for this pair is not available")
  }
  if (origin.id === destination.id && request.refundType !== request.depositType)
    return unavailable(`refundType of a move between accounts must be ${request.depositType}, where its money is`)
  if (request.depositMode === "MEMO" && request.depositType !== "ORIGIN_CHAIN") {
    return unavailable(`a deposit by ${request.depositType} carries no memo`)
  }
  if (request.swapType === "ANY_INPUT" && !isPartner) return unavailable("ANY_INPUT is for partners only")
  return Result.succeed({
    origin,
    destination,
    withdrawFee: request.recipientType === "DESTINATION_CHAIN" ? BigInt(destination.fee) : 0n,
    refundFee: request.refundType === "ORIGIN_CHAIN" ? BigInt(origin.fee) : 0n
  })
}

const isMove = ({ settings }: State, { depositType, recipientType, swapType }: QuoteRequest): boolean =>
  factsOf(settings).movesBetweenAccounts && swapType === "EXACT_INPUT" && depositType !== recipientType

/** Destination per unit of origin, after all fees except the payout fee. `amount` is as in the request. */
export const swapPrice = (
  state: State,
  { origin, destination }: Pair,
  request: QuoteRequest,
  isPartner: boolean,
  amount: Amount.Amount
): Market.Price => {
  const usd = usdOf(state, request.swapType === "EXACT_OUTPUT" ? destination : origin, amount)
  const isSame = origin.id === destination.id
  const rate = isSame ? 1 : state.model.mid(origin, destination, state.now) * (1 - awayFromMid(state, usd))
  const chargeBasisPoints = totalOf(charges(state, [origin, destination], request, isPartner))
  return Decimal.fromNumber(rate * (1 - chargeBasisPoints / 10_000), priceDigits)
}

export const charges = (
  { settings }: State,
  assets: readonly [SandboxAsset, SandboxAsset],
  { appFees = [], insured }: QuoteRequest,
  hasPartner: boolean
): Charges => {
  const symbols = [assets[0].symbol, assets[1].symbol] as const
  const charged = chargesOf(factsOf(settings).fees, { hasPartner, assets: symbols, appFees })
  return { ...charged, service: charged.service + (insured ? insuranceBasisPoints : 0) }
}

const marketOf = ({ origin, destination }: Pair): Market.Market => ({ name: "", base: origin, quote: destination })

export const outputFor = (pair: Pair, price: Market.Price, amountIn: Amount.Amount): Amount.Amount =>
  Market.quoteAmount(marketOf(pair), amountIn, price, "down") - pair.withdrawFee

export const inputFor = (pair: Pair, price: Market.Price, amountOut: Amount.Amount): Amount.Amount =>
  Market.baseQuantity(marketOf(pair), amountOut + pair.withdrawFee, price, "up")
