/** Deposits: reporting a transaction, and the status of an address. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { messageError, NextCorrelationId } from "../../venue/wire/WireError.ts"
import * as HistoryRecord from "../core/HistoryRecord.ts"
import type { SandboxOrder, SandboxSwap } from "../core/State.ts"
import { collects } from "../core/swaps/Collecting.ts"
import { Sandbox } from "../Sandbox.ts"
import { SandboxApi } from "../SandboxApi.ts"
import { asMessageError } from "./refusals.ts"
import { toWire } from "./wire/wireStatus.ts"
import { withdrawalsOf } from "./wire/wireWithdrawals.ts"

export const layer = HttpApiBuilder.group(
  SandboxApi,
  "deposits",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* Sandbox
    const present = Effect.fnUntraced(function* (target: SandboxOrder | SandboxSwap) {
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
        return yield* present(target)
      }),
      withdrawals: Effect.fnUntraced(function* ({ query }) {
        const target = yield* find(query.depositAddress, query.depositMemo)
        if (target.kind === "order" || !collects(target))
          return yield* messageError(404, `${query.depositAddress} does not collect any input`)
        return yield* sandbox.read((state) => withdrawalsOf(state, target, query)).pipe(asMessageError)
      }),
      status: Effect.fnUntraced(function* ({ query: { depositAddress, depositMemo } }) {
        return yield* present(yield* find(depositAddress, depositMemo))
      })
    })
  })
)
