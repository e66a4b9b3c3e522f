/**
 * Room on the disk for the worst hour: a file beside the journal that is deleted when the disk is full, so that cancels, fills
 * and refunds can still be written down. Nothing new is begun until the file could be written anew.
 */
import { randomBytes } from "node:crypto"
import { closeSync, constants, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Predicate } from "effect"

export interface Reserve {
  /** Gives the room away; false where there is none to give. */
  readonly release: Effect.Effect<boolean>
  /** Has the room, again or still; false while the disk is full. A reserve that cannot be for another reason is none. */
  readonly restore: Effect.Effect<boolean>
}

/** For journals in memory, and for those that are opened only for a moment. */
export const none: Reserve = { release: Effect.succeed(false), restore: Effect.succeed(true) }

/** The last events of a thousand orders, and the write-ahead log that they go through. */
const sizeBytes = 4 * 2 ** 20

const fileOf = (journal: string): string => `${journal}.reserve`

export const beside = (journal: string): Reserve => {
  const file = fileOf(journal)
  return {
    release: attempt(() => rmSync(file)),
    restore: Effect.try({
      try: () => {
        if (statSync(file, { throwIfNoEntry: false })?.size === sizeBytes) return true
        const { bavail, bsize } = statfsSync(dirname(file))
        // A try on a disk that is still full would take the last room from the journal while it lasts.
        if (bavail * bsize < 2 * sizeBytes) return false
        write(file)
        return true
      },
      catch: (error) => !isNoSpace(error)
    }).pipe(Effect.catch(Effect.succeed))
  }
}

/** SQLITE_FULL, or an input/output error on writing, on syncing, or on growing the index of the write-ahead log. */
const fullCodes: ReadonlySet<unknown> = new Set([13, 778, 1034, 4874])

/** Whether SQLite failed for want of room. */
export const isWanted = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "errcode") && fullCodes.has(cause.errcode)

const attempt = (what: () => void): Effect.Effect<boolean> =>
  Effect.orElseSucceed(Effect.as(Effect.try(what), true), () => false)

/** No room on the disk, or none for this user. */
const isNoSpace = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && (error.code === "ENOSPC" || error.code === "EDQUOT")

/** Every write is on disk when it returns: Node's permission model has no fsync. */
const writeThrough = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_SYNC

const write = (file: string): void => {
  const descriptor = openSync(file, writeThrough, 0o600)
  try {
    // A file system that compresses keeps no room for zeros.
    writeSync(descriptor, randomBytes(sizeBytes))
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}
