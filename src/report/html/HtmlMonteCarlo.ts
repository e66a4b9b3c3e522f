/** Simulations of one strategy under other luck as one HTML page: what they gained, and how deep they fell. */
import { percent } from "../../domain/Text.ts"
import type { Cells } from "../text/Table.ts"
import { type Fan, fan } from "./Fan.ts"
import { histogram } from "./Histogram.ts"
import * as HtmlPage from "./HtmlPage.ts"

export interface MonteCarloReport extends HtmlPage.StrategyPage {
  /** Gain over time: p50, and from p5 to p95 and from p25 to p75 around it. */
  readonly fan: Pick<Fan, "line" | "bands">
  /** By simulation, as ratios; no gains where every simulation gains the same. */
  readonly gains: ReadonlyArray<number>
  readonly drawdowns: ReadonlyArray<number>
  readonly medians: { readonly gain: number; readonly drawdown: number }
  readonly table: Cells
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
  return HtmlPage.ofStrategy(report, "Run", [
    HtmlPage.section(
      "Gain over time",
      fan({ ...report.fan, label: "Gain over time", ends: ["start", "end"], format }),
      "The line is p50 of the simulations at each moment; around it p25 to p75, and p5 to p95."
    ),
    spread("Gain", gains, medians.gain),
    spread("Largest drawdown", drawdowns, medians.drawdown),
    HtmlPage.section("Percentiles", HtmlPage.table(report.table.titles, report.table.rows))
  ])
}
