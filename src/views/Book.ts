/** The price, depth and own orders of a market: as the running bot knows them, and as `book` requests them. */
import { Schema } from "effect"
import { format } from "../domain/Amount.ts"
import {
  type DepthLevel,
  distances,
  type OwnOrder,
  type Book as QuotedBook,
  quotedOn,
  spreadOf
} from "../domain/Book.ts"
import * as Decimal from "../domain/Decimal.ts"
import { type Market, mid, type TwoSidedPrice } from "../domain/Market.ts"
import { type BotState, unfinished } from "../engine/state/BotState.ts"
import { openQuantity, type Placement } from "../engine/state/Placement.ts"
import type * as Money from "../report/text/Money.ts"
import { asOf, Time } from "./AsOf.ts"
import { OrderView, orderView } from "./Orders.ts"
import { PriceView, priceView, quoteView } from "./Prices.ts"

const Text = Schema.String
const { side, price, quantity, filled, slot, state } = OrderView.fields

const BookView = Schema.Struct({
  market: Text,
  price: Schema.NullOr(PriceView),
  /** Smallest first. */
  depth: Schema.Array(Schema.Struct({ quantity: Text, bid: Text, ask: Text, at: Time })),
  orders: Schema.Array(Schema.Struct({ side, price, quantity, filled, slot, state }))
})
export const Book = Schema.Struct({ ...asOf, ...BookView.fields })

const notInBook: ReadonlySet<Placement["state"]> = new Set(["planned", "closing"])

/** Highest price first; only orders that may fill, now or once paid. One that is being cancelled stays until its end is reported. */
export const bookOrders = (state: BotState, assets: Money.Assets, market: string): (typeof BookView.Type)["orders"] =>
  unfinished(state)
    .filter(
      (placement) => placement.market === market && !notInBook.has(placement.state) && openQuantity(placement) > 0n
    )
    .sort((a, b) => Decimal.compare(b.price, a.price))
    .map((placement) => orderView(placement, assets))

export const bookView = (
  state: BotState,
  assets: Money.Assets,
  { base, name }: Market,
  now: TwoSidedPrice | undefined,
  levels: ReadonlyArray<DepthLevel>
): typeof BookView.Type => ({
  market: name,
  price: now === undefined ? null : priceView(name, now),
  depth: levels.flatMap(({ ask, at, bid, quantity }) =>
    ask === undefined || bid === undefined
      ? []
      : [{ quantity: format(quantity, base.decimals), ...quoteView({ ask, at, bid }) }]
  ),
  orders: bookOrders(state, assets, name)
})

/** Fixed, because other programs read it: exact decimals in text, best first. */
export const askedBook = (book: QuotedBook, own: ReadonlyArray<OwnOrder>, now: number) => {
  const { decimals } = book.market.base
  const levels = (side: "bid" | "ask") =>
    quotedOn(book, side).map(([price, { quantity, at }]) => ({
      price: Decimal.format(price),
      quantity: format(quantity, decimals),
      ageMillis: now - at
    }))
  const { price, indicative } = book
  return {
    market: book.market.name,
    at: price?.at ?? null,
    bids: levels("bid"),
    asks: levels("ask"),
    own: own.map(({ side, price, quantity, slot }) => ({
      side,
      price: Decimal.format(price),
      quantity: format(quantity, decimals),
      slot
    })),
    spread: ratio(spreadOf(book)),
    impact:
      price === undefined
        ? []
        : book.depth.map((level) => {
            const { buy, sell } = distances(level, mid(price))
            return { quantity: format(level.quantity, decimals), buy: ratio(buy), sell: ratio(sell) }
          }),
    indicative: indicative === undefined ? null : { price: Decimal.format(indicative.mid), at: indicative.at },
    problem: book.problem ?? null,
    asked: book.asked
  }
}

const ratio = (value: Decimal.Decimal | undefined) => (value === undefined ? null : Decimal.format(value))
