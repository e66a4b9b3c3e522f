/** A line of history as the two history interfaces write it. */
import * as Amount from "../../domain/Amount.ts"
import { present } from "../../domain/Present.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { factsOf } from "../../venue/VenueConfig.ts"
import type { AccountHistoryResponse, TransactionRecord } from "../../venue/wire/WireHistory.ts"
import { writeLedgerTxHashes } from "../../venue/wire/WireValue.ts"
import type { HistoryRecord } from "../core/HistoryRecord.ts"
import { isInternal, placeOf } from "../core/money/Books.ts"
import * as Seeded from "../Seeded.ts"
import type { SandboxSettings } from "../Settings.ts"

/** Dollar values at the prices of the address's creation. */
export const usdIn = ({ target, amountIn }: HistoryRecord): number =>
  Amount.asNumber(amountIn, target.origin) * target.usd.input
export const usdOut = ({ target, amountOut }: HistoryRecord): number =>
  Amount.asNumber(amountOut, target.destination) * target.usd.output

export const destinationTxHashes = ({ recipientType, txHashes, amountOut }: HistoryRecord): ReadonlyArray<string> =>
  isInternal(recipientType) || amountOut === 0n ? [] : txHashes

/** Returns the settlement hashes or, if the facts have none, the hashes that moved public money in and out. */
export const ledgerTxHashes = (settings: SandboxSettings, line: HistoryRecord): ReadonlyArray<string> => {
  const { crossingHashes, settlementHashes } = factsOf(settings)
  if (settlementHashes) return line.txHashes
  if (!crossingHashes) return []
  const { amountOut, depositType, recipientType, refunded, refundType, target } = line
  const isPublic = (kind: typeof depositType) => placeOf(kind) !== "private"
  const isBack = (amountOut > 0n && isPublic(recipientType)) || (refunded > 0n && isPublic(refundType))
  const hash = (crossing: string) => Seeded.base58(settings.seed, crossing, target.id)
  return [
    ...(target.deposited > 0n && isPublic(depositType) ? [hash("shield")] : []),
    ...(isBack ? [hash("unshield")] : [])
  ]
}

const shared = (record: HistoryRecord) => {
  const { target, amountIn, amountOut, recipient, refundFee, refundReason, refundTo } = record
  const { origin, destination } = target
  return {
    status: record.status,
    createdAt: Timestamp.format(target.createdAt),
    depositAddress: target.depositAddress,
    ...present({ depositMemo: target.depositMemo, refundReason }),
    originAsset: origin.id,
    amountInFormatted: Amount.format(amountIn, origin.decimals),
    amountInUsd: usdIn(record).toFixed(4),
    destinationAsset: destination.id,
    amountOutFormatted: Amount.format(amountOut, destination.decimals),
    amountOutUsd: usdOut(record).toFixed(4),
    recipient,
    refundTo,
    ...(refundFee === 0n
      ? {}
      : { refundFee: String(refundFee), refundFeeFormatted: Amount.format(refundFee, origin.decimals) }),
    depositType: record.depositType,
    recipientType: record.recipientType,
    refundType: record.refundType
  }
}

export const toTransaction = (settings: SandboxSettings, record: HistoryRecord): TransactionRecord => {
  const { target, amountIn, amountOut, appFees, referral } = record
  const memo = target.depositMemo
  return {
    ...shared(record),
    depositAddressAndMemo: memo === undefined ? target.depositAddress : `${target.depositAddress}_${memo}`,
    createdAtTimestamp: Math.floor(target.createdAt / 1000),
    ...(target.intentHashes.length === 0 ? {} : { intentHashes: target.intentHashes.join(",") }),
    ...present({ referral }),
    appFees,
    ...writeLedgerTxHashes(settings.ledger, ledgerTxHashes(settings, record)),
    originChainTxHashes: [...target.originTxHashes],
    destinationChainTxHashes: destinationTxHashes(record),
    amountIn: String(amountIn),
    amountOut: String(amountOut),
    senders: [...target.senders]
  }
}

export const toItem = (record: HistoryRecord): AccountHistoryResponse["items"][number] => {
  const { target, refunded } = record
  return {
    ...shared(record),
    quoteTransactions: [...target.originTxHashes].map((txHash) => ({ txHash })),
    refundedAmountFormatted: Amount.format(refunded, target.origin.decimals),
    refundedAmountUsd: (Amount.asNumber(refunded, target.origin) * target.usd.input).toFixed(4)
  }
}
