/** Swaps of the sandbox with the facts of the deployed service: what they say of themselves, and what they bring. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SandboxOptions } from "../../src/sandbox/SandboxOptions.ts"
import { IntentGuard } from "../../src/signing/IntentGuard.ts"
import { factsOf } from "../../src/venue/profile/Profiles.ts"
import type { QuoteRequest } from "../../src/venue/Swaps.ts"
import { Venue } from "../../src/venue/Venue.ts"
import { account, quoteRequest, send, venueBooks } from "../world/service/clients.ts"
import { play, start } from "../world/service/play.ts"
import { partner } from "../world/service/playedSwaps.ts"

const like: SandboxOptions = { like: "near-2026-11" }
const btc = "nep141:btc.omft.near"
const usdc = "nep141:usdc.omft.near"
const deadline = new Date(start + 7_200_000).toISOString()

const fromPublic = { depositType: "INTENTS", refundType: "INTENTS" } as const
const fromPrivate = { depositType: "CONFIDENTIAL_INTENTS", refundType: "CONFIDENTIAL_INTENTS" } as const
const toPublic = { recipientType: "INTENTS" } as const
const toPrivate = { recipientType: "CONFIDENTIAL_INTENTS" } as const

interface Quoted {
  readonly message?: string
  readonly quote: Readonly<Record<"amountIn" | "minAmountIn" | "amountOut" | "depositAddress", string>>
}

const quote = Effect.fnUntraced(function* (changes: Partial<QuoteRequest>) {
  const asked = quoteRequest(yield* account, { originAsset: btc, destinationAsset: usdc, deadline, ...changes })
  const { body } = yield* send("POST", "/v0/quote", asked)
  return body as Quoted
})

const statusOf = Effect.fnUntraced(function* (depositAddress: string) {
  const { body } = yield* send("GET", `/v0/status?depositAddress=${depositAddress}`)
  return body as { readonly status: string; readonly swapDetails: Readonly<Record<string, unknown>> }
})

/** Pays what was quoted, and reads the swap until it is over. */
const pay = Effect.fnUntraced(function* (
  { quote: { amountIn, depositAddress } }: Quoted,
  { depositType = "INTENTS", originAsset: asset = btc }: Partial<QuoteRequest>
) {
  const port = yield* Venue
  const { value } = yield* port.generateIntent(depositAddress)
  const terms = { depositAddress, depositType, asset, amount: BigInt(amountIn) }
  yield* port.submitIntent(yield* IntentGuard.use((guard) => guard.signTransfer(value, terms)))
  for (let look = 0; look < 400; look++) {
    const seen = yield* statusOf(depositAddress)
    if (["SUCCESS", "REFUNDED", "FAILED"].includes(seen.status)) return seen
    yield* Effect.sleep("20 millis")
  }
  return yield* Effect.die(new Error(`${depositAddress} never ends`))
})

/** Nothing happens between two looks at one moment. */
const atOnce: SandboxOptions = {
  ...like,
  settings: { recognitionMillis: [0, 0], swapMillis: [0, 0], payoutMillis: [0, 0] }
}

