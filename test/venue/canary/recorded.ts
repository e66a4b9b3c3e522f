/**
 * Recorded answers: as the service's public pages show them, of every endpoint that orders or money are read from, with values of
 * our own. The forms in which an honest service leaves something out are among them.
 */
import { Schema } from "effect"
import { GenerateIntentResponse, SubmitIntentResponse } from "../../../src/venue/api/IntentsApi.ts"
import { kinds } from "../../../src/venue/canary/Contract.ts"
import { MessageBody, StructuredErrors } from "../../../src/venue/wire/WireError.ts"
import { tolerant } from "../../../src/venue/wire/WireValue.ts"
import * as Answers from "../../world/service/answers.ts"

/** Answers that nobody can ask for without moving something, or that are no answers: the canary never sees them. */
const unasked = {
  intent: {
    of: "transfers to sign",
    schema: Schema.Struct({
      ...GenerateIntentResponse.fields,
      intent: Schema.Struct({
        ...GenerateIntentResponse.fields.intent.fields,
        payload: Schema.Struct({
          message: Schema.String,
          nonce: Schema.String,
          recipient: Schema.String,
          callbackUrl: tolerant(Schema.String)
        })
      })
    }),
    promised: ["correlationId"],
    money: () => ["intent.payload.message", "intent.payload.nonce", "intent.payload.recipient"],
    isReadWhole: true
  },
  acknowledgement: {
    of: "acknowledged transfers",
    schema: SubmitIntentResponse,
    promised: ["correlationId"],
    money: () => ["intentHash"],
    isReadWhole: true
  },
  refusal: {
    of: "refusals of orders",
    schema: StructuredErrors,
    promised: ["meta", "errors[].status", "errors[].title"],
    money: () => ["errors[].code"],
    isReadWhole: true
  },
  message: { of: "refusals", schema: MessageBody, promised: [], money: () => ["message"], isReadWhole: true }
}

const { attributes } = Answers.wireOrder
const [fill] = attributes.partialFills

const bought = {
  ...Answers.wireOrder,
  attributes: {
    ...attributes,
    side: "BUY",
    fillStatus: "FILLED",
    payoutStatus: "COMPLETED",
    isPayoutStatusFinal: true,
    swapView: {
      swapType: "EXACT_OUTPUT",
      originAsset: "quote",
      destinationAsset: "base",
      maxAmountIn: "5000000",
      amountOut: "1000000000000000000000000"
    },
    payouts: {
      withdrawal: { status: "COMPLETED", txHash: "0xabc" },
      allWithdrawals: [{ status: "COMPLETED", txHash: "0xabc" }],
      refund: { status: "COMPLETED", txHash: "0xdef" }
    },
    partialFills: [{ ...fill, amountIn: "4000000" }]
  }
}

const unpaid = { withdrawal: null, allWithdrawals: [], refund: null }
const { partialFills: _, ...unfilled } = attributes
const waiting = {
  ...Answers.wireOrder,
  attributes: {
    ...unfilled,
    depositMemo: "123",
    fillStatus: "AWAITING_DEPOSIT",
    payoutStatus: "NOT_STARTED",
    depositedAmount: "0",
    depositedAmountFormatted: "0",
    payouts: unpaid
  }
}

/** Seen at services: no list of fills, and a refund alone. */
const cancelled = {
  ...Answers.wireOrder,
  attributes: {
    ...attributes,
    partialFills: null,
    fillStatus: "CANCELED",
    payoutStatus: "COMPLETED",
    isPayoutStatusFinal: true,
    payouts: { ...unpaid, refund: { status: "COMPLETED", txHash: "0xdef" } }
  }
}

const transfer = {
  ...Answers.generateAnswer,
  intent: { standard: "nep413", payload: { ...Answers.generateAnswer.intent.payload, callbackUrl: null } }
}

const noHashes = { intentHashes: [], nearTxHashes: [], originChainTxHashes: [], destinationChainTxHashes: [] }
const status = {
  correlationId: "550e8400",
  quoteResponse: Answers.quoteAnswer,
  status: "SUCCESS",
  updatedAt: "2026-11-01T00:00:00.000Z",
  swapDetails: {
    intentHashes: ["8yFNEk7GmRcM3NMJihwCKXt8ZANLpL2koVFWWH1MEEj"],
    nearTxHashes: ["8yFNEk7GmRcM3NMJihwCKXt8ZANLpL2koVFWWH1MEEj"],
    originChainTxHashes: [{ hash: "0x123", explorerUrl: "https://example.invalid/0x123" }],
    destinationChainTxHashes: [{ hash: "0x456", explorerUrl: "https://example.invalid/0x456" }],
    amountIn: "1000",
    amountInFormatted: "0.001",
    amountInUsd: "0.01",
    amountOut: "9",
    amountOutFormatted: "0.9",
    amountOutUsd: "0.01",
    slippage: 50,
    refundedAmount: "0",
    refundedAmountFormatted: "0",
    refundedAmountUsd: "0",
    refundReason: null,
    depositedAmount: "1000",
    depositedAmountFormatted: "0.001",
    depositedAmountUsd: "0.01",
    withdrawFee: null,
    referral: "referral"
  }
}

