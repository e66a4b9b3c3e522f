/** The error table of the interface, row by row, with its bodies; and everything the verifier refuses. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Venue } from "../../src/venue/Venue.ts"
import {
  account,
  btc,
  type Changes,
  createAndFund,
  isSettled,
  order,
  orderBody,
  price,
  read,
  send,
  sign,
  signMessage,
  until,
  venueBooks
} from "../world/service/clients.ts"
import { play, start } from "../world/service/play.ts"

const body = (changes: object = {}, data: object = {}) =>
  orderBody({ side: "SELL", deadline: "2026-02-01T00:00:00.000Z", ...changes }, data)

interface Errors {
  readonly errors: ReadonlyArray<{
    readonly status: string
    readonly code: string
    readonly title: string
    readonly source?: { readonly pointer: string }
  }>
  readonly meta: { readonly correlationId: string; readonly timestamp: string }
}

/** Status, then code and pointer of each entry. */
const seen = (answer: { readonly status: number; readonly body: unknown }) => {
  const { errors, meta } = answer.body as Errors
  assert.isString(meta.correlationId)
  assert.isTrue(errors.every(({ status, title }) => status === String(answer.status) && title.length > 0))
  return [answer.status, ...errors.flatMap(({ code, source }) => (source ? [code, source.pointer] : [code]))]
}

const creates: ReadonlyArray<readonly [string, unknown, ReadonlyArray<number | string>]> = [
  ["not JSON", "{", [400, "malformed-request", ""]],
  ["no body", undefined, [400, "malformed-request", ""]],
  ["client id", body({}, { id: "mine" }), [403, "client-generated-id", "/data/id"]],
  ["other type", body({}, { type: "swaps" }), [409, "resource-type-mismatch", "/data/type"]],
  ["negative price", body({ price: "-1" }), [400, "validation-failed", "/data/attributes/price"]],
  ["price zero", body({ price: "0" }), [400, "validation-failed", "/data/attributes/price"]],
  ["price as a number", body({ price: 5 }), [400, "validation-failed", "/data/attributes/price"]],
  ["fraction of a unit", body({ quantity: "1.5" }), [400, "validation-failed", "/data/attributes/quantity"]],
  ["public", body({ confidentiality: "public" }), [400, "validation-failed", "/data/attributes/confidentiality"]],
  ["unknown asset", body({ baseAsset: "gold" }), [400, "validation-failed", "/data/attributes/baseAsset"]],
  ["same assets", body({ quoteAsset: btc }), [400, "validation-failed", "/data/attributes/quoteAsset"]],
  [
    "past deadline",
    body({ deadline: "2025-01-01T00:00:00Z" }),
    [400, "validation-failed", "/data/attributes/deadline"]
  ],
  ["no date", body({ deadline: "2026-02-30T00:00:00Z" }), [400, "validation-failed", "/data/attributes/deadline"]],
  ["not an account", body({ recipient: "A b" }), [400, "validation-failed", "/data/attributes/recipient"]],
  [
    "too many fees",
    body({ appFees: Array(2).fill({ recipient: "a", fee: 300 }) }),
    [400, "validation-failed", "/data/attributes/appFees"]
  ],
  ["to the verifier", body({ refundTo: "intents.native" }), [400, "request-rejected", "/data/attributes/refundTo"]],
  ["dust", body({ quantity: "1" }), [400, "order-rejected"]],
  [
    "two faults",
    body({ price: "x", quantity: "0" }),
    [400, "validation-failed", "/data/attributes/quantity", "validation-failed", "/data/attributes/price"]
  ]
]

