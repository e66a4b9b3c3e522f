/** The fields that the interface promises in every answer, by kind of answer; some of them may be null. */

export const meta = ["correlationId", "timestamp"]

export const token = ["assetId", "decimals", "blockchain", "symbol", "price", "priceUpdatedAt"]

export const transaction = [
  "originAsset",
  "destinationAsset",
  "depositAddress",
  "depositMemo",
  "depositAddressAndMemo",
  "recipient",
  "status",
  "createdAt",
  "createdAtTimestamp",
  "intentHashes",
  "referral",
  "amountInFormatted",
  "amountOutFormatted",
  "appFees",
  "nativeTxHashes",
  "originChainTxHashes",
  "destinationChainTxHashes",
  "amountIn",
  "amountInUsd",
  "amountOut",
  "amountOutUsd",
  "refundTo",
  "senders",
  "refundFeeFormatted",
  "depositType",
  "recipientType",
  "refundType"
]

export const pages = ["data", "totalPages", "page", "perPage", "total", "nextPage", "prevPage"]

export const historyItem = [
  "status",
  "depositType",
  "recipientType",
  "createdAt",
  "depositAddress",
  "depositMemo",
  "refundType"
]

export const order = ["type", "id", "attributes", "links"]

export const orderAttributes = [
  "orderType",
  "depositAddress",
  "depositMode",
  "depositType",
  "fillStatus",
  "payoutStatus",
  "isPayoutStatusFinal",
  "payouts",
  "depositedAmount",
  "depositedAmountFormatted",
  "baseAsset",
  "quoteAsset",
  "quantity",
  "swapView",
  "side",
  "price",
  "appFees",
  "recipient",
  "recipientType",
  "refundTo",
  "refundType",
  "estimatedWithdrawFee",
  "estimatedWithdrawFeeFormatted",
  "estimatedRefundFee",
  "estimatedRefundFeeFormatted",
  "confidentiality",
  "timeInForce",
  "deadline",
  "createdAt",
  "partialFills"
]

export const payouts = ["withdrawal", "allWithdrawals", "refund"]
export const swapView = ["swapType", "originAsset", "destinationAsset"]
export const fill = ["id", "amountIn", "amountOut", "createdAt", "updatedAt"]

export const status = ["correlationId", "quoteResponse", "status", "updatedAt", "swapDetails"]
export const swapDetails = ["intentHashes", "nativeTxHashes", "originChainTxHashes", "destinationChainTxHashes"]

export const quoteResponse = ["correlationId", "timestamp", "signature", "quoteRequest", "quote"]

export const quoteRequest = [
  "dry",
  "swapType",
  "slippageTolerance",
  "originAsset",
  "depositType",
  "destinationAsset",
  "amount",
  "refundTo",
  "refundType",
  "recipient",
  "recipientType",
  "deadline",
  "depositMode",
  "confidentiality",
  "quoteWaitingTimeMs",
  "insured"
]

export const quote = [
  "amountIn",
  "amountInFormatted",
  "amountInUsd",
  "minAmountIn",
  "amountOut",
  "amountOutFormatted",
  "amountOutUsd",
  "minAmountOut",
  "timeEstimate"
]
