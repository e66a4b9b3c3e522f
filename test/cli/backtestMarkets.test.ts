/** `limitbot backtest` with the candles of several markets, from words on the command line to what is printed and written. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Journal } from "../../src/journal/Journal.ts"
import { PriceStore } from "../../src/journal/PriceStore.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import { isLong } from "../long.ts"
import { limitbot } from "./backtesting.ts"

const folder = mkdtempSync(join(tmpdir(), "limitbot-markets-"))
const [btc, eth] = [join(folder, "btc.csv"), join(folder, "eth.csv")]
const thirds = join(folder, "thirds.yaml")
const alone = join(folder, "alone.yaml")
writeFileSync(
  thirds,
  `name: thirds
market: [BTC/USDC, ETH/USDC]
kind: rebalance
limits: { budget: { BTC: 0.02, ETH: 0.4, USDC: 900 } }
rebalance: { targets: { BTC: 40%, ETH: 30% }, band: 1% }
`
)
writeFileSync(
  alone,
  `name: alone
market: BTC/USDC
kind: rebalance
limits: { budget: { base: 0.02, quote: 900 } }
rebalance: { target: 50%, band: 1% }
`
)

beforeAll(() =>
  Effect.runPromise(
    Effect.andThen(
      limitbot("data", "generate", btc, "--bars", "3000", "--price", "40000"),
      limitbot("data", "generate", eth, "--bars", "2000", "--price", "2500", "--seed", "2")
    ).pipe(Effect.scoped)
  )
)
const both = ["--data", `ETH/USDC=${eth}`, "--data", `BTC/USDC=${btc}`]
/** Without simulated runs. */
const quickly = ["--band", "rules", "--json"]

/** Five hours of minutes that a bot recorded in both markets, without ten minutes in the middle. */
const recordPrices = Effect.fnUntraced(function* (name: string) {
  const filename = join(folder, name)
  const stores = PriceStore.layer.pipe(Layer.provideMerge(Journal.layer), Layer.provide(Sqlite.layer({ filename })))
  const prices = [
    ["BTC/USDC", 40_000, 1500],
    ["ETH/USDC", 2500, -200]
  ] as const
  yield* Effect.gen(function* () {
    const store = yield* PriceStore
    for (let minute = 0; minute < 300; minute++) {
      if (minute >= 100 && minute < 110) continue
      const openedAt = 1_700_000_040_000 + minute * 60_000
      for (const [market, price, swing] of prices) {
        const close = price + swing * Math.sin(minute / 30)
        yield* store.append(market, { openedAt, open: close, high: close, low: close, close })
      }
    }
  }).pipe(Effect.provide(stores))
  return `journal:${filename}`
})

const decimal = (text: string): bigint => {
  const [whole = "", part = ""] = text.split(".")
  return BigInt(whole) * 10n ** 18n + BigInt(part.padEnd(18, "0")) * (whole.startsWith("-") ? -1n : 1n)
}

/** Fills alone do not show refunds and payouts of cancelled orders. */
const withoutFlat = ["--withdraw-fee", "0,0,0", "--refund-fee", "0,0,0"]

/** What is held in the end follows from the budget and every fill, to the last unit. */
const assertBooks = (fillsCsv: string, budget: Readonly<Record<string, string>>, side: unknown, markets: object) => {
  const held = new Map(Object.entries(budget).map(([symbol, amount]) => [symbol, decimal(amount)]))
  const [header, ...rows] = readFileSync(fillsCsv, "utf8").trim().split("\n")
  assert.strictEqual(
    header,
    "bar_index,open_time_ms,side,slot,price,base,quote,market,markout_1m,markout_5m,markout_60m"
  )
  let last = 0
  for (const row of rows) {
    const [bar = "", , side, , , base = "", quote = "", market = ""] = row.split(",")
    const symbol = market.slice(0, -"/USDC".length)
    const sign = side === "BUY" ? 1n : -1n
    held.set(symbol, (held.get(symbol) ?? 0n) + sign * decimal(base))
    held.set("USDC", (held.get("USDC") ?? 0n) - sign * decimal(quote))
    assert.isAtLeast(Number(bar), last)
    last = Number(bar)
  }
  const text = (of: unknown, key: string): string => `${Object(of)[key]}`
  assert.strictEqual(decimal(text(side, "quote")), held.get("USDC"))
  for (const [name, figures] of Object.entries(markets))
    assert.strictEqual(decimal(text(figures.optimistic, "base")), held.get(name.slice(0, -"/USDC".length)), name)
  return rows
}