describe("the errors of orders", () => {
  it.effect.each(creates)("include this refusal of a create: %s", ([, request, expected]) =>
    play(
      Effect.gen(function* () {
        assert.deepStrictEqual(seen(yield* send("POST", "/v0/orders", request)), expected)
        assert.deepStrictEqual((yield* venueBooks).orders, [])
      })
    )
  )

  it.effect("are absent for the short attribute list of the interface", () =>
    play(
      Effect.gen(function* () {
        const answer = yield* send("POST", "/v0/orders", orderBody())
        assert.strictEqual(answer.status, 201)
        assert.deepInclude((answer.body as { data: { attributes: object } }).data.attributes, {
          side: "SELL",
          depositType: "INTENTS",
          recipientType: "INTENTS",
          refundType: "INTENTS",
          confidentiality: "basic",
          depositMode: "SIMPLE",
          timeInForce: "GTC",
          deadline: new Date(start + 7 * 86_400_000).toISOString()
        })
      })
    )
  )

  it.effect("include pages of the list outside 1 to 50, and unknown filters", () =>
    play(
      Effect.gen(function* () {
        for (let made = 0; made < 51; made += 1) yield* Venue.use((port) => port.createOrder(order()))
        const listed = Effect.fnUntraced(function* (query: string) {
          const { body, status } = yield* send("GET", `/v0/orders?${query}`)
          return status === 200 ? (body as { data: ReadonlyArray<unknown> }).data.length : status
        })
        const taken: ReadonlyArray<readonly [string, number]> = [
          ["", 50],
          ["page[size]=1", 1],
          ["page[size]=50", 50],
          ["filter[fillStatus]=OPEN&filter[fillStatus]=AWAITING_DEPOSIT&page[size]=9", 9],
          ["filter[fillStatus]=UNTRIGGERED", 0],
          ["filter[isPayoutStatusFinal]=false&page[size]=3", 3],
          ["filter[isPayoutStatusFinal]=true", 0]
        ]
        for (const [query, expected] of taken) assert.strictEqual(yield* listed(query), expected, query)
        for (const query of [
          "page[size]=0",
          "page[size]=51",
          "page[size]=many",
          "page[after]=nowhere",
          "filter[fillStatus]=DONE",
          "filter[isPayoutStatusFinal]=maybe"
        ]) {
          assert.strictEqual(yield* listed(query), 400, query)
        }
      })
    )
  )

  it.effect("cover missing and wrong credentials, other people's orders, unknown ids and cursors", () =>
    play(
      Effect.gen(function* () {
        const { id } = (yield* Venue.use((port) => port.createOrder(order()))).value
        const path = `/v0/orders/${id}`
        for (const key of [undefined, "", "wrong"]) {
          const changes = { "x-api-key": key }
          assert.deepStrictEqual(seen(yield* send("GET", path, undefined, changes)), [401, "authentication-required"])
          assert.deepStrictEqual(seen(yield* send("POST", "/v0/orders", body(), changes)), [
            401,
            "authentication-required"
          ])
        }
        const session = { "x-api-key": undefined, authorization: `Bearer ${yield* accessToken}` }
        assert.deepStrictEqual(seen(yield* send("GET", path, undefined, session)), [404, "order-not-found"])
        assert.deepStrictEqual(seen(yield* send("POST", `${path}/cancel`, undefined, session)), [
          404,
          "order-not-found"
        ])
        assert.deepStrictEqual(seen(yield* send("GET", "/v0/orders/none")), [404, "order-not-found"])
        assert.strictEqual((yield* send("POST", "/v0/orders", body(), session)).status, 201)
        for (const query of ["page[after]=nonsense", "page[size]=0", "page[size]=51", "filter[fillStatus]=WHAT"]) {
          const [status, code] = seen(yield* send("GET", `/v0/orders?${query}`))
          assert.deepStrictEqual([status, code], [400, "validation-failed"], query)
        }
      })
    )
  )
})

const accessToken = Effect.gen(function* () {
  const signed = yield* signMessage({ intents: [] })
  const answer = yield* send("POST", "/v0/auth/authenticate", { signedData: signed })
  return (answer.body as { accessToken: string }).accessToken
})

const versioned = (deadline: number): Uint8Array => {
  const nonce = Buffer.alloc(32)
  nonce.set([0x56, 0x28, 0xf6, 0xc6, 0])
  nonce.writeBigInt64LE(BigInt(deadline) * 1_000_000n, 9)
  return nonce
}

