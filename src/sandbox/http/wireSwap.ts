/** What became of a deposit address, as the contract writes it. */
import * as Amount from "../../domain/Amount.ts"
import type { SwapStatusResponse } from "../../venue/WireSwap.ts"
import { formatTimestamp, writeLedgerTxHashes } from "../../venue/WireValue.ts"
import { isInternal } from "../core/OrderCreation.ts"
import { usdOf } from "../core/Pricing.ts"
import type { SandboxAsset } from "../core/Settings.ts"
import type { State, Swap } from "../core/State.ts"

export const toWire = (state: State, swap: Swap, correlationId: string): SwapStatusResponse => ({
  correlationId,
  quoteResponse: swap.response,
  status: swap.status,
  updatedAt: formatTimestamp(swap.updatedAt),
  swapDetails: {
    intentHashes: swap.intentHashes,
    ...writeLedgerTxHashes(state.settings.ledger, swap.outcome === undefined ? [] : [swap.outcome.txHash]),
    originChainTxHashes: [...swap.originTxHashes].map(onChain),
    destinationChainTxHashes: destinationTxHashes(swap).map(onChain),
    ...amounts(state, swap)
  }
})

export const destinationTxHashes = ({ request, outcome }: Swap): ReadonlyArray<string> => {
  if (outcome === undefined || outcome.received === 0n || isInternal(request.recipientType)) return []
  return [outcome.txHash]
}

const onChain = (hash: string) => ({ hash, explorerUrl: `https://explorer.invalid/${hash}` })

const amounts = (state: State, { quoted, deposited, outcome, request }: Swap) => {
  const { origin, destination } = quoted
  const of = <Name extends string>(name: Name, asset: SandboxAsset, amount: Amount.Amount) => ({
    [name]: String(amount),
    [`${name}Formatted`]: Amount.format(amount, asset.decimals),
    [`${name}Usd`]: usdOf(state, asset, amount).toFixed(4)
  })
  const known = {
    ...of("depositedAmount", origin, deposited),
    ...(request.referral ? { referral: request.referral } : {})
  }
  if (outcome === undefined) return known
  return {
    ...known,
    ...of("amountIn", origin, outcome.spent),
    ...of("amountOut", destination, outcome.received),
    ...of("refundedAmount", origin, outcome.refunded),
    ...(outcome.refundReason === undefined ? {} : { refundReason: outcome.refundReason }),
    slippage: outcome.received === 0n ? 0 : slippagePercent(quoted.amountOut, outcome.received),
    withdrawFee: String(quoted.withdrawFee)
  }
}

/** How much less than quoted arrived, in percent to four places; negative when it was more. */
const slippagePercent = (quoted: Amount.Amount, received: Amount.Amount): number =>
  Number(((quoted - received) * 1_000_000n) / quoted) / 10_000
