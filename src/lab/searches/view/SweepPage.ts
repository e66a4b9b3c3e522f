/** Shows the result of a search as a page and as JSON. */
import { Result, Struct } from "effect"
import { present } from "../../../domain/Present.ts"
import { countText, fixed, percent } from "../../../domain/Text.ts"
import * as Page from "../../../report/Page.ts"
import { sideNames } from "../../backtest/kernel/FillPresets.ts"
import * as Halving from "../../backtest/search/Halving.ts"
import * as Objective from "../../backtest/search/Objective.ts"
import * as SweepSpace from "../../backtest/search/SweepSpace.ts"
import { bySide, type TrialFigures, type TrialResult } from "../../backtest/search/TrialResult.ts"
import { share } from "../../html/Figures.ts"
import * as HeatMap from "../../html/HeatMap.ts"
import { axisOf, plot } from "../../html/Plot.ts"
import * as LineDiff from "../../runs/view/LineDiff.ts"
import type { BestWritten } from "../BestWritten.ts"
import { together } from "../OnMarkets.ts"
import type { SweepFound } from "../SweepRun.ts"
import * as RunFacts from "./RunFacts.ts"

const withSettings =
  ({ space }: SweepFound) =>
  (result: TrialResult) => ({ ...result, set: SweepSpace.settingsOf(space, result.values) })

export const json = (found: SweepFound) => ({
  trials: found.all.length,
  resumed: found.resumed,
  refused: found.all.filter(({ refused }) => refused !== undefined).length,
  ...Struct.pick(found, ["bars", "threads", "wallMillis", "objective", "rank", "deflatedSharpe"]),
  ...present({ overfitting: found.overfitting }),
  ...(found.rungs.length > 1 ? { halving: { rungs: found.rungs, budget: Halving.budget(found.rungs) } } : {}),
  best: found.best.map((result, index) => ({
    ...withSettings(found)(result),
    ...present({ pessimistic: bySide(result, "pessimistic"), optimistic: bySide(result, "optimistic") }),
    ...(found.also.length === 0 ? {} : { also: found.also.map(({ data, best }) => ({ data, ...best[index] })) })
  })),
  ...(found.markets.length < 2 ? {} : marketsJson(found)),
  ...present({
    pareto: found.pareto && { ...found.pareto, front: found.pareto.front.map(withSettings(found)) },
    sensitivity: found.sensitivity,
    written: found.written && { ...found.written, plan: found.written.plan?.data() }
  }),
  fees: found.runs[0].fees,
  warnings: found.warnings
})

const luck = ({ deflatedSharpe, all, best }: SweepFound): string => {
  const ran = all.filter(({ refused }) => refused === undefined).length
  if (best.length === 0) return `None of ${ran} trials meets the conditions, so there is no result to rate.`
  const advice = "Too little to rely on: try fewer, coarser values, and test on other data (walk-forward)."
  const skill = `Deflated Sharpe: ${percent(deflatedSharpe, 1)} that #1 is not just the luckiest of ${countText(ran, "trial")}.`
  return deflatedSharpe < 0.95 ? `${skill} ${advice}` : skill
}

const overfitted = ({ overfitting }: SweepFound): ReadonlyArray<string> => {
  if (overfitting === undefined) return []
  const probability = `Probability of backtest overfitting: ${percent(overfitting, 0)}`
  return [`${probability} that the best on half of the days is no better than the median on the others.`]
}

/** A larger map cannot be read, and fills the memory. */
const maxCells = 250_000

const axesOf = ({ space }: SweepFound) => {
  const keys = space.map(({ path, values }, at) => ({ name: path, values, at }))
  const [rows, columns] = keys.filter(({ values }) => values.length > 1)
  if (rows === undefined || columns === undefined) return undefined
  return { rows, columns, cells: rows.values.length * columns.values.length }
}

