/** The sandbox with the facts of the deployed service: two ledgers, logins with a start, its fees, its refusals. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { IntentGuard } from "../../src/signing/IntentGuard.ts"
import { History } from "../../src/venue/History.ts"
import { Swaps } from "../../src/venue/Swaps.ts"
import { Venue } from "../../src/venue/Venue.ts"
import {
  account,
  createAndFund,
  order,
  price,
  quoteRequest,
  read,
  send,
  signMessage,
  until,
  venueBooks
} from "../world/service/clients.ts"
import { play } from "../world/service/play.ts"

const like = { like: "near-2026-11" } as const
const btc = "nep141:btc.omft.near"
const usdc = "nep141:usdc.omft.near"
const market = { baseAsset: btc, quoteAsset: usdc }

/** A login of our own making; `startsIn` undefined: a nonce of the old form. */
const login = Effect.fnUntraced(function* (change: {
  readonly startsIn?: number
  readonly salt?: string
  readonly recipient?: string
}) {
  const now = yield* Clock.currentTimeMillis
  const { body } = yield* send("POST", "/sandbox/rpc", {
    jsonrpc: "2.0",
    id: 1,
    method: "query",
    params: {
      request_type: "call_function",
      finality: "final",
      account_id: "intents.near",
      method_name: "current_salt",
      args_base64: "e30="
    }
  })
  const { result } = JSON.parse(JSON.stringify(body))
  const present: string = JSON.parse(Buffer.from(result.result).toString("utf8"))
  const nonce = Buffer.alloc(32, 9)
  if (change.startsIn !== undefined) {
    nonce.set([0x56, 0x28, 0xf6, 0xc6, 0], 0)
    nonce.write(change.salt ?? present, 5, 4, "hex")
    nonce.writeBigInt64LE(BigInt(now + 600_000) * 1_000_000n, 9)
    nonce.writeBigUInt64LE(BigInt(now + change.startsIn) * 1_000_000n, 17)
  }
  const signedData = yield* signMessage({ intents: [], nonce, recipient: change.recipient ?? "intents.near" })
  const { body: answer, status } = yield* send("POST", "/v0/auth/authenticate", { signedData })
  return `${status} ${JSON.stringify(answer).includes("accessToken") ? "" : JSON.parse(JSON.stringify(answer)).message}`
})

