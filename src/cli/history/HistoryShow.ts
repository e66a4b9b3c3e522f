/** What `limitbot history` does with its flags: it asks, synchronises or reads the copy, and says what came of it. */
import { Effect, Option } from "effect"
import type { Flag } from "effect/cli"
import * as Answer from "../../app/process/Answer.ts"
import * as Progress from "../../app/process/Progress.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as HistoryText from "../../app/reconcile/HistoryText.ts"
import { present } from "../../domain/Present.ts"
import { counted } from "../../domain/Words.ts"
import * as HistorySync from "../../engine/reconciliation/HistorySync.ts"
import { HistoryStore } from "../../journal/HistoryStore.ts"
import type { TransactionsQuery } from "../../venue/api/HistoryApi.ts"
import { History, type TransactionPage } from "../../venue/History.ts"
import { entryIn, type HistoryEntry } from "../../venue/wire/HistoryEntry.ts"
import type * as Wire from "../../venue/wire/WireValue.ts"
import * as HistoryFlags from "./HistoryFlags.ts"

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
  return isPaged && cursor.length > 0 ? "Pages and cursors exclude each other" : undefined
}

export const found = Effect.fnUntraced(function* (given: Given, ledger: Wire.LedgerName) {
  const conflict = conflictIn(given)
  if (conflict !== undefined) return yield* new WrongUsage({ message: conflict })
  if (given.sync) return yield* synchronise(given)
  if (given.stored) return answerOf(yield* storedRecords)
  const history = yield* History
  const query = HistoryFlags.queryOf(given, ledger)
  if (Option.isNone(given.page) && Option.isNone(given.perPage))
    return answerOf(yield* history.transactions({ ...query, ...cursorOf(given) }))
  const asked = Option.getOrElse(given.page, () => 1)
  const perPage = Option.getOrUndefined(given.perPage)
  const page = yield* history.transactionPage({ ...query, page: asked, ...present({ perPage }) })
  const answer = answerOf(page.transactions)
  const { total = "?", totalPages = "?" } = page
  const last = `Page ${page.page} of ${totalPages}, ${total} transactions.`
  return { ...answer, data: () => pageJson(page), lines: () => [...answer.lines(), last] }
})

const answerOf = (entries: ReadonlyArray<HistoryEntry>): Answer.CommandAnswer =>
  Answer.ofList(HistoryText.list, entries, "No transactions.")

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

const storedRecords = Effect.gen(function* () {
  const rows = yield* (yield* HistoryStore).all
  return rows.map(({ body }) => entryIn(body))
})

const synchronise = Effect.fnUntraced(function* ({ count }: Pick<Given, "count">) {
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
  const text = `Read ${counted(rows, "transaction")} in ${counted(pages, "request")}; ${total} stored.`
  return { data: () => ({ pages, rows, total }), lines: () => [text] }
}, Effect.scoped)
