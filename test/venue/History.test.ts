/** Past swaps: exact or refused, and never asked for faster than the venue allows. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { History } from "../../src/venue/History.ts"
import { VenueConfig } from "../../src/venue/VenueConfig.ts"
import * as Answers from "../world/service/answers.ts"
import { config, json, type Script, scripted, text } from "../world/service/scriptedVenue.ts"

const record = {
  originAsset: "base",
  destinationAsset: "quote",
  depositAddress: "deposit-1",
  depositMemo: null,
  depositAddressAndMemo: "deposit-1",
  recipient: "alice",
  status: "SUCCESS",
  createdAt: "2026-02-01T00:00:00.000Z",
  createdAtTimestamp: 1769904000,
  intentHashes: null,
  referral: null,
  amountInFormatted: "1",
  amountOutFormatted: "5",
  appFees: [],
  nearTxHashes: ["n1"],
  originChainTxHashes: [],
  destinationChainTxHashes: ["d1"],
  amountIn: "1000000000000000000000000",
  amountInUsd: "5",
  amountOut: "5000000",
  amountOutUsd: "5",
  refundTo: "alice",
  senders: ["alice"],
  refundFeeFormatted: null,
  depositType: "INTENTS",
  recipientType: "INTENTS",
  refundType: "INTENTS"
}

const page = { data: [record], totalPages: 3, page: 2, perPage: 1, total: 3, nextPage: 3, prevPage: 1 }

const analytics = Layer.effect(
  VenueConfig,
  Effect.map(VenueConfig, (given) => ({ ...given, analyticsUrl: "http://analytics" }))
).pipe(Layer.provide(config))

const read = (script: Script) => scripted(script, analytics)
const transactions = History.use((history) => history.transactions({}))

/** In steps, because what a waking fiber does next takes a turn of the loop that one long adjustment does not wait for. */
const advance = (seconds: number) => Effect.repeat(TestClock.adjust("500 millis"), { times: seconds * 2 - 1 })

