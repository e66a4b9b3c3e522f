/**
 * The values that a sweep tries: a range (`from..to:step`) or a list (`a,b,c`) for each key of the strategy file, and all combinations or a
 * seeded choice of them. Values stay decimal text, so that a trial is the file that a user would have written.
 */
import { Result } from "effect"
import * as Decimal from "../../../domain/Decimal.ts"
import { seeded } from "../../../domain/Seeded.ts"
import { sourceText } from "../../../strategy/Problem.ts"
import { isEmpty, readYaml, type YamlNode, type YamlScalar } from "../../../strategy/YamlReader.ts"

export interface Dimension {
  /** Keys of the strategy file from the top, such as `grid.levels`. */
  readonly path: string
  readonly values: ReadonlyArray<string>
}

const mostValues = 1_000_000

type OrWhy<A> = Result.Result<A, string>

const range = (path: string, text: string): OrWhy<ReadonlyArray<string>> | undefined => {
  const [, from, to, step] = /^([-+\d.]+?)\.\.([-+\d.]+?)(?::([\d.]+))?(%?)$/.exec(text) ?? []
  const unit = text.endsWith("%") ? "%" : ""
  if (from === undefined || to === undefined) return undefined
  const [low, high, by] = [Decimal.parse(from), Decimal.parse(to), Decimal.parse(step ?? "1")]
  if (low === undefined || high === undefined || by === undefined || !Decimal.isPositive(by))
    return Result.fail(`${path}: ${text} is not a range; write from..to:step, for example 10..50:5`)
  if (Decimal.isLess(high, low))
    return Result.fail(`${path}: ${text} ends before it begins; write the smaller number first`)
  const steps = Decimal.divide(Decimal.subtract(high, low), by, 0, "down").digits
  if (steps >= BigInt(mostValues))
    return Result.fail(`${path}: ${text} has more than ${mostValues} values; take a larger step`)
  const values = Array.from({ length: Number(steps) + 1 }, (_, index) =>
    Decimal.add(low, Decimal.multiply(by, Decimal.make(BigInt(index))))
  ).map((value) => Decimal.format(value) + unit)
  return Result.succeed(values)
}

/** Parses `grid.levels=10..50:5` or `grid.levels=10,20,30`. */
export const dimension = (text: string): OrWhy<Dimension> => {
  const at = text.indexOf("=")
  const [path, right] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  if (at <= 0 || path === "" || right === "")
    return Result.fail(`${JSON.stringify(text)} sets nothing; write key=from..to:step or key=a,b,c`)
  const asRange = range(path, right)
  if (asRange !== undefined) return Result.map(asRange, (values) => ({ path, values }))
  const values = right.split(",").map((value) => value.trim())
  return values.includes("")
    ? Result.fail(`${path}: ${right} has an empty value; write key=a,b,c`)
    : Result.succeed({ path, values })
}

export const size = (space: ReadonlyArray<Dimension>): number =>
  space.reduce((product, { values }) => product * values.length, 1)

/** Returns the combination with this number. The last dimension changes fastest. */
export const combination = (space: ReadonlyArray<Dimension>, index: number): ReadonlyArray<string> => {
  let rest = index
  return space
    .toReversed()
    .map(({ values }) => {
      const value = values[rest % values.length] ?? ""
      rest = Math.floor(rest / values.length)
      return value
    })
    .toReversed()
}

export const numberOf = (space: ReadonlyArray<Dimension>, values: ReadonlyArray<string>): number =>
  space.reduce((number, { values: known }, index) => number * known.length + known.indexOf(values[index] ?? ""), 0)

export const settingsOf = (space: ReadonlyArray<Dimension>, values: ReadonlyArray<string>) =>
  Object.fromEntries(space.map(({ path }, index) => [path, values[index]]))

/** Returns at most `count` different combinations, always the same for a seed. */
export const sample = (space: ReadonlyArray<Dimension>, count: number, seed: number): ReadonlyArray<number> => {
  const all = size(space)
  if (count >= all) return Array.from({ length: all }, (_, index) => index)
  const next = seeded((seed >>> 0) + 0x9e3779b9)
  const chosen = new Set<number>()
  while (chosen.size < count) chosen.add(Math.floor(next() * all))
  return [...chosen]
}

