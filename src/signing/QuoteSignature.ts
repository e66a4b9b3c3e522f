/**
 * The venue's signature of a quote: Ed25519 over the base58 of the SHA-256 of one flat JSON object with sorted keys. The object holds the
 * request, overlaid by the answer, and the time. The signature proves that the deposit address is the venue's own, so a signed quote is
 * checked before any of our money moves. The client checks the answer as it came. An unknown field is not signed.
 */
import { createHash } from "node:crypto"
import bs58 from "bs58"
import { isRecord } from "../domain/Text.ts"
import * as Ed25519 from "./Ed25519.ts"

type Fields = Readonly<Record<string, unknown>>

const alwaysAsked = [
  ..."dry swapType slippageTolerance originAsset depositType destinationAsset amount".split(" "),
  ..."refundTo refundType recipient recipientType deadline".split(" ")
]

const virtualChain = ["virtualChainRecipient", "virtualChainRefundRecipient", "customRecipientMsg"]

/** Signed only if they hold a value: not empty, zero or null. */
const askedWhenGiven = ["quoteWaitingTimeMs", "referral", ...virtualChain]

const alwaysAnswered =
  "amountIn amountInFormatted amountInUsd minAmountIn amountOut amountOutFormatted amountOutUsd minAmountOut".split(" ")

const answeredWhenGiven = [
  ..."depositAddress depositMemo deadline timeWhenInactive timeEstimate".split(" "),
  ...[...virtualChain, "refundFee", "withdrawFee"]
]

const pick = (from: Fields, always: ReadonlyArray<string>, whenGiven: ReadonlyArray<string>): Fields =>
  Object.fromEntries([...always, ...whenGiven.filter((key) => from[key])].map((key) => [key, from[key]]))

/** `undefined` if `response` is not a quote response. */
export const signedBytes = (response: unknown): Uint8Array | undefined => {
  if (!isRecord(response) || !isRecord(response["quoteRequest"]) || !isRecord(response["quote"])) return undefined
  const { quote, quoteRequest, timestamp } = response
  const flat: Fields = {
    ...pick(quoteRequest, alwaysAsked, askedWhenGiven),
    ...pick(quote, alwaysAnswered, quoteRequest["dry"] === true ? [] : answeredWhenGiven),
    timestamp
  }
  const sorted = Object.fromEntries(Object.entries(flat).sort(([a], [b]) => (a < b ? -1 : 1)))
  const hash = createHash("sha256").update(JSON.stringify(sorted)).digest()
  return new TextEncoder().encode(bs58.encode(hash))
}

/** `key` is the configured `ed25519:` public key of the venue. */
export const verify = (key: string, response: unknown): boolean => {
  const bytes = signedBytes(response)
  const signature = isRecord(response) ? response["signature"] : undefined
  return bytes !== undefined && typeof signature === "string" && Ed25519.verify(key, bytes, signature)
}
