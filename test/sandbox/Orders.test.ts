/** An order's whole life through the bot's own port: every end it can come to, and where its money is then. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Amount from "../../src/domain/Amount.ts"
import { Venue } from "../../src/venue/Venue.ts"
import {
  account,
  btc,
  createAndFund,
  isSettled,
  order,
  price,
  read,
  send,
  sign,
  until,
  usdc,
  venueBooks
} from "../world/service/clients.ts"
import { play } from "../world/service/play.ts"

const refundFee = 30n
const withdrawFee = 20_000n
const initialBtc = 2_000_000_000n
const initialUsdc = 1_000_000_000_000n

describe("orders of the sandbox", () => {
  it.effect("fill at once at the bid as a SELL below the market, and their payout is less exactly the shown fee", () =>
    play(
      Effect.gen(function* () {
        const created = yield* createAndFund({ price: price("59000") })
        assert.strictEqual(created.fillStatus, "AWAITING_DEPOSIT")
        assert.strictEqual(created.outputAmount, 590_000_000n)
        assert.strictEqual(created.estimatedWithdrawFee, withdrawFee)
        const settled = yield* until(created.id, isSettled)
        const [fill] = settled.fills
        assert.strictEqual(settled.fillStatus, "FILLED")
        assert.isTrue(fill !== undefined && fill.amountOut > settled.outputAmount)
        assert.strictEqual(settled.withdrawals[0]?.status, "COMPLETED")
        assert.isString(settled.withdrawals[0]?.txHash)
        assert.isUndefined(settled.refund)
        const mine = (yield* venueBooks).accounts[yield* account]
        assert.strictEqual(mine?.["BTC"]?.["balance"], String(initialBtc - created.inputAmount))
        assert.strictEqual(mine?.["USDC"]?.["balance"], String(initialUsdc + (fill?.amountOut ?? 0n) - withdrawFee))
        assert.strictEqual(mine?.["USDC"]?.["feesPaid"], String(withdrawFee))
      })
    )
  )

  it.effect("spend less than they deposit as a BUY above the market, and get the rest back", () =>
    play(
      Effect.gen(function* () {
        const created = yield* createAndFund({ side: "BUY", price: price("61000") })
        const settled = yield* until(created.id, isSettled)
        const spent = settled.fills.reduce((sum, fill) => sum + fill.amountIn, 0n)
        assert.strictEqual(settled.fillStatus, "FILLED")
        assert.strictEqual(settled.fills[0]?.amountOut, created.quantity)
        assert.isTrue(spent < settled.depositedAmount)
        assert.strictEqual(settled.refund?.status, "COMPLETED")
        const mine = (yield* venueBooks).accounts[yield* account]
        assert.strictEqual(mine?.["USDC"]?.["balance"], String(initialUsdc - spent - withdrawFee))
      })
    )
  )

  it.effect("fill in slices at exactly their limit when the market reaches it", () =>
    play(
      Effect.gen(function* () {
        const resting = [
          yield* createAndFund({ price: price("60120") }),
          yield* createAndFund({ side: "BUY", price: price("59880"), quantity: 1_234_567n })
        ]
        const seen = new Set<string>()
        for (const { id } of resting) {
          const settled = yield* until(id, (now) => {
            seen.add(now.fillStatus)
            return isSettled(now)
          })
          assert.strictEqual(settled.fillStatus, "FILLED")
          assert.isAtLeast(settled.fills.length, 2)
          assert.strictEqual(
            settled.fills.reduce((sum, fill) => sum + fill.amountIn, 0n),
            settled.inputAmount
          )
          assert.strictEqual(
            settled.fills.reduce((sum, fill) => sum + fill.amountOut, 0n),
            settled.outputAmount
          )
        }
        for (const status of ["OPEN", "PARTIALLY_FILLED", "FILLED"]) assert.isTrue(seen.has(status), status)
        assert.deepStrictEqual((yield* venueBooks).imbalances, [])
      }),
      { speed: 120, settings: { partialFillShare: 1 } }
    )
  )

  it.effect("are cancelled asynchronously and refunded what is unspent; a later cancel is refused", () =>
    play(
      Effect.gen(function* () {
        const port = yield* Venue
        const created = yield* createAndFund({ price: price("90000") })
        yield* until(created.id, ({ fillStatus }) => fillStatus === "OPEN")
        assert.strictEqual((yield* port.cancelOrder(created.id)).value.fillStatus, "PENDING_CANCEL")
        assert.strictEqual((yield* port.cancelOrder(created.id)).value.fillStatus, "PENDING_CANCEL")
        const settled = yield* until(created.id, isSettled)
        assert.strictEqual(settled.fillStatus, "CANCELED")
        assert.strictEqual(settled.refund?.status, "COMPLETED")
        const refused = yield* Effect.flip(port.cancelOrder(created.id))
        assert.include(refused.reason, { _tag: "Rejected", code: "order-rejected" })
        const mine = (yield* venueBooks).accounts[yield* account]
        assert.strictEqual(mine?.["BTC"]?.["balance"], String(initialBtc - refundFee))
      })
    )
  )

  it.effect("do not report a final payout if they are cancelled without a deposit", () =>
    play(
      Effect.gen(function* () {
        const port = yield* Venue
        const { id } = (yield* port.createOrder(order())).value
        yield* port.cancelOrder(id)
        const canceled = yield* until(id, isSettled)
        yield* Effect.sleep("10 minutes")
        assert.deepStrictEqual(yield* read(id), canceled)
        assert.isFalse(canceled.payoutIsFinal)
      })
    )
  )

  it.effect("expire at their deadline with the fills they have", () =>
    play(
      Effect.gen(function* () {
        const created = yield* createAndFund({ price: price("90000"), deadline: Date.parse("2026-01-01T00:00:30Z") })
        const settled = yield* until(created.id, isSettled)
        assert.strictEqual(settled.fillStatus, "EXPIRED")
        assert.strictEqual(settled.refund?.status, "COMPLETED")
      })
    )
  )

  it.effect("can be paid twice before the first payment is noticed, and the excess comes back by itself", () =>
    play(
      Effect.gen(function* () {
        const port = yield* Venue
        const created = (yield* port.createOrder(order({ price: price("90000") }))).value
        const first = yield* sign(created)
        yield* port.submitIntent(first)
        const second = yield* sign(created)
        assert.notStrictEqual(second.intentHash, first.intentHash)
        yield* port.submitIntent(second)
        assert.strictEqual((yield* venueBooks).accounts[yield* account]?.["BTC"]?.["depositInTransit"], "2000000")
        const open = yield* until(created.id, ({ fillStatus }) => fillStatus === "OPEN")
        assert.strictEqual(open.depositedAmount, created.inputAmount)
        yield* Effect.sleep("5 seconds")
        const mine = (yield* venueBooks).accounts[yield* account]
        assert.strictEqual(mine?.["BTC"]?.["inOrders"], "1000000")
        assert.strictEqual(mine?.["BTC"]?.["balance"], String(initialBtc - 1_000_000n))
        assert.isUndefined((yield* read(created.id)).refund)
        const refused = yield* Effect.flip(port.generateIntent(created.depositAddress))
        assert.include(refused.reason, { _tag: "Rejected" })
      }),
      { settings: { recognitionMillis: [400, 400] } }
    )
  )

  it.effect("refund a deposit that arrives after the cancel", () =>
    play(
      Effect.gen(function* () {
        const port = yield* Venue
        const created = (yield* port.createOrder(order())).value
        const signed = yield* sign(created)
        yield* port.cancelOrder(created.id)
        yield* until(created.id, ({ fillStatus }) => fillStatus === "CANCELED")
        yield* port.submitIntent(signed)
        const settled = yield* until(created.id, ({ payoutIsFinal }) => payoutIsFinal)
        assert.strictEqual(settled.fillStatus, "CANCELED")
        assert.strictEqual(settled.depositedAmount, created.inputAmount)
        assert.strictEqual(settled.refund?.status, "COMPLETED")
      })
    )
  )

  it.effect("are paid once by the same signed bytes, with either known answer", () =>
    play(
      Effect.gen(function* () {
        const port = yield* Venue
        const answers = new Set<string>()
        for (let count = 0; count < 12; count++) {
          const created = (yield* port.createOrder(order({ price: price("90000") }))).value
          const signed = yield* sign(created)
          yield* port.submitIntent(signed)
          const again = yield* Effect.result(port.submitIntent(signed))
          answers.add(again._tag === "Success" ? again.success.value.intentHash.slice(0, 0) : again.failure.message)
          yield* Effect.sleep("1 second")
          assert.strictEqual((yield* read(created.id)).depositedAmount, created.inputAmount)
        }
        const mine = (yield* venueBooks).accounts[yield* account]
        assert.strictEqual(mine?.["BTC"]?.["balance"], String(initialBtc - 12_000_000n))
        assert.strictEqual(answers.size, 2)
        assert.isTrue([...answers].some((text) => text.includes("nonce was already used")))
      })
    )
  )

  it.effect("report a failed payout, which stays in the books and is not retried", () =>
    play(
      Effect.gen(function* () {
        const created = yield* createAndFund({ price: price("59000") })
        const settled = yield* until(created.id, isSettled)
        assert.strictEqual(settled.withdrawals[0]?.status, "FAILED")
        yield* Effect.sleep("1 minute")
        const mine = (yield* venueBooks).accounts[yield* account]
        assert.strictEqual(mine?.["USDC"]?.["failed"], String(settled.fills[0]?.amountOut))
      }),
      { settings: { failedPayoutShare: 1 } }
    )
  )

  it.effect("are listed in pages without loss or repetition while new ones appear", () =>
    play(
      Effect.gen(function* () {
        const port = yield* Venue
        const created: Array<string> = []
        for (let count = 0; count < 60; count++) created.push((yield* port.createOrder(order())).value.id)
        const seen: Array<string> = []
        let cursor: string | undefined
        do {
          const page = yield* port.listOrders(cursor === undefined ? {} : { cursor })
          seen.push(...page.value.orders.map(({ id }) => id))
          cursor = page.value.nextCursor
          yield* port.createOrder(order())
        } while (cursor !== undefined)
        assert.deepStrictEqual(seen, created.toReversed())
      })
    )
  )

  it.effect("are filtered by status and by finality", () =>
    play(
      Effect.gen(function* () {
        const done = yield* createAndFund({ price: price("59000") })
        const open = yield* createAndFund({ price: price("90000") })
        const idle = (yield* Venue.use((port) => port.createOrder(order()))).value
        yield* until(done.id, isSettled)
        const idsOf = (query: string) =>
          Effect.map(send("GET", `/v0/orders?${query}`), ({ body }) =>
            (body as { data: Array<{ id: string }> }).data.map(({ id }) => id)
          )
        assert.deepStrictEqual(yield* idsOf("filter[fillStatus]=OPEN"), [open.id])
        assert.deepStrictEqual(yield* idsOf("filter%5BfillStatus%5D=OPEN&filter%5BfillStatus%5D=FILLED"), [
          open.id,
          done.id
        ])
        assert.deepStrictEqual(yield* idsOf("filter[isPayoutStatusFinal]=false"), [idle.id, open.id])
        assert.deepStrictEqual(yield* idsOf("filter[isPayoutStatusFinal]=true&page[size]=1"), [done.id])
      })
    )
  )

  it.effect("have two-sided quotes around the market and private balances", () =>
    play(
      Effect.gen(function* () {
        const port = yield* Venue
        const sell = (yield* port.dryQuote({ originAsset: btc, destinationAsset: usdc, amount: 1_000_000n })).value
        const buy = (yield* port.dryQuote({ originAsset: usdc, destinationAsset: btc, amount: sell.amountOut })).value
        assert.isTrue(buy.amountOut < sell.amountIn)
        assert.isTrue(buy.amountOut > (sell.amountIn * 997n) / 1000n)
        assert.strictEqual(sell.amountInFormatted, Amount.format(sell.amountIn, 8))
        const balances = yield* port.balances
        assert.deepStrictEqual(
          balances.find(({ tokenId }) => tokenId === btc),
          { tokenId: btc, available: initialBtc, source: "private" }
        )
        assert.lengthOf(yield* port.tokens, 6)
      })
    )
  )

  it.effect("give the same answers for the same seed and requests, to the last byte", () => {
    const story = play(
      Effect.gen(function* () {
        const { id } = yield* createAndFund({ price: price("60050") })
        yield* createAndFund({ side: "BUY", price: price("59950") })
        yield* Effect.sleep("30 seconds")
        const books = yield* send("GET", "/sandbox/books")
        const found = yield* send("GET", `/v0/orders/${id}`)
        return JSON.stringify([books.body, found.body])
      }),
      { seed: 12, speed: 300 }
    )
    return Effect.gen(function* () {
      const first = yield* story
      assert.strictEqual(yield* story, first)
      assert.include(first, "partialFills")
    })
  })
})
