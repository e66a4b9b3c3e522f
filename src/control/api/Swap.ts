/**
 * A swap by hand as the API takes it. It has no recipient: a bot pays only to the places of its own account, so who has its
 * token cannot send money away.
 */
import { Schema } from "effect"
import { dayMillis } from "../../domain/Durations.ts"

const Symbol = Schema.String.check(Schema.isBetweenLength(1, 100))

export const SwapRequest = Schema.Struct({
  /** In units of the asset that is paid, or of the one received with EXACT_OUTPUT. */
  amount: Schema.String.check(Schema.isPattern(/^\d{1,30}(\.\d{1,30})?$/)),
  from: Symbol,
  to: Symbol,
  type: Schema.optionalKey(Schema.Literals(["EXACT_INPUT", "EXACT_OUTPUT"])),
  /** How much worse than quoted it may become, in basis points; left out: 100. More is a gift to somebody. */
  slippage: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))),
  /** How long the deposit may take; left out: ten minutes. */
  deadlineMillis: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1_000, maximum: dayMillis })))
})
export type SwapRequest = typeof SwapRequest.Type

export const SwapOffer = Schema.Struct({
  /** Names the quote when it is agreed to. */
  quote: Schema.String,
  /** Epoch milliseconds: until then it can be agreed to. */
  until: Schema.Int,
  pay: Schema.String,
  receive: Schema.String,
  /** The least that it brings; null where the venue promises none. */
  least: Schema.NullOr(Schema.String),
  /** All of it in words, line by line. */
  terms: Schema.Array(Schema.String)
})
export type SwapOffer = typeof SwapOffer.Type
