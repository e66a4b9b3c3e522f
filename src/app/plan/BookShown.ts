/** Shows the order book, once or repeatedly. The service publishes none, so it comes from dry quotes and our own orders. */
import { Clock, Console, Effect, type Option, Schema } from "effect"
import { bestFirst } from "../../domain/Book.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Layers from "../../Layers.ts"
import { OrderBook } from "../../orderbook/OrderBook.ts"
import type { Wanted } from "../../orderbook/Wanted.ts"
import { requestedOrAfter } from "../../process/Stop.ts"
import { Terminal } from "../../process/Terminal.ts"
import * as BookText from "../../report/text/BookText.ts"
import { askedBook } from "../../views/Book.ts"
import { type OwnResting, restingNow, wantedOf } from "./BookAsked.ts"

const watchMillis = 5_000

export class NoMarket extends Schema.TaggedError<NoMarket>()("NoMarket", { known: Schema.Array(Schema.String) }) {
  override get message(): string {
    return `Name a market: the journal has none yet. Markets: ${this.known.join(", ")}`
  }
}

interface Asked {
  readonly markets: ReadonlyArray<string>
  readonly config: string
  readonly size: ReadonlyArray<string>
  readonly watch: boolean
  readonly forMillis: Option.Option<number>
  readonly json: boolean
}

export const show = Effect.fn("BookShown.show")(function* (asked: Asked) {
  const { markets: named, config: file, size: sizes, watch, forMillis, json } = asked
  const config = yield* ConfigFile.load(file)
  const account = yield* Layers.accountOf(config)
  const marketsByName = Layers.marketsByName(config.markets)
  const names = named.length > 0 ? named : [...(yield* restingNow(config.journal)).marketsTraded]
  if (names.length === 0) return yield* new NoMarket({ known: [...marketsByName.keys()] })
  const terminal = yield* Terminal
  if (watch && terminal.isInteractive && !json) yield* terminal.ownScreen
  yield* Effect.gen(function* () {
    // Computed once: sizes that follow the price would leave quotes of earlier sizes in the book.
    const bookRequests = yield* Effect.forEach(names, (name) => wantedOf(name, marketsByName, sizes))
    const show = Effect.flatMap(restingNow(config.journal), ({ orders }) =>
      look(bookRequests, orders, { json, isWatched: watch })
    )
    const again = Effect.forever(Effect.andThen(show, Effect.sleep(watchMillis)))
    yield* watch ? Effect.raceFirst(again, requestedOrAfter(forMillis)) : show
  }).pipe(Effect.provide(Layers.looking(config, account)))
}, Effect.scoped)

const look = Effect.fnUntraced(function* (
  wanted: ReadonlyArray<Wanted>,
  resting: OwnResting["orders"],
  { json, isWatched }: { readonly json: boolean; readonly isWatched: boolean }
) {
  const orderBook = yield* OrderBook
  const terminal = yield* Terminal
  yield* orderBook.lookDeep(wanted, 0)
  const now = yield* Clock.currentTimeMillis
  const bookViews = wanted.flatMap(({ market: { name } }) => {
    const book = orderBook.book(name)
    return book === undefined ? [] : [{ book, own: bestFirst(resting.get(name) ?? []) }]
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
