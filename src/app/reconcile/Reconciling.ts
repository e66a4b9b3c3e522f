/**
 * The comparison that a running bot makes from time to time. Orders and balances go through the bot's own connection, in its
 * own rate; the history has the rate limit that all processes on this journal share.
 */
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import * as Background from "../../engine/reconciliation/Background.ts"
import type * as ConfigFile from "../../files/ConfigFile.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { Venue } from "../../venue/Venue.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"

type Asked = Layer.Success<ReturnType<typeof VenueAccess.withHistory>> | SqlClient.SqlClient

export interface Reconciling {
  readonly config: ConfigFile.BotConfig
  readonly signerId: string
  /** The witnesses beside the bot's own connection. */
  readonly witnesses: Layer.Layer<Asked, unknown>
}

/** By a connection of its own to the venue and to the journal. */
export const live = (config: ConfigFile.BotConfig, signerId: string): Reconciling => ({
  config,
  signerId,
  witnesses: VenueAccess.withHistory(config, signerId).pipe(
    Layer.provideMerge(Sqlite.layer({ filename: config.journal }))
  )
})

export const forever = Effect.fn("Reconciling.forever")(function* ({ config, signerId, witnesses }: Reconciling) {
  const venue = yield* Venue
  const { account, markets, reconcileEvery } = config
  const isPrivate = new Set(
    markets.assets.flatMap((asset) => (depositTypeOf(account, asset) === "CONFIDENTIAL_INTENTS" ? [asset.symbol] : []))
  )
  return yield* Effect.gen(function* () {
    const hasHistory = config.venue.partnerJwt !== undefined
    const own = new Set([signerId, ...account.refundTo.values()])
    return yield* Background.every(reconcileEvery, { own, hasHistory, markets, isPrivate })
  }).pipe(Effect.provideService(Venue, venue), Effect.provide(witnesses))
})
