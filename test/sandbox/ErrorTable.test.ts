/** The error table of the interface, every row of it: what the sandbox answers, and what the client makes of each answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { noFaults } from "../../src/sandbox/http/Faults.ts"
import { orderErrorCodes } from "../../src/venue/wire/WireError.ts"
import { createAndFund, isSettled, orderBody, price, send, until } from "../world/service/clients.ts"
import { play } from "../world/service/play.ts"
import { json } from "../world/service/scriptedVenue.ts"
import { reads, reasonOf, run, structured, writes } from "../world/service/venueCalls.ts"
import { type Code, type Endpoint, orderErrors } from "./orderErrors.ts"

/** What goes wrong on the way to the endpoint, so that it answers with an overload. */
const faultsOf = (code: Code) => {
  if (code === "rate-limit-exceeded") return { ...noFaults, rateLimited: 1 }
  if (code === "service-unavailable") return { ...noFaults, unavailable: 1 }
  return code === "internal-error" ? { ...noFaults, internalError: 1 } : noFaults
}

/** A request that the sandbox refuses with the code. */
const provoke = (endpoint: Endpoint, code: Code) =>
  Effect.gen(function* () {
    const isAnonymous = code === "authentication-required"
    const credentials = isAnonymous ? { "x-api-key": undefined } : {}
    if (endpoint === "list orders") {
      const query = code === "validation-failed" ? "?page[size]=51" : ""
      return yield* send("GET", `/v0/orders${query}`, undefined, credentials)
    }
    if (endpoint === "create order") {
      const bodies: Partial<Record<Code, unknown>> = {
        "malformed-request": "{",
        "validation-failed": orderBody({ price: "-1" }),
        "request-rejected": orderBody({ refundTo: "intents.native" }),
        "order-rejected": orderBody({ quantity: "1" }),
        "client-generated-id": orderBody({}, { id: "mine" }),
        "resource-type-mismatch": orderBody({}, { type: "swaps" })
      }
      return yield* send("POST", "/v0/orders", bodies[code] ?? orderBody(), credentials)
    }
    const isOver = code === "order-rejected"
    const id = isOver ? yield* overOrder : "none"
    return endpoint === "cancel order"
      ? yield* send("POST", `/v0/orders/${id}/cancel`, undefined, credentials)
      : yield* send("GET", `/v0/orders/${id}`, undefined, credentials)
  })

const overOrder = Effect.gen(function* () {
  const { id } = yield* createAndFund({ price: price("59000") })
  yield* until(id, isSettled)
  return id
})

describe("the error table", () => {
  it.effect.each(orderErrors)("the sandbox answers %s with %s, status, title and meta", ([endpoint, code]) =>
    play(
      Effect.gen(function* () {
        const answer = yield* provoke(endpoint, code)
        const [status, title] = orderErrorCodes[code]
        const body = answer.body as { errors: ReadonlyArray<Record<string, unknown>>; meta: Record<string, unknown> }
        assert.strictEqual(answer.status, status)
        assert.deepInclude(body.errors[0], { status: String(status), code, title })
        assert.isString(body.meta["correlationId"])
        assert.isString(body.meta["timestamp"])
      }),
      { faults: faultsOf(code) }
    )
  )

  const clients = {
    "create order": writes.createOrder[0],
    "list orders": reads.listOrders[0],
    "cancel order": writes.cancelOrder[0],
    "get order": reads.getOrder[0]
  } as const
  it.effect.each(orderErrors)("the client of %s reacts to %s as documented", ([endpoint, code]) =>
    Effect.gen(function* () {
      const [status] = orderErrorCodes[code]
      const call = clients[endpoint]
      const { exit } = yield* run<unknown>(call, () => json(structured(code, status), status))
      const reason = reasonOf(exit)
      const isWrite = endpoint === "create order" || endpoint === "cancel order"
      const expected =
        status === 401
          ? "Unauthorized"
          : status === 429
            ? "RetryLater"
            : status >= 500
              ? isWrite
                ? "OutcomeUnknown"
                : "RetryLater"
              : "Rejected"
      assert.strictEqual(reason?._tag, expected)
      if (reason?._tag === "Rejected") assert.strictEqual(reason.code, code)
    })
  )

  it.effect("leaves UNTRIGGERED, which the sandbox does not send, and unknown statuses readable as they are", () =>
    Effect.gen(function* () {
      for (const fillStatus of ["UNTRIGGERED", "BRAND_NEW"]) {
        const [call, good] = reads.getOrder
        const answer = { ...good, data: { ...good.data, attributes: { ...good.data.attributes, fillStatus } } }
        const { exit } = yield* run(call, () => json(answer))
        assert.strictEqual(exit._tag === "Success" && exit.value.value.fillStatus, fillStatus)
      }
    })
  )
})
