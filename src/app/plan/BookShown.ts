/** Shows the order book, once or repeatedly. The service publishes none, so it comes from dry quotes and our own orders. */
import { Clock, Console, Effect } from "effect"
import { type Amount, fromDecimal } from "../../domain/Amount.ts"
import { bestFirst } from "../../domain/Book.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import { restingIn } from "../../engine/markets/MarketWatch.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Layers from "../../Layers.ts"
import { OrderBook } from "../../orderbook/OrderBook.ts"
import type { Wanted } from "../../orderbook/Wanted.ts"
import { requestedOrAfter } from "../../process/Stop.ts"
import { Terminal } from "../../process/Terminal.ts"
import * as BookText from "../../report/text/BookText.ts"
import { Venue } from "../../venue/Venue.ts"
import { askedBook } from "../../views/Book.ts"
import { commandFailed } from "../CommandFailed.ts"
import { stateOf } from "../journal/JournalView.ts"

const watchMillis = 5_000
export const usualUsd = [100, 1_000, 10_000]

const noMarket = (why: string, markets: ReadonlyMap<string, Market>) =>
  commandFailed(`${why}. Markets: ${[...markets.keys()].join(", ")}`)

const noSize = (market: string, text: string) =>
  commandFailed(`${market}: ${text}. Set the sizes in base, for example --size 0.1 --size 1`)

const marketsTraded = (journal: string) =>
  Effect.map(stateOf(journal), ({ strategies }) => [
    ...new Set([...strategies.values()].flatMap(({ loaded }) => loaded?.market.split(", ") ?? []))
  ])

interface Asked {
  readonly markets: ReadonlyArray<string>
  readonly config: string
  readonly size: ReadonlyArray<string>
  readonly watch: boolean
  readonly forMillis: number | undefined
  readonly json: boolean
}

export const show = Effect.fn("BookShown.show")(function* (asked: Asked) {
  const { markets: named, config: file, size: sizes, watch, forMillis, json } = asked
  const config = yield* ConfigFile.load(file)
  const account = yield* Layers.accountOf(config)
  const marketsByName = Layers.marketsByName(config.markets)
  const names = named.length > 0 ? named : yield* marketsTraded(config.journal)
  if (names.length === 0) return yield* noMarket("Name a market: the journal has none yet", marketsByName)
  const terminal = yield* Terminal
  if (watch && terminal.isInteractive && !json) yield* terminal.ownScreen
  yield* Effect.gen(function* () {
    // Computed once: sizes that follow the price would leave quotes of earlier sizes in the book.
    const bookRequests = yield* Effect.forEach(names, (name) => wantedOf(name, marketsByName, sizes))
    const show = look(bookRequests, config.journal, { json, isWatched: watch })
    const again = Effect.forever(Effect.andThen(show, Effect.sleep(watchMillis)))
    yield* watch ? Effect.raceFirst(again, requestedOrAfter(forMillis)) : show
  }).pipe(Effect.provide(Layers.looking(config, account)))
}, Effect.scoped)

const look = Effect.fnUntraced(function* (
  wanted: ReadonlyArray<Wanted>,
  journal: string,
  { json, isWatched }: { readonly json: boolean; readonly isWatched: boolean }
) {
  const orderBook = yield* OrderBook
  const terminal = yield* Terminal
  const state = yield* stateOf(journal)
  yield* orderBook.lookDeep(wanted, 0)
  const now = yield* Clock.currentTimeMillis
  const bookViews = wanted.flatMap(({ market: { name } }) => {
    const book = orderBook.book(name)
    return book === undefined ? [] : [{ book, own: bestFirst(restingIn(state, name)) }]
  })
  if (json) {
    return yield* Effect.forEach(bookViews, ({ book, own }) => Console.log(JSON.stringify(askedBook(book, own, now))), {
      discard: true
    })
  }
  const isDrawn = isWatched && terminal.isInteractive
  // Each market has an empty line after it, and all must fit the screen.
  const room = isDrawn ? Math.floor(terminal.rows() / bookViews.length) - 1 : undefined
  const lines = bookViews.flatMap(({ book, own }) => [...BookText.lines(book, own, now, room), ""])
  yield* isDrawn
    ? terminal.redraw(lines.map((line) => line.slice(0, terminal.columns())))
    : Console.log(lines.join("\n").trimEnd())
})

/** Returns the market with the named sizes in base. The quote size is 0, because a book is quoted in base only. */
const wantedOf = Effect.fnUntraced(function* (
  name: string,
  known: ReadonlyMap<string, Market>,
  named: ReadonlyArray<string>
) {
  const market = known.get(name)
  if (market === undefined) return yield* noMarket(`No market ${name} in the configuration`, known)
  const quantities = named.length > 0 ? yield* quantitiesOf(market, named) : yield* usualQuantities(market)
  const [first = 1n, ...others] = quantities.toSorted((a, b) => (a < b ? -1 : 1))
  return { market, sizes: { base: first, quote: 0n }, depth: others } satisfies Wanted
})

const quantitiesOf = (market: Market, named: ReadonlyArray<string>) =>
  Effect.forEach(named, (text) => {
    const value = Decimal.parse(text)
    const quantity = value === undefined ? undefined : fromDecimal(value, market.base.decimals)
    if (quantity !== undefined && quantity > 0n) return Effect.succeed(quantity)
    return Effect.fail(noSize(market.name, `${text} is not an amount of ${market.base.symbol}`))
  })

const usualQuantities = Effect.fnUntraced(function* ({ name, base }: Market) {
  const tokens = yield* Venue.use((venue) => venue.tokens)
  const priceUsd = tokens.find(({ assetId }) => assetId === base.id)?.priceUsd ?? 0
  if (!(priceUsd > 0)) return yield* noSize(name, `the venue has no price of ${base.symbol}`)
  // Three digits suffice, because the size only has to be approximate.
  return usualUsd.map((sizeUsd): Amount => {
    const exact = Decimal.fromNumber(sizeUsd / priceUsd, 3)
    const step = Decimal.make(1n, base.decimals)
    return fromDecimal(Decimal.roundToStep(exact, step, "up"), base.decimals) ?? 1n
  })
})
