/** Downloads against an exchange of our own: a stand-in with the face of the library, over a real HTTP server. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ExchangeCandles from "../../../src/app/candles/ExchangeCandles.ts"

const minute = 60_000
const start = Date.UTC(2024, 0, 1)
const pageOfExchange = 100

/** Minutes from `start` on; three hours of them are missing. */
const isMissing = (index: number) => index >= 300 && index < 480

const served = { requests: 0, failsAt: Number.POSITIVE_INFINITY }

const server = createServer((request, response) => {
  served.requests++
  if (served.requests === served.failsAt) return response.writeHead(503).end("busy")
  const since = Number(new URL(request.url ?? "", "http://localhost").searchParams.get("since"))
  const first = Math.max(0, Math.ceil((since - start) / minute))
  const indices = Array.from({ length: 2000 - first }, (_, index) => first + index).filter((index) => !isMissing(index))
  const rows = indices.slice(0, pageOfExchange).map((index) => [start + index * minute, 1, 3, 0.5, 2, index])
  return response.end(JSON.stringify(rows))
})

const listening = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<number>((done) =>
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          done(typeof address === "object" && address !== null ? address.port : 0)
        })
      )
  ),
  () => Effect.sync(() => server.close())
)

const standIn = (port: number) => ({
  default: {
    local: class {
      async fetchOHLCV(symbol: string, timeframe: string, since: number): Promise<unknown> {
        const answer = await fetch(
          `http://127.0.0.1:${port}/ohlcv?${new URLSearchParams({ symbol, timeframe, since: `${since}` })}`
        )
        if (!answer.ok) throw new Error(`the exchange said ${answer.status}`)
        return answer.json()
      }
    }
  }
})

const folder = mkdtempSync(join(tmpdir(), "limitbot-download-"))
const wantedIn = (name: string): ExchangeCandles.WantedCandles => ({
  exchange: "local",
  symbol: "BTC/USDT",
  timeframe: "1m",
  stepMillis: minute,
  from: start,
  to: start + 1000 * minute,
  out: join(folder, name)
})

const linesOf = ({ out }: ExchangeCandles.WantedCandles) => readFileSync(out, "utf8").trimEnd().split("\n")

describe("ExchangeCandles", () => {
  it.live("fetches all pages across gaps, keeps each candle once, and continues after a failure", () =>
    Effect.gen(function* () {
      const port = yield* listening
      const exchange = yield* ExchangeCandles.openExchange(standIn(port), "local")
      const wanted = wantedIn("whole.csv")
      assert.strictEqual(yield* ExchangeCandles.run(exchange, wanted, () => undefined), 820)
      const lines = linesOf(wanted)
      assert.strictEqual(lines.length, 821)
      assert.strictEqual(lines[1], `${start},1,3,0.5,2,0`)
      assert.strictEqual(lines.at(-1), `${start + 999 * minute},1,3,0.5,2,999`)
      assert.strictEqual(yield* ExchangeCandles.run(exchange, wanted, () => undefined), 0)

      const again = wantedIn("again.csv")
      served.failsAt = served.requests + 4
      const failure = yield* Effect.flip(ExchangeCandles.run(exchange, again, () => undefined))
      assert.match(failure.message, /BTC\/USDT: the exchange said 503; .* is kept, and the same command continues it/)
      const half = readFileSync(again.out, "utf8")
      assert.isTrue(half.length > 1000)
      writeFileSync(again.out, half.slice(0, -7))
      yield* ExchangeCandles.run(exchange, again, () => undefined)
      assert.deepStrictEqual(linesOf(again), lines)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("fetches the candles after hours without trades from an exchange whose pages cover few candles", () =>
    Effect.gen(function* () {
      const [from, to] = [-1_000 * minute, 0]
      const [before, after] = [from + 20 * minute, from + 330 * minute]
      const times = Array.from({ length: 1_000 }, (_, index) => from + index * minute)
      const traded = times.filter((time) => time <= before || time >= after)
      const exchange: ExchangeCandles.Exchange = {
        fetchOHLCV: async (_symbol, _timeframe, since) =>
          traded
            .filter((time) => time >= since && time < since + pageOfExchange * minute)
            .map((time) => [time, 1, 3, 0.5, 2, 1])
      }
      const wanted = { ...wantedIn("quiet.csv"), from, to }
      const candles = yield* ExchangeCandles.candles(exchange, wanted)
      assert.deepStrictEqual(
        candles.map(({ openedAt }) => openedAt),
        traded
      )
      assert.strictEqual(yield* ExchangeCandles.run(exchange, wanted, () => undefined), traded.length)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("says what to do about an unknown exchange, an unreadable answer or a file of other candles", () =>
    Effect.gen(function* () {
      const unknown = yield* Effect.flip(ExchangeCandles.openExchange(standIn(1), "nowhere"))
      assert.match(unknown.message, /--exchange nowhere: ccxt has no such exchange/)
      const nonsense: ExchangeCandles.Exchange = { fetchOHLCV: () => Promise.resolve([["x"]]) }
      const refused = yield* Effect.flip(
        ExchangeCandles.run(nonsense, { ...wantedIn("nonsense.csv"), from: -10 * minute, to: 0 }, () => undefined)
      )
      assert.match(refused.message, /continues it/)
      const other = wantedIn("other.csv")
      writeFileSync(other.out, "something else\n")
      const mixed = yield* Effect.flip(ExchangeCandles.run(nonsense, other, () => undefined))
      assert.match(mixed.message, /not a downloaded file; name another/)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
