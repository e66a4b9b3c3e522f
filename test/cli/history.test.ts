/** `limitbot history` at the command line: what does not go together is said, not passed over. */
import { describe, it } from "@effect/vitest"
import { assertSays, nowhere, run, workspace } from "./program.ts"

const conflicts: ReadonlyArray<readonly [flags: string, message: RegExp]> = [
  ["--sync --stored", /--sync and --stored exclude each other/],
  ["--sync --status REFUNDED", /--sync reads everything/],
  ["--stored --from-chain btc", /--stored shows everything/],
  ["--page 2 --after-address abc", /Pages and cursors exclude each other/],
  ["account --prev-cursor a --next-cursor b", /--prev-cursor and --next-cursor exclude each other/]
]

describe.concurrent("limitbot history", () => {
  it.each(conflicts)("%s", async (flags, message) => {
    const cwd = workspace(nowhere)
    assertSays(await run(["history", ...flags.split(" "), "--config", "config.yaml"], { cwd }), 1, message)
  })
})