const noMap = (found: SweepFound): ReadonlyArray<string> => {
  const axes = axesOf(found)
  if (axes === undefined || axes.cells <= maxCells) return []
  const { cells, columns, rows } = axes
  const size = `${cells} cells are more than ${maxCells}`
  return [`There is no map of ${rows.name} by ${columns.name}: ${size}; take larger steps.`]
}

const mapOf = (found: SweepFound) => {
  const axes = axesOf(found)
  if (axes === undefined || axes.cells > maxCells) return undefined
  const { columns, rows } = axes
  const { compared, objective } = found
  const [best] = found.best
  const cellOf = ({ values }: TrialResult) => ({ row: values[rows.at] ?? "", column: values[columns.at] ?? "" })
  const points = compared
    .filter(({ refused }) => refused === undefined)
    .map((result) => ({ ...cellOf(result), value: Objective.score(objective, result) }))
  const map = HeatMap.of(rows, columns, points)
  const cell = best && cellOf(best)
  return { map, winner: cell && HeatMap.standing(map, cell.row, cell.column) }
}

type Mapped = NonNullable<ReturnType<typeof mapOf>>

const mapNote = ({ space, objective, rungs, bars }: SweepFound): string => {
  const others = space.filter(({ values }) => values.length > 1).length > 2 ? ", mean over the other keys" : ""
  return `${objective}${others}${partOfData({ rungs, bars })}`
}

const partOfData = ({ rungs: [first], bars }: Pick<SweepFound, "rungs" | "bars">): string =>
  first === undefined || first.bars >= bars ? "" : `, over the first ${first.bars} bars, which all trials ran`

const plateau = ({ map, winner }: Mapped): ReadonlyArray<string> => {
  if (winner === undefined) return []
  const edges = [
    [winner.row, map.rows.length],
    [winner.column, map.columns.length]
  ] as const
  const isAtEdge = edges.some(([at, count]) => count > 2 && (at === 0 || at === count - 1))
  const cell = `The cell of #1 (${map.rowName} ${map.rows[winner.row]}, ${map.columnName} ${map.columns[winner.column]})`
  const share = `neighbouring settings keep ${percent(Math.max(0, winner.kept), 0)} of its lead over the median`
  const verdict =
    winner.lead <= 0
      ? "is no better than the median cell of the map. Do not rely on it."
      : HeatMap.isPlateau(winner)
        ? `is robust: ${share}.`
        : `is a spike: ${share}. Do not rely on it.`
  const others = winner.isGreatest
    ? ""
    : " Another cell is higher, because the map also has trials that fail the conditions."
  const further = isAtEdge ? " It is at the edge of the search: better ones may lie beyond." : ""
  return [`${cell} ${verdict}${others}${further}`]
}

const steps = ({ rungs }: SweepFound): string =>
  rungs.length < 2
    ? ""
    : `halving: ${rungs.map(({ trials, bars }) => `${trials} over ${bars} bars`).join(", ")}: ${percent(Halving.budget(rungs), 1)} of a full search`

const profit = (figures: TrialFigures | undefined): Page.PageCell =>
  figures === undefined ? "" : Page.gain(fixed(Number(figures.profitQuote)))

const quantiles = ({ simulated }: TrialResult): ReadonlyArray<string> =>
  simulated === undefined ? ["", ""] : [figure(simulated.p5), figure(simulated.p50)]

/** DRAWDOWN, FILLS and DAILY SHARPE are those of the worse side, or of the side that ranks. */
const bestTable = ({ space, best }: SweepFound): Page.PagePart => {
  const isSimulated = best[0]?.simulated !== undefined
  const titles = [
    ...["#", ...space.map(({ path }) => path), "FEWER FILLS", "MORE FILLS"],
    ...(isSimulated ? ["P5", "P50"] : ["RANKED BY"]),
    ...["DRAWDOWN", "FILLS", "DAILY SHARPE"]
  ]
  const rows = best.map((result, index) => [
    `${index + 1}`,
    ...result.values,
    profit(bySide(result, "pessimistic")),
    profit(bySide(result, "optimistic")),
    ...(isSimulated ? quantiles(result) : [result.side === undefined ? "" : sideNames[result.side]]),
    ...figures(result).slice(1)
  ])
  return best.length === 0 ? Page.sentences("No trial meets the conditions.") : Page.table(titles, rows, "all")
}

