/** Answers of a well-behaved venue, as JSON. */
import { testAccount } from "./scriptedVenue.ts"

export const wireOrder = {
  type: "orders",
  id: "order-1",
  attributes: {
    orderType: "LIMIT",
    depositAddress: "deposit-1",
    depositMode: "SIMPLE",
    depositType: "INTENTS",
    fillStatus: "PARTIALLY_FILLED",
    payoutStatus: "IN_PROGRESS",
    isPayoutStatusFinal: false,
    payouts: {
      withdrawal: { status: "COMPLETED", txHash: "0xabc" },
      allWithdrawals: [{ status: "COMPLETED", txHash: "0xabc" }, { status: "IN_PROGRESS" }],
      refund: null
    },
    depositedAmount: "1000000000000000000000000",
    depositedAmountFormatted: "1",
    baseAsset: "base",
    quoteAsset: "quote",
    quantity: "1000000000000000000000000",
    swapView: {
      swapType: "EXACT_INPUT",
      originAsset: "base",
      destinationAsset: "quote",
      amountIn: "1000000000000000000000000",
      minAmountOut: "5000000"
    },
    side: "SELL",
    price: "5",
    appFees: [{ recipient: "venue", fee: 20 }],
    recipient: "alice",
    recipientType: "INTENTS",
    refundTo: "alice",
    refundType: "INTENTS",
    estimatedWithdrawFee: "10",
    estimatedWithdrawFeeFormatted: "0.00001",
    estimatedRefundFee: "0",
    estimatedRefundFeeFormatted: "0",
    confidentiality: "basic",
    timeInForce: "GTC",
    deadline: "2026-03-01T00:00:00.123Z",
    createdAt: "2026-02-01T12:00:00.000Z",
    partialFills: [
      {
        id: "fill-1",
        amountIn: "500000000000000000000000",
        amountOut: "2500000",
        createdAt: "2026-02-02T00:00:00.000Z",
        updatedAt: "2026-02-02T00:00:01.000Z"
      }
    ]
  },
  links: { self: "/v0/orders/order-1" }
}

export const meta = { correlationId: "corr-1", timestamp: "2026-02-03T00:00:00.000Z" }
export const orderAnswer = { data: wireOrder, meta }
export const listAnswer = {
  data: [wireOrder, { ...wireOrder, id: "order-2" }],
  links: { next: "/v0/orders?page[after]=c2" },
  meta: { ...meta, nextCursor: "c2" }
}
export const generateAnswer = {
  intent: { standard: "nep413", payload: { message: "{}", nonce: "n", recipient: "intents.native" } },
  correlationId: "corr-1"
}
export const submitAnswer = { intentHash: "hash-1", correlationId: "corr-1" }
export const quoteAnswer = {
  correlationId: "corr-1",
  timestamp: "2026-02-03T00:00:00.000Z",
  signature: "ed25519:x",
  /** Of the dry quote in `venueCalls.ts`. */
  quoteRequest: {
    dry: true,
    swapType: "EXACT_INPUT",
    slippageTolerance: 100,
    originAsset: "base",
    destinationAsset: "quote",
    amount: "1000",
    depositType: "INTENTS",
    refundTo: testAccount,
    refundType: "INTENTS",
    recipient: testAccount,
    recipientType: "INTENTS",
    deadline: "2026-02-03T00:10:00.000Z",
    appFees: []
  },
  quote: {
    amountIn: "1000",
    amountInFormatted: "0.001",
    amountInUsd: "1",
    minAmountIn: "1000",
    amountOut: "995",
    amountOutFormatted: "0.000995",
    amountOutUsd: "0.99",
    minAmountOut: "990",
    timeEstimate: 10
  }
}
export const tokensAnswer = [
  { assetId: "base", decimals: 24, blockchain: "native", symbol: "BASE", price: 5.1, priceUpdatedAt: meta.timestamp },
  { assetId: "new", decimals: 6, blockchain: "eth", symbol: "NEW", price: null, contractAddress: null }
]
export const balancesAnswer = { balances: [{ tokenId: "base", available: "123", source: "private" }] }
export const sessionAnswer = {
  accessToken: "access-1",
  refreshToken: "refresh-1",
  expiresIn: 3600,
  refreshExpiresIn: 2592000
}