describe("backtest of several markets", () => {
  it.live("takes the candles of each market, and reports the total and each market", () =>
    Effect.gen(function* () {
      const [fills, html] = [join(folder, "fills.csv"), join(folder, "report.html")]
      const words = ["backtest", thirds, ...both, "--fills", "optimistic", ...withoutFlat]
      const result = JSON.parse(yield* limitbot(...words, "--json", "--fills-csv", fills, "--report", html))
      assert.strictEqual(result.market, "BTC/USDC, ETH/USDC")
      assert.strictEqual(result.bars, 2000)
      assert.deepStrictEqual(Object.keys(result.markets), ["BTC/USDC", "ETH/USDC"])
      const { optimistic: high } = result.sides
      for (const key of ["pnlQuote", "feesQuote", "maxDrawdown", "fills", "base", "quote"]) assert.property(high, key)
      const parts = [result.markets["BTC/USDC"].optimistic, result.markets["ETH/USDC"].optimistic]
      assert.strictEqual(parts[0].base, high.base)
      for (const part of parts) assert.isAbove(part.fills, 0)
      assert.strictEqual(parts[0].fills + parts[1].fills, result.fills)
      assert.strictEqual(decimal(parts[0].pnlQuote) + decimal(parts[1].pnlQuote), decimal(high.pnlQuote))
      const rows = assertBooks(fills, { BTC: "0.02", ETH: "0.4", USDC: "900" }, high, result.markets)
      assert.strictEqual(rows.length, result.fills)
      const page = readFileSync(html, "utf8")
      for (const part of [
        "thirds on BTC/USDC, ETH/USDC",
        'id="price-0"',
        'id="price-1"',
        "<h3>ETH/USDC: USDC for one ETH</h3>"
      ])
        assert.include(page, part)
      const said = yield* limitbot("backtest", thirds, ...both)
      assert.match(
        said,
        /2000 bars from [\s\S]*\n.*only the period covered by all files is used, 2021-01-01 00:00.*BTC\/USDC .*, ETH/
      )
      assert.match(said, /\nfills in ETH\/USDC +\d+ +\d+\n[\s\S]*\nETH at the end +[\d.]+ ETH/)
    })
  )

  it.live("accepts the name of a single market", () =>
    Effect.gen(function* () {
      const plain = JSON.parse(yield* limitbot("backtest", alone, "--data", btc, ...quickly))
      const named = JSON.parse(yield* limitbot("backtest", alone, "--data", `BTC/USDC=${btc}`, ...quickly))
      assert.deepStrictEqual(named.sides, plain.sides)
      assert.notProperty(named, "markets")
    })
  )

  it.live("takes the prices of every market from one journal", () =>
    Effect.gen(function* () {
      const journal = yield* recordPrices("bot.sqlite")
      const once = JSON.parse(yield* limitbot("backtest", thirds, "--data", journal, ...quickly))
      const byMarket = ["--data", `BTC/USDC=${journal}`, "--data", `ETH/USDC=${journal}`]
      const twice = JSON.parse(yield* limitbot("backtest", thirds, ...byMarket, ...quickly))
      assert.isAbove(once.fills, 0)
      assert.deepStrictEqual([once.sides, once.markets], [twice.sides, twice.markets])
    })
  )

  it.live("reports the gaps of a journal, and fills them with --repair gaps", () =>
    Effect.gen(function* () {
      const words = ["backtest", thirds, "--data", yield* recordPrices("gap.sqlite"), ...quickly]
      const { bars, data } = JSON.parse(yield* limitbot(...words))
      const filled = JSON.parse(yield* limitbot(...words, "--repair", "gaps"))
      assert.deepStrictEqual([bars, filled.bars], [290, 300])
      for (const market of ["BTC/USDC", "ETH/USDC"]) {
        assert.include(data.warnings.join(), `gap.sqlite, ${market}: 10 missing bars in 1 gap, the longest of 10 min`)
        assert.include(filled.data.warnings.join(), `gap.sqlite, ${market}: filled 10 missing bars`)
      }
    })
  )

  it.live("takes fees of every asset, by market", () =>
    Effect.gen(function* () {
      const words = ["backtest", thirds, ...both, "--fills", "optimistic", "--json"]
      const { markets, sides } = JSON.parse(yield* limitbot(...words, "--withdraw-fee", "0.00001,0.0003,0.5"))
      const fees = [markets["BTC/USDC"].optimistic.feesQuote, markets["ETH/USDC"].optimistic.feesQuote].map(decimal)
      for (const fee of fees) assert.isTrue(fee > 0n)
      assert.strictEqual(
        fees.reduce((sum, fee) => sum + fee, 0n),
        decimal(sides.optimistic.feesQuote)
      )
    })
  )

  const mistakes: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [["--data", `BTC/USDC=${btc}`], /^--data: no data for ETH\/USDC; add --data ETH\/USDC=CSV$/],
    [
      ["--data", btc],
      /btc\.csv: market missing, as the strategy trades BTC\/USDC, ETH\/USDC; write .* --data BTC\/USDC=/
    ],
    [[...both, "--data", `SOL/USDC=${eth}`], /SOL\/USDC=.*: the strategy trades BTC.*, not SOL\/USDC; leave it out$/],
    [[...both, "--data", `ETH/USDC=${btc}`], /ETH\/USDC is given twice, as .*eth\.csv and as .*btc\.csv; give each/],
    [[...both, "--withdraw-fee", "0.1,0.2"], /^--withdraw-fee 0\.1,0\.2: give an amount of each of BTC,ETH,USDC$/],
    [[...both, "--from", "2021-01-02T12:00:00Z"], /0 candles between/]
  ]
  for (const [words, message] of mistakes) {
    it.live(`says what to do: ${words.join(" ").replaceAll(folder, "")}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(limitbot("backtest", thirds, ...words))
        assert.match(error.message, message)
      })
    )
  }

  it.live("is compared with other strategies in the same markets only", () =>
    Effect.gen(function* () {
      const page = join(folder, "compared.html")
      const [wide, own] = [join(folder, "wide.yaml"), readFileSync(thirds, "utf8")]
      writeFileSync(wide, own.replace("name: thirds", "name: wide").replace("band: 1%", "band: 2%"))
      const { runs } = JSON.parse(yield* limitbot("backtest", thirds, wide, ...both, ...quickly, "--report", page))
      const single = JSON.parse(yield* limitbot("backtest", thirds, ...both, ...quickly))
      assert.deepStrictEqual(runs[0].sides, single.sides)
      assert.deepStrictEqual(runs[0].markets, single.markets)
      assert.isBelow(runs[1].fills, runs[0].fills)
      assert.include(readFileSync(page, "utf8"), "rebalance on BTC/USDC, ETH/USDC from")
      const ether = join(folder, "ether.yaml")
      writeFileSync(ether, readFileSync(alone, "utf8").replace("BTC/USDC", "ETH/USDC"))
      for (const [files, data] of [
        [[thirds, alone], both],
        [[alone, thirds], both],
        [
          [alone, ether],
          ["--data", `BTC/USDC=${btc}`]
        ],
        [
          [alone, ether],
          ["--data", btc]
        ]
      ] as const) {
        const refused = yield* Effect.flip(limitbot("backtest", ...files, ...data))
        assert.match(refused.message, /trades BTC\/USDC.*, .*(?:BTC|ETH)\/USDC.*: only strategies of the same markets/)
      }
    })
  )

  it.live("has the same warnings in a search as in a backtest", () =>
    Effect.gen(function* () {
      const { data } = JSON.parse(yield* limitbot("backtest", thirds, ...both, ...quickly))
      assert.match(data.warnings.join(" "), /only the period covered by all files is used/)
      const set = ["--set", "rebalance.band=1%,2%"]
      for (const words of [
        [...set, "--threads", "1"],
        ["--by", "walk-forward", ...set, "--threads", "1", "--windows", "2"],
        ["--by", "monte-carlo", "--method", "candles", "--block", "200", "--runs", "2"]
      ]) {
        const search = ["search", thirds, ...both, ...words]
        assert.deepStrictEqual(JSON.parse(yield* limitbot(...search, "--json")).warnings, data.warnings)
        assert.include(yield* limitbot(...search), data.warnings[0])
      }
    })
  )

  it.live("says which candles the best trial of a search lacks before the first bar", () =>
    Effect.gen(function* () {
      const file = join(folder, "average.yaml")
      const buy = "{ when: 'close > sma(close, 10)', side: buy, price: mid * (1 - 0.1%), size: { quote: 100 } }"
      const limits = "limits: { budget: { base: 0.02, quote: 900 } }"
      const head = "name: average\nmarket: BTC/USDC\nkind: rules\n"
      writeFileSync(file, `${head}${limits}\nrules:\n  timeframe: 1h\n  orders:\n    in: ${buy}\n`)
      const set = ["--set", "rules.timeframe=4h", "--threads", "1"]
      const { warnings } = JSON.parse(yield* limitbot("search", file, "--data", btc, ...set, "--json"))
      assert.match(warnings.join("\n"), /^warm-up: \d+ candles of 1h .*\n#1: warm-up: \d+ candles of 4h /)
    })
  )

  it.live.skipIf(!isLong)("searches and repeats with random luck over all markets", () =>
    Effect.gen(function* () {
      const set = ["--set", "rebalance.band=1%,2%", "--json"]
      const single = JSON.parse(yield* limitbot("backtest", thirds, ...both, "--fills", "optimistic", "--json"))
      const { best } = JSON.parse(yield* limitbot("search", thirds, ...both, ...set))
      const same = best.find(({ values }: { values: ReadonlyArray<string> }) => values[0] === "1%")
      assert.deepStrictEqual(
        [same.optimistic.profitQuote, same.optimistic.fills],
        [single.sides.optimistic.profitQuote, single.fills]
      )
      const walked = JSON.parse(
        yield* limitbot("search", "--by", "walk-forward", thirds, ...both, ...set, "--windows", "2")
      )
      assert.strictEqual(walked.steps.length, 2)
      const words = ["--method", "candles", "--runs", "3", "--block", "200", "--json"]
      assert.strictEqual(
        JSON.parse(yield* limitbot("search", "--by", "monte-carlo", thirds, ...both, ...words)).runs,
        3
      )
      const refused = yield* Effect.flip(limitbot("search", thirds, "--data", btc, ...set))
      assert.match(refused.message, /market missing, as the strategy trades/)
    })
  )

  it.live.skipIf(!isLong)("runs a file of one market on others, and shows which settings win on one alone", () =>
    Effect.gen(function* () {
      const on = ["--data", btc, "--on", `ETH/USDC=${eth}`]
      const set = ["--set", "rebalance.band=1%,2%,4%"]
      const page = join(folder, "across.html")
      const found = JSON.parse(yield* limitbot("search", alone, ...on, ...set, "--json", "--report", page))
      for (const file of [btc, eth]) assert.include(readFileSync(page, "utf8"), `${file}, SHA-256`)
      const elsewhere = join(folder, "elsewhere.yaml")
      writeFileSync(elsewhere, readFileSync(alone, "utf8").replace("BTC/USDC", "ETH/USDC"))
      const there = JSON.parse(yield* limitbot("search", elsewhere, "--data", eth, ...set, "--json"))
      const gains = (best: ReadonlyArray<{ trial: number; profitQuote: string }>) =>
        new Map(best.map(({ trial, profitQuote }) => [trial, Number(profitQuote)]))
      const [here, eths] = [gains(found.markets[0].best), gains(there.best)]
      assert.deepStrictEqual(gains(found.markets[1].best), eths, "each market as if the file had named it")
      for (const { trial, scores, median, worst } of found.together) {
        const both = [here.get(trial) ?? 0, eths.get(trial) ?? 0]
        assert.deepStrictEqual(scores, { "BTC/USDC": both[0], "ETH/USDC": both[1] })
        assert.strictEqual(worst, Math.min(...both))
        assert.closeTo(median, ((both[0] ?? 0) + (both[1] ?? 0)) / 2, 1e-9)
      }
      const worsts = found.together.map(({ worst }: { worst: number }) => worst)
      assert.deepStrictEqual(
        worsts,
        worsts.toSorted((a: number, b: number) => b - a)
      )
      const [, alone2] = found.bestAlone
      assert.strictEqual(alone2.score, Math.max(...eths.values()))
      assert.include(readFileSync(page, "utf8"), "By market")
      const text = yield* limitbot("search", alone, ...on, ...set)
      assert.match(text, /The best on ETH\/USDC alone: rebalance\.band/)
      const walked = JSON.parse(
        yield* limitbot("search", "--by", "walk-forward", alone, ...on, ...set, "--windows", "2", "--json")
      )
      assert.deepStrictEqual(
        walked.markets.map(({ market }: { market: string }) => market),
        ["BTC/USDC", "ETH/USDC"]
      )
      assert.strictEqual(walked.together.worst, Math.min(walked.profitQuote, walked.markets[1].profitQuote))
      const luck = ["--method", "candles", "--block", "200", "--runs", "3"]
      assert.match(yield* limitbot("search", "--by", "monte-carlo", alone, ...on, ...luck), /on the median market/)
      for (const [given, message] of [
        [eth, /write a market and its candles/],
        [`BTC/USDC=${btc}`, /BTC\/USDC is named twice/]
      ] as const) {
        const refused = yield* Effect.flip(limitbot("search", alone, "--data", btc, "--on", given, ...set))
        assert.match(refused.message, message)
      }
      const refused = yield* Effect.flip(limitbot("search", thirds, ...both, "--on", `ETH/USDC=${eth}`, ...set))
      assert.match(refused.message, /only a file of one market is run on others too/)
    })
  )
})

const shared = resolve(import.meta.dirname, "../../../shared/data")
const [realBtc, realEth] = ["btc", "eth"].map((name) => join(shared, `coinbase-${name}usd-1m-lean.csv.gz`))
const isReal = existsSync(realBtc ?? "") && existsSync(realEth ?? "")
if (!isReal) process.stdout.write("skipped: the backtest of two markets on real minutes, their files are not here\n")

it.live.skipIf(!isReal)("a backtest runs on real minutes of two markets", () =>
  Effect.gen(function* () {
    const fills = join(folder, "real.csv")
    const words = [
      "--data",
      `BTC/USDC=${realBtc}`,
      "--data",
      `ETH/USDC=${realEth}`,
      "--from",
      "2017-09-03",
      "--no-cache",
      ...withoutFlat
    ]
    const outputs = ["--fills", "optimistic", "--json", "--fills-csv", fills]
    const result = JSON.parse(yield* limitbot("backtest", thirds, ...words, ...outputs))
    assertBooks(fills, { BTC: "0.02", ETH: "0.4", USDC: "900" }, result.sides.optimistic, result.markets)
    for (const name of ["BTC/USDC", "ETH/USDC"]) assert.isAbove(result.markets[name].optimistic.fills, 1)
    process.stdout.write(`real minutes: ${result.bars} bars, ${result.fills} fills\n`)
  })
)