describe("the sandbox like the deployed service", () => {
  it.effect.each([
    ["INTENTS", "balance"],
    ["CONFIDENTIAL_INTENTS", "private"]
  ] as const)("takes an order of %s paid from the %s money, with the fee in its echo", ([depositType, place]) =>
    play(
      Effect.gen(function* () {
        const before = (yield* venueBooks).accounts[yield* account]?.["BTC"]?.[place]
        const created = yield* createAndFund({ ...market, price: price("70000") })
        assert.strictEqual(created.appFeeBasisPoints, 20.01, "the protocol's share is in it")
        yield* until(created.id, ({ fillStatus }) => fillStatus === "OPEN")
        const after = (yield* venueBooks).accounts[yield* account]?.["BTC"]?.[place]
        assert.strictEqual(BigInt(before ?? "0") - BigInt(after ?? "0"), created.inputAmount)
      }),
      like,
      depositType
    )
  )

  it.effect("returns money that is sent on the wrong ledger, which is not the order's", () =>
    play(
      Effect.gen(function* () {
        const port = yield* Venue
        const { value: created } = yield* port.createOrder(order({ ...market, price: price("70000") }))
        const intents = [
          { intent: "transfer", receiver_id: created.depositAddress, tokens: { [btc]: String(created.inputAmount) } }
        ]
        const signedData = yield* signMessage({ intents, recipient: "intents.near" })
        const sent = yield* send("POST", "/v0/submit-intent", { type: "swap_transfer", signedData })
        assert.strictEqual(sent.status, 200)
        yield* Effect.sleep("1 minute")
        assert.strictEqual((yield* read(created.id)).depositedAmount, 0n)
        const books = yield* venueBooks
        assert.strictEqual(books.accounts[yield* account]?.["BTC"]?.["balance"], "2000000000")
        assert.deepStrictEqual(books.imbalances, [])
        const wrong = yield* signMessage({
          intents: [{ ...intents[0], tokens: { [btc]: "1" } }],
          recipient: "intents.far",
          nonce: new Uint8Array(32).fill(8)
        })
        const refused = yield* send("POST", "/v0/submit-intent", { type: "swap_transfer", signedData: wrong })
        assert.match(JSON.stringify(refused.body), /unknown token/)
      }),
      like,
      "CONFIDENTIAL_INTENTS"
    )
  )

  it.effect("accepts logins that start from 240 s before its time to 300 s after", () =>
    play(
      Effect.gen(function* () {
        for (const startsIn of [-240_000, 0, 300_000]) assert.strictEqual(yield* login({ startsIn }), "200 ")
      }),
      like
    )
  )

  it.effect("refuses logins that start outside, of the old form, of another salt or of the other verifier", () =>
    play(
      Effect.gen(function* () {
        assert.match(yield* login({}), /400 timestamp validation failed/)
        assert.match(yield* login({ startsIn: -240_001 }), /400 timestamp validation failed/)
        assert.match(yield* login({ startsIn: 300_001 }), /400 timestamp validation failed/)
        assert.match(yield* login({ startsIn: 0, salt: "ffffffff" }), /400 invalid salt/)
        assert.match(yield* login({ startsIn: 0, recipient: "intents.far" }), /400 wrong verifying_contract/)
      }),
      like
    )
  )

  it.effect("ends the old salt after a rotation, and shows the account's own history only by invitation", () =>
    play(
      Effect.gen(function* () {
        assert.isNotEmpty(yield* Venue.use((port) => port.balances))
        const { body } = yield* send("POST", "/sandbox/salts")
        const { salts } = JSON.parse(JSON.stringify(body))
        assert.sameMembers(Object.keys(salts), ["intents.near", "intents.far"])
        assert.match(yield* login({ startsIn: 0, salt: salts["intents.far"] }), /invalid salt/)
        assert.strictEqual(yield* login({ startsIn: 0, salt: salts["intents.near"] }), "200 ")
        const refused = yield* Effect.flip(History.use((history) => history.account({})))
        assert.match(refused.message, /History is invite-only for now/)
      }),
      like
    )
  )

  it.effect("refuses a transfer made before its verifier changes the salt", () =>
    play(
      Effect.gen(function* () {
        const [port, guard] = [yield* Venue, yield* IntentGuard]
        const { value: created } = yield* port.createOrder(order({ ...market, price: price("70000") }))
        const sign = Effect.gen(function* () {
          const { value } = yield* port.generateIntent(created.depositAddress)
          return yield* guard.signTransfer(value, {
            depositAddress: created.depositAddress,
            depositType: "CONFIDENTIAL_INTENTS",
            asset: btc,
            amount: created.inputAmount
          })
        })
        const stale = yield* sign
        const nonce = Buffer.from(JSON.parse(stale.body).signedData.payload.nonce, "base64").toString("hex")
        assert.strictEqual(nonce.slice(0, 18), "5628f6c600e110f317", "the documented salt, until it changes")
        yield* send("POST", "/sandbox/salts")
        assert.match((yield* Effect.flip(port.submitIntent(stale))).message, /invalid salt/)
        yield* port.submitIntent(yield* sign)
        yield* until(created.id, ({ fillStatus }) => fillStatus === "OPEN")
        const books = yield* venueBooks
        assert.deepStrictEqual(books.imbalances, [])
      }),
      like,
      "CONFIDENTIAL_INTENTS"
    )
  )

  it.effect("shields an asset into itself, from the public to the private account, for its fee alone", () =>
    play(
      Effect.gen(function* () {
        const deadline = new Date((yield* Clock.currentTimeMillis) + 600_000).toISOString()
        const own = yield* account
        const asked = quoteRequest(own, {
          originAsset: btc,
          destinationAsset: btc,
          recipientType: "CONFIDENTIAL_INTENTS",
          amount: "100000000",
          dry: true,
          deadline
        })
        const { value } = yield* Swaps.use((swaps) => swaps.quote(asked))
        // One basis point for the same asset, and a millionth of the settlement.
        assert.strictEqual(value.quote.amountOut, "99989900")
        const same = yield* Effect.flip(Swaps.use((swaps) => swaps.quote({ ...asked, recipientType: "INTENTS" })))
        assert.match(same.message, /not available/)
      }),
      like
    )
  )
})
