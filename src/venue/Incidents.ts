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
import { type FeedAnswer, FundingHold, IncidentFeed, Venue } from "./Venue.ts"
import { VenueError } from "./VenueError.ts"
import { clean, ledgers } from "./wire/WireValue.ts"

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

/** The venue's names of chains by asset id. */
type Chains = ReadonlyMap<string, string>

export const activeIn = (
  feed: unknown,
  assets: ReadonlyArray<Asset>,
  now: number,
  own: ReadonlySet<string> = new Set(),
  chains: Chains = new Map()
): ReadonlyArray<ActiveIncident> => {
  const lists = isRecord(feed) ? [feed["incidents"], feed["posts"], feed["data"]] : [feed]
  const entries: ReadonlyArray<unknown> | undefined = lists.find(Array.isArray)
  if (entries === undefined && isRecord(feed) && feed["status"] === "incidents")
    return [{ title: "incidents without a readable list", symbols: undefined }]
  return (entries ?? []).flatMap((entry) => {
    const [incident] = Option.toArray(asIncident(entry))
    if (incident !== undefined && !isActive(incident, now)) return []
    const scoped = Option.getOrUndefined(asScoped(entry))
    if (scoped !== undefined) return [inScope(scoped, assets, own, chains)]
    return incident === undefined ? [] : [concerned(incident, assets, chains)]
  })
}

const partsOf = ({ id }: Asset): ReadonlyArray<string> => id.toLowerCase().split(/[:.-]/).slice(1, -1)

const homeNames: ReadonlyArray<string> = ledgers
const otherChains = chainIds.filter((chain) => !homeNames.includes(chain))

/** An asset of the home ledger: its id names the chain that it comes from, if that is another one. */
const isOfHome = ({ id }: Asset): boolean => id.startsWith("nep141:")

/** The id of any other asset may have only the number of its chain. An asset that the list misses may be on any chain. */
const isOn = (chain: string, asset: Asset, chains: Chains): boolean => {
  const listed = chains.get(asset.id)
  if (partsOf(asset).includes(chain) || listed?.toLowerCase() === chain) return true
  return listed === undefined && !isOfHome(asset)
}

/** A scope of an unknown kind affects everything, and so does the home ledger: it executes every deposit by intent. */
const inScope = (
  { direction, publicDescription, scopeType, scopeValue }: typeof Scoped.Type,
  assets: ReadonlyArray<Asset>,
  own: ReadonlySet<string>,
  chains: Chains
): ActiveIncident => {
  const value = scopeValue.toLowerCase()
  const isNamed: Readonly<Record<string, (asset: Asset) => boolean>> = {
    chain: (asset) => homeNames.includes(value) || isOn(value, asset, chains),
    bridge: (asset) => partsOf(asset).includes(value),
    token: ({ id, symbol }) => id.toLowerCase().includes(value) || symbol.toLowerCase() === value,
    address: () => own.has(scopeValue)
  }
  const names = isNamed[scopeType.toLowerCase()]
  const way = ways.find(([, words]) => words.test(direction ?? ""))?.[0]
  return {
    title: clean(publicDescription ?? `${scopeType} ${scopeValue}`),
    symbols: names && new Set(assets.filter(names).map(({ symbol }) => symbol)),
    ...present({ way })
  }
}

const ways = [
  ["in", /^(?:deposits?|in|inbound|incoming|origin|from)$/i],
  ["out", /^(?:withdraw(?:als?)?|out|outbound|outgoing|destination|to)$/i]
] as const

const isActive = (incident: Incident, now: number): boolean => {
  const ends = [incident.resolvedAt, incident.resolved_at, incident.endedAt, incident.ends_at]
  const isOver = ends.some((end) => end != null && Date.parse(end) <= now)
  return !isOver && !over.test(incident.status ?? "")
}

