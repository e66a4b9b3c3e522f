import { assert, describe, it } from "@effect/vitest"
import * as CandleChecks from "../../../src/candles/csv/CandleChecks.ts"
import { format } from "../../../src/candles/DataProblem.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"

const read = (lines: ReadonlyArray<string>, ...repair: ReadonlyArray<CandleChecks.Repair>) => {
  const bytes = new TextEncoder().encode(lines.join("\n"))
  const { candles, columns = "", problems } = CandleChecks.parse(bytes, { file: "a.csv", repair: new Set(repair) })
  const said = problems.map(format).join("\n")
  if (candles === undefined) return { columns, said, rows: [] }
  const { time, open, high, low, close, volume } = candles
  const rows = [...close.keys()].map((bar) => [
    TimeAxis.openTime(time, bar),
    ...[open, high, low, close, volume].map((values) => values[bar] ?? 0)
  ])
  return { columns, said, rows }
}

const first = [1_735_689_600_000, 100, 110, 90, 101, 10]

describe("columns of a file", () => {
  it.each<readonly [string, string, string, string, string]>([
    [
      "a price beside open, high and low is the close",
      '"Date","Price","Open","High","Low","Vol.","Change %"',
      '"2025-01-01","101","100","110","90","10","1%"',
      '"2025-01-02","100","101","112","95","11","-1%"',
      "read as candles: time from Date, open, high, low, close from Price, volume from Vol."
    ],
    [
      "a column that says open is preferred among times",
      "timestamp;timeClose;timeOpen;open;high;low;close;volume",
      "2025-01-01T23:59:59Z;2025-01-01T23:59:59Z;2025-01-01T00:00:00Z;100;110;90;101;10",
      "2025-01-02T23:59:59Z;2025-01-02T23:59:59Z;2025-01-02T00:00:00Z;101;112;95;100;11",
      "read as candles: time from timeOpen, open, high, low, close, volume"
    ],
    [
      "of two volumes, the one that gives the other when multiplied by the price counts the base",
      "unix,date,open,high,low,close,Volume BTC,Volume ETH",
      "1735689600,2025-01-01 00:00:00,100,110,90,101,1000,10",
      "1735689660,2025-01-01 00:01:00,101,112,95,100,1100,11",
      "read as candles: time from unix, open, high, low, close, volume from Volume ETH"
    ],
    [
      "amount and vol are distinguished by the price",
      "t,o,h,l,c,vol,amount",
      "1735689600,100,110,90,101,1000,10",
      "1735689660,101,112,95,100,1100,11",
      "read as candles: time from t, open from o, high from h, low from l, close from c, volume from amount"
    ],
    [
      "a volume in quote beside the volume is ignored",
      "Close time,Quote asset volume,Volume,Open,High,Low,Close,Open time",
      "1735689659999,1010,10,100,110,90,101,1735689600000",
      "1735689719999,1100,11,101,112,95,100,1735689660000",
      "read as candles: time from Open time, open, high, low, close, volume"
    ]
  ])("%s", (_, header, one, two, columns) => {
    const found = read([header, one, two])
    assert.deepStrictEqual(found.rows[0], first, found.said)
    assert.strictEqual(found.columns, columns)
  })

  it("with volume in quote alone count as no volume, and the line says so", () => {
    const { columns, rows, said } = read([
      "time,open,high,low,close,Volume USDT",
      "1735689600,100,110,90,101,1010",
      "1735689660,101,112,95,100,1100"
    ])
    assert.deepStrictEqual(rows[0], [...first.slice(0, 5), 0])
    assert.match(columns, /no volume/)
    assert.match(said, /read as candles: .* no volume; rename the columns/)
  })

  it.each<readonly [string, ReadonlyArray<string>, RegExp]>([
    [
      "times that differ",
      ["unix,date,open,high,low,close", "1735689600,2025-01-01,1,2,1,1", "1735689660,2025-01-01,1,2,1,1"],
      /a\.csv:1:1: the columns unix and date both name the time, and differ/
    ],
    [
      "a time and an end that are the same",
      ["timestamp,close_time,open,high,low,close", "1735689600,1735689600,1,2,1,1", "1735689660,1735689660,1,2,1,1"],
      /the column timestamp has the end of each candle, not its time; add the time at which each candle begins/
    ],
    [
      "an end alone",
      ["close_time,open,high,low,close", "1735689600,1,2,1,1", "1735689660,1,2,1,1"],
      /no column for time among close_time, open/
    ],
    [
      "two closes",
      ["time,open,high,low,close,Close", "1735689600,1,9,1,1,2", "1735689660,1,9,1,1,2"],
      /the columns close and Close both name the close, and differ/
    ],
    [
      "volumes that do not differ by the price",
      ["time,open,high,low,close,vol,amount", "1735689600,1,9,1,1,2,400", "1735689660,1,9,1,1,2,7"],
      /the columns vol and amount both name the volume, and differ/
    ],
    [
      "trades without names that begin with a number of their own",
      ["28457,42000,0.1,4200,1735689600000,True,True", "28458,42000,0.1,4200,1735689600001,True,True"],
      /7 fields and no header, and the first field, 28457, is not a time; name the columns/
    ]
  ])("that contradict each other are refused: %s", (_, lines, said) => assert.match(read(lines).said, said))

  it("without names are trades if there are three of them", () => {
    const { columns, rows } = read([
      "1735689600,100,4",
      "1735689601,110,4",
      "1735689602,90,1",
      "1735689603,101,1",
      "1735689660,5,5"
    ])
    assert.deepStrictEqual(rows[0], first)
    assert.strictEqual(columns, "read as trades: time, price, quantity by position, because the first line names none")
  })

  it.each([
    "symbol",
    "Pair",
    "exchange",
    "timeframe",
    "trading_pair",
    "baseCurrency",
    "token",
    "code",
    "s",
    "source",
    "id"
  ])("with two values of %s are refused, with and without repair", (name) => {
    const rows = ["BTC", "ETH", "BTC"].map((market, minute) => `${1_735_689_600 + minute * 60},${market},1,2,1,1,5`)
    for (const repair of [[], CandleChecks.repairs]) {
      const { said } = read([`timestamp,${name},open,high,low,close,volume`, ...rows], ...repair)
      assert.include(said, `a.csv:3:12: ETH in the column ${name}, but the rows before have BTC; give each market`)
    }
    assert.lengthOf(
      read([`timestamp,${name},open,high,low,close,volume`, ...rows].filter((row) => !row.includes("ETH"))).rows,
      2
    )
  })

  it("without names name one market at most, in a column of text", () => {
    const rows = ["BTC", "ETH", "BTC"].map((market, minute) => `${1_735_689_600 + minute * 60},1,2,1,1,5,${market}`)
    assert.include(read(rows).said, "a.csv:2:22: ETH in the column 7, but the rows before have BTC")
    assert.lengthOf(read(rows.map((row) => row.replace("ETH", '"BTC"'))).rows, 3)
    assert.lengthOf(read(rows.map((row, at) => row.replace(/[A-Z]+$/, at === 1 ? "true" : "false"))).rows, 3)
  })

  it("may follow a line that names the separator", () => {
    const lines = ["sep=;", "time;open;high;low;close", "1735689600;1,5;2;1;1", "1735689660;1;2;1;1"]
    assert.match(read(lines).said, /a\.csv:3:12: open "1,5" is not a number/)
    assert.lengthOf(read(lines.map((line) => line.replace(",", "."))).rows, 2)
  })
})

