/** Signed intents: the venue generates the payload to sign, and accepts the signed result. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { messageErrorAt } from "../wire/WireError.ts"
import * as Wire from "../wire/WireValue.ts"
import { PartnerKey } from "./Credentials.ts"
import { MessageValidation } from "./RequestValidation.ts"

/** We sign and verify `nep413` only. */
const signingStandards = ["nep413", "erc191", "tip191", "raw_ed25519", "webauthn", "ton_connect", "sep53"] as const

/** As signed: the text of `message`, 32 bytes of nonce in base64, the verifier's account. */
const Nep413Payload = Schema.Struct({
  message: Wire.LongText,
  nonce: Wire.Identifier,
  recipient: Wire.Identifier,
  callbackUrl: Schema.optionalKey(Schema.NullOr(Schema.String))
})

export const SignedData = Schema.Struct({
  standard: Wire.withDefault(Schema.Literals(["nep413"]), "nep413"),
  payload: Nep413Payload,
  /** `ed25519:` and base58, as is the signature. */
  public_key: Wire.Identifier,
  signature: Wire.Identifier
}).annotate({ identifier: "SignedData" })
export type SignedData = typeof SignedData.Type

const GenerateIntentRequest = Schema.Struct({
  type: Schema.Literals(["swap_transfer"]),
  standard: Schema.Literals(signingStandards),
  signerId: Wire.Identifier,
  depositAddress: Wire.Identifier
})

/** The payload is kept unchanged because it is untrusted: we either sign every byte or refuse it. */
export const GenerateIntentResponse = Schema.Struct({
  intent: Schema.Struct({ standard: Wire.openEnum(signingStandards), payload: Schema.Unknown }),
  correlationId: Wire.tolerant(Schema.String)
})

/** Data signed by another standard. It is read only so that the refusal can name it. */
const OtherSignedData = Schema.Struct({
  standard: Schema.Literals(signingStandards.filter((standard) => standard !== "nep413")),
  payload: Schema.Unknown,
  public_key: Schema.optionalKey(Wire.Identifier),
  signature: Wire.Identifier
})

const SubmitIntentRequest = Schema.Struct({
  type: Schema.Literals(["swap_transfer"]),
  signedData: Schema.Union([SignedData, OtherSignedData])
})
export type SubmitIntentRequest = typeof SubmitIntentRequest.Type

export const SubmitIntentResponse = Schema.Struct({
  intentHash: Schema.String,
  correlationId: Wire.tolerant(Schema.String)
})

const error = [400, 403, 404, 429, 500, 503].map(messageErrorAt)

export const IntentsApi = HttpApiGroup.make("intents")
  .add(
    HttpApiEndpoint.post("generate", "/v0/generate-intent", {
      payload: GenerateIntentRequest,
      success: [GenerateIntentResponse, GenerateIntentResponse.pipe(HttpApiSchema.status(201))],
      error
    }),
    HttpApiEndpoint.post("submit", "/v0/submit-intent", {
      payload: SubmitIntentRequest,
      success: [SubmitIntentResponse, SubmitIntentResponse.pipe(HttpApiSchema.status(201))],
      error
    })
  )
  .middleware(MessageValidation)
  .middleware(PartnerKey)