export interface Template {
  readonly text: (values: ReadonlyArray<string>) => string
  /** Returns the node of that text without parsing; `undefined` if a value is more than a plain word. */
  readonly node: (values: ReadonlyArray<string>) => YamlNode | undefined
}

interface Place {
  readonly keys: ReadonlyArray<string>
  readonly scalar: YamlScalar
}

const childOf = (node: YamlNode | undefined, key: string): YamlNode | undefined =>
  node?.type === "map" ? node.entries.get(key)?.value : node?.type === "list" ? node.items[Number(key)] : undefined

const placeOf = (file: YamlNode, path: string): OrWhy<Place> => {
  const keys = path.split(".")
  const node = keys.reduce<YamlNode | undefined>(childOf, file)
  if (node?.type === "scalar" && !isEmpty(node)) return Result.succeed({ keys, scalar: node })
  return Result.fail(
    `${path}: the strategy file has no such section; name a key of an existing one, such as ${exampleIn(file)}`
  )
}

const exampleIn = (file: YamlNode): string => {
  const sections = file.type === "map" ? [...file.entries].toReversed() : []
  for (const [section, { value }] of sections)
    if (value.type === "map") for (const key of value.entries.keys()) return `${section}.${key}`
  return "limits.maxOpenOrders"
}

/** Adds keys that the file leaves to their default, so that each has a place. The strategy's reader reports unknown keys. */
const completed = (text: string, space: ReadonlyArray<Dimension>): string =>
  space.reduce((text, { path, values: [first = ""] }) => {
    const keys = path.split(".")
    const file = Result.getOrUndefined(readYaml(sourceText("", text)))
    const parent = keys.slice(0, -1).reduce<YamlNode | undefined>(childOf, file)
    const [before] = parent?.type === "map" ? parent.entries.values() : []
    if (parent === undefined || before === undefined || childOf(parent, keys.at(-1) ?? "") !== undefined) return text
    const { start } = before.key
    const indent = " ".repeat(start - text.lastIndexOf("\n", start - 1) - 1)
    const end = text[parent.start] === "{" ? ", " : `\n${indent}`
    return `${text.slice(0, start)}${keys.at(-1)}: ${first}${end}${text.slice(start)}`
  }, text)

/** Matches numbers, ratios and words, which YAML reads unchanged anywhere in a file. */
const plainWord = /^[-+.]?\w[\w.%+-]*$/

const replaced = (node: YamlNode, [key, ...rest]: ReadonlyArray<string>, text: string): YamlNode => {
  if (key === undefined) return { type: "scalar", text, isQuoted: false, start: node.start, end: node.end }
  if (node.type === "list")
    return { ...node, items: node.items.map((item, i) => (i === Number(key) ? replaced(item, rest, text) : item)) }
  const entry = node.type === "map" ? node.entries.get(key) : undefined
  if (node.type !== "map" || entry === undefined) return node
  return { ...node, entries: new Map(node.entries).set(key, { ...entry, value: replaced(entry.value, rest, text) }) }
}

export const template = (given: string, space: ReadonlyArray<Dimension>): OrWhy<Template> => {
  const text = completed(given, space)
  return Result.mapError(readYaml(sourceText("", text)), () => "the strategy file cannot be read as YAML").pipe(
    Result.flatMap((file) =>
      Result.map(Result.all(space.map(({ path }) => placeOf(file, path))), (places) => templateOf(text, file, places))
    )
  )
}

const templateOf = (text: string, file: YamlNode, places: ReadonlyArray<Place>): Template => {
  const last = places.map(({ scalar }, index) => ({ ...scalar, index })).toSorted((a, b) => b.start - a.start)
  return {
    text: (values) =>
      last.reduce(
        (edited, { start, end, index }) => edited.slice(0, start) + (values[index] ?? "") + edited.slice(end),
        text
      ),
    node: (values) =>
      values.every((value) => plainWord.test(value))
        ? places.reduce((node, { keys }, index) => replaced(node, keys, values[index] ?? ""), file)
        : undefined
  }
}
