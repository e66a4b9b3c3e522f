/** States as they follow each other on the wire, and the fees that others get. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Venue } from "../../src/venue/Venue.ts"
import { order, orderBody, price, send, sign, venueBooks } from "../world/service/clients.ts"
import { play } from "../world/service/play.ts"

interface Attributes {
  readonly fillStatus: string
  readonly payoutStatus: string
  readonly isPayoutStatusFinal: boolean
  readonly payouts: { readonly withdrawal: { readonly status: string; readonly txHash?: string } | null }
}

const attributesOf = (id: string) =>
  Effect.map(
    send("GET", `/v0/orders/${id}`),
    ({ body }) => (body as { data: { attributes: Attributes } }).data.attributes
  )

/** Every state of a payout on the way to its end, with the fill status next to it. */
const follow = Effect.fnUntraced(function* (id: string) {
  const seen: Array<string> = []
  for (let look = 0; look < 2000; look += 1) {
    const { fillStatus, isPayoutStatusFinal, payoutStatus, payouts } = yield* attributesOf(id)
    const state = `${fillStatus} ${payoutStatus}`
    if (seen.at(-1) !== state) seen.push(state)
    assert.strictEqual(isPayoutStatusFinal, payoutStatus === "COMPLETED" || payoutStatus === "FAILED")
    if (isPayoutStatusFinal) return { seen, withdrawal: payouts.withdrawal }
    yield* Effect.sleep("20 millis")
  }
  return yield* Effect.die(new Error(`stays ${seen.join(", ")}`))
})

const sold = Effect.gen(function* () {
  const port = yield* Venue
  const created = (yield* port.createOrder(order({ price: price("59000") }))).value
  yield* port.submitIntent(yield* sign(created))
  return yield* follow(created.id)
})

describe("payouts", () => {
  it.effect("go from NOT_STARTED over IN_PROGRESS to COMPLETED with a hash", () =>
    play(
      Effect.gen(function* () {
        const { seen, withdrawal } = yield* sold
        const expected = [
          "AWAITING_DEPOSIT NOT_STARTED",
          "FILLED NOT_STARTED",
          "FILLED IN_PROGRESS",
          "FILLED COMPLETED"
        ]
        assert.deepStrictEqual(seen, expected)
        assert.isString(withdrawal?.txHash)
      })
    )
  )

  it.effect("that the service gives up end as FAILED", () =>
    play(
      Effect.gen(function* () {
        assert.strictEqual((yield* sold).seen.at(-1), "FILLED FAILED")
      }),
      { settings: { failedPayoutShare: 1 } }
    )
  )
})

describe("app fees", () => {
  it.effect("are taken from the spent amount and reach their recipients", () =>
    play(
      Effect.gen(function* () {
        const appFees = [
          { recipient: "app.native", fee: 25 },
          { recipient: "other.native", fee: 50 }
        ]
        const answer = yield* send("POST", "/v0/orders", orderBody({ side: "SELL", price: "59000", appFees }))
        const { id } = (answer.body as { data: { id: string } }).data
        const port = yield* Venue
        yield* port.submitIntent(yield* sign((yield* port.getOrder(id)).value))
        yield* follow(id)
        const { accounts } = yield* venueBooks
        assert.deepStrictEqual(
          ["app.native", "other.native"].map((owner) => accounts[owner]?.["BTC"]?.["balance"]),
          ["2500", "5000"]
        )
      })
    )
  )
})
