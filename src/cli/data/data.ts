/**
 * `limitbot data info|convert|generate|calibrate|download`: looks at candles, repairs, converts, generates or
 * downloads them, and measures a journal.
 */

import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import * as RunCandles from "../../app/backtest/RunCandles.ts"
import { writeCsv } from "../../app/candles/CandleText.ts"
import * as JournalData from "../../app/journal/JournalData.ts"
import * as Answer from "../../app/process/Answer.ts"
import * as Calibration from "../../backtest/results/Calibration.ts"
import { extremes } from "../../candles/Candles.ts"
import * as TimeAxis from "../../candles/TimeAxis.ts"
import { iso } from "../../domain/Text.ts"
import { counted } from "../../domain/Words.ts"
import * as runFlags from "../backtest/runFlags.ts"
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { download } from "./download.ts"
import { generate } from "./generate.ts"

const wanted = { open: true, volume: true, indexed: false }

const market = flags.text("market", "Of a journal: the market whose prices are meant, for example BTC/USDC")

const input = { data: FileName.argument("data"), ...runFlags.partFlags }

const load = (asked: RunCandles.PartAsked & { readonly data: string; readonly market: Option.Option<string> }) =>
  RunCandles.ofFile(asked.data, asked, wanted, Option.getOrUndefined(asked.market))

const calibrate = Command.make(
  "calibrate",
  { journal: FileName.argument("journal"), market, json: flags.json },
  Effect.fn(function* ({ journal, market }) {
    const found = yield* JournalData.calibration(journal, Option.getOrUndefined(market))
    return { data: () => found, lines: () => Calibration.describe(found) }
  }, Answer.print)
).pipe(help("What a bot's own orders took, by its journal: for backtest --calibrate"))

const info = Command.make(
  "info",
  { ...input, market, json: flags.json },
  Effect.fn(function* (input) {
    const { candles, warnings, repaired, sha256, source } = yield* load(input)
    const { time, bars } = candles
    const gaps = TimeAxis.gaps(time)
    const [lowest, highest] = extremes(candles)
    const [from, to] = [TimeAxis.openTime(time, 0), TimeAxis.closeTime(time, bars - 1)]
    const { stepMillis } = time
    const said = [
      `${input.data}: ${counted(bars, "candle")} of ${stepMillis / 1000} s from ${iso(from)} to ${iso(to)}`,
      `prices from ${lowest} to ${highest}`,
      gaps.count === 0 ? "no gaps" : `${counted(gaps.count, "gap")}, ${counted(gaps.bars, "bar")} missing`,
      ...warnings
    ]
    const data = { bars, from, to, stepMillis, gaps, lowest, highest, repaired, sha256, source, warnings }
    return { data: () => data, lines: () => said }
  }, Answer.print)
).pipe(help("What is in a candle or trade file, and what is wrong with it"))

const convert = Command.make(
  "convert",
  { ...input, out: FileName.argument("out"), market },
  Effect.fn(function* (input) {
    const { candles, warnings } = yield* load(input)
    for (const warning of warnings) yield* Console.error(warning)
    yield* writeCsv(candles, input.out)
    yield* Console.log(`${input.out}: ${candles.bars} candles`)
  })
).pipe(help("Write a candle or trade file as plain candles: repaired, cut, aggregated"))

export const command = Command.make("data").pipe(
  Command.withDescription("Look at candle files, convert and generate them"),
  Command.withSubcommands([info, convert, generate, calibrate, download])
)
