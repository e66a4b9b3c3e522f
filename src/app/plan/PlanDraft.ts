/** Gathers everything that a plan shows: the journal, the venue's present answers, and the resulting actions of a turn. */
import { Clock, Effect } from "effect"
import { type Amount, type Asset, max } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { baseQuantity, type Market, mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { depositTypeOf, type MoneyPlaces, pathBetween } from "../../domain/MoneyPath.ts"
import type { Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import { defaults } from "../../engine/EngineSettings.ts"
import * as CandleFeed from "../../engine/markets/CandleFeed.ts"
import * as PlanAhead from "../../engine/planning/ahead/PlanAhead.ts"
import * as PlanFindings from "../../engine/planning/ahead/PlanFindings.ts"
import * as PlanReport from "../../engine/planning/ahead/PlanReport.ts"
import * as PlanWarnings from "../../engine/planning/ahead/PlanWarnings.ts"
import { type MarketMoment, momentOf, slotEnds } from "../../engine/planning/DecisionRecord.ts"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import * as BotState from "../../engine/state/BotState.ts"
import type * as ConfigFile from "../../files/ConfigFile.ts"
import { type Minute, PriceStore } from "../../journal/PriceStore.ts"
import * as Layers from "../../Layers.ts"
import { OrderBook } from "../../orderbook/OrderBook.ts"
import { type Wanted, wantedBy, withDepth } from "../../orderbook/Wanted.ts"
import * as KillFile from "../../process/KillFile.ts"
import { Process } from "../../process/Process.ts"
import * as JoinedCandles from "../../strategy/expression/series/JoinedCandles.ts"
import type { MarketSources } from "../../strategy/Markets.ts"
import { candlesWanted, marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import type { View } from "../../strategy/View.ts"
import { heldIn, Venue } from "../../venue/Venue.ts"
import type { VenueAccount } from "../../venue/VenueConfig.ts"
import { version } from "../../version.ts"
import type { PlanFacts } from "../../views/Plan.ts"
import { needsIn } from "../byHand/OrderBudget.ts"
import * as Readiness from "../candles/Readiness.ts"
import * as WarmPrices from "../candles/WarmPrices.ts"
import { isThere } from "../journal/JournalView.ts"
import * as FileChecks from "../start/FileChecks.ts"
import * as StartChecks from "../start/StartChecks.ts"

export const draft = Effect.fnUntraced(function* (
  config: ConfigFile.BotConfig,
  account: VenueAccount,
  strategies: ReadonlyArray<Strategy>
) {
  yield* StartChecks.stop(FileChecks.look(config))
  const remembered = yield* readJournal(config.journal, strategies, config.markets.sources ?? new Map())
  const isKilled = (yield* Effect.flatten(KillFile.watch(config.journal))) !== undefined
  const { hasJournal, state } = remembered
  yield* StartChecks.pass({ config, account, isKilled, ...(hasJournal && { state }) })
  return yield* draftFrom(config, account, strategies, { remembered, books: yield* booksNow(strategies, state) })
})

export const draftFrom = Effect.fnUntraced(function* (
  config: ConfigFile.BotConfig,
  account: VenueAccount,
  strategies: ReadonlyArray<Strategy>,
  { remembered: { state, hasJournal, feeds, own }, books }: { readonly remembered: PlanInputs; readonly books: Books }
) {
  const { assets, sources = new Map() } = config.markets
  const killed = yield* Effect.flatten(KillFile.watch(config.journal))
  const prices = pricesIn(books)
  const [fees, balances, { chains, usd }] = yield* Effect.all(
    [feesNow(assets, account), balancesNow(assets, account), listedNow(assets)],
    { concurrency: 3 }
  )
  const readiness = yield* Readiness.lookAll(strategies, sources, ({ market: { name } }) => {
    const price = prices.get(name)
    return Effect.succeed({ own: own.get(name) ?? [], price: price && Decimal.toNumber(mid(price)) })
  })
  const traded = new Set(strategies.flatMap(marketsOf).map(({ name }) => name))
  const { pid } = yield* Process
  const at = yield* Clock.currentTimeMillis
  const run = {
    pid,
    version,
    // Any mode will do, because a plan writes nothing to the journal.
    mode: state.run?.mode ?? "live",
    account: account.signerId,
    venue: config.venue.url,
    assets: Layers.idsBySymbol(config.markets),
    ...present({ fillBasisPoints: config.markets.costs?.fillBasisPoints })
  }
  const planned = yield* PlanAhead.planAhead({
    run,
    strategies,
    state,
    moments: momentsOf(strategies, books, feeds, at),
    now: at,
    markets: config.markets,
    withdraw: killed === undefined ? undefined : { code: "kill-switch", text: killed }
  })
  const changes = PlanReport.changesOf(strategies, planned, fees)
  const renewals = PlanWarnings.renewalsOf(strategies, changes, fees, defaults.orderLifetimeMillis)
  const locked = PlanReport.lockedOf(strategies, planned, changes)
  const exposure = config.limits?.exposure ?? new Map<string, bigint>()
  const money = { fees, balances, needs: needsIn(state, strategies), usd, exposure }
  const ground = { strategies, planned, changes, minimumIn: minimumIn(config, chains), locked, books, ...money }
  return {
    at,
    journal: config.journal,
    hasJournal,
    killed,
    strategies,
    prices,
    fees,
    charged: [...state.echoedFees.values()].filter(({ market }) => traded.has(market)),
    isBalanceKnown: balances !== undefined,
    uncommitted: PlanFindings.uncommittedOf(ground),
    changes,
    absent: PlanReport.absentOf(planned),
    locked,
    findings: [...PlanFindings.findingsOf(ground), ...readiness.flatMap(distrusted)],
    readiness,
    renewals,
    warnings: [
      ...strategies.flatMap(ofFile),
      ...PlanWarnings.depthWarnings(changes, books),
      ...PlanWarnings.renewalWarnings(renewals)
    ]
  } satisfies PlanFacts
})

const ofFile = ({ name, warnings = [] }: Strategy): PlanFacts["warnings"] =>
  warnings.map(({ file, line, message }) => ({
    name: "file",
    strategy: name,
    slots: [],
    text: `${file}:${line}: ${message}`
  }))

const distrusted = ({ strategy, problem }: PlanFacts["readiness"][number]): ReadonlyArray<PlanFindings.PlanFinding> =>
  problem === null ? [] : [{ name: "candles", strategies: [strategy], slots: [], text: problem }]

type Books = ReturnType<typeof booksIn>

const pricesIn = (books: Books): PlanFacts["prices"] =>
  new Map([...books].flatMap(([name, { price }]) => (price === undefined ? [] : [[name, price] as const])))

const momentsOf = (
  strategies: ReadonlyArray<Strategy>,
  books: Books,
  feeds: PlanInputs["feeds"],
  now: number
): ReadonlyMap<string, MarketMoment> => {
  const prices = pricesIn(books)
  return new Map(
    strategies.flatMap((strategy) => {
      const depth = books.get(strategy.market.name)?.depth
      const moment = momentOf(strategy, prices, candlesAt(strategy, feeds, prices, now), now, depth)
      return moment === undefined ? [] : [[strategy.name, moment] as const]
    })
  )
}

const maxDepthAgeMillis = 30_000

type Feeds = ReadonlyMap<string, CandleFeed.CandleFeed>

type PlanInputs = Effect.Success<ReturnType<typeof readJournal>>

const readJournal = Effect.fn("PlanInputs.readJournal")(function* (
  journal: string,
  strategies: ReadonlyArray<Strategy>,
  sources: MarketSources
) {
  const hasJournal = yield* isThere(journal)
  if (!hasJournal)
    return { state: BotState.make(), hasJournal, ...(yield* feedsOf(PriceStore.empty, strategies, sources)) }
  return yield* Effect.gen(function* () {
    const state = yield* Bookkeeper.replay
    return { state, hasJournal, ...(yield* feedsOf(yield* PriceStore, strategies, sources)) }
  }).pipe(Effect.provide(Layers.readOnlyJournal(journal)))
})

export const feedsOf = Effect.fn("PlanInputs.feedsOf")(function* (
  store: PriceStore["Service"],
  strategies: ReadonlyArray<Strategy>,
  sources: MarketSources
) {
  const warm = yield* WarmPrices.make(store, sources)
  warm.use(strategies)
  const now = yield* Clock.currentTimeMillis
  const feeds = new Map<string, Feeds>()
  const own = new Map<string, ReadonlyArray<Minute>>()
  for (const strategy of strategies) {
    const ofMarkets = new Map<string, CandleFeed.CandleFeed>()
    for (const { market, candles: needs } of candlesWanted(strategy)) {
      const feed = CandleFeed.make(needs, (timeframe) => warm.store.told(market.name, timeframe))
      const from = now - feed.spanMillis
      own.set(market.name, yield* store.since(market.name, from))
      feed.restore(yield* warm.store.since(market.name, from), now)
      feed.adopt(yield* warm.store.kept(market.name, from))
      feed.complete(now)
      ofMarkets.set(market.name, feed)
    }
    feeds.set(strategy.name, ofMarkets)
  }
  return { feeds, own } as const
})

/** Returns the candles that a run would see now. Changes the feeds in place: a price restarts candles that ended too long before it. */
export const candlesAt = (
  strategy: Strategy,
  feeds: PlanInputs["feeds"],
  prices: ReadonlyMap<string, TwoSidedPrice>,
  now: number
): View["candles"] => {
  const ofMarkets: Feeds = feeds.get(strategy.name) ?? new Map()
  for (const [market, feed] of ofMarkets) {
    const price = prices.get(market)
    if (price !== undefined) feed.observe(Decimal.toNumber(mid(price)), price.at)
    feed.complete(now)
  }
  return JoinedCandles.make(strategy)(CandleFeed.seenBy(strategy, ofMarkets, now))
}

/** Requests an executable price for each market, in the size that the bot would quote, and depth up to the whole budget. */
const booksNow = Effect.fn("PlanInputs.books")(function* (
  strategies: ReadonlyArray<Strategy>,
  state: BotState.BotState
) {
  const orderBook = yield* OrderBook
  const bookRequests = wantedBy(strategies, (name) => slotEnds(state, name))
  yield* orderBook.look(bookRequests, 0)
  const deep = bookRequests.map((each) => {
    const price = orderBook.prices.get(each.market.name)
    const bought = price === undefined ? 0n : baseQuantity(each.market, each.sizes.quote, price.ask, "down")
    return withDepth(each, max(each.sizes.base, bought))
  })
  yield* orderBook.lookDeep(deep, maxDepthAgeMillis)
  return booksIn(orderBook, bookRequests)
})

export const booksIn = (orderBook: OrderBook["Service"], wanted: ReadonlyArray<Wanted>) =>
  new Map(
    wanted.flatMap(({ market }) => {
      const book = orderBook.book(market.name)
      return book === undefined ? [] : [[market.name, book] as const]
    })
  )

const feesNow = Effect.fn("PlanInputs.fees")(function* (assets: ReadonlyArray<Asset>, account: VenueAccount) {
  const { value } = yield* Venue.use(({ listOrders }) => listOrders({}))
  return feesIn(value.orders, assets, account)
})

/** Fees of the orders, newest first, that pay as we would now. The list has the orders of all accounts of the API key. */
export const feesIn = (
  orders: ReadonlyArray<Order>,
  assets: ReadonlyArray<Asset>,
  places: MoneyPlaces
): PlanReport.Fees => {
  const symbols = new Map(assets.map(({ id, symbol }) => [id, symbol]))
  const estimates = new Map<string, PlanReport.FeeEstimate>()
  for (const order of orders.toReversed()) {
    const [input, output] = [symbols.get(order.originAsset), symbols.get(order.destinationAsset)]
    const { estimatedRefundFee: refund, estimatedWithdrawFee: withdraw } = order
    const path = pathBetween(places, order.originAsset, order.destinationAsset)
    const isOurRefund = order.refundTo === path.refundTo && order.refundType === path.refundType
    const isOurPayout = order.recipient === path.recipient && order.recipientType === path.recipientType
    if (input !== undefined && isOurRefund) estimates.set(input, { ...estimates.get(input), ...present({ refund }) })
    if (output !== undefined && isOurPayout)
      estimates.set(output, { ...estimates.get(output), ...present({ withdraw }) })
  }
  return estimates
}

const listedByService = Effect.gen(function* () {
  const rows = yield* Venue.use(({ balances }) => balances).pipe(Effect.orElseSucceed(() => []))
  const totals = new Map<string, Amount>()
  for (const { available, tokenId } of rows) totals.set(tokenId, (totals.get(tokenId) ?? 0n) + available)
  return totals
})

/** Returns the balances that orders are paid from, by symbol. An asset is missing if no source reports its balance. */
const balancesNow = Effect.fn("PlanInputs.balances")(function* (assets: ReadonlyArray<Asset>, account: VenueAccount) {
  const homes = new Map(assets.map((asset) => [asset.id, depositTypeOf(account, asset)]))
  const chainBalances = yield* heldIn(homes).pipe(Effect.orElseSucceed(() => new Map<string, Amount>()))
  // Without an RPC address, only the list of the service shows balances.
  const heldBalances = chainBalances.size > 0 ? chainBalances : yield* listedByService
  if (heldBalances.size === 0) return undefined
  return new Map(
    assets.flatMap(({ id, symbol }) => {
      const amount = heldBalances.get(id)
      return amount === undefined ? [] : [[symbol, amount] as const]
    })
  )
})

const listedNow = Effect.fn("PlanInputs.listed")(function* (assets: ReadonlyArray<Asset>) {
  const tokens = yield* Venue.use((venue) => venue.tokens).pipe(Effect.orElseSucceed(() => []))
  const own = tokens.flatMap((token) => {
    const symbol = assets.find(({ id }) => id === token.assetId)?.symbol
    return symbol === undefined ? [] : [{ ...token, symbol }]
  })
  return {
    usd: new Map(
      own.flatMap(({ priceUsd, symbol }) => (priceUsd > 0 ? [[symbol, Decimal.fromNumber(priceUsd)] as const] : []))
    ),
    chains: new Map(own.map(({ blockchain, symbol }) => [symbol, blockchain]))
  }
})

/** Returns the minimum in USD: that of every order, or the higher one of money that crosses to or from a chain. */
export const minimumIn =
  ({ account, venue }: Pick<ConfigFile.BotSettings, "account" | "venue">, chains: ReadonlyMap<string, string>) =>
  ({ base, quote }: Market): PlanFindings.Minimum | undefined => {
    const { chainMinUsd, minUsd } = venue.facts.orders
    const usual = venue.minOrderUsd ?? (minUsd === undefined ? undefined : Decimal.fromNumber(minUsd))
    const crossing = [base, quote].flatMap((asset) => {
      const chain = depositTypeOf(account, asset) === "ORIGIN_CHAIN" ? chains.get(asset.symbol) : undefined
      const least = chain === undefined ? undefined : chainMinUsd[chain]
      return chain === undefined || least === undefined ? [] : [{ usd: Decimal.fromNumber(least), chain }]
    })
    const all = [...(usual === undefined ? [] : [{ usd: usual }]), ...crossing]
    return all.toSorted((a, b) => Decimal.compare(b.usd, a.usd))[0]
  }
