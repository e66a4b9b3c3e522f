/** Lists the partner's past swaps and orders, by cursor or by page, or from the copy beside the journal; and the account's own. */
import { Effect, Schema } from "effect"
import * as Csv from "../../domain/Csv.ts"
import { present } from "../../domain/Present.ts"
import { countText } from "../../domain/Text.ts"
import * as HistorySync from "../../engine/reconciliation/HistorySync.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { HistoryStore } from "../../journal/HistoryStore.ts"
import * as Answer from "../../process/Answer.ts"
import * as Progress from "../../process/Progress.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Table from "../../report/text/Table.ts"
import type { AccountHistoryQuery } from "../../venue/api/AccountHistoryApi.ts"
import type { TransactionPagesQuery, TransactionsQuery } from "../../venue/api/HistoryApi.ts"
import { History, type TransactionPage } from "../../venue/History.ts"
import { entryIn, type HistoryEntry } from "../../venue/wire/HistoryEntry.ts"
import { type LedgerName, ledgers, readLedgerTxHashes } from "../../venue/wire/WireValue.ts"
import { commandFailed } from "../CommandFailed.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"

type Given<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | undefined }

export type Filters = Given<Omit<TransactionPagesQuery, "page" | "perPage">>

interface Asked {
  readonly config: string
  readonly filters: Filters
  readonly cursor: Given<Omit<TransactionsQuery, keyof Filters>>
  readonly page: number | undefined
  readonly perPage: number | undefined
  readonly sync: boolean
  readonly stored: boolean
  readonly csv: boolean
}

const isLedger = Schema.is(Schema.Literals(ledgers))

export const queryOf = ({ fromChainId, toChainId, ...others }: Filters, ledger: LedgerName) => {
  const spelled = (chain: string) => (isLedger(chain) ? ledger : chain)
  return present({ ...others, fromChainId: fromChainId?.map(spelled), toChainId: toChainId?.map(spelled) })
}

const conflictIn = ({ csv, cursor: given, filters, page, perPage, stored, sync }: Asked): string | undefined => {
  const isFiltered = Object.keys(present(filters)).length > 0
  const cursor = Object.keys(present(given))
  const isPaged = page !== undefined || perPage !== undefined
  const isNarrowed = isFiltered || isPaged || cursor.some((name) => name !== "numberOfTransactions")
  if (sync && stored) return "--sync and --stored exclude each other"
  if (sync && (isNarrowed || csv)) return "--sync reads everything: it goes with --count and --json only"
  if (stored && (isNarrowed || cursor.length > 0)) {
    return "--stored shows everything: it goes with --csv and --json only"
  }
  return isPaged && cursor.length > 0 ? "Pages and cursors exclude each other" : undefined
}

export const historyOf = Effect.fn("HistoryAsked.found")(function* (given: Asked) {
  const config = yield* ConfigFile.load(given.config)
  const signerId = yield* VenueAccess.signerOf(config)
  if (config.venue.partnerJwt === undefined)
    return yield* commandFailed(
      "The history is the partner's: set venue.partnerJwt in the configuration. `history account` shows your own"
    )
  return yield* Effect.provide(answered(given, config.venue.ledger), VenueAccess.besideJournal(config, signerId))
})

const answered = Effect.fnUntraced(function* (given: Asked, ledger: LedgerName) {
  const conflict = conflictIn(given)
  if (conflict !== undefined) return yield* wrongUsage(conflict)
  const { cursor, perPage } = given
  if (given.sync) return yield* synchronised(cursor.numberOfTransactions)
  if (given.stored) return answerOf(yield* storedRecords)
  const history = yield* History
  const query = queryOf(given.filters, ledger)
  if (given.page === undefined && perPage === undefined)
    return answerOf(yield* history.transactions({ ...query, ...present(cursor) }))
  const page = yield* history.transactionPage({ ...query, page: given.page ?? 1, ...present({ perPage }) })
  const answer = answerOf(page.transactions)
  const { total = "?", totalPages = "?" } = page
  const last = `Page ${page.page} of ${totalPages}, ${total} transactions.`
  return { ...answer, data: () => pageJson(page), lines: () => [...answer.lines(), last] }
})

interface AccountAsked {
  readonly config: string
  readonly query: Given<AccountHistoryQuery>
}

export const transactions = Effect.fn("HistoryAsked.transactions")(function* ({ config, query }: AccountAsked) {
  if (query.prevCursor !== undefined && query.nextCursor !== undefined)
    return yield* wrongUsage("--prev-cursor and --next-cursor exclude each other")
  const { found } = yield* VenueAccess.look(config, () => History.use((history) => history.account(present(query))))
  const { items, nextCursor = null, prevCursor = null } = found.value
  const rows = items.map(({ item: fields, problem }) => ({ fields, problem }))
  const cursors = [
    ...(prevCursor === null ? [] : [`Older ones: --prev-cursor ${prevCursor}`]),
    ...(nextCursor === null ? [] : [`Newer ones: --next-cursor ${nextCursor}`])
  ]
  return {
    data: () => ({ items: items.map(({ said }) => said), nextCursor, prevCursor }),
    lines: () => (items.length === 0 ? ["No transactions."] : [...render(rows), ...cursors])
  } satisfies Answer.CommandAnswer
})

const answerOf = (entries: ReadonlyArray<HistoryEntry>): Answer.CommandAnswer =>
  Answer.ofList(list, entries, "No transactions.")

/** Has the shape of the interface, with `null` for an absent total or neighbour. */
const pageJson = ({ nextPage, page, perPage, prevPage, total, totalPages, transactions }: TransactionPage) => ({
  data: transactions.map(({ said }) => said),
  totalPages: totalPages ?? null,
  page,
  perPage: perPage ?? null,
  total: total ?? null,
  nextPage: nextPage ?? null,
  prevPage: prevPage ?? null
})

const storedRecords = HistoryStore.use(({ all }) => Effect.map(all, (rows) => rows.map(({ body }) => entryIn(body))))

const synchronised = Effect.fnUntraced(function* (count: number | undefined) {
  const progress = yield* Progress.make("history")
  const report = ({ horizon, newest, oldest, rows: read }: HistorySync.Reached) =>
    // The length of a first sync is unknown, so the bar only shows that it moves.
    progress.update(
      newest - oldest,
      Math.max(1, newest - Math.max(horizon, oldest - (newest - oldest))),
      `${read} rows`
    )
  const { pages, rows } = yield* HistorySync.sync(report, count)
  const total = (yield* (yield* HistoryStore).all).length
  const text = `Read ${countText(rows, "transaction")} in ${countText(pages, "request")}; ${total} stored.`
  return { data: () => ({ pages, rows, total }), lines: () => [text] }
}, Effect.scoped)

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

type Entries = ReadonlyArray<HistoryEntry>
const list = {
  json: (entries: Entries) => entries.map(({ said }) => said),
  csv: (entries: Entries) =>
    Csv.render(
      [...titles, "problem"],
      entries.map(({ problem, record }) => [...titles.map((title) => cellOf(record, title)), problem ?? ""])
    ),
  lines: (entries: Entries) => render(entries.map(({ problem, record: fields }) => ({ fields, problem })))
}

const short = (assetId: string): string => assetId.replace(/^nep\d+:/, "")
