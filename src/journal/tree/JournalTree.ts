/** Reads the journal's Merkle tree beside the bot. It uses the hash in each row as the event; `Chain` verifies these hashes. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { genesis, type Link } from "../Hash.ts"
import { broken } from "../Journal.ts"
import * as Merkle from "./Merkle.ts"

const pageSize = 5_000

/** Adds new events to a tree, page by page between the bot's fibers. */
export const grow = Effect.fn("JournalTree.grow")(
  function* (tree: Merkle.Growing) {
    const sql = yield* SqlClient.SqlClient
    for (let isMore = true; isMore; ) {
      const rows = yield* sql<{ hash: string }>`
      SELECT sequence, hash FROM journal WHERE sequence > ${tree.size} ORDER BY sequence LIMIT ${pageSize}`
      for (const { hash } of rows) Merkle.add(tree, hash)
      isMore = rows.length === pageSize
      yield* Effect.yieldNow
    }
  },
  Effect.mapError(broken("Cannot read the journal"))
)

/** Returns events with the proof that each is among the first `size`. The reader needs nothing else of the journal. */
export const prove = Effect.fn("JournalTree.prove")(
  function* (size: number, sequences: ReadonlyArray<number>) {
    const sql = yield* SqlClient.SqlClient
    const chain = (yield* sql<{ hash: string }>`
    SELECT sequence, hash FROM journal WHERE sequence <= ${size} ORDER BY sequence`).map(({ hash }) => hash)
    const links = yield* sql<Link>`
    SELECT sequence, at, body FROM journal WHERE ${sql.in("sequence", sequences)} ORDER BY sequence`
    const paths = Merkle.pathsOf(
      chain,
      links.map(({ sequence }) => sequence - 1)
    )
    return links.map((link, place) => ({
      ...link,
      before: chain[link.sequence - 2] ?? genesis,
      path: paths[place] ?? []
    }))
  },
  Effect.mapError(broken("Cannot read the journal"))
)
