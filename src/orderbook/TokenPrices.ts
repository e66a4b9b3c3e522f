/**
 * Prices of the venue's token list: one request for all markets, in dollars, and only indicative. No strategy trades on them. They are the
 * second source of quoted prices (`SecondSource`) if the owner has none, and shown for a market that is not quoted.
 */
import { Clock, Effect, Semaphore } from "effect"
import type { Asset } from "../domain/Amount.ts"
import { elapsedMillis } from "../domain/Durations.ts"
import type { Market } from "../domain/Market.ts"
import type { Token, Venue } from "../venue/Venue.ts"
import type { Listed } from "./SecondSource.ts"
import { OwnPrices } from "./SecondSourceProgram.ts"

const patience = "5 seconds"

interface List {
  readonly tokens: ReadonlyMap<string, Token>
  readonly at: number
}

export const make = Effect.fnUntraced(function* (venue: Venue["Service"]) {
  const ownPrices = yield* OwnPrices
  const lock = yield* Semaphore.make(1)
  let list: List = { tokens: new Map(), at: Number.NEGATIVE_INFINITY }

  const within = Effect.fnUntraced(function* (maxAgeMillis: number) {
    const now = yield* Clock.currentTimeMillis
    if (elapsedMillis(list.at, now) < maxAgeMillis) return list
    const tokens = yield* venue.tokens.pipe(
      Effect.timeout(patience),
      Effect.orElseSucceed((): ReadonlyArray<Token> => [])
    )
    list = { tokens: new Map(tokens.map((token) => [token.assetId, token])), at: now }
    return list
  }, lock.withPermit)

  /** Quote per base; `undefined` unless the list prices both assets. */
  const of = Effect.fnUntraced(function* ({ base, quote }: Market, maxAgeMillis: number) {
    const { tokens, at: askedAt } = yield* within(maxAgeMillis)
    const usd = (asset: Asset) => tokens.get(asset.id)?.priceUsd ?? 0
    const mid = usd(base) / usd(quote)
    if (!(mid > 0) || !Number.isFinite(mid)) return undefined
    const times = [base, quote].flatMap(({ id }) => tokens.get(id)?.pricedAt ?? [])
    return { mid, at: times.length === 0 ? undefined : Math.min(...times), askedAt }
  })

  const bySecondSource = Effect.fnUntraced(function* (market: Market, maxAgeMillis: number) {
    const listed: Listed | undefined = (yield* ownPrices(market)) ?? (yield* of(market, maxAgeMillis))
    return listed
  })

  return { of, bySecondSource } as const
})

export type TokenPrices = Effect.Success<ReturnType<typeof make>>
