/** Finds the holder of a request's token. A wrong token is answered late, so that guessing costs time and reveals nothing. */
import { Context, Effect, Layer, type Redacted } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { sentenceOf } from "../../domain/Text.ts"
import {
  Commands,
  NeededRole,
  NotPermitted,
  Reads,
  RequestRefused,
  TokenHolder,
  TokenRefused,
  Understood
} from "../api/Access.ts"
import { mayAs, type TokenRole } from "../api/OperatorCommands.ts"
import type { Tokens } from "./Tokens.ts"

const guessMillis = 250

export const layer = ({ holderOf, where }: Tokens) => {
  const refused = new TokenRefused({ message: `A bearer token is required. ${where}` })
  const holder = Effect.fnUntraced(function* (token: Redacted.Redacted) {
    const tokenHolder = yield* holderOf(token).pipe(Effect.mapError(({ message }) => new TokenRefused({ message })))
    return tokenHolder ?? (yield* Effect.andThen(Effect.sleep(guessMillis), refused))
  })
  const permitted = Effect.fnUntraced(function* (token: Redacted.Redacted, needed: TokenRole) {
    const person = yield* holder(token)
    if (mayAs(person.role, needed)) return person
    return yield* new NotPermitted({ message: `A ${person.role}'s token may not do this; it needs the ${needed}'s` })
  })
  return Layer.mergeAll(
    HttpApiMiddleware.layerSchemaErrorTransform(Understood, (error) =>
      // A fault in our own answer is a defect.
      error.kind === "Body" || error.kind === "ResponseHeaders"
        ? Effect.die(error)
        : Effect.fail(new RequestRefused({ message: sentenceOf(error.cause) }))
    ),
    Layer.succeed(Reads, {
      bearer: (handler, { credential }) =>
        Effect.provideServiceEffect(handler, TokenHolder, permitted(credential, "viewer"))
    }),
    Layer.succeed(Commands, {
      bearer: (handler, { credential, endpoint }) =>
        Effect.provideServiceEffect(
          handler,
          TokenHolder,
          permitted(credential, Context.get(endpoint.annotations, NeededRole))
        )
    })
  )
}
