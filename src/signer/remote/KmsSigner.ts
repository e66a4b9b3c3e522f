/**
 * A key that never leaves a key management service or a hardware module, behind a program of the user's. The program gets one JSON line on
 * standard input, `{"publicKey": "ed25519:…", "message": "<base64>"}`, and prints the 64 bytes of the message's Ed25519 signature in
 * base64. A signature that does not verify is discarded.
 */
import { Effect, Layer } from "effect"
import { ChildProcessSpawner } from "effect/process"
import * as Program from "../../programs/Program.ts"
import * as Ed25519 from "../../signing/Ed25519.ts"
import { Signer, SigningRefused } from "../../signing/Signer.ts"

export interface Kms extends Program.Program {
  readonly publicKey: string
}

export const terms = { limitMillis: 10_000, mostOutput: 1_000, environment: { without: [] } } as const
const signatureBytes = 64

/** The last word of the output, because some services print the key's name and version before it. */
const signatureIn = (output: string): string | undefined => {
  const word =
    output
      .trim()
      .split(/[\s:]+/)
      .at(-1) ?? ""
  const bytes = /^[A-Za-z0-9+/]{86}==$/.test(word) ? Buffer.from(word, "base64") : undefined
  return bytes?.length === signatureBytes ? Ed25519.format(bytes) : undefined
}

export const questionOf = (publicKey: string, message: Uint8Array): string =>
  `${JSON.stringify({ publicKey, message: Buffer.from(message).toString("base64") })}\n`

export const answerOf = (
  { program, publicKey }: Pick<Kms, "program" | "publicKey">,
  message: Uint8Array,
  ran: Program.ProgramRun
) => {
  const { end, output } = ran
  if (end._tag !== "Exited") return refused(`${program} did not sign: it ${Program.endInWords(ran, terms.limitMillis)}`)
  const signature = signatureIn(output)
  if (end.code !== 0 || signature === undefined)
    return refused(`${program} ended with code ${end.code} and without a signature in base64`)
  if (Ed25519.verify(publicKey, message, signature)) return { publicKey, signature }
  return refused(`the signature of ${program} is not one of ${publicKey}`)
}

const refused = (text: string) => new SigningRefused({ text })

export const layer = (kms: Kms) =>
  Layer.effect(
    Signer,
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const sign = Effect.fn("KmsSigner.sign")(
        function* (message: Uint8Array) {
          const ran = yield* Effect.mapError(
            Program.run(kms, questionOf(kms.publicKey, message), { ...terms, errors: "shown" }),
            (error) => refused(error.message)
          )
          const answer = answerOf(kms, message, ran)
          return "text" in answer ? yield* answer : answer
        },
        Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner)
      )
      return { sign }
    })
  )
