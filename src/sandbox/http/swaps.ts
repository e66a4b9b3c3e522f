/** Quotes and the list of tokens. */
import { Clock, Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Amount from "../../domain/Amount.ts"
import { Caller } from "../../venue/Credentials.ts"
import { messageError, NextCorrelationId } from "../../venue/WireError.ts"
import type { Quote } from "../../venue/WireQuote.ts"
import { formatTimestamp } from "../../venue/WireValue.ts"
import { usdOf } from "../core/Pricing.ts"
import { type QuotedAmounts, quote } from "../core/Quotes.ts"
import type { SandboxAsset } from "../core/Settings.ts"
import type { State } from "../core/State.ts"
import { Sandbox } from "../Sandbox.ts"
import { SandboxApi } from "../SandboxApi.ts"
import { asMessageError } from "./refusals.ts"

const timeEstimateSeconds = 2

export const layer = HttpApiBuilder.group(
  SandboxApi,
  "swaps",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* Sandbox

    return handlers.handleAll({
      quote: Effect.fnUntraced(function* ({ payload: quoteRequest }) {
        const { partner } = yield* Caller
        if (!quoteRequest.dry) return yield* messageError(400, "Only dry quotes are available here")
        const answer = yield* sandbox
          .look((state) =>
            Result.map(quote(state, quoteRequest, partner !== undefined), (amounts) => toWire(state, amounts))
          )
          .pipe(Effect.flatMap(Effect.fromResult), asMessageError)
        const correlationId = yield* yield* NextCorrelationId
        const timestamp = formatTimestamp(yield* Clock.currentTimeMillis)
        return { correlationId, timestamp, quoteRequest, quote: answer }
      }),
      tokens: Effect.fnUntraced(function* () {
        return yield* sandbox.look(tokens).pipe(asMessageError)
      })
    })
  })
)

const toWire = (state: State, amounts: QuotedAmounts): Quote => {
  const { origin, destination, amountIn, amountOut } = amounts
  const usd = (asset: SandboxAsset, amount: Amount.Amount) => usdOf(state, asset, amount).toFixed(4)
  return {
    amountIn: String(amountIn),
    amountInFormatted: Amount.format(amountIn, origin.decimals),
    amountInUsd: usd(origin, amountIn),
    minAmountIn: String(amounts.minAmountIn),
    amountOut: String(amountOut),
    amountOutFormatted: Amount.format(amountOut, destination.decimals),
    amountOutUsd: usd(destination, amountOut),
    minAmountOut: String(amounts.minAmountOut),
    timeEstimate: timeEstimateSeconds,
    withdrawFee: String(amounts.withdrawFee),
    refundFee: String(amounts.refundFee)
  }
}

const tokens = (state: State) =>
  state.settings.assets.map((asset) => ({
    assetId: asset.id,
    decimals: asset.decimals,
    blockchain: asset.blockchain,
    symbol: asset.symbol,
    price: state.model.usd(asset, state.now),
    priceUpdatedAt: formatTimestamp(state.now)
  }))
