/** Lots against RP2, which counts them on its own: the same gains on a random history, by each method that it knows. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { earned, match } from "../../src/ledger/Lots.ts"
import type { Trade } from "../../src/ledger/Trades.ts"
import * as Rp2 from "../../src/ledger/tables/Rp2.ts"
import { integerBetween, random } from "../strategy/support.ts"
import { emptyRecord } from "./emptyRecord.ts"
import { membersOf } from "./spreadsheet.ts"

const path = [process.env["LIMITBOT_ORACLES"], process.env["PATH"]].filter(Boolean).join(":")
const environment = { PATH: path, LANG: "C.UTF-8" }
const isThere = spawnSync("rp2_us", ["--help"], { env: environment, cwd: tmpdir() }).error === undefined

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
    // Whole dollars: RP2 reads doubles.
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

/** The gains of the report of RP2, read by its own library for spreadsheets. */
const sumOf = `
import sys, ezodf
rows = [[cell.value for cell in row] for row in ezodf.opendoc(sys.argv[1]).sheets["BTC Tax"].rows()]
print(sum(row[2] for row in rows[3:] if row[1:2] == ["BTC"] and isinstance(row[0], float) and row[0] > 2000))
`

describe.skipIf(!isThere)("RP2 and our lots agree", () => {
  for (const [seed, method] of [
    [1, "fifo"],
    [2, "lifo"],
    [3, "hifo"]
  ] as const) {
    it(`on the gains of a random history by ${method}`, () => {
      const folder = mkdtempSync(join(tmpdir(), "limitbot-rp2-"))
      try {
        const trades = historyOf(seed)
        const trading = { ...emptyRecord, trades }
        for (const { name, content } of Rp2.filesOf(trading, { decimals, method }))
          writeFileSync(join(folder, name), content)
        const here = { cwd: folder, env: environment, encoding: "utf8" } as const
        execFileSync("rp2_us", ["-m", method, "-o", "reports", "rp2.ini", "rp2.ods"], { ...here, stdio: "pipe" })
        const report = join("reports", `${method}_rp2_full_report.ods`)
        const theirs = Number(execFileSync("python3", ["-c", sumOf, report], here))
        const ours = match(trades, method).gains.reduce((sum, gain) => sum + earned(gain), 0n)
        assert.approximately(Number(ours) / 1e6, theirs, 0.001, `seed ${seed}`)
        assert.notStrictEqual(theirs, 0)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }
})

it("RP2 receives coins that are given up as lost", () => {
  const [bought] = historyOf(1)
  if (bought === undefined) return assert.fail("no history")
  const lost = {
    ...bought,
    at: bought.at + day,
    side: "SELL",
    quoteAmount: 0n,
    fillId: "given up",
    loss: "given up"
  } as const
  const found = { ...lost, at: lost.at + day, side: "BUY", fillId: "found", loss: "found" } as const
  const sheetOf = (losses: ReadonlyArray<Trade>) => {
    const files = Rp2.filesOf({ ...emptyRecord, trades: [bought], losses }, { decimals, method: "fifo" })
    const sheet = files.find(({ name }) => name === "rp2.ods")?.content
    return typeof sheet === "object"
      ? membersOf(sheet)
          .map(([, text]) => text)
          .join("")
      : ""
  }
  assert.include(sheetOf([lost]), "Lost")
  assert.include(sheetOf([lost]), "0.00000000001")
  // RP2 cannot find coins or sell them for nothing, so lost coins that arrive cancel the loss.
  assert.strictEqual(sheetOf([lost, found]), sheetOf([]))
})
