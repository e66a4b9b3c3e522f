/**
 * Incidents that the service tells of on a page of its own: while one is active, nothing new is created or signed for the assets
 * that it concerns, so that no more money goes where it may stick. What is funded already is followed and withdrawn as ever.
 * The feed is optional and only ever holds back: one that cannot be read holds nothing, and is said.
 */
import { Clock, Duration, Effect, Layer, Option, Ref, Schema } from "effect"
import { HttpClient } from "effect/http"
import type { Asset } from "../domain/Amount.ts"
import type { Order } from "../domain/Order.ts"
import { chainIds } from "./api/HistoryApi.ts"
import { type Answer, Venue } from "./Venue.ts"
import { RetryLater, VenueError } from "./VenueError.ts"

const readAgainMillis = Duration.toMillis("1 minute")
const mostWait = "5 seconds"

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
/** Pages of status differ; these are the fields that they have. */
const Incident = Schema.Struct({
  title: Text,
  name: Text,
  summary: Text,
  body: Text,
  status: Text,
  resolvedAt: Text,
  resolved_at: Text,
  endedAt: Text,
  ends_at: Text
})
type Incident = typeof Incident.Type
const List = Schema.Array(Schema.Unknown)
const Feed = Schema.Union([
  List,
  Schema.Struct({ incidents: List }),
  Schema.Struct({ posts: List }),
  Schema.Struct({ data: List })
])
const asFeed = Schema.decodeUnknownOption(Feed)
const asIncident = Schema.decodeUnknownOption(Incident)

const over = /^(resolved|closed|completed|postmortem|ended)$/i

export interface ActiveIncident {
  readonly title: string
  /** Symbols of ours; `undefined` where it names no asset and no chain: then it concerns all. */
  readonly symbols: ReadonlySet<string> | undefined
}

/** The incidents of a feed that are active now, each with those of our assets that it concerns. */
export const activeIn = (feed: unknown, assets: ReadonlyArray<Asset>, now: number): ReadonlyArray<ActiveIncident> => {
  const read = Option.getOrUndefined(asFeed(feed))
  const entries = read === undefined ? [] : "length" in read ? read : Object.values(read).flat()
  return entries
    .flatMap((entry) => Option.toArray(asIncident(entry)))
    .filter((incident) => isActive(incident, now))
    .map((incident) => concerned(incident, assets))
}

const isActive = (incident: Incident, now: number): boolean => {
  const ends = [incident.resolvedAt, incident.resolved_at, incident.endedAt, incident.ends_at]
  const isOver = ends.some((end) => end != null && Date.parse(end) <= now)
  return !isOver && !over.test(incident.status ?? "")
}

const concerned = ({ body, name, summary, title }: Incident, assets: ReadonlyArray<Asset>): ActiveIncident => {
  const said = [title, name, summary, body].filter((text) => text != null).join(" ")
  const words = new Set(said.toLowerCase().split(/[^a-z0-9_.:-]+/))
  const isNamed = (word: string) => words.has(word.toLowerCase())
  const symbols = assets
    .filter(({ id, symbol }) => isNamed(symbol) || said.includes(id) || chainsOf(id).some(isNamed))
    .map(({ symbol }) => symbol)
  const isGeneral = symbols.length === 0 && !chainIds.some(isNamed)
  return { title: title ?? name ?? "an incident", symbols: isGeneral ? undefined : new Set(symbols) }
}

/** The chain that is in an asset's identifier, such as `nep141:btc.omft.near`. */
const chainsOf = (id: string): ReadonlyArray<string> =>
  chainIds.filter((chain) => new RegExp(`[:.]${chain}[-.:]`).test(id) && !id.endsWith(`.${chain}`))

/** The venue in the context, with new funding held while an incident concerns it. */
export const layer = (url: string, assets: ReadonlyArray<Asset>) =>
  Layer.effect(
    Venue,
    Effect.gen(function* () {
      const venue = yield* Venue
      const client = yield* HttpClient.HttpClient
      const state = yield* Ref.make<{ at: number; active: ReadonlyArray<ActiveIncident> }>({ at: 0, active: [] })
      /** Assets by deposit address, as far as orders have passed by. */
      const paidInto = new Map<string, ReadonlyArray<string>>()
      const symbolOf = new Map(assets.map(({ id, symbol }) => [id, symbol]))

      const read = client.get(url).pipe(
        Effect.flatMap((response) => response.json),
        Effect.timeout(mostWait),
        Effect.tapError((error) => Effect.logWarning(`Cannot read the incidents at ${url}: ${error.message}`)),
        Effect.option
      )

      const active = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const known = yield* Ref.get(state)
        if (now - known.at < readAgainMillis && known.at > 0) return known.active
        const feed = yield* read
        const found = Option.isSome(feed) ? activeIn(feed.value, assets, now) : known.active
        yield* Ref.set(state, { at: now, active: found })
        return found
      })

      const hold = Effect.fnUntraced(function* (operation: string, ids: ReadonlyArray<string> | undefined) {
        const symbols = ids?.map((id) => symbolOf.get(id) ?? id)
        const incident = (yield* active).find(
          ({ symbols: named }) =>
            named === undefined || symbols === undefined || symbols.some((symbol) => named.has(symbol))
        )
        if (incident === undefined) return
        const text = `held while the venue has an incident: ${incident.title}`
        return yield* new VenueError({ reason: new RetryLater({ operation, afterMillis: readAgainMillis, text }) })
      })

      const note = (order: Order) => paidInto.set(order.depositAddress, [order.originAsset, order.destinationAsset])
      const noting = <E>(answer: Effect.Effect<Answer<Order>, E>) =>
        Effect.tap(answer, ({ value }) => Effect.sync(() => note(value)))

      return Venue.of({
        ...venue,
        createOrder: (order) =>
          Effect.andThen(hold("create order", [order.baseAsset, order.quoteAsset]), noting(venue.createOrder(order))),
        createSwap: (swap) =>
          Effect.andThen(hold("quote a swap", [swap.baseAsset, swap.quoteAsset]), noting(venue.createSwap(swap))),
        getOrder: (id) => noting(venue.getOrder(id)),
        getSwap: (address, memo) => noting(venue.getSwap(address, memo)),
        listOrders: (query) =>
          Effect.tap(venue.listOrders(query), ({ value }) => Effect.sync(() => value.orders.forEach(note))),
        // Directly before a signature; bytes that were signed before are sent, as their fate is open anyway.
        generateIntent: (address) =>
          Effect.andThen(hold("generate intent", paidInto.get(address)), venue.generateIntent(address))
      })
    })
  )
