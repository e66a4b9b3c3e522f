/**
 * Files of test/fixtures/feather are pandas' own (`DataFrame.to_feather`), of the same candles as the CSV beside those of Parquet;
 * `freqtrade.feather` has the columns, times and compression that freqtrade writes.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as CandleFile from "../../src/candles/CandleFile.ts"
import * as ColumnTable from "../../src/candles/table/ColumnTable.ts"
import { randomFrom } from "../../src/rehearsal/world/World.ts"

const folder = resolve(import.meta.dirname, "../fixtures/feather")
const csv = resolve(folder, "../parquet/minutes.csv")

const load = (file: string) =>
  Effect.scoped(
    CandleFile.load(file, {
      repair: new Set(),
      tradeCandleMillis: 60_000,
      cache: "never",
      wanted: { open: true, volume: true }
    })
  )

const written = (bytes: Uint8Array): string => {
  const file = join(mkdtempSync(join(tmpdir(), "limitbot-feather-")), "minutes.feather")
  writeFileSync(file, bytes)
  return file
}

describe("candles in Feather", () => {
  const names = ["minutes-lz4", "minutes-zstd", "minutes-uncompressed", "freqtrade", "nanoseconds"]
  for (const name of names)
    it.effect(`in ${name} are the same as in the CSV`, () =>
      Effect.gen(function* () {
        const { candles, problems } = yield* load(join(folder, `${name}.feather`))
        const expected = yield* load(csv)
        assert.strictEqual(candles.bars, 60)
        assert.deepStrictEqual(candles, expected.candles)
        assert.deepStrictEqual(problems, [])
      })
    )

  it.effect("with a missing value are refused with its column and row", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(load(join(folder, "empty-low.feather")))
      assert.match(message, /empty-low\.feather:18:\d+: low is empty; /)
    })
  )

  it.effect("of the first version of the format are refused with what to do", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(load(join(folder, "version1.feather")))
      assert.match(message, /version1\.feather: .*the first version of Feather; write it again with pandas 1 or later/)
    })
  )

  it.effect("in a truncated file are refused with its name", () =>
    Effect.gen(function* () {
      const whole = readFileSync(join(folder, "minutes-lz4.feather"))
      for (const length of [6, 100, whole.length - 200]) {
        const { message } = yield* Effect.flip(load(written(whole.subarray(0, length))))
        assert.match(message, /minutes\.feather: no whole Feather file \(.*\); give a readable candle or trade file$/)
      }
    })
  )

  it.effect("are read or refused, for any sizes that the file claims", () =>
    Effect.gen(function* () {
      const random = randomFrom(7)
      let refused = 0
      for (const name of ["minutes-lz4", "minutes-zstd"]) {
        const whole = readFileSync(join(folder, `${name}.feather`))
        for (let turn = 0; turn < 30; turn += 1) {
          const bytes = Uint8Array.from(whole)
          for (let change = 0; change < 3; change += 1)
            bytes[6 + Math.floor(random() * (bytes.length - 6))] = Math.floor(random() * 256)
          const read = yield* Effect.result(ColumnTable.csvOf(bytes, String) ?? Effect.fail("another format"))
          if (Result.isFailure(read)) refused += 1
        }
      }
      assert.isAbove(refused, 5)
    })
  )
})
