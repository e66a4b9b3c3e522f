/** One payload of a nonce is executed, so one is signed, also while the signer has not answered yet. */
import { assert, describe, it } from "@effect/vitest"
import * as Nonces from "../../../src/engine/funding/Nonces.ts"

describe("a nonce", () => {
  it("is signed once, even if the venue gives it to two orders and the signer is slow", () => {
    const nonces = Nonces.make({ placements: new Map() })
    const payload = { nonce: "AAAA" }
    assert.isFalse(nonces.isKnown(payload))
    const forget = nonces.take(payload)
    assert.isTrue(nonces.isKnown(payload))
    forget()
    assert.isFalse(nonces.isKnown(payload))
    nonces.add(JSON.stringify({ signedData: { payload } }))
    assert.isTrue(nonces.isKnown(payload))
  })
})
