/**
 * The comparison that a running bot makes from time to time. Orders and balances go through the bot's own connection, in its
 * own rate; the history has the rate limit that all processes on this journal share.
 */
import { Effect, Layer } from "effect"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import * as Background from "../../engine/reconciliation/Background.ts"
import type * as ConfigFile from "../../files/ConfigFile.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { Venue } from "../../venue/Venue.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"

type Asked = Layer.Success<ReturnType<typeof VenueAccess.withHistory>>

interface Compared {
  readonly config: ConfigFile.BotConfig
  readonly signerId: string
}

export interface Reconciling extends Compared {
  readonly witnesses: Layer.Layer<Asked, unknown>
}

export const live = (config: ConfigFile.BotConfig, signerId: string): Reconciling => ({
  config,
  signerId,
  witnesses: VenueAccess.withHistory(config, signerId).pipe(Layer.provide(Sqlite.layer({ filename: config.journal })))
})

export const forever = Effect.fn("Reconciling.forever")(function* ({ witnesses, ...compared }: Reconciling) {
  const venue = yield* Venue
  const { partnerJwt } = compared.config.venue
  const turns = Background.every(compared.config.reconcileEvery)
  return yield* comparing(compared, turns, partnerJwt !== undefined).pipe(
    Effect.provideService(Venue, venue),
    Effect.provide(witnesses)
  )
})

export const comparing = ({ config, signerId }: Compared, turns: Background.Turns, hasHistory: boolean) => {
  const { account, markets } = config
  const isPrivate = new Set(
    markets.assets.flatMap((asset) => (depositTypeOf(account, asset) === "CONFIDENTIAL_INTENTS" ? [asset.symbol] : []))
  )
  const own = new Set([signerId, ...account.refundTo.values()])
  return Background.forever(turns, { own, hasHistory, markets, isPrivate })
}
