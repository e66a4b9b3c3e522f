/** What `limitbot history` does with its flags: it asks, synchronises or reads the copy, and prints. */
import { Console, Effect, Option } from "effect"
import type { Flag } from "effect/cli"
import * as Progress from "../../app/process/Progress.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import { present } from "../../domain/Present.ts"
import { counted } from "../../domain/Words.ts"
import * as HistorySync from "../../engine/reconciliation/HistorySync.ts"
import { HistoryStore } from "../../journal/HistoryStore.ts"
import type { TransactionsQuery } from "../../venue/api/HistoryApi.ts"
import { History, type TransactionPage } from "../../venue/History.ts"
import { entryIn, type HistoryEntry } from "../../venue/wire/HistoryEntry.ts"
import type * as Wire from "../../venue/wire/WireValue.ts"
import * as HistoryFlags from "./HistoryFlags.ts"
import * as HistoryText from "./HistoryText.ts"

type Given = HistoryFlags.Filters & {
  readonly [K in Exclude<keyof typeof HistoryFlags.ways, "config">]: (typeof HistoryFlags.ways)[K] extends Flag.Flag<
    infer A
  >
    ? A
    : never
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

export const show = Effect.fnUntraced(function* (given: Given, ledger: Wire.LedgerName) {
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
  const found = yield* history.transactionPage({ ...query, page, ...present({ perPage }) })
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
  present({
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

const storedRecords = Effect.gen(function* () {
  const rows = yield* (yield* HistoryStore).all
  return rows.map(({ body }) => entryIn(body))
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
