import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Candles from "../../../src/candles/Candles.ts"
import * as CandleChecks from "../../../src/candles/csv/CandleChecks.ts"
import { format } from "../../../src/candles/DataProblem.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"
import * as PlainBytes from "../../../src/candles/table/PlainBytes.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { random, randomCandles } from "../../lab/backtest/RandomStrategies.ts"
import * as sharedData from "../../lab/backtest/sharedData.ts"
import { wrongFiles } from "../wrongData.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const parse = (text: string, ...repair: ReadonlyArray<CandleChecks.Repair>) =>
  CandleChecks.parse(bytes(text), { file: "candles.csv", repair: new Set(repair) })

const plain = [
  "time,open,high,low,close,volume",
  "1700000040000,100.5,101,99.25,100,1.5",
  "1700000100000,100,102,100,101.125,2"
]

/** What the rows mean, whatever the file looks like. */
const expected = {
  times: [1_700_000_040_000, 1_700_000_100_000],
  open: [100.5, 100],
  high: [101, 102],
  low: [99.25, 100],
  close: [100, 101.125],
  volume: [1.5, 2]
}

const read = (text: string) => {
  const { candles, problems } = parse(text)
  if (candles === undefined) throw new Error(problems.map(format).join("\n"))
  const { time, open, high, low, close, volume } = candles
  const times = Array.from({ length: candles.bars }, (_, bar) => TimeAxis.openTime(time, bar))
  const columns = { open, high, low, close, volume }
  return { times, ...Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, [...values]])) }
}

const [header = "", first = "", second = ""] = plain
const swap = (line: string): string => {
  const [time, open, high, low, close, volume] = line.split(",")
  return [close, "x", volume, low, high, open, time].join(",")
}

const looks: ReadonlyArray<readonly [name: string, text: string]> = [
  ["plain", plain.join("\n")],
  ["a line end at the end", `${plain.join("\n")}\n`],
  ["Windows line ends", plain.join("\r\n")],
  ["a byte order mark", `\uFEFF${plain.join("\n")}`],
  ["semicolons", plain.join("\n").replaceAll(",", ";")],
  ["tabs", plain.join("\n").replaceAll(",", "\t")],
  ["bars between", plain.join("\n").replaceAll(",", "|")],
  ["no header", `${first}\n${second}\n`],
  ["no header, more columns", `${first},1700000099999,7\n${second},1700000159999,8\n`],
  ["columns in another order", [swap(header).replace("x", "pair"), swap(first), swap(second)].join("\n")],
  ["other names", ["Open Time,O,H,L,C,Volume BTC", first, second].join("\n")],
  ["unix and the word date", ["unix,Open,High,Low,Close,Vol.", first, second].join("\n")],
  ["a banner first", ["downloaded from somewhere", header, first, second].join("\n")],
  ["comments and blank lines", [header, "", "# one", first, "", second, ""].join("\n")],
  ["quotes", [header, ...[first, second].map((line) => line.replaceAll(/[^,]+/g, '"$&"'))].join("\n")],
  ["seconds", [header, first, second].join("\n").replaceAll(/^(\d{10})000/gm, "$1")],
  ["microseconds", [header, first, second].join("\n").replaceAll(/^(\d{13})/gm, "$1000")],
  ["nanoseconds", [header, first, second].join("\n").replaceAll(/^(\d{13})/gm, "$1000000")],
  [
    "ISO dates",
    [header, first.replace(/^\d+/, "2023-11-14T22:14:00Z"), second.replace(/^\d+/, "2023-11-14 22:15:00")].join("\n")
  ],
  [
    "ISO dates with an offset",
    [
      header,
      first.replace(/^\d+/, "2023-11-15T00:14:00+02:00"),
      second.replace(/^\d+/, "2023-11-14T22:15:00.000Z")
    ].join("\n")
  ],
  ["exponents", [header, first.replace("100.5", "1.005e2"), second].join("\n")],
  ["signs and zeros", [header, first.replace("100.5", "+0100.500"), second].join("\n")]
]

