/** Every outcome of a call is one of four, whatever comes back; and what changes state is sent exactly once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Answers from "../world/service/answers.ts"
import { json, type Script, scripted, text } from "../world/service/scriptedVenue.ts"
import { reads, reasonOf, run, start, structured, writes } from "../world/service/venueCalls.ts"

type Tag = "Rejected" | "RetryLater" | "OutcomeUnknown" | "Unauthorized"

interface Row {
  readonly name: string
  readonly script: Script
  readonly write: Tag
  readonly read: Tag
  readonly readAttempts: number
  readonly code?: string
}

const fail = (
  name: string,
  answer: ReturnType<typeof json>,
  write: Tag,
  read: Tag,
  readAttempts: number,
  code?: string
): Row => ({
  name,
  script: () => answer,
  write,
  read,
  readAttempts,
  ...(code === undefined ? {} : { code })
})

const html = "<html><body>Bad\u001b[31m gateway</body></html>"

const rows: ReadonlyArray<Row> = [
  fail(
    "400 known code",
    json(structured("validation-failed", 400), 400),
    "Rejected",
    "Rejected",
    1,
    "validation-failed"
  ),
  fail("400 unknown code", json(structured("brand-new", 400), 400), "Rejected", "Rejected", 1, "brand-new"),
  fail("400 message", json({ message: "No liquidity available" }, 400), "Rejected", "Rejected", 1, "http-400"),
  fail("400 without errors", json({ errors: [] }, 400), "Rejected", "Rejected", 1, "http-400"),
  fail("401", json(structured("authentication-required", 401), 401), "Unauthorized", "Unauthorized", 1),
  fail("401 without body", text("", 401), "Unauthorized", "Unauthorized", 1),
  fail("403", json(structured("client-generated-id", 403), 403), "Rejected", "Rejected", 1, "client-generated-id"),
  fail("404", json(structured("order-not-found", 404), 404), "Rejected", "Rejected", 1, "order-not-found"),
  fail(
    "409",
    json(structured("resource-type-mismatch", 409), 409),
    "Rejected",
    "Rejected",
    1,
    "resource-type-mismatch"
  ),
  fail("418 HTML", text(html, 418), "Rejected", "Rejected", 1, "http-418"),
  fail("408", text("", 408), "OutcomeUnknown", "RetryLater", 4),
  fail("429", json(structured("rate-limit-exceeded", 429), 429), "RetryLater", "RetryLater", 4),
  fail("500", json(structured("internal-error", 500), 500), "OutcomeUnknown", "RetryLater", 4),
  fail("502 HTML", text(html, 502), "OutcomeUnknown", "RetryLater", 4),
  fail("503", json(structured("service-unavailable", 503), 503), "OutcomeUnknown", "RetryLater", 4),
  fail("301", text("", 301, { location: "http://elsewhere/" }), "OutcomeUnknown", "OutcomeUnknown", 1),
  fail("307", text("", 307, { location: "http://elsewhere/" }), "OutcomeUnknown", "OutcomeUnknown", 1),
  fail("204", Effect.succeed(HttpServerResponse.empty({ status: 204 })), "OutcomeUnknown", "OutcomeUnknown", 1),
  fail("200 HTML", text(html, 200), "OutcomeUnknown", "OutcomeUnknown", 1),
  fail("200 truncated", text('{"data":{"id":"ord', 200), "OutcomeUnknown", "OutcomeUnknown", 1),
  fail("200 null", json(null), "OutcomeUnknown", "OutcomeUnknown", 1),
  fail("200 array of null", json([null]), "OutcomeUnknown", "OutcomeUnknown", 1),
  fail(
    "200 not UTF-8",
    Effect.succeed(HttpServerResponse.uint8Array(Uint8Array.of(0x22, 0xff, 0xfe, 0x22))),
    "OutcomeUnknown",
    "OutcomeUnknown",
    1
  ),
  fail("hang", Effect.never, "OutcomeUnknown", "OutcomeUnknown", 3)
]

describe("the outcome of a call", () => {
  for (const [name, [call]] of Object.entries(writes)) {
    it.effect.each(rows)(`${name}: $name`, ({ code, script, write }) =>
      Effect.gen(function* () {
        const { exit, sent } = yield* run<unknown>(call, script)
        const reason = reasonOf(exit)
        assert.strictEqual(reason?._tag, write)
        if (reason?._tag === "Rejected") assert.strictEqual(reason.code, code)
        assert.lengthOf(sent, 1, "one network attempt")
        assert.notMatch(String(reason?.message), /\p{Cc}/u, "no control characters")
        const doubt = "it may or may not have happened"
        assert.strictEqual(String(reason?.message).includes(doubt), write === "OutcomeUnknown")
      })
    )
  }

  for (const [name, [call]] of Object.entries(reads)) {
    it.effect.each(rows)(`${name}: $name`, ({ code, read, readAttempts, script }) =>
      Effect.gen(function* () {
        const { exit, sent } = yield* run<unknown>(call, script)
        const reason = reasonOf(exit)
        assert.strictEqual(reason?._tag, read)
        if (reason?._tag === "Rejected") assert.strictEqual(reason.code, code)
        assert.lengthOf(sent, readAttempts)
        assert.notInclude(String(reason?.message), "may or may not have happened")
      })
    )
  }

  it.effect.each([200, 201, 202, 206])("is a success for any 2xx with the right body: %i", (status) =>
    Effect.gen(function* () {
      for (const [call, answer] of [...Object.values(writes), ...Object.values(reads)]) {
        const { exit, sent } = yield* run<unknown>(call, () => json(answer, status))
        assert.isTrue(Exit.isSuccess(exit), String(exit))
        assert.lengthOf(sent, 1)
      }
    })
  )
})

describe("a call that has to wait", () => {
  it.effect("waits as long as Retry-After says and then succeeds, if it is a read", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { layer, sent } = scripted((_, attempt) =>
        attempt === 1 ? text("", 429, { "retry-after": "7" }) : json(Answers.orderAnswer)
      )
      const fiber = yield* Effect.forkChild(Effect.provide(reads.getOrder[0], layer))
      yield* TestClock.adjust("6900 millis")
      assert.lengthOf(sent, 1)
      yield* TestClock.adjust("100 millis")
      assert.lengthOf(sent, 2)
      assert.strictEqual((yield* Fiber.join(fiber)).value.id, "order-1")
    })
  )

  const asked = [
    ["120", 120_000],
    ["1.5", 1500],
    ["Tue, 03 Feb 2026 00:02:00 GMT", 120_000],
    ["100000", 300_000],
    ["0", 1000],
    ["soon", 1000],
    ["-5", 1000]
  ] as const

  it.effect.each(asked)("passes Retry-After on, if it is a write: %s", ([header, afterMillis]) =>
    Effect.gen(function* () {
      const { exit, sent } = yield* run<unknown>(writes.createOrder[0], () => text("", 429, { "retry-after": header }))
      const reason = reasonOf(exit)
      assert.strictEqual(reason?._tag === "RetryLater" && reason.afterMillis, afterMillis)
      assert.lengthOf(sent, 1)
    })
  )

  it.effect("does not wait beyond its own deadline, and says when to retry", () =>
    Effect.gen(function* () {
      const { exit, sent } = yield* run<unknown>(reads.getOrder[0], () => text("", 503, { "retry-after": "120" }))
      const reason = reasonOf(exit)
      assert.strictEqual(reason?._tag === "RetryLater" && reason.afterMillis, 120_000)
      assert.lengthOf(sent, 1)
    })
  )

  it.effect("ends by its own deadline", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { layer } = scripted(() => Effect.never)
      const write = yield* Effect.forkChild(Effect.exit(Effect.provide(writes.createOrder[0], layer)))
      const read = yield* Effect.forkChild(Effect.exit(Effect.provide(reads.getOrder[0], layer)))
      yield* TestClock.adjust("19900 millis")
      assert.isUndefined(write.pollUnsafe())
      yield* TestClock.adjust("100 millis")
      assert.isDefined(write.pollUnsafe())
      yield* TestClock.adjust("10 seconds")
      assert.isDefined(read.pollUnsafe())
    })
  )
})
