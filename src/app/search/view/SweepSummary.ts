/** What a search found, for the terminal and as JSON. */

import * as Halving from "../../../backtest/search/Halving.ts"
import * as Objective from "../../../backtest/search/Objective.ts"
import * as SweepSpace from "../../../backtest/search/SweepSpace.ts"
import { bySide, type TrialFigures, type TrialResult } from "../../../backtest/search/TrialResult.ts"
import { present } from "../../../domain/Present.ts"
import { percent } from "../../../domain/Text.ts"
import * as HeatMap from "../../../report/HeatMap.ts"
import * as Table from "../../../report/text/Table.ts"
import type { SweepFound } from "../SweepRun.ts"
import * as SweepMarkets from "./SweepMarkets.ts"

export const json = (found: SweepFound) => ({
  trials: found.all.length,
  resumed: found.resumed,
  refused: found.all.filter(({ refused }) => refused !== undefined).length,
  bars: found.bars,
  threads: found.threads,
  wallMillis: found.wallMillis,
  objective: found.objective,
  deflatedSharpe: found.deflatedSharpe,
  ...(found.rungs.length > 1 ? { halving: { rungs: found.rungs, budget: Halving.budget(found.rungs) } } : {}),
  best: found.best.map((result, index) => ({
    ...result,
    set: SweepSpace.named(found.space, result.values),
    ...present({ pessimistic: bySide(result, "pessimistic"), optimistic: bySide(result, "optimistic") }),
    ...(found.also.length === 0 ? {} : { also: found.also.map(({ data, best }) => ({ data, ...best[index] })) })
  })),
  ...(found.markets.length < 2 ? {} : SweepMarkets.json(found)),
  ...(found.pareto === undefined
    ? {}
    : {
        pareto: {
          objectives: found.pareto.objectives,
          front: found.pareto.front.map((result) => ({
            ...result,
            set: SweepSpace.named(found.space, result.values)
          }))
        }
      }),
  ...present({ sensitivity: found.sensitivity }),
  fees: found.runs[0].fees
})

/** With enough trials, something looks good by luck. */
export const luck = ({ deflatedSharpe, all, best }: SweepFound): string => {
  const ran = all.filter(({ refused }) => refused === undefined).length
  if (best.length === 0) return `None of ${ran} trials meets the conditions: there is nothing to trust.`
  return `Deflated Sharpe: ${percent(deflatedSharpe, 1)} that #1 is not just the luckiest of ${ran} trials.${
    deflatedSharpe < 0.95
      ? " That is too little to rely on: prefer fewer, coarser choices, and test on other data (walk-forward)."
      : ""
  }`
}

/** The first two keys that have several values. */
const axesOf = ({ space }: SweepFound) =>
  space.map((dimension, at) => ({ ...dimension, at })).filter(({ values }) => values.length > 1)

export const mapOf = (found: SweepFound): HeatMap.HeatMap | undefined => {
  const { compared, objective } = found
  const [rows, columns] = axesOf(found)
  if (rows === undefined || columns === undefined) return undefined
  const points = compared
    .filter(({ refused }) => refused === undefined)
    .map((result) => ({
      row: result.values[rows.at] ?? "",
      column: result.values[columns.at] ?? "",
      value: Objective.score(objective, result)
    }))
  return HeatMap.of({ name: rows.path, values: rows.values }, { name: columns.path, values: columns.values }, points)
}

/** The meaning of the map's values. */
export const mapNote = ({ space, objective, rungs, bars }: SweepFound): string => {
  const others = space.filter(({ values }) => values.length > 1).length > 2 ? ", mean over the other keys" : ""
  const first = rungs[0]?.bars ?? bars
  return `${objective}${others}${first < bars ? `, over the first ${first} bars, which all trials ran` : ""}`
}

/** Where the trial shown as the winner stands on the map; it need not be the greatest cell. */
export const winnerOn = (map: HeatMap.HeatMap, found: SweepFound): HeatMap.Standing | undefined => {
  const [winner] = found.best
  const [rows, columns] = axesOf(found)
  if (winner === undefined || rows === undefined || columns === undefined) return undefined
  return HeatMap.standing(map, winner.values[rows.at] ?? "", winner.values[columns.at] ?? "")
}

