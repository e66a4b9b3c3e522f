/**
 * A signed payment on its way to a deposit address: the one rule book for orders and swaps. Its bytes are signed once and
 * are the only ones that are ever sent; their nonce executes at most once, and never after `validUntil`.
 *
 * Three things are certain: bytes that never left the process cannot have executed; an acknowledged payload has executed,
 * however late its deposit shows; one whose every attempt was refused for a cause that its own execution rules out has not
 * executed, and never will once it has expired. Everything else is in doubt: venues were seen to refuse what they had
 * executed, so a refusal as such proves nothing, and silence never ends a doubt.
 */
import { Redacted } from "effect"
import type { Amount } from "./Amount.ts"

export interface Payload {
  /** Plain, because a snapshot of the state has to contain it; no surface shows it. */
  readonly signed: string
  readonly intentHash: string
  readonly amount: Amount
  /** Epoch millisecond from which the verifier refuses it. */
  readonly validUntil: number
  /** Counted before they are made. */
  readonly attempts: number
  /** Attempts that were refused for a cause that rules out an execution before. */
  readonly clearRefusals: number
  readonly lastSentAt: number
  /** It has executed: acknowledged with its hash, or its nonce is used. */
  readonly acknowledged: boolean
  readonly lastAnswer?: string
  /** The journal may have lost attempts, so their number and their answers prove nothing any more. */
  readonly mayBeForgotten?: boolean
}

interface Signed extends Pick<Payload, "amount" | "intentHash" | "validUntil"> {
  readonly signed: Redacted.Redacted
}

export const signed = (payload: Signed): Payload => ({
  signed: Redacted.value(payload.signed),
  intentHash: payload.intentHash,
  amount: payload.amount,
  validUntil: payload.validUntil,
  attempts: 0,
  clearRefusals: 0,
  lastSentAt: 0,
  acknowledged: false
})

/** Only the payload itself can have used its nonce: it was drawn for this one payment. */
const usedNonce = /nonce\b.*\b(?:already|been)\b.*\bused|already (?:been )?(?:processed|executed)/i

/**
 * Sentences of the verifier that it has for no payload that was executed. It looks at the balance after the nonce, so a nonce
 * that was used is named instead; bytes, keys and accounts that fail once had failed before. A salt that is not valid tells
 * nothing of the time before, but that is covered where the first sending was refused for it as well. That a payload has
 * expired says nothing, and neither does a gateway's "request rejected".
 */
const clearRefusal =
  /insufficient balance|invalid signature|public key '[^']*' doesn't exist|invalid message|wrong verifying_contract|nonce must be|unknown token|invalid salt/i

/**
 * Its nonce has a salt that the verifier does not take. A salt that was withdrawn never comes back, but the verifier that
 * answered may not know a new one yet, so these bytes too may be executed until they expire, and are waited for.
 */
export const isStale = ({ lastAnswer = "" }: Pick<Payload, "lastAnswer">): boolean => /invalid salt/i.test(lastAnswer)

export const answered = (payload: Payload, { code, text }: { readonly code: string; readonly text: string }) => {
  const lastAnswer = `${code}: ${text}`
  if (usedNonce.test(text) || usedNonce.test(code)) return { lastAnswer, acknowledged: true }
  return { lastAnswer, clearRefusals: payload.clearRefusals + (clearRefusal.test(text) ? 1 : 0) }
}

/** One of them could be misreported; the answer after that would be that the nonce is used. */
const clearRefusalsNeeded = 2

export type Fate = "unsent" | "executed" | "refused" | "doubtful"

/** What is certain of a payload, whatever has been seen of its deposit. */
export const fateOf = ({ acknowledged, attempts, clearRefusals, mayBeForgotten = false }: Payload): Fate => {
  if (acknowledged) return "executed"
  if (mayBeForgotten) return "doubtful"
  if (attempts === 0) return "unsent"
  return clearRefusals === attempts && attempts >= clearRefusalsNeeded ? "refused" : "doubtful"
}

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
