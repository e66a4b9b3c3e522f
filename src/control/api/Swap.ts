/** A manual swap. It has no recipient: a bot pays only to its own account, so the holder of a token cannot send money away. */
import { Schema } from "effect"
import { dayMillis } from "../../domain/Durations.ts"

const Symbol = Schema.String.check(Schema.isBetweenLength(1, 100))

export const SwapRequest = Schema.Struct({
  /** In units of the paid asset; with EXACT_OUTPUT, of the received asset. */
  amount: Schema.String.check(Schema.isPattern(/^\d{1,30}(\.\d{1,30})?$/)),
  from: Symbol,
  to: Symbol,
  type: Schema.optionalKey(Schema.Literals(["EXACT_INPUT", "EXACT_OUTPUT"])),
  /** The accepted loss against the quote, in basis points; default: 100. A higher value invites a worse fill. */
  slippage: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))),
  /** Milliseconds that the deposit may take; default: ten minutes. */
  deadlineMillis: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1_000, maximum: dayMillis })))
})
export type SwapRequest = typeof SwapRequest.Type

export const SwapOffer = Schema.Struct({
  quote: Schema.String,
  /** Epoch milliseconds; the quote can be approved until then. */
  until: Schema.Int,
  pay: Schema.String,
  receive: Schema.String,
  /** The guaranteed minimum output; null if the venue promises none. */
  least: Schema.NullOr(Schema.String),
  terms: Schema.Array(Schema.String)
})
export type SwapOffer = typeof SwapOffer.Type
