/** Candles as a file, which is written piece by piece, complete or not at all; and the hash that identifies them. */
import { Effect, FileSystem } from "effect"
import type { Candles } from "../../candles/Candles.ts"
import { sha256Of } from "../../candles/ColumnCache.ts"
import * as TimeAxis from "../../candles/TimeAxis.ts"
import * as Progress from "../../process/Progress.ts"

const linesAtOnce = 50_000

const csvOf = (candles: Candles, from: number, to: number): string => {
  const { time, open, high, low, close, volume, priceScale } = candles
  const lines: Array<string> = []
  const price = (values: Float64Array, bar: number): string => (values[bar] ?? 0).toFixed(priceScale)
  for (let bar = from; bar < to; bar++)
    lines.push(
      [
        TimeAxis.openTime(time, bar),
        price(open, bar),
        price(high, bar),
        price(low, bar),
        price(close, bar),
        volume[bar] ?? 0
      ].join(",")
    )
  return `${lines.join("\n")}\n`
}

/** Writes under another name until the file is complete: an interruption leaves nothing, or the previous file. */
export const writeCsv = Effect.fn("data.writeCsv")(function* (candles: Candles, file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const progress = yield* Progress.make("writing")
  const unfinished = `${file}.unfinished`
  yield* Effect.addFinalizer(() => Effect.ignore(fileSystem.remove(unfinished, { force: true })))
  yield* fileSystem.writeFileString(unfinished, "open_time_ms,open,high,low,close,volume\n")
  for (let from = 0; from < candles.bars; from += linesAtOnce) {
    const to = Math.min(candles.bars, from + linesAtOnce)
    yield* fileSystem.writeFileString(unfinished, csvOf(candles, from, to), { flag: "a" })
    progress.update(to, candles.bars, "")
  }
  yield* fileSystem.rename(unfinished, file)
}, Effect.scoped)

export const hashOf = ({ open, high, low, close }: Candles): string =>
  sha256Of(
    new TextEncoder().encode(
      [open, high, low, close]
        .map((values) => sha256Of(new Uint8Array(values.buffer, values.byteOffset, values.byteLength)))
        .join("")
    )
  )
