/**
 * Chooses the implementations of every bot except simulated ones. A mode is a set of layers behind the same ports:
 *
 * | mode | function | venue, signer, journal |
 * |---|---|---|
 * | `run`, and the demo at its own sandbox | `live` | over HTTP, the configured key or its process, a file |
 * | `run --dry-run` | `dryRun` | prices over HTTP and orders in this process, none, a new file |
 * | an account of a fleet | `ofFleet` | over the HTTP client of its runner (`shared`), as `live`, the fleet's database |
 * | `plan`, `book` and other reads | `looking` | over HTTP, signs only the message of a session, none |
 * | `rehearse` | `bot` | as `live` except what is outside the program: `rehearsal/rehearse/RehearsedBot.ts` gives network, signer and journal |
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { HttpClient } from "effect/http"
import { cacheFor, minuteMillis } from "./domain/Durations.ts"
import type { Market } from "./domain/Market.ts"
import { depositTypeOf } from "./domain/MoneyPath.ts"
import { feesToOthers } from "./domain/Order.ts"
import { present } from "./domain/Present.ts"
import { defaults, EngineSettings, type Settings } from "./engine/EngineSettings.ts"
import * as SharedOrders from "./engine/observation/SharedOrders.ts"
import { Bookkeeper } from "./engine/state/Bookkeeper.ts"
import type { BotConfig } from "./files/ConfigFile.ts"
import * as WalletConfig from "./files/sections/WalletConfig.ts"
import * as Head from "./journal/Head.ts"
import { Journal } from "./journal/Journal.ts"
import * as Lease from "./journal/Lease.ts"
import { PriceStore } from "./journal/PriceStore.ts"
import * as Journals from "./journal/postgres/Journals.ts"
import * as Reserve from "./journal/Reserve.ts"
import * as Sqlite from "./journal/Sqlite.ts"
import { OrderBook } from "./orderbook/OrderBook.ts"
import { SecondSourceTerms } from "./orderbook/SecondSource.ts"
import * as SecondSourceProgram from "./orderbook/SecondSourceProgram.ts"
import * as DryVenue from "./sandbox/DryVenue.ts"
import * as RemoteSigner from "./signer/remote/RemoteSigner.ts"
import * as AccountKey from "./signing/AccountKey.ts"
import * as IntentGuard from "./signing/IntentGuard.ts"
import { type KeyMalformed, publicKeyOf, Signer } from "./signing/Signer.ts"
import type { Markets } from "./strategy/Markets.ts"
import { History } from "./venue/History.ts"
import * as HttpVenue from "./venue/HttpVenue.ts"
import * as Outbound from "./venue/http/Outbound.ts"
import { RateBudget } from "./venue/http/RateBudget.ts"
import { RateShare } from "./venue/http/RateShare.ts"
import { Session } from "./venue/http/Session.ts"
import { VenueClient } from "./venue/http/VenueClient.ts"
import * as Incidents from "./venue/Incidents.ts"
import * as Charges from "./venue/profile/Charges.ts"
import { Swaps } from "./venue/Swaps.ts"
import { Venue } from "./venue/Venue.ts"
import {
  chainAccount,
  defaultPatience,
  ownAccount,
  payerOf,
  type VenueAccount,
  VenueConfig
} from "./venue/VenueConfig.ts"

/** An order is not funded if app fees that we did not request take more than this share of the input. */
const maxAppFeeBasisPoints = 100

export class AddressesUnfit extends Schema.TaggedError<AddressesUnfit>()("AddressesUnfit", {
  missing: Schema.Array(Schema.String),
  /** The operator believes that money goes to these addresses, but none does. */
  unused: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return this.missing.length > 0
      ? `An asset of depositType ORIGIN_CHAIN needs an address to be paid to and one to be refunded to. Missing: ${this.missing.join(", ")}`
      : `Only an asset of depositType ORIGIN_CHAIN has its own address; others stay in the account. Set assets.SYMBOL.depositType, or remove: ${this.unused.join(", ")}`
  }
}

export type Pace = Partial<Omit<Settings, "account">>

