/** The flags of the history: the filters, each with the interface's meaning, and what is shown of it. */
import { Schema } from "effect"
import { Flag } from "effect/cli"
import { ChainId } from "../../venue/api/HistoryApi.ts"
import { transactionStatuses } from "../../venue/wire/WireHistory.ts"
import { TimestampText } from "../../venue/wire/WireValue.ts"
import * as flags from "../flags.ts"

const several = <A>(flag: Flag.Flag<A>) => Flag.between(flag, 0, 50)
export const count = (name: string, most: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most }))),
    Flag.withDescription(description),
    Flag.optional
  )

const NotNegative = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const usd = (name: string, description: string) =>
  Flag.Finite(name).pipe(Flag.withSchema(NotNegative), Flag.withDescription(description), Flag.optional)
const time = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withSchema(TimestampText), Flag.withDescription(description), Flag.optional)
const chain = (name: string, description: string) =>
  several(
    Flag.String(name).pipe(
      Flag.withSchema(ChainId),
      Flag.withDescription(`${description}, such as eth or sol; may be repeated: any of them`)
    )
  )
const token = (name: string, description: string) =>
  several(Flag.String(name).pipe(Flag.withDescription(`${description}; may be repeated: any of them`)))

export const filters = {
  search: flags.text("search", "Deposit address, recipient, sender or transaction hash"),
  fromChain: chain("from-chain", "Chain that was paid from"),
  toChain: chain("to-chain", "Chain that was paid to"),
  fromToken: token("from-token", "Asset that was paid; goes before --from-chain"),
  toToken: token("to-token", "Asset that was received; goes before --to-chain"),
  depositMemo: flags.text("deposit-memo", "Narrows a search by deposit address"),
  referral: flags.text("referral", "Referral"),
  affiliate: flags.text("affiliate", "Affiliate stored in the fees"),
  status: several(
    Flag.Literals("status", transactionStatuses).pipe(
      Flag.withDescription("May be repeated; default: all but PENDING_DEPOSIT and INCOMPLETE_DEPOSIT")
    )
  ),
  showTestTxs: flags.toggle("show-test", "Include transactions of test accounts"),
  minUsd: usd("min-usd", "Least value of both sides"),
  maxUsd: usd("max-usd", "Most value of both sides"),
  start: time("start", "After this time (exclusive), ISO 8601"),
  end: time("end", "Before this time (exclusive), ISO 8601"),
  startUnix: flags.figure("start-unix", "As --start, Unix time"),
  endUnix: flags.figure("end-unix", "As --end, Unix time")
}

/** How much is read, from where, and how it is shown. */
export const ways = {
  count: count("count", 1000, "Records of one request, by cursor; default: 50, with --sync 1000"),
  direction: flags.choice("direction", ["next", "prev"], "next: older than the cursor; prev: newer"),
  afterAddress: flags.text("after-address", "Cursor: deposit address of the last record that is known"),
  afterMemo: flags.text("after-memo", "Cursor: its deposit memo, when it has one"),
  afterCombined: flags.text("after-combined", "Cursor in the deprecated form ADDRESS_MEMO"),
  page: count("page", Number.MAX_SAFE_INTEGER, "By page number instead of by cursor"),
  perPage: count("per-page", 1000, "Records of a page; default: 50"),
  sync: flags.toggle("sync", "Read what is new into the database beside the journal, then say how much that was"),
  stored: flags.toggle("stored", "Show what the last --sync stored; asks nobody"),
  csv: flags.csv,
  config: flags.config,
  json: flags.json
}
