/** What a signer process may sign: each cap holds to the unit and to the millisecond, whoever asks. */
import { assert, describe, it } from "@effect/vitest"
import { dayMillis, hourMillis } from "../../src/domain/Durations.ts"
import { type Cap, objectionTo, objectionToLogin } from "../../src/signer/remote/Policy.ts"
import type { RecordEntry } from "../../src/signer/remote/Record.ts"
import { givenBefore, type PaymentToSign } from "../../src/signer/remote/Spending.ts"

const now = 1_800_000_000_000
const caps: ReadonlyMap<string, Cap> = new Map([
  ["usdc", { symbol: "USDC", decimals: 0, maxTransfer: 100n, maxPerDay: 250n }]
])
const payment: PaymentToSign = { depositAddress: "d", asset: "usdc", amount: 10n }
const signed = (change: Partial<RecordEntry> = {}): RecordEntry => ({
  at: now - 1,
  what: "signed",
  depositAddress: "other",
  asset: "usdc",
  amount: "100",
  intentHash: "h",
  body: "b",
  validUntil: now + 1,
  ...change
})
const objection = (change: Partial<PaymentToSign> = {}, ...entries: ReadonlyArray<RecordEntry>) =>
  objectionTo({ ...payment, ...change }, { caps }, entries, now)

describe("the policy of a signer process", () => {
  it("allows only its own assets, at least one unit and at most the cap of one transfer", () => {
    assert.strictEqual(objection(), undefined)
    assert.deepStrictEqual(objection({ asset: "eth" }), ["asset", "an asset of the signer's own file", "eth"])
    assert.strictEqual(objection({ amount: 1n }), undefined)
    for (const amount of [0n, -1n])
      assert.deepStrictEqual(objection({ amount }), ["amount", "a positive amount", String(amount)])
    assert.strictEqual(objection({ amount: 100n }), undefined)
    assert.deepStrictEqual(objection({ amount: 101n }), ["maxTransfer", "at most 100 USDC", "101 USDC"])
  })

  it("allows at most the cap of an asset in 24 hours, whatever else it refuses or signs", () => {
    const two = [signed(), signed({ until: now - dayMillis + 1, amount: "50" })]
    assert.strictEqual(objection({ amount: 100n }, ...two), undefined)
    assert.deepStrictEqual(objection({ amount: 100n }, ...two, signed({ amount: "1" })), [
      "maxPerDay",
      "at most 250 USDC in 24 hours",
      "251 USDC"
    ])
    const { amount: _, ...unsaid } = signed()
    for (const other of [
      signed({ until: now - dayMillis }),
      signed({ asset: "btc" }),
      signed({ what: "refused" }),
      signed({ what: "login" }),
      unsaid
    ])
      assert.strictEqual(objection({ amount: 100n }, ...two, other), undefined)
  })

  it("counts a payment while somebody may still send it, older records by their deadline", () => {
    const hoarded = signed({ at: now - 3 * dayMillis, amount: "250" })
    assert.isDefined(objection({}, hoarded))
    const over = { ...hoarded, validUntil: now - dayMillis - 59_999 }
    assert.isDefined(objection({}, over))
    assert.isUndefined(objection({}, { ...over, validUntil: over.validUntil - 1 }))
  })

  it("counts a payment during which it dies, and not one that it refuses after starting", () => {
    const begun = signed({ what: "signing", until: now, amount: "250" })
    const refusal: RecordEntry = { at: now, what: "refused", depositAddress: "other", reason: "r" }
    assert.isDefined(objection({}, begun))
    assert.isDefined(objection({}, begun, refusal), "the refusal of the next request ends nothing")
    assert.isUndefined(objection({}, begun, { ...refusal, releases: true }))
    assert.isUndefined(objection({}, { ...begun, amount: "240" }, signed({ amount: "240" })), "counted once")
  })

  it("allows an address once, until a minute after its payload has expired", () => {
    const taken = ["deposit address", "one that was not paid yet", "d"] as const
    const paidUntil = (validUntil: number) => signed({ depositAddress: "d", amount: "1", validUntil })
    assert.deepStrictEqual(objection({}, paidUntil(now + 1)), [...taken])
    assert.deepStrictEqual(objection({}, paidUntil(now - 59_999)), [...taken])
    assert.strictEqual(objection({}, paidUntil(now - 60_000)), undefined)
    assert.strictEqual(objection({}, { ...paidUntil(now + 1), what: "refused" }), undefined)
    const { validUntil: _, ...unsaid } = paidUntil(0)
    assert.strictEqual(objection({}, unsaid), undefined)
  })

  it("gives the same payment the same latest bytes again, and no other payment", () => {
    const mine = { depositAddress: "d", amount: "10" }
    const again = (...entries: ReadonlyArray<RecordEntry>) => givenBefore(payment, entries, now)
    assert.deepStrictEqual(again(signed({ ...mine, body: "old" }), signed(mine)), {
      _tag: "SignedBefore",
      body: "b",
      intentHash: "h",
      validUntil: now + 1
    })
    assert.strictEqual(again(), undefined)
    assert.strictEqual(again(signed()), undefined)
    for (const change of [
      { amount: "11" },
      { asset: "btc" },
      { what: "refused" as const },
      { validUntil: now - 60_000 }
    ])
      assert.strictEqual(again(signed({ ...mine, ...change })), undefined)
    for (const missing of ["body", "intentHash"] as const) {
      const { [missing]: _, ...entry } = signed(mine)
      assert.strictEqual(again(entry), undefined, missing)
    }
  })

  it("opens at most sixty sessions in an hour", () => {
    const logins = (count: number, at: number) =>
      Array.from({ length: count }, (): RecordEntry => ({ at, what: "login" }))
    assert.strictEqual(objectionToLogin(logins(59, now), now), undefined)
    assert.deepStrictEqual(objectionToLogin(logins(60, now - hourMillis + 1), now), [
      "login",
      "at most 60 in an hour",
      "61"
    ])
    assert.strictEqual(objectionToLogin(logins(60, now - hourMillis), now), undefined)
    assert.strictEqual(
      objectionToLogin(
        Array.from({ length: 60 }, () => signed()),
        now
      ),
      undefined
    )
  })
})