export const recorded = [
  ["order", kinds.order, Answers.wireOrder],
  ["order to buy, paid out", kinds.order, bought],
  ["order that waits for its deposit", kinds.order, waiting],
  ["order that was cancelled before it filled", kinds.order, cancelled],
  ["answer about one order", kinds.orderAnswer, Answers.orderAnswer],
  ["list of orders", kinds.orderPage, Answers.listAnswer],
  [
    "list of orders, its last page",
    kinds.orderPage,
    { ...Answers.listAnswer, links: { next: null }, meta: Answers.meta }
  ],
  [
    "token",
    kinds.token,
    {
      assetId: "nep141:eth.omft.near",
      decimals: 18,
      blockchain: "eth",
      symbol: "ETH",
      price: 2000.5,
      priceUpdatedAt: "2026-11-01T00:00:00.000Z",
      contractAddress: null
    }
  ],
  [
    "quote",
    kinds.quote,
    {
      correlationId: "550e8400",
      timestamp: "2026-11-01T00:00:00Z",
      signature: "ed25519:1",
      quoteRequest: {
        dry: true,
        swapType: "EXACT_INPUT",
        slippageTolerance: 100,
        originAsset: "nep141:arb.omft.near",
        depositType: "ORIGIN_CHAIN",
        destinationAsset: "nep141:sol.omft.near",
        amount: "1000",
        refundTo: "0x1",
        refundType: "ORIGIN_CHAIN",
        recipient: "2",
        recipientType: "DESTINATION_CHAIN",
        deadline: "2026-11-01T01:00:00Z",
        depositMode: "SIMPLE",
        confidentiality: "basic",
        referral: "nobody",
        rebates: [{ recipient: "a.near", share: 100 }],
        quoteWaitingTimeMs: 3000,
        appFees: [{ recipient: "recipient.near", fee: 100 }]
      },
      quote: {
        amountIn: "1000",
        amountInFormatted: "0.001",
        amountInUsd: "0.001",
        minAmountIn: "995",
        amountOut: "9",
        amountOutFormatted: "0.9",
        amountOutUsd: "0.001",
        minAmountOut: "8",
        timeEstimate: 120
      }
    }
  ],
  ["status", kinds.status, status],
  ["status of an advanced swap", kinds.status, { ...status, swapDetails: noHashes }],
  ["status of a swap that nobody paid", kinds.status, { ...status, status: "PENDING_DEPOSIT", swapDetails: noHashes }],
  ["transfer to sign", unasked.intent, transfer],
  [
    "transfer to sign, with a callback",
    unasked.intent,
    {
      ...transfer,
      intent: {
        ...transfer.intent,
        payload: { ...transfer.intent.payload, callbackUrl: "https://example.invalid" }
      }
    }
  ],
  ["acknowledged transfer", unasked.acknowledgement, Answers.submitAnswer],
  [
    "refused order",
    unasked.refusal,
    {
      errors: [
        {
          status: "400",
          code: "validation-failed",
          title: "Validation failed",
          detail: "price must be a positive decimal string",
          source: { pointer: "/data/attributes/price" }
        }
      ],
      meta: Answers.meta
    }
  ],
  ["refusal", unasked.message, { message: "Amount is too low for bridge, try at least 1000" }],
  [
    "line of the history",
    kinds.transaction,
    {
      originAsset: "nep141:arb.omft.near",
      destinationAsset: "nep141:sol.omft.near",
      depositAddress: "0x76b4c56085ED136a8744D52bE956396624a730E8",
      depositMemo: null,
      depositAddressAndMemo: "0x76b4c56085ED136a8744D52bE956396624a730E8",
      recipient: "13QkxhNMrTPxoCkRdYdJ65tFuwXPhL5gLS2Z5Nr6gjRK",
      status: "SUCCESS",
      createdAt: "2026-03-04T15:00:20.000Z",
      createdAtTimestamp: 1741100420,
      intentHashes: "8yFNEk7GmRcM3NMJihwCKXt8ZANLpL2koVFWWH1MEEj",
      referral: "referral",
      amountInFormatted: "0.001",
      amountOutFormatted: "0.9",
      appFees: [{ recipient: "recipient.near", fee: 100 }],
      nearTxHashes: ["8yFNEk7GmRcM3NMJihwCKXt8ZANLpL2koVFWWH1MEEj"],
      originChainTxHashes: ["0x123"],
      destinationChainTxHashes: ["0x456"],
      amountIn: "1000",
      amountInUsd: "0.01",
      amountOut: "9",
      amountOutUsd: "0.01",
      refundTo: "0x2527D02599Ba641c19FEa793cD0F167589a0f10D",
      senders: ["0x2527D02599Ba641c19FEa793cD0F167589a0f10D"],
      refundReason: null,
      refundFee: null,
      refundFeeFormatted: null,
      depositType: "ORIGIN_CHAIN",
      recipientType: "DESTINATION_CHAIN",
      refundType: "ORIGIN_CHAIN"
    }
  ],
  [
    "item of the account's history",
    kinds.accountItem,
    {
      status: "SUCCESS",
      depositType: "CONFIDENTIAL_INTENTS",
      recipientType: "DESTINATION_CHAIN",
      refundType: "CONFIDENTIAL_INTENTS",
      createdAt: "2026-11-01T00:00:00.000Z",
      depositAddress: "76b4c560",
      depositMemo: null,
      originAsset: "nep141:wrap.near",
      amountInFormatted: "1",
      recipient: "13QkxhNMrTPxoCkRdYdJ65tFuwXPhL5gLS2Z5Nr6gjRK"
    }
  ],
  ["balances", kinds.balances, { balances: [{ tokenId: "nep141:wrap.near", available: "1", source: "private" }] }]
] as const
