/**
 * Creates the services that accounts share in this process. Accounts with one venue and one credential queue in one rate budget, within
 * this runner's part of the rate. Accounts that also trust prices in one way share an order book, whose prices are requested once.
 */
import { createHash } from "node:crypto"
import { Effect, Redacted, Scope } from "effect"
import { ChildProcessSpawner } from "effect/process"
import type { BotConfig } from "../../../files/ConfigFile.ts"
import { RateRows } from "../../../journal/postgres/RateRows.ts"
import * as Layers from "../../../Layers.ts"
import type { LoadedAccount } from "../AccountBot.ts"
import * as FleetRate from "./FleetRate.ts"

/** The services end with the scope. `name` is the runner's name. */
export const make = Effect.fn("Shared.make")(function* (name: string) {
  const scope = yield* Effect.scope
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const rates = yield* RateRows
  const budgets = new Map<string, Effect.Effect<Layers.RateBudgetOfAll>>()
  const sharedByKey = new Map<string, Effect.Effect<Layers.Shared, unknown>>()

  const budgetOf = Effect.fnUntraced(function* (config: BotConfig) {
    const credential = credentialOf(config)
    const making = Effect.flatMap(FleetRate.make(name, credential), Layers.rateBudget).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(RateRows, rates)
    )
    const rateBudget = budgets.get(credential) ?? (yield* Effect.cached(making))
    budgets.set(credential, rateBudget)
    return yield* rateBudget
  })

  return Effect.fnUntraced(function* ({ account, config }: LoadedAccount) {
    const key = keyOf(config)
    const making = Effect.flatMap(budgetOf(config), (budget) => Layers.shared(config, account, budget)).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner)
    )
    const sharedValue = sharedByKey.get(key) ?? (yield* Effect.cached(making))
    sharedByKey.set(key, sharedValue)
    // If the creation fails, the next account that needs it creates it again.
    return yield* Effect.tapError(sharedValue, () => Effect.sync(() => sharedByKey.delete(key)))
  })
})

/** Returns a key that is equal for accounts that may share: one venue, one credential, and the same price sources. */
export const keyOf = ({
  priceProgram,
  prices: { agreeMillis, within, withinOf },
  venue: { apiKey, assetSpellings, partnerJwt, quoteKey, url }
}: SharedTerms): string =>
  digestOf([
    ...[url, Redacted.value(apiKey), partnerJwt && Redacted.value(partnerJwt), quoteKey ?? null],
    ...[within, agreeMillis, [...withinOf].sort(), priceProgram ?? null, [...assetSpellings].sort()]
  ])

/** Identifies a venue and a credential without revealing the credential. */
const credentialOf = ({ venue: { apiKey, partnerJwt, url } }: Pick<SharedTerms, "venue">): string =>
  digestOf(["rate", url, Redacted.value(apiKey), partnerJwt && Redacted.value(partnerJwt)])

const digestOf = (terms: ReadonlyArray<unknown>): string =>
  createHash("sha256").update(JSON.stringify(terms)).digest("hex")

interface SharedTerms extends Pick<BotConfig, "priceProgram" | "prices"> {
  readonly venue: Pick<BotConfig["venue"], "apiKey" | "assetSpellings" | "partnerJwt" | "quoteKey" | "url">
}
