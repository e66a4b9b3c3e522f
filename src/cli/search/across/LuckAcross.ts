/** The luck of one strategy on several markets: how its simulations spread on each, with the median and the worst. */
import type * as MonteCarlo from "../../../backtest/search/MonteCarlo.ts"
import { median } from "../../../domain/Median.ts"
import { percent } from "../../../domain/Text.ts"
import type { MarketsTable } from "../../../report/html/HtmlPage.ts"
import * as Table from "../../../report/text/Table.ts"

/** As JSON has it. */
export const of = (names: ReadonlyArray<string>, spreads: ReadonlyArray<MonteCarlo.SimulationSummary>) => {
  const markets = spreads.map((spread, index) => ({ market: names[index] ?? "", ...spread }))
  const gains = spreads.map(({ gain }) => gain["p50"] ?? 0)
  return { markets, together: { medianGain: median(gains) ?? 0, worstGain: Math.min(...gains) } }
}

type LuckAcross = ReturnType<typeof of>

const titles = ["MARKET", "GAIN P5", "P50", "P95", "LOSE", "DRAWDOWN P95", "RUIN"]

const rows = ({ markets }: LuckAcross) =>
  markets.map(({ market, gain, lost, maxDrawdown, ruin }) => [
    market,
    ...["p5", "p50", "p95"].map((name) => percent(gain[name] ?? 0)),
    percent(lost),
    percent(maxDrawdown["p95"] ?? 0),
    percent(ruin.probability)
  ])

const said = ({ together: { medianGain, worstGain } }: LuckAcross): string =>
  `Half of the simulations gain more than ${percent(medianGain)} on the median market, and ${percent(worstGain)} on the worst.`

export const table = (across: LuckAcross): MarketsTable => ({ titles, rows: rows(across), notes: [said(across)] })

export const lines = (across: LuckAcross): ReadonlyArray<string> => [
  "",
  ...Table.ofFigures(titles, rows(across)),
  said(across)
]
