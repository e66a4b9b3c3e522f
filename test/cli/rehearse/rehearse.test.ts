/** `rehearse` at the command line: the user's files in bad weather, told for people and for programs. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { newFolder, runHere } from "../program.ts"

const grid = join(import.meta.dirname, "../../../strategies/grid.yaml")

interface Rehearsed {
  readonly strategies: ReadonlyArray<string>
  readonly happened: Readonly<Record<string, number>>
  readonly worstDrawdown: { readonly usd: number; readonly ratio: number }
  readonly longestInDoubtMillis: number
  readonly alerts: ReadonlyArray<{ readonly event: string }>
  readonly booksAgree: boolean
  readonly problems: ReadonlyArray<string>
}

describe("rehearse", () => {
  it("tells what happened to the files in bad weather, and the books agree", { timeout: 120_000 }, async () => {
    const words = ["rehearse", grid, "--days", "0.02", "--bad", "high", "--seed", "3", "--json"]
    const { code, stdout, stderr } = await runHere(words, { cwd: newFolder() })
    assert.strictEqual(code, 0, stderr)
    const told: Rehearsed = JSON.parse(stdout)
    assert.deepStrictEqual(told.strategies, ["btc-grid"])
    assert.deepStrictEqual(told.problems, [])
    assert.isTrue(told.booksAgree)
    assert.isAbove(told.happened["funded"] ?? 0, 0)
    assert.isAbove(told.happened["disturbedRequests"] ?? 0, 0)
    assert.isAtLeast(told.worstDrawdown.usd, 0)
  })

  it("refuses a level that there is none of", async () => {
    const { code } = await runHere(["rehearse", grid, "--bad", "apocalyptic"], { cwd: newFolder() })
    assert.notStrictEqual(code, 0)
  })
})
