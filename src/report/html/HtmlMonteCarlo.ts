/** Simulations of one strategy under other luck as one HTML page: what they gained, and how deep they fell. */
import { percent } from "../../domain/Text.ts"
import { type Fan, fan } from "./Fan.ts"
import { histogram } from "./Histogram.ts"
import * as HtmlPage from "./HtmlPage.ts"

export interface MonteCarloReport {
  readonly title: string
  readonly subtitle: string
  readonly fees: string
  readonly headline: HtmlPage.Facts
  /** What the figures mean, in sentences. */
  readonly notes: ReadonlyArray<string>
  /** Gain over time: p50, and from p5 to p95 and from p25 to p75 around it. */
  readonly fan: Pick<Fan, "line" | "bands">
  /** By simulation, as ratios; no gains where every simulation gains the same. */
  readonly gains: ReadonlyArray<number>
  readonly drawdowns: ReadonlyArray<number>
  readonly medians: { readonly gain: number; readonly drawdown: number }
  readonly markets?: HtmlPage.MarketsTable
  readonly table: { readonly titles: ReadonlyArray<string>; readonly rows: ReadonlyArray<ReadonlyArray<string>> }
  readonly facts: HtmlPage.Facts
  /** The strategy file as it ran. */
  readonly text: string
}

const format = (ratio: number): string => percent(ratio, 1)

export const render = (report: MonteCarloReport): string => {
  const { gains, drawdowns, medians } = report
  const spread = (title: string, values: ReadonlyArray<number>, marked: number) =>
    values.length < 2
      ? ""
      : HtmlPage.section(
          title,
          histogram(values, { noun: "simulations", label: title, format, marked }),
          "The bar of the median stands out."
        )
  return HtmlPage.render({
    title: report.title,
    subtitle: report.subtitle,
    body: [
      `<p>${HtmlPage.escape(report.fees)}</p>`,
      HtmlPage.cards(report.headline),
      HtmlPage.section("What this says", HtmlPage.list(report.notes)),
      HtmlPage.section(
        "Gain over time",
        fan({ ...report.fan, label: "Gain over time", ends: ["start", "end"], format }),
        "The line is p50 of the simulations at each moment; around it p25 to p75, and p5 to p95."
      ),
      spread("Gain", gains, medians.gain),
      spread("Largest drawdown", drawdowns, medians.drawdown),
      HtmlPage.section("Percentiles", HtmlPage.table(report.table.titles, report.table.rows)),
      HtmlPage.markets(report.markets),
      HtmlPage.section("Run", HtmlPage.origin(report.facts, report.text))
    ].join("\n")
  })
}
