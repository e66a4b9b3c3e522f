/** Reads the venue for `limitbot init`, through the bot's port: tokens, the present price of a market, and a sandbox's keys. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Option, type Redacted, Result } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { type Asset, fromDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, type Price } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import * as Quotes from "../../orderbook/Quotes.ts"
import { ConnectionResponse } from "../../sandbox/SandboxApi.ts"
import { Signer } from "../../signing/Signer.ts"
import * as HttpVenue from "../../venue/HttpVenue.ts"
import { Session } from "../../venue/http/Session.ts"
import { VenueClient } from "../../venue/http/VenueClient.ts"
import type { VenueFacts } from "../../venue/profile/Facts.ts"
import { Venue } from "../../venue/Venue.ts"
import { ownAccount, VenueConfig } from "../../venue/VenueConfig.ts"
import type { LedgerName } from "../../venue/wire/WireValue.ts"

const patience = { attemptMillis: 5_000, readMillis: 8_000, writeMillis: 8_000 }
const sizeUsd = 100

export interface Asker {
  readonly url: string
  readonly ledger: LedgerName
  readonly signerId: string
  readonly apiKey?: Redacted.Redacted | undefined
  readonly facts?: VenueFacts
}

const venueFor = ({ apiKey, facts, ledger, signerId, url }: Asker) =>
  HttpVenue.layer.pipe(
    Layer.provide(Session.layer),
    Layer.provide(VenueClient.layer),
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.provide(Signer.layerRefusing),
    Layer.provide(
      Layer.succeed(VenueConfig, {
        url,
        ledger,
        verifier: `intents.${ledger}`,
        account: ownAccount(signerId, "INTENTS"),
        patience,
        ...present({ apiKey, facts })
      })
    )
  )

const nobody = { ledger: "native", signerId: "nobody" } as const

export const tokens = (url: string) =>
  Venue.use((venue) => venue.tokens).pipe(Effect.provide(venueFor({ url, ...nobody })))

/** Returns the connection of a sandbox; `undefined` for a real service, which has no such page. */
export const sandboxAt = (url: string) =>
  HttpClient.execute(HttpClientRequest.get(`${url}/sandbox/connection`)).pipe(
    Effect.flatMap(HttpClientResponse.schemaBodyJson(ConnectionResponse)),
    Effect.timeout(patience.attemptMillis),
    Effect.map((connection) => ({ url, ...connection })),
    Effect.option,
    Effect.map(Option.getOrUndefined),
    Effect.provide(NodeHttpClient.layerUndici)
  )

/** In a fast market the second quote may cross the first one; then both are requested again. */
const crossedTries = 5

/** Returns the present mid of a market, or the indicative price of the token list; `undefined` if the venue gives neither. */
export const price = (asker: Asker, market: Market): Effect.Effect<Price | undefined> =>
  Effect.gen(function* () {
    const venueTokens = yield* Venue.use((venue) => venue.tokens).pipe(Effect.orElseSucceed(() => []))
    const usdOf = ({ id }: Asset) => venueTokens.find(({ assetId }) => assetId === id)?.priceUsd ?? 0
    const [base, quote] = [usdOf(market.base), usdOf(market.quote)]
    const size = fromDecimal(Decimal.fromNumber(sizeUsd / (quote > 0 ? quote : 1), 2), market.quote.decimals)
    const sizes = { base: 0n, quote: size ?? Decimal.powerOfTen(market.quote.decimals) }
    for (let attempt = 0; attempt < crossedTries; attempt++) {
      const observation = yield* Effect.result(Quotes.observe(market, sizes))
      if (Result.isFailure(observation)) break
      if (observation.success !== undefined) return mid(observation.success.price)
    }
    return base > 0 && quote > 0 ? Decimal.fromNumber(base / quote, 8) : undefined
  }).pipe(
    Effect.orElseSucceed(() => undefined),
    Effect.provide(venueFor(asker))
  )
