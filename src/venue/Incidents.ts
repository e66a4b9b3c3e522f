/**
 * Reads the incidents that the service reports on a separate status page. While one is active, no order in the affected assets is created
 * or paid, and no payload is sent again, so no more money goes where it may get stuck. Funded orders are still tracked and cancelled. The
 * feed is optional and can only hold back: an unreadable feed is reported and changes nothing. The service's own feed needs a token and
 * names a scope and a direction for each incident. Other status pages are searched for the names of assets and chains.
 */
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { Asset } from "../domain/Amount.ts"
import { cacheFor, minuteMillis } from "../domain/Durations.ts"
import { present } from "../domain/Present.ts"
import { isRecord } from "../domain/Text.ts"
import { chainIds } from "./api/HistoryApi.ts"
import { type Reply, receive, refused } from "./http/Reply.ts"
import { FundingHold, IncidentFeed } from "./Venue.ts"
import { VenueError } from "./VenueError.ts"
import { clean } from "./wire/WireValue.ts"

const call = { operation: "read the incidents", kind: "read", credential: "venue.incidents.token" } as const
const maxWait = "5 seconds"

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
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
const Scoped = Schema.Struct({
  scopeType: Schema.String,
  scopeValue: Schema.String,
  direction: Text,
  publicDescription: Text
})
const fromJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))
const asIncident = Schema.decodeUnknownOption(Incident)
const asScoped = Schema.decodeUnknownOption(Scoped)

const over = /^(resolved|closed|completed|postmortem|ended)$/i

export interface ActiveIncident {
  readonly title: string
  /** Our symbols; `undefined`: all of them. */
  readonly symbols: ReadonlySet<string> | undefined
  /** `undefined`: both directions. */
  readonly way?: "in" | "out"
}

export const activeIn = (
  feed: unknown,
  assets: ReadonlyArray<Asset>,
  now: number,
  own: ReadonlySet<string> = new Set()
): ReadonlyArray<ActiveIncident> => {
  const lists = isRecord(feed) ? [feed["incidents"], feed["posts"], feed["data"]] : [feed]
  const entries: ReadonlyArray<unknown> = lists.find(Array.isArray) ?? []
  return entries.flatMap((entry) => {
    const [incident] = Option.toArray(asIncident(entry))
    if (incident !== undefined && !isActive(incident, now)) return []
    const scoped = Option.getOrUndefined(asScoped(entry))
    if (scoped !== undefined) return [inScope(scoped, assets, own)]
    return incident === undefined ? [] : [concerned(incident, assets)]
  })
}

const partsOf = ({ id }: Asset): ReadonlyArray<string> => id.toLowerCase().split(/[:.-]/).slice(1, -1)

/** A scope of an unknown kind affects everything. */
const inScope = (
  { direction, publicDescription, scopeType, scopeValue }: typeof Scoped.Type,
  assets: ReadonlyArray<Asset>,
  own: ReadonlySet<string>
): ActiveIncident => {
  const value = scopeValue.toLowerCase()
  const isNamed: Readonly<Record<string, (asset: Asset) => boolean>> = {
    chain: (asset) => partsOf(asset).includes(value),
    bridge: (asset) => partsOf(asset).includes(value),
    token: ({ id, symbol }) => id.toLowerCase().includes(value) || symbol.toLowerCase() === value,
    address: () => own.has(scopeValue)
  }
  const names = isNamed[scopeType.toLowerCase()]
  const way = wayOf(direction ?? "")
  return {
    title: clean(publicDescription ?? `${scopeType} ${scopeValue}`),
    symbols: names && new Set(assets.filter(names).map(({ symbol }) => symbol)),
    ...present({ way })
  }
}

const wayOf = (direction: string): ActiveIncident["way"] =>
  /^(?:deposits?|in|inbound|incoming|origin|from)$/i.test(direction)
    ? "in"
    : /^(?:withdraw(?:als?)?|out|outbound|outgoing|destination|to)$/i.test(direction)
      ? "out"
      : undefined

