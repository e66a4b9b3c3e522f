/**
 * What a fold of the journal had come to at some event, so that a start reads only what follows. A cache: every snapshot may
 * be deleted, and one that cannot be written is not.
 *
 * A snapshot counts only where all of this holds, and is passed over in silence where not: the journal's event has the hash
 * that it had when the snapshot was taken, and with it all events before; the bytes are those that were written; and it was
 * written by this very code of the folds, because a fold that was mended must not go on from what the old one made.
 */
import { createHash } from "node:crypto"
import { versions } from "node:process"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
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

/** One as it is stored. */
export interface Stored extends FoldSnapshot {
  readonly fold: string
  /** Hash of the event, as it was then. */
  readonly hash: string
  readonly seal: string
}

/** The table of the database. */
export interface SnapshotTable {
  /** With the hash of the event as the journal has it now. */
  find(fold: string): Effect.Effect<(Stored & { readonly chained: string }) | undefined, SqlError.SqlError>
  hashOf(sequence: number): Effect.Effect<string | undefined, SqlError.SqlError>
  put(snapshot: Stored): Effect.Effect<unknown, SqlError.SqlError>
  forget(prefix: string): Effect.Effect<unknown, SqlError.SqlError>
}

export const make = (table: SnapshotTable): Snapshots => ({
  newest: (fold) =>
    table.find(fold).pipe(
      Effect.map((row) =>
        row !== undefined && row.chained === row.hash && row.seal === sealOf(row) ? row : undefined
      ),
      // A cache that cannot be read is none.
      Effect.orElseSucceed(() => undefined)
    ),
  keep: (fold, { sequence, body }) =>
    Effect.gen(function* () {
      const hash = yield* table.hashOf(sequence)
      if (hash === undefined) return false
      const row = { fold, sequence, hash, body }
      yield* table.put({ ...row, seal: sealOf(row) })
      return true
    }).pipe(Effect.catch((error) => Effect.as(Effect.logDebug(`No snapshot was kept: ${error.message}`), false))),
  forget: (prefix) => Effect.ignore(table.forget(prefix))
})

/** Bodies have its form; an older one may not read what a newer one wrote. */
const engine = versions.v8.split(".", 2).join(".")

const sealOf = ({ fold, sequence, hash, body }: Omit<Stored, "seal">): string =>
  createHash("sha256")
    .update(`${foldCode(fold)}\n${engine}\n${fold}\n${sequence}\n${hash}\n`)
    .update(body)
    .digest("hex")
