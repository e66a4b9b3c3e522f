/** What a search found, for the terminal and as JSON. */

import * as Halving from "../../backtest/search/Halving.ts"
import * as Objective from "../../backtest/search/Objective.ts"
import type * as Sensitivity from "../../backtest/search/Sensitivity.ts"
import * as SweepSpace from "../../backtest/search/SweepSpace.ts"
import { bySide, type TrialFigures, type TrialResult } from "../../backtest/search/TrialResult.ts"
import { present } from "../../domain/Present.ts"
import { percent } from "../../domain/Text.ts"
import * as HeatMap from "../../report/HeatMap.ts"
import * as Table from "../../report/text/Table.ts"
import * as Across from "./across/Across.ts"

export interface SearchResult {
  readonly space: ReadonlyArray<SweepSpace.Dimension>
  /** Every trial once, with its result on the longest data that it ran on. */
  readonly all: ReadonlyArray<TrialResult>
  /** Every trial's result on the same data: all of it, or the first step of a halving search. */
  readonly compared: ReadonlyArray<TrialResult>
  readonly rungs: ReadonlyArray<Halving.Rung>
  /** With the figures of both sides. */
  readonly best: ReadonlyArray<TrialResult>
  readonly resumed: number
  readonly bars: number
  readonly threads: number
  readonly wallMillis: number
  readonly objective: Objective.Objective
  readonly deflatedSharpe: number
  /** The best trials over further files, in the same order. */
  readonly also: ReadonlyArray<{ readonly data: string; readonly best: ReadonlyArray<TrialResult> }>
  /** The trials on several markets. */
  readonly across?: Across.Across
  /** The trials that no other beats by all of these objectives. */
  readonly pareto?: {
    readonly objectives: ReadonlyArray<Objective.Objective>
    readonly front: ReadonlyArray<TrialResult>
  }
  /** The best with other fees and delays. */
  readonly sensitivity?: ReadonlyArray<Sensitivity.Sensitivity>
}

export const json = (found: SearchResult) => ({
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
  ...(found.across === undefined ? {} : Across.json(found.across, found.best)),
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
  ...present({ sensitivity: found.sensitivity })
})

/** With enough trials, something looks good by luck. */
export const luck = ({ deflatedSharpe, all, best }: SearchResult): string => {
  const ran = all.filter(({ refused }) => refused === undefined).length
  if (best.length === 0) return `None of ${ran} trials meets the conditions: there is nothing to trust.`
  return `Deflated Sharpe: ${percent(deflatedSharpe, 1)} that #1 is not just the luckiest of ${ran} trials.${
    deflatedSharpe < 0.95
      ? " That is too little to rely on: prefer fewer, coarser choices, and test on other data (walk-forward)."
      : ""
  }`
}

/** The first two keys that have several values. */
const axesOf = ({ space }: SearchResult) =>
  space.map((dimension, at) => ({ ...dimension, at })).filter(({ values }) => values.length > 1)

export const mapOf = (found: SearchResult): HeatMap.HeatMap | undefined => {
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
export const mapNote = ({ space, objective, rungs, bars }: SearchResult): string => {
  const others = space.filter(({ values }) => values.length > 1).length > 2 ? ", mean over the other keys" : ""
  const first = rungs[0]?.bars ?? bars
  return `${objective}${others}${first < bars ? `, over the first ${first} bars, which all trials ran` : ""}`
}

/** Where the trial shown as the winner stands on the map; it need not be the greatest cell. */
export const winnerOn = (map: HeatMap.HeatMap, found: SearchResult): HeatMap.Standing | undefined => {
  const [winner] = found.best
  const [rows, columns] = axesOf(found)
  if (winner === undefined || rows === undefined || columns === undefined) return undefined
  return HeatMap.standing(map, winner.values[rows.at] ?? "", winner.values[columns.at] ?? "")
}

export const plateau = (map: HeatMap.HeatMap, found: SearchResult): ReadonlyArray<string> => {
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

export const steps = ({ rungs }: SearchResult): string =>
  rungs.length < 2
    ? ""
    : `halving: ${rungs.map(({ trials, bars }) => `${trials} over ${bars} bars`).join(", ")}: ${percent(Halving.budget(rungs), 1)} of a full search`

export const profit = (figures: TrialFigures | undefined): string =>
  figures === undefined ? "" : Number(figures.profitQuote).toFixed(2)

/** DRAWDOWN, FILLS and DAILY SHARPE are of the side that ranks. */
export const table = ({ space, best }: SearchResult) => ({
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

const alsoLines = ({ also }: SearchResult): ReadonlyArray<string> =>
  also.flatMap(({ data, best }) => [
    `the same over ${data}:`,
    ...Table.render(
      ["#", ...figureTitles].map((title) => ({ title, align: "right" as const })),
      best.map((result, index) => [`${index + 1}`, ...figures(result)])
    ),
    ""
  ])

const frontLines = ({ space, pareto }: SearchResult): ReadonlyArray<string> => {
  if (pareto === undefined) return []
  const titles = [...space.map(({ path }) => path), ...figureTitles]
  return [
    `no other trial beats these by ${pareto.objectives.join(" and ")}:`,
    ...Table.render(
      titles.map((title) => ({ title, align: "right" as const })),
      pareto.front.map((result) => [...result.values, ...figures(result)])
    ),
    ""
  ]
}

const sensitivityLines = ({ sensitivity }: SearchResult): ReadonlyArray<string> =>
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

export const lines = (found: SearchResult): ReadonlyArray<string> => {
  const { all, best, bars, wallMillis, threads, resumed } = found
  const refused = all.filter(({ refused }) => refused !== undefined)
  const { titles, rows } = table(found)
  const map = mapOf(found)
  return [
    `${all.length} trials over ${bars} bars in ${(wallMillis / 1000).toFixed(1)} s on ${threads} threads`,
    ...[steps(found)].filter((line) => line !== ""),
    ...(resumed === 0 ? [] : [`${resumed} of them were known from before`]),
    ...(refused[0] === undefined ? [] : [`${refused.length} refused, for example: ${refused[0].refused}`]),
    "",
    ...(best.length === 0
      ? ["No trial meets the conditions."]
      : Table.render(
          titles.map((title) => ({ title, align: "right" as const })),
          rows
        )),
    "",
    ...(found.across === undefined ? [] : Across.lines(found.across, best)),
    ...alsoLines(found),
    ...frontLines(found),
    ...sensitivityLines(found),
    ...(map === undefined ? [] : [mapNote(found), ...HeatMap.lines(map, figure), ...plateau(map, found), ""]),
    luck(found)
  ]
}
