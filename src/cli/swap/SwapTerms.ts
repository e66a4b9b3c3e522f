/** Turns the venue's answer into the terms to agree to: exact amounts, or why this quote cannot be accepted. */

import { Effect, Schema } from "effect"
import { present } from "../../domain/Present.ts"
import type { AgreedSwap } from "../../domain/SwapEvent.ts"
import type { QuoteResponse } from "../../venue/Swaps.ts"
import type { Answer } from "../../venue/Venue.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import type { AskedSwap } from "./SwapFlags.ts"

/** The quote lacks something without which no money is paid. */
export class QuoteUnusable extends Schema.TaggedError<QuoteUnusable>()("QuoteUnusable", { why: Schema.String }) {
  override get message(): string {
    return `The venue's quote cannot be taken: ${this.why}. Nothing was paid.`
  }
}

interface Circumstances {
  readonly venue: string
  readonly account: string
  readonly isSignatureVerified: boolean
}

export const agreed = Effect.fn("SwapTerms.agreed")(function* (
  { destination, origin, request }: AskedSwap,
  { correlationId, value }: Answer<QuoteResponse>,
  circumstances: Circumstances
) {
  const { quote } = value
  const required = <A>(what: string, text: string | undefined, parse: (text: string) => A | undefined) => {
    const parsed = text === undefined ? undefined : parse(text)
    return parsed === undefined
      ? Effect.fail(new QuoteUnusable({ why: `it says no usable ${what}` }))
      : Effect.succeed(parsed)
  }
  const optional = (name: "minAmountIn" | "minAmountOut" | "refundFee") => {
    const amount = Wire.parseAmount(quote[name] ?? "")
    return amount === undefined ? {} : { [name]: amount }
  }
  const isInternal = request.depositType !== "ORIGIN_CHAIN"
  if (isInternal && quote.depositMemo !== undefined) {
    return yield* new QuoteUnusable({ why: "it wants a memo, which a signed transfer cannot carry" })
  }
  const { depositType, recipient, recipientType, refundTo, refundType, swapType } = request
  const agreed: AgreedSwap = {
    ...circumstances,
    swapType,
    origin,
    destination,
    depositType,
    depositAddress: yield* required("deposit address", quote.depositAddress, Wire.parseName),
    ...present({ depositMemo: quote.depositMemo }),
    amountIn: yield* required("amountIn", quote.amountIn, Wire.parseAmount),
    amountOut: yield* required("amountOut", quote.amountOut, Wire.parseAmount),
    ...optional("minAmountIn"),
    ...optional("minAmountOut"),
    ...optional("refundFee"),
    recipient,
    recipientType,
    refundTo,
    refundType,
    deadline: yield* required("deadline", quote.deadline ?? request.deadline, Wire.parseTimestamp),
    quote: JSON.stringify(value),
    ...present({ correlationId })
  }
  return agreed
})