export const accountOf: (
  config: BotConfig
) => Effect.Effect<VenueAccount, AddressesUnfit | KeyMalformed | AccountKey.KeyOfAnother> = Effect.fn(
  "Layers.accountOf"
)(function* ({ account, markets }) {
  const signerId = yield* signerOf(account)
  const onChain = markets.assets.filter((asset) => depositTypeOf(account, asset) === "ORIGIN_CHAIN")
  const missing = onChain.flatMap(({ symbol }) => [
    ...(account.recipients.has(symbol) ? [] : [`account.recipients.${symbol}`]),
    ...(account.refundTo.has(symbol) ? [] : [`account.refundTo.${symbol}`])
  ])
  const isOnChain = new Set(onChain.map(({ symbol }) => symbol))
  const unused = (["recipients", "refundTo"] as const).flatMap((field) =>
    [...account[field].keys()].filter((symbol) => !isOnChain.has(symbol)).map((symbol) => `account.${field}.${symbol}`)
  )
  if (missing.length + unused.length > 0) return yield* new AddressesUnfit({ missing, unused })
  const byId = (bySymbol: ReadonlyMap<string, string>) =>
    new Map(onChain.map(({ id, symbol }) => [id, bySymbol.get(symbol) ?? ""]))
  const addresses = { recipients: byId(account.recipients), refundTo: byId(account.refundTo) }
  const { depositType, depositTypes, terms } = account
  const own =
    depositType === "ORIGIN_CHAIN"
      ? chainAccount(signerId, addresses)
      : { ...ownAccount(signerId, depositType), addresses }
  return { ...own, ...terms, ...(depositTypes.size === 0 ? {} : { depositTypes }) }
})

export const signerOf = Effect.fn("Layers.signerOf")(function* (account: BotConfig["account"]) {
  // With a signer process the configuration names the account, because there is no key here to derive it from.
  if ("signer" in account.signing)
    return yield* RemoteSigner.signsFor(account.signing.signer.socket, account.signing.signerId)
  return yield* AccountKey.accountOf(yield* publicKeyOf(account.signing.key), account.signerId)
})

/** The public key of the account's key; `undefined` if the signer process does not answer now. */
export const publicKeyOfAccount = ({ signing }: BotConfig["account"]) =>
  "signer" in signing ? RemoteSigner.publicKeyOf(signing.signer.socket) : publicKeyOf(signing.key)

export const signerLayer = ({ signing }: BotConfig["account"]) =>
  "signer" in signing ? RemoteSigner.layer(signing.signer.socket) : Signer.layer(signing.key)

const guardLayer =
  ({ signing }: BotConfig["account"]) =>
  (payer: IntentGuard.PayingAccount) =>
    "signer" in signing ? RemoteSigner.guardLayer(signing.signer.socket, payer) : IntentGuard.layer(payer)

export const venueSettings = ({ venue }: BotConfig, account: VenueAccount): VenueConfig["Service"] => ({
  url: venue.url,
  analyticsUrl: venue.analyticsUrl,
  ledger: venue.ledger,
  verifier: venue.verifier,
  facts: venue.facts,
  apiKey: venue.apiKey,
  ...present({ partnerJwt: venue.partnerJwt, quoteKey: venue.quoteKey }),
  assetSpellings: venue.assetSpellings,
  account,
  patience: defaultPatience
})

const venueConfig = (config: BotConfig, account: VenueAccount) =>
  Layer.succeed(VenueConfig, venueSettings(config, account))

const engineSettings = (
  { account: { terms }, limits, markets: { costs }, venue }: BotConfig,
  { addresses, depositType, depositTypes, signerId }: VenueAccount,
  pace: Pace
) =>
  Layer.succeed(EngineSettings, {
    ...defaults,
    ...pace,
    ...present({ overall: limits }),
    account: {
      signerId,
      depositType,
      maxAppFeeBasisPoints: Math.max(maxAppFeeBasisPoints, feesToOthers(terms)),
      ...present({ addresses, depositTypes, fillBasisPoints: costs?.fillBasisPoints }),
      ...Charges.echoes(venue.facts.fees, Charges.isPartner(venue.facts, venue.hasPartner), terms)
    }
  })

/** Opens the journal for writing. It is leased first, so a second bot is refused before it changes anything. */
export const storage = (name: string, pid: number) => {
  const journal = Lease.fileOf(name)
  const reserve = Reserve.beside(journal)
  return Layer.provideMerge(PriceStore.layer, Journal.layerWith(reserve, Head.beside(journal))).pipe(
    Layer.provide(Sqlite.layer({ filename: journal })),
    Layer.provideMerge(Lease.layer({ journal, pid, reserve }))
  )
}

