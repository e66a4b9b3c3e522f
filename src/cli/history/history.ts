/** `limitbot history`: lists past swaps and orders. All processes on one journal share one request per five seconds. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { historyOf, transactions } from "../../app/history/HistoryAsked.ts"
import { listPayouts } from "../../app/swap/SwapLists.ts"
import { present } from "../../domain/Present.ts"
import * as Answer from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import { anyKind } from "../../venue/api/AccountHistoryApi.ts"
import { mostWithdrawals } from "../../venue/api/DepositsApi.ts"
import { ChainId } from "../../venue/api/HistoryApi.ts"
import { transactionStatuses } from "../../venue/wire/WireHistory.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import * as flags from "../flags.ts"

const count = (name: string, most: number, description: string) => flags.count(name, description, 1, most)
const time = (name: string, description: string) =>
  flags.optional(description)(Flag.withSchema(Flag.String(name), Wire.TimestampText))
const token = (name: string, description: string) =>
  flags.several(flags.textFlag(name, `${description}; may be repeated: any of them`), 50)
const chain = (name: string, description: string) =>
  flags.several(
    Flag.withSchema(flags.textFlag(name, `${description}, such as eth or sol; may be repeated: any of them`), ChainId),
    50
  )

const filters = {
  search: flags.text("search", "Deposit address, recipient, sender or transaction hash"),
  fromChainId: chain("from-chain", "Chain that was paid from"),
  toChainId: chain("to-chain", "Chain that was paid to"),
  fromTokenId: token("from-token", "Asset paid; overrides --from-chain"),
  toTokenId: token("to-token", "Asset received; overrides --to-chain"),
  depositMemo: flags.text("deposit-memo", "Narrows a search by deposit address"),
  referral: flags.text("referral", "Referral"),
  affiliate: flags.text("affiliate", "Affiliate stored in the fees"),
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
  minUsdPrice: flags.figure("min-usd", "Minimum USD value of both sides"),
  maxUsdPrice: flags.figure("max-usd", "Maximum USD value of both sides"),
  startTimestamp: time("start", "After this time (exclusive), ISO 8601"),
  endTimestamp: time("end", "Before this time (exclusive), ISO 8601"),
  startTimestampUnix: flags.figure("start-unix", "Like --start, as Unix time"),
  endTimestampUnix: flags.figure("end-unix", "Like --end, as Unix time")
}

const cursor = {
  numberOfTransactions: count("count", 1000, "Records of one request, by cursor; default: 50, with --sync 1000"),
  direction: flags.choice("direction", ["next", "prev"], "next: older than the cursor; prev: newer"),
  lastDepositAddress: flags.text("after-address", "Cursor: deposit address of the last record"),
  lastDepositMemo: flags.text("after-memo", "Cursor: its deposit memo, when it has one"),
  lastDepositAddressAndMemo: flags.text("after-combined", "Cursor in the deprecated form ADDRESS_MEMO")
}

const kinds = <const Known extends ReadonlyArray<string>>(name: string, known: Known) =>
  flags.several(
    Flag.Literals(name, [...known, anyKind]).pipe(
      Flag.withDescription("May be repeated: the n-th values of the three flags form one filter; null: any type")
    ),
    20
  )

const account = Command.make(
  "account",
  {
    query: {
      prevCursor: flags.text("prev-cursor", "Older than this cursor"),
      nextCursor: flags.text("next-cursor", "Newer than this cursor (in `history`, next is older)"),
      status: flags.several(Flag.Literals("status", transactionStatuses), 6),
      limit: count("limit", 100, "Most records; default: 20"),
      depositAddress: flags.text("deposit-address", "Of this deposit address"),
      depositMemo: flags.text("deposit-memo", "Narrows --deposit-address"),
      search: flags.text("search", "Address or transaction hash"),
      depositType: kinds("deposit-type", Wire.depositTypes),
      recipientType: kinds("recipient-type", Wire.recipientTypes),
      refundType: kinds("refund-type", Wire.depositTypes)
    },
    config: flags.config,
    json: flags.json
  },
  Answer.printAnswerOf(transactions)
).pipe(flags.help("Your own transactions: this account's, with its session"))

export const command = Command.make(
  "history",
  {
    filters: filters,
    cursor: cursor,
    page: count("page", Number.MAX_SAFE_INTEGER, "By page number instead of by cursor"),
    perPage: count("per-page", 1000, "Records of a page; default: 50"),
    sync: flags.toggle("sync", "Read new transactions into the database beside the journal, and count them"),
    payouts: flags.text(
      "payouts",
      "Payouts of a swap of type ANY_INPUT, by its deposit address; with --deposit-memo, --start, --page, --per-page and --order"
    ),
    order: flags.choice("order", ["asc", "desc"], "With --payouts, asc: the oldest first (default: desc)"),
    stored: flags.toggle("stored", "Show the transactions stored by the last --sync, offline"),
    csv: flags.csv,
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ order, payouts, ...given }) {
    if (payouts === undefined) {
      if (order !== undefined) return yield* wrongUsage("--order goes with --payouts only")
      return yield* Answer.print(historyOf(given), given)
    }
    const { csv, cursor, filters, page = 1, perPage = mostWithdrawals, sync, stored } = given
    const { depositMemo, startTimestamp, ...others } = filters
    if (sync || stored || csv || Object.keys(present({ ...others, ...cursor })).length > 0)
      return yield* wrongUsage(
        "--payouts goes with --deposit-memo, --start, --page, --per-page, --order and --json only"
      )
    if (perPage > mostWithdrawals) return yield* wrongUsage(`--per-page: at most ${mostWithdrawals} payouts`)
    const sortOrder = order ?? ("desc" as const)
    const narrowing = present({ depositMemo, timestampFrom: startTimestamp })
    const query = { depositAddress: payouts, ...narrowing, page, limit: perPage, sortOrder }
    yield* Answer.print(listPayouts(given.config, query), given)
  })
).pipe(
  flags.help("List past transactions of the partner: by cursor, by page, or all stored locally", {
    "limitbot history --status REFUNDED --status FAILED --json": "Recent refunds and failures",
    "limitbot history --sync": "Store everything beside the journal; continues where it stopped",
    "limitbot history --stored --csv": "All stored transactions, for a spreadsheet",
    "limitbot history --payouts ADDRESS --json": "The newest fifty payouts of a swap of type ANY_INPUT"
  }),
  Command.withSubcommands([account])
)
