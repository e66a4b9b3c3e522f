/**
 * Strategies that the accounts of a class share. `budget: own` becomes each account's own budget, and `5% of quote` or `10% of base` a
 * share of it, rounded down to whole units. So each account's journal has exact numbers. Lines stay, so a mistake is reported at its place
 * in the shared file.
 */
import { Array, Result } from "effect"
import { floorOf, format } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Markets } from "../../../strategy/Markets.ts"
import {
  type Problem,
  problemAt,
  quoted,
  render,
  type SourceText,
  type Span,
  sourceText
} from "../../../strategy/Problem.ts"
import { readYaml, type YamlMap, type YamlNode, type YamlScalar } from "../../../strategy/YamlReader.ts"

type Shared = Readonly<Record<"file" | "text" | "at", string>>

/** Account's file of budgets; `text` is `undefined` if there is no file. */
interface BudgetsFile {
  readonly file: string
  readonly text: string | undefined
}

type Budget = ReadonlyMap<string, string>

const share = /^(\d{1,3}(?:\.\d{1,6})?)% of ([A-Za-z0-9.]{1,20})$/

export const fill = (
  shared: ReadonlyArray<Shared>,
  budgets: BudgetsFile,
  markets: Markets
): Result.Result<ReadonlyArray<Shared>, ReadonlyArray<string>> => {
  const own = budgetsIn(budgets)
  if (Result.isFailure(own)) return Result.fail(own.failure)
  const [filled, wrong] = Array.partition(shared, (each) => fillOne(each, own.success, budgets.file, markets))
  return wrong.length > 0 ? Result.fail(wrong.flat()) : Result.succeed(filled)
}

/** Reads the numbers as written, by strategy and asset. The strategy's reader checks whether they are amounts. */
const budgetsIn = ({
  file,
  text = "{}"
}: BudgetsFile): Result.Result<ReadonlyMap<string, Budget>, ReadonlyArray<string>> => {
  const source = sourceText(file, text)
  const yaml = readYaml(source)
  if (Result.isFailure(yaml)) return Result.fail(yaml.failure.map((problem) => render(problem, text)))
  const whole = yaml.success
  const rows = whole.type === "map" ? [...whole.entries] : []
  const wrong = (span: Span) =>
    render(problemAt(source, span, "a budget is written as `grid: { base: 0.01, quote: 600 }`"), text)
  const problems = [
    ...(whole.type === "map" ? [] : [wrong(whole)]),
    ...rows.flatMap(([, { value }]) => (isBudget(value) ? [] : [wrong(value)]))
  ]
  if (problems.length > 0) return Result.fail(problems)
  const numbers = ({ entries }: YamlMap): Budget =>
    new Map([...entries].flatMap(([asset, { value }]) => (value.type === "scalar" ? [[asset, value.text]] : [])))
  return Result.succeed(new Map(rows.flatMap(([name, { value }]) => (isBudget(value) ? [[name, numbers(value)]] : []))))
}

const isBudget = (node: YamlNode): node is YamlMap =>
  node.type === "map" &&
  [...node.entries.values()].every(({ value }) => value.type === "scalar" && Decimal.parse(value.text) !== undefined)

const fillOne = (
  { at, file, text }: Shared,
  budgets: ReadonlyMap<string, Budget>,
  budgetsFile: string,
  markets: Markets
): Result.Result<Shared, ReadonlyArray<string>> => {
  const source = sourceText(at, text)
  const yaml = readYaml(source)
  // The reader of strategies reports its faults.
  if (Result.isFailure(yaml) || yaml.success.type !== "map") return Result.succeed({ at, file, text })
  const name = scalarIn(yaml.success, "name")?.text ?? ""
  const [base = "", quote = ""] = scalarIn(yaml.success, "market")?.text.split("/") ?? []
  const ways: Filling = {
    source,
    budget: budgets.get(name),
    lacking: `${budgetsFile} has no budget for the strategy ${quoted(name)}`,
    decimalsOf: (asset) => {
      const symbol = asset === "base" ? base : asset === "quote" ? quote : asset
      return markets.assets.find((each) => each.symbol === symbol)?.decimals
    }
  }
  const meanings = scalarsIn(yaml.success).map((scalar) => [scalar, meaning(scalar, ways)] as const)
  const problems = meanings.flatMap(([, text]) => (typeof text === "object" ? [render(text, source.text)] : []))
  if (problems.length > 0) return Result.fail(problems)
  const written = meanings.flatMap(([{ end, start }, text]) => (typeof text === "string" ? [{ start, end, text }] : []))
  // From the end, so that earlier places stay valid.
  const filled = written
    .toSorted((one, other) => other.start - one.start)
    .reduce((whole, { end, start, text }) => whole.slice(0, start) + text + whole.slice(end), text)
  return Result.succeed({ at, file, text: filled })
}

interface Filling {
  readonly source: SourceText
  readonly budget: Budget | undefined
  readonly lacking: string
  readonly decimalsOf: (asset: string) => number | undefined
}

const meaning = (scalar: Keyed, { budget, decimalsOf, lacking, source }: Filling): string | Problem | undefined => {
  const [, percent = "", asset = ""] = share.exec(scalar.text) ?? []
  const isWhole = scalar.key === "budget" && scalar.text === "own"
  if (scalar.isQuoted || (percent === "" && !isWhole)) return undefined
  if (budget === undefined) return problemAt(source, scalar, lacking)
  if (isWhole) return `{ ${[...budget].map(([key, amount]) => `${key}: ${amount}`).join(", ")} }`
  const [whole, parts] = [Decimal.parse(budget.get(asset) ?? ""), Decimal.parse(percent)]
  const decimals = decimalsOf(asset)
  if (whole === undefined || parts === undefined || decimals === undefined)
    return problemAt(source, scalar, `the account's budget has no ${quoted(asset)}: ${[...budget.keys()].join(", ")}`)
  return format(floorOf(Decimal.multiply(Decimal.multiply(whole, parts), Decimal.make(1n, 2)), decimals), decimals)
}

type Keyed = YamlScalar & { readonly key: string | undefined }

const scalarsIn = (node: YamlNode, key?: string): ReadonlyArray<Keyed> =>
  node.type === "scalar"
    ? [{ ...node, key }]
    : node.type === "list"
      ? node.items.flatMap((item) => scalarsIn(item))
      : [...node.entries].flatMap(([key, { value }]) => scalarsIn(value, key))

const scalarIn = ({ entries }: YamlMap, key: string): YamlScalar | undefined => {
  const value = entries.get(key)?.value
  return value?.type === "scalar" ? value : undefined
}
