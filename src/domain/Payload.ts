/**
 * A signed payment on its way to a deposit address, for orders and swaps. Its bytes are signed once, and no others are ever sent. Their
 * nonce executes at most once, and never after `validUntil`.
 *
 * Three things are certain. Bytes that never left the process cannot have executed. An acknowledged payload has executed, however late its
 * deposit shows. A payload has not executed if every attempt was refused for a cause that its execution rules out; it never will once it
 * has expired. Everything else is in doubt: venues have refused payloads that they had executed, so a bare refusal proves nothing, and
 * silence never ends a doubt.
 */
import { Redacted } from "effect"
import type { Amount } from "./Amount.ts"

export interface Payload {
  /** Plain, because a snapshot of the state has to contain it; no surface shows it. */
  readonly signed: string
  readonly intentHash: string
  readonly amount: Amount
  /** First epoch millisecond at which the verifier refuses it. */ readonly validUntil: number
  /** Counted before they are made. */
  readonly attempts: number
  /** Attempts whose refusal proves that this attempt did not execute. */
  readonly clearRefusals: number
  readonly lastSentAt: number
  /** Acknowledged with its hash, or its nonce is used. */
  readonly acknowledged: boolean
  readonly lastAnswer?: string
  readonly lastVerdict?: RefusalVerdict | undefined
  /** The journal may have lost attempts, so their number and their answers prove nothing. */
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

/**
 * The proof that a refusal gives. `executed`: the nonce is used. `not-executed`: the verifier never says this of an executed payload.
 * `stale-salt`: not executed, because the verifier does not accept the salt. A withdrawn salt never returns, but this verifier may not know
 * a new salt yet. These bytes may therefore execute until they expire, and the bot waits for that. It proves nothing about earlier attempts
 * unless the first sending was also refused for it.
 */
export const refusalVerdicts = ["executed", "not-executed", "stale-salt"] as const
export type RefusalVerdict = (typeof refusalVerdicts)[number]

export const isStale = ({ lastVerdict }: Pick<Payload, "lastVerdict">): boolean => lastVerdict === "stale-salt"

export interface PaymentRefusal {
  readonly code: string
  readonly text: string
  /** Missing if it proves nothing. */
  readonly verdict?: RefusalVerdict
}

export const answered = (payload: Payload, { code, text, verdict }: PaymentRefusal): Partial<Payload> => {
  const last = { lastAnswer: `${code}: ${text}`, lastVerdict: verdict }
  if (verdict === "executed") return { ...last, acknowledged: true }
  return { ...last, clearRefusals: payload.clearRefusals + (verdict === undefined ? 0 : 1) }
}

/** One refusal could be false. If the payload did execute, the next answer is that the nonce is used. */
const clearRefusalsNeeded = 2

export type Certainty = "unsent" | "executed" | "refused" | "doubtful"

export const certaintyOf = ({ acknowledged, attempts, clearRefusals, mayBeForgotten = false }: Payload): Certainty => {
  if (acknowledged) return "executed"
  if (mayBeForgotten) return "doubtful"
  if (attempts === 0) return "unsent"
  return clearRefusals === attempts && attempts >= clearRefusalsNeeded ? "refused" : "doubtful"
}
