/** Declares access by bearer tokens: in a header, never in a cookie or a URL, so that no other page in a browser can send them. */
import { Context, type Effect, Schema } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { TokenRole } from "./OperatorCommands.ts"

export interface Speaker {
  readonly role: TokenRole
  readonly name: string
  /** SHA-256 of the token, in hexadecimal digits. Everything made with the token, such as a phone's subscription, ends with it. */
  readonly digest: string
  /** Completes when the token is no longer valid; never completes if only a restart changes it. */
  readonly left: Effect.Effect<void>
}

export class TokenHolder extends Context.Service<TokenHolder, Speaker>()("limitbot/control/api/TokenHolder") {}

export const NeededRole = Context.Reference<TokenRole>("limitbot/control/api/NeededRole", {
  defaultValue: () => "operator"
})

const message = { message: Schema.String }
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", message, { httpApiStatus: 401 }) {}
export class NotPermitted extends Schema.TaggedError<NotPermitted>()("NotPermitted", message, { httpApiStatus: 403 }) {}
export class RequestRefused extends Schema.TaggedError<RequestRefused>()("RequestRefused", message, {
  httpApiStatus: 400
}) {}

export class Understood extends HttpApiMiddleware.Service<Understood>()("limitbot/control/api/Understood", {
  error: [RequestRefused]
}) {}

const bearer = HttpApiSecurity.bearer

export class Reads extends HttpApiMiddleware.Service<Reads, { provides: TokenHolder }>()("limitbot/control/api/Reads", {
  requiredForClient: true,
  error: [TokenRefused, NotPermitted],
  security: { bearer }
}) {}

/** Requires a token with the role that the endpoint needs (`NeededRole`). */
export class Commands extends HttpApiMiddleware.Service<Commands, { provides: TokenHolder }>()(
  "limitbot/control/api/Commands",
  { requiredForClient: true, error: [TokenRefused, NotPermitted], security: { bearer } }
) {}
