/** Swaps over the contract: quotes and their signature, every way a deposit can end, both histories. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { SandboxConnection } from "../../src/sandbox/SandboxServer.ts"
import { IntentGuard } from "../../src/signing/IntentGuard.ts"
import * as QuoteSignature from "../../src/signing/QuoteSignature.ts"
import { History } from "../../src/venue/History.ts"
import { Swaps } from "../../src/venue/Swaps.ts"
import { Venue } from "../../src/venue/Venue.ts"
import { QuoteRequest } from "../../src/venue/wire/WireQuote.ts"
import {
  account,
  btc,
  isSettled,
  orderBody,
  send,
  signMessage,
  until,
  usdc,
  venueBooks
} from "../world/service/clients.ts"
import { play, start } from "../world/service/play.ts"
import {
  balanceOf,
  betweenChains,
  follow,
  fromOtherChain,
  iso,
  payByIntent,
  payOnChain,
  type QuoteBody,
  quote,
  request,
  type StatusBody,
  statusOf
} from "../world/service/playedSwaps.ts"

describe("quotes of the sandbox", () => {
  it.effect("are signed with the key of the connection record, dry or not, and tampering shows", () =>
    play(
      Effect.gen(function* () {
        const { quoteKey } = yield* SandboxConnection
        for (const changes of [
          {},
          { dry: true },
          { swapType: "EXACT_OUTPUT" },
          { ...fromOtherChain, depositMode: "MEMO", referral: "us" }
        ]) {
          const answer = yield* quote(changes)
          assert.isTrue(QuoteSignature.verify(quoteKey, answer))
          const tampered = { ...answer, quote: { ...answer.quote, amountOut: "1" } }
          assert.isFalse(QuoteSignature.verify(quoteKey, tampered))
        }
      })
    )
  )

  it.effect("have no address if dry, and cost 20 basis points more without a partner", () =>
    play(
      Effect.gen(function* () {
        const { quote: partner } = yield* quote({ dry: true })
        assert.isUndefined(partner.depositAddress)
        const anonymous = yield* send("POST", "/v0/quote", request({ dry: true }), { "x-api-key": undefined })
        const { quote: open } = anonymous.body as QuoteBody
        assert.closeTo(Number(open.amountOut) / Number(partner.amountOut), 0.998, 1e-6)
        const wrong = yield* send("POST", "/v0/quote", request(), { "x-api-key": undefined, authorization: "Bearer x" })
        assert.strictEqual(wrong.status, 401)
      })
    )
  )

  it.effect("have bounds by the kind of swap and the tolerance", () =>
    play(
      Effect.gen(function* () {
        const exactIn = (yield* quote()).quote
        assert.deepStrictEqual([exactIn.amountIn, exactIn.minAmountIn], ["1000000", "1000000"])
        assert.strictEqual(exactIn.minAmountOut, String((BigInt(exactIn.amountOut) * 99n) / 100n))
        const exactOut = (yield* quote({ swapType: "EXACT_OUTPUT", amount: "500000000" })).quote
        assert.deepStrictEqual([exactOut.amountOut, exactOut.minAmountOut], ["500000000", "500000000"])
        assert.isTrue(BigInt(exactOut.amountIn) > BigInt(exactOut.minAmountIn))
        const flexible = (yield* quote({ swapType: "FLEX_INPUT" })).quote
        assert.strictEqual(flexible.minAmountIn, "990000")
        const insured = (yield* quote({ dry: true, insured: true })).quote
        assert.isTrue(BigInt(insured.amountOut) < BigInt(exactIn.amountOut))
        const withFees = (yield* quote({ dry: true, appFees: [{ recipient: "app.native", fee: 100 }] })).quote
        assert.closeTo(Number(withFees.amountOut) / Number(exactIn.amountOut), 0.99, 1e-6)
      })
    )
  )

  it.effect("are refused with a sentence if impossible", () =>
    play(
      Effect.gen(function* () {
        const cases: ReadonlyArray<readonly [object, string]> = [
          [{ originAsset: "gold" }, "tokenIn is not valid"],
          [{ destinationAsset: "gold" }, "tokenOut is not valid"],
          [{ destinationAsset: btc }, "Quoting for this pair is not available"],
          [{ amount: "999999999999999" }, "No liquidity available"],
          [{ recipientType: "DESTINATION_CHAIN", amount: "1" }, "Amount is too low for bridge, try at least"],
          [{ deadline: iso(-1) }, "deadline must be in the future"],
          [{ amount: "0" }, "amount"],
          [{ slippageTolerance: -1 }, "slippageTolerance"]
        ]
        for (const [changes, text] of cases) {
          const { status, body } = yield* send("POST", "/v0/quote", request(changes))
          assert.strictEqual(status, 400, text)
          assert.include((body as { message: string }).message, text)
        }
      })
    )
  )
})

describe("swaps of the sandbox", () => {
  it.effect("execute a complete deposit by intent and pay out to the unit", () =>
    play(
      Effect.gen(function* () {
        const { quote: quoted } = yield* quote()
        assert.strictEqual((yield* statusOf(quoted.depositAddress)).status, "PENDING_DEPOSIT")
        yield* payByIntent(quoted.depositAddress, "1000000")
        const { seen, end } = yield* follow(quoted.depositAddress)
        assert.deepStrictEqual(seen, ["KNOWN_DEPOSIT_TX", "PROCESSING", "SUCCESS"])
        assert.isTrue(BigInt(end["amountOut"] ?? 0) >= BigInt(quoted.minAmountOut))
        assert.strictEqual(yield* balanceOf("alice.native", "USDC"), BigInt(end["amountOut"] ?? 0))
        assert.lengthOf(end.intentHashes, 1)
        assert.lengthOf(end.destinationChainTxHashes, 0)
        assert.lengthOf(end.nativeTxHashes, 1)
        assert.deepStrictEqual((yield* venueBooks).imbalances, [])
      })
    )
  )

  it.effect("have a payload of generate-intent that pays their address", () =>
    play(
      Effect.gen(function* () {
        const { quote: quoted } = yield* quote()
        const generated = yield* send("POST", "/v0/generate-intent", {
          type: "swap_transfer",
          standard: "nep413",
          signerId: yield* account,
          depositAddress: quoted.depositAddress
        })
        const { intent } = generated.body as { intent: { payload: { message: string } } }
        assert.include(intent.payload.message, `"receiver_id":"${quoted.depositAddress}","tokens":{"${btc}":"1000000"}`)
      })
    )
  )

  it.effect("pay out exactly and refund the excess as EXACT_OUTPUT, and take any input as FLEX_INPUT", () =>
    play(
      Effect.gen(function* () {
        const exact = (yield* quote({ swapType: "EXACT_OUTPUT", amount: "500000000" })).quote
        yield* payByIntent(exact.depositAddress, exact.amountIn)
        const { end } = yield* follow(exact.depositAddress)
        assert.strictEqual(end["amountOut"], "500000000")
        assert.strictEqual(BigInt(end["refundedAmount"] ?? 0), BigInt(exact.amountIn) - BigInt(end["amountIn"] ?? 0))
        const flexible = (yield* quote({ swapType: "FLEX_INPUT" })).quote
        yield* payByIntent(flexible.depositAddress, "995000")
        const { end: part } = yield* follow(flexible.depositAddress)
        assert.strictEqual(part["amountIn"], "995000")
        assert.isTrue(BigInt(part["amountOut"] ?? 0) < BigInt(flexible.amountOut))
      })
    )
  )

  it.effect("wait for the rest of a short deposit, and refund it at the deadline without the rest", () =>
    play(
      Effect.gen(function* () {
        const { quote: completed } = yield* quote()
        yield* payByIntent(completed.depositAddress, "400000")
        yield* Effect.sleep("1 second")
        assert.strictEqual((yield* statusOf(completed.depositAddress)).status, "INCOMPLETE_DEPOSIT")
        yield* payByIntent(completed.depositAddress, "600000")
        assert.strictEqual((yield* follow(completed.depositAddress)).seen.at(-1), "SUCCESS")

        const { quote: short } = yield* quote({ deadline: iso(20_000) })
        yield* payByIntent(short.depositAddress, "400000")
        yield* Effect.sleep("15 seconds")
        const { seen, end } = yield* follow(short.depositAddress)
        assert.deepStrictEqual(seen, ["INCOMPLETE_DEPOSIT", "REFUNDED"])
        assert.deepStrictEqual([end["refundReason"], end["refundedAmount"]], ["PARTIAL_DEPOSIT", "400000"])
        assert.strictEqual(yield* balanceOf("alice.native", "BTC"), 400_000n)
      })
    )
  )

  it.effect("refund excess with the payout, and a late deposit alone; an unpaid address waits without limit", () =>
    play(
      Effect.gen(function* () {
        const { quote: rich } = yield* quote()
        yield* payByIntent(rich.depositAddress, "1000500")
        const { end } = yield* follow(rich.depositAddress)
        assert.deepStrictEqual(
          [end["amountIn"], end["refundedAmount"], end["depositedAmount"]],
          ["1000000", "500", "1000500"]
        )

        const { quote: late } = yield* quote({ deadline: iso(5_000) })
        yield* Effect.sleep("10 seconds")
        assert.strictEqual((yield* statusOf(late.depositAddress)).status, "PENDING_DEPOSIT")
        yield* payByIntent(late.depositAddress, "1000000")
        const ended = yield* follow(late.depositAddress)
        assert.strictEqual(ended.seen.at(-1), "REFUNDED")
        assert.strictEqual(ended.end["refundedAmount"], "1000000")
      })
    )
  )

  it.effect("are refunded if the price moves beyond the tolerance", () =>
    play(
      Effect.gen(function* () {
        const { quote: quoted } = yield* quote({ slippageTolerance: 0, deadline: iso(3_600_000) })
        let tries = 0
        const { prices } = (yield* send("GET", "/sandbox/market")).body as { prices: { BTC: number } }
        for (let now = prices.BTC; now > prices.BTC * 0.995 && tries < 3000; tries++) {
          yield* Effect.sleep("1 second")
          now = ((yield* send("GET", "/sandbox/market")).body as { prices: { BTC: number } }).prices.BTC
        }
        yield* payByIntent(quoted.depositAddress, "1000000")
        const { seen, end } = yield* follow(quoted.depositAddress)
        assert.strictEqual(seen.at(-1), "REFUNDED")
        assert.strictEqual(end["refundReason"], "AMOUNT_LESS_THAN_MIN_AMOUNT_OUT")
      }),
      { speed: 200 }
    )
  )

  it.effect("on other chains have memo, hashes, fees and deposit/submit", () =>
    play(
      Effect.gen(function* () {
        const { quote: quoted } = yield* quote(betweenChains)
        const { depositAddress, depositMemo = "" } = quoted
        assert.strictEqual(quoted.chainDepositAddresses[0]?.address, depositAddress)
        const missing = yield* send("GET", `/v0/status?depositAddress=${depositAddress}`)
        assert.strictEqual(missing.status, 404)
        yield* payOnChain(depositAddress, "1000000", "7")
        yield* Effect.sleep("10 seconds")
        assert.strictEqual((yield* statusOf(depositAddress, depositMemo)).status, "PENDING_DEPOSIT")

        const txHash = yield* payOnChain(depositAddress, "1000000", depositMemo)
        const submitted = yield* send("POST", "/v0/deposit/submit", { txHash, depositAddress, memo: depositMemo })
        assert.strictEqual((submitted.body as StatusBody).status, "KNOWN_DEPOSIT_TX")
        const { end } = yield* follow(depositAddress, depositMemo)
        assert.deepStrictEqual(
          end.originChainTxHashes.map(({ hash }) => hash),
          [txHash]
        )
        assert.lengthOf(end.destinationChainTxHashes, 1)
        const books = yield* venueBooks
        assert.strictEqual(books.accounts["bc1qme"]?.["USDC"]?.["feesPaid"], "20000")
        // What came with the wrong memo went back, what was swapped left for the other chain.
        assert.strictEqual(books.accounts["bc1qme"]?.["BTC"]?.["external"], "1000000")
        assert.strictEqual(books.accounts["bc1qme"]?.["BTC"]?.["balance"], "0")
        const unknown = yield* send("POST", "/v0/deposit/submit", { txHash, depositAddress: "nowhere" })
        assert.strictEqual(unknown.status, 404)
      })
    )
  )

  it.effect("fund an order on its origin chain, sooner with its transaction hash", () =>
    play(
      Effect.gen(function* () {
        const onChain = {
          depositType: "ORIGIN_CHAIN",
          depositMode: "MEMO",
          refundType: "ORIGIN_CHAIN",
          refundTo: "bc1qme"
        }
        const asked = orderBody({ price: "90000", recipientType: "INTENTS", ...onChain })
        const opened: Array<number> = []
        for (const isPointedOut of [true, false]) {
          const created = yield* send("POST", "/v0/orders", asked)
          const { id, attributes: made } = (
            created.body as { data: { id: string; attributes: Record<string, string> } }
          ).data
          const { depositAddress = "", depositMemo: memo = "" } = made
          const refused = { type: "swap_transfer", standard: "nep413", signerId: yield* account, depositAddress }
          assert.strictEqual((yield* send("POST", "/v0/generate-intent", refused)).status, 400)
          const paidAt = yield* Clock.currentTimeMillis
          const txHash = yield* payOnChain(depositAddress, "1000000", memo)
          if (isPointedOut) {
            const { body } = yield* send("POST", "/v0/deposit/submit", { txHash, depositAddress, memo })
            assert.strictEqual((body as StatusBody).status, "KNOWN_DEPOSIT_TX")
          }
          yield* until(id, ({ fillStatus }) => fillStatus === "OPEN")
          opened.push((yield* Clock.currentTimeMillis) - paidAt)
          assert.strictEqual((yield* statusOf(depositAddress, memo)).status, "PROCESSING")
          yield* send("POST", `/v0/orders/${id}/cancel`)
          const end = yield* until(id, isSettled)
          assert.strictEqual(end.refund?.status, "COMPLETED")
          assert.strictEqual((yield* statusOf(depositAddress, memo)).swapDetails["refundedAmount"], "999970")
        }
        const [soon = 0, late = 0] = opened
        assert.isBelow(soon, 600)
        assert.isAbove(late, 1900)
        assert.deepStrictEqual((yield* venueBooks).imbalances, [])
      })
    )
  )

  it.effect("can be made to fail, and to refund for every reason", () =>
    play(
      Effect.gen(function* () {
        const reasons = new Set<string | undefined>()
        for (let count = 0; count < 40; count++) {
          const { quote: quoted } = yield* quote({ amount: "1000", deadline: iso(86_400_000) })
          yield* payByIntent(quoted.depositAddress, "1000")
          const { seen, end } = yield* follow(quoted.depositAddress)
          assert.strictEqual(seen.at(-1), "REFUNDED")
          reasons.add(end["refundReason"])
        }
        assert.isAtLeast(reasons.size, 9)
      }),
      { settings: { refundedSwapShare: 1, recognitionMillis: [0, 0], swapMillis: [0, 0], payoutMillis: [20, 20] } }
    )
  )
})

describe("the history of the sandbox", () => {
  const history = Effect.fnUntraced(function* (path: string) {
    const { partnerJwt } = yield* SandboxConnection
    const { body, status, headers } = yield* send("GET", path, undefined, { authorization: `Bearer ${partnerJwt}` })
    return { body, status, retryAfter: headers["retry-after"] }
  })
  const lines = Effect.fnUntraced(function* (query: string) {
    yield* Effect.sleep("5 seconds")
    const { body, status } = yield* history(`/api/v0/transactions?${query}`)
    assert.strictEqual(status, 200, JSON.stringify(body))
    return (body as ReadonlyArray<{ depositAddress: string }>).map(({ depositAddress }) => depositAddress)
  })

  /** Five finished swaps and one unpaid, oldest first. */
  const traded = Effect.gen(function* () {
    const made: Array<string> = []
    for (const changes of [
      { referral: "us" },
      { referral: "test-run" },
      { appFees: [{ recipient: "app.native", fee: 10 }] },
      { confidentiality: "basic" },
      { originAsset: usdc, destinationAsset: btc, amount: "700000000" }
    ]) {
      const { quote: quoted } = yield* quote({ deadline: iso(86_400_000), ...changes })
      const isBack = "originAsset" in changes
      yield* payByIntent(quoted.depositAddress, isBack ? "700000000" : "1000000", isBack ? usdc : btc)
      yield* follow(quoted.depositAddress)
      made.push(quoted.depositAddress)
    }
    made.push((yield* quote({ deadline: iso(86_400_000) })).quote.depositAddress)
    return made
  })

  it.effect("filters as the specification says", () =>
    play(
      Effect.gen(function* () {
        const [us, test, app, masked, back, unpaid] = yield* traded
        assert.deepStrictEqual(yield* lines(""), [back, masked, app, us])
        assert.deepStrictEqual(yield* lines("showTestTxs=true"), [back, masked, app, test, us])
        assert.deepStrictEqual(yield* lines("statuses=PENDING_DEPOSIT,SUCCESS"), [unpaid, back, masked, app, us])
        assert.deepStrictEqual(yield* lines("fromChainId=btc"), [app, us])
        assert.deepStrictEqual(yield* lines("fromChainId=btc&fromChainId=native"), [back, app, us])
        assert.deepStrictEqual(yield* lines(`fromChainId=btc&fromTokenId=${usdc}`), [back])
        assert.deepStrictEqual(yield* lines(`toTokenId=${usdc}`), [app, us])
        assert.deepStrictEqual(yield* lines("referral=us"), [us])
        assert.deepStrictEqual(yield* lines("affiliate=app.native"), [app])
        assert.deepStrictEqual(yield* lines("minUsdPrice=650"), [back])
        assert.deepStrictEqual(yield* lines("maxUsdPrice=650&minUsdPrice=null"), [app, us])
        assert.deepStrictEqual(yield* lines(`search=${masked}`), [masked])
        assert.deepStrictEqual(yield* lines("depositMemo=1"), [])
      })
    )
  )

  it.effect("has cursors both ways, exclusive time bounds and counted pages", () =>
    play(
      Effect.gen(function* () {
        const [us, , app, masked, back] = yield* traded
        const [first] = (yield* history("/api/v0/transactions")).body as ReadonlyArray<{ createdAt: string }>
        const cursor = `lastDepositAddress=${masked}`
        assert.deepStrictEqual(yield* lines("numberOfTransactions=2"), [back, masked])
        assert.deepStrictEqual(yield* lines(`numberOfTransactions=1&${cursor}`), [app])
        assert.deepStrictEqual(yield* lines(`direction=prev&${cursor}`), [back])
        assert.deepStrictEqual(yield* lines(`lastDepositAddressAndMemo=${app}`), [us])
        assert.deepStrictEqual(yield* lines(`startTimestamp=${first?.createdAt}`), [])
        assert.deepStrictEqual(yield* lines(`endTimestamp=${first?.createdAt}`), [masked, app, us])
        assert.deepStrictEqual(yield* lines(`startTimestampUnix=${start / 1000 - 1}&endTimestampUnix=null`), [
          back,
          masked,
          app,
          us
        ])
        yield* Effect.sleep("5 seconds")
        const { body } = yield* history("/api/v0/transactions-pages?perPage=3&page=2")
        const { data, ...counts } = body as { data: ReadonlyArray<{ depositAddress: string }> }
        assert.deepStrictEqual(
          data.map(({ depositAddress }) => depositAddress),
          [us]
        )
        const expected = { totalPages: 2, page: 2, perPage: 3, total: 4, nextPage: null, prevPage: 1 }
        assert.deepStrictEqual(counts as object, expected)
      })
    )
  )

  it.effect("allows one request per five seconds, to one partner, with a token", () =>
    play(
      Effect.gen(function* () {
        assert.strictEqual((yield* history("/api/v0/transactions")).status, 200)
        yield* Effect.sleep("2 seconds")
        const refused = yield* history("/api/v0/transactions-pages")
        assert.deepStrictEqual([refused.status, refused.retryAfter], [429, "3"])
        yield* Effect.sleep("3 seconds")
        assert.strictEqual((yield* history("/api/v0/transactions-pages")).status, 200)
        assert.strictEqual((yield* send("GET", "/api/v0/transactions")).status, 401)
        yield* Effect.sleep("5 seconds")
        assert.strictEqual((yield* history("/api/v0/transactions?page=0&numberOfTransactions=0")).status, 400)
      })
    )
  )

  it.effect("shows an account its own transactions, page by page", () =>
    play(
      Effect.gen(function* () {
        const [us, test, app, masked, back, unpaid] = yield* traded
        const signedData = yield* signMessage({ intents: [] })
        const { accessToken } = (yield* send("POST", "/v0/auth/authenticate", { signedData })).body as {
          accessToken: string
        }
        const page = Effect.fnUntraced(function* (query: string) {
          const authorization = { authorization: `Bearer ${accessToken}` }
          const { body } = yield* send("GET", `/v0/account/history?${query}`, undefined, authorization)
          const { items, ...cursors } = body as { items: ReadonlyArray<{ depositAddress: string }> }
          const seen: readonly [ReadonlyArray<string | undefined>, object] = [
            items.map(({ depositAddress }) => depositAddress),
            cursors
          ]
          return seen
        })
        // The unpaid one is alice's, and this account never touched it.
        assert.deepStrictEqual(yield* page(""), [[back, masked, app, test, us], { nextCursor: back }])
        assert.deepStrictEqual(yield* page("limit=2"), [[back, masked], { nextCursor: back, prevCursor: masked }])
        assert.deepStrictEqual(yield* page(`limit=2&prevCursor=${masked}`), [
          [app, test],
          { nextCursor: app, prevCursor: test }
        ])
        assert.deepStrictEqual(yield* page(`limit=1&nextCursor=${app}`), [
          [masked],
          { nextCursor: masked, prevCursor: masked }
        ])
        assert.deepStrictEqual(yield* page("status=PENDING_DEPOSIT"), [[], {}])
        assert.isString(unpaid)
        const both = yield* send("GET", "/v0/account/history?prevCursor=a&nextCursor=b", undefined, {
          authorization: `Bearer ${accessToken}`
        })
        assert.strictEqual(both.status, 400)
      })
    )
  )
})

