/**
 * What accounts of one venue, credential and way of trusting prices share in this process, made when the first of them needs it: prices are
 * asked once for all, so is the list of their orders, and all requests wait for their turns in one rate budget.
 */
import { createHash } from "node:crypto"
import { Effect, Redacted, Scope } from "effect"
import { ChildProcessSpawner } from "effect/process"
import type { BotConfig } from "../../files/ConfigFile.ts"
import * as Layers from "../../Layers.ts"
import type { LoadedAccount } from "./AccountBot.ts"

/** They end with the scope. */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const known = new Map<string, Effect.Effect<Layers.Shared, unknown>>()
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  return Effect.fnUntraced(function* ({ account, config }: LoadedAccount) {
    const key = keyOf(config)
    const making = Layers.shared(config, account).pipe(
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

interface SharedTerms extends Pick<BotConfig, "priceProgram" | "prices"> {
  readonly venue: Pick<BotConfig["venue"], "apiKey" | "assetSpellings" | "partnerJwt" | "quoteKey" | "url">
}
