/**
 * `limitbot history`: the partner's past swaps and orders, by cursor or by page, with every filter of the interface,
 * or the copy kept beside the journal (`--sync`, `--stored`); and the end user's own history (`history account`). One
 * request per five seconds, shared with every process on this journal.
 */
import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as HistorySync from "../../engine/reconciliation/HistorySync.ts"
import { HistoryStore } from "../../journal/HistoryStore.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { counted } from "../../report/text/Words.ts"
import { anyKind } from "../../venue/api/AccountHistoryApi.ts"
import type { TransactionsQuery } from "../../venue/api/HistoryApi.ts"
import { History, type TransactionPage } from "../../venue/History.ts"
import { entryOf, type HistoryEntry } from "../../venue/wire/HistoryEntry.ts"
import { transactionStatuses } from "../../venue/wire/WireHistory.ts"
import * as Wire from "../../venue/wire/WireValue.ts"
import * as ConfigFile from "../files/ConfigFile.ts"
import * as flags from "../flags.ts"
import * as Progress from "../Progress.ts"
import * as PartnerMode from "../swap/PartnerMode.ts"
import { WrongUsage } from "../Usage.ts"
import * as HistoryFlags from "./HistoryFlags.ts"
import * as HistoryText from "./HistoryText.ts"

/** The partner's history needs the partner's token. */
class NoPartnerJwt extends Schema.TaggedError<NoPartnerJwt>()("NoPartnerJwt", {}) {
  override get message(): string {
    return "The history is the partner's: set venue.partnerJwt in the configuration. `history account` shows your own"
  }
}

const count = (name: string, most: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most }))),
    Flag.withDescription(description),
    Flag.optional
  )
const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const ways = {
  count: count("count", 1000, "Records of one request, by cursor; default: 50, with --sync 1000"),
  direction: Flag.Literals("direction", ["next", "prev"]).pipe(
    Flag.withDescription("next: older than the cursor; prev: newer"),
    Flag.optional
  ),
  afterAddress: text("after-address", "Cursor: deposit address of the last record that is known"),
  afterMemo: text("after-memo", "Cursor: its deposit memo, when it has one"),
  afterCombined: text("after-combined", "Cursor in the deprecated form ADDRESS_MEMO"),
  page: count("page", Number.MAX_SAFE_INTEGER, "By page number instead of by cursor"),
  perPage: count("per-page", 1000, "Records of a page; default: 50"),
  sync: Flag.Boolean("sync").pipe(
    Flag.withDescription("Read what is new into the database beside the journal, then say how much that was"),
    Flag.withDefault(false)
  ),
  stored: Flag.Boolean("stored").pipe(
    Flag.withDescription("Show what the last --sync stored; asks nobody"),
    Flag.withDefault(false)
  ),
  csv: Flag.Boolean("csv").pipe(Flag.withDescription("Print comma-separated values"), Flag.withDefault(false)),
  config: flags.config,
  json: flags.json
}

/** Lists that are read together, position by position. */
const kinds = <const Known extends ReadonlyArray<string>>(name: string, known: Known) =>
  Flag.Literals(name, [...known, anyKind]).pipe(
    Flag.withDescription("May be repeated; the first ones of the three belong together, and so on. null: any"),
    Flag.between(0, 20)
  )

const account = Command.make(
  "account",
  {
    older: text("prev-cursor", "Older than this cursor"),
    newer: text("next-cursor", "Newer than this cursor"),
    status: Flag.Literals("status", transactionStatuses).pipe(Flag.between(0, 6)),
    limit: count("limit", 100, "Most records; default: 20"),
    depositAddress: text("deposit-address", "Of this deposit address"),
    depositMemo: text("deposit-memo", "Narrows --deposit-address"),
    search: text("search", "Address or transaction hash"),
    depositType: kinds("deposit-type", Wire.depositTypes),
    recipientType: kinds("recipient-type", Wire.recipientTypes),
    refundType: kinds("refund-type", Wire.depositTypes),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ config: file, depositType, json, newer, older, recipientType, refundType, status, ...given }) {
    const config = yield* ConfigFile.load(file)
    const signerId = yield* PartnerMode.signerOf(config)
    if (Option.isSome(older) && Option.isSome(newer)) {
      return yield* new WrongUsage({ message: "--prev-cursor and --next-cursor exclude each other" })
    }
    const query = HistoryFlags.present({
      prevCursor: Option.getOrUndefined(older),
      nextCursor: Option.getOrUndefined(newer),
      status: HistoryFlags.unlessEmpty(status),
      depositType: HistoryFlags.unlessEmpty(depositType),
      recipientType: HistoryFlags.unlessEmpty(recipientType),
      refundType: HistoryFlags.unlessEmpty(refundType),
      ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Option.getOrUndefined<unknown>(value)]))
    })
    const { value } = yield* History.use((history) => history.account(query)).pipe(
      Effect.provide(PartnerMode.venue(config, signerId))
    )
    if (json) {
      const { items, nextCursor = null, prevCursor = null } = value
      return yield* Console.log(JSON.stringify({ items: items.map(({ said }) => said), nextCursor, prevCursor }))
    }
    if (value.items.length === 0) return yield* Console.log("No transactions.")
    yield* Console.log(HistoryText.accountTable(value.items).join("\n"))
    if (value.prevCursor !== undefined) yield* Console.log(`Older ones: --prev-cursor ${value.prevCursor}`)
    if (value.nextCursor !== undefined) yield* Console.log(`Newer ones: --next-cursor ${value.nextCursor}`)
  })
).pipe(Command.withDescription("Your own transactions: this account's, with its session"))

