/** Swaps of type ANY_INPUT: whatever arrives is turned into one asset and paid out, deposit by deposit, until the deadline. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SandboxConnection } from "../../src/sandbox/SandboxServer.ts"
import { Swaps } from "../../src/venue/Swaps.ts"
import { toWithdrawals } from "../../src/venue/wire/WireSwap.ts"
import { account, btc, send, usdc, venueBooks } from "../world/service/clients.ts"
import { play } from "../world/service/play.ts"
import { iso } from "../world/service/playedSwaps.ts"

const sol = "nep141:sol.omft.native"

const collector = Effect.fnUntraced(function* (as: Readonly<Record<string, string | undefined>> = {}) {
  const me = yield* account
  const body = {
    dry: false,
    swapType: "ANY_INPUT",
    slippageTolerance: 100,
    originAsset: btc,
    depositType: "INTENTS",
    destinationAsset: usdc,
    amount: "1000000",
    recipient: "usdc-address",
    recipientType: "DESTINATION_CHAIN",
    refundTo: me,
    refundType: "INTENTS",
    deadline: iso(600_000),
    appFees: [{ recipient: "partner.native", fee: 50 }]
  }
  return yield* send("POST", "/v0/quote", body, as)
})

const pay = (depositAddress: string, asset: string, amount: string) =>
  send("POST", "/sandbox/deposit", { depositAddress, asset, amount, sender: "bc1qany" })

describe("a swap of type ANY_INPUT", () => {
  it.effect("turns every token into one asset, pays each out, and ends at its deadline with both books right", () =>
    play(
      Effect.gen(function* () {
        const answer = yield* collector()
        assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
        const { quote } = answer.body as {
          quote: { depositAddress: string; chainDepositAddresses: ReadonlyArray<{ blockchain: string }> }
        }
        const { depositAddress } = quote
        const chains = quote.chainDepositAddresses.map(({ blockchain }) => blockchain)
        assert.includeMembers(chains, ["btc", "sol"])
        yield* pay(depositAddress, btc, "1000000")
        yield* pay(depositAddress, sol, "5000000000")
        yield* pay(depositAddress, usdc, "7000000")
        yield* pay(depositAddress, btc, "1")
        yield* Effect.sleep("60 seconds")
        const swaps = yield* Swaps
        const all = (yield* swaps.withdrawals({ depositAddress })).value
        assert.deepInclude(all, {
          asset: usdc,
          recipient: "usdc-address",
          affiliateRecipient: "partner.native",
          odd: []
        })
        assert.deepStrictEqual(
          all.withdrawals.map(({ status }) => status),
          ["SUCCESS", "SUCCESS", "SUCCESS"],
          "what is not worth its payment goes back"
        )
        const oldest = (yield* swaps.withdrawals({ depositAddress, sortOrder: "asc", limit: 2 })).value.withdrawals
        assert.deepStrictEqual([...oldest], all.withdrawals.toReversed().slice(0, 2))
        const second = (yield* swaps.withdrawals({ depositAddress, sortOrder: "asc", limit: 2, page: 2 })).value
        assert.deepStrictEqual([...second.withdrawals], all.withdrawals.slice(0, 1))
        const later = (yield* swaps.withdrawals({ depositAddress, timestampFrom: iso(300_000) })).value
        assert.lengthOf(later.withdrawals, 0)
        assert.strictEqual((yield* swaps.status(depositAddress)).value.status, "PROCESSING")

        yield* Effect.sleep("11 minutes")
        const over = (yield* swaps.status(depositAddress)).value
        assert.strictEqual(over.status, "SUCCESS")
        const paid = all.withdrawals.reduce((sum, { amountOut }) => sum + amountOut, 0n)
        assert.strictEqual(over.amountOut, paid)
        yield* pay(depositAddress, btc, "1000000")
        yield* Effect.sleep("60 seconds")
        assert.lengthOf((yield* swaps.withdrawals({ depositAddress })).value.withdrawals, 3)
        const { accounts } = yield* venueBooks
        for (const [name, assets] of Object.entries(accounts)) {
          for (const [symbol, places] of Object.entries(assets)) {
            const under = ["depositInTransit", "inOrders", "payoutInTransit", "returnInTransit"]
            for (const place of under) assert.include([undefined, "0"], places[place], `${name} ${symbol} ${place}`)
          }
        }
      })
    )
  )

  it.effect("is for partners only, and only its own address has withdrawals", () =>
    play(
      Effect.gen(function* () {
        const { apiKey } = yield* SandboxConnection
        assert.strictEqual((yield* collector({ "x-api-key": undefined })).status, 400)
        const nowhere = "/v0/any-input/withdrawals?depositAddress=nowhere"
        assert.strictEqual((yield* send("GET", nowhere)).status, 404)
        assert.strictEqual((yield* send("GET", nowhere, undefined, { "x-api-key": undefined })).status, 401)
        const tooMany = "/v0/any-input/withdrawals?depositAddress=nowhere&limit=51"
        assert.strictEqual((yield* send("GET", tooMany, undefined, { "x-api-key": apiKey })).status, 400)
      })
    )
  )

  it("is read tolerantly: one instead of a list, nothing, and odd entries beside the others", () => {
    const good = { status: "SUCCESS", amountOut: "5", timestamp: "2026-01-01T00:00:00.000Z", hash: "h" }
    const said = (withdrawals: unknown) => toWithdrawals({ asset: usdc, withdrawals })
    assert.lengthOf(said(good).withdrawals, 1)
    assert.lengthOf(said(undefined).withdrawals, 0)
    const mixed = said([good, null, { ...good, amountOut: "0x5" }, { ...good, timestamp: "yesterday" }])
    assert.deepStrictEqual([mixed.withdrawals.length, mixed.odd.length], [2, 2])
  })
})
