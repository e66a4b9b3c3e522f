/** Formats an order book: asks above, bids below, own orders marked. FROM MID is the distance of a price from the mid. */
import { format } from "../../domain/Amount.ts"
import { type Book, distances, type OwnOrder, quotedOn, spreadOf } from "../../domain/Book.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { mid, type Price } from "../../domain/Market.ts"
import { age, percent, utc } from "../../domain/Text.ts"
import * as Table from "./Table.ts"

const distancePlaces = 8

const short = (price: Price): string => Decimal.short(price, 7)

const share = (ratio: Decimal.Decimal | undefined): string =>
  ratio === undefined ? "" : percent(Decimal.toNumber(ratio), 3)

interface Row {
  readonly price: Price
  readonly cells: ReadonlyArray<string>
}

const quotedRows = (book: Book, side: "bid" | "ask", now: number): ReadonlyArray<Row> => {
  const { price: top } = book
  return quotedOn(book, side).map(([price, level]) => {
    const distance = top === undefined ? undefined : distances(level, mid(top))[side === "ask" ? "buy" : "sell"]
    const quantity = format(level.quantity, book.market.base.decimals)
    return { price, cells: [side, short(price), quantity, share(distance), age(now - level.at), ""] }
  })
}

const ownRows = (book: Book, own: ReadonlyArray<OwnOrder>, side: "BUY" | "SELL"): ReadonlyArray<Row> =>
  own
    .filter((order) => order.side === side)
    .map(({ price, quantity, slot }) => {
      const distance = book.price === undefined ? undefined : distanceOf(price, mid(book.price))
      const cells = [`* ${side}`, short(price), format(quantity, book.market.base.decimals), share(distance), "", slot]
      return { price, cells }
    })

const distanceOf = (price: Price, middle: Price): Decimal.Decimal => {
  const [low, high] = Decimal.isLess(price, middle) ? [price, middle] : [middle, price]
  return Decimal.divide(Decimal.subtract(high, low), middle, distancePlaces, "up")
}

const highestFirst = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.toSorted((a, b) => Decimal.compare(b.price, a.price))

const fixedLines = 4

const nearest = (rows: ReadonlyArray<Row>, most: number, word: string): ReadonlyArray<ReadonlyArray<string>> => {
  if (rows.length <= most) return rows.map(({ cells }) => cells)
  const nearestRows = rows.slice(0, Math.max(0, most - 1)).map(({ cells }) => cells)
  return [...nearestRows, [`… ${rows.length - nearestRows.length} ${word}`, "", "", "", "", ""]]
}

export const lines = (
  book: Book,
  own: ReadonlyArray<OwnOrder>,
  now: number,
  mostLines = Number.POSITIVE_INFINITY
): ReadonlyArray<string> => {
  const { market, price, indicative, problem, asked } = book
  const midRow =
    price === undefined
      ? []
      : [["--", short(mid(price)), "", `spread ${share(spreadOf(book))}`, age(now - price.at), ""]]
  const above = highestFirst([...quotedRows(book, "ask", now), ...ownRows(book, own, "SELL")]).toReversed()
  const below = highestFirst([...quotedRows(book, "bid", now), ...ownRows(book, own, "BUY")])
  const head = [problem, indicative].filter((each) => each !== undefined)
  const room = mostLines - fixedLines - head.length
  const maxRows = Math.max(Math.floor(room / 2), room - Math.min(above.length, below.length))
  const table = Table.render(
    [
      "",
      Table.decimal(`PRICE ${market.quote.symbol}`),
      Table.decimal(`QUANTITY ${market.base.symbol}`),
      Table.right("FROM MID"),
      Table.right("AGE"),
      "OWN ORDER"
    ],
    [...nearest(above, maxRows, "higher").toReversed(), ...midRow, ...nearest(below, maxRows, "lower")]
  )
  return [
    `${market.name}  ${utc(now).slice(11)}`,
    ...(problem === undefined ? [] : [`no fresh price: ${problem}`]),
    ...(indicative === undefined
      ? []
      : [
          `indicative only, from the token list: ${short(indicative.mid)}, ${age(now - indicative.at)} old; no strategy decides on it`
        ]),
    ...table,
    `Each price is for its whole quantity. Took ${asked.requests} requests, the last ${age(asked.millis)}.`
  ]
}
