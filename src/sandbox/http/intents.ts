/** Signed intents: what to sign, and accepting the signed result. */
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { messageError, NextCorrelationId } from "../../venue/wire/WireError.ts"
import { generate, verify } from "../core/Intents.ts"
import { Sandbox } from "../Sandbox.ts"
import { SandboxApi } from "../SandboxApi.ts"
import { asMessageError } from "./refusals.ts"

export const layer = HttpApiBuilder.group(
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
