/** Swaps as a test plays them: quoted, paid in any way and followed to their end, over raw requests. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SandboxConnection } from "../../../src/sandbox/SandboxServer.ts"
import type { Swap } from "../../../src/venue/wire/WireSwap.ts"
import { btc, send, signMessage, usdc, venueBooks } from "./clients.ts"
import { start } from "./play.ts"

export const iso = (millis: number) => new Date(start + millis).toISOString()

export const request = (changes: object = {}) => ({
  dry: false,
  swapType: "EXACT_INPUT",
  slippageTolerance: 100,
  originAsset: btc,
  depositType: "INTENTS",
  destinationAsset: usdc,
  amount: "1000000",
  refundTo: "alice.native",
  refundType: "INTENTS",
  recipient: "alice.native",
  recipientType: "INTENTS",
  deadline: iso(600_000),
  ...changes
})

/** From an account on another chain to a balance. */
export const fromOtherChain = { depositType: "ORIGIN_CHAIN", refundTo: "bc1q", refundType: "ORIGIN_CHAIN" }

/** From one account on another chain to another. */
export const betweenChains = {
  depositType: "ORIGIN_CHAIN",
  refundType: "ORIGIN_CHAIN",
  refundTo: "bc1qme",
  recipientType: "DESTINATION_CHAIN",
  recipient: "0xme",
  depositMode: "MEMO"
}

/** The credential of a partner, instead of the API key. */
export const partner = Effect.map(SandboxConnection, ({ partnerJwt }) => ({
  "x-api-key": undefined,
  authorization: `Bearer ${partnerJwt}`
}))

export interface QuoteBody {
  readonly signature: string
  readonly quote: Record<"depositAddress" | "amountIn" | "amountOut" | "minAmountIn" | "minAmountOut", string> & {
    readonly depositMemo?: string
    readonly chainDepositAddresses: ReadonlyArray<{ readonly address: string }>
    readonly deadline: string
  }
}

export const quote = Effect.fnUntraced(function* (changes: object = {}) {
  const { body, status } = yield* send("POST", "/v0/quote", request(changes), yield* partner)
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body as QuoteBody
})

export interface StatusBody {
  readonly status: Swap["status"]
  readonly quoteResponse: QuoteBody
  readonly swapDetails: Record<string, string> & {
    readonly intentHashes: ReadonlyArray<string>
    readonly originChainTxHashes: ReadonlyArray<{ readonly hash: string }>
    readonly destinationChainTxHashes: ReadonlyArray<{ readonly hash: string }>
    readonly nativeTxHashes: ReadonlyArray<string>
  }
}

export const statusOf = Effect.fnUntraced(function* (address: string, memo?: string) {
  const query = memo === undefined ? "" : `&depositMemo=${memo}`
  const { body } = yield* send("GET", `/v0/status?depositAddress=${address}${query}`)
  return body as StatusBody
})

/** All statuses on the way to an end. */
export const follow = Effect.fnUntraced(function* (address: string, memo?: string) {
  const seen: Array<string> = []
  for (let look = 0; look < 400; look++) {
    const now = yield* statusOf(address, memo)
    if (seen.at(-1) !== now.status) seen.push(now.status)
    if (["SUCCESS", "REFUNDED", "FAILED"].includes(now.status)) return { seen, end: now.swapDetails }
    yield* Effect.sleep("20 millis")
  }
  return yield* Effect.die(new Error(`stays ${seen.join(", ")}`))
})

let serial = 0
export const payByIntent = Effect.fnUntraced(function* (address: string, amount: string, asset = btc) {
  const intents = [{ intent: "transfer", receiver_id: address, tokens: { [asset]: amount } }]
  serial += 1
  const signedData = yield* signMessage({
    intents,
    deadline: start + 86_400_000,
    nonce: new Uint8Array(32).fill(serial)
  })
  const { status, body } = yield* send("POST", "/v0/submit-intent", { type: "swap_transfer", signedData })
  assert.strictEqual(status, 200, JSON.stringify(body))
})

export const payOnChain = Effect.fnUntraced(function* (depositAddress: string, amount: string, memo?: string) {
  const { body } = yield* send("POST", "/sandbox/deposit", {
    depositAddress,
    asset: btc,
    amount,
    sender: "bc1qme",
    memo
  })
  return (body as { txHash: string }).txHash
})

export const balanceOf = (owner: string, symbol: string) =>
  Effect.map(venueBooks, ({ accounts }) => BigInt(accounts[owner]?.[symbol]?.["balance"] ?? "0"))
