/**
 * Small readers that combine into the shape of a file. A reader returns a value, or reports the mistake and continues, so one reading finds
 * every mistake. Values stay `Located`, for checks between fields.
 */
import type { Asset } from "../domain/Amount.ts"
import * as Amount from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import { dayMillis, unitMillis } from "../domain/Durations.ts"
import type { Market, Side } from "../domain/Market.ts"
import { timeframeMillis } from "../domain/Timeframe.ts"
import { nearest, quoted, type Report, report, type Span, suggestion } from "./Problem.ts"
import { isEmpty, type YamlMap, type YamlNode, type YamlScalar } from "./YamlReader.ts"

/**
 * JSON Schema (draft 7, which editors support best). One declaration both reads a file and completes it in an editor. A schema is coarser
 * than its reader: only the reader checks relations between fields.
 */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export const described = <R extends object>(
  read: R,
  schema: () => JsonSchema
): R & { readonly schema: () => JsonSchema } => Object.assign(read, { schema })

export const schemaOf = ({ schema }: { readonly schema?: () => JsonSchema }): JsonSchema => schema?.() ?? {}

/** A number, plain or in quotes. JSON Schema ignores limits on text and patterns on numbers. */
export const numeric = (pattern: string, limits: JsonSchema): JsonSchema => ({
  type: ["number", "string"],
  pattern,
  ...limits
})

export const anyMarket: Market = {
  name: "BASE/QUOTE",
  base: { symbol: "BASE", id: "", decimals: 40 },
  quote: { symbol: "QUOTE", id: "", decimals: 40 }
}

export interface Reader<A> {
  /** Returns `undefined` if it has reported a mistake. */
  (node: YamlNode, to: Report): A | undefined
  readonly schema?: () => JsonSchema
}

export interface Located<A> extends Span {
  readonly value: A
}

export interface Written<A> extends Reader<A> {
  readonly write: (value: A) => string
}

export interface Key<A> {
  readonly read: Reader<A>
  readonly says: string | undefined
  readonly isRequired?: true
  readonly unless?: string | undefined
}
export interface RequiredKey<A> extends Key<A> {
  readonly isRequired: true
}
export interface DefaultKey<A> extends Key<A> {
  readonly fallback: A
}

export const required = <A>(read: Reader<A>, says?: string): RequiredKey<A> => ({ read, says, isRequired: true })
export const optional = <A>(read: Reader<A>, says?: string, unless?: string): Key<A> => ({ read, says, unless })
export const withDefault = <A>(
  read: Written<A>,
  fallback: A,
  says?: string,
  unless = read.write(fallback)
): DefaultKey<A> => ({ read, fallback, says, unless })

export type Keys = Readonly<Record<string, Key<unknown> & { readonly fallback?: unknown }>>

type ValueOf<K> = K extends Key<infer A> ? A : never
/** A missing or wrong field is `undefined`. A wrong one, and a required one that is missing, is already reported. */
export type Fields<T> = { readonly [K in keyof T]: Located<ValueOf<T[K]>> | undefined }
export type SettingsOf<T> = {
  readonly [K in keyof T]: T[K] extends RequiredKey<infer A> | DefaultKey<infer A> ? A : ValueOf<T[K]> | undefined
}

const describe = (node: YamlNode): string =>
  node.type === "map" ? "a mapping" : node.type === "list" ? "a list" : isEmpty(node) ? "nothing" : quoted(node.text)

export const fields = <T extends Keys>(table: T, otherKeys: ReadonlyArray<string> = []): Reader<Fields<T>> => {
  const keys = Object.keys(table)
  const allowedKeys = [...keys, ...otherKeys]
  const reader: Reader<Fields<T>> = (node, to) => {
    if (node.type !== "map")
      return report(to, node, `expected keys and values, found ${describe(node)}`, `the keys are: ${keys.join(", ")}`)
    for (const [name, { key }] of node.entries) {
      if (!allowedKeys.includes(name)) report(to, key, `unknown key ${quoted(name)}`, suggestion(name, allowedKeys))
    }
    const entries = Object.entries(table).map(([name, field]) => [name, readField(node, name, field, keys, to)])
    // Every key of the table is in the entries, and each value has the type of its reader.
    return Object.fromEntries(entries) as Fields<T>
  }
  return described(reader, () => objectSchema(table, otherKeys))
}

