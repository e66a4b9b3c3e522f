/** Pages with every kind of part, from one text. */
import * as BacktestParts from "../../../src/lab/html/BacktestParts.ts"
import { maps } from "../../../src/lab/html/HeatMap.ts"
import { along, axisOf, band, bar, histogram, namesAxis, plot } from "../../../src/lab/html/Plot.ts"
import * as Page from "../../../src/report/Page.ts"

/** Closes whatever it can. */
export const evil = `</script></table><img src=x onerror=alert(1)>"'&`

export const pageOf = (text: string, sections: Page.Page["sections"]): Page.Page => ({
  title: text,
  subtitle: text,
  fees: [text],
  headline: [
    [text, text, text],
    [text, Page.gain(text)]
  ],
  says: [text],
  notes: [text],
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
        Page.table([text], [[text], [Page.gain(text)]], "all"),
        Page.heading(text)
      ]
    },
    {
      title: "Origin",
      parts: [Page.facts([[text, text]]), Page.file(text), Page.file(text, text)],
      isPageOnly: true,
      isFolded: true
    }
  ])

const values = Array.from({ length: 12 }, (_, index) => index)

export const searchPage = (text: string, columns: ReadonlyArray<string>): Page.Page => {
  const map = { rowName: text, columnName: text, rows: [text], columns, values: [values], around: [values] }
  const axis = axisOf(text, values)
  const drawn = (title: string, html: () => string) => ({ title, parts: [Page.figurePart(html)] })
  return pageOf(text, [
    drawn(text, () => maps(map, undefined)),
    drawn("Spread", () => histogram(text, values, [[text, 1]])),
    drawn("Shapes", () =>
      plot(text, axis, text, [
        { kind: "band", points: band(axis, values, values), name: text },
        { kind: "real", points: along(axis, values), title: text },
        { kind: "dot best", points: [[1, 2]], label: text }
      ])
    ),
    drawn("Names", () =>
      plot(text, namesAxis(text, [text]), namesAxis(text, [text]), [{ kind: "then", points: bar(1, 2, 1) }])
    )
  ])
}

export const backtestPage = (text: string): Page.Page =>
  pageOf(text, [
    { title: "Equity", parts: [Page.figurePart(() => BacktestParts.equityCharts(text))] },
    { title: "Price", parts: [Page.figurePart(() => BacktestParts.priceCharts([text]))] },
    { title: "Fills", parts: [Page.figurePart(() => BacktestParts.fillsTable(1))], isFolded: true }
  ])
