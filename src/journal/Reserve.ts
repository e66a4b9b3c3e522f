/** A reserve file is deleted on a full disk, so that cancels, fills and refunds are still recorded. Nothing new begins until it is back. */
import { randomBytes } from "node:crypto"
import { closeSync, constants, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Predicate } from "effect"
import { diskFullText, messageOf } from "../domain/Text.ts"

export interface Reserve {
  /** Deletes the reserve file. Returns false if there is none. */
  readonly release: Effect.Effect<boolean>
  /** Keeps or recreates the file. Returns why there is none. */
  readonly restore: Effect.Effect<string | undefined>
}

export const none: Reserve = { release: Effect.succeed(false), restore: Effect.undefined }

/** Room for the last events of a thousand orders and for the write-ahead log that they pass through. */
const sizeBytes = 4 * 2 ** 20

const fileOf = (journal: string): string => `${journal}.reserve`

export const beside = (journal: string): Reserve => {
  const file = fileOf(journal)
  return {
    release: attempt(() => rmSync(file)),
    restore: Effect.try({
      try: () => {
        if (statSync(file, { throwIfNoEntry: false })?.size === sizeBytes) return undefined
        const { bavail, bsize } = statfsSync(dirname(file))
        // An attempt on a disk that is still full would take the journal's last room until it fails.
        if (bavail * bsize < 2 * sizeBytes) return diskFullText
        write(file)
        return undefined
      },
      catch: (error) =>
        isNoSpace(error) ? diskFullText : `the journal's reserve cannot be written (${messageOf(error)})`
    }).pipe(Effect.catch(Effect.succeed))
  }
}

/** SQLITE_FULL, or an input/output error on writing, on syncing, or on growing the index of the write-ahead log. */
const fullCodes: ReadonlySet<unknown> = new Set([13, 778, 1034, 4874])

/** True if SQLite failed because the disk is full. */
export const isWanted = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "errcode") && fullCodes.has(cause.errcode)

const attempt = (what: () => void): Effect.Effect<boolean> =>
  Effect.orElseSucceed(Effect.as(Effect.try(what), true), () => false)

const isNoSpace = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && (error.code === "ENOSPC" || error.code === "EDQUOT")

/** Makes every write durable on return, because Node's permission model has no fsync. */
const writeThrough = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_SYNC

const write = (file: string): void => {
  const descriptor = openSync(file, writeThrough, 0o600)
  try {
    // A file system that compresses would keep no room for zeros.
    writeSync(descriptor, randomBytes(sizeBytes))
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}
