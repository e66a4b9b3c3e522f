/** Past transactions for people, spreadsheets and programs. */
import * as Csv from "../../domain/Csv.ts"
import * as Table from "../../report/text/Table.ts"
import type { AccountEntry, HistoryEntry } from "../../venue/wire/HistoryEntry.ts"
import { readLedgerTxHashes } from "../../venue/wire/WireValue.ts"

type Fields = HistoryEntry["record"]

const columns: ReadonlyArray<readonly [string, (record: Fields) => string | undefined]> = [
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

export const csv = (entries: ReadonlyArray<HistoryEntry>): string =>
  Csv.render(
    [...columns.map(([title]) => title), "problem"],
    entries.map(({ problem, record }) => [...columns.map(([, value]) => value(record) ?? ""), problem ?? ""])
  )

const shown = ["TIME", "STATUS", "PAID", "RECEIVED", "VALUE USD", "REFUND", "ADDRESS", "MEMO"]

interface Row {
  readonly fields: Fields | AccountEntry["item"]
  readonly paid: string | undefined
  readonly received: string | undefined
  readonly problem: string | undefined
}

/** One more column if something is odd. */
const render = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const isOdd = rows.some(({ problem }) => problem !== undefined)
  return Table.render(
    [...shown, ...(isOdd ? ["ODD"] : [])].map((title) => ({ title })),
    rows.map(({ fields, paid, problem, received }) => [
      fields.createdAt ?? "?",
      fields.status ?? "?",
      `${paid ?? "?"} ${short(fields.originAsset ?? "?")}`,
      `${received ?? "?"} ${short(fields.destinationAsset ?? "?")}`,
      fields.amountInUsd ?? "",
      fields.refundReason ?? "",
      fields.depositAddress ?? "?",
      fields.depositMemo ?? "",
      ...(isOdd ? [problem ?? ""] : [])
    ])
  )
}

export const table = (entries: ReadonlyArray<HistoryEntry>): ReadonlyArray<string> =>
  render(
    entries.map(({ problem, record: fields }) => ({
      fields,
      paid: fields.amountInFormatted ?? fields.amountIn,
      received: fields.amountOutFormatted ?? fields.amountOut,
      problem
    }))
  )

export const accountTable = (entries: ReadonlyArray<AccountEntry>): ReadonlyArray<string> =>
  render(
    entries.map(({ item: fields, problem }) => ({
      fields,
      paid: fields.amountInFormatted,
      received: fields.amountOutFormatted,
      problem
    }))
  )

/** Without the namespace that all ids share. */
const short = (assetId: string): string => assetId.replace(/^nep\d+:/, "")
