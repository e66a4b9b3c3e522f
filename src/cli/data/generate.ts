/** `limitbot data generate`: synthetic candles; the same seed gives the same file. */
import { Effect, FileSystem, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { hashOf, writeCsv } from "../../app/candles/CandleText.ts"
import * as Answer from "../../app/process/Answer.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as Generate from "../../candles/Generate.ts"
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const generate = Command.make(
  "generate",
  {
    out: FileName.argument("out"),
    bars: flags
      .integerIn("bars", 2, 100_000_000)
      .pipe(
        flags.byDefault("Number of candles", Generate.minutesPerYear, `${Generate.minutesPerYear}, a year of minutes`)
      ),
    seed: flags.byDefault("The same seed gives the same candles", 1)(Flag.Int("seed")),
    step: flags.byDefault("Seconds of a candle", 60)(flags.integerIn("step", 1)),
    price: flags.figure("price", "Price at the beginning", 1e-9, 1e12),
    overwrite: flags.toggle("overwrite", "Replace the file if it exists"),
    json: flags.json
  },
  Effect.fn(function* ({ out, bars, seed, step, price, overwrite }) {
    const fileSystem = yield* FileSystem.FileSystem
    const isFile = (yield* fileSystem.exists(out)) && (yield* fileSystem.stat(out)).type === "File"
    if (isFile && !overwrite)
      return yield* new WrongUsage({ message: `${out} exists: name another file, or add --overwrite` })
    const startPrice = Option.getOrElse(price, () => Generate.defaults.startPrice)
    const candles = Generate.generate({ ...Generate.defaults, bars, seed, stepMillis: step * 1000, startPrice })
    yield* writeCsv(candles, out)
    const sha256 = hashOf(candles)
    return {
      data: () => ({ file: out, bars, seed, sha256 }),
      lines: () => [`${out}: ${bars} candles, columns ${sha256}`]
    }
  }, Answer.print)
).pipe(help("Make synthetic candles: the same seed gives the same file"))