describe("the history client", () => {
  it.effect("reads exact values by cursor with every filter, at its own address and with the JWT", () =>
    Effect.gen(function* () {
      const { layer, sent } = read(() => json([record]))
      const query = {
        numberOfTransactions: 1000,
        lastDepositAddress: "deposit-0",
        lastDepositMemo: "m",
        direction: "prev" as const,
        search: "alice",
        fromChainId: ["eth", "btc"] as const,
        toChainId: ["near"] as const,
        fromTokenId: ["a", "b"],
        toTokenId: ["c"],
        depositMemo: "m",
        referral: "r",
        affiliate: "f",
        statuses: "PENDING_DEPOSIT,SUCCESS",
        showTestTxs: "true",
        minUsdPrice: 0.5,
        maxUsdPrice: "null" as const,
        startTimestamp: "2026-01-01T00:00:00.000Z",
        endTimestampUnix: 1769904000
      }
      const found = yield* Effect.provide(
        History.use((history) => history.transactions(query)),
        layer
      )
      assert.deepInclude(found[0], {
        depositAddress: "deposit-1",
        amountIn: 1_000_000_000_000_000_000_000_000n,
        amountOut: 5_000_000n,
        createdAt: Date.parse(record.createdAt),
        ledgerTxHashes: ["n1"]
      })
      assert.isTrue(sent[0]?.url.startsWith("http://analytics/api/v0/transactions"))
      assert.strictEqual(sent[0]?.headers["authorization"], "Bearer the-jwt")
      const params = [...(sent[0]?.urlParams ?? [])]
      assert.deepStrictEqual(
        params.filter(([key]) => key === "fromChainId").map(([, value]) => value),
        ["eth", "btc"]
      )
      assert.includeDeepMembers(params, [
        ["minUsdPrice", "0.5"],
        ["maxUsdPrice", "null"],
        ["numberOfTransactions", "1000"]
      ])
    })
  )

  it.effect("reads by page, and refuses the wrong page", () =>
    Effect.gen(function* () {
      const call = (number: number) => History.use((history) => history.transactionPage({ page: number, perPage: 1 }))
      const { layer } = read(() => json(page))
      const found = yield* Effect.provide(call(2), layer)
      assert.deepInclude(found, { page: 2, totalPages: 3, total: 3, nextPage: 3 })
      const wrong = yield* Effect.flip(Effect.provide(call(1), read(() => json(page)).layer))
      assert.strictEqual(wrong.reason._tag, "OutcomeUnknown")
    })
  )

  const oddRecords: ReadonlyArray<readonly [string, unknown]> = [
    ["a masking record without assets", { ...record, originAsset: null, destinationAsset: null, senders: null }],
    ["a list with null in it", { ...record, appFees: [null], originChainTxHashes: [null] }],
    ["no amount", { ...record, amountOut: null }],
    ["an impossible amount", { ...record, amountOut: "-1" }],
    ["a day that does not exist", { ...record, createdAt: "2026-02-30T00:00:00Z" }],
    ["no address", { ...record, depositAddress: null }],
    ["an empty address", { ...record, depositAddress: "" }],
    ["not even an object", null]
  ]
  it.effect.each(oddRecords)("keeps an odd record beside the others and says so: %s", ([, odd]) =>
    Effect.gen(function* () {
      const found = yield* Effect.provide(transactions, read(() => json([record, odd, record])).layer)
      assert.deepStrictEqual(
        found.map(({ problem }) => problem !== undefined),
        [false, true, false]
      )
      assert.deepStrictEqual(found[1]?.said, odd)
      const paged = History.use((history) => history.transactionPage({ page: 2 }))
      const { transactions: ofPage } = yield* Effect.provide(
        paged,
        read(() => json({ ...page, data: [odd, record] })).layer
      )
      assert.isDefined(ofPage[0]?.problem)
      assert.strictEqual(ofPage[1]?.amountOut, 5_000_000n)
    })
  )

  it.effect("compares a masking record with exact amounts like any other", () =>
    Effect.gen(function* () {
      const masking = { ...record, originAsset: null, recipient: null, intentHashes: null }
      const [found] = yield* Effect.provide(transactions, read(() => json([masking])).layer)
      assert.deepInclude(found, {
        amountIn: 1_000_000_000_000_000_000_000_000n,
        problem: "not as described: originAsset"
      })
    })
  )

  it.effect("keeps the rate with many callers: one request per five seconds", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const { layer } = read(() =>
        Effect.andThen(
          Effect.map(Clock.currentTimeMillis, (now) => times.push(now)),
          json([record])
        )
      )
      const fiber = yield* Effect.forkChild(
        Effect.all([transactions, transactions, transactions, transactions], { concurrency: 4 }).pipe(
          Effect.provide(layer)
        )
      )
      yield* advance(30)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(times, [0, 5500, 11_000, 16_500])
    })
  )

  it.effect.each([
    [{}, 5000],
    [{ "retry-after": "3" }, 3000],
    [{ "retry-after": "12" }, 12_000]
  ] as const)("waits after a 429 as long as requested, else one period %#", ([headers, atLeast]) =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const { layer } = read((_, attempt) =>
        Effect.andThen(
          Effect.map(Clock.currentTimeMillis, (now) => times.push(now)),
          attempt === 1 ? text("", 429, headers) : json([record])
        )
      )
      const fiber = yield* Effect.forkChild(Effect.provide(transactions, layer))
      yield* advance(30)
      assert.lengthOf(yield* Fiber.join(fiber), 1)
      assert.isAtLeast(times[1] ?? 0, atLeast)
      assert.isAtMost(times[1] ?? 0, atLeast + 1000)
    })
  )

  it.effect("distinguishes a bad JWT from a bad request", () =>
    Effect.gen(function* () {
      const error = (script: Script) => Effect.flip(Effect.provide(transactions, read(script).layer))
      assert.strictEqual((yield* error(() => text("", 401))).reason._tag, "Unauthorized")
      const bad = yield* error(() =>
        json({ status: 400, error: { code: "bad-filter", message: "No such chain" } }, 400)
      )
      assert.deepInclude(bad.reason, { code: "bad-filter", text: "No such chain" })
    })
  )

  it.effect("reads the end user's history with the session", () =>
    Effect.gen(function* () {
      const item = {
        status: "REFUNDED",
        depositType: "INTENTS",
        recipientType: "INTENTS",
        refundType: "INTENTS",
        createdAt: record.createdAt,
        depositAddress: "d",
        depositMemo: null
      }
      const { layer, sent } = read((request) =>
        request.url.endsWith("/v0/auth/authenticate")
          ? json(Answers.sessionAnswer)
          : json({ items: [item], prevCursor: "p" })
      )
      const call = History.use((history) => history.account({ limit: 10, status: ["REFUNDED", "SUCCESS"] }))
      const { value } = yield* Effect.provide(call, layer)
      assert.deepStrictEqual([value.items[0]?.item.status, value.prevCursor], ["REFUNDED", "p"])
      assert.strictEqual(sent[1]?.headers["authorization"], "Bearer access-1")
      const both = History.use((history) => history.account({ prevCursor: "a", nextCursor: "b" }))
      const error = yield* Effect.flip(Effect.provide(both, read(() => json(Answers.sessionAnswer)).layer))
      assert.deepInclude(error.reason, { code: "invalid-request" })
    })
  )
})
