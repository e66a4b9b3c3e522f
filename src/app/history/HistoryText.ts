/** Formats past transactions for people, spreadsheets and programs. */
import * as Csv from "../../domain/Csv.ts"
import * as Table from "../../report/text/Table.ts"
import type { AccountEntry, HistoryEntry } from "../../venue/wire/HistoryEntry.ts"
import { readLedgerTxHashes } from "../../venue/wire/WireValue.ts"

type Fields = HistoryEntry["record"]

const titles = [
  ...(["createdAt", "status", "originAsset", "amountIn", "amountInFormatted", "amountInUsd"] as const),
  ...(["destinationAsset", "amountOut", "amountOutFormatted", "amountOutUsd"] as const),
  ...(["depositAddress", "depositMemo", "depositType", "recipient", "recipientType"] as const),
  ...(["refundTo", "refundType", "refundReason", "refundFee", "referral", "senders", "intentHashes"] as const),
  ...(["ledgerTxHashes", "originChainTxHashes", "destinationChainTxHashes", "appFees"] as const)
]

const cellOf = (record: Fields, title: (typeof titles)[number]): string => {
  if (title === "ledgerTxHashes") return readLedgerTxHashes(record).join(" ")
  if (title === "appFees") return record.appFees?.map(({ fee, recipient }) => `${recipient}=${fee}`).join(" ") ?? ""
  const value = record[title]
  return typeof value === "string" ? value : (value?.join(" ") ?? "")
}

const csv = (entries: ReadonlyArray<HistoryEntry>): string =>
  Csv.render(
    [...titles, "problem"],
    entries.map(({ problem, record }) => [...titles.map((title) => cellOf(record, title)), problem ?? ""])
  )

const headings = ["TIME", "STATUS", "PAID", "RECEIVED", "VALUE USD", "REFUND", "ADDRESS", "MEMO"]

/** A line of the account's own history has no amounts in smallest units. */
const render = (
  rows: ReadonlyArray<{ readonly fields: Fields; readonly problem: string | undefined }>
): ReadonlyArray<string> => {
  const isOdd = rows.some(({ problem }) => problem !== undefined)
  return Table.render(
    [...headings, ...(isOdd ? ["ODD"] : [])],
    rows.map(({ fields, problem }) => [
      fields.createdAt ?? "?",
      fields.status ?? "?",
      `${fields.amountInFormatted ?? fields.amountIn ?? "?"} ${short(fields.originAsset ?? "?")}`,
      `${fields.amountOutFormatted ?? fields.amountOut ?? "?"} ${short(fields.destinationAsset ?? "?")}`,
      fields.amountInUsd ?? "",
      fields.refundReason ?? "",
      fields.depositAddress ?? "?",
      fields.depositMemo ?? "",
      ...(isOdd ? [problem ?? ""] : [])
    ])
  )
}

const lines = (entries: ReadonlyArray<HistoryEntry>): ReadonlyArray<string> =>
  render(entries.map(({ problem, record: fields }) => ({ fields, problem })))

export const list = { json: (entries: ReadonlyArray<HistoryEntry>) => entries.map(({ said }) => said), csv, lines }

export const accountTable = (entries: ReadonlyArray<AccountEntry>): ReadonlyArray<string> =>
  render(entries.map(({ item: fields, problem }) => ({ fields, problem })))

const short = (assetId: string): string => assetId.replace(/^nep\d+:/, "")
