/** A receiver that asks for a pause is not asked again before it is over. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import type { Target } from "../../src/control/notify/channels.ts"
import type { Notice } from "../../src/control/notify/Notice.ts"
import * as Notifier from "../../src/control/notify/Notifier.ts"

const target: Target = {
  to: "webhook",
  rule: { least: "good", kinds: new Set(), except: new Set() },
  url: Redacted.make("https://nobody.invalid"),
  secret: undefined,
  chat: undefined,
  commands: [],
  mailbox: undefined,
  command: undefined,
  push: undefined
}

const notice: Notice = { at: 1_000, severity: "alarm", kind: "Test", subject: "grid", text: "something is wrong" }

/** Seconds at which the receiver was asked; it wants the pause once. */
const askedAt = (retryAfter: string) =>
  Effect.gen(function* () {
    const asked: Array<number> = []
    const client = HttpClient.make((request) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        asked.push(now / 1_000)
        const init = asked.length === 1 ? { status: 429, headers: { "retry-after": retryAfter } } : { status: 200 }
        return HttpClientResponse.fromWeb(request, new Response(null, init))
      })
    )
    const pace = { groupMillis: 0, spacingMillis: 1_000, retryMillis: 2_000, retries: 7 }
    const tell = yield* Effect.provideService(Notifier.make([target], "test", pace), HttpClient.HttpClient, client)
    yield* tell(notice)
    for (let second = 0; second < 900; second++) yield* TestClock.adjust("1 second")
    return asked
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("a webhook with Retry-After", () => {
  it.effect.each([
    ["120", 120],
    [new Date(60_000).toUTCString(), 60],
    ["86400", 600],
    ["64.57", 64.57],
    ["soon", 0]
  ] as const)("of %s is sent again after that time, at most ten minutes", ([written, seconds]) =>
    Effect.gen(function* () {
      const [first = Number.NaN, second = Number.NaN, ...others] = yield* askedAt(written)
      assert.deepStrictEqual(others, [])
      assert.closeTo(second - first, seconds + 2, 1)
    })
  )
})
