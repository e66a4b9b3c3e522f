/** Whose token a request carries. A wrong one is answered late, so that guessing costs time and reveals nothing. */
import { Effect, Layer, type Redacted } from "effect"
import { Commands, OperatorOnly, Reads, TokenHolder, TokenRefused, type TokenRole } from "../api/Access.ts"
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
