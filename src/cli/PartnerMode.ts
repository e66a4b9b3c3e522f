/**
 * What the commands that work beside a bot run on: swaps, history, reconciliation, balances. The same ports over the same
 * HTTP client as the bot's, but its journal is only read; what they keep has tables of its own in the same database.
 */
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import * as Sqlite from "../journal/Sqlite.ts"
import { SwapJournal } from "../journal/SwapJournal.ts"
import * as Ed25519 from "../venue/Ed25519.ts"
import { History } from "../venue/History.ts"
import * as HttpVenue from "../venue/HttpVenue.ts"
import * as IntentGuard from "../venue/IntentGuard.ts"
import { Session } from "../venue/Session.ts"
import { publicKeyOf, Signer } from "../venue/Signer.ts"
import { Swaps } from "../venue/Swaps.ts"
import { VenueClient } from "../venue/VenueClient.ts"
import { defaultPatience, ownAccount, VenueConfig } from "../venue/VenueConfig.ts"
import type { BotConfig } from "./ConfigFile.ts"
import * as WalletConfig from "./WalletConfig.ts"

/** The account that signs: named, or the implicit one of its key. */
export const signerOf = Effect.fn("PartnerMode.signerOf")(function* ({ account }: BotConfig) {
  const publicKey = yield* publicKeyOf(account.key)
  return account.signerId ?? Ed25519.implicitAccount(publicKey) ?? publicKey
})

const venueConfig = ({ account, venue }: BotConfig, signerId: string) =>
  Layer.succeed(VenueConfig, {
    url: venue.url,
    analyticsUrl: venue.analyticsUrl,
    ledger: venue.ledger,
    verifier: venue.verifier,
    apiKey: venue.apiKey,
    ...(venue.partnerJwt === undefined ? {} : { partnerJwt: venue.partnerJwt }),
    ...(venue.quoteKey === undefined ? {} : { quoteKey: venue.quoteKey }),
    account: ownAccount(signerId, account.depositType === "ORIGIN_CHAIN" ? "INTENTS" : account.depositType),
    patience: defaultPatience
  })

/** Everything that the venue offers a partner. */
export const venue = (config: BotConfig, signerId: string) =>
  Layer.mergeAll(
    Layer.mergeAll(HttpVenue.layer, Swaps.layer, History.layer).pipe(
      Layer.provide(Session.layer),
      Layer.provide(VenueClient.layer),
      Layer.provide(NodeHttpClient.layerUndici)
    ),
    IntentGuard.layer
  ).pipe(Layer.provide(Signer.layer(config.account.key)), Layer.provide(venueConfig(config, signerId)))

/** To make swaps and to go on with them. */
export const swapping = (config: BotConfig, signerId: string) =>
  Layer.mergeAll(
    venue(config, signerId),
    WalletConfig.layer(config.account.wallet, config.venue.url),
    SwapJournal.layer.pipe(Layer.provide(Sqlite.layer({ filename: config.journal })))
  )