/** The values with defaults. A required key that is missing or wrong is `undefined`. */
export type KnownSettings<T> = {
  readonly [K in keyof T]: T[K] extends DefaultKey<infer A> ? A : ValueOf<T[K]> | undefined
}

export const valuesOf = <T extends Keys>(table: T, read: Fields<T>): KnownSettings<T> => {
  const values = Object.entries(table).map(([key, { fallback }]) => [key, read[key]?.value ?? fallback])
  return Object.fromEntries(values) as KnownSettings<T>
}

export const isWhole = <T extends Keys>(
  table: T,
  values: KnownSettings<T>
): values is KnownSettings<T> & SettingsOf<T> =>
  Object.entries(table).every(([key, { isRequired }]) => !isRequired || values[key] !== undefined)

/** Converts a section with these keys. `at` is the place of a key's value, or else of the section. */
export const checked = <T extends Keys, A>(
  table: T,
  as: (settings: SettingsOf<T>, at: (key: keyof T) => Span, to: Report) => A | undefined
): Reader<A> =>
  mapped(fields(table), (read, node, to) => {
    const values = valuesOf(table, read)
    return isWhole(table, values) ? as(values, (key) => read[key] ?? node, to) : undefined
  })

/** Leaves out keys that are missing or wrong. */
export const settingsReader = <T extends Keys>(table: T): Reader<KnownSettings<T>> =>
  mapped(fields(table), (read) => valuesOf(table, read))

export const section = <T extends Keys>(table: T): Reader<SettingsOf<T>> => checked(table, (settings) => settings)

const objectSchema = (table: Keys, otherKeys: ReadonlyArray<string>): JsonSchema => {
  const required = Object.keys(table).filter((key) => table[key]?.isRequired)
  return {
    type: "object",
    properties: Object.fromEntries([
      ...Object.entries(table).map(([name, key]) => [name, schemaOfKey(key)]),
      ...otherKeys.map((key) => [key, {}])
    ]),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false
  }
}

const schemaOfKey = ({ read, says, unless }: Key<unknown>): JsonSchema => {
  const schema = schemaOf(read)
  const about = [says, unless === undefined ? undefined : `default: ${unless}`].filter((part) => part !== undefined)
  if (about.length === 0) return schema
  const expected = typeof schema["description"] === "string" ? ` (${schema["description"]})` : ""
  return { ...schema, description: `${about.join("; ")}${expected}` }
}

const readField = (
  map: YamlMap,
  name: string,
  field: Key<unknown>,
  keys: ReadonlyArray<string>,
  to: Report
): Located<unknown> | undefined => {
  const entry = map.entries.get(name)
  if (entry === undefined) {
    // A misspelled key is already reported, so it is not reported as missing too.
    const isMisspelled = [...map.entries.keys()].some((key) => !keys.includes(key) && nearest(key, keys) === name)
    if (!field.isRequired || isMisspelled) return undefined
    const { description } = schemaOfKey(field)
    const hint = typeof description === "string" ? `${name}: ${description}` : undefined
    return report(to, { start: map.start, end: map.start + 1 }, `missing key "${name}"`, hint)
  }
  if (isEmpty(entry.value)) return report(to, entry.key, `"${name}" has no value`)
  return located(field.read)(entry.value, to)
}

type Rows<A> = ReadonlyArray<readonly [Located<string>, Located<A>]>

export const table = <A>(readName: Reader<string>, readSettings: Reader<A>): Reader<Rows<A>> => {
  const readTable: Reader<Rows<A>> = (node, to) => {
    if (node.type !== "map") return report(to, node, `expected names with their settings, found ${describe(node)}`)
    const rows = [...node.entries].map(([text, { key, value }]) => {
      const name = located(readName)({ type: "scalar", text, isQuoted: true, ...key }, to)
      const settings = located(readSettings)(value, to)
      return name === undefined || settings === undefined ? undefined : ([name, settings] as const)
    })
    const good = rows.filter((row) => row !== undefined)
    return good.length === rows.length ? good : undefined
  }
  return described(readTable, () => ({
    type: "object",
    propertyNames: { ...schemaOf(readName), type: "string" },
    additionalProperties: schemaOf(readSettings)
  }))
}

