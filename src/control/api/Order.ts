/** Orders by hand, and the closing of a strategy, in the form of the API. Amounts and prices are exact decimals in text. */
import { Schema } from "effect"

const aboveZero = (message: string) =>
  Schema.String.check(Schema.isPattern(/^(?=.*[1-9])\d{1,30}(\.\d{1,30})?$/, { message }))
const Price = aboveZero("a price above zero such as 59000; a trade at the market is a swap")
const Share = Schema.String.check(
  Schema.isPattern(/^(?=.*[1-9])\d{1,2}(\.\d{1,6})?%$/, { message: "a share such as 4%" })
)
/** A price, or a distance from the entry. */
const Exit = Schema.Union([Price, Share])
const target = /(?=[\d.]*[1-9])(?:\d{1,30}(?:\.\d{1,30})?|\d{1,2}(?:\.\d{1,6})?%)/.source
const targetPart = `${target}:\\d{1,3}(?:\\.\\d{1,6})?%`
/** One exit, or several, each with the part of the order that leaves there. */
const Targets = Schema.String.check(
  Schema.isPattern(new RegExp(`^(?:${target}|${targetPart}(?:, ?${targetPart}){0,99})$`), {
    message: "a price or a distance such as 5%, or several, each with its part, such as 2%:50%,5%:50%"
  })
)
export const OrderId = Schema.String.check(
  Schema.isPattern(/^(buy|sell)-[0-9a-f]{8}$/, { message: "an order such as buy-1a2b3c4d, as order list shows it" })
)
export const OrderKey = Schema.String.check(Schema.isBetweenLength(8, 200, { message: "a key of 8 to 200 characters" }))

export const OrderRequest = Schema.Struct({
  side: Schema.Literals(["buy", "sell"]),
  /** BASE/QUOTE, or an asset against the configuration's stable one. */
  market: Schema.String.check(Schema.isBetweenLength(1, 200)),
  /** In units of the market's base asset; `all`: as much as is free. */
  amount: Schema.Union([aboveZero("a number above zero such as 0.01"), Schema.Literal("all")]),
  price: Price,
  takeProfit: Schema.optionalKey(Targets),
  stop: Schema.optionalKey(Exit),
  /** The stop follows this far behind the best price. */
  trail: Schema.optionalKey(Share),
  /** From here on the stop is at least the entry price. */
  breakevenAt: Schema.optionalKey(Exit),
  /** Cancels the order if nothing of it has filled after this time, for example `6h`. */
  expire: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(20))),
  /** A condition of rules: the order is placed when it is true. Default: at once. */
  when: Schema.optionalKey(Schema.String.check(Schema.isBetweenLength(1, 1_000))),
  /** Equal parts, one after the other. */
  parts: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 1_000 }))),
  /** True returns the plan and writes nothing. */
  dry: Schema.optionalKey(Schema.Boolean)
})
export type OrderRequest = typeof OrderRequest.Type

export const OrderChange = Schema.Struct({ order: OrderId, price: Price, dry: Schema.optionalKey(Schema.Boolean) })
export type OrderChange = typeof OrderChange.Type

export const OrderAnswer = Schema.Struct({
  message: Schema.String,
  order: Schema.String,
  /** "strategy/slot", as `slots` and `explain` name it; the first one of an order with several targets. */
  slot: Schema.String,
  file: Schema.String,
  /** In units of the base asset: for `all` the size that the plan is about. */
  amount: Schema.String,
  /** The plan with its costs, as text to show to the user. */
  terms: Schema.Array(Schema.String)
})
export type OrderAnswer = typeof OrderAnswer.Type

export const CloseRequest = Schema.Struct({
  strategy: Schema.String.check(Schema.isBetweenLength(1, 200)),
  /** The worst price of the sale. Missing: near the market, which it follows. */
  price: Schema.optionalKey(Price),
  /** `swap`: sold at once at this price or a better one, instead of by an order. */
  by: Schema.optionalKey(Schema.Literal("swap")),
  dry: Schema.optionalKey(Schema.Boolean)
})
export type CloseRequest = typeof CloseRequest.Type

export const CloseAnswer = Schema.Struct({
  message: Schema.String,
  strategy: Schema.String,
  file: Schema.String,
  terms: Schema.Array(Schema.String)
})
export type CloseAnswer = typeof CloseAnswer.Type

export const OrderStanding = Schema.Struct({
  order: Schema.String,
  /** Its entry and its exits in words. */
  terms: Schema.String,
  /** Part of its entry that has filled, over all its orders; empty before its first order. */
  filled: Schema.String,
  /** State, price and filled part of its exit, for example `open at 61950, 0 %`. Missing before its entry has filled. */
  exit: Schema.optionalKey(Schema.String),
  state: Schema.String,
  why: Schema.String,
  /** Nothing more of it will be placed, and none of its money is on the way. */
  hasEnded: Schema.Boolean
})
export type OrderStanding = typeof OrderStanding.Type

const chatNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(OrderRequest.fields).map((name) => [name.toLowerCase(), name])),
  "take-profit": "takeProfit",
  breakeven: "breakevenAt",
  "in-parts": "parts"
}

/** Turns the words of a chat, such as `buy 0.01 BTC at 59000 stop 57000`, into an unchecked request. Phones turn `--` into a dash. */
export const wordsOfOrder = ([side, amount, market, , price, ...more]: ReadonlyArray<string>): unknown => {
  const termsByName = more.flatMap((word, index) => {
    const term = word.replace(/^[-–—]+/, "").toLowerCase()
    const [name, value] = [chatNames[term] ?? term, more[index + 1]]
    return index % 2 === 1 ? [] : [[name, name === "parts" ? Number(value) : value] as const]
  })
  return { side, amount, market: market?.toUpperCase(), price, ...Object.fromEntries(termsByName) }
}
