/** Swaps by hand are in every list of the account: the books, the tables and `fills`. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../../long.ts"
import { runHere, startStill, workspace } from "../../world/processes/program.ts"

describe("exports of an account with swaps by hand", () => {
  it.skipIf(!isLong)("contain the swaps in the books, the tables and the RP2 input", async () => {
    const cwd = workspace(await startStill())
    const limitbot = async (...words: ReadonlyArray<string>) => {
      const { code, stderr, stdout } = await runHere([...words, "--config", "config.yaml"], { cwd })
      assert.strictEqual(code, 0, stderr)
      return stdout
    }
    await limitbot("swap", "0.001", "BTC", "USDC", "--yes")
    await limitbot("swap", "30", "USDC", "BTC", "--yes")
    assert.include(await limitbot("export", "--format", "csv", "--out", "tables"), "2 fills")
    const rowsOf = (name: string) =>
      readFileSync(join(cwd, "tables", `${name}.csv`), "utf8")
        .trim()
        .split("\r\n")
        .slice(1)
        .map((row) => row.split(","))
    const fills = rowsOf("fills").map(([, market, side, quantity, , value, , , slot]) => ({
      ...{ market, side, slot },
      known: side === "SELL" ? quantity : value
    }))
    assert.deepStrictEqual(fills, [
      { market: "BTC/USDC", side: "SELL", slot: "by hand/s1", known: "0.001" },
      { market: "BTC/USDC", side: "BUY", slot: "by hand/s2", known: "30" }
    ])
    assert.lengthOf(rowsOf("payouts"), 2)
    assert.lengthOf(rowsOf("lots"), 1)
    assert.include(await limitbot("export", "--format", "rp2", "--out", "rp2"), "2 fills")
    const listed: ReadonlyArray<{ readonly slot: string; readonly gridProfit: null }> = JSON.parse(
      await limitbot("fills", "--json")
    )
    assert.deepStrictEqual(
      listed.map(({ gridProfit, slot }) => [slot, gridProfit]),
      [
        ["by hand/s1", null],
        ["by hand/s2", null]
      ]
    )
    const money = new Map<string, number>()
    const add = (asset = "", amount = "", sign = 1) =>
      money.set(asset, (money.get(asset) ?? 0) + sign * Math.round(Number(amount) * 1e8))
    for (const [, , asset, amount] of rowsOf("flows")) add(asset, amount)
    for (const [, , asset, fee] of rowsOf("fees")) add(asset, fee, -1)
    for (const [, , side, quantity, base, value, quote] of rowsOf("fills")) {
      add(base, quantity, side === "BUY" ? 1 : -1)
      add(quote, value, side === "BUY" ? -1 : 1)
    }
    assert.deepStrictEqual([...money.values()], [0, 0], "what came in by hand has left again")
  })
})