describe("CandleChecks", () => {
  for (const [name, text] of looks) {
    it(`reads the same candles from: ${name}`, () => assert.deepStrictEqual(read(text), expected))
  }

  it("is tested with at least sixty wrong files", () => assert.isAtLeast(wrongFiles.length, 60))

  for (const { name, text, line, column, says, advises } of wrongFiles) {
    it(`says what is wrong: ${name}`, () => {
      const { candles, problems } = parse(text)
      assert.isUndefined(candles)
      const [problem] = problems
      assert.isDefined(problem)
      if (problem === undefined) return
      assert.deepStrictEqual([problem.line, problem.column], [line, column], format(problem))
      assert.match(problem.message, says)
      assert.match(problem.advice, advises)
    })
  }

  it("repairs every wrong file with at least two valid candles, or says that it cannot", () => {
    for (const { name, text } of wrongFiles) {
      const { candles, problems } = parse(text, ...CandleChecks.repairs)
      if (candles === undefined) {
        const texts = problems.map(format)
        assert.isNotEmpty(texts, name)
        assert.notMatch(texts.join("\n"), /--repair/, name)
        continue
      }
      for (let bar = 0; bar < candles.bars; bar++) {
        const at = (column: Float64Array) => column[bar] ?? Number.NaN
        assert.isAtMost(at(candles.low), Math.min(at(candles.open), at(candles.close)), name)
        assert.isAtLeast(at(candles.high), Math.max(at(candles.open), at(candles.close)), name)
        assert.isAbove(at(candles.low), 0, name)
      }
      assert.strictEqual(TimeAxis.gaps(candles.time).count, 0, name)
    }
  })

  it("counts lines and unreadable rows, also before blank lines and remarks", () => {
    const text = [header, first.replace("100.5", "x"), "", "# one", first, second, second.replace(/^\d+/, "y")].join(
      "\n"
    )
    assert.deepStrictEqual(
      parse(text).problems.map(({ line }) => line),
      [2, 7]
    )
    const { repaired } = parse(text, "invalid")
    assert.strictEqual(repaired.invalid, 2)
  })

  it("keeps every digit of a small price with many", () => {
    const small = ["0.00000012345678901234567", "1.2345678901234567e-7"].map((price) => {
      const rows = [first, second].map((row) =>
        row.split(",").map((field, at) => (at === 0 || at === 5 ? field : price))
      )
      return parse([header, ...rows].join("\n")).candles
    })
    for (const candles of small)
      assert.strictEqual((candles?.close[0] ?? 0).toFixed(candles?.priceScale), "0.000000123456789012346")
  })

  it("keeps the last duplicate, orders by time, and counts repairs", () => {
    const late = first.replace("100.5", "100.75")
    const { candles, repaired } = parse([header, second, first, late].join("\n"), "sort", "duplicates")
    assert.deepStrictEqual([...(candles?.open ?? [])], [100.75, 100])
    assert.strictEqual(repaired.sort, 1)
    assert.strictEqual(repaired.duplicates, 1)
  })

  it("names duplicates that sorting brings together, and drops none", () => {
    const lines = [header, first, second, first.replace("100.5", "100.75")]
    const { candles, problems } = parse(lines.join("\n"), "sort")
    assert.isUndefined(candles)
    assert.deepStrictEqual(
      problems.map(({ message, line }) => [message, line]),
      [["the time 2023-11-14T22:14:00.000Z is already in line 2", 4]]
    )
    const { repaired } = parse(lines.join("\n"), "sort", "duplicates")
    assert.deepStrictEqual([repaired.sort, repaired.duplicates], [1, 1])
  })

  it("warns of gaps, and fills them only on request", () => {
    const text = [header, first, second.replace("100000,", "400000,"), second.replace("100000,", "460000,")].join("\n")
    const { candles, problems } = parse(text)
    assert.strictEqual(candles?.bars, 3)
    assert.deepStrictEqual(
      problems.map(({ message, severity, line }) => [severity, line, message]),
      [["warning", 3, "5 missing bars in 1 gap, the longest of 5 minutes; the first ends here"]]
    )
    const filled = parse(text, "gaps")
    assert.strictEqual(filled.candles?.bars, 8)
    assert.strictEqual(filled.repaired.gaps, 5)
    assert.deepStrictEqual([...(filled.candles?.close ?? [])], [100, 100, 100, 100, 100, 100, 101.125, 101.125])
  })

  it("returns every number exactly as written", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const next = random(seed)
      const places = Math.floor(next() * 9)
      const prices = Array.from({ length: 50 }, () => (next() * 10 ** Math.floor(next() * 6) + 1).toFixed(places))
      const lines = prices.map(
        (price, row) => `${1_700_000_040_000 + row * 60_000},${price},${price},${price},${price},1`
      )
      const { candles } = parse([header, ...lines].join("\n"))
      const back = Array.from(candles?.close ?? [], (close) => Decimal.format(Candles.exactPrice(close)))
      const written = prices.map((price) => Decimal.format(Decimal.parse(price) ?? Decimal.zero))
      assert.deepStrictEqual(back, written, `seed ${seed}`)
      assert.strictEqual(candles?.priceScale, places, `seed ${seed}`)
    }
  })

  it("reads gzip", () => {
    const zipped = gzipSync(bytes(plain.join("\n")))
    assert.deepStrictEqual(PlainBytes.textOf(zipped), Buffer.from(plain.join("\n")))
  })

  it("returns problems on damaged bytes and does not throw", () => {
    const whole = bytes(plain.join("\n"))
    for (let seed = 1; seed <= 300; seed++) {
      const next = random(seed)
      const damaged = whole.slice(0, Math.ceil(next() * whole.length))
      for (let hit = 0; hit < 3; hit++) damaged[Math.floor(next() * damaged.length)] = Math.floor(next() * 256)
      const { candles, problems } = CandleChecks.parse(damaged, { file: "damaged.csv", repair: new Set() })
      assert.isTrue(candles !== undefined || problems.length > 0, `seed ${seed}`)
    }
  })
})

