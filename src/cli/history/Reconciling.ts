/**
 * The comparison that a running bot makes from time to time. Orders and balances go through the bot's own connection, in its
 * own rate; the history has the rate limit that all processes on this journal share.
 */
import { Effect, Layer } from "effect"
import * as Background from "../../engine/reconciliation/Background.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { Venue } from "../../venue/Venue.ts"
import type * as ConfigFile from "../files/ConfigFile.ts"
import * as PartnerMode from "../swap/PartnerMode.ts"

export interface Reconciling {
  readonly config: ConfigFile.BotConfig
  readonly signerId: string
}

export const forever = Effect.fn("Reconciling.forever")(function* ({ config, signerId }: Reconciling) {
  const venue = yield* Venue
  const { account, markets, reconcileEvery } = config
  const isPrivate = new Set(
    markets.assets.flatMap(({ id, symbol }) =>
      (account.depositTypes.get(id) ?? account.depositType) === "CONFIDENTIAL_INTENTS" ? [symbol] : []
    )
  )
  yield* Effect.gen(function* () {
    const hasHistory = config.venue.partnerJwt !== undefined
    const own = new Set([signerId, ...account.refundTo.values()])
    return yield* Background.every(reconcileEvery, { own, hasHistory, markets, isPrivate })
  }).pipe(
    Effect.provideService(Venue, venue),
    Effect.provide(
      PartnerMode.withHistory(config, signerId).pipe(Layer.provideMerge(Sqlite.layer({ filename: config.journal })))
    )
  )
})