export const books = (journal: string, pid: number) => Bookkeeper.layer.pipe(Layer.provideMerge(storage(journal, pid)))

export const readOnlyJournal = (journal: string) =>
  Layer.merge(Journal.layerReadOnly, PriceStore.layer).pipe(
    Layer.provide(Sqlite.layer({ filename: journal, readOnly: true }))
  )

/** Adds the account's own session to a venue layer. Several accounts may share the client. */
const through = <A, E, R>(venue: Layer.Layer<A, E, R>) => venue.pipe(Layer.provide(Session.layer))

const client = <A, E, R>(venue: Layer.Layer<A, E, R>) => through(venue).pipe(Layer.provide(VenueClient.layer))

export const http = ({ venue }: BotConfig) => Outbound.layer(venue.proxy)

const httpVenue = (config: BotConfig) => client(HttpVenue.layer).pipe(Layer.provide(http(config)))

const incidentFeed = ({ account, markets, venue: { incidents, incidentToken } }: BotConfig) => {
  if (incidents === undefined) return Layer.empty
  const addresses = [account.signerId, ...account.recipients.values(), ...account.refundTo.values()]
  const own = new Set(addresses.filter((address) => address !== undefined))
  return Incidents.layer({ url: incidents.url, ...present({ token: incidentToken }) }, markets.assets, own)
}

export const incidents = (config: BotConfig) => incidentFeed(config).pipe(Layer.provide(http(config)))

const withBook = <A, E, R>({ priceProgram, prices }: BotConfig, venue: Layer.Layer<A | Venue, E, R>) => {
  const sources = Layer.merge(Layer.succeed(SecondSourceTerms, prices), SecondSourceProgram.layer(priceProgram))
  return Layer.provideMerge(Layer.provide(OrderBook.layer, sources), venue)
}

export interface Outside<EG, RG, ES, RS> {
  readonly http: Layer.Layer<HttpClient.HttpClient>
  readonly signer: Layer.Layer<Signer, ES, RS>
  readonly guard: (payer: IntentGuard.PayingAccount) => Layer.Layer<IntentGuard.IntentGuard, EG, RG>
}

export const connected = (config: BotConfig) => ({
  http: http(config),
  signer: signerLayer(config.account),
  guard: guardLayer(config.account)
})

const venueAndSwaps = Layer.merge(HttpVenue.layer, Swaps.layer)

const botAt = <A, E, R, EG, RG, ES, RS>(
  venue: Layer.Layer<A, E, R>,
  config: BotConfig,
  account: VenueAccount,
  pace: Pace,
  { guard, http, signer }: Outside<EG, RG, ES, RS>
) =>
  Layer.merge(Layer.provideMerge(incidentFeed(config), venue), guard(payerOf(venueSettings(config, account)))).pipe(
    Layer.provide(http),
    Layer.provide(signer),
    Layer.provide(venueConfig(config, account)),
    Layer.merge(engineSettings(config, account, pace))
  )

/** Builds a bot from its configuration, without its wallet and journal. A rehearsal differs only in its `outside`. */
export const bot = <EG, RG, ES, RS>(
  config: BotConfig,
  account: VenueAccount,
  pace: Pace,
  outside: Outside<EG, RG, ES, RS>
) => botAt(withBook(config, client(venueAndSwaps)), config, account, pace, outside)

export const live = (config: BotConfig, account: VenueAccount, pid: number, pace: Pace = {}) =>
  bot(config, account, pace, connected(config)).pipe(
    Layer.merge(WalletConfig.layer(config.account.wallet, config.venue.url)),
    Layer.merge(books(config.journal, pid))
  )

export const rateBudget = (share: RateShare["Service"]) =>
  Effect.map(Layer.build(Layer.provide(RateBudget.layerOfShare, Layer.succeed(RateShare, share))), (context) =>
    Context.get(context, RateBudget)
  )

export type RateBudgetOfAll = Effect.Success<ReturnType<typeof rateBudget>>

