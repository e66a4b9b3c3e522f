/**
 * How far the journal had come, kept outside it: the number and the hash of its newest event. A file that was put back from a
 * copy, or lost its write-ahead log, looks whole from inside; only what is outside knows more. It is written after each event
 * is on disk, so it may be behind the journal by what was recorded last, and never ahead of a journal that is whole. Where it
 * cannot be written it stays behind, which hides nothing but the loss of what came since.
 */
import { closeSync, constants, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { genesis } from "./Hash.ts"

export interface Kept {
  readonly sequence: number
  readonly hash: string
}

export interface Head {
  /** Nothing was ever kept, or nobody can read it: "unknown". Without a place to keep it in: "none". */
  readonly read: Effect.Effect<Kept | "unknown" | "none">
  readonly keep: (newest: Kept) => Effect.Effect<void>
}

/** For journals in memory. */
export const none: Head = { read: Effect.succeed("none"), keep: () => Effect.void }

const fileOf = (journal: string): string => `${journal}.head`

/** In one sector of the disk, so it is written whole or not at all. */
const textOf = ({ hash, sequence }: Kept): string => `${String(sequence).padStart(16, "0")} ${hash}\n`

const parse = (text: string): Kept | "unknown" => {
  const [, sequence, hash] = /^(\d{16}) ([0-9a-f]{64})\n$/.exec(text) ?? []
  return sequence === undefined || hash === undefined ? "unknown" : { sequence: Number(sequence), hash }
}

/** In a file beside the journal, which lives as long as the effect that made it. */
export const beside = (journal: string): Head => {
  const file = fileOf(journal)
  return {
    read: Effect.sync(() =>
      Result.match(
        Result.try(() => readFileSync(file, "utf8")),
        { onSuccess: parse, onFailure: () => "unknown" as const }
      )
    ),
    keep: (newest) =>
      Effect.ignore(
        Effect.try(() => {
          const descriptor = openSync(file, constants.O_WRONLY | constants.O_CREAT, 0o600)
          try {
            writeSync(descriptor, textOf(newest), 0)
            fdatasyncSync(descriptor)
          } finally {
            closeSync(descriptor)
          }
        })
      )
  }
}

/** For a journal that is made anew in the place of another. */
export const forget = (journal: string): Effect.Effect<void> =>
  Effect.sync(() => rmSync(fileOf(journal), { force: true }))

/** What is wrong with the journal by what the head says, if anything is. */
export const mistakeBy = Effect.fnUntraced(function* (outside: Head) {
  const kept = yield* outside.read
  if (kept === "none") return undefined
  const { sequence, hash } = kept === "unknown" ? { sequence: 0, hash: genesis } : kept
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ newest: number | null; hash: string | null }>`
    SELECT (SELECT max(sequence) FROM main.journal) AS newest, (SELECT hash FROM journal WHERE sequence = ${sequence}) AS hash`
  const newest = row?.newest ?? 0
  if (newest < sequence) return { newest, text: `it has ${newest} events, and the bot had written ${sequence}` }
  if (newest === 0) return undefined
  if (kept === "unknown")
    return { newest, text: `nothing beside it says that its ${newest} events are all that the bot wrote` }
  return row?.hash === hash ? undefined : { newest, text: `its event ${sequence} is not the one that the bot wrote` }
})
