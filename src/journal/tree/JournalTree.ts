/**
 * The Merkle tree over the journal in a file: grown by the events that came since it was last looked at, and asked for the proof of
 * some of them. It reads beside the bot and writes nothing; what it takes for an event is the hash in its row, which `Chain` verifies.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { genesis, type Link } from "../Hash.ts"
import { broken } from "../Journal.ts"
import * as Merkle from "./Merkle.ts"

/** Rows read at a time. */
const pageSize = 5_000

/** Lets a tree grow by the events that came since, and gives the hash of the newest in the chain. The bot goes first between two pages. */
export const grow = Effect.fn("JournalTree.grow")(
  function* (tree: Merkle.Growing) {
    const sql = yield* SqlClient.SqlClient
    let head = genesis
    for (let isMore = true; isMore; ) {
      const rows = yield* sql<{ hash: string }>`
      SELECT sequence, hash FROM journal WHERE sequence > ${tree.size} ORDER BY sequence LIMIT ${pageSize}`
      for (const row of rows) {
        Merkle.add(tree, row.hash)
        head = row.hash
      }
      isMore = rows.length === pageSize
      yield* Effect.yieldNow
    }
    return head
  },
  Effect.mapError(broken("Cannot read the journal"))
)

/** An event, and what proves that it is among the first so many: enough for somebody who has nothing else of the journal. */
export interface Proven extends Link {
  /** The hash of the event before it. */
  readonly before: string
  readonly path: ReadonlyArray<string>
}

/** The events of these numbers, each with its proof in the tree over the first `size`. */
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
    return links.map(
      (link, place): Proven => ({ ...link, before: chain[link.sequence - 2] ?? genesis, path: paths[place] ?? [] })
    )
  },
  Effect.mapError(broken("Cannot read the journal"))
)
