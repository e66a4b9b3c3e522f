/**
 * A signed payment on its way to a deposit address: the one rule book for orders and swaps. Its bytes are signed once and
 * are the only ones that are ever sent; their nonce executes at most once, and never after `validUntil`.
 *
 * Only two things are certain: bytes that never left the process cannot have executed; an acknowledged payload has
 * executed, however late its deposit shows. Everything else is in doubt: venues were seen to refuse what they had executed,
 * so no count of refusals proves anything, and silence never ends a doubt.
 */
import type { Amount } from "./Amount.ts"

export interface Payload {
  readonly signed: string
  readonly intentHash: string
  readonly amount: Amount
  /** Epoch millisecond from which the verifier refuses it. */
  readonly validUntil: number
  /** Counted before they are made. */
  readonly attempts: number
  readonly lastSentAt: number
  /** It has executed: acknowledged with its hash, or its nonce is used. */
  readonly acknowledged: boolean
  readonly lastAnswer?: string
}

export const signed = (payload: Pick<Payload, "amount" | "intentHash" | "signed" | "validUntil">): Payload => ({
  signed: payload.signed,
  intentHash: payload.intentHash,
  amount: payload.amount,
  validUntil: payload.validUntil,
  attempts: 0,
  lastSentAt: 0,
  acknowledged: false
})

/** Only the payload itself can have used its nonce: it was drawn for this one payment. */
const usedNonce = /nonce\b.*\b(?:already|been)\b.*\bused|already (?:been )?(?:processed|executed)/i

export const answered = ({ code, text }: { readonly code: string; readonly text: string }) => ({
  lastAnswer: `${code}: ${text}`,
  ...(usedNonce.test(text) || usedNonce.test(code) ? { acknowledged: true } : {})
})

export type Fate = "unsent" | "executed" | "doubtful"

/** What is certain of a payload, whatever has been seen of its deposit. */
export const fateOf = ({ acknowledged, attempts }: Payload): Fate =>
  acknowledged ? "executed" : attempts === 0 ? "unsent" : "doubtful"

/** Reads after its expiry that must show no deposit before anything is concluded from that. */
const emptyReadsNeeded = 2

/**
 * What an unseen deposit means, read `emptyReads` times after the payload's expiry and the venue's time to show it. `never`:
 * it was not made and never will be. `doubt`: nobody knows. An executed payload is waited for, for ever if need be.
 */
export const silenceMeans = (
  payload: Payload,
  now: number,
  visibilityMillis: number,
  emptyReads: number
): "wait" | "never" | "doubt" => {
  if (now < payload.validUntil + visibilityMillis || emptyReads < emptyReadsNeeded) return "wait"
  const fate = fateOf(payload)
  return fate === "executed" ? "wait" : fate === "doubtful" ? "doubt" : "never"
}
