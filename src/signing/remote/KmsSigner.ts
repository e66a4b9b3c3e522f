/**
 * A key that never leaves the place where it was made: a key management service or a hardware module, behind a
 * program of the user's. The program gets one JSON line on standard input, `{"publicKey": "ed25519:…", "message":
 * "<base64>"}`, and prints the 64 bytes of the message's Ed25519 signature in base64. A signature that does not
 * verify is discarded.
 */
import { Effect, Layer, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Ed25519 from "../Ed25519.ts"
import { Signer, SigningRefused } from "../Signer.ts"

export interface Kms {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly publicKey: string
}

const patience = "10 seconds"
const mostOutput = 1_000
const signatureBytes = 64

const refused = (text: string) => new SigningRefused({ text })

/** The last word that it printed: some services print the key's name and version before it. */
const signatureIn = (output: string): string | undefined => {
  const word =
    output
      .trim()
      .split(/[\s:]+/)
      .at(-1) ?? ""
  const bytes = /^[A-Za-z0-9+/]{86}==$/.test(word) ? Buffer.from(word, "base64") : undefined
  return bytes?.length === signatureBytes ? Ed25519.format(bytes) : undefined
}

export const layer = ({ args, program, publicKey }: Kms) =>
  Layer.effect(
    Signer,
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const run = Effect.fnUntraced(function* (message: Uint8Array) {
        const line = `${JSON.stringify({ publicKey, message: Buffer.from(message).toString("base64") })}\n`
        const stdin = Stream.make(new TextEncoder().encode(line))
        const child = yield* spawner.spawn(ChildProcess.make(program, args, { stdin, stderr: "inherit" }))
        const output = yield* child.stdout.pipe(
          Stream.decodeText(),
          Stream.runFold(
            () => "",
            (text, part) => (text + part).slice(0, mostOutput)
          )
        )
        return { code: Number(yield* child.exitCode), output }
      }, Effect.scoped)
      const sign = Effect.fn("KmsSigner.sign")(function* (digest: Uint8Array) {
        const { code, output } = yield* run(digest).pipe(
          Effect.timeout(patience),
          Effect.mapError(({ message }) => refused(`${program} did not sign: ${message}`))
        )
        const signature = signatureIn(output)
        if (code !== 0 || signature === undefined) {
          return yield* refused(`${program} ended with code ${code} and without a signature in base64`)
        }
        if (Ed25519.verify(publicKey, digest, signature)) return { publicKey, signature }
        return yield* refused(`the signature of ${program} is not one of ${publicKey}`)
      })
      return { sign }
    })
  )
