/** Past transactions for people, spreadsheets and programs. */
import * as Csv from "../../report/text/Csv.ts"
import * as Table from "../../report/text/Table.ts"
import type { AccountHistoryResponse, TransactionRecord } from "../../venue/wire/WireHistory.ts"
import { readLedgerTxHashes } from "../../venue/wire/WireValue.ts"

type Item = AccountHistoryResponse["items"][number]

const columns: ReadonlyArray<readonly [string, (record: TransactionRecord) => string | undefined]> = [
  ["createdAt", (record) => record.createdAt],
  ["status", (record) => record.status],
  ["originAsset", (record) => record.originAsset],
  ["amountIn", (record) => record.amountIn],
  ["amountInFormatted", (record) => record.amountInFormatted],
  ["amountInUsd", (record) => record.amountInUsd],
  ["destinationAsset", (record) => record.destinationAsset],
  ["amountOut", (record) => record.amountOut],
  ["amountOutFormatted", (record) => record.amountOutFormatted],
  ["amountOutUsd", (record) => record.amountOutUsd],
  ["depositAddress", (record) => record.depositAddress],
  ["depositMemo", (record) => record.depositMemo],
  ["depositType", (record) => record.depositType],
  ["recipient", (record) => record.recipient],
  ["recipientType", (record) => record.recipientType],
  ["refundTo", (record) => record.refundTo],
  ["refundType", (record) => record.refundType],
  ["refundReason", (record) => record.refundReason],
  ["refundFee", (record) => record.refundFee],
  ["referral", (record) => record.referral],
  ["senders", (record) => record.senders?.join(" ")],
  ["intentHashes", (record) => record.intentHashes],
  ["ledgerTxHashes", (record) => readLedgerTxHashes(record).join(" ")],
  ["originChainTxHashes", (record) => record.originChainTxHashes?.join(" ")],
  ["destinationChainTxHashes", (record) => record.destinationChainTxHashes?.join(" ")],
  ["appFees", (record) => record.appFees?.map(({ fee, recipient }) => `${recipient}=${fee}`).join(" ")]
]

export const csv = (records: ReadonlyArray<TransactionRecord>): string =>
  Csv.render(
    columns.map(([title]) => title),
    records.map((record) => columns.map(([, value]) => value(record) ?? ""))
  )

const shown = ["TIME", "STATUS", "PAID", "RECEIVED", "VALUE USD", "REFUND", "ADDRESS", "MEMO"]

export const table = (records: ReadonlyArray<TransactionRecord>): ReadonlyArray<string> =>
  Table.render(
    shown.map((title) => ({ title })),
    records.map((record) => [
      record.createdAt,
      record.status,
      `${record.amountInFormatted ?? record.amountIn} ${short(record.originAsset)}`,
      `${record.amountOutFormatted ?? record.amountOut} ${short(record.destinationAsset)}`,
      record.amountInUsd ?? "",
      record.refundReason ?? "",
      record.depositAddress,
      record.depositMemo ?? ""
    ])
  )

export const accountTable = (items: ReadonlyArray<Item>): ReadonlyArray<string> =>
  Table.render(
    shown.map((title) => ({ title })),
    items.map((item) => [
      item.createdAt,
      item.status,
      `${item.amountInFormatted ?? "?"} ${short(item.originAsset ?? "?")}`,
      `${item.amountOutFormatted ?? "?"} ${short(item.destinationAsset ?? "?")}`,
      item.amountInUsd ?? "",
      item.refundReason ?? "",
      item.depositAddress,
      item.depositMemo ?? ""
    ])
  )

/** Without the namespace that all ids share. */
const short = (assetId: string): string => assetId.replace(/^nep\d+:/, "")