describe("a swap in the sandbox like the deployed service", () => {
  it.effect("names in both histories where money changes ledgers, and no settlement", () =>
    play(
      Effect.gen(function* () {
        const crossings = [
          [{ ...fromPublic, ...toPublic }, 2],
          [{ ...fromPrivate, ...toPrivate }, 0],
          [{ ...fromPublic, ...toPrivate, destinationAsset: btc }, 1],
          [{ ...fromPrivate, ...toPublic, destinationAsset: btc }, 1]
        ] as const
        const named: Array<unknown> = []
        for (const [request, count] of crossings) {
          const quoted = yield* quote(request)
          const { status, swapDetails } = yield* pay(quoted, request)
          assert.strictEqual(status, "SUCCESS")
          const hashes = swapDetails["nearTxHashes"]
          assert.isTrue(Array.isArray(hashes) && new Set(hashes).size === count, JSON.stringify(swapDetails))
          named.unshift(hashes)
          const { value } = yield* Venue.use((port) => port.getSwap(quoted.quote.depositAddress))
          assert.isUndefined(value.withdrawals[0]?.txHash, "none of them is the payment")
        }
        const { body } = yield* send("GET", "/api/v0/transactions", undefined, yield* partner)
        const listed = JSON.parse(JSON.stringify(body)) as ReadonlyArray<{ readonly nearTxHashes: unknown }>
        assert.deepStrictEqual(
          listed.map(({ nearTxHashes }) => nearTxHashes),
          named
        )
      }),
      like
    )
  )

  it.effect("refunded to the public account names its way there and back", () =>
    play(
      Effect.gen(function* () {
        const request = { ...fromPublic, ...toPublic }
        const { status, swapDetails } = yield* pay(yield* quote(request), request)
        assert.strictEqual(status, "REFUNDED")
        assert.lengthOf(new Set(swapDetails["nearTxHashes"] as ReadonlyArray<string>), 2)
      }),
      { ...like, settings: { refundedSwapShare: 1 } }
    )
  )

  it.effect("pays its share to the last digit of the schedule, as the price says", () => {
    const { fees, ...facts } = factsOf("near-2026-11", "any")
    const settings = { facts: { ...facts, fees: { ...fees, withPartner: 20, settlement: 0.004 } } }
    return play(
      Effect.gen(function* () {
        const request = { ...fromPublic, ...toPublic, amount: "90000001" }
        yield* pay(yield* quote(request), request)
        const { accounts } = yield* venueBooks
        const shares = Object.values(accounts).flatMap(({ BTC }) => BigInt(BTC?.["priceFees"] ?? 0))
        assert.include(shares, (90_000_001n * 20_004n) / 10_000_000n)
      }),
      { ...like, settings }
    )
  })

  it.effect("with advanced confidentiality has a status with its state and nothing of its money", () =>
    play(
      Effect.gen(function* () {
        const request = { ...fromPrivate, ...toPrivate, confidentiality: "advanced" } as const
        const { status, swapDetails } = yield* pay(yield* quote(request), request)
        assert.strictEqual(status, "SUCCESS")
        assert.deepStrictEqual(swapDetails, {
          intentHashes: [],
          nearTxHashes: [],
          originChainTxHashes: [],
          destinationChainTxHashes: []
        })
      }),
      like
    )
  )

  it.effect.each([
    ["EXACT_INPUT", 10, 2n],
    ["EXACT_INPUT", 60, 1n],
    ["EXACT_OUTPUT", 10, 2n]
  ] as const)("shares a price better than that of an %s quote %i minutes ago", ([swapType, minutes, parts]) =>
    play(
      Effect.gen(function* () {
        const isInput = swapType === "EXACT_INPUT"
        const name = isInput ? ("amountOut" as const) : ("minAmountIn" as const)
        const gained = (now: string | undefined, then: string) =>
          (BigInt(now ?? then) - BigInt(then)) * (isInput ? 1n : -1n)
        // The market moves one way or the other: one of them has become better.
        const ways = [
          { originAsset: btc, destinationAsset: usdc, amount: isInput ? "1000000" : "600000000" },
          { originAsset: usdc, destinationAsset: btc, amount: isInput ? "600000000" : "1000000" }
        ].map((way) => ({ ...fromPublic, ...toPublic, swapType, ...way }))
        const quotes = yield* Effect.forEach(ways, quote)
        yield* Effect.sleep(`${minutes} minutes`)
        for (const [place, then] of quotes.entries()) {
          const request = ways[place] ?? {}
          const now = yield* quote({ ...request, dry: true })
          const better = gained(now.quote[name], then.quote[name])
          if (better <= 0n) continue
          const { status, swapDetails } = yield* pay(then, request)
          assert.strictEqual(status, "SUCCESS")
          const brought = String(swapDetails[isInput ? "amountOut" : "amountIn"])
          assert.strictEqual(gained(brought, then.quote[name]), better / parts)
          return
        }
        assert.fail("neither way became better")
      }),
      atOnce
    )
  )

  it.effect.each([
    ["shield", { ...fromPublic, ...toPrivate }, "CONFIDENTIAL_INTENTS"],
    ["unshield", { ...fromPrivate, ...toPublic }, "INTENTS"]
  ] as const)("as a %s is refunded to where its money came from, or not quoted", ([, request, other]) =>
    play(
      Effect.gen(function* () {
        const move = { ...request, destinationAsset: btc, dry: true }
        assert.isUndefined((yield* quote(move)).message)
        assert.match((yield* quote({ ...move, refundType: other })).message ?? "", /refundType/)
      }),
      like
    )
  )
})
