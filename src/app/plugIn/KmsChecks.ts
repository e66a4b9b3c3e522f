/**
 * The checks of a program that signs with a key service: it must sign the bytes that it receives, unchanged, with one key. The checks sign
 * only a text of this check and its digest, so no signature can be a payment.
 */
import { createHash } from "node:crypto"
import type { Program } from "../../programs/Program.ts"
import * as KmsSigner from "../../signer/remote/KmsSigner.ts"
import * as Check from "./Check.ts"

const text = (which: string): Buffer => Buffer.from(`limitbot plug-in check\n${which}\nThis is no payment.\n`)
const digest = (which: string): Buffer => createHash("sha256").update(text(which)).digest()

const messages: ReadonlyArray<readonly [check: string, message: Uint8Array]> = [
  ["signs 32 bytes, as of a payment or a login", digest("one")],
  ["signs other bytes with the same key", digest("two")],
  ["signs the first ones again", digest("one")],
  ["signs a longer text, as of a checkpoint", text("a longer text\n".repeat(20))]
]

export const checked = (program: Program, publicKey: string, limitMillis: number = KmsSigner.terms.limitMillis) =>
  Check.programs(
    program,
    messages.map(([check, message]) => ({
      check,
      question: KmsSigner.questionOf(publicKey, message),
      faultOf: (run) => {
        const answer = KmsSigner.answerOf({ program: "it", publicKey }, message, run)
        return "text" in answer ? answer.text : undefined
      }
    })),
    { ...KmsSigner.terms, limitMillis },
    publicKey
  )
