/** Whose token a request carries. A wrong one is answered late, so that guessing costs time and reveals nothing. */
import { Effect, Layer, type Redacted } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { sentenceOf } from "../../domain/Text.ts"
import {
  Commands,
  OperatorOnly,
  Reads,
  RequestRefused,
  TokenHolder,
  TokenRefused,
  type TokenRole,
  Understood
} from "../api/Access.ts"
import type { Tokens } from "./Tokens.ts"

const guessMillis = 250

export const layer = ({ roleOf, where }: Tokens) => {
  const refused = new TokenRefused({ message: `A bearer token is required. ${where}` })
  const roleFor = ({
    credential
  }: {
    readonly credential: Redacted.Redacted
  }): Effect.Effect<TokenRole, TokenRefused> => {
    const role = roleOf(credential)
    return role === undefined ? Effect.andThen(Effect.sleep(guessMillis), refused) : Effect.succeed(role)
  }
  const operatorOnly = (role: TokenRole) =>
    role === "operator"
      ? Effect.succeed({ role })
      : Effect.fail(new OperatorOnly({ message: "The viewer's token only looks; commands need the operator's" }))
  return Layer.mergeAll(
    HttpApiMiddleware.layerSchemaErrorTransform(Understood, (error) =>
      // A fault in our own answer is a defect.
      error.kind === "Body" || error.kind === "ResponseHeaders"
        ? Effect.die(error)
        : Effect.fail(new RequestRefused({ message: sentenceOf(error.cause) }))
    ),
    Layer.succeed(Reads, {
      bearer: (handler, sent) =>
        Effect.provideServiceEffect(
          handler,
          TokenHolder,
          Effect.map(roleFor(sent), (role) => ({ role }))
        )
    }),
    Layer.succeed(Commands, {
      bearer: (handler, sent) =>
        Effect.provideServiceEffect(handler, TokenHolder, Effect.flatMap(roleFor(sent), operatorOnly))
    })
  )
}
