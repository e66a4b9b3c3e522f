/** `limitbot data FILE`: shows candles, repairs, converts, generates or downloads them, and measures a journal. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { minutesPerYear } from "../../candles/Generate.ts"
import * as DataFiles from "../../lab/runs/DataFiles.ts"
import * as Answer from "../../process/Answer.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as runFlags from "../backtest/runFlags.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { download } from "./download.ts"

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

export const command = Command.make(
  "data",
  {
    data: flags
      .fileArgument("file")
      .pipe(Argument.withDescription("A candle or trade file, or with --calibrate a journal")),
    ...runFlags.partFlags,
    market: flags.text("market", "Of a journal: the market of the prices, for example BTC/USDC"),
    out: flags.file("out", "Write it as plain candles into this file: repaired, cut, aggregated"),
    calibrate: flags.toggle("calibrate", "Measure the fills of a bot from its journal FILE: for backtest --calibrate"),
    json: flags.json
  },
  Effect.fn(function* ({ calibrate, json, out, ...asked }) {
    if (Option.isSome(out)) {
      if (calibrate || json)
        return yield* new WrongUsage({ message: "--out writes candles: without --calibrate and --json" })
      return yield* DataFiles.convert({ ...asked, out: out.value })
    }
    if (!calibrate) return yield* Answer.print(DataFiles.info(asked), { json })
    yield* Answer.print(DataFiles.calibration({ journal: asked.data, market: asked.market }), { json })
  })
).pipe(
  help("Show the contents and mistakes of a candle or trade file, or convert it", {
    "limitbot data prices.csv": "Its candles, gaps and mistakes",
    "limitbot data prices.csv.gz --repair all --out clean.csv": "Repair and unpack it"
  }),
  Command.withSubcommands([generate, download])
)
