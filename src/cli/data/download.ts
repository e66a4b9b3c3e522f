/** `limitbot data download`: candles from an exchange, through the optional package ccxt. */
import { Clock, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as ExchangeCandles from "../../app/candles/ExchangeCandles.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import { moment } from "../../lab/runs/RunCandles.ts"
import * as Progress from "../../process/Progress.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as runFlags from "../backtest/runFlags.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const download = Command.make(
  "download",
  {
    exchange: Flag.String("exchange").pipe(
      Flag.withDescription("The exchange by its name in ccxt, for example kraken")
    ),
    symbol: Flag.String("symbol").pipe(Flag.withDescription("The market there, for example BTC/USDT")),
    timeframe: Flag.String("timeframe").pipe(flags.byDefault("Length of a candle", "1m")),
    from: Flag.String("from").pipe(Flag.withDescription("Start: 2024-01-31 or epoch milliseconds")),
    to: runFlags.partFlags.to,
    out: flags.fileFlag("out").pipe(Flag.withDescription("The file; the same command continues after its last line"))
  },
  Effect.fn(function* (input) {
    const stepMillis = timeframeMillis(input.timeframe)
    if (stepMillis === undefined)
      return yield* new WrongUsage({
        message: `--timeframe ${input.timeframe}: write for example 1m, 1h`
      })
    const from = yield* moment("from", Option.some(input.from), 0)
    const to = yield* moment("to", input.to, yield* Clock.currentTimeMillis)
    const exchange = yield* Effect.flatMap(ExchangeCandles.loadLibrary, (module) =>
      ExchangeCandles.openExchange(module, input.exchange)
    )
    const progress = yield* Progress.make("download")
    const request = { ...input, stepMillis, from, to }
    const written = yield* ExchangeCandles.run(exchange, request, (done) =>
      progress.update(done, to - from, input.symbol)
    )
    yield* Console.log(`${input.out}: ${written} new candles`)
  }, Effect.scoped)
).pipe(help("Fetch candles from an exchange, through the optional package ccxt"))
