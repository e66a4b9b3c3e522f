/** Pages with every kind of part, from one text. */
import * as BacktestParts from "../../../src/lab/html/BacktestParts.ts"
import * as ComparisonScript from "../../../src/lab/html/ComparisonScript.ts"
import { fan } from "../../../src/lab/html/Fan.ts"
import { maps } from "../../../src/lab/html/HeatMaps.ts"
import { histogram } from "../../../src/lab/html/Histogram.ts"
import { windowBars } from "../../../src/lab/html/WindowBars.ts"
import * as Page from "../../../src/report/Page.ts"

/** Closes whatever it can. */
export const evil = `</script></table><img src=x onerror=alert(1)>"'&`

export const pageOf = (text: string, sections: Page.Page["sections"]): Page.Page => ({
  title: text,
  subtitle: text,
  fees: [text],
  headline: [[text, text]],
  says: [text],
  sections
})

export const everyPart = (text: string, wide: ReadonlyArray<string> = []): Page.Page =>
  pageOf(text, [
    {
      title: text,
      note: text,
      parts: [
        Page.sentences(text),
        Page.table(["", text, ...wide], [["row", text, ...wide]]),
        Page.table([text], [[text]], "all"),
        Page.heading(text)
      ]
    },
    { title: "Origin", parts: [Page.facts([[text, text]]), Page.file(text), Page.file(text, text)], isPageOnly: true }
  ])

const values = Array.from({ length: 12 }, (_, index) => index)

export const searchPage = (text: string, columns: ReadonlyArray<string>): Page.Page => {
  const map = { rowName: text, columnName: text, rows: [text], columns, values: [values], around: [values] }
  const format = (value: number): string => value.toFixed(2)
  return pageOf(text, [
    { title: text, parts: [Page.figurePart(() => maps(map, undefined))] },
    {
      title: "All",
      parts: [Page.figurePart(() => histogram(values, { noun: "trials", label: text, format, marked: 1 }))]
    },
    { title: "Bars", parts: [Page.figurePart(() => windowBars([{ name: text, inSample: 1, outOfSample: -1 }]))] },
    {
      title: "Equity",
      parts: [
        Page.figurePart(() =>
          fan({ label: text, line: values, bands: [[values, values]], borders: [0.5], ends: [text, text], format })
        )
      ]
    }
  ])
}

export const backtestPage = (text: string): Page.Page =>
  pageOf(text, [
    { title: "Equity", parts: [Page.figurePart(BacktestParts.equityCharts)] },
    { title: "Price", parts: [Page.figurePart(() => BacktestParts.priceCharts([text]))] },
    { title: "Months", parts: [Page.figurePart(() => BacktestParts.monthTable(text, [["2024-01", 0.1]]))] },
    {
      title: "Slots",
      parts: [
        Page.figurePart(() =>
          BacktestParts.slotTables([{ slot: text, why: text, buys: 1, sells: 2, gained: "3", inventory: "-1" }])
        )
      ]
    },
    { title: "Fills", parts: [Page.figurePart(() => BacktestParts.fillsTable(1))] }
  ])

export const comparisonPage = (text: string): Page.Page =>
  pageOf(text, [{ title: "Returns", parts: [Page.figurePart(ComparisonScript.charts)] }])
