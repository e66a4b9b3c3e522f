/** `limitbot book [MARKET…]`: the order book that the service does not publish, from dry quotes and our own orders. */
import { Clock, Console, Effect, FileSystem, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Amount, fromDecimal } from "../../domain/Amount.ts"
import { bestFirst, type OwnOrder } from "../../domain/Book.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import { OrderBook } from "../../engine/book/OrderBook.ts"
import { restingIn } from "../../engine/book/OwnOrders.ts"
import type { Wanted } from "../../engine/book/Wanted.ts"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import * as BookText from "../../report/text/BookText.ts"
import { Venue } from "../../venue/Venue.ts"
import * as ConfigFile from "../files/ConfigFile.ts"
import * as flags from "../flags.ts"
import * as Modes from "../Modes.ts"
import { requestedOrAfter } from "../Stop.ts"
import { Terminal } from "../Terminal.ts"

/** The sizes to ask for by default, in US dollars. */
const usualUsd = [100, 1_000, 10_000]
const watchMillis = 5_000

export class UnknownMarket extends Schema.TaggedError<UnknownMarket>()("UnknownMarket", {
  market: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `There is no market ${this.market} between the assets of the configuration. There are: ${this.known.join(", ")}`
  }
}

export class NoMarket extends Schema.TaggedError<NoMarket>()("NoMarket", { known: Schema.Array(Schema.String) }) {
  override get message(): string {
    return `Say which market: the journal has none yet. There are: ${this.known.join(", ")}`
  }
}

export class NoSize extends Schema.TaggedError<NoSize>()("NoSize", { market: Schema.String, text: Schema.String }) {
  override get message(): string {
    return `${this.market}: ${this.text}. Say the sizes in base, for example --size 0.1 --size 1`
  }
}

export const command = Command.make(
  "book",
  {
    markets: Argument.String("market").pipe(
      Argument.withDescription("Markets such as BTC/USDC; default: those of the journal"),
      Argument.variadic({ min: 0 })
    ),
    config: flags.config,
    size: Flag.String("size").pipe(
      Flag.withDescription("A base quantity to ask for, may be repeated; default: worth 100, 1,000 and 10,000 USD"),
      Flag.between(0, 10)
    ),
    watch: Flag.Boolean("watch").pipe(
      Flag.withDescription("Ask again every five seconds until stopped"),
      Flag.withDefault(false)
    ),
    forMillis: flags.forDuration,
    json: flags.json
  },
  Effect.fn(function* ({ markets: named, config: file, size: sizes, watch, forMillis, json }) {
    const config = yield* ConfigFile.load(file)
    const account = yield* Modes.accountOf(config)
    const known = Modes.marketsByName(config.markets)
    const show = Effect.gen(function* () {
      const own = yield* restingNow(config.journal)
      const names = named.length > 0 ? named : [...own.traded]
      if (names.length === 0) return yield* new NoMarket({ known: [...known.keys()] })
      const wanted = yield* Effect.forEach(names, (name) => wantedOf(name, known, sizes))
      yield* look(wanted, own.orders, { json, isWatched: watch })
    })
    const again = Effect.forever(Effect.andThen(show, Effect.sleep(watchMillis)))
    const isOver = requestedOrAfter(forMillis)
    const terminal = yield* Terminal
    if (watch && terminal.isInteractive && !json) yield* terminal.ownScreen
    yield* Effect.provide(watch ? Effect.raceFirst(again, isOver) : show, Modes.looking(config, account))
  }, Effect.scoped)
).pipe(
  Command.withDescription("Show what the market takes at which price, and your own orders in it"),
  Command.withExamples([
    { command: "limitbot book BTC/USDC --config config/limitbot.yaml", description: "Look once" },
    { command: "limitbot book BTC/USDC --size 0.1 --size 1 --watch", description: "Watch two sizes" }
  ])
)

interface Own {
  readonly orders: ReadonlyMap<string, ReadonlyArray<OwnOrder>>
  readonly traded: ReadonlySet<string>
}

/** What rests according to the journal; nothing if there is no journal yet. */
const restingNow = Effect.fnUntraced(function* (journal: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const exists = yield* fileSystem.exists(journal).pipe(Effect.orElseSucceed(() => false))
  if (!exists) return { orders: new Map(), traded: new Set() } satisfies Own
  const state = yield* Effect.provide(Bookkeeper.replay, Modes.readOnlyJournal(journal))
  const ofStrategies = [...state.strategies.values()].flatMap(({ loaded }) => loaded?.market.split(", ") ?? [])
  return { orders: restingIn(state), traded: new Set(ofStrategies) } satisfies Own
})

const wantedOf = Effect.fnUntraced(function* (
  name: string,
  known: ReadonlyMap<string, Market>,
  named: ReadonlyArray<string>
) {
  const market = known.get(name)
  if (market === undefined) return yield* new UnknownMarket({ market: name, known: [...known.keys()] })
  const quantities = named.length > 0 ? yield* quantitiesOf(market, named) : yield* usualQuantities(market)
  const [first = 1n, ...others] = quantities.toSorted((a, b) => (a < b ? -1 : 1))
  return { market, sizes: { base: first, quote: 0n }, depth: others } satisfies Wanted
})

const quantitiesOf = (market: Market, named: ReadonlyArray<string>) =>
  Effect.forEach(named, (text) => {
    const value = Decimal.parse(text)
    const quantity = value === undefined ? undefined : fromDecimal(value, market.base.decimals)
    if (quantity !== undefined && quantity > 0n) return Effect.succeed(quantity)
    return Effect.fail(new NoSize({ market: market.name, text: `${text} is not an amount of ${market.base.symbol}` }))
  })

const usualQuantities = Effect.fnUntraced(function* ({ name, base }: Market) {
  const tokens = yield* Venue.use((venue) => venue.tokens)
  const usd = tokens.find(({ assetId }) => assetId === base.id)?.priceUsd ?? 0
  if (!(usd > 0)) return yield* new NoSize({ market: name, text: `the venue tells no price of ${base.symbol}` })
  // Three digits: the size only has to be approximate.
  return usualUsd.map((worth): Amount => {
    const exact = Decimal.fromNumber(worth / usd, 3)
    const step = Decimal.make(1n, base.decimals)
    return fromDecimal(Decimal.roundToStep(exact, step, "up"), base.decimals) ?? 1n
  })
})

const look = Effect.fnUntraced(function* (
  wanted: ReadonlyArray<Wanted>,
  resting: Own["orders"],
  { json, isWatched }: { readonly json: boolean; readonly isWatched: boolean }
) {
  const orderBook = yield* OrderBook
  const terminal = yield* Terminal
  yield* orderBook.lookDeep(wanted, 0)
  const now = yield* Clock.currentTimeMillis
  const shown = wanted.flatMap(({ market: { name } }) => {
    const book = orderBook.book(name)
    return book === undefined ? [] : [{ book, own: bestFirst(resting.get(name) ?? []) }]
  })
  if (json) {
    return yield* Effect.forEach(shown, ({ book, own }) => Console.log(JSON.stringify(BookText.json(book, own, now))), {
      discard: true
    })
  }
  const lines = shown.flatMap(({ book, own }) => [...BookText.lines(book, own, now), ""])
  yield* isWatched && terminal.isInteractive ? terminal.redraw(lines) : Console.log(lines.join("\n").trimEnd())
})
