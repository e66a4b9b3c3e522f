/**
 * The program as users have it. A file that imports this module waits until the build is there while it is loaded, because a hook would run
 * for the first file of a worker only.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { inject } from "vitest"

export const folder = inject("builtProgram")

/** What `node` is given to run it. */
export const limitbot = join(folder, "limitbot.mjs")

if (!existsSync(join(folder, "help.txt"))) writeFileSync(join(tmpdir(), "program-request"), "")

const failed = join(folder, "failed.txt")
// The help is what a build writes last.
while (!existsSync(join(folder, "help.txt"))) {
  if (existsSync(failed)) throw new Error(readFileSync(failed, "utf8"))
  await setTimeout(50)
}
