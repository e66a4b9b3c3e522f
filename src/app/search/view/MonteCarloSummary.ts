/** How simulations spread, for the terminal and as JSON; by market where there are several. */
import { percent } from "../../../domain/Text.ts"
import * as Table from "../../../report/text/Table.ts"
import type { MonteCarloFound } from "../MonteCarloRun.ts"
import { together } from "../OnMarkets.ts"

/** The product of the returns does not depend on their order, and neither does whether the run loses. */
const sameGain = "every order of the same returns gains the same"

/** How each market's simulations spread, with the median and the worst of their gains; nothing for a single market. */
const acrossOf = ({ markets }: MonteCarloFound) => {
  if (markets.length < 2) return undefined
  const { median, worst } = together(markets.map(({ result: { spread } }) => spread.gain["p50"] ?? 0))
  return {
    markets: markets.map(({ name, result: { spread } }) => ({ market: name, ...spread })),
    together: { medianGain: median, worstGain: worst }
  }
}

export const byMarket = (found: MonteCarloFound): Table.NotedCells | undefined => {
  const across = acrossOf(found)
  if (across === undefined) return undefined
  const { medianGain, worstGain } = across.together
  return {
    titles: ["MARKET", "GAIN P5", "P50", "P95", "LOSE", "DRAWDOWN P95", "RUIN"],
    rows: across.markets.map(({ market, gain, lost, maxDrawdown, ruin }) => [
      market,
      ...["p5", "p50", "p95"].map((name) => percent(gain[name] ?? 0)),
      percent(lost),
      percent(maxDrawdown["p95"] ?? 0),
      percent(ruin.probability)
    ]),
    notes: [
      `Half of the simulations gain more than ${percent(medianGain)} on the median market, and ${percent(worstGain)} on the worst.`
    ]
  }
}

/** Percentiles. */
export const table = ({ markets: [{ result }], method }: MonteCarloFound) => {
  const { gain, maxDrawdown } = result.spread
  const row = (name: string, ratios: Readonly<Record<string, number>>) => [
    name,
    ...Object.values(ratios).map((ratio) => percent(ratio))
  ]
  return {
    titles: ["", ...Object.keys(gain)],
    rows: [...(method === "order" ? [] : [row("gain", gain)]), row("largest drawdown", maxDrawdown)]
  }
}

export const json = (found: MonteCarloFound) => {
  const { method, seed, runs, markets } = found
  const meaningless = method === "order" ? { meaningless: { lost: sameGain, gain: sameGain } } : {}
  return { method, seed, fees: runs[0].fees, ...markets[0].result.spread, ...meaningless, ...acrossOf(found) }
}

export const lines = (found: MonteCarloFound): ReadonlyArray<string> => {
  const { method, runs, markets } = found
  const { spread } = markets[0].result
  const { titles, rows } = table(found)
  return [
    runs[0].fees.sentence,
    method === "order"
      ? `${spread.runs} simulations by order: ${sameGain}, ${percent(spread.gain["p50"] ?? 0)}; only the drawdown differs`
      : `${spread.runs} simulations by ${method}: ${percent(spread.lost)} of them lose`,
    "",
    ...Table.allRight(titles, rows),
    "",
    `probability of ruin, a loss of ${Math.round(spread.ruin.loss * 100)} % of the start at any time: ${percent(spread.ruin.probability)}`,
    ...Table.noted(byMarket(found))
  ]
}
