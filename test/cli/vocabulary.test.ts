/** The words of the command line: old ones answer for one release, and the help says what holds by itself. */
import { assert, describe, it } from "@effect/vitest"
import { assertSays, nowhere, runHere, workspace } from "../world/processes/program.ts"

/** Each is a failure that depends on the command, because the workspace has no journal, and its key is not replaced. */
const moved: ReadonlyArray<readonly [before: string, now: string, said: string]> = [
  ["keygen --out api.key", "signer key --out api.key", "signer key"],
  ["swaps --config config.yaml", "swap --list --config config.yaml", "swap --list"],
  ["swap withdrawals A --page 0", "history --payouts A --page 0", "history --payouts"],
  ["dust --config config.yaml --json", "money --dust --config config.yaml --json", "money --dust"],
  ["stuck --config config.yaml --after 1m", "orders --stuck --config config.yaml --after 1m", "orders --stuck"],
  ["evidence p1 --out e.json --config config.yaml", "orders p1 --out e.json --config config.yaml", "orders"],
  ["drain grid --config config.yaml", "pause --cancel grid --config config.yaml", "pause --cancel"],
  [
    "sweep none.yaml --data a.csv --set a=1,2",
    "search --by sweep none.yaml --data a.csv --set a=1,2",
    "search --by sweep"
  ],
  ["data convert a.csv b.csv --repair all", "data a.csv --out b.csv --repair all", "data FILE --out FILE"]
]

describe.concurrent("commands", () => {
  it.each(moved)("%s answers as %s does, and says so", async (before, now, said) => {
    const cwd = workspace(nowhere)
    const [old, present] = [await runHere(before.split(" "), { cwd }), await runHere(now.split(" "), { cwd })]
    const [first, told = ""] = [old.stderr.split("\n")[0] ?? "", old.stderr.slice(old.stderr.indexOf("\n") + 1)]
    assert.isTrue(first.startsWith(`limitbot: "${before.split(" ")[0]}`) && first.endsWith(`" is now "${said}"`), first)
    assert.deepStrictEqual([old.stdout, told, old.code], [present.stdout, present.stderr, present.code])
    assert.notInclude(present.stderr, "is now")
    assert.notStrictEqual(present.code, 0)
  })

  it.each(["data convert a.csv", "fleet kill anna bert", "fleet pause --all"])(
    "%s is wrong usage, and the message names the new commands",
    async (before) => {
      assertSays(await runHere(before.split(" "), { cwd: workspace(nowhere) }), 2, /^limitbot: ".* .*" is now ".*"/)
    }
  )

  it("help groups the commands, and shows shared flags once", async () => {
    const { stdout: whole } = await runHere(["--help"])
    for (const group of ["Begin", "Run", "Stop and steer", "Money", "Test", "Swap", "When something is wrong"])
      assert.match(whole, new RegExp(`^${group}:$`, "m"))
    assert.include(whole, "--completions")
    assert.notInclude(whole, "--wizard")
    for (const old of ["keygen", "swaps", "dust", "sweep", "doctor"])
      assert.notMatch(whole, new RegExp(`^ +${old} `, "m"))
    const { stdout: one } = await runHere(["search", "--help"])
    assert.notInclude(one, "--completions")
    assert.include(one, "how many simulations (default: 1000)")
    assert.match(one, /^ {2}limitbot search strategies/m)
  })

  it("a search accepts only the flags of its method", async () => {
    const cwd = workspace(nowhere)
    const search = async (words: string) =>
      runHere(["search", "grid.yaml", "--data", "a.csv", ...words.split(" ")], { cwd })
    assertSays(await search("--by sweep --set a=1,2 --windows 3"), 2, /--windows does not go with --by sweep/)
    assertSays(await search("--by walk-forward --set a=1,2 --runs 3"), 2, /--runs does not go with --by walk-forward/)
    assertSays(await search("--by monte-carlo --set a=1,2"), 2, /--set does not go with --by monte-carlo/)
    assertSays(await search("--by monte-carlo --fills worse"), 2, /--fills worse does not go with/)
    assertSays(await search("--by walk-forward"), 2, /--by walk-forward needs --set/)
  })

  it("two output forms at once are wrong usage for every command", async () => {
    const cwd = workspace(nowhere)
    for (const command of ["fills", "orders", "money", "history", "money --at-venue"])
      assertSays(
        await runHere([...command.split(" "), "--csv", "--json", "--config", "config.yaml"], { cwd }),
        2,
        /--csv and --json exclude each other/
      )
  })
})
