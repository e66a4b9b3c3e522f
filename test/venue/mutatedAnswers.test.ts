/** Good answers, damaged at random: whatever comes back, a call ends in a value or a typed failure, never in a defect. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Random } from "effect"
import { HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { History } from "../../src/venue/History.ts"
import { Swaps } from "../../src/venue/Swaps.ts"
import type { Venue } from "../../src/venue/Venue.ts"
import type { VenueError } from "../../src/venue/VenueError.ts"
import * as Answers from "../world/service/answers.ts"
import { scripted } from "../world/service/scriptedVenue.ts"
import { reads, start, structured, writes } from "../world/service/venueCalls.ts"
import { mutate } from "./mutate.ts"

const rounds = 100
/** Damaged successes, and damaged errors. */
const statuses = [200, 200, 200, 201, 204, 302]
const errorStatuses = [400, 401, 404, 409, 429, 500, 503]
const error = structured("validation-failed", 400)

const swap = {
  correlationId: "c",
  quoteResponse: Answers.quoteAnswer,
  status: "SUCCESS",
  swapDetails: { amountOut: "5" }
}
const transaction = {
  originAsset: "a",
  destinationAsset: "b",
  depositAddress: "d",
  status: "SUCCESS",
  createdAt: Answers.meta.timestamp,
  amountIn: "1",
  amountOut: "2"
}
const page = { data: [transaction], totalPages: 1, page: 1, perPage: 1, total: 1, nextPage: null, prevPage: null }

const others = {
  status: [Swaps.use((swaps) => swaps.status("d")), swap],
  transactions: [History.use((history) => history.transactions({})), [transaction, transaction]],
  transactionPage: [History.use((history) => history.transactionPage({})), page]
} as const

const damaged = (answer: unknown, round: number) => {
  const good = round % 4 > 0
  const status = Random.choice(good ? statuses : errorStatuses)
  return Effect.all({ body: mutate(good ? answer : error), status })
}

describe("damaged answers are values or typed failures for", () => {
  const calls = Object.entries({ ...writes, ...reads, ...others })
  it.effect.each(calls)("%s", ([name, [call, answer]]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      let reply = { body: "", status: 200 }
      const { layer, sent } = scripted(() =>
        Effect.succeed(HttpServerResponse.text(reply.body, { status: reply.status, contentType: "application/json" }))
      )
      const attempts = name in writes ? 1 : 4
      yield* Effect.gen(function* () {
        for (let round = 0; round < rounds; round += 1) {
          const seed = `${name}-${round}`
          reply = yield* Random.withSeed(damaged(answer, round), seed)
          sent.length = 0
          const fiber = yield* Effect.forkChild(Effect.exit<unknown, VenueError, Venue | Swaps | History>(call))
          yield* TestClock.adjust("5 minutes")
          const exit = yield* Fiber.join(fiber)
          const typed = Exit.isSuccess(exit) || !Cause.hasDies(exit.cause)
          assert.isTrue(typed, `seed ${seed}: ${reply.status} ${reply.body}: ${String(exit)}`)
          assert.isAtMost(sent.length, attempts, `seed ${seed}`)
        }
      }).pipe(Effect.provide(layer))
    })
  )
})
