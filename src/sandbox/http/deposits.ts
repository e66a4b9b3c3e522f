/** Deposits of swaps: word of a transaction, and the status of an address. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { messageError, NextCorrelationId } from "../../venue/WireError.ts"
import type { Swap } from "../core/State.ts"
import { Sandbox } from "../Sandbox.ts"
import { SandboxApi } from "../SandboxApi.ts"
import { asMessageError } from "./refusals.ts"
import { toWire } from "./wireSwap.ts"

export const layer = HttpApiBuilder.group(
  SandboxApi,
  "deposits",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* Sandbox
    const present = Effect.fnUntraced(function* (swap: Swap) {
      const correlationId = yield* yield* NextCorrelationId
      return yield* sandbox.look((state) => toWire(state, swap, correlationId)).pipe(asMessageError)
    })
    /** A swap with a memo is found by both only. */
    const find = Effect.fnUntraced(function* (depositAddress: string, memo: string | undefined) {
      const swap = yield* sandbox.look((state) => state.swaps.get(depositAddress)).pipe(asMessageError)
      if (swap?.depositMemo === memo && swap !== undefined) return swap
      return yield* messageError(404, `Deposit address ${depositAddress} not found`)
    })

    return handlers.handleAll({
      submit: Effect.fnUntraced(function* ({ payload: { depositAddress, memo, txHash } }) {
        const swap = yield* find(depositAddress, memo)
        yield* sandbox.change({ tag: "SubmitDeposit", payload: { depositAddress, txHash } }).pipe(asMessageError)
        return yield* present(swap)
      }),
      status: Effect.fnUntraced(function* ({ query: { depositAddress, depositMemo } }) {
        return yield* present(yield* find(depositAddress, depositMemo))
      })
    })
  })
)
