/** The program as users have it. Whoever imports this has its tests wait until this run's build is there. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { beforeAll, inject } from "vitest"

export const folder = inject("builtProgram")

/** What `node` is given to run it. */
export const limitbot = join(folder, "limitbot.mjs")

beforeAll(async () => {
  const failed = join(folder, "failed.txt")
  // The help is what a build writes last.
  while (!existsSync(join(folder, "help.txt"))) {
    if (existsSync(failed)) throw new Error(readFileSync(failed, "utf8"))
    await setTimeout(50)
  }
}, 120_000)
