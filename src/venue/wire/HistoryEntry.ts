/**
 * One line of a history as a client reads it. The service does not always fill the fields that it promises (above all, masking records hold
 * `null`), and one odd line must not hide the others. An odd line is kept word for word, with the fields that are as documented and the
 * names of the others. Only a line without exact amounts, address or time is not a `Transaction`.
 */
import { Option, Result, Schema } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import { isRecord } from "../../domain/Text.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { AccountHistoryItem, TransactionRecord } from "./WireHistory.ts"
import * as Wire from "./WireValue.ts"

/** A past swap in smallest units and epoch milliseconds. */
export interface Transaction {
  /** Names the swap, with the memo. */ readonly depositAddress: string
  /** Only on chains with memos. */ readonly depositMemo: string | undefined
  /** A word of the venue. */ readonly status: string
  /** Epoch milliseconds. */ readonly createdAt: number
  /** Smallest units. */ readonly amountIn: Amount
  /** Smallest units. */ readonly amountOut: Amount
  /** Smallest units; missing if the venue does not say. */ readonly refundFee: Amount | undefined
  /** Transactions on the home ledger. */ readonly ledgerTxHashes: ReadonlyArray<string>
  /** The fields that are as documented. */
  readonly record: Partial<TransactionRecord>
  /** The venue's whole answer, word for word. */
  readonly said: unknown
  /** The fields that are not as documented; `undefined` if all are. */
  readonly problem: string | undefined
}

/** A line that cannot be compared with anything. */
export interface OddTransaction extends Pick<Transaction, "ledgerTxHashes" | "record" | "said"> {
  /** Missing if unreadable. */ readonly depositAddress: string | undefined
  /** Missing if unreadable. */ readonly depositMemo: string | undefined
  /** Missing if unreadable. */ readonly status: string | undefined
  /** Epoch milliseconds. */ readonly createdAt: number | undefined
  /** The fields that are not as documented. */ readonly problem: string
  /** Never there. */ readonly amountIn?: undefined
  /** Never there. */ readonly amountOut?: undefined
}

/** A line of the history: comparable, or odd. */
export type HistoryEntry = Transaction | OddTransaction

export const isOdd = (entry: HistoryEntry): entry is OddTransaction => entry.amountIn === undefined

const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

export const entryIn = (body: string): HistoryEntry => entryOf(Option.getOrElse(parseJson(body), () => body))

export const entryOf = (said: unknown): HistoryEntry => {
  const { problem, value: record } = readRecord(said)
  const { depositMemo, status } = record
  const exact = Result.all({
    depositAddress: Wire.required("depositAddress", record.depositAddress, Wire.parseName),
    status: Wire.required("status", status, Wire.parseName),
    createdAt: Wire.required("createdAt", record.createdAt, Timestamp.parse),
    amountIn: Wire.required("amountIn", record.amountIn, Wire.parseAmount),
    amountOut: Wire.required("amountOut", record.amountOut, Wire.parseAmount),
    refundFee: Wire.optionally("refundFee", record.refundFee, Wire.parseAmount)
  })
  const ledgerTxHashes = Wire.readLedgerTxHashes(record)
  if (Result.isSuccess(exact)) return { ...exact.success, depositMemo, ledgerTxHashes, record, said, problem }
  const createdAt = record.createdAt === undefined ? undefined : Timestamp.parse(record.createdAt)
  const depositAddress = record.depositAddress === "" ? undefined : record.depositAddress
  const why = problem ?? exact.failure
  return { depositAddress, depositMemo, status, createdAt, ledgerTxHashes, record, said, problem: why }
}

/** A line of the account's own history. */
export interface AccountEntry {
  /** The fields that are as documented. */ readonly item: Partial<AccountHistoryItem>
  /** The venue's line, word for word. */ readonly said: unknown
  /** Missing if every field is as documented. */ readonly problem: string | undefined
}

export const accountEntryOf = (said: unknown): AccountEntry => {
  const { problem, value: item } = readItem(said)
  return { item, said, problem }
}

type Fields = Readonly<Record<string, Schema.Codec<unknown, unknown>>>

/** Reads field by field, so that an undocumented value affects only its own field. */
const fieldByField = <A extends object>(schema: Schema.Codec<A, unknown> & { readonly fields: Fields }) => {
  const whole = Schema.decodeUnknownOption(schema)
  const single = Object.entries(schema.fields).map(
    ([name, field]) => [name, Schema.decodeUnknownOption(Schema.Struct({ [name]: field }))] as const
  )
  return (said: unknown): { readonly value: Partial<A>; readonly problem: string | undefined } => {
    const all = whole(said)
    if (Option.isSome(all)) return { value: all.value, problem: undefined }
    if (!isRecord(said)) return { value: {}, problem: `the line is ${said === null ? "null" : "not an object"}` }
    const decodings = single.map(([name, decode]) => [name, decode(said)] as const)
    const odd = decodings.filter(([, found]) => Option.isNone(found)).map(([name]) => name)
    const value: Partial<A> = Object.assign({}, ...decodings.map(([, found]) => Option.getOrElse(found, () => ({}))))
    return { value, problem: `not as described: ${odd.join(", ")}` }
  }
}

const readRecord = fieldByField(TransactionRecord)
const readItem = fieldByField(AccountHistoryItem)
