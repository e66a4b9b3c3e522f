/** The flags of the history: the filters, each with the interface's name and meaning, and how much is read from where. */
import type { Schema } from "effect"
import { Flag } from "effect/cli"
import { ChainId } from "../../venue/api/HistoryApi.ts"
import { transactionStatuses } from "../../venue/wire/WireHistory.ts"
import { TimestampText } from "../../venue/wire/WireValue.ts"
import * as flags from "../flags.ts"

const checked = <A, B>(flag: Flag.Flag<A>, description: string, schema: Schema.Codec<B, A>) =>
  flag.pipe(Flag.withSchema(schema), Flag.withDescription(description), Flag.optional, flags.orMissing)

export const count = (name: string, most: number, description: string) =>
  flags.orMissing(flags.count(name, description, 1, most))

const figure = (name: string, description: string) => flags.orMissing(flags.figure(name, description))
const time = (name: string, description: string) => checked(Flag.String(name), description, TimestampText)
const chain = (name: string, description: string) =>
  flags.several(
    Flag.String(name).pipe(
      Flag.withSchema(ChainId),
      Flag.withDescription(`${description}, such as eth or sol; may be repeated: any of them`)
    ),
    50
  )
const token = (name: string, description: string) =>
  flags.several(Flag.String(name).pipe(Flag.withDescription(`${description}; may be repeated: any of them`)), 50)

export const filters = {
  search: flags.textOrMissing("search", "Deposit address, recipient, sender or transaction hash"),
  fromChainId: chain("from-chain", "Chain that was paid from"),
  toChainId: chain("to-chain", "Chain that was paid to"),
  fromTokenId: token("from-token", "Asset that was paid; goes before --from-chain"),
  toTokenId: token("to-token", "Asset that was received; goes before --to-chain"),
  depositMemo: flags.textOrMissing("deposit-memo", "Narrows a search by deposit address"),
  referral: flags.textOrMissing("referral", "Referral"),
  affiliate: flags.textOrMissing("affiliate", "Affiliate stored in the fees"),
  statuses: flags
    .several(
      Flag.Literals("status", transactionStatuses).pipe(
        Flag.withDescription("May be repeated; default: all but PENDING_DEPOSIT and INCOMPLETE_DEPOSIT")
      ),
      50
    )
    .pipe(Flag.map((all) => all?.join(","))),
  showTestTxs: flags
    .toggle("show-test", "Include transactions of test accounts")
    .pipe(Flag.map((isGiven) => (isGiven ? "true" : undefined))),
  minUsdPrice: figure("min-usd", "Least value of both sides"),
  maxUsdPrice: figure("max-usd", "Most value of both sides"),
  startTimestamp: time("start", "After this time (exclusive), ISO 8601"),
  endTimestamp: time("end", "Before this time (exclusive), ISO 8601"),
  startTimestampUnix: figure("start-unix", "As --start, Unix time"),
  endTimestampUnix: figure("end-unix", "As --end, Unix time")
}

export const cursor = {
  numberOfTransactions: count("count", 1000, "Records of one request, by cursor; default: 50, with --sync 1000"),
  direction: flags.orMissing(flags.choice("direction", ["next", "prev"], "next: older than the cursor; prev: newer")),
  lastDepositAddress: flags.textOrMissing("after-address", "Cursor: deposit address of the last record"),
  lastDepositMemo: flags.textOrMissing("after-memo", "Cursor: its deposit memo, when it has one"),
  lastDepositAddressAndMemo: flags.textOrMissing("after-combined", "Cursor in the deprecated form ADDRESS_MEMO")
}
