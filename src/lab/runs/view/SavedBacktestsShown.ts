/** Shows saved backtests: a list, one with its strategy file, or two side by side with the lines that differ between their files. */
import { Effect } from "effect"
import { countText, grouped, orderedJson, percent, printable, utc } from "../../../domain/Text.ts"
import type { CommandAnswer } from "../../../process/Answer.ts"
import { wrongUsage } from "../../../process/WrongUsage.ts"
import * as Table from "../../../report/text/Table.ts"
import * as SavedBacktests from "../SavedBacktests.ts"
import * as LineDiff from "./LineDiff.ts"

type Saved = SavedBacktests.SavedBacktest

const amount = (value: number): string =>
  value === 0 || Math.abs(value) >= 1 ? grouped(value.toFixed(2)) : value.toPrecision(2)

const sidesOf = ({ sides }: Saved["figures"]) => Object.values(sides)

const rows = [
  ["profit and loss", sidesOf, "profitQuote", amount],
  ["simulated, p5 to p95", SavedBacktests.quantilesOf, "profitQuote", amount],
  ["change in equity", sidesOf, "pnlQuote", amount],
  ["fees", sidesOf, "feesQuote", amount],
  ["largest drawdown", sidesOf, "maxDrawdown", (value: number) => percent(value)],
  ["fills", sidesOf, "fills", String]
] as const

const cellsOf = ({ figures }: Saved): ReadonlyArray<string> =>
  rows.map(([, of, key, write]) => {
    const values = of(figures).map((each) => Number(each[key]))
    return [...new Set(values.sort((a, b) => a - b).map((value) => write(value)))].join(" to ")
  })

const figureLines = (backtests: ReadonlyArray<Saved>): ReadonlyArray<string> => {
  const columns = backtests.map(cellsOf)
  const lines = rows.map(([label], row) => [label, ...columns.map((cells) => cells[row] ?? "")])
  return Table.ofFigures(["", ...backtests.map(({ id }) => id)], lines)
}

const optionsText = ({ options }: Saved): string => Object.entries(options).flat().join(" ")
const filesText = ({ data }: Saved): string => data.map(({ file }) => file).join(", ")

const dataText = ({ data, figures: { bars, from, to }, inputs = [] }: Saved): string => {
  const files = [...data, ...inputs].map(({ file, sha256 }) => `${file} (SHA-256 ${sha256.slice(0, 12)})`)
  return `${files.join(", ")}, ${bars} bars from ${utc(from)} to ${utc(to)}`
}

const headline = ({ at, figures, file, id }: Saved): string =>
  `${id}: ${figures.strategy} on ${figures.market} from ${file}, made ${utc(at)}`

export const listed = Effect.fn("SavedBacktestsShown.listed")(function* () {
  const { backtests, faults, place } = yield* SavedBacktests.all
  const list = backtests.map((saved) => {
    const [profit = "", , , , drawdown = "", fills = ""] = cellsOf(saved)
    return [saved.id, utc(saved.at), saved.figures.strategy, saved.file, filesText(saved), profit, drawdown, fills]
  })
  const figures = ["PROFIT AND LOSS", "DRAWDOWN", "FILLS"].map(Table.right)
  const table = list.length === 0 ? [] : Table.render(["ID", "MADE", "STRATEGY", "FILE", "DATA", ...figures], list)
  const about = `Each backtest is saved in ${place}; the newest ${SavedBacktests.maxSaved} are kept.`
  const data = () => backtests.map(({ text: _, ...saved }) => saved)
  return { data, lines: () => [...table, ...faults, about] } satisfies CommandAnswer
})

export const show = Effect.fn("SavedBacktestsShown.show")(function* ({ id }: { readonly id: string }) {
  const saved = yield* SavedBacktests.load(id)
  const facts = [headline(saved), dataText(saved), optionsText(saved), "", ...figureLines([saved]), ""]
  const source = saved.text.trimEnd().split(/\r?\n/).map(printable)
  const file = `${saved.file} (SHA-256 ${saved.figures.hash})`
  return { data: () => saved, lines: () => [...facts, file, ...source] } satisfies CommandAnswer
})

/** Figures over other inputs do not compare: other candles, signals or configuration, another market or time. */
const inputsOf = ({ data, figures: { from, to }, inputs }: Saved, other: Saved): string => {
  const others = inputs && other.inputs ? inputs.map(({ name, sha256 }) => [name, sha256]) : []
  return orderedJson([data.map(({ market, sha256 }) => [market, sha256]), from, to, others])
}

type ComparisonAsked = Readonly<Record<"first" | "second", string>> & { readonly otherData: boolean }

export const compared = Effect.fn("SavedBacktestsShown.compared")(function* (asked: ComparisonAsked) {
  const both = [yield* SavedBacktests.load(asked.first), yield* SavedBacktests.load(asked.second)] as const
  const [first, second] = both
  const eachText = (text: (saved: Saved) => string) => both.map((saved) => `${saved.id} ${text(saved)}`).join("; ")
  const isSameData = inputsOf(first, second) === inputsOf(second, first)
  const data = isSameData ? `same data: ${dataText(first)}` : `different data: ${eachText(dataText)}`
  if (!isSameData && !asked.otherData)
    return yield* wrongUsage(`${data}. Run both over the same data, or add --other-data`)
  const options = `options: ${optionsText(first) === optionsText(second) ? optionsText(first) : eachText(optionsText)}`
  const changes = LineDiff.changedLines(first.text, second.text)
  const files = `strategy files: ${countText(changes.length, "line")} differ (- ${first.id}, + ${second.id})`
  const lines = [...both.map(headline), data, options, "", ...figureLines(both), "", files, ...LineDiff.lines(changes)]
  return { data: () => ({ first, second, isSameData, changes }), lines: () => lines } satisfies CommandAnswer
})
