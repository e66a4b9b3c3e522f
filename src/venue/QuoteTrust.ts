/**
 * Decides if a quote may be used, as a price or for payment. It must answer exactly the request. If the venue's key is configured, it must
 * also have the venue's signature. The echoed deadline identifies the request, so an old answer is refused even if it is well signed.
 */
import { max } from "../domain/Amount.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import * as QuoteSignature from "../signing/QuoteSignature.ts"
import type { VenueConfig } from "./VenueConfig.ts"
import { canonicalAssetId } from "./wire/AssetId.ts"
import type { QuoteRequest, QuoteResponse, ReceivedQuote } from "./wire/WireQuote.ts"
import { clean, parseAmount } from "./wire/WireValue.ts"

/** Fields that must be echoed unchanged: with another recipient, the quote would belong to somebody else. */
const bound = [
  "dry",
  "swapType",
  "slippageTolerance",
  "depositType",
  "amount",
  "refundTo",
  "refundType",
  "recipient",
  "recipientType"
] as const

/** The service does not sign these fields and may leave them out, but it must not change them. */
const boundWhereEchoed = ["depositMode", "insured"] as const

const amountFields = ["amountIn", "amountOut", "minAmountIn", "minAmountOut"] as const

/** Tolerances are in basis points. */
const whole = 10_000n

export const distrust = (
  { assetSpellings, quoteKey }: Pick<VenueConfig["Service"], "assetSpellings" | "quoteKey">,
  request: QuoteRequest,
  { quote, quoteRequest, said }: ReceivedQuote
): string | undefined => {
  const changed =
    bound.find((field) => quoteRequest[field] !== request[field]) ??
    boundWhereEchoed.find((field) => quoteRequest[field] !== undefined && quoteRequest[field] !== request[field])
  if (changed !== undefined) return `it answers another ${changed} than the one that was asked for`
  const [otherAsset] = (["originAsset", "destinationAsset"] as const).filter(
    (field) =>
      canonicalAssetId(assetSpellings, quoteRequest[field] ?? "") !== canonicalAssetId(assetSpellings, request[field])
  )
  if (otherAsset !== undefined) {
    return `it answers another ${otherAsset}, ${clean(quoteRequest[otherAsset] ?? "none")}, than ${request[otherAsset]} that was asked for`
  }
  if (!isSameTime(Timestamp.parse(request.deadline), Timestamp.parse(quoteRequest.deadline ?? "")))
    return "it answers another deadline"
  const impossible = amountFields.find((field) => quote[field] !== undefined && parseAmount(quote[field]) === undefined)
  if (impossible !== undefined) return `its ${impossible} is not a whole number`
  if (!request.dry && !quote.depositAddress) return "it has no deposit address"
  const problem = sizeProblem(request, quote) ?? leastProblem(request, quote)
  if (problem !== undefined || quoteKey === undefined || QuoteSignature.verify(quoteKey, said)) return problem
  return "its signature is not the one of venue.quoteKey"
}

/** A service may keep whole seconds only. */
const isSameTime = (asked: number | undefined, echoed: number | undefined): boolean =>
  asked !== undefined && (echoed === asked || echoed === asked - (asked % 1000))

/** The venue must not change the side that the request fixed. A price must be for exactly the requested size. */
const sizeProblem = ({ amount, dry, swapType }: QuoteRequest, quote: QuoteResponse["quote"]): string | undefined => {
  if (swapType === "EXACT_OUTPUT") {
    const output = parseAmount(quote.amountOut ?? "") ?? 0n
    const isOther = dry ? output !== BigInt(amount) : output < BigInt(amount)
    return isOther ? `it pays out ${quote.amountOut}` : undefined
  }
  const deposit = parseAmount(quote.amountIn) ?? 0n
  const isOther = dry && swapType === "EXACT_INPUT" ? deposit !== BigInt(amount) : deposit > BigInt(amount)
  return isOther ? `it asks for a deposit of ${quote.amountIn}` : undefined
}

/**
 * A swap has to pay only its least output, so a least output below the agreed tolerance would let the venue keep the rest. Both roundings
 * favour the venue, which may round once more. A dry quote promises nothing. The least output of FLEX_INPUT belongs to its least input.
 */
const leastProblem = (
  { dry, slippageTolerance, swapType }: QuoteRequest,
  { amountIn, amountOut, minAmountIn = amountIn, minAmountOut }: QuoteResponse["quote"]
): string | undefined => {
  if (dry || swapType === "ANY_INPUT") return undefined
  const [part, all] =
    swapType === "FLEX_INPUT" ? [parseAmount(minAmountIn) ?? 0n, max(1n, parseAmount(amountIn) ?? 0n)] : [1n, 1n]
  const least =
    ((parseAmount(amountOut ?? "") ?? 0n) * part * (whole - BigInt(Math.ceil(slippageTolerance)))) / (whole * all)
  if ((parseAmount(minAmountOut ?? "") ?? 0n) + 1n >= least) return undefined
  const promised = minAmountOut ?? "nothing"
  return `it pays out ${amountOut} but promises only ${promised}: with the agreed tolerance of ${slippageTolerance / 100} % it must promise ${least}`
}
