/**
 * Keeps the journal's head outside the journal: the number and the hash of its newest event. A journal file that was restored from a copy,
 * or that lost its write-ahead log, looks complete from inside; only the outside head shows the loss. The head is written after each event
 * is on disk, so it is never ahead of a complete journal. If it cannot be written it stays behind, which hides only the loss of later
 * events.
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
  /** `unknown` if nothing was kept or it cannot be read; `none` if there is no place to keep it. */
  readonly read: Effect.Effect<Kept | "unknown" | "none">
  readonly keep: (newest: Kept) => Effect.Effect<void>
}

export const none: Head = { read: Effect.succeed("none"), keep: () => Effect.void }

const fileOf = (journal: string): string => `${journal}.head`

/** Fits in one sector of the disk, so it is written whole or not at all. */
const textOf = ({ hash, sequence }: Kept): string => `${String(sequence).padStart(16, "0")} ${hash}\n`

const parse = (text: string): Kept | "unknown" => {
  const [, sequence, hash] = /^(\d{16}) ([0-9a-f]{64})\n$/.exec(text) ?? []
  return sequence === undefined || hash === undefined ? "unknown" : { sequence: Number(sequence), hash }
}

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

export const forget = (journal: string): Effect.Effect<void> =>
  Effect.sync(() => rmSync(fileOf(journal), { force: true }))

export const mistakeBy = Effect.fnUntraced(function* (outside: Head) {
  const outsideHead = yield* outside.read
  if (outsideHead === "none") return undefined
  const { sequence, hash } = outsideHead === "unknown" ? { sequence: 0, hash: genesis } : outsideHead
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ newest: number | null; hash: string | null }>`
    SELECT (SELECT max(sequence) FROM main.journal) AS newest, (SELECT hash FROM journal WHERE sequence = ${sequence}) AS hash`
  const newest = row?.newest ?? 0
  if (newest < sequence) return { newest, text: `it has ${newest} events, but the bot wrote ${sequence}` }
  if (newest === 0) return undefined
  if (outsideHead === "unknown") return { newest, text: `no head file confirms that its ${newest} events are complete` }
  return row?.hash === hash
    ? undefined
    : { newest, text: `its event ${sequence} differs from the one that the bot wrote` }
})
