/**
 * Implements the commands on files of candles: show the contents, write a plain copy, generate synthetic ones, and show the fills of a
 * journal's orders.
 */
import { Console, Effect, FileSystem } from "effect"
import * as JournalData from "../../app/journal/JournalData.ts"
import { type Candles, extremes } from "../../candles/Candles.ts"
import { sha256Of } from "../../candles/ColumnCache.ts"
import * as Generate from "../../candles/Generate.ts"
import * as TimeAxis from "../../candles/TimeAxis.ts"
import { countText, utc } from "../../domain/Text.ts"
import * as Calibration from "../../ledger/measured/Calibration.ts"
import type { CommandAnswer } from "../../process/Answer.ts"
import * as Progress from "../../process/Progress.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as RunCandles from "./RunCandles.ts"

const columnNeeds = { open: true, volume: true, indexed: false }

interface FileAsked extends RunCandles.PartAsked {
  readonly data: string
  readonly market: string | undefined
}

const load = (asked: FileAsked) => RunCandles.ofFile(asked.data, asked, columnNeeds, asked.market)

export const calibration = Effect.fn("DataFiles.calibration")(function* ({
  journal,
  market
}: Pick<FileAsked, "market"> & { readonly journal: string }) {
  const measurements = yield* JournalData.calibration(journal, market)
  return { data: () => measurements, lines: () => Calibration.describe(measurements) } satisfies CommandAnswer
})

export const info = Effect.fn("DataFiles.info")(function* (asked: FileAsked) {
  const { candles, columns = "", warnings, repaired, sha256, source } = yield* load(asked)
  const { time, bars } = candles
  const gaps = TimeAxis.gaps(time)
  const [lowest, highest] = extremes(candles)
  const [from, to] = [TimeAxis.openTime(time, 0), TimeAxis.closeTime(time, bars - 1)]
  const { stepMillis } = time
  const summary = [
    `${asked.data}: ${countText(bars, "candle")} of ${stepMillis / 1000} s from ${utc(from)} to ${utc(to)}`,
    `prices from ${lowest} to ${highest}`,
    gaps.count === 0 ? "no gaps" : `${countText(gaps.count, "gap")}, ${countText(gaps.bars, "bar")} missing`,
    ...(columns === "" ? [] : [columns]),
    ...warnings
  ]
  const data = { bars, from, to, stepMillis, gaps, lowest, highest, columns, repaired, sha256, source, warnings }
  return { data: () => data, lines: () => summary } satisfies CommandAnswer
})

export const convert = Effect.fn("DataFiles.convert")(function* (asked: FileAsked & { readonly out: string }) {
  const { candles, columns, warnings } = yield* load(asked)
  for (const line of [...(columns === undefined ? [] : [`${asked.data}: ${columns}`]), ...warnings])
    yield* Console.error(line)
  yield* writeCsv(candles, asked.out)
  yield* Console.log(`${asked.out}: ${countText(candles.bars, "candle")}`)
})

interface Generated {
  readonly out: string
  readonly bars: number
  readonly seed: number
  /** In seconds. */
  readonly step: number
  readonly price: number | undefined
  readonly overwrite: boolean
}

export const generate = Effect.fn("DataFiles.generate")(function* (asked: Generated) {
  const { bars, out, overwrite, price, seed, step } = asked
  const fileSystem = yield* FileSystem.FileSystem
  const isFile = (yield* fileSystem.exists(out)) && (yield* fileSystem.stat(out)).type === "File"
  if (isFile && !overwrite) return yield* wrongUsage(`${out} exists: name another file, or add --overwrite`)
  const startPrice = price ?? Generate.defaults.startPrice
  const candles = Generate.generate({ ...Generate.defaults, bars, seed, stepMillis: step * 1000, startPrice })
  yield* writeCsv(candles, out)
  const sha256 = hashOf(candles)
  return {
    data: () => ({ file: out, bars, seed, sha256 }),
    lines: () => [`${out}: ${bars} candles, columns ${sha256}`]
  } satisfies CommandAnswer
})

const linesAtOnce = 50_000

const csvOf = (candles: Candles, from: number, to: number): string => {
  const { time, open, high, low, close, volume, priceScale } = candles
  const columns = [open, high, low, close]
  let text = ""
  for (let bar = from; bar < to; bar++) {
    const prices = columns.map((values) => (values[bar] ?? 0).toFixed(priceScale))
    text += `${TimeAxis.openTime(time, bar)},${prices.join()},${volume[bar] ?? 0}\n`
  }
  return text
}

/** Writes under another name until the file is complete. An interruption leaves nothing, or the previous file. */
const writeCsv = Effect.fn("data.writeCsv")(function* (candles: Candles, file: string) {
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

const hashOf = ({ open, high, low, close }: Candles): string => {
  const bytesOf = (values: Float64Array) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  const hashes = [open, high, low, close].map((values) => sha256Of(bytesOf(values)))
  return sha256Of(new TextEncoder().encode(hashes.join("")))
}
