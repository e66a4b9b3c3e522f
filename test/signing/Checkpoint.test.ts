/** A checkpoint is a signed note as others read it, any change of it is seen, and its bytes can never be those of a payment. */
import { generateKeyPairSync } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Checkpoint from "../../src/signing/Checkpoint.ts"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import { Signer } from "../../src/signing/Signer.ts"
import { testAccount, testKey } from "../world/service/scriptedVenue.ts"

const publicKey = Ed25519.format(Buffer.from(testAccount, "hex"))
const checkpoint: Checkpoint.Checkpoint = {
  account: testAccount,
  size: 20_852_163,
  root: Buffer.alloc(32, 5).toString("base64"),
  head: "ab".repeat(32),
  at: 1_790_000_000_123
}
const signed = (each: Checkpoint.Checkpoint = checkpoint, key = testKey) =>
  Effect.provide(Checkpoint.signed(each), Signer.layer(key))

const otherKey = (): Redacted.Redacted => {
  const seed = generateKeyPairSync("ed25519").privateKey.export({ format: "der", type: "pkcs8" }).subarray(-32)
  return Redacted.make(Ed25519.format(seed))
}

describe("a checkpoint", () => {
  it.effect("is a note: origin, size and root on their own lines, and the signature after an empty line", () =>
    Effect.gen(function* () {
      const note = yield* signed()
      const [origin, size, root, head, time, empty, signature, end] = note.split("\n")
      assert.deepStrictEqual(
        [origin, size, root, head, time, empty, end],
        [
          `limitbot.journal/${testAccount}`,
          "20852163",
          checkpoint.root,
          `head ${checkpoint.head}`,
          "time 2026-09-21T14:13:20.123Z",
          "",
          ""
        ]
      )
      assert.match(signature ?? "", /^— limitbot\.journal\/\S+ [A-Za-z0-9+/]{91}=$/)
      const { note: found, ...told } = Checkpoint.lastIn(note, testAccount, publicKey) ?? {}
      assert.deepStrictEqual([told, found], [checkpoint, note])
    })
  )

  it.effect("with one changed byte is not a checkpoint of the account", () =>
    Effect.gen(function* () {
      const note = yield* signed()
      const bytes = Buffer.from(note)
      for (const place of bytes.keys()) {
        const changed = Buffer.from(bytes)
        changed[place] = (changed[place] ?? 0) ^ 1
        const found = Checkpoint.lastIn(changed.toString("utf8"), testAccount, publicKey)
        // Blanks behind the signature are no part of what it says.
        if (place < bytes.length - 1) assert.isUndefined(found, `byte ${place} of ${note}`)
      }
    })
  )

  it.effect("of another key, of another account or cut off is ignored, and the one before it is the last", () =>
    Effect.gen(function* () {
      const first = yield* signed()
      const next = yield* signed({ ...checkpoint, size: checkpoint.size + 1 })
      const last = (text: string) => Checkpoint.lastIn(text, testAccount, publicKey)?.size
      assert.strictEqual(last(`${first}\n${next}\n`), checkpoint.size + 1)
      assert.strictEqual(last(`${first}\n${next.slice(0, -20)}`), checkpoint.size)
      assert.strictEqual(last(`${first}\n${yield* signed({ ...checkpoint, size: 9 }, otherKey())}\n`), checkpoint.size)
      assert.strictEqual(
        last(`${first}\n${yield* signed({ ...checkpoint, account: "others.near" })}\n`),
        checkpoint.size
      )
      assert.isUndefined(last(`${"x".repeat(100)}${first.slice(200)}`))
    })
  )

  it("cannot be a payment: it is neither a digest nor JSON", () => {
    const text = Checkpoint.textOf(checkpoint)
    assert.isAbove(Buffer.from(text).length, 64)
    assert.throws(() => JSON.parse(text))
    for (const other of [`{"intents":[]}`, ` ${text}`, `${text}\n`, text.replace("head", "Head"), "", "x".repeat(32)])
      assert.isUndefined(Checkpoint.parse(other), other)
  })
})