describe("submit-intent", () => {
  it.effect("refuses each single fault of a signed transfer with its own sentence, and moves nothing", () =>
    play(
      Effect.gen(function* () {
        const port = yield* Venue
        const created = (yield* port.createOrder(order())).value
        const transfer = (tokens: object, receiver = created.depositAddress) => ({
          intent: "transfer",
          receiver_id: receiver,
          tokens
        })
        const good = [transfer({ [btc]: "1000000" })]
        const cases: ReadonlyArray<readonly [Changes, string]> = [
          [{ intents: good, recipient: "intents.other" }, "wrong verifying_contract"],
          [{ intents: good, deadline: start - 1 }, "deadline has expired"],
          [{ intents: good, signerId: "alice.native" }, "doesn't exist for account 'alice.native'"],
          [{ intents: good, nonce: versioned(start + 1) }, "deadline is greater than nonce"],
          [{ intents: good, message: "{" }, "invalid message"],
          [{ intents: [{ intent: "ft_withdraw" }] }, "invalid message"],
          [{ intents: [] }, "no transfer"],
          [{ intents: [transfer({ [btc]: "-1" })] }, "invalid message"],
          [{ intents: [transfer({ [btc]: "99999999999999" })] }, "insufficient balance"],
          [{ intents: [...good, transfer({ [btc]: "2000000000" })] }, "insufficient balance"],
          [{ intents: [transfer({ gold: "1" })] }, "unknown token"],
          [{ intents: [transfer({ [btc]: "1" }, "nobody.native")] }, "unknown deposit address"]
        ]
        const before = (yield* venueBooks).accounts
        for (const [changes, text] of cases) {
          const signedData = yield* signMessage(changes)
          const answer = yield* send("POST", "/v0/submit-intent", { type: "swap_transfer", signedData })
          assert.strictEqual(answer.status, 400, text)
          assert.include((answer.body as { message: string }).message, text)
        }
        const signedData = yield* signMessage({ intents: good })
        const forged = { ...signedData, payload: { ...signedData.payload, nonce: Buffer.alloc(32).toString("base64") } }
        const refused = yield* send("POST", "/v0/submit-intent", { type: "swap_transfer", signedData: forged })
        assert.deepStrictEqual(refused.body, { message: "invalid signature" })
        assert.deepStrictEqual((yield* venueBooks).accounts, before)

        const accepted = yield* send("POST", "/v0/submit-intent", { type: "swap_transfer", signedData })
        assert.strictEqual(accepted.status, 200)
        const other = yield* signMessage({ intents: [transfer({ [btc]: "1" })] })
        const reused = yield* send("POST", "/v0/submit-intent", { type: "swap_transfer", signedData: other })
        assert.deepStrictEqual(reused.body, { message: "nonce was already used" })
      })
    )
  )

  it.effect("accepts a part of the deposit, and the order waits for exactly the rest", () =>
    play(
      Effect.gen(function* () {
        const port = yield* Venue
        const created = (yield* port.createOrder(order({ price: price("90000") }))).value
        const intents = [{ intent: "transfer", receiver_id: created.depositAddress, tokens: { [btc]: "400000" } }]
        const signedData = yield* signMessage({ intents })
        yield* send("POST", "/v0/submit-intent", { type: "swap_transfer", signedData })
        const partly = yield* until(created.id, ({ depositedAmount }) => depositedAmount > 0n)
        assert.strictEqual(partly.fillStatus, "AWAITING_DEPOSIT")
        yield* port.submitIntent(yield* sign(created, 600_000n))
        const open = yield* until(created.id, ({ fillStatus }) => fillStatus === "OPEN")
        assert.strictEqual(open.depositedAmount, created.inputAmount)
      })
    )
  )

  it.effect("gets its payload from generate-intent, which names what it cannot do", () =>
    play(
      Effect.gen(function* () {
        const done = yield* createAndFund({ price: price("59000") })
        yield* until(done.id, isSettled)
        const fresh = (yield* Venue.use((port) => port.createOrder(order()))).value
        const request = {
          type: "swap_transfer",
          standard: "nep413",
          signerId: yield* account,
          depositAddress: fresh.depositAddress
        }
        const cases = [
          [{ depositAddress: "nowhere" }, 404],
          [{ depositAddress: done.depositAddress }, 400],
          [{ standard: "erc191" }, 400],
          [{ signerId: "ALICE" }, 400],
          [{ type: "other" }, 400]
        ] as const
        for (const [changes, status] of cases) {
          const answer = yield* send("POST", "/v0/generate-intent", { ...request, ...changes })
          assert.strictEqual(answer.status, status)
          assert.isString((answer.body as { message: string }).message)
        }
        const refused = yield* send("POST", "/v0/generate-intent", request, { "x-api-key": undefined })
        assert.strictEqual(refused.status, 401)
        assert.strictEqual((yield* read(fresh.id)).depositedAmount, 0n)
      })
    )
  )
})

describe("sessions", () => {
  it.effect("are refused to a forged or old login and a wrong token; a refresh keeps the refresh token", () =>
    play(
      Effect.gen(function* () {
        const login = (signedData: object) => send("POST", "/v0/auth/authenticate", { signedData })
        const good = yield* signMessage({ intents: [] })
        const signature = good.signature.slice(0, -1) + (good.signature.endsWith("1") ? "2" : "1")
        assert.strictEqual((yield* login({ ...good, signature })).status, 401)
        assert.strictEqual((yield* login(yield* signMessage({ intents: [], deadline: start - 1 }))).status, 400)
        const tokens = (yield* login(good)).body as { accessToken: string; refreshToken: string; expiresIn: number }
        assert.strictEqual(tokens.expiresIn, 3600)
        const balances = (token: string) =>
          send("GET", "/v0/account/balances", undefined, { authorization: `Bearer ${token}` })
        assert.strictEqual((yield* balances(tokens.accessToken)).status, 200)
        assert.strictEqual((yield* balances(tokens.refreshToken)).status, 401)
        assert.strictEqual((yield* balances("x.y.z")).status, 401)
        yield* Effect.sleep("3601 seconds")
        assert.strictEqual((yield* balances(tokens.accessToken)).status, 401)
        for (let times = 0; times < 2; times++) {
          const renewed = yield* send("POST", "/v0/auth/refresh", { refreshToken: tokens.refreshToken })
          const { accessToken: fresh } = renewed.body as { accessToken: string }
          assert.strictEqual((yield* balances(fresh)).status, 200)
        }
        const refused = yield* send("POST", "/v0/auth/refresh", { refreshToken: tokens.accessToken })
        assert.strictEqual(refused.status, 401)
      })
    )
  )
})