describe("the typed clients", () => {
  it.effect.each(["native", "near"] as const)("understand the whole sandbox with the ledger spelled %s", (ledger) =>
    play(
      Effect.gen(function* () {
        const swaps = yield* Swaps
        const history = yield* History
        const asset = { originAsset: `nep141:btc.omft.${ledger}`, destinationAsset: `nep141:usdc.omft.${ledger}` }
        const signerId = yield* account
        const parties = { refundTo: signerId, recipient: signerId }
        const asked = Schema.decodeUnknownSync(QuoteRequest)(request({ ...asset, ...parties }))
        const { depositAddress = "" } = (yield* swaps.quote(asked)).value.quote
        const expected = { depositAddress, depositType: "INTENTS", asset: asset.originAsset, amount: 1_000_000n }
        const generated = yield* Venue.use((port) => port.generateIntent(depositAddress))
        const signed = yield* IntentGuard.use((guard) => guard.signTransfer(generated.value, expected))
        yield* Venue.use((port) => port.submitIntent(signed))
        let { value } = yield* swaps.submitDeposit({ txHash: "any", depositAddress, senderAccount: signerId })
        while (value.status !== "SUCCESS") {
          yield* Effect.sleep("100 millis")
          value = (yield* swaps.status(depositAddress)).value
        }
        assert.deepStrictEqual(value.intentHashes, [signed.intentHash])
        assert.lengthOf(value.ledgerTxHashes, 1)
        const [line] = yield* history.transactions({})
        assert.strictEqual(line?.amountOut, value.amountOut)
        assert.deepStrictEqual(line?.ledgerTxHashes, value.ledgerTxHashes)
        const { transactions } = yield* history.transactionPage({ perPage: 10 })
        assert.deepStrictEqual(transactions[0], line)
        const own = yield* history.account({})
        assert.strictEqual(own.value.items[0]?.item.depositAddress, depositAddress)
      }),
      { ledger }
    )
  )
})