const figures = (result: TrialFigures): ReadonlyArray<Page.PageCell> => [
  profit(result),
  percent(-result.maxDrawdown),
  `${result.fills}`,
  fixed(result.dailySharpe, 4)
]

const figureTitles = ["PNL", "DRAWDOWN", "FILLS", "DAILY SHARPE"]

const trialsSection = (
  title: string,
  heads: ReadonlyArray<string>,
  trials: ReadonlyArray<{ readonly head: ReadonlyArray<string>; readonly result: TrialFigures }>,
  aligned: "all" | "beside names" = "all"
): Page.PageSection => {
  const rows = trials.map(({ head, result }) => [...head, ...figures(result)])
  return { title, parts: [Page.table([...heads, ...figureTitles], rows, aligned)] }
}

const furtherSections = ({ also, pareto, sensitivity, space }: SweepFound): ReadonlyArray<Page.PageSection> =>
  Page.sectionsOf(
    ...also.map(({ data, best }) => {
      const numbered = best.map((result, index) => ({ head: [`${index + 1}`], result }))
      return trialsSection(`The same over ${data}`, ["#"], numbered)
    }),
    pareto &&
      trialsSection(
        `No other trial beats these by ${pareto.objectives.join(" and ")}`,
        space.map(({ path }) => path),
        pareto.front.map((result) => ({ head: result.values, result }))
      ),
    sensitivity &&
      trialsSection(
        "With other fees and delays",
        ["#1 with"],
        sensitivity.map(({ name, result }) => ({ head: [name], result })),
        "beside names"
      )
  )

const figure = (value: number): string => (Math.abs(value) >= 1 ? value.toFixed(2) : value.toPrecision(2))

const mapSection = (found: SweepFound, { map, winner }: Mapped): Page.PageSection => {
  const figurePart = Page.figurePart(() => HeatMap.maps(map, winner), HeatMap.lines(map, figure))
  return { title: `${map.rowName} by ${map.columnName}`, parts: [figurePart], note: mapNote(found) }
}

const mostDots = 3000

/** All trials ran on this data. */
const scatterSection = (found: SweepFound): Page.PageSection | undefined => {
  const { best, compared, runs } = found
  const ran = compared.filter(({ refused }) => refused === undefined)
  if (ran.length < 2) return undefined
  const { symbol } = runs[0].strategy.market.quote
  const pointOf = ({ maxDrawdown, profitQuote }: TrialResult) => [maxDrawdown, Number(profitQuote)] as const
  const winner = ran.filter(({ trial }) => trial === best[0]?.trial)
  const points = ran.map(pointOf)
  const x = axisOf("Largest drawdown below the highest equity", [0, ...points.map(([fall]) => fall)], share)
  const step = Math.ceil(points.length / mostDots)
  const dots = [
    { kind: "dot", points: points.filter((_, index) => index % step === 0) },
    ...winner.map((result) => ({ kind: "dot best", label: "#1", points: [pointOf(result)] }))
  ]
  const scatter = () =>
    plot("Profit and drawdown of all trials", x, `Profit against the untouched budget, ${symbol}`, dots)
  const about = `${ran.length} trials${step > 1 ? `, one of ${step} drawn` : ""}${partOfData(found)}`
  return { title: "Profit and drawdown", parts: [Page.figurePart(scatter)], note: about }
}

const fileSection = ({ best, runs, space }: SweepFound): Page.PageSection | undefined => {
  const [first] = best
  const written = Result.getOrUndefined(SweepSpace.template(runs[0].strategy.text, space))
  if (first === undefined || written === undefined) return undefined
  const parts = [Page.file(written.text(first.values))]
  return { title: "The best as a file", parts, note: "To copy into a strategy file.", isFolded: true }
}

