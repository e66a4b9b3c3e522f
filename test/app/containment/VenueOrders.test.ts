/** Accounts of one API key share its list of orders. `check --containment` and the fees of `plan` use their own orders. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as VenueOrders from "../../../src/app/containment/VenueOrders.ts"
import { feesIn } from "../../../src/app/plan/PlanDraft.ts"
import type { Order } from "../../../src/domain/Order.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { Venue } from "../../../src/venue/Venue.ts"
import { market, reports } from "../../engine/tracking/orderLife.ts"
import { settingsOf } from "../../world/processes/rehearsing.ts"

const [shown] = reports({ side: "SELL", fills: [], rest: 1n, withdrawFee: 5n, refundFee: 7n })
const ours: Order = { ...(shown ?? assert.fail("no order")), id: "ours" }
const foreign: Order = {
  ...ours,
  id: "foreign",
  recipient: "bert",
  refundTo: "bert",
  estimatedWithdrawFee: 900n,
  estimatedRefundFee: 900n
}
const onChain: Order = { ...foreign, id: "on-chain", recipient: "0xours", recipientType: "DESTINATION_CHAIN" }
const unclear: Order = { ...foreign, id: "unclear", unsaid: ["recipient", "refundTo"] }

const text = `venue: { url: https://venue.invalid, apiKey: { env: NONE } }
account: { key: { env: NONE }, recipients: { USDC: "0xours" } }
assets:
  BTC: { id: btc, decimals: 8 }
  USDC: { id: usdc, decimals: 6, depositType: ORIGIN_CHAIN }
journal: bot.sqlite
`

describe("the orders of an account whose API key others use", () => {
  it.effect("are the orders of its account and its addresses, and orders with unclear owners", () =>
    Effect.gen(function* () {
      const config = yield* Effect.promise(() => settingsOf(text))
      const orders = [foreign, ours, onChain, unclear]
      const venue = Layer.mock(Venue)({ listOrders: () => Effect.succeed({ value: { orders } }) })
      const { found } = yield* Effect.provide(VenueOrders.listed(config, "me", BotState.make()), venue)
      assert.deepStrictEqual(
        found.map(({ id }) => id),
        ["ours", "on-chain", "unclear"]
      )
    })
  )

  it("have the fees of a plan", () => {
    const places = { signerId: "me", depositType: "INTENTS" } as const
    const assets = [market.base, market.quote]
    const fees = new Map([
      ["BTC", { refund: 7n }],
      ["USDC", { withdraw: 5n }]
    ])
    assert.deepStrictEqual(feesIn([foreign, ours], assets, places), fees)
    assert.deepStrictEqual(feesIn([{ ...onChain, recipient: "me" }, ours], assets, places), fees)
    assert.deepStrictEqual(feesIn([foreign], assets, places), new Map())
  })
})
