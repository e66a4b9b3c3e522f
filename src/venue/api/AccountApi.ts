/** End users: a session for a signed message, its renewal, and private balances. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { messageErrorAt } from "../wire/WireError.ts"
import * as Wire from "../wire/WireValue.ts"
import { UserSession } from "./Credentials.ts"
import { SignedData } from "./IntentsApi.ts"
import { MessageValidation } from "./RequestValidation.ts"

export const AuthenticateResponse = Schema.Struct({
  accessToken: Schema.String,
  refreshToken: Schema.String,
  expiresIn: Schema.Finite,
  refreshExpiresIn: Schema.Finite
})

export const BalancesResponse = Schema.Struct({
  balances: Schema.Array(
    Schema.Struct({
      tokenId: Schema.String,
      available: Schema.String,
      source: Wire.informal(Wire.openEnum(["private"]))
    })
  )
})

const overloaded = [429, 500, 503].map(messageErrorAt)

export const RefreshResponse = Schema.Struct({ accessToken: Schema.String, expiresIn: Schema.Finite })

export const AccountApi = HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.post("authenticate", "/v0/auth/authenticate", {
      payload: Schema.Struct({ signedData: SignedData }),
      success: [AuthenticateResponse, AuthenticateResponse.pipe(HttpApiSchema.status(201))],
      error: [...[400, 401, 403].map(messageErrorAt), ...overloaded]
    }),
    HttpApiEndpoint.post("refresh", "/v0/auth/refresh", {
      payload: Schema.Struct({ refreshToken: Wire.LongText }),
      success: [RefreshResponse, RefreshResponse.pipe(HttpApiSchema.status(201))],
      error: [...[400, 401].map(messageErrorAt), ...overloaded]
    }),
    HttpApiEndpoint.get("balances", "/v0/account/balances", {
      /** Default: all balances that are not zero. */
      query: { tokenIds: Schema.optionalKey(Schema.Array(Schema.String)) },
      success: BalancesResponse,
      error: [messageErrorAt(403), ...overloaded]
    }).middleware(UserSession)
  )
  .middleware(MessageValidation)
