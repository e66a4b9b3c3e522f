/**
 * One order book for each venue, credential and way of trusting prices, made when the first account needs it: prices are asked once for all
 * accounts of this process.
 */
import { createHash } from "node:crypto"
import { Effect, Redacted, Scope } from "effect"
import { ChildProcessSpawner } from "effect/process"
import * as Layers from "../../Layers.ts"
import type { OrderBook } from "../../orderbook/OrderBook.ts"
import type { LoadedAccount } from "./AccountBot.ts"

/** They end with the scope. */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const known = new Map<string, Effect.Effect<OrderBook["Service"], unknown>>()
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  return Effect.fnUntraced(function* ({ account, config }: LoadedAccount) {
    const { apiKey, url } = config.venue
    const key = createHash("sha256")
      .update(`${url} ${Redacted.value(apiKey)} ${JSON.stringify(config.prices, withWhole)}`)
      .digest("hex")
    const making = Layers.sharedBook(config, account).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner)
    )
    const made = known.get(key) ?? (yield* Effect.cached(making))
    known.set(key, made)
    // One that could not be made is made anew by whoever needs it next.
    return yield* Effect.tapError(made, () => Effect.sync(() => known.delete(key)))
  })
})

/** JSON has no whole numbers of any size. */
const withWhole = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value)
