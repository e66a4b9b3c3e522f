/** `rehearse` at the command line: the user's files in bad weather, told for people and for programs. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../../long.ts"
import { assertSays, newFolder, runHere } from "../../world/processes/program.ts"

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
  it.skipIf(!isLong)("reports how the files trade in bad weather, and the books agree", async () => {
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

  it("refuses a file that uses volumes, with line and column", async () => {
    const cwd = newFolder()
    writeFileSync(
      join(cwd, "surge.yaml"),
      `name: surge
market: BTC/USDC
kind: rules
candles: btc.csv
limits: { budget: { quote: 1000 } }
rules: { orders: { dip: { when: volume > 1, side: buy, price: mid, size: { quote: 100 } } } }
`
    )
    const { code, stderr } = await runHere(["rehearse", "surge.yaml"], { cwd })
    assert.notStrictEqual(code, 0)
    assert.match(stderr, /surge.yaml:6:33: a rehearsal has no volumes/)
  })

  it("refuses an unknown level", async () => {
    const level = await runHere(["rehearse", grid, "--bad", "apocalyptic"], { cwd: newFolder() })
    assertSays(level, 2, /apocalyptic/)
  })
})
