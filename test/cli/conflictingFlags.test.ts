/** What does not go together, or means nothing, is said, not passed over: wrong usage, as a flag that there is not. */
import { assert, describe, it } from "@effect/vitest"
import { assertSays, nowhere, runHere, workspace } from "../world/processes/program.ts"

const run = "backtest grid.yaml --data grid.yaml"
const search = "search grid.yaml --data grid.yaml"

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
  ...[
    "--deadline 1h",
    "--app-fee a=5",
    "--rebate a=5",
    "--quote-waiting-ms 5",
    "--connected-wallet a",
    "--virtual-chain-refund-recipient a"
  ].map((flag) => {
    const [name] = flag.split(" ")
    return [`swap 20 USDC --to confidential ${flag} --yes`, new RegExp(`without ${name}: omit it`)] as const
  }),
  ["swap 0.01 BTC DOGE --dry", /no asset "DOGE" in the configuration/],
  ["check grid.yaml --lookahead", /--lookahead needs candles/],
  [`${run} --repair nothing`, /--repair nothing: unknown repair/],
  ...["--stdin", "--trades-csv x.csv"].map(
    (flag) => [`${run} ${flag} grid.yaml`, /goes with one strategy file only/] as const
  ),
  [`${search} --by monte-carlo --halve 3`, /--halve does not go with --by monte-carlo/],
  [`${search} --set a=1,2 --suggest x --halve 3`, /--halve does not go with --suggest, which chooses the trials/]
]

/** Earlier versions accepted them. */
const idle: ReadonlyArray<readonly [flags: string, warning: string]> = [
  [`${run} --runs 50 --band rules`, "--runs does not go with --band rules, which simulates no runs"],
  [
    `${run} --runs 50 --fills optimistic`,
    "--runs does not go with --fills optimistic: only --fills both simulates runs"
  ],
  [`${run} --curve 50`, "--curve goes with --json only"],
  [`${run} --curve 50 --json grid.yaml`, "--curve goes with one strategy file only"],
  [`${run} --signals grid.yaml`, "--signals grid.yaml: no strategy file uses a signal"],
  [
    `${search} --set a=1,2 --fills optimistic --rank p50`,
    "--rank does not go with --fills optimistic: only --fills worse ranks finalists"
  ],
  [`${search} --by monte-carlo --block 60`, "--block goes with --method candles only"]
]

describe.concurrent("flags that exclude each other", () => {
  it.each(conflicts)("%s", async (flags, message) => {
    const cwd = workspace(nowhere)
    assertSays(await runHere([...flags.split(" "), "--config", "config.yaml"], { cwd }), 2, message)
  })
})

describe.concurrent("flags without effect beside others", () => {
  it.each(idle)("%s", async (flags, warning) => {
    const cwd = workspace(nowhere)
    const { stderr } = await runHere([...flags.split(" "), "--config", "config.yaml"], { cwd })
    const [first = "", ...later] = stderr.split("\n")
    assert.strictEqual(first, `limitbot: ${warning}; it has no effect`)
    assert.match(later.join(), /limitbot: /, "the command goes on, to the next mistake")
  })

  it("certify the decisions of an edited file", async () => {
    const cwd = workspace(nowhere)
    const asked = ["replay", "--with", "grid.yaml", "--certificate", "--config", "config.yaml"]
    assertSays(await runHere(asked, { cwd }), 1, /journal/)
  })
})
