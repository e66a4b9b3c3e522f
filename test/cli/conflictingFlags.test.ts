/** `limitbot history` and `swap` at the command line: what does not go together is said, not passed over. */
import { describe, it } from "@effect/vitest"
import { assertSays, nowhere, run, workspace } from "./program.ts"

const conflicts: ReadonlyArray<readonly [flags: string, message: RegExp]> = [
  ["history --sync --status REFUNDED", /--sync reads everything/],
  ["history --page 2 --after-address abc", /Pages and cursors exclude each other/],
  ["swap 0.01 BTC USDC --resume s1", /without amounts/],
  ["swap 0.01 BTC USDC", /Nobody is there to agree/]
]

describe.concurrent("flags that do not go together", () => {
  it.each(conflicts)("%s", async (flags, message) => {
    const cwd = workspace(nowhere)
    assertSays(await run([...flags.split(" "), "--config", "config.yaml"], { cwd }), 1, message)
  })
})
