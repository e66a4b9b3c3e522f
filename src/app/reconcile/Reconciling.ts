/** Compares the witnesses while a bot runs, within its rate limit. All processes on the journal share that of the history. */
import { Effect, type Layer } from "effect"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import * as Background from "../../engine/reconciliation/Background.ts"
import type { SeenHome } from "../../engine/reconciliation/BalanceComparison.ts"
import type * as ConfigFile from "../../files/ConfigFile.ts"
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
  witnesses: VenueAccess.besideJournal(config, signerId)
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

/** Returns the balances that can be compared, and the assets whose money is there: public ones only if all money is public. */
export const seenIn = ({ account, markets: { assets }, venue }: ConfigFile.BotConfig) => {
  const at = (home: SeenHome) => assets.filter((asset) => depositTypeOf(account, asset) === home)
  const isPublic = venue.facts.saltFrom !== undefined && at("INTENTS").length === assets.length
  const home = isPublic ? "INTENTS" : "CONFIDENTIAL_INTENTS"
  return { home, isSeen: new Set(at(home).map(({ symbol }) => symbol)) } as const
}

export const comparing = ({ config, signerId }: Compared, turns: Background.Turns, hasHistory: boolean) => {
  const { account, markets } = config
  const own = new Set([signerId, ...account.refundTo.values()])
  return Background.forever(turns, { own, hasHistory, markets, ...seenIn(config) })
}
