/** Swaps: quotes and tokens, reports of deposits and the status of an address, and intents to sign and to accept. */
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Amount from "../../domain/Amount.ts"
import { present } from "../../domain/Present.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Caller } from "../../venue/api/Credentials.ts"
import { mostWithdrawals, type WithdrawalsQuery } from "../../venue/api/DepositsApi.ts"
import { factsOf } from "../../venue/VenueConfig.ts"
import { messageError, NextCorrelationId } from "../../venue/wire/WireError.ts"
import type { QuoteResponse } from "../../venue/wire/WireQuote.ts"
import type { SwapStatusResponse } from "../../venue/wire/WireSwap.ts"
import { writeLedgerTxHashes } from "../../venue/wire/WireValue.ts"
import * as HistoryRecord from "../core/HistoryRecord.ts"
import { generate, verify } from "../core/Intents.ts"
import { type SandboxOrder, type SandboxSwap, type State, usdOf } from "../core/State.ts"
import { answerDry } from "../core/swaps/SwapCreation.ts"
import { collects } from "../core/swaps/SwapLife.ts"
import { SandboxApi } from "../SandboxApi.ts"
import type { SandboxAsset } from "../Settings.ts"
import { sandboxForMessages } from "./refusals.ts"
import { destinationTxHashes, ledgerTxHashes } from "./wireHistory.ts"

/** An amount in smallest units, in units of its asset, and in dollars. */
const figures = (state: State, name: string, asset: SandboxAsset, amount: Amount.Amount) => ({
  [name]: String(amount),
  [`${name}Formatted`]: Amount.format(amount, asset.decimals),
  [`${name}Usd`]: usdOf(state, asset, amount).toFixed(4)
})

const withdrawalsOf = (
  state: State,
  { destination, request, withdrawals, withdrawFee }: SandboxSwap,
  { limit = mostWithdrawals, page = 1, sortOrder = "desc", timestampFrom = "" }: WithdrawalsQuery
) => {
  const from = Timestamp.parse(timestampFrom) ?? Number.NEGATIVE_INFINITY
  const since = withdrawals.filter(({ at }) => at >= from)
  const sorted = sortOrder === "asc" ? since : since.toReversed()
  return {
    asset: destination.id,
    recipient: request.recipient,
    affiliateRecipient: request.appFees?.[0]?.recipient ?? "",
    withdrawals: sorted.slice((page - 1) * limit, page * limit).map(({ amountOut, at, hash, status }) => ({
      status,
      amountOut: String(amountOut),
      ...figures(state, "amountOut", destination, amountOut),
      ...figures(state, "withdrawFee", destination, status === "FAILED" ? 0n : withdrawFee),
      timestamp: Timestamp.format(at),
      hash
    }))
  }
}

export const quotes = HttpApiBuilder.group(
  SandboxApi,
  "swaps",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* sandboxForMessages

    return handlers.handleAll({
      quote: Effect.fnUntraced(function* ({ payload: request }) {
        const { partner } = yield* Caller
        const correlationId = yield* yield* NextCorrelationId
        const input = { request, correlationId, ...present({ partner }) }
        if (!request.dry) {
          return (yield* sandbox.change({ tag: "CreateSwap", payload: input })).response
        }
        return yield* sandbox.ask((state) => answerDry(state, input))
      }),
      tokens: () => sandbox.read(tokens)
    })
  })
)

const tokens = (state: State) =>
  state.settings.assets.map((asset) => ({
    assetId: asset.id,
    decimals: asset.decimals,
    blockchain: asset.blockchain,
    symbol: asset.symbol,
    price: state.model.usd(asset, state.now),
    priceUpdatedAt: Timestamp.format(state.now)
  }))

export const deposits = HttpApiBuilder.group(
  SandboxApi,
  "deposits",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* sandboxForMessages
    const report = Effect.fnUntraced(function* (target: SandboxOrder | SandboxSwap) {
      const correlationId = yield* yield* NextCorrelationId
      return yield* sandbox.read((state) => statusOf(state, HistoryRecord.of(target), correlationId))
    })
    const find = Effect.fnUntraced(function* (depositAddress: string, memo: string | undefined) {
      const target = yield* sandbox.read((state) => state.targets.get(depositAddress))
      if (target !== undefined && target.depositMemo === memo) return target
      return yield* messageError(404, `Deposit address ${depositAddress} not found`)
    })

    return handlers.handleAll({
      submit: Effect.fnUntraced(function* ({ payload: { depositAddress, memo, txHash } }) {
        const target = yield* find(depositAddress, memo)
        yield* sandbox.change({ tag: "SubmitDeposit", payload: { depositAddress, txHash } })
        return yield* report(target)
      }),
      withdrawals: Effect.fnUntraced(function* ({ query }) {
        const target = yield* find(query.depositAddress, query.depositMemo)
        if (target.kind === "order" || !collects(target))
          return yield* messageError(404, `${query.depositAddress} does not collect any input`)
        return yield* sandbox.read((state) => withdrawalsOf(state, target, query))
      }),
      status: Effect.fnUntraced(function* ({ query: { depositAddress, depositMemo } }) {
        return yield* report(yield* find(depositAddress, depositMemo))
      })
    })
  })
)

