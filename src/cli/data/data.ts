/** `limitbot data FILE`: shows candles, repairs, converts, generates or downloads them, and measures a journal. */
import { Clock, Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as ExchangeCandles from "../../app/candles/ExchangeCandles.ts"
import { minutesPerYear } from "../../candles/Generate.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import * as DataFiles from "../../lab/runs/DataFiles.ts"
import { moment } from "../../lab/runs/RunCandles.ts"
import * as Answer from "../../process/Answer.ts"
import * as Progress from "../../process/Progress.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as runFlags from "../backtest/runFlags.ts"
import * as flags from "../flags.ts"

const download = Command.make(
  "download",
  {
    exchange: flags.textFlag("exchange", "The exchange by its name in ccxt, for example kraken"),
    symbol: flags.textFlag("symbol", "The market there, for example BTC/USDT"),
    timeframe: Flag.String("timeframe").pipe(flags.byDefault("Length of a candle", "1m")),
    from: flags.textFlag("from", "Start: 2024-01-31 or epoch milliseconds"),
    to: runFlags.partFlags.to,
    out: flags.fileFlag("out", "The file; the same command continues after its last line")
  },
  Effect.fn(function* (input) {
    const stepMillis = timeframeMillis(input.timeframe)
    if (stepMillis === undefined) return yield* wrongUsage(`--timeframe ${input.timeframe}: write for example 1m, 1h`)
    const from = yield* moment("from", input.from, 0)
    const to = yield* moment("to", input.to, yield* Clock.currentTimeMillis)
    const exchange = yield* ExchangeCandles.openExchange(yield* ExchangeCandles.loadLibrary, input.exchange)
    const progress = yield* Progress.make("download")
    const show = (done: number) => progress.update(done, to - from, input.symbol)
    const written = yield* ExchangeCandles.run(exchange, { ...input, stepMillis, from, to }, show)
    yield* Console.log(`${input.out}: ${written} new candles`)
  }, Effect.scoped)
).pipe(flags.help("Fetch candles from an exchange, through the optional package ccxt"))

const generate = Command.make(
  "generate",
  {
    out: flags.fileArgument("out"),
    bars: flags
      .integerIn("bars", 2, 100_000_000)
      .pipe(flags.byDefault("Number of candles", minutesPerYear, `${minutesPerYear}, a year of minutes`)),
    seed: flags.byDefault("The same seed gives the same candles", 1)(Flag.Int("seed")),
    step: flags.byDefault("Seconds of a candle", 60)(flags.integerIn("step", 1)),
    price: flags.figure("price", "Price at the beginning", 1e-9, 1e12),
    overwrite: flags.toggle("overwrite", "Replace the file if it exists"),
    json: flags.json
  },
  Answer.printAnswerOf(DataFiles.generate)
).pipe(flags.help("Make synthetic candles: the same seed gives the same file"))

export const command = Command.make(
  "data",
  {
    data: flags.fileArgument("file", "A candle or trade file, or with --calibrate a journal"),
    ...runFlags.partFlags,
    market: flags.text("market", "Of a journal: the market of the prices, for example BTC/USDC"),
    out: flags.file("out", "Write it as plain candles into this file: repaired, cut, aggregated"),
    calibrate: flags.toggle("calibrate", "Measure the fills of a bot from its journal FILE: for backtest --calibrate"),
    json: flags.json
  },
  Effect.fn(function* ({ calibrate, json, out, ...asked }) {
    if (out !== undefined) {
      if (calibrate || json) return yield* wrongUsage("--out writes candles: without --calibrate and --json")
      return yield* DataFiles.convert({ ...asked, out })
    }
    if (!calibrate) return yield* Answer.print(DataFiles.info(asked), { json })
    yield* Answer.print(DataFiles.calibration({ journal: asked.data, market: asked.market }), { json })
  })
).pipe(
  flags.help("Show the contents and mistakes of a candle or trade file, or convert it", {
    "limitbot data prices.csv": "Its candles, gaps and mistakes",
    "limitbot data prices.csv.gz --repair all --out clean.csv": "Repair and unpack it"
  }),
  Command.withSubcommands([generate, download])
)
