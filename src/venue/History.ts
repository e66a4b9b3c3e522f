/** Past swaps: a second witness of our money, never the only one. The partner's history has its own address and its own slow rate limit. */
import { Context, Effect, Layer, type Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import type { AccountHistoryQuery } from "./api/AccountHistoryApi.ts"
import type { TransactionPagesQuery, TransactionsQuery } from "./api/HistoryApi.ts"
import { WholeVenueApi } from "./api/VenueApi.ts"
import { HistoryRateLimiter } from "./http/HistoryRateLimiter.ts"
import * as Reply from "./http/Reply.ts"
import { Session } from "./http/Session.ts"
import { attempt, credentials, repeatReads, type Send, VenueClient, within } from "./http/VenueClient.ts"
import type { Answer } from "./Venue.ts"
import { secretsOf, VenueConfig } from "./VenueConfig.ts"
import type { VenueError } from "./VenueError.ts"
import { type AccountEntry, accountEntryOf, entryOf, type HistoryEntry } from "./wire/HistoryEntry.ts"
import { AccountHistoryLines, TransactionLines, TransactionPageLines } from "./wire/WireHistory.ts"

const attemptMillis = 30_000
/** A thousand records take about 1.5 MB. */
const pageBytes = 4 * 1024 * 1024
const readMillis = 120_000
const credential = "venue.partnerJwt"

/** One page of the history. */
export interface TransactionPage {
  /** Newest first. */ readonly transactions: ReadonlyArray<HistoryEntry>
  /** The first page is 1. */ readonly page: number
  /** Missing if the venue does not report it. */
  readonly perPage: number | undefined
  /** Missing if the venue does not report it. */ readonly totalPages: number | undefined
  /** Transactions in all pages. */ readonly total: number | undefined
  /** Missing after the last page. */ readonly nextPage: number | undefined
  /** Missing before the first page. */ readonly prevPage: number | undefined
}

/** One part of the account's own history. */
export interface AccountHistory {
  /** Newest first. */ readonly items: ReadonlyArray<AccountEntry>
  /** Newer items. */
  readonly nextCursor: string | undefined
  /** Older items. */
  readonly prevCursor: string | undefined
}

/** The partner's history by cursor and by page, and the account's own. */
export class History extends Context.Service<
  History,
  {
    /** Newest first. A page with fewer than asked for is the last. The next page starts after the last record's address and memo. */
    transactions(query: TransactionsQuery): Effect.Effect<ReadonlyArray<HistoryEntry>, VenueError>
    /** Reads one page. Needs the partner token; one request in five seconds. */
    transactionPage(query: TransactionPagesQuery): Effect.Effect<TransactionPage, VenueError>
    /** Reads the account's own history, in its session. May be by invitation. */
    account(query: AccountHistoryQuery): Effect.Effect<Answer<AccountHistory>, VenueError>
  }
>()("limitbot/venue/History") {
  static readonly layerSharing = Layer.effect(
    History,
    Effect.gen(function* () {
      const config = yield* VenueConfig
      const { analyticsUrl, url } = config
      const secrets = secretsOf(config)
      const client = yield* VenueClient
      const session = yield* Session
      const limiter = yield* HistoryRateLimiter
      const base = HttpClientRequest.prependUrl(analyticsUrl ?? url)
      const httpClient = HttpClient.mapRequest(yield* HttpClient.HttpClient, base)
      const history = yield* HttpApiClient.group(WholeVenueApi, { group: "history", httpClient })

      const readLines = <A>(operation: string, send: Send, schema: Schema.Codec<A, unknown>) =>
        attempt(
          { operation, kind: "read", credential, mostBytes: pageBytes, secrets, send, deadlineMillis: attemptMillis },
          limiter,
          readMillis
        ).pipe(
          Effect.retry(repeatReads(readMillis)),
          within(operation, readMillis),
          Effect.flatMap((reply) => Reply.decode(schema)(operation, reply)),
          Effect.map(({ value }) => value)
        )

      const transactions = Effect.fn("History.transactions")(function* (query: TransactionsQuery) {
        const send = history.transactions({ query, responseMode: "response-only" })
        return (yield* readLines("read the transaction history", send, TransactionLines)).map(entryOf)
      })

      const transactionPage = Effect.fn("History.transactionPage")(function* (query: TransactionPagesQuery) {
        const operation = "read a page of the transaction history"
        const send = history.transactionPages({ query, responseMode: "response-only" })
        const lines = yield* readLines(operation, send, TransactionPageLines)
        const { data, nextPage, page = query.page ?? 1, perPage, prevPage, total, totalPages } = lines
        if (query.page !== undefined && page !== query.page) {
          return yield* Reply.noAnswer(operation, `asked for page ${query.page}, got page ${page}`)
        }
        return { transactions: data.map(entryOf), page, perPage, totalPages, total, nextPage, prevPage }
      })

      const account = Effect.fn("History.account")(function* (query: AccountHistoryQuery) {
        const call = {
          operation: "read the account history",
          priority: "background",
          credential: "account.key and account.signerId"
        } as const
        const send = client.api.accountHistory.list({ query, responseMode: "response-only" })
        const { value, ...trace } = yield* session.run(client.read(call, send, AccountHistoryLines))
        const { items, nextCursor, prevCursor } = value
        return { ...trace, value: { items: items.map(accountEntryOf), nextCursor, prevCursor } }
      })

      return History.of({ transactions, transactionPage, account })
    })
  ).pipe(Layer.provide(credentials))

  static readonly layer = History.layerSharing.pipe(Layer.provide(HistoryRateLimiter.layer))
}