export const refuse = (message: string): Reader<never> =>
  described(
    (node: YamlNode, to: Report) => report(to, node, message),
    () => ({ not: {} })
  )

export const list = <A>(readItem: Reader<A>): Reader<ReadonlyArray<Located<A>>> => {
  const readList: Reader<ReadonlyArray<Located<A>>> = (node, to) => {
    if (node.type !== "list") return report(to, node, `expected a list, found ${describe(node)}`)
    if (node.items.length === 0) return report(to, node, "the list is empty")
    const items = node.items.map((item) => located(readItem)(item, to))
    const good = items.filter((item) => item !== undefined)
    return good.length === items.length ? good : undefined
  }
  return described(readList, () => ({ type: "array", items: schemaOf(readItem), minItems: 1 }))
}

/** A list whose items need no place. */
export const plainList = <A>(readItem: Reader<A>): Reader<ReadonlyArray<A>> =>
  mapped(list(readItem), (items) => items.map(({ value }) => value))

export const scalar = <A>(
  expected: string,
  parse: (text: string) => A | undefined,
  hint?: (text: string) => string | undefined,
  schema: JsonSchema = { type: ["string", "number", "boolean"] }
): Reader<A> => {
  const readScalar: Reader<A> = (node, to) => {
    const value = node.type === "scalar" && !isEmpty(node) ? parse(node.text) : undefined
    if (value !== undefined) return value
    const advice = node.type === "scalar" ? hint?.(node.text) : undefined
    return report(to, node, `expected ${expected}, found ${describe(node)}`, advice)
  }
  return described(readScalar, () => ({ description: expected, ...schema }))
}

export const written = <A>(read: Reader<A>, write: (value: A) => string = String): Written<A> =>
  Object.assign(read, { write })

export const mapped = <A, B>(read: Reader<A>, as: (value: A, node: YamlNode, to: Report) => B | undefined): Reader<B> =>
  described(
    (node: YamlNode, to: Report) => {
      const value = read(node, to)
      return value === undefined ? undefined : as(value, node, to)
    },
    () => schemaOf(read)
  )

export const either = <A, B>(first: Reader<A>, second: Reader<B>, isSecond: (node: YamlNode) => boolean) =>
  described(
    (node: YamlNode, to: Report): A | B | undefined => (isSecond(node) ? second : first)(node, to),
    () => ({ anyOf: [schemaOf(first), schemaOf(second)] })
  )

export const isList = ({ type }: YamlNode): boolean => type === "list"
export const isMap = ({ type }: YamlNode): boolean => type === "map"

export const located = <A>(read: Reader<A>): Reader<Located<A>> =>
  mapped(read, (value, { start, end }) => ({ value, start, end }))

export const matching = (expected: string, pattern: RegExp): Reader<string> =>
  scalar(expected, (found) => (pattern.test(found) ? found : undefined), undefined, {
    type: ["string", "number"],
    pattern: pattern.source
  })

export const text: Written<string> = written(scalar("text", (found) => (found.trim() === "" ? undefined : found)))

/** The expression is compiled later, when the names that it may use are known. */
export const expression: Reader<YamlScalar> = described(
  (node: YamlNode, to: Report) =>
    node.type === "scalar" ? node : report(to, node, "expected an expression, found keys or a list"),
  () => ({ type: ["string", "number", "boolean"] })
)

