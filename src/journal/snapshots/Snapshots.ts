/**
 * What a fold of the journal had come to at some event, so that a start reads only what follows. A cache: every snapshot may
 * be deleted, and one that cannot be written is not.
 *
 * A snapshot counts only where all of this holds, and is passed over in silence where not: the journal's event has the hash
 * that it had when the snapshot was taken, and with it all events before; the bytes are those that were written; and it was
 * written by this very code of the folds, because a fold that was mended must not go on from what the old one made.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { foldCode } from "./FoldCode.ts"

export interface FoldSnapshot {
  /** The last event in it. */
  readonly sequence: number
  readonly body: Uint8Array
}

export interface Snapshots {
  /** The newest one of a fold, if it counts. */
  newest(fold: string): Effect.Effect<FoldSnapshot | undefined>
  /** Takes the place of the fold's last one. Says whether it could. */
  keep(fold: string, snapshot: FoldSnapshot): Effect.Effect<boolean>
  /** Those of all folds whose names begin so: nothing goes on from them any more. */
  forget(prefix: string): Effect.Effect<void>
}

interface Row extends FoldSnapshot {
  readonly hash: string
  readonly seal: string
  /** Hash of the event itself, as the journal has it now. */
  readonly chained: string
}

export const make = (sql: SqlClient.SqlClient): Snapshots => ({
  newest: (fold) =>
    sql<Row>`
      SELECT snapshots.sequence, snapshots.hash, seal, snapshots.body, journal.hash AS chained
      FROM snapshots JOIN journal ON journal.sequence = snapshots.sequence WHERE fold = ${fold}`.pipe(
      Effect.map(([row]) =>
        row !== undefined && row.chained === row.hash && row.seal === sealOf(fold, row) ? row : undefined
      ),
      // A cache that cannot be read is none.
      Effect.orElseSucceed(() => undefined)
    ),
  keep: (fold, { sequence, body }) =>
    Effect.gen(function* () {
      const [event] = yield* sql<{ hash: string }>`SELECT hash FROM journal WHERE sequence = ${sequence}`
      if (event === undefined) return false
      const row = { fold, sequence, hash: event.hash, body }
      yield* sql`INSERT OR REPLACE INTO snapshots ${sql.insert({ ...row, seal: sealOf(fold, row) })}`
      return true
    }).pipe(Effect.catch((error) => Effect.as(Effect.logDebug(`No snapshot was kept: ${error.message}`), false))),
  forget: (prefix) => Effect.ignore(sql`DELETE FROM snapshots WHERE substr(fold, 1, ${prefix.length}) = ${prefix}`)
})

const sealOf = (fold: string, { sequence, hash, body }: Omit<Row, "seal" | "chained">): string =>
  createHash("sha256").update(`${foldCode()}\n${fold}\n${sequence}\n${hash}\n`).update(body).digest("hex")
