/**
 * Verifies that a journal is what the bot wrote, by the hash that each event carries. A person who can write the file can also write a
 * whole new chain. Only a head that was noted elsewhere reveals that (`journal verify --head`).
 */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { genesis, hashOf, type Link } from "./Hash.ts"
import { broken } from "./Journal.ts"

export class ChainBroken extends Schema.TaggedError<ChainBroken>()("ChainBroken", {
  sequence: Schema.Int,
  text: Schema.String
}) {
  override get message(): string {
    return `The journal was changed after the bot wrote it: ${this.text} (event ${this.sequence}). Everything up to event ${this.sequence - 1} is intact. Keep the file, and restore the last backup that verifies.`
  }
}

type Row = Link & { readonly hash: string | null }

export type Verified = Effect.Success<ReturnType<typeof verifyAfter>>

const pageSize = 5_000

/** Number of events at the end that a start verifies before it continues. */
const tailEvents = 1_000

export interface Links {
  readonly newest: Effect.Effect<number, SqlError.SqlError>
  after(sequence: number, most: number): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
}

const inSqlite = Effect.map(
  SqlClient.SqlClient,
  (sql): Links => ({
    newest: Effect.map(
      sql<{ readonly sequence: number | null }>`SELECT max(sequence) AS sequence FROM main.journal`,
      ([newest]) => newest?.sequence ?? 0
    ),
    after: (sequence, most) => sql<Row>`
      SELECT sequence, at, body, hash FROM journal WHERE sequence > ${sequence} ORDER BY sequence LIMIT ${most}`
  })
)

export const verifyTail = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [before] = yield* sql<{ readonly sequence: number; readonly hash: string }>`
    SELECT sequence, hash FROM journal ORDER BY sequence DESC LIMIT 1 OFFSET ${tailEvents}`.pipe(
    Effect.mapError(broken("Cannot verify the journal"))
  )
  return yield* verifyAfter(yield* inSqlite, before ?? beginning)
})

/** Verifies the whole journal. `expected` are heads that were noted elsewhere, now or earlier. */
export const verify = (expected?: ReadonlyArray<string>, told?: Told) =>
  Effect.flatMap(inSqlite, (links) => verifyAfter(links, beginning, expected, told))

export const verifyLinks = (links: Links, expected?: ReadonlyArray<string>, told?: Told) =>
  verifyAfter(links, beginning, expected, told)

type Told = (verified: number, of: number) => void

const beginning = { sequence: 0, hash: genesis }

const verifyAfter = Effect.fn("Chain.verify")(function* (
  links: Links,
  start: { readonly sequence: number; readonly hash: string },
  expected: ReadonlyArray<string> = [],
  told: Told = () => undefined
) {
  const newest = yield* Effect.mapError(links.newest, broken("Cannot verify the journal"))
  let [last, head] = [start.sequence, start.hash]
  const missing = new Set(expected.filter((hash) => hash !== genesis))
  for (let isMore = true; isMore; ) {
    const rows = yield* Effect.mapError(
      links.after(last, pageSize),
      broken("Cannot verify the journal; a journal of an older version is chained at the bot's next start")
    )
    for (const row of rows) {
      const { sequence, hash } = row
      if (sequence !== last + 1)
        return yield* new ChainBroken({ sequence: last + 1, text: `event ${last + 1} is missing` })
      if (hash !== hashOf(head, row)) {
        const text = hash === null ? "it was not written by the bot" : "it or one before it was changed"
        return yield* new ChainBroken({ sequence, text })
      }
      ;[last, head] = [sequence, hash]
      missing.delete(head)
    }
    told(last, newest)
    isMore = rows.length === pageSize
    // Other fibers run between two pages, because a bot may verify its journal while it works.
    yield* Effect.yieldNow
  }
  const [lost] = missing
  if (lost !== undefined) {
    const text = `no event has the hash ${lost}: the end is missing, or this is another journal`
    return yield* new ChainBroken({ sequence: last + 1, text })
  }
  return { events: last, head }
})