type Line = HistoryRecord.HistoryRecord

/** The status of a deposit address. An order has no quote, so its terms take the quote's place. */
const statusOf = (state: State, line: Line, correlationId: string): SwapStatusResponse => {
  const { target, status } = line
  const isKnown = status === "PENDING_DEPOSIT" && target.originTxHashes.size + target.intentHashes.length > 0
  const isStateOnly = isBare(state, target)
  return {
    correlationId,
    quoteResponse: target.kind === "swap" ? target.response : termsOf(target),
    status: isKnown ? "KNOWN_DEPOSIT_TX" : status,
    updatedAt: Timestamp.format(
      target.kind === "swap" ? target.updatedAt : (target.fills.at(-1)?.at ?? target.createdAt)
    ),
    swapDetails: {
      intentHashes: isStateOnly ? [] : target.intentHashes,
      ...writeLedgerTxHashes(state.settings.ledger, isStateOnly ? [] : ledgerTxHashes(state.settings, line)),
      originChainTxHashes: isStateOnly ? [] : [...target.originTxHashes].map(onChain),
      destinationChainTxHashes: isStateOnly ? [] : destinationTxHashes(line).map(onChain),
      ...(isStateOnly ? {} : amounts(state, line))
    }
  }
}

const isBare = ({ settings }: State, target: Line["target"]): boolean =>
  target.kind === "swap" && target.request.confidentiality === "advanced" && factsOf(settings).advancedStatus === "bare"

const onChain = (hash: string) => ({ hash, explorerUrl: `https://explorer.invalid/${hash}` })

const termsOf = (order: SandboxOrder): QuoteResponse => ({
  timestamp: Timestamp.format(order.createdAt),
  quoteRequest: {
    dry: false,
    swapType: order.side === "SELL" ? "EXACT_INPUT" : "EXACT_OUTPUT",
    originAsset: order.origin.id,
    depositType: order.depositType,
    destinationAsset: order.destination.id,
    amount: String(order.quantity),
    refundTo: order.refundTo,
    refundType: order.refundType,
    recipient: order.recipient,
    recipientType: order.recipientType,
    deadline: Timestamp.format(order.deadline),
    confidentiality: order.confidentiality
  },
  quote: {
    amountIn: String(order.inputAmount),
    amountInFormatted: Amount.format(order.inputAmount, order.origin.decimals),
    amountOut: String(order.outputAmount),
    amountOutFormatted: Amount.format(order.outputAmount, order.destination.decimals),
    minAmountOut: String(order.outputAmount),
    depositAddress: order.depositAddress,
    ...present({ depositMemo: order.depositMemo }),
    deadline: Timestamp.format(order.deadline)
  }
})

const amounts = (state: State, line: Line) => {
  const { target, referral, refundReason } = line
  const { origin, destination, withdrawFee } = target
  const deposited = { ...figures(state, "depositedAmount", origin, target.deposited), ...present({ referral }) }
  if (line.txHashes.length === 0) return deposited
  return {
    ...deposited,
    ...figures(state, "amountIn", origin, line.amountIn),
    ...figures(state, "amountOut", destination, line.amountOut),
    ...figures(state, "refundedAmount", origin, line.refunded),
    ...present({ refundReason }),
    slippage: target.kind === "swap" ? slippagePercent(target.quoted.amountOut, line.amountOut) : 0,
    withdrawFee: String(withdrawFee)
  }
}

/** The shortfall against the quote, in percent to four places; negative if more arrived. */
const slippagePercent = (quoted: Amount.Amount, received: Amount.Amount): number =>
  received === 0n ? 0 : Number(((quoted - received) * 1_000_000n) / quoted) / 10_000

export const intents = HttpApiBuilder.group(
  SandboxApi,
  "intents",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* sandboxForMessages
    let generated = 0
    const traced = <A>(value: A) =>
      Effect.map(Effect.flatten(NextCorrelationId), (correlationId) => ({ ...value, correlationId }))

    return handlers.handleAll({
      generate: Effect.fnUntraced(function* ({ payload: request }) {
        const payload = yield* sandbox.ask((state) => generate(state, request, ++generated))
        return yield* traced({ intent: { standard: "nep413", payload } })
      }),
      submit: Effect.fnUntraced(function* ({ payload: { signedData } }) {
        const { standard } = signedData
        if (standard !== "nep413")
          return yield* messageError(400, `standard ${standard} is not supported here, use nep413`)
        const verified = yield* sandbox.read((state) => verify(state, signedData, "transfer"))
        if (Result.isFailure(verified)) return yield* messageError(400, verified.failure.text)
        if (verified.success.transfers.length === 0) return yield* messageError(400, "the message holds no transfer")
        const payload = { ...verified.success, nonce: signedData.payload.nonce }
        return yield* sandbox.change({ tag: "ExecuteIntent", payload }).pipe(Effect.flatMap(traced))
      })
    })
  })
)
