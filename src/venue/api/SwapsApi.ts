/** Swaps: the quote, and the list of tokens that can be swapped. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { messageErrorAt } from "../wire/WireError.ts"
import { QuoteRequest, QuoteResponse } from "../wire/WireQuote.ts"
import { tolerant } from "../wire/WireValue.ts"
import { OptionalPartner } from "./Credentials.ts"
import { MessageValidation } from "./RequestValidation.ts"

export const WireToken = Schema.Struct({
  assetId: Schema.String,
  decimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })),
  blockchain: Schema.String,
  symbol: Schema.String,
  /** USD. */
  price: tolerant(Schema.Finite),
  priceUpdatedAt: tolerant(Schema.String),
  contractAddress: tolerant(Schema.String),
  coingeckoId: tolerant(Schema.String)
})

export const TokensResponse = Schema.Array(WireToken)
/** The list as it is received: an odd token must not hide the others. */
export const TokensReply = Schema.Array(Schema.Unknown)
export const tokenIn = Schema.decodeUnknownOption(WireToken)

const overloaded = [429, 500, 503].map(messageErrorAt)

export const SwapsApi = HttpApiGroup.make("swaps").add(
  HttpApiEndpoint.post("quote", "/v0/quote", {
    payload: QuoteRequest,
    success: [QuoteResponse, QuoteResponse.pipe(HttpApiSchema.status(201))],
    error: [...[400, 403, 404].map(messageErrorAt), ...overloaded]
  })
    .middleware(MessageValidation)
    .middleware(OptionalPartner),
  HttpApiEndpoint.get("tokens", "/v0/tokens", { success: TokensResponse, error: overloaded })
)
