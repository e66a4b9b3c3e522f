/**
 * Lies about swaps: the quote that is to be paid, and the status of one that was. A quote that is not what was asked for is
 * not paid, and another one is asked for; of a paid one only amounts count, and only such as can be.
 */
import type { SandboxSwap } from "../../../src/sandbox/core/State.ts"
import {
  type About,
  type Attack,
  amount,
  isObject,
  type Json,
  nowhere,
  otherAmounts,
  put,
  quiet,
  set,
  type Tell,
  thief,
  type Verdict
} from "../Attack.ts"

/** Not paid; a quote that is refused is no alarm, the next one may be right. */
const refusedQuote: Verdict = { alerts: [0, 1], unfit: true }
const solana = "nep141:sol.omft.native"

const quote = (field: string, lie: string, tell: Tell, must: Verdict = refusedQuote): Attack => ({
  call: "quote",
  field,
  lie,
  tell,
  must
})
const shifted = (millis: number) => (_: About, said: Json) => {
  const { quoteRequest } = said
  return isObject(quoteRequest)
    ? new Date(Date.parse(String(quoteRequest["deadline"])) + millis).toISOString()
    : undefined
}

const quotes: ReadonlyArray<Attack> = [
  quote("depositAddress", "nobody's", set("quote.depositAddress", nowhere)),
  quote(
    "depositAddress",
    "of somebody else's order",
    set("quote.depositAddress", ({ stranger }: About) => stranger.depositAddress)
  ),
  quote(
    "depositAddress",
    "our own account",
    set("quote.depositAddress", ({ account }: About) => account)
  ),
  quote(
    "depositAddress",
    "of the swap before",
    set("quote.depositAddress", ({ state }: About) => [...state.swaps.keys()].at(-2))
  ),
  quote("depositMemo", "one that no transfer carries", set("quote.depositMemo", "42")),
  quote("amountIn", "one unit more", amount("quote.amountIn", otherAmounts["one unit more"] ?? BigInt)),
  quote("amountIn", "ten times", amount("quote.amountIn", otherAmounts["ten times"] ?? BigInt)),
  quote("amountIn", "one unit less", amount("quote.amountIn", otherAmounts["one unit less"] ?? BigInt)),
  quote("amountIn", "a tenth", amount("quote.amountIn", otherAmounts["a tenth"] ?? BigInt)),
  quote("minAmountOut", "a tenth", amount("quote.minAmountOut", otherAmounts["a tenth"] ?? BigInt)),
  quote("minAmountOut", "one unit", set("quote.minAmountOut", "1")),
  quote("minAmountOut", "nothing", set("quote.minAmountOut", "0")),
  quote("minAmountOut", "ten times", amount("quote.minAmountOut", otherAmounts["ten times"] ?? BigInt), quiet),
  quote("quoteRequest.recipient", "a thief", set("quoteRequest.recipient", thief)),
  quote("quoteRequest.recipientType", "on another chain", set("quoteRequest.recipientType", "DESTINATION_CHAIN")),
  quote("quoteRequest.refundTo", "a thief", set("quoteRequest.refundTo", thief)),
  quote("quoteRequest.refundType", "on another chain", set("quoteRequest.refundType", "ORIGIN_CHAIN")),
  quote("quoteRequest.depositType", "on another chain", set("quoteRequest.depositType", "ORIGIN_CHAIN")),
  quote("quoteRequest.originAsset", "another", set("quoteRequest.originAsset", solana)),
  quote("quoteRequest.destinationAsset", "another", set("quoteRequest.destinationAsset", solana)),
  quote("quoteRequest.amount", "another", set("quoteRequest.amount", "1")),
  quote("quoteRequest.swapType", "another", set("quoteRequest.swapType", "EXACT_OUTPUT")),
  quote("quoteRequest.slippageTolerance", "all of it", set("quoteRequest.slippageTolerance", 10_000)),
  quote("quoteRequest.dry", "only looked", set("quoteRequest.dry", true)),
  quote("quoteRequest.deadline", "earlier", set("quoteRequest.deadline", shifted(-60_000))),
  quote("quoteRequest.deadline", "later", set("quoteRequest.deadline", shifted(86_400_000))),
  quote("quoteRequest.appFees", "a third for a thief", set("quoteRequest.appFees", [{ recipient: thief, fee: 3_333 }])),
  quote(
    "refundFee",
    "all that goes in",
    set("quote.refundFee", (_: About, said: Json) => (isObject(said["quote"]) ? said["quote"]["amountIn"] : undefined))
  )
]

const status = (field: string, lie: string, tell: Tell, must: Verdict = { alerts: [0, 1] }): Attack => ({
  call: "status",
  field,
  lie,
  tell,
  must
})
const whileSo =
  (holds: (swap: SandboxSwap) => boolean, tell: Tell): Tell =>
  (said, about) => {
    if (about.swap !== undefined && holds(about.swap)) tell(said, about)
  }
const isUnpaid = ({ intentHashes }: SandboxSwap): boolean => intentHashes.length === 0
const isPaid = ({ deposited, status: word }: SandboxSwap): boolean => deposited > 0n && word !== "SUCCESS"
const isDone = ({ status: word }: SandboxSwap): boolean => word === "SUCCESS"

const details = (more: Json) => (said: Json) => {
  const known = isObject(said["swapDetails"]) ? said["swapDetails"] : {}
  said["swapDetails"] = { ...known, ...more }
}
const whole = ({ swap }: About): string => String(swap?.quoted.amountIn)

