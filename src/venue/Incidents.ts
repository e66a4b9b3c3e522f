/**
 * Incidents that the service reports on a separate status page. While one is active, nothing new is created, signed
 * or paid by a wallet in the affected assets, so no more money goes where it may get stuck. Funded orders are
 * followed and withdrawn as always. The feed is optional and can only hold back: an unreadable feed is reported and
 * changes nothing.
 */
import { Clock, Effect, Exit, Layer, Option, Schema } from "effect"
import { HttpClient } from "effect/http"
import type { Asset } from "../domain/Amount.ts"
import { chainIds } from "./api/HistoryApi.ts"
import { receive } from "./http/Reply.ts"
import { FundingHold } from "./Venue.ts"
import { clean } from "./wire/WireValue.ts"

const readAgain = "1 minute"
const mostWait = "5 seconds"

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
/** Status pages differ; these are the fields they use. */
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
const fromJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))
const asFeed = Schema.decodeUnknownOption(Feed)
const asIncident = Schema.decodeUnknownOption(Incident)

const over = /^(resolved|closed|completed|postmortem|ended)$/i

export interface ActiveIncident {
  readonly title: string
  /** Our symbols; `undefined` if it names no asset and no chain, because then it affects all of them. */
  readonly symbols: ReadonlySet<string> | undefined
}

/** The active incidents of a feed, each with those of our assets that it affects. */
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
  return { title: clean(title ?? name ?? "an incident"), symbols: isGeneral ? undefined : new Set(symbols) }
}

/** The chain in an asset's identifier, such as `nep141:btc.omft.near`. */
const chainsOf = (id: string): ReadonlyArray<string> =>
  chainIds.filter((chain) => new RegExp(`[:.]${chain}[-.:]`).test(id) && !id.endsWith(`.${chain}`))

/** The hold that the feed at `url` puts on our assets. It is read when money is committed, at most once a minute. */
export const layer = (url: string, assets: ReadonlyArray<Asset>) =>
  Layer.effect(
    FundingHold,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const symbolOf = new Map(assets.map(({ id, symbol }) => [id, symbol]))
      let known: ReadonlyArray<ActiveIncident> = []

      const read = client.get(url).pipe(
        Effect.flatMap((response) => receive({ operation: "read the incidents", kind: "read" }, response)),
        Effect.flatMap(({ body }) => fromJson(body)),
        Effect.timeout(mostWait),
        Effect.matchEffect({
          onFailure: (error) => Effect.logWarning(`Cannot read the incidents at ${url}: ${error.message}`),
          onSuccess: (feed) =>
            Effect.map(Clock.currentTimeMillis, (now) => {
              known = activeIn(feed, assets, now)
            })
        })
      )
      // Callers that ask in the meantime wait for the same answer.
      const refreshed = yield* Effect.cachedWithTTL(read, (exit) => (Exit.isSuccess(exit) ? readAgain : 0))

      return (ids) =>
        Effect.map(refreshed, () => {
          const symbols = ids.map((id) => symbolOf.get(id) ?? id)
          const incident = known.find(
            ({ symbols: named }) => named === undefined || symbols.some((it) => named.has(it))
          )
          return incident === undefined ? undefined : `held while the venue has an incident: ${incident.title}`
        })
    })
  )
