/** Faults on purpose: every kind is seen, nothing is lost or doubled by them but what they say, and off means off. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { noFaults, uniformFaults } from "../../src/sandbox/http/Faults.ts"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"
import { Venue } from "../../src/venue/Venue.ts"
import { order, read, send, venue, venueBooks } from "../world/service/clients.ts"
import { play } from "../world/service/play.ts"

const create = Venue.use((port) => port.createOrder(order()))
const madeOrders = Effect.map(venueBooks, ({ orders }) => orders.length)

describe("faults", () => {
  it.effect("make no order if the request is lost, and one after a lost answer or an internal error", () =>
    Effect.gen(function* () {
      for (const [fault, made] of [
        ["dropRequest", 0],
        ["dropAnswer", 1],
        ["internalError", 1]
      ] as const) {
        yield* play(
          Effect.gen(function* () {
            const failed = yield* Effect.flip(create)
            assert.strictEqual(failed.reason._tag, "OutcomeUnknown")
            assert.strictEqual(yield* madeOrders, made)
          }),
          { faults: { ...noFaults, [fault]: 1 } }
        )
      }
    })
  )

  it.effect("like overload say when to retry, in the body of the endpoint", () =>
    Effect.gen(function* () {
      for (const [fault, status, code] of [
        ["unavailable", 503, "service-unavailable"],
        ["rateLimited", 429, "rate-limit-exceeded"]
      ] as const) {
        yield* play(
          Effect.gen(function* () {
            const orders = yield* send("GET", "/v0/orders")
            assert.strictEqual(orders.status, status)
            assert.match(orders.headers["retry-after"] ?? "", /^[12]$/)
            assert.strictEqual((orders.body as { errors: Array<{ code: string }> }).errors[0]?.code, code)
            assert.isString(((yield* send("GET", "/v0/tokens")).body as { message: string }).message)
          }),
          { faults: { ...noFaults, [fault]: 1 } }
        )
      }
    })
  )

  it.effect("may execute a create twice, and delay the list", () =>
    play(
      Effect.gen(function* () {
        const { id } = (yield* create).value
        assert.strictEqual(yield* madeOrders, 2)
        const port = yield* Venue
        assert.lengthOf((yield* port.listOrders({})).value.orders, 0)
        assert.strictEqual((yield* read(id)).id, id)
        yield* Effect.sleep("1 second")
        assert.lengthOf((yield* port.listOrders({})).value.orders, 2)
      }),
      { faults: { ...noFaults, duplicateCreate: 1, listLagMillis: 1000 } }
    )
  )

  it.effect("are the same for the same seed", () => {
    const outcomes = play(
      Effect.replicateEffect(
        Effect.map(Effect.result(create), (made) => (Result.isSuccess(made) ? "made" : made.failure.reason._tag)),
        60
      ),
      { faults: uniformFaults(0.6), seed: 4 }
    )
    return Effect.gen(function* () {
      const first = yield* outcomes
      assert.deepStrictEqual(yield* outcomes, first)
      assert.deepStrictEqual([...new Set(first)].sort(), ["OutcomeUnknown", "RetryLater", "made"])
    })
  })

  it.live("like a lost answer break the connection over sockets", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(create)
      assert.strictEqual(failed.reason._tag, "OutcomeUnknown")
      assert.strictEqual(yield* madeOrders, 1)
    }).pipe(
      Effect.provide(
        venue.pipe(
          Layer.provideMerge(SandboxServer.layer({ faults: { ...noFaults, dropAnswer: 1 } })),
          Layer.provideMerge(Layer.merge(NodeHttpClient.layerUndici, NodeServices.layer))
        )
      )
    )
  )
})
