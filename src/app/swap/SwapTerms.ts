/** Requests a quote. Returns exact amounts to accept, or the reason why the quote is unusable. */
import { Effect, Schema } from "effect"
import { present } from "../../domain/Present.ts"
import type { AgreedSwap } from "../../domain/SwapRecord.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import { Swaps } from "../../venue/Swaps.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import type { AskedSwap } from "./SwapRequest.ts"

export class QuoteUnusable extends Schema.TaggedError<QuoteUnusable>()("QuoteUnusable", { why: Schema.String }) {
  override get message(): string {
    return `The venue's quote is unusable: ${this.why}. Nothing was paid.`
  }
}

export const quoted = Effect.fn("SwapTerms.quoted")(function* (
  { destination, origin, request }: AskedSwap,
  { config, signerId }: { readonly config: BotConfig; readonly signerId: string }
) {
  const { correlationId, value } = yield* (yield* Swaps).quote(request)
  const { quote } = value
  const required = <A>(what: string, text: string | undefined, parse: (text: string) => A | undefined) => {
    const parsed = text === undefined ? undefined : parse(text)
    return parsed === undefined
      ? Effect.fail(new QuoteUnusable({ why: `its ${what} is missing or unusable` }))
      : Effect.succeed(parsed)
  }
  const optional = (name: "minAmountIn" | "minAmountOut" | "refundFee") => {
    const amount = Wire.parseAmount(quote[name] ?? "")
    return amount === undefined ? {} : { [name]: amount }
  }
  const isInternal = request.depositType !== "ORIGIN_CHAIN"
  if (isInternal && quote.depositMemo !== undefined) {
    return yield* new QuoteUnusable({ why: "it needs a memo, which a signed transfer cannot carry" })
  }
  const { depositType, recipient, recipientType, refundTo, refundType, swapType } = request
  const agreed: AgreedSwap = {
    venue: config.venue.url,
    account: signerId,
    isSignatureVerified: config.venue.quoteKey !== undefined,
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
    deadline: yield* required("deadline", quote.deadline ?? request.deadline, Timestamp.parse),
    quote: JSON.stringify(value),
    ...present({ correlationId })
  }
  return agreed
})
