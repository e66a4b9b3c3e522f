/** Data files that are wrong, each with the place and the word by which a person finds the mistake. */

export interface WrongFile {
  readonly name: string
  readonly text: string
  readonly line: number
  readonly column: number
  /** Part of the message. */
  readonly says: RegExp
  /** Part of what to do. */
  readonly advises: RegExp
}

const header = "time,open,high,low,close,volume"
const row = (minute: number, prices = "100,101,99,100", volume = "1"): string =>
  `${1_700_000_040_000 + minute * 60_000},${prices},${volume}`
const file = (...lines: ReadonlyArray<string>): string => `${[header, ...lines].join("\n")}\n`

/** One bad field in line 3. */
const bad = (name: string, field: string, text: string, column: number, says: RegExp, advises: RegExp): WrongFile => {
  const fields = row(1).split(",")
  const index = header.split(",").indexOf(field)
  fields[index] = text
  return { name, text: file(row(0), fields.join(","), row(2)), line: 3, column, says, advises }
}

const columns: Readonly<Record<string, number>> = { time: 1, open: 15, high: 19, low: 23, close: 26, volume: 30 }

const notNumbers = [
  "abc",
  "NaN",
  "Infinity",
  "null",
  "1.2.3",
  "1e400",
  "9".repeat(400),
  "0x10",
  "--5",
  "1e",
  "12k",
  "-"
].flatMap((text) =>
  ["open", "volume"].map((field) =>
    bad(
      `${field} is ${text.slice(0, 12)}`,
      field,
      text,
      columns[field] ?? 0,
      new RegExp(`${field} .* is not a number`),
      /plain number/
    )
  )
)

const notTimes = ["yesterday", "2024-13-01", "2024-02-01T25:00:00Z", "01/02/2024", "12:00", "1.7e12x"].map((text) =>
  bad(`time is ${text}`, "time", text, 1, /time .* is not a time/, /epoch milliseconds/)
)

const empties = ["time", "open", "high", "low", "close", "volume"].map((field) =>
  bad(`${field} is empty`, field, "", columns[field] ?? 0, new RegExp(`${field} is empty`), /fill it in/)
)

const money: ReadonlyArray<WrongFile> = [
  bad("a currency sign", "close", "$100", 26, /not a number/, /currency/),
  bad("thousands apart by a quote", "close", "1'000.5", 26, /not a number/, /thousands/),
  {
    name: "decimal commas",
    text: "time;open;high;low;close;volume\n1700000040000;100,5;101;99;100;1\n1700000100000;100;101;99;100;1\n",
    line: 2,
    column: 15,
    says: /open "100,5" is not a number/,
    advises: /decimal point/
  }
]

const impossible = ["open", "high", "low", "close"].flatMap((field, index) =>
  ["0", "-5"].map((text): WrongFile => {
    const prices = ["100", "101", "99", "100"]
    prices[index] = text
    const lines = [row(0), row(1, prices.join(",")), row(2)]
    const says = text === "0" ? new RegExp(`${field} 0 is zero`) : new RegExp(`${field} -5 is negative`)
    return {
      name: `${field} is ${text}`,
      text: file(...lines),
      line: 3,
      column: index + 2,
      says,
      advises: /--repair invalid/
    }
  })
)

const ranges: ReadonlyArray<WrongFile> = [
  ["high below open", "102,101,99,100", 3],
  ["high below close", "100,101,99,102", 3],
  ["low above open", "98,101,99,100", 4],
  ["low above close", "100,101,99,98", 4],
  ["high and low swapped", "100,99,101,100", 3]
].map(([name, prices, column]) => ({
  name: `${name}`,
  text: file(row(0), row(1, `${prices}`), row(2)),
  line: 3,
  column: Number(column),
  says: /is not the (highest|lowest)/,
  advises: /--repair range/
}))

