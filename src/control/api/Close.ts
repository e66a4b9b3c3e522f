/** The request to close a strategy, and its answer. */
import { Schema } from "effect"
import { aboveZero } from "./Order.ts"

export const CloseRequest = Schema.Struct({
  strategy: Schema.String.check(Schema.isBetweenLength(1, 200)),
  /** The worst price of the sale. Missing: near the market, which it follows. */
  price: Schema.optionalKey(aboveZero("a price above zero such as 61000")),
  /** `swap`: sold at once at this price or a better one, instead of by an order. */
  by: Schema.optionalKey(Schema.Literal("swap")),
  /** True returns the plan and writes nothing. */
  dry: Schema.optionalKey(Schema.Boolean)
})
export type CloseRequest = typeof CloseRequest.Type

export const CloseAnswer = Schema.Struct({
  message: Schema.String,
  strategy: Schema.String,
  file: Schema.String,
  /** The plan with its costs, as text to show to the user. */
  terms: Schema.Array(Schema.String)
})
export type CloseAnswer = typeof CloseAnswer.Type
