/** The same bytes are sent again and again until they expire; what each answer means is recorded, and the gate is asked twice. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Payload } from "../../../src/domain/Payload.ts"
import * as Nonces from "../../../src/engine/funding/Nonces.ts"
import { submit } from "../../../src/engine/funding/Submission.ts"
import { OutcomeUnknown, Rejected, RetryLater, Unauthorized, VenueError } from "../../../src/venue/VenueError.ts"
import { placementAfter, remembered, until } from "../firstOrder.ts"

const operation = "submit intent"
const pace = { retryMinMillis: 1_000, retryMaxMillis: 60_000, visibilityMillis: 10_000 }
const placed = placementAfter("FundingSigned")
const failing = (reason: VenueError["reason"]) => Effect.fail(new VenueError({ reason }))

interface Asked {
  readonly payload?: Partial<Payload>
  readonly answer?: Effect.Effect<
    { readonly value: { readonly intentHash: string }; readonly correlationId?: string },
    VenueError
  >
  /** Why the gate is closed when it is asked for the n-th time. */
  readonly closed?: (asked: number) => string | undefined
  readonly venueNow?: number
}

/** What is recorded of one look at a payload, and whether its bytes left. */
const look = Effect.fnUntraced(function* ({ answer, closed = () => undefined, payload = {}, venueNow = 0 }: Asked) {
  const told: Array<string> = []
  const tell = (...words: ReadonlyArray<unknown>) => Effect.sync(() => void told.push(words.join(" ")))
  let asked = 0
  const gate = Effect.sync(() => {
    asked += 1
    return closed(asked)
  })
  const venue = {
    submitIntent: ({ hold }: { readonly hold?: Effect.Effect<string | undefined> }) =>
      Effect.gen(function* () {
        const why = hold === undefined ? undefined : yield* hold
        if (why !== undefined) return yield* failing(new Rejected({ operation, code: "held", text: why }))
        yield* tell("left")
        return yield* answer ?? Effect.succeed({ value: { intentHash: "hash" }, correlationId: "c" })
      })
  }
  if (placed.funding === undefined) return assert.fail("it is signed")
  yield* submit(venue, { ...placed.funding, ...payload }, pace, venueNow, gate, {
    sent: (attempt) => tell("sent", attempt),
    held: (attempt, reason) => tell("held", attempt, reason),
    acknowledged: ({ correlationId, intentHash }) => tell("acknowledged", intentHash, correlationId),
    refused: ({ code, text }) => tell("refused", code, text)
  })
  return told
})

const once = ["sent 1", "left", "acknowledged hash-1 c"]

describe("bytes that were signed", () => {
  it.effect("are recorded as sent before they leave, and their answer after", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* look({}), once)
      const refused = failing(new Rejected({ operation, code: "http-400", text: "no balance" }))
      assert.deepStrictEqual(yield* look({ answer: refused }), ["sent 1", "left", "refused http-400 no balance"])
      for (const reason of [
        new OutcomeUnknown({ operation, text: "lost" }),
        new RetryLater({ operation, afterMillis: 1, text: "busy" })
      ])
        assert.deepStrictEqual(yield* look({ answer: failing(reason) }), ["sent 1", "left"])
      const error = yield* Effect.flip(look({ answer: failing(new Unauthorized({ operation, text: "no key" })) }))
      assert.strictEqual(error.reason._tag, "Unauthorized")
    })
  )

  it.effect("stay where the gate is closed, before the record or when it is their turn", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* look({ closed: () => "killed" }), [])
      assert.deepStrictEqual(yield* look({ closed: (asked) => (asked > 1 ? "killed" : undefined) }), [
        "sent 1",
        "held 1 killed"
      ])
    })
  )

  it.effect("are never sent once they have expired by the venue's clock", () =>
    Effect.gen(function* () {
      const validUntil = 50_000
      assert.lengthOf(yield* look({ payload: { validUntil }, venueNow: validUntil - 1 }), 3)
      assert.deepStrictEqual(yield* look({ payload: { validUntil }, venueNow: validUntil }), [])
    })
  )

  const pauses = [
    [1, false, 1_000],
    [2, false, 2_000],
    [3, false, 4_000],
    [7, false, 60_000],
    [40, false, 60_000],
    [1, true, 10_000],
    [6, true, 32_000]
  ] as const
  it.effect.each(pauses)("wait after attempt %i (acknowledged: %s) for %i ms", ([attempts, acknowledged, pause]) =>
    Effect.gen(function* () {
      yield* TestClock.adjust(1_000_000)
      const payload = (ago: number) => ({ attempts, acknowledged, lastSentAt: 1_000_000 - ago })
      assert.deepStrictEqual(yield* look({ payload: payload(pause - 1) }), [])
      assert.strictEqual((yield* look({ payload: payload(pause) }))[0], `sent ${attempts + 1}`)
    })
  )
})

describe("the nonces of payloads", () => {
  const signedWith = (nonce: string) => JSON.stringify({ signedData: { payload: { nonce } } })
  it("are known once signed, by this process or in the journal", () => {
    const state = remembered(until("FundingSigned"))
    const { funding } = placed
    if (placed.state !== "funding" || funding === undefined) return assert.fail("it is signed")
    state.placements.set("p1", { ...placed, funding: { ...funding, signed: signedWith("old") } })
    const nonces = Nonces.make(state)
    assert.isTrue(nonces.isKnown({ nonce: "old" }))
    assert.isFalse(nonces.isKnown({ nonce: "new" }))
    nonces.add(signedWith("new"))
    assert.isTrue(nonces.isKnown({ nonce: "new" }))
    nonces.add("no payload")
    assert.isFalse(nonces.isKnown({ message: "without" }))
  })

  it("are forgotten oldest first, long after their payloads have expired", () => {
    const nonces = Nonces.make(remembered([]))
    for (let count = 0; count <= 10_000; count += 1) nonces.add(signedWith(`n${count}`))
    assert.isFalse(nonces.isKnown({ nonce: "n0" }))
    assert.isTrue(nonces.isKnown({ nonce: "n1" }))
  })
})
