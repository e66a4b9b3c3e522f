/** Good answers, damaged at random: whatever comes back, a call ends in a value or a typed failure, never in a defect. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Random } from "effect"
import { HttpServerResponse } from "effect/http"
import { mutate } from "./mutate.ts"
import { reads, run, structured, writes } from "./venueCalls.ts"

const rounds = 125
/** Damaged successes, and damaged errors. */
const statuses = [200, 200, 200, 201, 204, 302]
const errorStatuses = [400, 401, 404, 409, 429, 500, 503]
const error = structured("validation-failed", 400)

describe("damaged answers", () => {
  const calls = Object.entries({ ...writes, ...reads })
  it.effect.each(calls)("%s", ([name, [call, answer]]) =>
    Effect.gen(function* () {
      for (let round = 0; round < rounds; round += 1) {
        const seed = `${name}-${round}`
        const good = round % 4 > 0
        const [body, status] = yield* Effect.all([
          mutate(good ? answer : error),
          Random.choice(good ? statuses : errorStatuses)
        ]).pipe(Random.withSeed(seed))
        const { exit, sent } = yield* run<unknown>(call, () =>
          Effect.succeed(HttpServerResponse.text(body, { status, contentType: "application/json" }))
        )
        const typed = Exit.isSuccess(exit) || !Cause.hasDies(exit.cause)
        assert.isTrue(typed, `seed ${seed}: ${status} ${body}: ${String(exit)}`)
        assert.isAtMost(sent.length, name in writes ? 1 : 4, `seed ${seed}`)
      }
    })
  )
})
