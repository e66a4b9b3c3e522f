/** The three credentials of the interface as middlewares of the contract. The server decides who is calling and provides `Caller`. */
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { historyErrorAt, messageErrorAt, orderErrorAt } from "../wire/WireError.ts"

/** The caller: a partner by its API key or JWT, an end user by the session token, or neither if the endpoint allows anonymous callers. */
export class Caller extends Context.Service<
  Caller,
  {
    readonly partner?: string
    readonly account?: string
  }
>()("limitbot/venue/api/Caller") {}

const apiKey = HttpApiSecurity.apiKey({ key: "X-API-Key", in: "header" })
const bearer = HttpApiSecurity.bearer

export class OrderCredential extends HttpApiMiddleware.Service<OrderCredential, { provides: Caller }>()(
  "limitbot/venue/api/OrderCredential",
  { requiredForClient: true, error: [orderErrorAt(401)], security: { apiKey, session: bearer } }
) {}

/** Intents, deposits and status: the partner's API key. Public clients send only the partner's JWT, which also names the partner. */
export class PartnerKey extends HttpApiMiddleware.Service<PartnerKey, { provides: Caller }>()(
  "limitbot/venue/api/PartnerKey",
  { requiredForClient: true, error: [messageErrorAt(401)], security: { apiKey, jwt: bearer } }
) {}

/** Quotes: a partner JWT (or API key) is optional and waives the platform fee. */
export class OptionalPartner extends HttpApiMiddleware.Service<OptionalPartner, { provides: Caller }>()(
  "limitbot/venue/api/OptionalPartner",
  { requiredForClient: true, error: [messageErrorAt(401)], security: { jwt: bearer, apiKey } }
) {}

/** History: the partner JWT, which also names the partner for the rate limit. */
export class PartnerJwt extends HttpApiMiddleware.Service<PartnerJwt, { provides: Caller }>()(
  "limitbot/venue/api/PartnerJwt",
  { requiredForClient: true, error: [historyErrorAt(401)], security: { jwt: bearer } }
) {}

export class UserSession extends HttpApiMiddleware.Service<UserSession, { provides: Caller }>()(
  "limitbot/venue/api/UserSession",
  { requiredForClient: true, error: [messageErrorAt(401)], security: { session: bearer } }
) {}
