/**
 * `limitbot data info|convert|generate|calibrate|download`: looks at candles, repairs, converts, generates or
 * downloads them, and measures a journal.
 */
import { Command, Flag } from "effect/cli"
import { minutesPerYear } from "../../candles/Generate.ts"
import * as DataFiles from "../../lab/runs/DataFiles.ts"
import * as Answer from "../../process/Answer.ts"
import * as runFlags from "../backtest/runFlags.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { download } from "./download.ts"

const market = flags.text("market", "Of a journal: the market whose prices are meant, for example BTC/USDC")

const input = { data: flags.fileArgument("data"), ...runFlags.partFlags }

const calibrate = Command.make(
  "calibrate",
  { journal: flags.fileArgument("journal"), market, json: flags.json },
  Answer.printAnswerOf(DataFiles.calibration)
).pipe(help("What a bot's own orders took, by its journal: for backtest --calibrate"))

const info = Command.make("info", { ...input, market, json: flags.json }, Answer.printAnswerOf(DataFiles.info)).pipe(
  help("What is in a candle or trade file, and what is wrong with it")
)

const convert = Command.make("convert", { ...input, out: flags.fileArgument("out"), market }, DataFiles.convert).pipe(
  help("Write a candle or trade file as plain candles: repaired, cut, aggregated")
)

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
).pipe(help("Make synthetic candles: the same seed gives the same file"))

export const command = Command.make("data").pipe(
  Command.withDescription("Look at candle files, convert and generate them"),
  Command.withSubcommands([info, convert, generate, calibrate, download])
)