export const plateau = (map: HeatMap.HeatMap, found: SweepFound): ReadonlyArray<string> => {
  const winner = winnerOn(map, found)
  if (winner === undefined) return []
  const edges = [
    [winner.row, map.rows.length],
    [winner.column, map.columns.length]
  ] as const
  const isAtEdge = edges.some(([at, count]) => count > 2 && (at === 0 || at === count - 1))
  const cell = `The cell of #1 (${map.rowName} ${map.rows[winner.row]}, ${map.columnName} ${map.columns[winner.column]})`
  const kept = `with its neighbours it keeps ${percent(Math.max(0, winner.kept), 0)} of its lead over the median`
  const verdict =
    winner.lead <= 0
      ? "has no lead over the median cell of the map. Do not rely on it."
      : HeatMap.isPlateau(winner)
        ? `stands on a plateau: ${kept}.`
        : `is a spike: ${kept}. Do not rely on it.`
  const others = winner.isGreatest
    ? ""
    : " It is not the greatest cell of the map, which shows the trials that all ran."
  const further = isAtEdge ? " It lies at the edge of what was searched: there may be better ones beyond." : ""
  return [`${cell} ${verdict}${others}${further}`]
}

export const steps = ({ rungs }: SweepFound): string =>
  rungs.length < 2
    ? ""
    : `halving: ${rungs.map(({ trials, bars }) => `${trials} over ${bars} bars`).join(", ")}: ${percent(Halving.budget(rungs), 1)} of a full search`

export const profit = (figures: TrialFigures | undefined): string =>
  figures === undefined ? "" : Number(figures.profitQuote).toFixed(2)

/** DRAWDOWN, FILLS and DAILY SHARPE are of the side that ranks. */
export const table = ({ space, best }: SweepFound) => ({
  titles: [
    ...["#", ...space.map(({ path }) => path), "PESSIMISTIC", "OPTIMISTIC", "RANKED BY"],
    ...["DRAWDOWN", "FILLS", "DAILY SHARPE"]
  ],
  rows: best.map((result, index) => [
    `${index + 1}`,
    ...result.values,
    profit(bySide(result, "pessimistic")),
    profit(bySide(result, "optimistic")),
    result.side ?? "",
    percent(result.maxDrawdown),
    `${result.fills}`,
    result.dailySharpe.toFixed(4)
  ])
})

const figures = ({ profitQuote, maxDrawdown, fills, dailySharpe }: TrialResult): ReadonlyArray<string> => [
  Number(profitQuote).toFixed(2),
  percent(maxDrawdown),
  `${fills}`,
  dailySharpe.toFixed(4)
]

const figureTitles = ["PNL", "DRAWDOWN", "FILLS", "DAILY SHARPE"]

const alsoLines = ({ also }: SweepFound): ReadonlyArray<string> =>
  also.flatMap(({ data, best }) => [
    `the same over ${data}:`,
    ...Table.allRight(
      ["#", ...figureTitles],
      best.map((result, index) => [`${index + 1}`, ...figures(result)])
    ),
    ""
  ])

const frontLines = ({ space, pareto }: SweepFound): ReadonlyArray<string> => {
  if (pareto === undefined) return []
  return [
    `no other trial beats these by ${pareto.objectives.join(" and ")}:`,
    ...Table.allRight(
      [...space.map(({ path }) => path), ...figureTitles],
      pareto.front.map((result) => [...result.values, ...figures(result)])
    ),
    ""
  ]
}

const sensitivityLines = ({ sensitivity }: SweepFound): ReadonlyArray<string> =>
  sensitivity === undefined
    ? []
    : [
        ...Table.ofFigures(
          ["#1 with", ...figureTitles],
          sensitivity.map(({ name, result }) => [name, ...figures(result)])
        ),
        ""
      ]

/** Two decimals, or more for small figures. */
const figure = (value: number): string => (Math.abs(value) >= 1 ? value.toFixed(2) : value.toPrecision(2))

export const lines = (found: SweepFound): ReadonlyArray<string> => {
  const { all, best, bars, wallMillis, threads, resumed } = found
  const refused = all.filter(({ refused }) => refused !== undefined)
  const { titles, rows } = table(found)
  const map = mapOf(found)
  return [
    found.runs[0].fees.sentence,
    `${all.length} trials over ${bars} bars in ${(wallMillis / 1000).toFixed(1)} s on ${threads} threads`,
    ...[steps(found)].filter((line) => line !== ""),
    ...(resumed === 0 ? [] : [`${resumed} of them were known from before`]),
    ...(refused[0] === undefined ? [] : [`${refused.length} refused, for example: ${refused[0].refused}`]),
    "",
    ...(best.length === 0 ? ["No trial meets the conditions."] : Table.allRight(titles, rows)),
    "",
    ...(found.markets.length < 2 ? [] : SweepMarkets.lines(found)),
    ...alsoLines(found),
    ...frontLines(found),
    ...sensitivityLines(found),
    ...(map === undefined ? [] : [mapNote(found), ...HeatMap.lines(map, figure), ...plateau(map, found), ""]),
    luck(found)
  ]
}
