/** Decides from a refusal if the signed payload was executed. The verifier has only English texts for this; only this file reads them. */
import type { RefusalVerdict } from "../../domain/Payload.ts"

/** The nonce belongs to this one payment, so only the payload itself can have used it. */
const usedNonce = /nonce\b.*\b(?:already|been)\b.*\bused|already (?:been )?(?:processed|executed)/i

/**
 * Texts that the verifier never gives for a payload that was executed. It checks the nonce before the balance, so it would name a used
 * nonce instead; bytes, keys and accounts that fail now would have failed before. The text that a payload has expired proves nothing, and
 * neither does a gateway's "request rejected".
 */
const ruledOut =
  /insufficient balance|invalid signature|public key '[^']*' doesn't exist|invalid message|wrong verifying_contract|nonce must be|unknown token/i

const staleSalt = /invalid salt/i

export const verdictOf = ({ code, text }: Readonly<Record<"code" | "text", string>>): RefusalVerdict | undefined => {
  if (usedNonce.test(text) || usedNonce.test(code)) return "executed"
  if (staleSalt.test(text)) return "stale-salt"
  return ruledOut.test(text) ? "not-executed" : undefined
}

export const isAboutSalt = (text: string): boolean => /salt/i.test(text)
