/** Worth over time as a table, and tables as Parquet: what a reader gets back is what the CSV says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parquetOf } from "../../src/app/money/Exporting.ts"
import * as Trades from "../../src/ledger/Trades.ts"
import * as Tables from "../../src/ledger/tables/Tables.ts"
import { decimals, journal, start } from "./account.ts"
import { parquetRowsOf, parquetTitlesOf } from "./parquet.ts"

const fold = Trades.make(decimals)
journal.forEach(fold.see)
const trading = fold.result()
const ever = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }
const minutesAt = (...all: ReadonlyArray<readonly [minute: number, close: number]>) =>
  new Map([
    ["BTC/USDC", all.map(([minute, close]) => ({ openedAt: start + minute * 60_000, close, high: close, low: close }))]
  ])

describe("the table of equity", () => {
  it("has a row per hour with a price, and one at the last minute, with trades and costs valued", () => {
    const minutes = minutesAt([10, 60_000], [59, 61_000], [130, 62_000])
    const { rows, titles } = Tables.equityTable(trading, { decimals, minutes, span: ever })
    assert.deepStrictEqual(titles, ["time", "currency", "worth", "held"])
    assert.deepStrictEqual(
      rows.map(([time, currency]) => [time, currency]),
      [
        ["2026-01-01T01:00:00.000Z", "USDC"],
        ["2026-01-01T02:11:00.000Z", "USDC"]
      ]
    )
    const [first] = rows
    // 0.002 BTC for 120, of which 0.001 went for 66, at 61,000; ten of its smallest units and ten of USDC went as fees.
    assert.approximately(Number(first?.[2]) - Number(first?.[3]), -120 + 66 + 0.000_999_9 * 61_000 - 0.00001, 1e-6)
  })

  it("covers the requested span, and is empty without prices", () => {
    const minutes = minutesAt([10, 60_000], [130, 62_000])
    const span = { from: start + 3_600_001, to: start + 86_400_000 }
    assert.lengthOf(Tables.equityTable(trading, { decimals, minutes, span }).rows, 1)
    assert.deepStrictEqual(Tables.equityTable(trading, { decimals, minutes: new Map(), span: ever }).rows, [])
  })
})

describe("a table as Parquet", () => {
  it.effect("is read back as written, every digit of it", () =>
    Effect.gen(function* () {
      for (const table of Tables.tablesOf(trading, { decimals, method: "fifo", span: ever })) {
        const bytes = yield* parquetOf(table)
        assert.deepStrictEqual(parquetTitlesOf(bytes), table.titles)
        assert.deepStrictEqual(yield* Effect.promise(() => parquetRowsOf(bytes)), table.rows, table.name)
      }
    })
  )

  it.effect("keeps digits beyond a double, empty cells, odd text, and tables without rows", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 3_000 }, (_, index) => [
        new Date(Date.UTC(2026, 0, 1) + index).toISOString(),
        `${index}.123456789012345678901234`,
        index % 3 === 0 ? "" : '=1+1, "ü"\n',
        index === 7 ? "" : "2026-01-01T00:00:00.000Z"
      ])
      const titles = ["time", "amount", "note", "sold"]
      for (const each of [rows, []]) {
        const bytes = yield* parquetOf({ name: "odd", titles, rows: each })
        assert.deepStrictEqual(parquetTitlesOf(bytes), titles)
        assert.deepStrictEqual(yield* Effect.promise(() => parquetRowsOf(bytes)), each)
      }
    })
  )
})