describe("times", () => {
  const at = (time: string, unlike: string) =>
    read(["time,open,high,low,close", `${time},1,2,1,1`, `${unlike},1,2,1,1`]).said

  it.each<readonly [string, RegExp]>([
    ["45658.00069444", /a\.csv:2:1: time "45658(\.0+69444)?" is out of range.*day number of a spreadsheet/],
    ["20250101", /a\.csv:2:1: .*a date without dashes: write 2025-01-01/],
    ["20250101120000", /a\.csv:2:1: .*a date without dashes: write 2025-01-01/],
    ["1230767999", /a\.csv:2:1: time "1230767999" is out of range, which is 2009 to 2099/],
    ["1230767999999", /out of range/],
    ["4102444800", /out of range/],
    ["4102444800000000", /out of range/],
    ["2008-12-31", /time "2008-12-31" is out of range/],
    ["0", /out of range/]
  ])("%s is refused with its line", (time, said) => assert.match(at(time, "2025-01-01"), said))

  const earliest = ["1230768000", "1230768000000", "1230768000000000", "1230768000000000000", "2009-01-01"]
  it.each([...earliest, "1230768000.000000000", "1230768000000000.0", "1230768000000000000.00"])(
    "%s is the earliest accepted one",
    (time) => assert.strictEqual(at(time, "2009-01-02"), "")
  )
})

