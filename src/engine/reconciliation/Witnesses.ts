/**
 * Reads the records that a reconciliation compares. It reads the journal first, because a witness that is read later can only know more. A
 * witness that cannot be read is named, not guessed.
 */
import { Effect, Stream } from "effect"
import { present } from "../../domain/Present.ts"
import { HistoryStore } from "../../journal/HistoryStore.ts"
import { eachPage, Journal } from "../../journal/Journal.ts"
import type { Markets } from "../../strategy/Markets.ts"
import { type Balance, Venue } from "../../venue/Venue.ts"
import { VenueError } from "../../venue/VenueError.ts"
import { entryIn, isOdd, type OddTransaction, type Transaction } from "../../venue/wire/HistoryEntry.ts"
import * as BotState from "../state/BotState.ts"
import * as SwapHistory from "../state/swaps/SwapHistory.ts"
import { type Listing, orderPages, readOrder } from "../tracking/OrderReads.ts"
import * as BalanceComparison from "./BalanceComparison.ts"
import * as Comparison from "./Comparison.ts"
import * as JournalOrders from "./JournalOrders.ts"
import * as Reconciliation from "./Reconciliation.ts"

const maxLooks = 5

export const books = Effect.gen(function* () {
  const journal = yield* Journal
  const state = BotState.make()
  const orders = new Map<string, JournalOrders.JournalOrder>()
  const swaps = new Map<string, SwapHistory.SwapHistory>()
  let startedAt = Number.POSITIVE_INFINITY
  yield* Stream.runForEach(journal.events(), (entry) =>
    Effect.sync(() => {
      startedAt = Math.min(startedAt, entry.at)
      BotState.apply(state, entry)
      JournalOrders.apply(orders, entry)
      SwapHistory.apply(swaps, entry)
    })
  )
  return { state, orders: [...orders.values()], swaps: [...swaps.values()], startedAt }
})

type OwnRecords = Effect.Success<typeof books>

/** The venue's orders since the journal began, and orders of the journal that the list did not show; unreadable ones with their reason. */
export const venueOrders = Effect.fn("Witnesses.venueOrders")(function* (
  { orders, startedAt }: Pick<OwnRecords, "orders" | "startedAt">,
  listing: Listing = {}
) {
  const venue = yield* Venue
  const pages = yield* Stream.runCollect(orderPages(venue, { since: startedAt, ...listing }))
  const ordersById = new Map(pages.flatMap((page) => page.orders).map((order) => [order.id, order]))
  const unread = new Map<string, string>()
  const missing = orders.flatMap(({ by, depositAddress, depositMemo, orderId: id }) =>
    id === undefined || depositAddress === undefined || ordersById.has(id)
      ? []
      : [{ by, id, depositAddress, ...present({ depositMemo }) }]
  )
  for (const { by, id, ...address } of missing) {
    const answer = yield* Effect.result(readOrder(venue, by, { id, ...address }))
    if (answer._tag === "Success") ordersById.set(id, answer.success.value)
    else if (answer.failure.reason._tag === "Unauthorized") return yield* answer.failure
    else if (!isNotFound(answer.failure)) unread.set(id, answer.failure.message)
  }
  return { found: ordersById, unread }
})

export const history = Effect.gen(function* () {
  const rows = yield* (yield* HistoryStore).all
  const entries = rows.map(({ body }) => entryIn(body))
  const lines = entries.flatMap((entry) => (isOdd(entry) ? [] : [toLine(entry)]))
  const odd: ReadonlyArray<OddTransaction> = entries.filter(isOdd)
  return {
    lines: new Map(lines.map((line) => [Reconciliation.addressKey(line), line])),
    odd
  }
})

/** Reads only matching lines, so memory stays small even if the history is long. */
export const historyWhere = Effect.fn("Witnesses.historyWhere")(function* (
  isWanted: (line: Reconciliation.HistoryLine) => boolean
) {
  const store = yield* HistoryStore
  const lines = new Map<string, Reconciliation.HistoryLine>()
  yield* eachPage(store.rows, (rows) => {
    for (const { body } of rows) {
      const entry = entryIn(body)
      const line = isOdd(entry) ? undefined : toLine(entry)
      if (line !== undefined && isWanted(line)) lines.set(Reconciliation.addressKey(line), line)
    }
  })
  return lines
})

const isNotFound = ({ reason }: VenueError): boolean =>
  reason._tag === "Rejected" && (reason.code === "order-not-found" || reason.status === 404)

const toLine = (transaction: Transaction): Reconciliation.HistoryLine => {
  const { amountIn, amountOut, createdAt, depositAddress, depositMemo, ledgerTxHashes, record, status } = transaction
  const { destinationChainTxHashes = [], intentHashes, originChainTxHashes = [], refundTo } = record
  const intents = intentHashes === undefined ? [] : [intentHashes]
  const hashes = [...intents, ...ledgerTxHashes, ...originChainTxHashes, ...destinationChainTxHashes]
  return { depositAddress, depositMemo, status, createdAt, amountIn, amountOut, refundTo, hashes }
}

/**
 * Reads the balances and the books of one time. Returns `undefined` if the books changed during each read, or if the venue shows no
 * balances. Orders must be read afterwards (`BalanceComparison.positions`).
 */
const balancesWith = <E, R>(books: Effect.Effect<Pick<OwnRecords, "state" | "swaps">, E, R>) =>
  Effect.fn("Witnesses.balances")(function* (
    { assets }: Markets,
    isSeen: BalanceComparison.SeenAssets,
    home: BalanceComparison.SeenHome = "CONFIDENTIAL_INTENTS"
  ) {
    const venue = yield* Venue
    const symbolOf = new Map(assets.map(({ id, symbol }) => [id, symbol]))
    let { sequence } = (yield* books).state
    for (let look = 0; look < maxLooks; look += 1) {
      const balanceRows = yield* home === "INTENTS" ? venue.publicBalances([...symbolOf.keys()]) : venue.balances
      const journalBooks = yield* books
      if (balanceRows === undefined) return undefined
      if (journalBooks.state.sequence === sequence)
        return BalanceComparison.snapshot(
          [...symbolOf.values()],
          ownIn(balanceRows, symbolOf, home),
          journalBooks,
          isSeen,
          home
        )
      sequence = journalBooks.state.sequence
    }
    return undefined
  })

export const balances = balancesWith(books)

export const balancesNow = (state: BotState.BotState) =>
  balancesWith(Effect.map(SwapHistory.all, (swaps) => ({ state, swaps })))

const ownIn = (
  read: ReadonlyArray<Balance>,
  symbolOf: ReadonlyMap<string, string>,
  home: BalanceComparison.SeenHome
) => {
  const homeSource = home === "INTENTS" ? "public" : "private"
  const balances = new Map<string, bigint>()
  for (const { available, source, tokenId } of read) {
    const symbol = symbolOf.get(tokenId)
    if (symbol === undefined || source !== homeSource) continue
    balances.set(symbol, (balances.get(symbol) ?? 0n) + available)
  }
  return balances
}

export const decidedIn = (compared: ReadonlyArray<Comparison.Comparison>): ReadonlySet<string> =>
  new Set(
    compared
      .filter(({ isUndecided }) => isUndecided !== true)
      .map((each) => Comparison.subjectOf(Comparison.sentenceOf(each)))
  )

export const unlessUnreachable = <A, E, R>(ask: Effect.Effect<A, VenueError | E, R>) =>
  ask.pipe(Effect.catchIf(isVenueError, ({ message }) => Effect.as(Effect.logDebug(message), undefined)))

const isVenueError = (error: unknown): error is VenueError => error instanceof VenueError
