/**
 * Downloads candles through ccxt, an optional peer dependency because it is big. It respects the exchange's rate limits by itself. A file
 * grows page by page, and the same command continues after its last line. An unfinished candle is left out.
 */
import { Clock, Effect, FileSystem, Predicate, Schema } from "effect"
import type { TradedCandle } from "../../journal/PriceStore.ts"
import { type CommandFailed, commandFailed } from "../CommandFailed.ts"

export interface WantedCandles {
  readonly exchange: string
  readonly symbol: string
  readonly timeframe: string
  readonly stepMillis: number
  /** Epoch milliseconds; `to` is excluded. */
  readonly from: number
  readonly to: number
  readonly out: string
}

export interface Exchange {
  fetchOHLCV(symbol: string, timeframe: string, since: number, limit: number): Promise<unknown>
}

const library = "ccxt"
const pageSize = 1000
/** An exchange may give fewer candles a page than requested, so an empty page proves no more than this number empty. */
const minPageSize = 100

export const loadLibrary: Effect.Effect<unknown, CommandFailed> = Effect.tryPromise({
  try: () => import(library),
  catch: () =>
    commandFailed(
      `Downloads need the package ${library}, which is not installed: npm install --no-save ${library}@4, then again`
    )
})

const isExchange = (value: unknown): value is Exchange => Predicate.hasProperty(value, "fetchOHLCV")

const isConstructor = (value: unknown): value is new (options: unknown) => unknown => typeof value === "function"

export const openExchange = (module: unknown, id: string): Effect.Effect<Exchange, CommandFailed> =>
  Effect.suspend(() => {
    const inside = Predicate.hasProperty(module, "default") ? module.default : module
    const exchangeClass = Predicate.isObject(inside) && Object.hasOwn(inside, id) ? Reflect.get(inside, id) : undefined
    const exchange = isConstructor(exchangeClass) ? new exchangeClass({ enableRateLimit: true }) : undefined
    return isExchange(exchange)
      ? Effect.succeed(exchange)
      : Effect.fail(commandFailed(`--exchange ${id}: ${library} has no such exchange`))
  })

const Rows = Schema.Array(
  Schema.Tuple([Schema.Int, Schema.Finite, Schema.Finite, Schema.Finite, Schema.Finite, Schema.Finite])
)

const page = (exchange: Exchange, { symbol, timeframe }: Omit<WantedCandles, "out">, since: number) =>
  Effect.tryPromise(() => exchange.fetchOHLCV(symbol, timeframe, since, pageSize)).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Rows)),
    Effect.mapError((error) => {
      const cause = "cause" in error && error.cause instanceof Error ? error.cause.message : error.message
      return commandFailed(`${symbol}: ${cause}`)
    })
  )

export const candles = Effect.fn("Download.candles")(function* (
  exchange: Exchange,
  wanted: Omit<WantedCandles, "exchange" | "out">
) {
  const { from, to, stepMillis } = wanted
  const candlesByTime = new Map<number, TradedCandle>()
  for (let since = from; since + stepMillis <= to; ) {
    const rows = yield* page(exchange, { ...wanted, exchange: "" }, since)
    for (const [openedAt, open, high, low, close, volume] of rows)
      if (openedAt >= from && openedAt + stepMillis <= to)
        candlesByTime.set(openedAt, { openedAt, open, high, low, close, volume })
    const last = Math.max(...rows.map(([time]) => time))
    // Without trades for as long as a page covers, an exchange answers with nothing or with older candles.
    since = last < since ? since + minPageSize * stepMillis : last + stepMillis
  }
  return [...candlesByTime.values()].sort((a, b) => a.openedAt - b.openedAt)
})

const header = "open_time_ms,open,high,low,close,volume"

const begin = Effect.fnUntraced(function* ({ out, from, stepMillis }: WantedCandles) {
  const fileSystem = yield* FileSystem.FileSystem
  if (!(yield* fileSystem.exists(out))) {
    yield* fileSystem.writeFileString(out, `${header}\n`)
    return from
  }
  const text = yield* fileSystem.readFileString(out)
  if (!text.startsWith(`${header}\n`))
    return yield* commandFailed(`${out}: this is not a downloaded file; name another`)
  // A torn last line is removed; its candle is downloaded again.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1)
  if (whole.length < text.length) yield* fileSystem.writeFileString(out, whole)
  const last = Number(whole.trimEnd().split("\n").at(-1)?.split(",")[0])
  return Number.isInteger(last) ? Math.max(from, last + stepMillis) : from
})

export const run = Effect.fn("Download.run")(function* (
  exchange: Exchange,
  wanted: WantedCandles,
  onProgress: (until: number) => void
) {
  const fileSystem = yield* FileSystem.FileSystem
  const { from, to, out, stepMillis } = wanted
  let since = yield* begin(wanted)
  let written = 0
  for (;;) {
    const end = Math.min(to, yield* Clock.currentTimeMillis) - stepMillis
    if (since > end) return written
    const rows = yield* page(exchange, wanted, since).pipe(
      Effect.mapError(({ message }) => commandFailed(`${message}; ${out} is kept, and the same command continues it`))
    )
    const fresh = rows.filter(([time]) => time >= since && time <= end).sort(([a], [b]) => a - b)
    const last = fresh.at(-1)?.[0]
    // An empty page is the end, unless the exchange merely had no trades for as long as a page covers.
    if (last === undefined && since + minPageSize * stepMillis > end) return written
    if (fresh.length > 0)
      yield* fileSystem.writeFileString(out, fresh.map((row) => `${row.join(",")}\n`).join(""), { flag: "a" })
    written += fresh.length
    since = last === undefined ? since + minPageSize * stepMillis : last + stepMillis
    onProgress(since - from)
  }
})