const writtenSection = ({ changes, plan, said }: BestWritten): Page.PageSection => {
  const lines = [...LineDiff.lines(changes), ...(plan === undefined ? [] : ["", ...plan.lines()])]
  return { title: "The change", parts: [Page.sentences(said), Page.figurePart(() => "", lines)] }
}

const mostRefused = 50

const refusedSection = ({ space }: SweepFound, refused: ReadonlyArray<TrialResult>): Page.PageSection | undefined => {
  if (refused.length === 0) return undefined
  const rows = refused.slice(0, mostRefused).map(({ values, refused: why = "" }) => [...values, why])
  const more = refused.length > mostRefused ? ` The first ${mostRefused} of them.` : ""
  const note = `${countText(refused.length, "trial")} did not run: their settings are not a valid strategy.${more}`
  const parts = [Page.table([...space.map(({ path }) => path), "WHY"], rows, "none")]
  return { title: "Refused trials", parts, note, isPageOnly: true, isFolded: true }
}

export const failure = ({ all, written }: SweepFound): string | undefined => {
  if (all.every(({ refused }) => refused !== undefined)) return RunFacts.nothingRan(all[0]?.refused)
  return written?.isWithheld ? written.said : undefined
}

/** Simulated runs have the quantiles of the objective alone. */
const profitOf = ({ objective, rank, runs }: SweepFound, best: TrialResult | undefined) => {
  const { profitQuote = "0", side = "pessimistic", simulated } = best ?? {}
  const quantile = objective === "profitQuote" ? simulated?.[rank] : undefined
  const basis = quantile === undefined ? `by ${sideNames[side]}` : `${rank} of its simulated runs`
  const quote = runs[0].strategy.market.quote.symbol
  return { basis, quote, text: `${fixed(quantile ?? Number(profitQuote))} ${quote}` }
}

export const page = (found: SweepFound, madeAt: number): Page.Page => {
  const { all, bars, best, objective, resumed, space, threads, wallMillis } = found
  const [first] = best
  const refused = all.filter((result) => result.refused !== undefined)
  const mapped = mapOf(found)
  const halving = steps(found)
  const { basis, quote, text: profitText } = profitOf(found, first)
  const profitOfBest = first === undefined ? "none" : Page.gain(profitText)
  const simulatedNote = first?.simulated === undefined ? "" : `; P5, P50: ${objective} of simulated runs`
  const note = `FEWER FILLS, MORE FILLS: profit against the untouched budget, ${quote}${simulatedNote}`
  return RunFacts.pageOf(found, {
    what: "Search",
    about: `${countText(all.length, "trial")} over ${countText(bars, "bar")}`,
    madeAt,
    more: [
      ...space.map(({ path, values }) => [path, values.join(", ")] as const),
      ["refused", `${refused.length}`],
      ...(halving === "" ? [] : [["steps", halving] as const])
    ],
    headline: [
      ["Profit of the best", profitOfBest, `against the untouched budget, ${basis}`],
      ["Largest drawdown", first === undefined ? "none" : percent(-first.maxDrawdown), "of the best"],
      ["Probability of skill", first === undefined ? "none" : percent(found.deflatedSharpe, 1), "deflated Sharpe"],
      ["Trials", `${all.length}`, `${(wallMillis / 1000).toFixed(1)} s on ${countText(threads, "thread")}`]
    ],
    says: [
      first === undefined
        ? refused.length === all.length
          ? "No trial ran."
          : "No trial met the conditions."
        : `The best of ${countText(all.length - refused.length, "trial")} by ${objective} ${profitText.startsWith("-") ? "lost" : "made"} ${profitText.replace("-", "")} against the untouched budget, ${basis}.`,
      luck(found),
      ...overfitted(found),
      ...(mapped === undefined ? noMap(found) : plateau(mapped)),
      ...(halving === "" ? [] : [`By ${halving}.`]),
      ...(resumed === 0 ? [] : [`${resumed} of the trials were reused from an earlier search.`]),
      ...(refused[0] === undefined
        ? []
        : [`${countText(refused.length, "trial")} refused, for example: ${refused[0].refused}`])
    ],
    sections: Page.sectionsOf(
      { title: "The best", parts: [bestTable(found)], note },
      scatterSection(found),
      found.markets.length < 2 ? undefined : marketsSection(found),
      ...furtherSections(found),
      mapped && mapSection(found, mapped),
      fileSection(found),
      found.written && writtenSection(found.written),
      refusedSection(found, refused)
    )
  })
}

