/** One walk-forward on several markets: what each gained out of sample, with the median and the worst. */
import * as WalkForward from "../../../backtest/search/WalkForward.ts"
import { median } from "../../../domain/Median.ts"
import { present } from "../../../domain/Present.ts"
import { percent } from "../../../domain/Text.ts"
import type { MarketsTable } from "../../../report/html/HtmlPage.ts"
import * as Table from "../../../report/text/Table.ts"

interface Walked {
  readonly name: string
  readonly data: string
  readonly steps: ReadonlyArray<WalkForward.WalkStep>
}

const gainOf = ({ test }: WalkForward.WalkStep): number => Number(test?.profitQuote ?? 0)

/** As JSON has it. Each market searches its own past. */
export const of = (walked: ReadonlyArray<Walked>) => {
  const markets = walked.map(({ name, data, steps }) => ({
    market: name,
    data,
    profitQuote: steps.reduce((sum, step) => sum + gainOf(step), 0),
    ...present({ efficiency: WalkForward.efficiency(steps) }),
    windows: steps.length,
    gains: steps.filter((step) => gainOf(step) > 0).length
  }))
  const gains = markets.map(({ profitQuote }) => profitQuote)
  return { markets, together: { median: median(gains) ?? 0, worst: Math.min(...gains) } }
}

type WalkAcross = ReturnType<typeof of>

const titles = ["MARKET", "OUT OF SAMPLE", "AGAINST IN SAMPLE", "WINDOWS WITH A GAIN"]

const rows = ({ markets }: WalkAcross) =>
  markets.map(({ market, profitQuote, efficiency, gains, windows }) => [
    market,
    profitQuote.toFixed(2),
    efficiency === undefined ? "no gain in the past" : percent(efficiency, 0),
    `${gains} of ${windows}`
  ])

const said = ({ together: { median, worst } }: WalkAcross): string =>
  `Out of sample by market: ${median.toFixed(2)} in the median, ${worst.toFixed(2)} at worst.`

export const table = (across: WalkAcross): MarketsTable => ({ titles, rows: rows(across), notes: [said(across)] })

export const lines = (across: WalkAcross): ReadonlyArray<string> => [
  "",
  ...Table.ofFigures(titles, rows(across)),
  said(across)
]