const isActive = (incident: Incident, now: number): boolean => {
  const ends = [incident.resolvedAt, incident.resolved_at, incident.endedAt, incident.ends_at]
  const isOver = ends.some((end) => end != null && Date.parse(end) <= now)
  return !isOver && !over.test(incident.status ?? "")
}

const concerned = ({ body, name, summary, title }: Incident, assets: ReadonlyArray<Asset>): ActiveIncident => {
  const incidentText = [title, name, summary, body].filter((text) => text != null).join(" ")
  const words = new Set(incidentText.toLowerCase().split(/[^a-z0-9_.:-]+/))
  const isNamed = (word: string) => words.has(word.toLowerCase())
  const symbols = assets
    .filter(({ id, symbol }) => isNamed(symbol) || incidentText.includes(id) || chainsOf(id).some(isNamed))
    .map(({ symbol }) => symbol)
  const isGeneral = symbols.length === 0 && !chainIds.some(isNamed)
  return { title: clean(title ?? name ?? "an incident"), symbols: isGeneral ? undefined : new Set(symbols) }
}

const chainsOf = (id: string): ReadonlyArray<string> =>
  chainIds.filter((chain) => new RegExp(`[:.]${chain}[-.:]`).test(id) && !id.endsWith(`.${chain}`))

const bodyIn = Effect.fnUntraced(function* (reply: Reply) {
  const refusal = refused(call, reply, yield* Clock.currentTimeMillis)
  return refusal === undefined ? reply.body : yield* refusal
})

const isRefusal = (error: object): boolean =>
  error instanceof VenueError && (error.reason._tag === "Unauthorized" || error.reason._tag === "Rejected")

interface Feed {
  readonly url: string
  readonly token?: Redacted.Redacted
}

/** Holds our assets as the feed says, which is read once a minute. `own`: our addresses, which an incident may name. */
export const layer = ({ token, url }: Feed, assets: ReadonlyArray<Asset>, own: ReadonlySet<string>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const symbolOf = new Map(assets.map(({ id, symbol }) => [id, symbol]))
      let activeIncidents: ReadonlyArray<ActiveIncident> = []
      let answer: { readonly refusal?: string } | undefined

      const request = HttpClientRequest.get(url)
      const feedReading = client
        .execute(token === undefined ? request : HttpClientRequest.bearerToken(request, token))
        .pipe(
          Effect.flatMap((response) => receive(call, response)),
          Effect.flatMap(bodyIn),
          Effect.flatMap((body) => fromJson(body)),
          Effect.timeout(maxWait),
          Effect.matchEffect({
            onFailure: (error) => {
              if (isRefusal(error)) answer = { refusal: error.message }
              return Effect.logWarning(`Cannot read the incidents at ${url}: ${error.message}`)
            },
            onSuccess: (feed) =>
              Effect.map(Clock.currentTimeMillis, (now) => {
                answer = {}
                activeIncidents = activeIn(feed, assets, now, own)
              })
          })
        )
      const refreshed = yield* cacheFor(feedReading, minuteMillis)

      yield* Effect.forkScoped(Effect.forever(Effect.andThen(refreshed, Effect.sleep(minuteMillis))))

      const hold = (ids: ReadonlyArray<string>) =>
        Effect.map(refreshed, () => {
          const symbols = ids.map((id) => symbolOf.get(id) ?? id)
          const [paidIn = "", ...paidOut] = symbols
          const concernedBy = { in: [paidIn], out: paidOut }
          const incident = activeIncidents.find(({ symbols: named, way }) => {
            const ours = way === undefined ? symbols : concernedBy[way]
            return named === undefined || ours.some((symbol) => named.has(symbol))
          })
          return incident === undefined ? undefined : `held while the venue has an incident: ${incident.title}`
        })
      const feedAnswer = Effect.sync(() => answer)
      return Context.make(FundingHold, hold).pipe(Context.add(IncidentFeed, feedAnswer))
    })
  )
