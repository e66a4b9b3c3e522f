/** What the verifier's English proves of a payload that it refuses. */
import { assert, describe, it } from "@effect/vitest"
import { verdictOf } from "../../../src/venue/wire/VerifierAnswer.ts"

const verdict = (text: string, code = "BAD_REQUEST") => verdictOf({ code, text })

describe("an answer of the verifier", () => {
  it.each([
    "nonce was already used",
    "Nonce 'abc' has been used",
    "the intent is already processed",
    "already been executed",
    "already executed"
  ])("says that the payload has executed: %s", (text) => {
    assert.strictEqual(verdict(text), "executed")
    assert.strictEqual(verdict("no", text), "executed")
    assert.strictEqual(verdict(`invalid salt; ${text}`), "executed")
  })

  it.each(["Insufficient balance for account", "invalid signature", "public key 'ed25519:x' doesn't exist"])(
    "rules out that the payload was executed: %s",
    (text) => {
      assert.strictEqual(verdict(text), "not-executed")
    }
  )

  it("rules it out if it refuses the salt of the nonce", () => {
    assert.strictEqual(verdict("Invalid salt"), "stale-salt")
  })

  it.each(["request rejected", "deadline has expired", "internal error", "nonce is not valid"])(
    "proves nothing: %s",
    (text) => {
      assert.isUndefined(verdict(text))
    }
  )
})
