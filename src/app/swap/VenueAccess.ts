/** Builds the layers of commands that work beside a bot. Only swaps write into the journal, and only while no bot runs. */
import { Effect, Layer } from "effect"
import { defaults, EngineSettings, type Settings } from "../../engine/EngineSettings.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as WalletConfig from "../../files/sections/WalletConfig.ts"
import { HistoryStore } from "../../journal/HistoryStore.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import * as Layers from "../../Layers.ts"
import * as Canary from "../../venue/canary/Canary.ts"
import { History } from "../../venue/History.ts"
import * as HttpVenue from "../../venue/HttpVenue.ts"
import { Session } from "../../venue/http/Session.ts"
import { VenueClient } from "../../venue/http/VenueClient.ts"
import { Swaps } from "../../venue/Swaps.ts"
import { ownAccount, payerOf, VenueConfig } from "../../venue/VenueConfig.ts"
import * as SharedRateLimiter from "./SharedRateLimiter.ts"

export const signerOf = ({ account }: ConfigFile.BotConfig) => Layers.signerOf(account)

/** Swaps name the places of their money. Sessions and intents belong to the account that signs. */
const settingsOf = (config: ConfigFile.BotConfig, signerId: string) => {
  const { depositType } = config.account
  return Layers.venueSettings(config, ownAccount(signerId, depositType === "ORIGIN_CHAIN" ? "INTENTS" : depositType))
}

const venueWith = <E, R, EG, RG, ES, RS>(
  history: Layer.Layer<History, E, R>,
  config: ConfigFile.BotConfig,
  signerId: string,
  { guard, http, signer }: Layers.Outside<EG, RG, ES, RS>
) => {
  const settings = settingsOf(config, signerId)
  return Layer.mergeAll(
    Layer.mergeAll(HttpVenue.layer, Swaps.layer, Layer.provideMerge(Canary.layer, history)).pipe(
      Layer.provide(Session.layer),
      Layer.provide(VenueClient.layer),
      Layer.provide(http)
    ),
    guard(payerOf(settings))
  ).pipe(Layer.provide(signer), Layer.provide(Layer.succeed(VenueConfig, settings)))
}

export const venue = (config: ConfigFile.BotConfig, signerId: string) =>
  venueWith(History.layer, config, signerId, Layers.connected(config))

export const look = Effect.fn("VenueAccess.look")(function* <A, E, R>(
  file: string,
  asked: (config: ConfigFile.BotConfig, signerId: string) => Effect.Effect<A, E, R>
) {
  const config = yield* ConfigFile.load(file)
  const signerId = yield* signerOf(config)
  return { config, signerId, found: yield* Effect.provide(asked(config, signerId), venue(config, signerId)) }
})

export const besideJournal = (config: ConfigFile.BotConfig, signerId: string) =>
  Layer.provide(withHistory(config, signerId), Sqlite.layer({ filename: config.journal }))

/** Adds the store of past transactions, through which processes share their rate limit. */
export const withHistory = (config: ConfigFile.BotConfig, signerId: string) =>
  withHistoryBy(config, signerId, Layers.connected(config))

export const withHistoryBy = <EG, RG, ES, RS>(
  config: ConfigFile.BotConfig,
  signerId: string,
  outside: Layers.Outside<EG, RG, ES, RS>
) =>
  venueWith(History.layerSharing.pipe(Layer.provide(SharedRateLimiter.layer)), config, signerId, outside).pipe(
    Layer.provideMerge(HistoryStore.layer)
  )

export const swapping = (config: ConfigFile.BotConfig, signerId: string, pid: number) =>
  Layer.mergeAll(
    Layer.provideMerge(Layers.incidents(config), venue(config, signerId)),
    WalletConfig.layer(config.account.wallet, config.venue.url),
    Layer.succeed(EngineSettings, settings(config, signerId)),
    Layers.books(config.journal, pid)
  )

const settings = ({ account: { depositType } }: ConfigFile.BotConfig, signerId: string): Settings => ({
  ...defaults,
  account: { signerId, depositType, maxAppFeeBasisPoints: 0 }
})
