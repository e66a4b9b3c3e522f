/**
 * Reads the books of an account from the newest snapshot and the events after it. Lists that only grow are stored in parts, which are never
 * rewritten. The snapshot names its parts. If one is missing or differs, everything is read from the first event.
 */
import { deserialize, serialize } from "node:v8"
import { Effect, Schedule, Semaphore } from "effect"
import { eachPage, Journal } from "../../journal/Journal.ts"
import * as Columns from "../../journal/snapshots/Columns.ts"
import type { Snapshots } from "../../journal/snapshots/Snapshots.ts"
import type { OrderLife } from "../../ledger/OrderLife.ts"
import type { Grown } from "../../ledger/Trades.ts"
import * as AccountBooks from "./AccountBooks.ts"

const snapshotName = "books"
const partName = (number: number): string => `${snapshotName} ${number}`

interface Stored {
  readonly parts: ReadonlyArray<{ readonly sequence: number }>
  readonly books: AccountBooks.AccountBooks
}

interface PartBody {
  readonly after: number
  readonly grown: Readonly<Record<keyof Grown, Columns.Columns>>
}

const nothing = (): Stored => ({ parts: [], books: AccountBooks.make() })

const newest = Effect.fnUntraced(function* (snapshots: Snapshots) {
  const snapshot = yield* snapshots.newest(snapshotName)
  // Only the program that wrote the bytes reads them (see `Snapshots`).
  return snapshot === undefined ? nothing() : (deserialize(snapshot.body) as Stored)
})

const restore = Effect.fnUntraced(function* (
  snapshots: Snapshots,
  see: (books: AccountBooks.AccountBooks, part: PartBody) => void
) {
  const newestSnapshot = yield* newest(snapshots)
  let after = 0
  for (const [index, { sequence }] of newestSnapshot.parts.entries()) {
    const part = yield* snapshots.newest(partName(index + 1))
    const body = part?.sequence === sequence ? (deserialize(part.body) as PartBody) : undefined
    if (body?.after !== after) return nothing()
    see(newestSnapshot.books, body)
    after = sequence
  }
  return newestSnapshot
})

export const stored = Journal.use(({ snapshots }) => Effect.map(restore(snapshots, append), ({ books }) => books))

const append = ({ trading }: AccountBooks.AccountBooks, { grown }: PartBody): void => {
  const { fees, lives, losses, rounds, trades } = trading
  add(trades, Columns.unpack(grown.trades))
  add(losses, Columns.unpack(grown.losses))
  add(fees, Columns.unpack(grown.fees))
  add(rounds, Columns.unpack(grown.rounds))
  add(lives, Columns.unpack<FlatLife>(grown.lives).map(raised))
}

const add = <A>(to: Array<A>, rows: ReadonlyArray<A>): void => {
  for (const row of rows) to.push(row)
}

type FlatLife = Omit<OrderLife, "price"> & { readonly digits: bigint; readonly scale: number }
const flat = ({ price: { digits, scale }, ...life }: OrderLife): FlatLife => ({ ...life, digits, scale })
const raised = ({ digits, scale, ...life }: FlatLife): OrderLife => ({ ...life, price: { digits, scale } })

/** Reads the books without the parts, for callers that need only the places of money. */
export const storedDays = Journal.use(({ snapshots }) => Effect.map(newest(snapshots), ({ books }) => books))

export const reader = Effect.gen(function* () {
  const journal = yield* Journal
  const books = yield* stored
  const reading = yield* Semaphore.make(1)
  return Effect.as(readOn(journal, books), books).pipe(reading.withPermit)
})

/** Stores the new part, and keeps in memory only what is needed to read on. On a full disk everything stays unchanged. */
const keep = Effect.fnUntraced(function* (snapshots: Snapshots, { books, parts }: Stored) {
  const { sequence, trading } = books
  const grown = {
    trades: Columns.pack(trading.trades),
    losses: Columns.pack(trading.losses),
    fees: Columns.pack(trading.fees),
    rounds: Columns.pack(trading.rounds),
    lives: Columns.pack(trading.lives.map(flat))
  }
  const part: PartBody = { after: parts.at(-1)?.sequence ?? 0, grown }
  if (parts.length === 0) yield* snapshots.forget(`${snapshotName} `)
  const isKept = yield* snapshots.keep(partName(parts.length + 1), { sequence, body: serialize(part) })
  if (!isKept) return { books, parts }
  for (const name of AccountBooks.grown) trading[name].length = 0
  const newState: Stored = { parts: [...parts, { sequence }], books }
  yield* snapshots.keep(snapshotName, { sequence, body: serialize(newState) })
  return newState
})

/** Each run reads on from where the books are then. */
const readOn = Effect.fnUntraced(function* ({ events }: Journal["Service"], books: AccountBooks.AccountBooks) {
  yield* eachPage(events({ after: books.sequence, tags: AccountBooks.tags }), (page) => AccountBooks.see(books, page))
})

export const keepUp = Effect.fnUntraced(function* (every = 10_000) {
  const journal = yield* Journal
  let restoredBooks = yield* restore(journal.snapshots, () => {})
  const look = Effect.gen(function* () {
    yield* readOn(journal, restoredBooks.books)
    const { books, parts } = restoredBooks
    if (books.sequence - (parts.at(-1)?.sequence ?? 0) < every) return
    restoredBooks = yield* keep(journal.snapshots, restoredBooks)
  })
  yield* Effect.repeat(look, Schedule.spaced("1 minute"))
})

/** Starts from the first event; earlier snapshots are ignored. */
export const renewSnapshot = Effect.gen(function* () {
  const journal = yield* Journal
  const freshBooks = nothing()
  yield* readOn(journal, freshBooks.books)
  yield* keep(journal.snapshots, freshBooks)
})
