/** Swaps: quotes and tokens, reports of deposits and the status of an address, and intents to sign and to accept. */
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Amount from "../../domain/Amount.ts"
import { present } from "../../domain/Present.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Caller } from "../../venue/api/Credentials.ts"
import { mostWithdrawals } from "../../venue/api/DepositsApi.ts"
import { messageError, NextCorrelationId } from "../../venue/wire/WireError.ts"
import * as HistoryRecord from "../core/HistoryRecord.ts"
import { generate, verify } from "../core/Intents.ts"
import { usdOf } from "../core/orders/Pricing.ts"
import type { SandboxOrder, SandboxSwap, State } from "../core/State.ts"
import { collects } from "../core/swaps/Collecting.ts"
import { answerDry } from "../core/swaps/SwapCreation.ts"
import { Sandbox } from "../Sandbox.ts"
import { SandboxApi } from "../SandboxApi.ts"
import { asMessageError } from "./refusals.ts"
import { toWire } from "./wire/wireStatus.ts"

interface Asked {
  readonly timestampFrom?: string
  readonly page?: number
  readonly limit?: number
  readonly sortOrder?: "asc" | "desc"
}

const withdrawalsOf = (
  state: State,
  { destination, request, withdrawals, withdrawFee }: SandboxSwap,
  { limit = mostWithdrawals, page = 1, sortOrder = "desc", timestampFrom = "" }: Asked
) => {
  const from = Timestamp.parse(timestampFrom) ?? Number.NEGATIVE_INFINITY
  const since = withdrawals.filter(({ at }) => at >= from)
  const sorted = sortOrder === "asc" ? since : since.toReversed()
  const of = (name: "amountOut" | "withdrawFee", amount: Amount.Amount) =>
    ({
      [name]: String(amount),
      [`${name}Formatted`]: Amount.format(amount, destination.decimals),
      [`${name}Usd`]: usdOf(state, destination, amount).toFixed(4)
    }) as const
  return {
    asset: destination.id,
    recipient: request.recipient,
    affiliateRecipient: request.appFees?.[0]?.recipient ?? "",
    withdrawals: sorted.slice((page - 1) * limit, page * limit).map(({ amountOut, at, hash, status }) => ({
      status,
      amountOut: String(amountOut),
      ...of("amountOut", amountOut),
      ...of("withdrawFee", status === "FAILED" ? 0n : withdrawFee),
      timestamp: Timestamp.format(at),
      hash
    }))
  }
}

export const quotes = HttpApiBuilder.group(
  SandboxApi,
  "swaps",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* Sandbox

    return handlers.handleAll({
      quote: Effect.fnUntraced(function* ({ payload: request }) {
        const { partner } = yield* Caller
        const correlationId = yield* yield* NextCorrelationId
        const input = { request, correlationId, ...present({ partner }) }
        if (!request.dry) {
          return (yield* sandbox.change({ tag: "CreateSwap", payload: input }).pipe(asMessageError)).response
        }
        return yield* sandbox
          .read((state) => answerDry(state, input))
          .pipe(Effect.flatMap(Effect.fromResult), asMessageError)
      }),
      tokens: () => sandbox.read(tokens).pipe(asMessageError)
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
    const sandbox = yield* Sandbox
    const report = Effect.fnUntraced(function* (target: SandboxOrder | SandboxSwap) {
      const correlationId = yield* yield* NextCorrelationId
      return yield* sandbox.read((state) => toWire(state, HistoryRecord.of(target), correlationId)).pipe(asMessageError)
    })
    const find = Effect.fnUntraced(function* (depositAddress: string, memo: string | undefined) {
      const target = yield* sandbox.read((state) => state.targets.get(depositAddress)).pipe(asMessageError)
      if (target !== undefined && target.depositMemo === memo) return target
      return yield* messageError(404, `Deposit address ${depositAddress} not found`)
    })

    return handlers.handleAll({
      submit: Effect.fnUntraced(function* ({ payload: { depositAddress, memo, txHash } }) {
        const target = yield* find(depositAddress, memo)
        yield* sandbox.change({ tag: "SubmitDeposit", payload: { depositAddress, txHash } }).pipe(asMessageError)
        return yield* report(target)
      }),
      withdrawals: Effect.fnUntraced(function* ({ query }) {
        const target = yield* find(query.depositAddress, query.depositMemo)
        if (target.kind === "order" || !collects(target))
          return yield* messageError(404, `${query.depositAddress} does not collect any input`)
        return yield* sandbox.read((state) => withdrawalsOf(state, target, query)).pipe(asMessageError)
      }),
      status: Effect.fnUntraced(function* ({ query: { depositAddress, depositMemo } }) {
        return yield* report(yield* find(depositAddress, depositMemo))
      })
    })
  })
)

export const intents = HttpApiBuilder.group(
  SandboxApi,
  "intents",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* Sandbox
    let generated = 0
    const traced = <A>(value: A) =>
      Effect.map(Effect.flatten(NextCorrelationId), (correlationId) => ({ ...value, correlationId }))

    return handlers.handleAll({
      generate: Effect.fnUntraced(function* ({ payload: request }) {
        const payload = yield* sandbox
          .read((state) => generate(state, request, ++generated))
          .pipe(Effect.flatMap(Effect.fromResult), asMessageError)
        return yield* traced({ intent: { standard: "nep413", payload } })
      }),
      submit: Effect.fnUntraced(function* ({ payload: { signedData } }) {
        const { standard } = signedData
        if (standard !== "nep413")
          return yield* messageError(400, `standard ${standard} is not supported here, use nep413`)
        const verified = yield* sandbox.read((state) => verify(state, signedData, "transfer")).pipe(asMessageError)
        if (Result.isFailure(verified)) return yield* messageError(400, verified.failure.text)
        if (verified.success.transfers.length === 0) return yield* messageError(400, "the message holds no transfer")
        const payload = { ...verified.success, nonce: signedData.payload.nonce }
        return yield* sandbox.change({ tag: "ExecuteIntent", payload }).pipe(asMessageError, Effect.flatMap(traced))
      })
    })
  })
)
