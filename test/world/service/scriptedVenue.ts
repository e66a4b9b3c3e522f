/** The real `HttpVenue` over an `HttpClient` that answers by script and counts what was sent. */

import bs58 from "bs58"
import { Effect, Layer, Redacted } from "effect"
import { HttpClient, type HttpClientRequest, HttpServerResponse } from "effect/http"
import { Signer } from "../../../src/signing/Signer.ts"
import { History } from "../../../src/venue/History.ts"
import * as HttpVenue from "../../../src/venue/HttpVenue.ts"
import { Session } from "../../../src/venue/http/Session.ts"
import { VenueClient } from "../../../src/venue/http/VenueClient.ts"
import { Swaps } from "../../../src/venue/Swaps.ts"
import { defaultPatience, ownAccount, payerOf, VenueConfig } from "../../../src/venue/VenueConfig.ts"

export const testKey = Redacted.make(`ed25519:${bs58.encode(new Uint8Array(32).fill(7))}`)
export const testAccount = "ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c"

const settings = {
  url: "http://venue",
  ledger: "native",
  verifier: "intents.native",
  apiKey: Redacted.make("the-api-key"),
  partnerJwt: Redacted.make("the-jwt"),
  account: ownAccount(testAccount, "INTENTS"),
  patience: defaultPatience
} satisfies VenueConfig["Service"]
export const config = Layer.succeed(VenueConfig, settings)
export const payer = payerOf(settings)

export type Script = (
  request: HttpClientRequest.HttpClientRequest,
  attempt: number
) => Effect.Effect<HttpServerResponse.HttpServerResponse>

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Effect.succeed(HttpServerResponse.text(JSON.stringify(body), { status, headers, contentType: "application/json" }))

export const text = (body: string, status: number, headers: Record<string, string> = {}) =>
  Effect.succeed(HttpServerResponse.text(body, { status, headers, contentType: "text/html" }))

export const ownSigner = Layer.orDie(Signer.layer(testKey))

export const scripted = (script: Script, given = config, signer: Layer.Layer<Signer> = ownSigner) => {
  const sent: Array<HttpClientRequest.HttpClientRequest> = []
  const client = HttpClient.make((request) => {
    sent.push(request)
    return Effect.map(script(request, sent.length), (response) =>
      HttpServerResponse.toClientResponse(response, { request })
    )
  })
  const layer = Layer.mergeAll(HttpVenue.layer, Swaps.layer, History.layer).pipe(
    Layer.provide(Session.layer),
    Layer.provide(VenueClient.layer),
    Layer.provide(signer),
    Layer.provide(given),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
  )
  return { sent, layer }
}

export const bodyText = (request: HttpClientRequest.HttpClientRequest | undefined): string =>
  request?.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
