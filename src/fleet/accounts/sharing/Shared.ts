/**
 * Creates the services that accounts share in this process. Accounts with one venue and one credential queue in one rate budget, within
 * this runner's part of the rate. Accounts that also trust prices in the same way, and use no symbol for different assets, share an order book,
 * whose prices are requested once.
 */
import { createHash } from "node:crypto"
import { Effect, Redacted, Scope } from "effect"
import { ChildProcessSpawner } from "effect/process"
import type { Asset } from "../../../domain/Amount.ts"
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
  const groupOf = makeGroups()
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
    const key = groupOf(keyOf(config), config.markets.assets)
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

/**
 * Divides the accounts of one key into groups, because accounts may use one symbol for different assets, and an order
 * book keeps prices and depth by the market's name. In a group each symbol has one id and one number of decimals.
 * Returns the key of the account's group.
 */
export const makeGroups = () => {
  const groupsByKey = new Map<string, Array<ReadonlyMap<string, string>>>()
  return (key: string, assets: ReadonlyArray<Asset>): string => {
    const own = assets.map(({ decimals, id, symbol }) => [symbol, `${decimals} ${id}`] as const)
    const groups = groupsByKey.get(key) ?? []
    const fitting = groups.findIndex((group) => own.every(([symbol, asset]) => (group.get(symbol) ?? asset) === asset))
    const index = fitting < 0 ? groups.length : fitting
    groups[index] = new Map([...(groups[index] ?? []), ...own])
    groupsByKey.set(key, groups)
    return `${key} ${index}`
  }
}

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