/** Scores a trial on every market. A trial that is the best on one market and poor on the others was fitted to that market. */
const standingOf = ({ objective, markets }: SweepFound, trial: number) => {
  const results = markets.map(({ result }) => result.get(trial))
  const scores = results.map((result) =>
    result === undefined || result.refused !== undefined ? undefined : Objective.score(objective, result)
  )
  return { trial, values: results.find((each) => each !== undefined)?.values ?? [], scores, ...together(scores) }
}

const bestAlone = (found: SweepFound) =>
  found.markets.flatMap(({ name, result }, at) => {
    const standings = [...result.keys()].map((trial) => standingOf(found, trial))
    const [best] = standings
      .filter(({ scores }) => scores[at] !== undefined)
      .toSorted((a, b) => (b.scores[at] ?? 0) - (a.scores[at] ?? 0) || a.trial - b.trial)
    if (best === undefined) return []
    const { worst: worstElsewhere } = together(best.scores.filter((_, index) => index !== at))
    return [{ ...best, market: name, score: best.scores[at] ?? 0, worstElsewhere }]
  })

const scoreText = (value: number | undefined): string =>
  value === undefined || !Number.isFinite(value) ? "refused" : value === 0 ? "0.00" : figure(value)

const marketsSection = (found: SweepFound): Page.PageSection => {
  const { best, markets, objective, space } = found
  const titles = ["#", ...space.map(({ path }) => path), ...markets.map(({ name }) => name), "MEDIAN", "WORST"]
  const rows = best.map(({ trial }, index) => {
    const { values, scores, median, worst } = standingOf(found, trial)
    return [`${index + 1}`, ...values, ...scores.map(scoreText), scoreText(median), scoreText(worst)]
  })
  const parts = [Page.table(titles, rows, "all"), Page.sentences(...notesOf(found))]
  return { title: "By market", note: `${objective}; the order is that of the worst`, parts }
}

const notesOf = (found: SweepFound): ReadonlyArray<string> =>
  bestAlone(found).map(({ market, trial, values, score, worstElsewhere }) => {
    const set = found.space.map(({ path }, index) => `${path} ${values[index]}`).join(", ")
    const same = trial === found.best[0]?.trial ? ", the same as #1" : ""
    return `The best on ${market} alone: ${set} (${scoreText(score)} there, ${scoreText(worstElsewhere)} at worst elsewhere)${same}.`
  })

const orNull = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : value

const marketsJson = (found: SweepFound) => ({
  markets: found.markets.map(({ name, data, result }) => ({
    market: name,
    data,
    best: found.best.flatMap(({ trial }) => result.get(trial) ?? [])
  })),
  together: found.best.map(({ trial }) => {
    const { scores, median, worst } = standingOf(found, trial)
    const byMarket = found.markets.map(({ name }, index) => [name, orNull(scores[index])] as const)
    return { trial, scores: Object.fromEntries(byMarket), median: orNull(median), worst: orNull(worst) }
  }),
  bestAlone: bestAlone(found).map(({ market, trial, values, score, worstElsewhere }) => ({
    market,
    trial,
    set: SweepSpace.settingsOf(found.space, values),
    score,
    worstElsewhere: orNull(worstElsewhere)
  }))
})