const shapes: ReadonlyArray<WrongFile> = [
  { name: "no lines at all", text: "", line: 0, column: 0, says: /empty/, advises: /header and rows/ },
  {
    name: "a header and nothing else",
    text: `${header}\n`,
    line: 0,
    column: 0,
    says: /0 rows/,
    advises: /two candles/
  },
  {
    name: "one candle",
    text: file(row(0)),
    line: 0,
    column: 0,
    says: /^only 1 row$/,
    advises: /two candles/
  },
  {
    name: "prose",
    text: "dear reader\nthis is no table\n",
    line: 1,
    column: 1,
    says: /separated/,
    advises: /time,open/
  },
  {
    name: "no high",
    text: "time,open,low,close,volume\n1,2,3,4,5\n",
    line: 1,
    column: 1,
    says: /no column for high/,
    advises: /first line/
  },
  {
    name: "no time",
    text: "open,high,low,close,volume\n1,2,3,4,5\n",
    line: 1,
    column: 1,
    says: /no column for time/,
    advises: /first line/
  },
  {
    name: "other words",
    text: "a,b,x,d,e,f\n1,2,3,4,5,6\n",
    line: 1,
    column: 1,
    says: /no column for time, open, high, low, close/,
    advises: /name the columns/
  },
  {
    name: "two columns without a header",
    text: "1700000040000,100\n1700000100000,101\n",
    line: 1,
    column: 1,
    says: /2 fields and no header/,
    advises: /name the columns/
  },
  {
    name: "a line with a field missing",
    text: file(row(0), row(1).replace(",1", ""), row(2)),
    line: 3,
    column: 1,
    says: /5 fields, expected 6/,
    advises: /complete the line/
  },
  {
    name: "a line with a field too many",
    text: file(row(0), `${row(1)},7`, row(2)),
    line: 3,
    column: 1,
    says: /7 fields, expected 6/,
    advises: /complete the line/
  },
  {
    name: "a torn last line",
    text: file(row(0), row(1), "17000001"),
    line: 4,
    column: 1,
    says: /1 fields, expected 6/,
    advises: /complete the line/
  },
  {
    name: "another header inside",
    text: file(row(0), header, row(1)),
    line: 3,
    column: 1,
    says: /time "time" is not a time/,
    advises: /epoch/
  },
  {
    name: "a page of HTML",
    text: "<html><body>404, not found</body></html>\n<p>a,b</p>\n",
    line: 1,
    column: 1,
    says: /no column for/,
    advises: /name the columns/
  }
]

const orders: ReadonlyArray<WrongFile> = [
  {
    name: "the same line twice",
    text: file(row(0), row(1), row(1), row(2)),
    line: 4,
    column: 1,
    says: /is already in line 3/,
    advises: /--repair duplicates/
  },
  {
    name: "newest first",
    text: file(row(2), row(1), row(0)),
    line: 3,
    column: 1,
    says: /goes back/,
    advises: /--repair sort/
  },
  {
    name: "local time at the end of summer time",
    text: file(...Array.from({ length: 60 }, (_, index) => row(index)), row(1), row(2)),
    line: 62,
    column: 1,
    says: /goes back/,
    advises: /summer time ends here: export them in UTC/
  },
  {
    name: "one line out of place",
    text: file(row(0), row(2), row(1), row(3)),
    line: 4,
    column: 1,
    says: /goes back/,
    advises: /--repair sort/
  },
  {
    name: "blank lines and comments count as lines",
    text: file(row(0), "", "# note", row(1), row(1)),
    line: 6,
    column: 1,
    says: /line 5/,
    advises: /delete one/
  },
  {
    name: "a negative time",
    text: file(row(0), `-5${row(1).slice(13)}`, row(2)),
    line: 3,
    column: 1,
    says: /out of range/,
    advises: /--repair invalid/
  },
  {
    name: "a negative volume",
    text: file(row(0), row(1, "100,101,99,100", "-1"), row(2)),
    line: 3,
    column: 6,
    says: /volume -1 is negative/,
    advises: /correct/
  },
  {
    name: "Windows line ends",
    text: file(row(0), row(1, "x,101,99,100"), row(2)).replaceAll("\n", "\r\n"),
    line: 3,
    column: 15,
    says: /open "x"/,
    advises: /plain number/
  }
]

export const wrongFiles: ReadonlyArray<WrongFile> = [
  ...notNumbers,
  ...notTimes,
  ...empties,
  ...money,
  ...impossible,
  ...ranges,
  ...shapes,
  ...orders
]