export const command = Command.make(
  "history",
  { ...HistoryFlags.filters, ...ways },
  Effect.fn(function* ({ config: file, ...given }) {
    const config = yield* ConfigFile.load(file)
    const signerId = yield* PartnerMode.signerOf(config)
    if (config.venue.partnerJwt === undefined) return yield* new NoPartnerJwt()
    yield* show(given, config.venue.ledger).pipe(
      Effect.provide(PartnerMode.withHistory(config, signerId)),
      Effect.provide(Sqlite.layer({ filename: config.journal }))
    )
  })
).pipe(
  Command.withDescription("Past transactions of the partner: by cursor, by page, or all of them kept locally"),
  Command.withSubcommands([account]),
  Command.withExamples([
    { command: "limitbot history --status REFUNDED --status FAILED --json", description: "What went wrong lately" },
    { command: "limitbot history --sync", description: "Keep everything beside the journal; goes on where it was" },
    { command: "limitbot history --stored --csv", description: "All that is kept, for a spreadsheet" }
  ])
)

type Given = HistoryFlags.Filters & {
  readonly [K in Exclude<keyof typeof ways, "config">]: (typeof ways)[K] extends Flag.Flag<infer A> ? A : never
}

/** Every filter that was given takes effect or is reported. */
const conflictIn = (given: Given): string | undefined => {
  const isFiltered = Object.keys(HistoryFlags.queryOf(given, "native")).length > 0
  const cursor = Object.keys(cursorOf(given))
  const isPaged = Option.isSome(given.page) || Option.isSome(given.perPage)
  const isNarrowed = isFiltered || isPaged || cursor.some((name) => name !== "numberOfTransactions")
  if (given.sync && given.stored) return "--sync and --stored exclude each other"
  if (given.sync && (isNarrowed || given.csv)) return "--sync reads everything: it goes with --count and --json only"
  if (given.stored && (isNarrowed || cursor.length > 0)) {
    return "--stored shows everything: it goes with --csv and --json only"
  }
  if (given.csv && given.json) return "--csv and --json exclude each other"
  return isPaged && cursor.length > 0 ? "Pages and cursors exclude each other" : undefined
}

const show = Effect.fnUntraced(function* (given: Given, ledger: Wire.LedgerName) {
  const conflict = conflictIn(given)
  if (conflict !== undefined) return yield* new WrongUsage({ message: conflict })
  if (given.sync) return yield* synchronise(given)
  if (given.stored) return yield* print(yield* storedRecords, given)
  const history = yield* History
  const query = HistoryFlags.queryOf(given, ledger)
  if (Option.isNone(given.page) && Option.isNone(given.perPage)) {
    return yield* print(yield* history.transactions({ ...query, ...cursorOf(given) }), given)
  }
  const page = Option.getOrElse(given.page, () => 1)
  const perPage = Option.getOrUndefined(given.perPage)
  const found = yield* history.transactionPage({ ...query, page, ...HistoryFlags.present({ perPage }) })
  if (given.json) return yield* Console.log(JSON.stringify(pageJson(found)))
  yield* print(found.transactions, given)
  if (given.csv) return
  const { total = "?", totalPages = "?" } = found
  yield* Console.log(`Page ${found.page} of ${totalPages}, ${total} transactions.`)
})

/** In the interface's form: totals and neighbours, `null` where there is none. */
const pageJson = ({ nextPage, page, perPage, prevPage, total, totalPages, transactions }: TransactionPage) => ({
  data: transactions.map(({ said }) => said),
  totalPages: totalPages ?? null,
  page,
  perPage: perPage ?? null,
  total: total ?? null,
  nextPage: nextPage ?? null,
  prevPage: prevPage ?? null
})

const cursorOf = (given: Given): Partial<TransactionsQuery> =>
  HistoryFlags.present({
    numberOfTransactions: Option.getOrUndefined(given.count),
    direction: Option.getOrUndefined(given.direction),
    lastDepositAddress: Option.getOrUndefined(given.afterAddress),
    lastDepositMemo: Option.getOrUndefined(given.afterMemo),
    lastDepositAddressAndMemo: Option.getOrUndefined(given.afterCombined)
  })

const print = Effect.fnUntraced(function* (
  entries: ReadonlyArray<HistoryEntry>,
  { csv, json }: Pick<Given, "csv" | "json">
) {
  if (json) return yield* Console.log(JSON.stringify(entries.map(({ said }) => said)))
  if (csv) return yield* Console.log(HistoryText.csv(entries).trimEnd())
  yield* Console.log(entries.length === 0 ? "No transactions." : HistoryText.table(entries).join("\n"))
})

const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const storedRecords = Effect.gen(function* () {
  const rows = yield* (yield* HistoryStore).all
  return rows.map(({ body }) => entryOf(Option.getOrElse(parseJson(body), () => body)))
})

const synchronise = Effect.fnUntraced(function* ({ count, json }: Pick<Given, "count" | "json">) {
  const progress = yield* Progress.make("history")
  const report = ({ horizon, newest, oldest, rows: read }: HistorySync.Reached) =>
    // The first time nobody knows how far back it goes, so the bar only shows that it moves.
    progress.update(
      newest - oldest,
      Math.max(1, newest - Math.max(horizon, oldest - (newest - oldest))),
      `${read} rows`
    )
  const { pages, rows } = yield* HistorySync.sync(report, Option.getOrUndefined(count))
  const total = (yield* (yield* HistoryStore).all).length
  if (json) return yield* Console.log(JSON.stringify({ pages, rows, total }))
  yield* Console.log(`Read ${counted(rows, "transaction")} in ${counted(pages, "request")}; ${total} stored.`)
}, Effect.scoped)
