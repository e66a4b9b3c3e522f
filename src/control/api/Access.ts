/**
 * Who may do what: a viewer looks, an operator also commands. The tokens are bearer tokens in a header, never in a
 * cookie or a URL, so no other page in a browser can send them. A request that does not fit the contract is told why.
 * Each middleware is only declared here; the server implements it.
 */
import { Context, Schema } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"

export type TokenRole = "viewer" | "operator"

/** Who is asking, as the server found out. */
export class TokenHolder extends Context.Service<TokenHolder, { readonly role: TokenRole }>()(
  "limitbot/control/api/TokenHolder"
) {}

export class TokenRefused extends Schema.TaggedError<TokenRefused>()(
  "TokenRefused",
  { message: Schema.String },
  { httpApiStatus: 401 }
) {}

export class OperatorOnly extends Schema.TaggedError<OperatorOnly>()(
  "OperatorOnly",
  { message: Schema.String },
  { httpApiStatus: 403 }
) {}

/** The request does not fit the contract. */
export class RequestRefused extends Schema.TaggedError<RequestRefused>()(
  "RequestRefused",
  { message: Schema.String },
  { httpApiStatus: 400 }
) {}

/** Says what in a request does not fit. */
export class Understood extends HttpApiMiddleware.Service<Understood>()("limitbot/control/api/Understood", {
  error: [RequestRefused]
}) {}

const bearer = HttpApiSecurity.bearer

/** Either token. */
export class Reads extends HttpApiMiddleware.Service<Reads, { provides: TokenHolder }>()("limitbot/control/api/Reads", {
  requiredForClient: true,
  error: [TokenRefused],
  security: { bearer }
}) {}

/** The operator's token only. */
export class Commands extends HttpApiMiddleware.Service<Commands, { provides: TokenHolder }>()(
  "limitbot/control/api/Commands",
  { requiredForClient: true, error: [TokenRefused, OperatorOnly], security: { bearer } }
) {}
