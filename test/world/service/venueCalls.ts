/** Every call of the port once, with its good answer, and how to run it against a script with the clock running on. */
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Venue } from "../../../src/venue/Venue.ts"
import type { VenueError } from "../../../src/venue/VenueError.ts"
import * as Answers from "./answers.ts"
import { type Script, scripted } from "./scriptedVenue.ts"

export const start = Date.parse("2026-02-03T00:00:00Z")

export const signed = { body: '{"signed" : "bytes\\u0020as they are"}', intentHash: "hash-1", validUntil: start }

export const order = {
  side: "BUY" as const,
  baseAsset: "base",
  quoteAsset: "quote",
  quantity: 1_000_000_000_000_000_000_000_000n,
  price: { digits: 50001n, scale: 4 },
  deadline: Date.parse("2026-03-01T00:00:00.123Z")
}

export const writes = {
  createOrder: [Venue.use((venue) => venue.createOrder(order)), Answers.orderAnswer],
  cancelOrder: [Venue.use((venue) => venue.cancelOrder("order-1")), Answers.orderAnswer],
  submitIntent: [Venue.use((venue) => venue.submitIntent(signed)), Answers.submitAnswer]
} as const

export const reads = {
  getOrder: [Venue.use((venue) => venue.getOrder("order-1")), Answers.orderAnswer],
  listOrders: [Venue.use((venue) => venue.listOrders({})), Answers.listAnswer],
  generateIntent: [Venue.use((venue) => venue.generateIntent("deposit-1")), Answers.generateAnswer],
  dryQuote: [
    Venue.use((venue) => venue.dryQuote({ originAsset: "base", destinationAsset: "quote", amount: 1000n })),
    Answers.quoteAnswer
  ],
  tokens: [Venue.use((venue) => venue.tokens), Answers.tokensAnswer]
} as const

/** Runs a call against a script, with the clock running on. */
export const run = Effect.fnUntraced(function* <A>(call: Effect.Effect<A, VenueError, Venue>, script: Script) {
  yield* TestClock.setTime(start)
  const { layer, sent } = scripted(script)
  const fiber = yield* Effect.forkChild(Effect.exit(Effect.provide(call, layer)))
  yield* TestClock.adjust("10 minutes")
  return { exit: yield* Fiber.join(fiber), sent }
})

/** Fails the test on anything but a typed failure. */
export const reasonOf = <A>(exit: Exit.Exit<A, VenueError>) =>
  Exit.match(exit, {
    onSuccess: () => undefined,
    onFailure: (cause) => {
      const fail = cause.reasons[0]
      if (cause.reasons.length !== 1 || fail?._tag !== "Fail") throw new Error(`not a typed failure: ${cause}`)
      return fail.error.reason
    }
  })

/** A structured error body. */
export const structured = (code: string, status: number) => ({
  errors: [
    { status: String(status), code, title: "Title", detail: "Detail", source: { pointer: "/data/attributes/price" } }
  ],
  meta: Answers.meta
})
