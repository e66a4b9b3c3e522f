/** The words of the command line: those of the version before go on to answer, and the help says what holds by itself. */
import { assert, describe, it } from "@effect/vitest"
import { assertSays, nowhere, runHere, workspace } from "../world/processes/program.ts"

const moved: ReadonlyArray<readonly [before: string, now: string]> = [
  ["keygen --out api.key", "key new --out api.key"],
  ["swaps --config config.yaml", "swap list --config config.yaml"],
  ["swaps withdrawals A --page 0", "swap withdrawals A --page 0"],
  ["dust --config config.yaml --json", "money --dust --config config.yaml --json"],
  ["stuck --config config.yaml --after 1m", "orders --stuck --config config.yaml --after 1m"]
]

describe.concurrent("words", () => {
  it.each(moved)("%s answers as %s does, and says so", async (before, now) => {
    const cwd = workspace(nowhere)
    const [old, present] = [await runHere(before.split(" "), { cwd }), await runHere(now.split(" "), { cwd })]
    const [word = ""] = before.split(" ")
    const said = now.split(" ").slice(0, 2).join(" ")
    assert.strictEqual(old.stderr, `limitbot: "${word}" is now "${said}"\n${present.stderr}`)
    assert.deepStrictEqual([old.stdout, old.code], [present.stdout, present.code])
    assert.notInclude(present.stderr, "is now")
    assert.notStrictEqual(present.code, 0, "the workspace has no journal, and its key is not replaced")
  })

  it("help groups the commands, and shows the flags of all of them once", async () => {
    const { stdout: whole } = await runHere(["--help"])
    for (const group of ["Begin", "Run", "Stop and steer", "Money", "Test", "Swap", "When something is wrong"])
      assert.match(whole, new RegExp(`^${group}:$`, "m"))
    assert.include(whole, "--completions")
    assert.notInclude(whole, "--wizard")
    for (const old of ["keygen", "swaps", "dust", "stuck"]) assert.notMatch(whole, new RegExp(`^ +${old} `, "m"))
    const { stdout: one } = await runHere(["monte-carlo", "--help"])
    assert.notInclude(one, "--completions")
    assert.include(one, "How many simulations (default: 1000)")
    assert.match(one, /^ {2}limitbot monte-carlo strategies/m)
  })

  it("what asks for two forms is wrong usage, for every command", async () => {
    const cwd = workspace(nowhere)
    for (const command of ["fills", "orders", "money", "history", "balances"])
      assertSays(
        await runHere([command, "--csv", "--json", "--config", "config.yaml"], { cwd }),
        2,
        /--csv and --json exclude each other/
      )
  })
})
