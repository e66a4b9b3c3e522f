/** A whole bot whose assets are in different places, and whose strategy has terms of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import * as Ledger from "../../src/domain/Ledger.ts"
import * as SandboxWallet from "../../src/files/sections/SandboxWallet.ts"
import { ownAccount, type VenueAccount } from "../../src/venue/VenueConfig.ts"
import { assets, inVirtualTime, make, until } from "../world/bot/botWorld.ts"

const [btc] = assets

const strategy = `name: both
market: BTC/USDC
kind: ladder
limits: { budget: { base: 0.02, quote: 1500 }, maxPriceDeviation: 90% }
terms: { confidentiality: advanced, depositMode: MEMO, appFees: { self: 10, partner.native: 150 } }
`

describe("assets in different places", () => {
  it.effect("are paid from and paid out to their places, by the terms of the strategy", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const account: VenueAccount = {
          ...ownAccount(world.signerId, "INTENTS"),
          addresses: { recipients: new Map([[btc.id, "bc1qtheirs"]]), refundTo: new Map([[btc.id, "bc1qours"]]) },
          depositTypes: new Map([[btc.id, "ORIGIN_CHAIN"]])
        }
        const created: Array<Record<string, unknown>> = []
        world.network.reply = (request, body) => {
          if (request.method === "POST" && new URL(request.url).pathname === "/v0/orders") {
            created.push((body as { data: { attributes: Record<string, unknown> } }).data.attributes)
          }
          return body
        }
        const wallet = Layer.unwrap(Effect.map(HttpClient.HttpClient, () => SandboxWallet.layer(world.url, "bc1qours")))
        // One sells far below the price, one buys far above: both fill at once.
        const bot = yield* world.run({
          account,
          beside: wallet,
          strategies: [
            `${strategy}ladder: { side: sell, from: 40000, to: 41000, rungs: 2, total: { base: 0.02 } }\n`,
            `${strategy.replace("name: both", "name: buys")}ladder: { side: buy, from: 90000, to: 91000, rungs: 2, total: { quote: 1000 } }\n`
          ]
        })
        const completed = () => [...bot.state.slots.values()].filter(({ completedLegs }) => completedLegs > 0)
        yield* until(() => completed().length === 4, 300_000, "two sales and two purchases")
        const sold = created.filter(({ side }) => side === "SELL")
        const bought = created.filter(({ side }) => side === "BUY")
        for (const order of sold) {
          assert.deepInclude(order, { depositType: "ORIGIN_CHAIN", refundTo: "bc1qours", recipientType: "INTENTS" })
          assert.deepInclude(order, { recipient: world.signerId, depositMode: "MEMO", confidentiality: "advanced" })
          assert.isString(order["depositMemo"])
        }
        for (const order of bought) {
          assert.deepInclude(order, { depositType: "INTENTS", refundTo: world.signerId, depositMode: "SIMPLE" })
          assert.deepInclude(order, { recipientType: "DESTINATION_CHAIN", recipient: "bc1qtheirs" })
          assert.deepInclude(order["appFees"], { recipient: world.signerId, fee: 10 })
          assert.deepInclude(order["appFees"], { recipient: "partner.native", fee: 150 })
        }
        assert.deepStrictEqual([sold.length, bought.length], [2, 2])
        const elsewhere = Ledger.totals(bot.state.ledger).filter(
          ({ amount, place }) => amount !== 0n && /doubt|flight|order|unexplained|residual/.test(place)
        )
        assert.deepStrictEqual(elsewhere, [])
      })
    )
  )
})
