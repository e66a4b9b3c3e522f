/**
 * Stores the state of a fold at some event, so that a start reads only the later events. This is a cache: any snapshot may be deleted, and
 * a failed read or write is ignored. A snapshot counts only if the event still has its hash, which covers all earlier events, and if the
 * bytes and the code of the fold are unchanged. A fixed fold must not continue from the state of the faulty one.
 */
import { createHash } from "node:crypto"
import { versions } from "node:process"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { foldCode } from "./FoldCode.ts"

export interface FoldSnapshot {
  readonly sequence: number
  readonly body: Uint8Array
}

export interface Snapshots {
  newest(fold: string): Effect.Effect<FoldSnapshot | undefined>
  /** Replaces the fold's snapshot. Returns false if it could not be written. */
  keep(fold: string, snapshot: FoldSnapshot): Effect.Effect<boolean>
  forget(prefix: string): Effect.Effect<void>
}

export interface Stored extends FoldSnapshot {
  readonly fold: string
  readonly hash: string
  readonly seal: string
}

export interface SnapshotTable {
  /** Includes the hash that the journal now has for the event. */
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

/** V8 version that sets the form of the bodies; an older one may not read bodies of a newer one. */
const engine = versions.v8.split(".", 2).join(".")

const sealOf = ({ fold, sequence, hash, body }: Omit<Stored, "seal">): string =>
  createHash("sha256")
    .update(`${foldCode(fold)}\n${engine}\n${fold}\n${sequence}\n${hash}\n`)
    .update(body)
    .digest("hex")
