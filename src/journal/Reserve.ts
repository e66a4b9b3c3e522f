/**
 * Room on the disk for the worst hour: a file beside the journal that is deleted when the disk is full, so that cancels, fills
 * and refunds can still be written down. Nothing new is begun until the file could be written anew.
 */
import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { Effect } from "effect"

export interface Reserve {
  /** Gives the room away; false where there is none to give. */
  readonly release: Effect.Effect<boolean>
  /** Has the room, again or still; false while the disk is full. */
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
    restore: Effect.orElseSucceed(
      Effect.try(() => {
        if (statSync(file, { throwIfNoEntry: false })?.size === sizeBytes) return true
        const { bavail, bsize } = statfsSync(dirname(file))
        // A try on a disk that is still full would take the last room from the journal while it lasts.
        if (bavail * bsize < 2 * sizeBytes) return false
        write(file)
        return true
      }),
      () => false
    )
  }
}

const attempt = (what: () => void): Effect.Effect<boolean> =>
  Effect.orElseSucceed(Effect.as(Effect.try(what), true), () => false)

const write = (file: string): void => {
  const descriptor = openSync(file, "w", 0o600)
  try {
    // A file system that compresses keeps no room for zeros.
    writeSync(descriptor, randomBytes(sizeBytes))
    fsyncSync(descriptor)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}