describe("bars that overlap", () => {
  const bar = (minute: number, price: number) => `${1_735_689_600 + minute * 60},${price},${price},${price},${price},1`
  const header = "time,open,high,low,close,volume"
  const hours = Array.from({ length: 40 }, (_, hour) => bar(hour * 60, 100))

  it.each([[], ["gaps"], CandleChecks.repairs] as ReadonlyArray<ReadonlyArray<CandleChecks.Repair>>)(
    "are a mistake with the line of the extra bar, with --repair %s",
    (...repair) => {
      const { said } = read([header, ...hours.slice(0, 20), bar(19 * 60 + 1, 200), ...hours.slice(20)], ...repair)
      assert.match(
        said,
        /a\.csv:22:1: the candle of .* begins 60 s after the one of line 21, and candles here last 3600 s/
      )
    }
  )

  it("stay at their time with --repair gaps, or are named if they have no place", () => {
    const between = [bar(0, 100), bar(1, 101), bar(2, 102), bar(2.5, 200), bar(3, 103), bar(4, 104)]
    const { rows } = read([header, ...between], "gaps")
    for (const row of between)
      assert.include(rows.map(([time, open]) => `${(time ?? 0) / 1000},${open}`).join(" "), row.slice(0, 14))
    const late = [...Array.from({ length: 40 }, (_, minute) => bar(minute, 100)), bar(50.5, 200), bar(51.5, 200)]
    assert.match(
      read([header, ...late], "gaps").said,
      /a\.csv:42:1: the candle of .* begins 690 s after the one of line 41/
    )
    assert.match(read([header, ...late]).said, /missing bar/)
  })
})

describe("trades of a file", () => {
  const trades = [
    [0, 100],
    [0, 109],
    [40, 95],
    [59, 104],
    [60, 110],
    [80, 119],
    [100, 105],
    [119, 114],
    [120, 9],
    [180, 7]
  ].map(([second, price]) => `${1_735_689_600 + (second ?? 0)},${price},1`)
  const header = "time,price,qty"
  const right = read([header, ...trades]).rows

  it("from newest to oldest become the same candles with --repair sort, even within a second", () =>
    assert.deepStrictEqual(read([header, ...trades.toReversed()], "sort").rows, right))

  it("out of order within a minute are a mistake with its line", () => {
    const [one = "", two = "", three = "", ...others] = trades
    const mixed = [header, one, three, two, ...others]
    assert.match(read(mixed).said, /a\.csv:4:1: the time goes back .* or use --repair sort/)
    assert.deepStrictEqual(read(mixed, "sort").rows, right)
  })

  it("that are impossible are named by line, and only they are left out", () => {
    const wrong = [header, ...trades.slice(0, 2), "1735689620,0,1", "1735689621,100,-1", ...trades.slice(2)]
    assert.match(read(wrong).said, /a\.csv:4:2: price 0 is zero.*\na\.csv:5:6: quantity -1 is negative/)
    assert.deepStrictEqual(read(wrong, "invalid").rows, right)
  })

  it("become candles of the requested length at any rate", () => {
    const rare = [0, 600, 1200, 1800, 2100, 2700].map((second) => `${1_735_689_600 + second},100,1`)
    assert.lengthOf(read([header, ...rare], "gaps").rows, 46)
  })
})