const concerned = (
  { body, name, summary, title }: Incident,
  assets: ReadonlyArray<Asset>,
  chains: Chains
): ActiveIncident => {
  const incidentText = [title, name, summary, body].filter((text) => text != null).join(" ")
  const words = new Set(incidentText.toLowerCase().split(/[^a-z0-9_.:-]+/))
  const isNamed = (word: string) => words.has(word.toLowerCase())
  const chainsNamed = otherChains.filter(isNamed)
  const isConcerned = (asset: Asset) =>
    isNamed(asset.symbol) || incidentText.includes(asset.id) || chainsNamed.some((chain) => isOn(chain, asset, chains))
  const symbols = assets.filter(isConcerned).map(({ symbol }) => symbol)
  // A text that names the home ledger alone concerns everything. Its name is also an ordinary word and a symbol.
  const isOfLedger = /\bNEAR\b/.test(incidentText) && assets.every(({ symbol }) => symbol !== "NEAR")
  const isGeneral =
    isOfLedger || (chainsNamed.length === 0 && symbols.every((symbol) => homeNames.includes(symbol.toLowerCase())))
  return { title: clean(title ?? name ?? "an incident"), symbols: isGeneral ? undefined : new Set(symbols) }
}

const bodyIn = Effect.fnUntraced(function* (reply: Reply) {
  const refusal = refused(call, reply, yield* Clock.currentTimeMillis)
  return refusal === undefined ? reply.body : yield* refusal
})

const isRefusal = (error: object): error is VenueError =>
  error instanceof VenueError && (error.reason._tag === "Unauthorized" || error.reason._tag === "Rejected")

/** Sorted, because the order of the feed may change. */
const answerOn = (active: ReadonlyArray<ActiveIncident>): FeedAnswer => {
  const concerning = active.filter(({ symbols }) => symbols?.size !== 0)
  const titles = concerning.map(({ symbols, title }) => (symbols ? `${title} (${[...symbols].join(", ")})` : title))
  const is = `naming an incident, so the bot holds new orders and payments there: ${[...new Set(titles)].sort().join("; ")}`
  return titles.length === 0 ? {} : { is, namesIncident: true }
}

/**
 * Holds our assets as the feed says, which is read once a minute. `own`: our addresses, which an incident may name.
 * With a `Venue` in its context, the chains of assets come from the venue's list of tokens.
 */
export const layer = (
  { token, url }: { readonly url: string; readonly token?: Redacted.Redacted },
  assets: ReadonlyArray<Asset>,
  own: ReadonlySet<string>
) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const symbolOf = new Map(assets.map(({ id, symbol }) => [id, symbol]))
      let activeIncidents: ReadonlyArray<ActiveIncident> = []
      let answer: FeedAnswer
      const venue = yield* Effect.serviceOption(Venue)
      let chains: Chains = new Map()

      /** Reads the venue's tokens once, if the id of an asset does not name its chain. */
      const readChains = Effect.ignore(
        Effect.gen(function* () {
          if (chains.size > 0 || Option.isNone(venue) || assets.every(isOfHome)) return
          const tokens = yield* venue.value.tokens.pipe(Effect.timeout(maxWait))
          chains = new Map(tokens.map(({ assetId, blockchain }) => [assetId, blockchain]))
        })
      )

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
              // The text of a refusal may differ at each read.
              const why = isRefusal(error) && `it answered ${error.reason.status}; check ${call.credential}`
              if (why) answer = { is: `refused, so new incidents are not seen: ${why}` }
              return Effect.logWarning(`Cannot read the incidents at ${url}: ${error.message}`)
            },
            onSuccess: (feed) =>
              Effect.gen(function* () {
                const now = yield* Clock.currentTimeMillis
                // Without the list more is held, so this holds at once.
                activeIncidents = activeIn(feed, assets, now, own, chains)
                yield* readChains
                activeIncidents = activeIn(feed, assets, now, own, chains)
                answer = answerOn(activeIncidents)
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
