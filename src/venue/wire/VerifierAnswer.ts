/**
 * Decides from the refusal of a signed payload if the payload was executed. The verifier has only English texts for this, not codes. They
 * are read here and nowhere else: all others get a `RefusalVerdict`.
 */
import type { RefusalVerdict } from "../../domain/Payload.ts"

/** Only the payload itself can have used its nonce: it was drawn for this one payment. */
const usedNonce = /nonce\b.*\b(?:already|been)\b.*\bused|already (?:been )?(?:processed|executed)/i

/**
 * Sentences that the verifier has for no payload that was executed. It looks at the balance after the nonce, so a nonce that was
 * used is named instead; bytes, keys and accounts that fail once had failed before. That a payload has expired says nothing, and
 * neither does a gateway's "request rejected".
 */
const ruledOut =
  /insufficient balance|invalid signature|public key '[^']*' doesn't exist|invalid message|wrong verifying_contract|nonce must be|unknown token/i

const staleSalt = /invalid salt/i

export const verdictOf = ({
  code,
  text
}: {
  readonly code: string
  readonly text: string
}): RefusalVerdict | undefined => {
  if (usedNonce.test(text) || usedNonce.test(code)) return "executed"
  if (staleSalt.test(text)) return "stale-salt"
  return ruledOut.test(text) ? "not-executed" : undefined
}

/** True if a login was refused because of the salt of its nonce. */
export const isAboutSalt = (text: string): boolean => /salt/i.test(text)