/** Makes what accounts of one credential share: prices, the list of orders, and the client, which polls within `budget`. */
export const shared = Effect.fnUntraced(function* (config: BotConfig, account: VenueAccount, budget: RateBudgetOfAll) {
  const venue = Layer.provideMerge(through(HttpVenue.layer), VenueClient.layerOfBudget).pipe(
    Layer.provide(Layer.succeed(RateBudget, budget)),
    Layer.provide(http(config))
  )
  const context = yield* Layer.build(atVenue(withBook(config, venue), config, account, signerLayer(config.account)))
  return {
    book: Context.get(context, OrderBook),
    client: Context.get(context, VenueClient),
    orders: yield* SharedOrders.make(Context.get(context, Venue)),
    /** Each account requests the tokens as it starts, and many start at once. */
    tokens: yield* cacheFor(Context.get(context, Venue).tokens, minuteMillis)
  }
})

export type Shared = Effect.Success<ReturnType<typeof shared>>

export const ofFleet = (
  name: string,
  config: BotConfig,
  account: VenueAccount,
  { book, client, orders, tokens }: Shared
) => {
  const listing = Layer.effect(
    Venue,
    Effect.map(Venue, (venue) => ({ ...venue, listOrders: orders.listOf(account, venue.listOrders), tokens }))
  )
  const venue = through(Layer.merge(Layer.provideMerge(listing, venueAndSwaps), History.layer)).pipe(
    Layer.provide(Layer.succeed(VenueClient, client))
  )
  return botAt(venue, config, account, {}, connected(config)).pipe(
    Layer.merge(Layer.succeed(OrderBook, book)),
    Layer.merge(WalletConfig.layer(config.account.wallet, config.venue.url)),
    Layer.merge(Layer.provideMerge(Bookkeeper.layer, Journals.layerOf(name))),
    Layer.merge(Journals.pricesOf(config.venue.url, config.markets.assets))
  )
}

/** The venue for reading only. The key signs only the message that opens a session. */
export const looking = (config: BotConfig, account: VenueAccount) =>
  atVenue(withBook(config, httpVenue(config)), config, account, signerLayer(config.account))

/** The venue for reads that need no session, and so no key. */
export const lookingUnsigned = (config: BotConfig, account: VenueAccount) =>
  atVenue(withBook(config, httpVenue(config)), config, account, Signer.layerRefusing)

const atVenue = <A, E, R, ES, RS>(
  layer: Layer.Layer<A, E, R>,
  config: BotConfig,
  account: VenueAccount,
  signer: Layer.Layer<Signer, ES, RS>
) =>
  layer.pipe(
    Layer.provide(signer),
    Layer.provide(venueConfig(config, account)),
    Layer.merge(engineSettings(config, account, {}))
  )

/** Uses the venue's prices, creates and signs nothing, and has no key. The journal should be a new file. */
export const dryRun = (config: BotConfig, account: VenueAccount, pid: number, pace: Pace = {}) => {
  // The orders are imaginary, so no wallet is asked to pay for them.
  const { depositType, depositTypes, signerId } = account
  const isElsewhere = depositType === "ORIGIN_CHAIN" || depositTypes !== undefined
  const imagined = isElsewhere ? ownAccount(signerId, "INTENTS") : account
  const venue = DryVenue.layer({ assets: config.markets.assets, account: imagined }).pipe(
    Layer.provide(httpVenue(config))
  )
  return Layer.provideMerge(incidents(config), withBook(config, venue)).pipe(
    Layer.provide(Signer.layerRefusing),
    Layer.provide(venueConfig(config, account)),
    Layer.merge(DryVenue.guardLayer),
    Layer.merge(engineSettings(config, imagined, pace)),
    Layer.merge(books(config.journal, pid))
  )
}

export const idsBySymbol = ({ assets }: Markets): Readonly<Record<string, string>> =>
  Object.fromEntries(assets.map(({ id, symbol }) => [symbol, id]))

export const marketsByName = ({ assets, ticks }: Markets): ReadonlyMap<string, Market> =>
  new Map(
    assets.flatMap((base) =>
      assets
        .filter((quote) => quote !== base)
        .map((quote) => {
          const name = `${base.symbol}/${quote.symbol}`
          const tick = ticks.get(name)
          return [name, { name, base, quote, ...present({ tick }) }] as const
        })
    )
  )
