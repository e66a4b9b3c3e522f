/** Answers quote requests. Unless a request is dry, creates the swap behind the deposit address and keeps the answer for its status. */
import { Result, Schema } from "effect"
import * as Amount from "../../../domain/Amount.ts"
import { present } from "../../../domain/Present.ts"
import * as Timestamp from "../../../domain/Timestamp.ts"
import * as Ed25519 from "../../../signing/Ed25519.ts"
import * as QuoteSignature from "../../../signing/QuoteSignature.ts"
import { type Quote, QuoteRequest, type QuoteResponse } from "../../../venue/wire/WireQuote.ts"
import * as Seeded from "../../Seeded.ts"
import type { SandboxAsset } from "../../Settings.ts"
import * as SigningKey from "../money/SigningKey.ts"
import { type Refusal, refuse } from "../Refusal.ts"
import { type Pair, type QuotedAmounts, type SandboxSwap, type State, schedule, usdOf } from "../State.ts"
import { quote } from "./Quotes.ts"
import { expire } from "./SwapLife.ts"

/** `partner`: missing if the quote was requested without a credential. */
export const QuoteAsked = Schema.Struct({
  partner: Schema.optionalKey(Schema.String),
  request: QuoteRequest,
  correlationId: Schema.String
})
type QuoteAsked = typeof QuoteAsked.Type

const timeEstimateSeconds = 2

export const answerDry = (state: State, asked: QuoteAsked): Result.Result<QuoteResponse, Refusal> =>
  Result.map(quote(state, asked.request, asked.partner !== undefined), ([pair, quoted]) =>
    signed(state, asked, amountsOf(state, pair, quoted))
  )

export const createSwap = (state: State, asked: QuoteAsked): Result.Result<SandboxSwap, Refusal> =>
  Result.gen(function* () {
    const { request, partner } = asked
    const { customRecipientMsg, virtualChainRecipient, virtualChainRefundRecipient } = request
    const deadline = Timestamp.parse(request.deadline) ?? 0
    if (deadline <= state.now) return yield* refuse("request-rejected", "deadline must be in the future")
    const [pair, quoted] = yield* quote(state, request, partner !== undefined)
    const { seed } = state.settings
    const sequence = state.swaps.size + 1
    const id = Seeded.hex(seed, "swap address", sequence)
    const depositMemo =
      request.depositMode === "MEMO"
        ? String(Seeded.between([1_000_000, 9_999_999], seed, "swap memo", sequence))
        : undefined
    const response = signed(state, asked, {
      ...amountsOf(state, pair, quoted),
      depositAddress: id,
      ...present({ depositMemo }),
      chainDepositAddresses: chainsOf(state, request, pair).map((blockchain) => ({
        blockchain,
        address: id,
        ...present({ memo: depositMemo })
      })),
      deadline: Timestamp.format(deadline),
      timeWhenInactive: Timestamp.format(deadline),
      ...present({ virtualChainRecipient, virtualChainRefundRecipient, customRecipientMsg })
    })
    const swap: SandboxSwap = {
      ...pair,
      kind: "swap",
      sequence,
      id,
      depositAddress: id,
      depositMemo,
      partner,
      request,
      response,
      quoted,
      deadline,
      createdAt: state.now,
      status: "PENDING_DEPOSIT",
      updatedAt: state.now,
      usd: { input: state.model.usd(pair.origin, state.now), output: state.model.usd(pair.destination, state.now) },
      deposited: 0n,
      account: request.refundTo,
      senders: new Set(),
      intentHashes: [],
      originTxHashes: new Set(),
      isClosed: false,
      told: undefined,
      outcome: undefined,
      withdrawals: [],
      collecting: 0
    }
    state.swaps.set(id, swap)
    state.targets.set(id, swap)
    schedule(state, deadline - state.now, () => expire(state, swap))
    return swap
  })

const chainsOf = (state: State, { depositType, swapType }: QuoteRequest, { origin }: Pair): ReadonlyArray<string> =>
  swapType === "ANY_INPUT" && depositType === "INTENTS"
    ? [...new Set(state.settings.assets.map(({ blockchain }) => blockchain))]
    : [origin.blockchain]

const amountsOf = (state: State, pair: Pair, quoted: QuotedAmounts): Quote => {
  const { origin, destination } = pair
  const { amountIn, amountOut } = quoted
  const usd = (asset: SandboxAsset, amount: Amount.Amount) => usdOf(state, asset, amount).toFixed(4)
  return {
    amountIn: String(amountIn),
    amountInFormatted: Amount.format(amountIn, origin.decimals),
    amountInUsd: usd(origin, amountIn),
    minAmountIn: String(quoted.minAmountIn),
    amountOut: String(amountOut),
    amountOutFormatted: Amount.format(amountOut, destination.decimals),
    amountOutUsd: usd(destination, amountOut),
    minAmountOut: String(quoted.minAmountOut),
    timeEstimate: timeEstimateSeconds,
    withdrawFee: String(pair.withdrawFee),
    refundFee: String(pair.refundFee)
  }
}

const signed = (state: State, { request, correlationId }: QuoteAsked, answer: Quote): QuoteResponse => {
  const unsigned = { correlationId, timestamp: Timestamp.format(state.now), quoteRequest: request, quote: answer }
  const bytes = QuoteSignature.signedBytes(unsigned) ?? new Uint8Array()
  return { ...unsigned, signature: Ed25519.format(SigningKey.sign(state.settings.seed, "quotes", bytes)) }
}
