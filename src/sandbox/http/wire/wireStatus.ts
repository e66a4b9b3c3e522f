/** The status of a deposit address, as the contract writes it. An order has no quote, so its terms take the quote's place. */
import * as Amount from "../../../domain/Amount.ts"
import { present } from "../../../domain/Present.ts"
import * as Timestamp from "../../../domain/Timestamp.ts"
import { factsOf } from "../../../venue/VenueConfig.ts"
import type { QuoteResponse } from "../../../venue/wire/WireQuote.ts"
import type { SwapStatusResponse } from "../../../venue/wire/WireSwap.ts"
import { writeLedgerTxHashes } from "../../../venue/wire/WireValue.ts"
import type { HistoryRecord } from "../../core/HistoryRecord.ts"
import { usdOf } from "../../core/orders/Pricing.ts"
import type { SandboxOrder, State } from "../../core/State.ts"
import type { SandboxAsset } from "../../Settings.ts"
import { destinationTxHashes, ledgerTxHashes } from "./wireHistory.ts"

export const toWire = (state: State, line: HistoryRecord, correlationId: string): SwapStatusResponse => {
  const { target, status } = line
  const isKnown = status === "PENDING_DEPOSIT" && target.originTxHashes.size + target.intentHashes.length > 0
  return {
    correlationId,
    quoteResponse: target.kind === "swap" ? target.response : termsOf(target),
    status: isKnown ? "KNOWN_DEPOSIT_TX" : status,
    updatedAt: Timestamp.format(
      target.kind === "swap" ? target.updatedAt : (target.fills.at(-1)?.at ?? target.createdAt)
    ),
    swapDetails: isBare(state, target)
      ? bareDetails(state)
      : {
          intentHashes: target.intentHashes,
          ...writeLedgerTxHashes(state.settings.ledger, ledgerTxHashes(state.settings, line)),
          originChainTxHashes: [...target.originTxHashes].map(onChain),
          destinationChainTxHashes: destinationTxHashes(line).map(onChain),
          ...amounts(state, line)
        }
  }
}

const isBare = ({ settings }: State, target: HistoryRecord["target"]): boolean =>
  target.kind === "swap" && target.request.confidentiality === "advanced" && factsOf(settings).advancedStatus === "bare"

const bareDetails = ({ settings }: State) => ({
  intentHashes: [],
  ...writeLedgerTxHashes(settings.ledger, []),
  originChainTxHashes: [],
  destinationChainTxHashes: []
})

const onChain = (hash: string) => ({ hash, explorerUrl: `https://explorer.invalid/${hash}` })

const termsOf = (order: SandboxOrder): QuoteResponse => ({
  timestamp: Timestamp.format(order.createdAt),
  quoteRequest: {
    dry: false,
    swapType: order.side === "SELL" ? "EXACT_INPUT" : "EXACT_OUTPUT",
    originAsset: order.origin.id,
    depositType: order.depositType,
    destinationAsset: order.destination.id,
    amount: String(order.quantity),
    refundTo: order.refundTo,
    refundType: order.refundType,
    recipient: order.recipient,
    recipientType: order.recipientType,
    deadline: Timestamp.format(order.deadline),
    confidentiality: order.confidentiality
  },
  quote: {
    amountIn: String(order.inputAmount),
    amountInFormatted: Amount.format(order.inputAmount, order.origin.decimals),
    amountOut: String(order.outputAmount),
    amountOutFormatted: Amount.format(order.outputAmount, order.destination.decimals),
    minAmountOut: String(order.outputAmount),
    depositAddress: order.depositAddress,
    ...present({ depositMemo: order.depositMemo }),
    deadline: Timestamp.format(order.deadline)
  }
})

const amounts = (state: State, line: HistoryRecord) => {
  const { target, referral, refundReason } = line
  const { origin, destination, withdrawFee } = target
  const of = (name: string, asset: SandboxAsset, amount: Amount.Amount) => ({
    [name]: String(amount),
    [`${name}Formatted`]: Amount.format(amount, asset.decimals),
    [`${name}Usd`]: usdOf(state, asset, amount).toFixed(4)
  })
  const deposited = { ...of("depositedAmount", origin, target.deposited), ...present({ referral }) }
  if (line.txHashes.length === 0) return deposited
  return {
    ...deposited,
    ...of("amountIn", origin, line.amountIn),
    ...of("amountOut", destination, line.amountOut),
    ...of("refundedAmount", origin, line.refunded),
    ...present({ refundReason }),
    slippage: target.kind === "swap" ? slippagePercent(target.quoted.amountOut, line.amountOut) : 0,
    withdrawFee: String(withdrawFee)
  }
}

/** The shortfall against the quote, in percent to four places; negative if more arrived. */
const slippagePercent = (quoted: Amount.Amount, received: Amount.Amount): number =>
  received === 0n ? 0 : Number(((quoted - received) * 1_000_000n) / quoted) / 10_000