describe("repair=all", () => {
  it("says what it leaves out, and where", () => {
    const good = "1,2,1,1,0"
    const at = (second: number, rest = good) => `${1_700_000_040 + second},${rest}`
    const bad = [at(120, "1,2,1,x,0"), at(180, "1,2,-1,1,0"), at(240, "5,2,1,1,0"), at(240)]
    const rows = [at(0), at(60), ...bad, at(300), at(420)]
    const text = ["time,open,high,low,close,volume", ...rows].join("\n")
    const { problems } = CandleChecks.parse(bytes(text), { file: "a.csv", repair: new Set(CandleChecks.repairs) })
    assert.deepStrictEqual(
      problems.map(({ message, line }) => [line, message]),
      [
        [4, "left out 2 unreadable or impossible rows, the first here"],
        [7, "left out 1 row, because a later one has the same time, the first here"],
        [6, "widened high or low of 1 row until open and close lie within, the first here"],
        [0, "filled 3 missing bars with the close before"]
      ]
    )
  })
})

describe("trades", () => {
  it("become candles", () => {
    const trades = [
      "trade_time_ms,price,qty",
      "1700000040000,10,1",
      "1700000041000,12,2",
      "1700000099999,11,1",
      "1700000100000,9,4",
      "1700000100001,9.5,1"
    ]
    const options = { file: "trades.csv", repair: new Set<CandleChecks.Repair>(["gaps"]), tradeCandleMillis: 60_000 }
    const { candles } = CandleChecks.parse(bytes(trades.join("\n")), options)
    const rows = Array.from({ length: candles?.bars ?? 0 }, (_, bar) =>
      [candles?.open, candles?.high, candles?.low, candles?.close, candles?.volume].map((values) => values?.[bar])
    )
    assert.strictEqual(rows.length, 2)
    assert.deepStrictEqual(rows, [
      [10, 12, 10, 11, 4],
      [9, 9.5, 9, 9.5, 5]
    ])
  })

  it.skipIf(!sharedData.isPresent)("keep their total volume in a real file", () => {
    const file = sharedData.bytes("binance-spot-btcusdt-trades-20240808.csv.gz")
    const options = { file: "trades.csv", repair: new Set<CandleChecks.Repair>(), tradeCandleMillis: 60_000 }
    const { candles } = CandleChecks.parse(file, options)
    const lines = new TextDecoder().decode(file).trim().split("\n").slice(1)
    const traded = lines.reduce((sum, line) => sum + Number(line.split(",")[4]), 0)
    assert.closeTo(candles?.volume.reduce((sum, volume) => sum + volume, 0) ?? 0, traded, 1e-6)
    assert.strictEqual(candles?.bars, 7)
  })
})

describe("TimeAxis", () => {
  it("finds times and bars as a full search does", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const next = random(seed)
      const { time } = randomCandles(next, 200)
      const opens = Array.from({ length: time.bars }, (_, bar) => TimeAxis.openTime(time, bar))
      for (let probe = 0; probe < 50; probe++) {
        const at = (opens[0] ?? 0) - 100_000 + Math.floor(next() * ((opens.at(-1) ?? 0) - (opens[0] ?? 0) + 200_000))
        const found = opens.findIndex((open) => open >= at)
        assert.strictEqual(TimeAxis.firstBarFrom(time, at), found < 0 ? time.bars : found, `seed ${seed}`)
      }
      const [from, to] = [Math.floor(next() * 100), 100 + Math.floor(next() * 100)]
      const part = TimeAxis.slice(time, from, to)
      const sliced = Array.from({ length: to - from }, (_, bar) => TimeAxis.openTime(part, bar))
      assert.deepStrictEqual(sliced, opens.slice(from, to), `seed ${seed}`)
    }
  })
})
