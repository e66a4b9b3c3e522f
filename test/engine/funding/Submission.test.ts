/** The same bytes are sent again and again until they expire; what each answer means is recorded, and the gate is asked twice. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Payload } from "../../../src/domain/Payload.ts"
import * as Nonces from "../../../src/engine/funding/Nonces.ts"
import * as Driver from "../../../src/engine/protocol/Driver.ts"
import { Journal, type JournalError } from "../../../src/journal/Journal.ts"
import { IntentGuard } from "../../../src/signing/IntentGuard.ts"
import type { Venue } from "../../../src/venue/Venue.ts"
import { OutcomeUnknown, Rejected, RetryLater, Unauthorized, VenueError } from "../../../src/venue/VenueError.ts"
import { market, order, placementAfter, remembered, remembering, until } from "../firstOrder.ts"

const operation = "submit intent"
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
}

/** What is recorded of one go at a payment, and whether its bytes left. */
const look = Effect.fnUntraced(function* ({ answer, closed = () => undefined, payload = {} }: Asked) {
  const told: Array<string> = []
  const tell = (...words: ReadonlyArray<unknown>) => Effect.sync(() => void told.push(words.join(" ")))
  let asked = 0
  const gate = () =>
    Effect.sync(() => {
      asked += 1
      return closed(asked)
    })
  const submitIntent: Venue["Service"]["submitIntent"] = ({ hold }) =>
    Effect.gen(function* () {
      const why = hold === undefined ? undefined : yield* hold
      if (why !== undefined) return yield* failing(new Rejected({ operation, code: "held", text: why }))
      yield* tellRecorded
      yield* tell("left")
      return yield* answer ?? Effect.succeed({ value: { intentHash: "hash-1" }, correlationId: "c" })
    })
  let recorded: Effect.Effect<void, JournalError> = Effect.void
  const tellRecorded = Effect.orDie(Effect.suspend(() => recorded))
  const getOrder = () => Effect.succeed({ value: { ...order, depositedAmount: 0n, fillStatus: "AWAITING_DEPOSIT" } })
  const { books, context } = yield* remembering({ submitIntent, getOrder }, until("FundingSigned"))
  const { placements } = books.state
  const known = placements.get("p1")
  if (known?.state !== "funding") return assert.fail("it is signed")
  placements.set("p1", { ...known, funding: { ...known.funding, validUntil: 10 ** 12, ...payload } })
  let seen = books.state.sequence
  const journal = Context.get(context, Journal)
  recorded = Stream.runForEach(
    Stream.suspend(() => journal.events({ after: seen })),
    ({ event, sequence }) => {
      seen = sequence
      if (event._tag === "FundingSent") return tell("sent", event.attempt)
      if (event._tag === "FundingHeld") return tell("held", event.attempt, event.reason)
      if (event._tag === "FundingAcknowledged") return tell("acknowledged", event.intentHash, event.correlationId)
      return event._tag === "FundingAnswered" ? tell("refused", event.code, event.text) : Effect.void
    }
  )
  const driver = yield* Driver.make.pipe(Effect.provide(Layer.mock(IntentGuard)({})), Effect.provideContext(context))
  yield* driver.advance(known, { market, gate, payAgain: new Set() })
  yield* recorded
  return told
})

const once = ["sent 1", "left", "acknowledged hash-1 c"]

describe("signed bytes", () => {
  it.effect("are recorded as sent before they leave, and their answer afterwards", () =>
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
      assert.isTrue(error instanceof VenueError && error.reason._tag === "Unauthorized")
    })
  )

  it.effect("are not sent if the gate is closed, before the record or at their turn", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* look({ closed: () => "killed" }), [])
      assert.deepStrictEqual(yield* look({ closed: (asked) => (asked > 1 ? "killed" : undefined) }), [
        "sent 1",
        "held 1 killed"
      ])
    })
  )

  it.effect("ask the gate at their turn again before a resend", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust(1_000_000)
      const closed = (asked: number) => (asked > 1 ? "killed" : undefined)
      assert.deepStrictEqual(yield* look({ payload: { attempts: 1 }, closed }), ["sent 2", "held 2 killed"])
    })
  )

  it.effect("are not sent after they expire by the venue's clock", () =>
    Effect.gen(function* () {
      assert.lengthOf(yield* look({ payload: { validUntil: 2 } }), 3)
      assert.deepStrictEqual(yield* look({ payload: { validUntil: 2 } }), [])
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
      // Each look begins a millisecond later.
      const payload = (ago: number, look = 1) => ({ attempts, acknowledged, lastSentAt: 1_000_000 + look - ago })
      assert.deepStrictEqual(yield* look({ payload: payload(pause - 1) }), [])
      assert.strictEqual((yield* look({ payload: payload(pause, 2) }))[0], `sent ${attempts + 1}`)
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

  it("are forgotten oldest first, once more than ten thousand are known", () => {
    const nonces = Nonces.make(remembered([]))
    for (let count = 0; count <= 10_000; count += 1) nonces.add(signedWith(`n${count}`))
    assert.isFalse(nonces.isKnown({ nonce: "n0" }))
    assert.isTrue(nonces.isKnown({ nonce: "n1" }))
  })
})