const statuses: ReadonlyArray<Attack> = [
  ...[
    status("quoteRequest.recipient", "a thief", set("quoteResponse.quoteRequest.recipient", thief), refusedQuote),
    status("quoteRequest.refundTo", "a thief", set("quoteResponse.quoteRequest.refundTo", thief), refusedQuote),
    status(
      "quote.amountIn",
      "ten times",
      amount("quoteResponse.quote.amountIn", (known) => known * 10n),
      refusedQuote
    ),
    status(
      "quote.minAmountOut",
      "a tenth",
      amount("quoteResponse.quote.minAmountOut", (known) => known / 10n),
      refusedQuote
    ),
    status("quote.depositAddress", "nobody's", set("quoteResponse.quote.depositAddress", nowhere), refusedQuote),
    status(
      "quote.depositMemo",
      "one that no transfer carries",
      set("quoteResponse.quote.depositMemo", "42"),
      refusedQuote
    ),
    status(
      "quoteRequest.destinationAsset",
      "another",
      set("quoteResponse.quoteRequest.destinationAsset", solana),
      refusedQuote
    ),
    status("status", "done already", set("status", "SUCCESS"), refusedQuote),
    status("status", "refunded already", set("status", "REFUNDED"), refusedQuote),
    status("status", "failed already", set("status", "FAILED"), refusedQuote),
    status("status", "under way already", set("status", "PROCESSING"), refusedQuote)
  ].map((each) => ({ ...each, lie: `${each.lie}, before it is paid`, tell: whileSo(isUnpaid, each.tell) })),
  status("status", "done without amounts", whileSo(isPaid, put({ status: "SUCCESS", swapDetails: {} }))),
  status(
    "status",
    "done for nothing",
    whileSo(isPaid, (said) => {
      said["status"] = "SUCCESS"
      details({ amountOut: "0" })(said)
    })
  ),
  status(
    "status",
    "refunded before it is",
    whileSo(isPaid, (said, about) => {
      said["status"] = "REFUNDED"
      details({ refundedAmount: whole(about), depositedAmount: whole(about) })(said)
    })
  ),
  // That it failed, and then that it did not.
  status("status", "failed", whileSo(isPaid, set("status", "FAILED")), { alerts: [1, 2] }),
  status(
    "status",
    "still waits for money",
    whileSo(isPaid, put({ status: "PENDING_DEPOSIT", swapDetails: {} })),
    quiet
  ),
  status("status", "too little", whileSo(isPaid, set("status", "INCOMPLETE_DEPOSIT")), quiet),
  status("status", "only a transfer is known", whileSo(isPaid, set("status", "KNOWN_DEPOSIT_TX")), quiet),
  status("status", "a word nobody knows", whileSo(isPaid, set("status", "HELD_FOR_REVIEW")), quiet),
  status(
    "amountOut",
    "ten times",
    whileSo(
      isDone,
      amount("swapDetails.amountOut", (known) => known * 10n)
    ),
    { alerts: 1 }
  ),
  status(
    "amountOut",
    "with other decimals",
    whileSo(
      isDone,
      amount("swapDetails.amountOut", (known) => known * 10n ** 10n)
    ),
    { alerts: 1 }
  ),
  status(
    "amountOut",
    "a tenth",
    whileSo(
      isDone,
      amount("swapDetails.amountOut", (known) => known / 10n)
    ),
    { alerts: 1 }
  ),
  status(
    "amountOut",
    "one unit less",
    whileSo(
      isDone,
      amount("swapDetails.amountOut", (known) => known - 1n)
    ),
    quiet
  ),
  status(
    "amountIn",
    "ten times",
    whileSo(
      isDone,
      amount("swapDetails.amountIn", (known) => known * 10n)
    ),
    { alerts: 1 }
  ),
  status(
    "amountIn",
    "a tenth",
    whileSo(
      isDone,
      amount("swapDetails.amountIn", (known) => known / 10n)
    )
  ),
  status(
    "depositedAmount",
    "ten times",
    whileSo(
      isDone,
      amount("swapDetails.depositedAmount", (known) => known * 10n)
    ),
    { alerts: 1 }
  ),
  status("depositedAmount", "nothing", whileSo(isDone, set("swapDetails.depositedAmount", "0")), quiet),
  status(
    "refundedAmount",
    "more than went in",
    whileSo(isDone, (said, about) => {
      details({ refundedAmount: `${whole(about)}00` })(said)
    })
  ),
  status(
    "refundedAmount",
    "all of it, although it is done",
    whileSo(isDone, (said, about) => {
      details({ refundedAmount: whole(about) })(said)
    })
  ),
  status(
    "withdrawFee",
    "all of it",
    whileSo(isDone, (said, about) => {
      details({ withdrawFee: whole(about) })(said)
    }),
    quiet
  ),
  status(
    "hashes",
    "of others",
    whileSo(isDone, (said) => {
      details({
        intentHashes: ["9".repeat(44)],
        destinationChainTxHashes: [{ hash: "9".repeat(44), explorerUrl: "x" }]
      })(said)
    }),
    quiet
  ),
  status("updatedAt", "in the future", whileSo(isDone, set("updatedAt", "2036-01-01T00:00:00.000Z")), quiet),
  status("updatedAt", "long ago", whileSo(isDone, set("updatedAt", "1999-01-01T00:00:00.000Z")), quiet),
  status(
    "quote.depositAddress",
    "of another swap, once it is paid",
    whileSo(
      isPaid,
      set("quoteResponse.quote.depositAddress", ({ stranger }: About) => stranger.depositAddress)
    ),
    { alerts: [0, 1] }
  )
]

export const swapAttacks: ReadonlyArray<Attack> = [...quotes, ...statuses]
