/**
 * `limitbot data info|convert|generate|calibrate|download`: looks at candles, repairs, converts, generates or
 * downloads them, and measures a journal.
 */

import { Clock, Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Calibration from "../../backtest/results/Calibration.ts"
import type { Candles } from "../../candles/Candles.ts"
import { sha256Of } from "../../candles/ColumnCache.ts"
import * as Generate from "../../candles/Generate.ts"
import * as TimeAxis from "../../candles/TimeAxis.ts"
import { iso } from "../../domain/Text.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import * as flags from "../flags.ts"
import * as JournalData from "../journal/JournalData.ts"
import * as Progress from "../Progress.ts"
import { WrongUsage } from "../Usage.ts"
import * as BacktestInput from "./BacktestInput.ts"
import * as Download from "./Download.ts"

const wanted = { open: true, volume: true, indexed: false }

/** The least and the greatest, without spreading millions of arguments. */
const extremes = ({ low, high }: Candles): readonly [number, number] => [
  low.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
  high.reduce((greatest, value) => Math.max(greatest, value), 0)
]

const market = Flag.String("market").pipe(
  Flag.withDescription("Of a journal: the market whose prices are meant, for example BTC/USDC"),
  Flag.optional
)

const load = (input: BacktestInput.DataFlags & { readonly market: Option.Option<string> }) =>
  BacktestInput.loadCandles(input, wanted, Option.getOrUndefined(input.market))

const calibrate = Command.make(
  "calibrate",
  { journal: Argument.String("journal"), market, json: flags.json },
  Effect.fn(function* ({ journal, market, json }) {
    const found = yield* JournalData.calibration(journal, Option.getOrUndefined(market))
    yield* Console.log(json ? JSON.stringify(found) : Calibration.describe(found).join("\n"))
  })
).pipe(Command.withDescription("What a bot's own orders took, by its journal: for backtest --calibrate"))

const info = Command.make(
  "info",
  { ...BacktestInput.dataFlags, data: Argument.String("data"), market, json: flags.json },
  Effect.fn(function* (input) {
    const { candles, warnings, repaired, sha256, source } = yield* load(input)
    const { time, bars } = candles
    const gaps = TimeAxis.gaps(time)
    const [lowest, highest] = extremes(candles)
    const [from, to] = [TimeAxis.openTime(time, 0), TimeAxis.closeTime(time, bars - 1)]
    const shown = {
      bars,
      from,
      to,
      stepMillis: time.stepMillis,
      gaps,
      lowest,
      highest,
      repaired,
      sha256,
      source,
      warnings
    }
    if (input.json) return yield* Console.log(JSON.stringify(shown))
    yield* Console.log(
      [
        `${input.data}: ${bars} candles of ${time.stepMillis / 1000} s from ${iso(from)} to ${iso(to)}`,
        `prices from ${lowest} to ${highest}`,
        gaps.count === 0 ? "no gaps" : `${gaps.count} gaps, ${gaps.bars} bars missing`,
        ...warnings
      ].join("\n")
    )
  })
).pipe(Command.withDescription("What is in a candle or trade file, and what is wrong with it"))

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

/** Written under another name until it is complete: an interruption leaves nothing, or the previous file. */
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

const convert = Command.make(
  "convert",
  { ...BacktestInput.dataFlags, data: Argument.String("data"), out: Argument.String("out"), market },
  Effect.fn(function* (input) {
    const { candles, warnings } = yield* load(input)
    for (const warning of warnings) yield* Console.error(warning)
    yield* writeCsv(candles, input.out)
    yield* Console.log(`${input.out}: ${candles.bars} candles`)
  })
).pipe(Command.withDescription("Write a candle or trade file as plain candles: repaired, cut, aggregated"))

const generate = Command.make(
  "generate",
  {
    out: Argument.String("out"),
    bars: Flag.Int("bars").pipe(
      Flag.withDescription("Number of candles; default: a year"),
      Flag.withDefault(Generate.minutesPerYear)
    ),
    seed: Flag.Int("seed").pipe(Flag.withDescription("The same seed gives the same candles"), Flag.withDefault(1)),
    step: Flag.Int("step").pipe(Flag.withDescription("Seconds of a candle"), Flag.withDefault(60)),
    price: Flag.Finite("price").pipe(Flag.withDescription("Price at the beginning"), Flag.optional),
    overwrite: Flag.Boolean("overwrite").pipe(
      Flag.withDescription("Replace the file if it exists"),
      Flag.withDefault(false)
    ),
    json: flags.json
  },
  Effect.fn(function* ({ out, bars, seed, step, price, overwrite, json }) {
    if (bars < 2 || bars > 100_000_000 || step < 1)
      return yield* new WrongUsage({
        message: "--bars, --step: 2 to 100,000,000 bars of at least a second"
      })
    const fileSystem = yield* FileSystem.FileSystem
    const isFile = (yield* fileSystem.exists(out)) && (yield* fileSystem.stat(out)).type === "File"
    if (isFile && !overwrite)
      return yield* new WrongUsage({ message: `${out} exists: name another file, or add --overwrite` })
    const startPrice = Option.getOrElse(price, () => Generate.defaults.startPrice)
    const candles = Generate.generate({ ...Generate.defaults, bars, seed, stepMillis: step * 1000, startPrice })
    yield* writeCsv(candles, out)
    const sha256 = hashOf(candles)
    yield* Console.log(
      json ? JSON.stringify({ file: out, bars, seed, sha256 }) : `${out}: ${bars} candles, columns ${sha256}`
    )
  })
).pipe(Command.withDescription("Make synthetic candles: the same seed gives the same file"))

/** One hash over the four price columns. */
const hashOf = ({ open, high, low, close }: Candles): string =>
  sha256Of(
    new TextEncoder().encode(
      [open, high, low, close]
        .map((values) => sha256Of(new Uint8Array(values.buffer, values.byteOffset, values.byteLength)))
        .join("")
    )
  )

const download = Command.make(
  "download",
  {
    exchange: Flag.String("exchange").pipe(
      Flag.withDescription("The exchange by its name in ccxt, for example kraken")
    ),
    symbol: Flag.String("symbol").pipe(Flag.withDescription("The market there, for example BTC/USDT")),
    timeframe: Flag.String("timeframe").pipe(Flag.withDescription("Length of a candle"), Flag.withDefault("1m")),
    from: Flag.String("from").pipe(Flag.withDescription("First moment: 2024-01-31 or epoch milliseconds")),
    to: BacktestInput.dataFlags.to,
    out: Flag.String("out").pipe(Flag.withDescription("The file; the same command goes on after its last line"))
  },
  Effect.fn(function* (input) {
    const stepMillis = timeframeMillis(input.timeframe)
    if (stepMillis === undefined)
      return yield* new WrongUsage({
        message: `--timeframe ${input.timeframe}: write for example 1m, 1h`
      })
    const from = yield* BacktestInput.moment("from", Option.some(input.from), 0)
    const to = yield* BacktestInput.moment("to", input.to, yield* Clock.currentTimeMillis)
    const exchange = yield* Effect.flatMap(Download.loadLibrary, (module) =>
      Download.openExchange(module, input.exchange)
    )
    const progress = yield* Progress.make("download")
    const wanted = { ...input, stepMillis, from, to }
    const written = yield* Download.run(exchange, wanted, (done) => progress.update(done, to - from, input.symbol))
    yield* Console.log(`${input.out}: ${written} new candles`)
  }, Effect.scoped)
).pipe(Command.withDescription("Fetch candles from an exchange, through the optional package ccxt"))

export const command = Command.make("data").pipe(
  Command.withDescription("Look at candle files, convert and generate them"),
  Command.withSubcommands([info, convert, generate, calibrate, download])
)
