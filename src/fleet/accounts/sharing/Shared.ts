/**
 * What accounts share in this process, made when the first of them needs it. Those of one venue and credential wait for their turns in one
 * rate budget, by this runner's part of the credential's rate. Those that also trust prices in the same way have one order book, for which
 * prices are asked once for all, and one list of their orders.
 */
import { createHash } from "node:crypto"
import { Effect, Redacted, Scope } from "effect"
import { ChildProcessSpawner } from "effect/process"
import type { BotConfig } from "../../../files/ConfigFile.ts"
import { RateRows } from "../../../journal/postgres/RateRows.ts"
import * as Layers from "../../../Layers.ts"
import type { LoadedAccount } from "../AccountBot.ts"
import * as FleetRate from "./FleetRate.ts"

/** They end with the scope. `name` is the runner's. */
export const make = Effect.fn("Shared.make")(function* (name: string) {
  const scope = yield* Effect.scope
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const rates = yield* RateRows
  const budgets = new Map<string, Effect.Effect<Layers.RateBudgetOfAll>>()
  const known = new Map<string, Effect.Effect<Layers.Shared, unknown>>()

  const budgetOf = Effect.fnUntraced(function* (config: BotConfig) {
    const credential = credentialOf(config)
    const making = Effect.flatMap(FleetRate.make(name, credential), Layers.rateBudget).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(RateRows, rates)
    )
    const made = budgets.get(credential) ?? (yield* Effect.cached(making))
    budgets.set(credential, made)
    return yield* made
  })

  return Effect.fnUntraced(function* ({ account, config }: LoadedAccount) {
    const key = keyOf(config)
    const making = Effect.flatMap(budgetOf(config), (budget) => Layers.shared(config, account, budget)).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner)
    )
    const made = known.get(key) ?? (yield* Effect.cached(making))
    known.set(key, made)
    // One that could not be made is made anew by whoever needs it next.
    return yield* Effect.tapError(made, () => Effect.sync(() => known.delete(key)))
  })
})

/** The same for accounts that may share: asked of one venue by one credential, and prices trusted by the same witnesses. */
export const keyOf = ({
  priceProgram,
  prices: { lastsMillis, within, withinOf },
  venue: { apiKey, assetSpellings, partnerJwt, quoteKey, url }
}: SharedTerms): string =>
  createHash("sha256")
    .update(
      JSON.stringify([
        ...[url, Redacted.value(apiKey), partnerJwt && Redacted.value(partnerJwt), quoteKey ?? null],
        ...[within, lastsMillis, [...withinOf].sort(), priceProgram ?? null, [...assetSpellings].sort()]
      ])
    )
    .digest("hex")

/** Names a venue and a credential without telling it. */
const credentialOf = ({ venue: { apiKey, partnerJwt, url } }: Pick<SharedTerms, "venue">): string =>
  createHash("sha256")
    .update(JSON.stringify(["rate", url, Redacted.value(apiKey), partnerJwt && Redacted.value(partnerJwt)]))
    .digest("hex")

interface SharedTerms extends Pick<BotConfig, "priceProgram" | "prices"> {
  readonly venue: Pick<BotConfig["venue"], "apiKey" | "assetSpellings" | "partnerJwt" | "quoteKey" | "url">
}
