/** Quotes and the list of tokens. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { present } from "../../domain/Present.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Caller } from "../../venue/api/Credentials.ts"
import { NextCorrelationId } from "../../venue/wire/WireError.ts"

import type { State } from "../core/State.ts"
import { answerDry } from "../core/swaps/SwapCreation.ts"
import { Sandbox } from "../Sandbox.ts"
import { SandboxApi } from "../SandboxApi.ts"
import { asMessageError } from "./refusals.ts"

export const layer = HttpApiBuilder.group(
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
          const swap = yield* sandbox.change({ tag: "CreateSwap", payload: input }).pipe(asMessageError)
          return swap.response
        }
        return yield* sandbox
          .read((state) => answerDry(state, input))
          .pipe(Effect.flatMap(Effect.fromResult), asMessageError)
      }),
      tokens: Effect.fnUntraced(function* () {
        return yield* sandbox.read(tokens).pipe(asMessageError)
      })
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
