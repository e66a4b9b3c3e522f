/**
 * The program as users have it. Whoever imports this waits until this run's build is there: while it is loaded, as a hook would count for
 * the first file of a worker alone, and not at all where that file is skipped.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { inject } from "vitest"

export const folder = inject("builtProgram")

/** What `node` is given to run it. */
export const limitbot = join(folder, "limitbot.mjs")

const failed = join(folder, "failed.txt")
// The help is what a build writes last.
while (!existsSync(join(folder, "help.txt"))) {
  if (existsSync(failed)) throw new Error(readFileSync(failed, "utf8"))
  await setTimeout(50)
}
