/** A swap that a running bot carries, as the command sees it that handed it over. */
import { join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Carrying from "../../../src/app/swap/Carrying.ts"
import type { AgreedSwap } from "../../../src/domain/SwapRecord.ts"
import * as SwapsByHand from "../../../src/engine/SwapsByHand.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Lease from "../../../src/journal/Lease.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { newFolder } from "../../world/processes/program.ts"

const agreed: AgreedSwap = {
  venue: "http://venue.test",
  account: "me",
  swapType: "EXACT_INPUT",
  origin: { symbol: "BTC", id: "btc", decimals: 8 },
  destination: { symbol: "USDC", id: "usdc", decimals: 6 },
  depositType: "INTENTS",
  depositAddress: "address-1",
  amountIn: 100_000n,
  amountOut: 60_000_000n,
  minAmountOut: 59_000_000n,
  refundFee: 0n,
  recipient: "me",
  recipientType: "INTENTS",
  refundTo: "me",
  refundType: "INTENTS",
  deadline: 600_000,
  quote: "{}",
  isSignatureVerified: true
}

/** Files are read in real time, so virtual time goes on in small steps. */
const pass = (millis: number) =>
  Effect.repeat(
    Effect.andThen(
      Effect.promise(() => nextTurn()),
      TestClock.adjust(200)
    ),
    { times: millis / 200 }
  )

describe("a swap that is handed to a running bot", () => {
  it.effect("ends with a message if the bot is killed, and continues with the next bot", () =>
    Effect.gen(function* () {
      const journal = join(newFolder(), "journal.sqlite")
      const lease = Lease.layer({ journal, pid: 4711 })
      const follow = Carrying.follow({ journal, pid: 4711 }, { name: "s1", json: false, isResumed: true })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(lease)
          const database = yield* Layer.build(Sqlite.layer({ filename: journal }))
          const written = Journal.layer.pipe(Layer.provide(Layer.succeedContext(database)))
          yield* Effect.provide(
            Journal.use(({ append }) => append(SwapsByHand.startEvents("s1", agreed))),
            written
          )
          const followed = yield* Effect.forkChild(follow)
          yield* pass(30_000)
          assert.isUndefined(followed.pollUnsafe(), "its bot is at work")
          yield* Fiber.interrupt(followed)
        })
      )
      const left = yield* Effect.forkChild(Effect.flip(follow))
      // A busy machine reads files more slowly than this time passes.
      while (left.pollUnsafe() === undefined) yield* pass(200)
      const { message } = yield* Fiber.join(left)
      assert.include(
        message,
        "Swap s1 has not ended: the bot that carried it (process 4711) has ended, and none runs on"
      )
      assert.include(message, "Nothing was signed for it, so nothing was paid")
      assert.include(message, "limitbot swap --resume s1")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
