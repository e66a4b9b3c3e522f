/** Files of test/fixtures/parquet are pandas' own (`DataFrame.to_parquet`), of the same candles as the CSV there. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as CandleFile from "../../src/candles/CandleFile.ts"

const folder = resolve(import.meta.dirname, "../fixtures/parquet")

const load = (file: string) =>
  Effect.scoped(
    CandleFile.load(file, {
      repair: new Set(),
      tradeCandleMillis: 60_000,
      cache: "never",
      wanted: { open: true, volume: true }
    })
  )

const refusal = (name: string) => Effect.map(Effect.flip(load(join(folder, name))), ({ message }) => message)

describe("candles in Parquet", () => {
  for (const name of ["minutes-snappy.parquet", "times-zstd.parquet", "times-gzip.parquet", "times-brotli.parquet"]) {
    it.effect(`in ${name} are the same as in the CSV`, () =>
      Effect.gen(function* () {
        const { candles, problems } = yield* load(join(folder, name))
        const expected = yield* load(join(folder, "minutes.csv"))
        assert.strictEqual(candles.bars, 60)
        assert.deepStrictEqual(candles, expected.candles)
        assert.deepStrictEqual(problems, [])
      })
    )
  }

  it.effect("with a missing value are refused with its column and row", () =>
    Effect.gen(function* () {
      const message = yield* refusal("empty-low.parquet")
      // The names are line 1, so the seventeenth row is line 18.
      assert.match(message, /empty-low\.parquet:18:\d+: low is empty; /)
    })
  )

  it.effect("without a column are refused with its name and the columns that exist", () =>
    Effect.gen(function* () {
      const message = yield* refusal("no-close.parquet")
      assert.include(message, "no column for close among open_time_ms, open, high, low, last price of it, volume")
    })
  )

  it.effect("of an unknown codec are refused with its name", () =>
    Effect.gen(function* () {
      const message = yield* refusal("times-lz4.parquet")
      assert.include(message, "times-lz4.parquet: ")
      assert.include(message, "LZ4")
    })
  )

  it.effect("in a truncated file are refused with its name", () =>
    Effect.gen(function* () {
      const whole = readFileSync(join(folder, "minutes-snappy.parquet"))
      for (const length of [4, 100, whole.length - 10]) {
        const file = join(mkdtempSync(join(tmpdir(), "limitbot-parquet-")), "cut.parquet")
        writeFileSync(file, whole.subarray(0, length))
        const { message } = yield* Effect.flip(load(file))
        assert.match(message, /cut\.parquet: .*; give a readable candle or trade file$/)
      }
    })
  )
})
