import { assert, describe, it } from "@effect/vitest"
import * as SignalCsv from "../../../src/candles/csv/SignalCsv.ts"

const midday = Date.UTC(2026, 0, 31, 12)

describe("signals of a file", () => {
  it("are lines of time, name and value, with times in any usual form", () => {
    const text = `time,name,value\n2026-01-31T12:00:00Z,trend,0.7\r\n# a note\n\n${midday / 1000}, other ,-3e-2\n${midday},trend,1\n`
    assert.deepStrictEqual(SignalCsv.parseSignals(text, "s.csv"), {
      values: [
        { name: "trend", value: 0.7, at: midday },
        { name: "other", value: -0.03, at: midday },
        { name: "trend", value: 1, at: midday }
      ],
      problems: []
    })
  })

  it.each([
    ["2026-01-31T12:00:00Z,trend", 1, "expected three fields, found 2"],
    ["2026-01-31,trend,", 18, "the value is missing"],
    ["2026-01-31T12:00:00Z,trend,1,2", 1, "expected three fields, found 4"],
    ["yesterday,trend,1", 1, 'time "yesterday" is not a time'],
    ["2026-01-31,a trend,1", 12, '"a trend" is not the name of a signal'],
    ["2026-01-31,trend,high", 18, 'value "high" is not a number'],
    ["2026-01-31,trend,NaN", 18, 'value "NaN" is not a number']
  ])("with %s are refused with line and column", (line, column, message) => {
    const { problems, values } = SignalCsv.parseSignals(`2026-01-31,trend,1\n${line}\n`, "s.csv")
    assert.lengthOf(values, 1)
    assert.deepInclude(problems[0], { file: "s.csv", line: 2, column, message })
  })
})
