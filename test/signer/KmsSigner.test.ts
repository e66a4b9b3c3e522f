/** The program before a key service: what its ends mean, and that none keeps the signer waiting. */
import { generateKeyPairSync } from "node:crypto"
import { existsSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import bs58 from "bs58"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as KmsSigner from "../../src/signer/remote/KmsSigner.ts"
import { Signer } from "../../src/signing/Signer.ts"

const folder = mkdtempSync(join(tmpdir(), "limitbot-kms-"))
const { privateKey, publicKey } = generateKeyPairSync("ed25519")
writeFileSync(join(folder, "service.pem"), privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 })
const raw = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url")
const service = join(import.meta.dirname, "../../deploy/kms-openssl.sh")

const sign = (script: string) =>
  Effect.gen(function* () {
    const { sign } = yield* Signer
    return yield* Effect.result(sign(Buffer.alloc(32, 7)))
  }).pipe(
    Effect.map((result) => (result._tag === "Failure" ? result.failure.text : "signed")),
    Effect.provide(
      KmsSigner.layer({
        program: "sh",
        args: ["-c", `cd ${folder}; ${script}`],
        publicKey: `ed25519:${bs58.encode(raw)}`
      }).pipe(Layer.provide(NodeServices.layer))
    )
  )

describe("the program of a key service", () => {
  const ends: ReadonlyArray<readonly [name: string, script: string, expected: RegExp]> = [
    ["signs", `sh ${service}`, /^signed$/],
    ["signs and leaves a child with its output open", `sleep 600 & sh ${service}`, /^signed$/],
    ["prints the key's version before the signature", `printf vault:v1:; sh ${service}`, /^signed$/],
    ["fails", "exit 3", /^sh ended with code 3 and without a signature in base64$/],
    ["fails after it has signed", `sh ${service}; exit 3`, /^sh ended with code 3/],
    ["is killed", "kill -9 $$", /^sh did not sign: it was ended by SIGKILL$/],
    [
      "signs something else",
      `sed 's/"message":"..../"message":"AAAA/' | sh ${service}`,
      /^the signature of sh is not one of/
    ]
  ]
  it.live.each(ends)("that %s", ([, script, expected]) =>
    Effect.gen(function* () {
      assert.match(yield* sign(script), expected)
    })
  )

  it.effect("that cannot be ended is given up in time, and does not block the next payment", () =>
    Effect.gen(function* () {
      const begun = join(folder, "begun")
      const asked = yield* Effect.forkChild(sign(`trap "" TERM; touch ${begun}; while :; do sleep 0.05; done`))
      while (!existsSync(begun)) yield* Effect.promise(() => pause(10))
      yield* TestClock.adjust("10 seconds")
      assert.match(yield* Fiber.join(asked), /^sh did not sign: it did not end in 10 seconds$/)
    })
  )
})
