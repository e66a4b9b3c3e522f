/** The client side of the credential middlewares: each sends its configured credential, if there is one. */
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { OptionalPartner, OrderCredential, PartnerJwt, PartnerKey, UserSession } from "../api/Credentials.ts"
import { VenueConfig } from "../VenueConfig.ts"

export const SessionToken = Context.Reference<Redacted.Redacted | undefined>("limitbot/venue/http/SessionToken", {
  defaultValue: () => undefined
})

type Change = (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest

const unchanged: Change = (request) => request
const withBearer = (token: Redacted.Redacted | undefined): Change =>
  token === undefined ? unchanged : HttpClientRequest.bearerToken(token)
export const withApiKey = (key: Redacted.Redacted | undefined): Change =>
  key === undefined ? unchanged : HttpClientRequest.setHeader("x-api-key", Redacted.value(key))

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { apiKey, partnerJwt } = yield* VenueConfig
    const key = withApiKey(apiKey)
    const partner = partnerJwt === undefined ? key : withBearer(partnerJwt)
    return Layer.mergeAll(
      HttpApiMiddleware.layerClient(PartnerJwt, ({ next, request }) => next(withBearer(partnerJwt)(request))),
      HttpApiMiddleware.layerClient(OrderCredential, ({ next, request }) => next(key(request))),
      HttpApiMiddleware.layerClient(PartnerKey, ({ next, request }) => next(key(request))),
      HttpApiMiddleware.layerClient(OptionalPartner, ({ next, request }) => next(partner(request))),
      HttpApiMiddleware.layerClient(UserSession, ({ next, request }) =>
        Effect.flatMap(SessionToken, (token) => next(withBearer(token)(request)))
      )
    )
  })
)
