/** Draws a progress bar on standard error for a person, so that piped output stays clean. */
import { stderr } from "node:process"
import { Context, Effect } from "effect"

export interface Progress {
  update(done: number, total: number, note: string): void
  wipe(): void
}

const width = 24

const silent: Progress = { update: () => undefined, wipe: () => undefined }
const emptyLine = "\r\u001B[K"

/** True if a person waits at a terminal. False if a running bot computes an answer. */
export const IsWatched = Context.Reference("limitbot/app/process/Progress/IsWatched", {
  defaultValue: () => stderr.isTTY === true
})

export const make = (title: string) =>
  Effect.acquireRelease(
    Effect.map(IsWatched, (isWatched): Progress => {
      if (!isWatched) return silent
      let lastPermille = -1
      return {
        update: (done, total, note) => {
          const filled = Math.floor((done / Math.max(1, total)) * width)
          const permille = Math.floor((done / Math.max(1, total)) * 1000)
          if (permille === lastPermille) return
          lastPermille = permille
          const bar = "█".repeat(filled) + "░".repeat(width - filled)
          stderr.write(`\r${title} ${bar} ${(permille / 10).toFixed(1)} % ${note}\u001B[K`)
        },
        wipe: () => {
          if (lastPermille >= 0) stderr.write(emptyLine)
          lastPermille = -1
        }
      }
    }),
    ({ wipe }) => Effect.sync(wipe)
  )
