/** What does not go together, or means nothing, is said, not passed over: wrong usage, as a flag that there is not. */
import { describe, it } from "@effect/vitest"
import { assertSays, nowhere, runHere, workspace } from "../world/processes/program.ts"

const conflicts: ReadonlyArray<readonly [flags: string, message: RegExp]> = [
  ["history --sync --status REFUNDED", /--sync reads everything/],
  ["history --page 2 --after-address abc", /Pages and cursors exclude each other/],
  ["reconcile --adopt o1 --cancel o1", /either --adopt or --cancel/],
  ["swap 0.01 BTC USDC --resume s1", /without amounts/],
  ["swap --resume s1 --dry", /--dry shows a quote, --resume pays/],
  ["swap --resume s1 --pay-again --dry", /--dry shows a quote, --resume pays/],
  ["swap 0.01 BTC USDC", /Not interactive/],
  ["swap --resume s1 --pay-again 0.01", /without amounts/],
  ["swap 0.01 BTC USDC --yes --pay-again", /goes with --resume only/],
  ["swap 20 USDC --to confidential --deadline 1h --yes", /without --deadline: omit it/],
  ["swap 0.01 BTC DOGE --dry", /no asset "DOGE" in the configuration/],
  ["check grid.yaml --lookahead", /--lookahead needs candles/],
  ["backtest grid.yaml --data grid.yaml --repair nothing", /--repair nothing: unknown repair/]
]

describe.concurrent("flags that exclude each other", () => {
  it.each(conflicts)("%s", async (flags, message) => {
    const cwd = workspace(nowhere)
    assertSays(await runHere([...flags.split(" "), "--config", "config.yaml"], { cwd }), 2, message)
  })
})