export const numberHint = (found: string): string | undefined => {
  if (/^[+-]?[\d.]+e[+-]?\d+$/i.test(found)) return "write the number out, without an exponent"
  if (/^\d{1,3}([,_' ]\d{3})+(\.\d+)?$/.test(found)) return `write ${found.replace(/[,_' ]/g, "")}: no separators`
  if (/^\d+,\d+$/.test(found)) return `write ${found.replace(",", ".")}: the decimal sign is a point`
  if (/^\d{1,3}(\.\d{3})+(,\d+)?$/.test(found))
    return `write ${found.replace(/\./g, "").replace(",", ".")}: no separators, and the decimal sign is a point`
  if (/^-\s?[\d.]/.test(found)) return "it cannot be below zero"
  if (/^\d{60,}/.test(found)) return "the number is too long"
  if (/%|bps$/.test(found)) return "a share is not allowed here: write the number"
  if (/^[\d.]+ ?[km]$/i.test(found)) return "write the number out: it has no unit"
  const number = /^[^\d.-]*(\d+(?:\.\d+)?)[^\d]*$/.exec(found)?.[1]
  return number === undefined ? undefined : `write ${number}: just the number`
}

export const aboveZeroHint = (found: string): string | undefined =>
  /\d/.test(found) && !/[1-9]/.test(found) ? "it must be above zero" : numberHint(found)

const ratioHint = (found: string): string | undefined => {
  if (found.startsWith("-")) return "it cannot be below zero"
  if (/^0*\.?0* ?(%|bps)?$/.test(found)) return "it must be above zero: omit the key to switch it off"
  const value = Decimal.parse(found)
  if (value === undefined || !Decimal.isPositive(value)) return undefined
  const asPercent = Decimal.format(Decimal.multiply(value, Decimal.make(100n)))
  return Decimal.isLess(value, Decimal.one) ? `write ${asPercent}% for ${found}` : `write ${found}%`
}

const longestDays = 3650

const durationHint = (found: string): string | undefined => {
  if (/^0+ ?[a-z]*$/i.test(found)) return "a duration must be above zero: omit the key, or write at least 1s"
  if (/^\d+$/.test(found)) return `write ${found}s for seconds`
  const [, number, unit = ""] = /^(\d{1,9}) ?(s|sec|second|m|min|minute|h|hr|hour|d|day)s?$/i.exec(found) ?? []
  if (number === undefined) return undefined
  const short = `${number}${unit.slice(0, 1).toLowerCase()}`
  return short === found ? `at most ${longestDays}d` : `write ${short}`
}

const orderForm = "[ps][0-9]+$"

const nameHint = (found: string): string | undefined => {
  const fitting = (found.toLowerCase().match(/[a-z0-9]+/g) ?? []).join("-").slice(0, 64)
  if (fitting === "") return undefined
  if (new RegExp(`^${orderForm}`).test(fitting))
    return `the name is reserved for orders and swaps; write for example "strategy-${fitting}"`
  return `for example "${fitting}"`
}

const nameReader = (pattern: string): Reader<string> =>
  scalar(
    "a name of lower-case letters, digits and dashes (at most 64)",
    (text) => (new RegExp(pattern, "u").test(text) ? text : undefined),
    nameHint,
    { type: ["string", "integer"], pattern }
  )

/** Safe in file names, URLs and tables. */
export const name: Reader<string> = nameReader("^[a-z0-9][a-z0-9-]{0,63}$")

/**
 * The ledger keeps money under the names of strategies and of orders and swaps (`p1`, `s1`), so strategies may not have names of that form.
 */
export const strategyName: Reader<string> = nameReader(`^(?!${orderForm})[a-z0-9][a-z0-9-]{0,63}$`)

export const oneOf = <const T extends string>(...choices: ReadonlyArray<T>): Written<T> => choiceOf(choices, {})

const choiceOf = <const T extends string>(
  choices: ReadonlyArray<T>,
  others: Readonly<Record<string, T | undefined>>
): Written<T> =>
  written(
    scalar(
      choices.length > 3 ? `one of ${choices.join(", ")}` : choices.join(" or "),
      (found) => choices.find((choice) => choice === found),
      (found) => {
        const meant = others[found] ?? nearest(found, choices)
        return meant === undefined ? undefined : `did you mean "${meant}"?`
      },
      { enum: choices }
    )
  )

export const side: Written<Side> = written(
  mapped(choiceOf(["buy", "sell"], { long: "buy", bid: "buy", short: "sell", ask: "sell" }), (word) =>
    word === "buy" ? "BUY" : "SELL"
  ),
  (side) => side.toLowerCase()
)

export const trueOrFalse: Written<boolean> = written(
  scalar("true or false", (found) => (found === "true" ? true : found === "false" ? false : undefined), undefined, {
    enum: [true, false, "true", "false"]
  })
)

export const integer = (least: number, most: number): Written<number> =>
  written(
    scalar(
      `a whole number from ${least} to ${most}`,
      (found) => {
        const value = /^-?\d{1,15}$/.test(found) ? Number(found) : undefined
        return value !== undefined && value >= least && value <= most ? value : undefined
      },
      undefined,
      { type: ["integer", "string"], pattern: "^-?\\d{1,15}$", minimum: least, maximum: most }
    )
  )

const decimalPattern = "^\\+?(\\d+\\.?\\d*|\\.\\d+)$"

const ifPositive = (value: Decimal.Decimal | undefined): Decimal.Decimal | undefined =>
  value !== undefined && Decimal.isPositive(value) ? value : undefined
const positive = (found: string): Decimal.Decimal | undefined => ifPositive(Decimal.parse(found))

const aboveZero = numeric(decimalPattern, { exclusiveMinimum: 0 })

/** Quote units per base unit, exactly as written. */
export const price: Reader<Decimal.Decimal> = scalar("a price above zero", positive, aboveZeroHint, aboveZero)

/** Reads units of the asset and returns smallest units. */
export const amount = (asset: Asset, { zero }: { readonly zero: boolean } = { zero: false }): Reader<Amount.Amount> => {
  const expected = `an amount of ${asset.symbol}`
  const number = zero
    ? scalar(expected, notNegative, numberHint, numeric(decimalPattern, { minimum: 0 }))
    : scalar(`${expected} above zero`, positive, aboveZeroHint, aboveZero)
  return mapped(number, (value, node, to) => {
    const smallest = Amount.fromDecimal(value, asset.decimals)
    if (smallest !== undefined) return smallest
    const finer = `${Decimal.format(value)} has too many decimals for ${asset.symbol}`
    return report(to, node, `${finer}: at most ${asset.decimals}`)
  })
}

export const factor: Written<number> = written(
  mapped(scalar("a number above zero", positive, aboveZeroHint, aboveZero), Decimal.toNumber)
)

const notNegative = (found: string): Decimal.Decimal | undefined => {
  const value = Decimal.parse(found)
  return value === undefined || value.digits < 0n ? undefined : value
}

const parseRatio = (found: string): Decimal.Decimal | undefined => {
  const [, number, unit] = /^([\d.]+) ?(%|bps)$/.exec(found) ?? []
  const value = number === undefined ? undefined : Decimal.parse(number)
  return value === undefined ? undefined : Decimal.multiply(value, Decimal.make(1n, unit === "%" ? 2 : 4))
}

export const ratio: Written<Decimal.Decimal> = written(
  scalar("a ratio such as 5% or 25bps", (found) => ifPositive(parseRatio(found)), ratioHint, {
    type: "string",
    pattern: "^(?=.*[1-9])(\\d+\\.?\\d*|\\.\\d+) ?(%|bps)$"
  }),
  Decimal.percent
)

export const ratioOrZero: Written<Decimal.Decimal> = written(
  scalar(
    "a ratio such as 5%, 25bps or 0%",
    parseRatio,
    (found) => (/^0*\.?0*$/.test(found) ? "write 0%" : ratioHint(found)),
    { type: "string", pattern: "^(\\d+\\.?\\d*|\\.\\d+) ?(%|bps)$" }
  ),
  (value) => (Decimal.isPositive(value) ? Decimal.percent(value) : "nothing")
)

const units = new Map<string, number>(Object.entries(unitMillis))

/** `30s`, `5m`, `6h`, `7d` in milliseconds. */
export const duration: Written<number> = written(
  scalar(
    "a duration such as 30s, 5m, 6h or 7d",
    (found) => {
      const [, number, unit] = /^(\d{1,9})([smhd])$/.exec(found) ?? []
      const millis = Number(number) * (units.get(unit ?? "") ?? 0)
      return millis > 0 && millis <= longestDays * dayMillis ? millis : undefined
    },
    durationHint,
    { type: "string", pattern: "^(?=.*[1-9])\\d{1,9}[smhd]$" }
  ),
  (millis) => {
    const [unit, size] = [...units].findLast(([, each]) => millis % each === 0) ?? ["ms", 1]
    return `${millis / size}${unit}`
  }
)

/** Strategies decide by whole minutes, because the bot builds its own candles from minutes. */
export const isTimeframe = (text: string): boolean => timeframeMillis(text) !== undefined && !text.endsWith("s")

export const timeframe = written(
  scalar("a timeframe such as 15m, 4h or 1d", (text) => (isTimeframe(text) ? text : undefined), undefined, {
    type: "string",
    pattern: "^[1-9]\\d{0,3}[mhdw]$"
  })
)

export const usualTimeframe = withDefault(timeframe, "1h", "of candles whose timeframe is not written")
