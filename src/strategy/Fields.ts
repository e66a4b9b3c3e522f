/**
 * Small readers that combine into the shape of a file. A reader turns a node into a value, or reports what is wrong
 * and goes on, so one reading finds every mistake. Values stay `Located`, for checks between fields.
 */

import type { Asset } from "../domain/Amount.ts"
import * as Amount from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import { dayMillis, hourMillis } from "../domain/Durations.ts"
import { described, type JsonSchema, numeric, schemaOf } from "./JsonSchema.ts"
import { nearest, place, quoted, type Report, report, type Span, suggestion } from "./Problem.ts"
import { isEmpty, type YamlMap, type YamlNode, type YamlScalar } from "./YamlReader.ts"

export interface Reader<A> {
  /** `undefined` means: reported. */
  (node: YamlNode, to: Report): A | undefined
  readonly schema?: () => JsonSchema
}

export interface Located<A> extends Span {
  readonly value: A
}

interface Field<A> {
  readonly read: Reader<A>
  readonly isRequired: boolean
  readonly about: string | undefined
}

/** `about`: the purpose of the key, as editors show it. */
export const required = <A>(read: Reader<A>, about?: string): Field<A> => ({ read, isRequired: true, about })
export const optional = <A>(read: Reader<A>, about?: string): Field<A> => ({ read, isRequired: false, about })

type ValueOf<F> = F extends Field<infer A> ? A : never
/** A missing or wrong field is `undefined`: the mistake is already reported. */
export type Fields<F> = { readonly [K in keyof F]: Located<ValueOf<F[K]>> | undefined }

const describe = (node: YamlNode): string =>
  node.type === "map" ? "a mapping" : node.type === "list" ? "a list" : isEmpty(node) ? "nothing" : quoted(node.text)

/** A mapping with these keys and no others. `otherKeys` are accepted here and read elsewhere. */
export const fields = <F extends Readonly<Record<string, Field<unknown>>>>(
  table: F,
  otherKeys: ReadonlyArray<string> = []
): Reader<Fields<F>> => {
  const keys = Object.keys(table)
  const known = [...keys, ...otherKeys]
  const read: Reader<Fields<F>> = (node, to) => {
    if (node.type !== "map") {
      return report(to, node, `expected keys and values, found ${describe(node)}`, `the keys are: ${keys.join(", ")}`)
    }
    for (const [name, { key }] of node.entries) {
      if (!known.includes(name)) report(to, key, `unknown key ${quoted(name)}`, suggestion(name, known))
    }
    const read = keys.map((name) => [name, readField(node, name, table[name], keys, to)])
    // Every key of the table is in the entries; the type of each value is that of its reader.
    return Object.fromEntries(read) as Fields<F>
  }
  return described(read, () => objectSchema(table, otherKeys))
}

const objectSchema = (
  table: Readonly<Record<string, Field<unknown>>>,
  otherKeys: ReadonlyArray<string>
): JsonSchema => {
  const required = Object.keys(table).filter((key) => table[key]?.isRequired)
  return {
    type: "object",
    properties: Object.fromEntries([
      ...Object.entries(table).map(([key, { read, about }]) => [key, withAbout(schemaOf(read), about)]),
      ...otherKeys.map((key) => [key, {}])
    ]),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false
  }
}

const withAbout = (schema: JsonSchema, about: string | undefined): JsonSchema => {
  const { description } = schema
  if (about === undefined) return schema
  return { ...schema, description: typeof description === "string" ? `${about} (${description})` : about }
}

const readField = (
  map: YamlMap,
  name: string,
  field: Field<unknown> | undefined,
  keys: ReadonlyArray<string>,
  to: Report
): Located<unknown> | undefined => {
  const entry = map.entries.get(name)
  if (field === undefined) return undefined
  if (entry === undefined) {
    // A misspelled key is reported as such; reporting it as missing too would be a second problem for one mistake.
    const isMisspelled = [...map.entries.keys()].some((key) => !keys.includes(key) && nearest(key, keys) === name)
    if (!field.isRequired || isMisspelled) return undefined
    return report(to, { start: map.start, end: map.start + 1 }, `missing key "${name}"`, hintOf(name, field))
  }
  if (isEmpty(entry.value)) return report(to, entry.key, `"${name}" has no value`)
  const value = field.read(entry.value, to)
  return value === undefined ? undefined : { value, start: entry.value.start, end: entry.value.end }
}

/** What a key takes, in the words that editors show. */
const hintOf = (name: string, { read, about }: Field<unknown>): string | undefined => {
  const { description } = withAbout(schemaOf(read), about)
  return typeof description === "string" ? `${name}: ${description}` : undefined
}

/** The place of a key by its path, such as `safety.active` or `limits.budget`: where an explanation sends the reader. */
export type KeyPlaces = (path: string) => string

/** Paths begin in the section; those under `limits` in the file. A key that is not written has the place of its parent. */
export const keyPlaces = (section: YamlNode, root: YamlNode, { source }: Report): KeyPlaces => {
  const known = new Map<string, string>()
  const found = (path: string): string => {
    const parts = path.split(".")
    let node = parts[0] === "limits" ? root : section
    let { start } = section
    for (const part of parts) {
      const entry = node.type === "map" ? node.entries.get(part) : undefined
      if (entry === undefined) break
      node = entry.value
      start = entry.key.start
    }
    return place(source, start)
  }
  return (path) => {
    const before = known.get(path)
    if (before !== undefined) return before
    const text = found(path)
    known.set(path, text)
    return text
  }
}

type Rows<A> = ReadonlyArray<readonly [Located<string>, Located<A>]>

/** A mapping whose keys are names that the user chooses; each name is checked like a value. */
export const table = <A>(readName: Reader<string>, readSettings: Reader<A>): Reader<Rows<A>> => {
  const read: Reader<Rows<A>> = (node, to) => {
    if (node.type !== "map") return report(to, node, `expected names with their settings, found ${describe(node)}`)
    const rows = [...node.entries].map(([text, { key, value }]) => {
      const { start, end } = key
      const name = readName({ type: "scalar", text, isQuoted: true, start, end }, to)
      const settings = readSettings(value, to)
      if (name === undefined || settings === undefined) return undefined
      return [
        { value: name, start, end },
        { value: settings, start: value.start, end: value.end }
      ] as const
    })
    const good = rows.filter((row) => row !== undefined)
    return good.length === rows.length ? good : undefined
  }
  return described(read, () => ({
    type: "object",
    propertyNames: { ...schemaOf(readName), type: "string" },
    additionalProperties: schemaOf(readSettings)
  }))
}

/** For a key that does not belong here, with the reason. */
export const refuse = (message: string): Reader<never> =>
  described(
    (node: YamlNode, to: Report) => report(to, node, message),
    () => ({ not: {} })
  )

/** A list with at least one element. */
export const list = <A>(readItem: Reader<A>): Reader<ReadonlyArray<Located<A>>> => {
  const read: Reader<ReadonlyArray<Located<A>>> = (node, to) => {
    if (node.type !== "list") return report(to, node, `expected a list, found ${describe(node)}`)
    if (node.items.length === 0) return report(to, node, "the list is empty")
    const items = node.items.map((item) => {
      const value = readItem(item, to)
      return value === undefined ? undefined : { value, start: item.start, end: item.end }
    })
    const good = items.filter((item) => item !== undefined)
    return good.length === items.length ? good : undefined
  }
  return described(read, () => ({ type: "array", items: schemaOf(readItem), minItems: 1 }))
}

/** A single value. Editors describe it in the same words. */
export const scalar = <A>(
  expected: string,
  parse: (text: string) => A | undefined,
  hint?: (text: string) => string | undefined,
  schema: JsonSchema = { type: ["string", "number", "boolean"] }
): Reader<A> => {
  const read: Reader<A> = (node, to) => {
    const value = node.type === "scalar" && !isEmpty(node) ? parse(node.text) : undefined
    if (value !== undefined) return value
    const advice = node.type === "scalar" ? hint?.(node.text) : undefined
    return report(to, node, `expected ${expected}, found ${describe(node)}`, advice)
  }
  return described(read, () => ({ description: expected, ...schema }))
}

/** Text of this form. */
export const matching = (expected: string, pattern: RegExp): Reader<string> =>
  scalar(expected, (found) => (pattern.test(found) ? found : undefined), undefined, {
    type: ["string", "number"],
    pattern: pattern.source
  })

export const text: Reader<string> = scalar("text", (found) => (found.trim() === "" ? undefined : found))

/** The text of an expression with its place; it is compiled once the names that it may use are known. */
export const expression: Reader<YamlScalar> = described(
  (node: YamlNode, to: Report) =>
    node.type === "scalar" ? node : report(to, node, "expected an expression, found keys or a list"),
  () => ({ type: ["string", "number", "boolean"] })
)

/** The form of strategy names: safe in file names, URLs and tables. */
export const name: Reader<string> = scalar(
  "a name of lower-case letters, digits and dashes (at most 64)",
  (found) => (/^[a-z0-9][a-z0-9-]{0,63}$/.test(found) ? found : undefined),
  (found) => {
    const fitting = found
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 64)
    return fitting === "" ? undefined : `for example "${fitting}"`
  },
  { type: ["string", "integer"], pattern: "^[a-z0-9][a-z0-9-]{0,63}$" }
)

export const oneOf = <const T extends string>(...choices: ReadonlyArray<T>): Reader<T> =>
  scalar(
    choices.length > 3 ? `one of ${choices.join(", ")}` : choices.join(" or "),
    (found) => choices.find((choice) => choice === found),
    (found) => {
      const meant = nearest(found, choices)
      return meant === undefined ? undefined : `did you mean "${meant}"?`
    },
    { enum: choices }
  )

export const trueOrFalse: Reader<boolean> = scalar(
  "true or false",
  (found) => (found === "true" ? true : found === "false" ? false : undefined),
  undefined,
  { enum: [true, false, "true", "false"] }
)

export const integer = (least: number, most: number): Reader<number> =>
  scalar(
    `a whole number from ${least} to ${most}`,
    (found) => {
      const value = /^-?\d{1,15}$/.test(found) ? Number(found) : undefined
      return value !== undefined && value >= least && value <= most ? value : undefined
    },
    undefined,
    { type: ["integer", "string"], pattern: "^-?\\d{1,15}$", minimum: least, maximum: most }
  )

const numberHint = (found: string): string | undefined => {
  if (/^[+-]?[\d.]+e[+-]?\d+$/i.test(found)) return "write the number out, without an exponent"
  if (/^\d{1,3}([,_' ]\d{3})+(\.\d+)?$/.test(found)) return `write ${found.replace(/[,_' ]/g, "")}: no separators`
  if (/^\d+,\d+$/.test(found)) return `write ${found.replace(",", ".")}: the decimal sign is a point`
  if (/^\d{1,3}(\.\d{3})+(,\d+)?$/.test(found)) {
    return `write ${found.replace(/\./g, "").replace(",", ".")}: no separators, and the decimal sign is a point`
  }
  if (/^-\s?[\d.]/.test(found)) return "it cannot be below zero"
  if (/^\d{60,}/.test(found)) return "a number this long is not read"
  const number = /^[^\d.-]*(\d+(?:\.\d+)?)[^\d]*$/.exec(found)?.[1]
  return number === undefined ? undefined : `write ${number}: just the number`
}

const decimalPattern = "^\\+?(\\d+\\.?\\d*|\\.\\d+)$"

const positive = (found: string): Decimal.Decimal | undefined => {
  const value = Decimal.parse(found)
  return value !== undefined && Decimal.isPositive(value) ? value : undefined
}

/** Quote units per base unit, exactly as written. */
export const price: Reader<Decimal.Decimal> = scalar(
  "a price above zero",
  positive,
  numberHint,
  numeric(decimalPattern, { exclusiveMinimum: 0 })
)

/** Units of the asset, as smallest units. `zero`: whether zero is allowed. */
export const amount = (asset: Asset, { zero }: { readonly zero: boolean } = { zero: false }): Reader<Amount.Amount> => {
  const [expected, limits] = zero
    ? [`an amount of ${asset.symbol}`, { minimum: 0 }]
    : [`an amount of ${asset.symbol} above zero`, { exclusiveMinimum: 0 }]
  const number = scalar(expected, zero ? notNegative : positive, numberHint, numeric(decimalPattern, limits))
  const read: Reader<Amount.Amount> = (node, to) => {
    const value = number(node, to)
    if (value === undefined) return undefined
    const smallest = Amount.fromDecimal(value, asset.decimals)
    if (smallest !== undefined) return smallest
    return report(
      to,
      node,
      `${Decimal.format(value)} is finer than ${asset.symbol} goes: ${asset.decimals} decimal places`
    )
  }
  return described(read, () => schemaOf(number))
}

/** A plain number above zero, as a double. */
export const factor: Reader<number> = scalar(
  "a number above zero",
  (text) => {
    const value = Decimal.parse(text)
    return value !== undefined && Decimal.isPositive(value) ? Decimal.toNumber(value) : undefined
  },
  undefined,
  numeric("^\\+?(\\d+\\.?\\d*|\\.\\d+)$", { exclusiveMinimum: 0 })
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

const ratioHint = (found: string): string | undefined => {
  if (found.startsWith("-")) return "it cannot be below zero"
  if (/^0*\.?0* ?(%|bps)?$/.test(found)) return "it must be above zero: leave the key out for nothing"
  const value = positive(found)
  if (value === undefined) return undefined
  const asPercent = Decimal.format(Decimal.multiply(value, Decimal.make(100n)))
  return Decimal.isLess(value, Decimal.one) ? `write ${asPercent}% for ${found}` : `write ${found}%`
}

const aboveZero = (value: Decimal.Decimal | undefined): Decimal.Decimal | undefined =>
  value !== undefined && Decimal.isPositive(value) ? value : undefined

/** `5%` or `25bps`, above zero. */
export const ratio: Reader<Decimal.Decimal> = scalar(
  "a ratio such as 5% or 25bps",
  (found) => aboveZero(parseRatio(found)),
  ratioHint,
  { type: "string", pattern: "^(?=.*[1-9])(\\d+\\.?\\d*|\\.\\d+) ?(%|bps)$" }
)

/** The same, with zero allowed. */
export const ratioOrZero: Reader<Decimal.Decimal> = scalar(
  "a ratio such as 5%, 25bps or 0%",
  parseRatio,
  (found) => (/^0*\.?0*$/.test(found) ? "write 0%" : ratioHint(found)),
  { type: "string", pattern: "^(\\d+\\.?\\d*|\\.\\d+) ?(%|bps)$" }
)

const unitMillis: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: hourMillis, d: dayMillis }
const longestDays = 3650

/** `30s`, `5m`, `6h`, `7d` in milliseconds. */
export const duration: Reader<number> = scalar(
  "a duration such as 30s, 5m, 6h or 7d",
  (found) => {
    const [, number, unit] = /^(\d{1,9})([smhd])$/.exec(found) ?? []
    const millis = Number(number) * (unitMillis[unit ?? ""] ?? 0)
    return millis > 0 && millis <= longestDays * dayMillis ? millis : undefined
  },
  (found) => {
    if (/^0+ ?[a-z]*$/i.test(found)) return "no duration is zero: leave the key out, or write at least 1s"
    if (/^\d+$/.test(found)) return `write ${found}s for seconds`
    const [, number, unit = ""] = /^(\d{1,9}) ?(s|sec|second|m|min|minute|h|hr|hour|d|day)s?$/i.exec(found) ?? []
    if (number === undefined) return undefined
    const short = `${number}${unit.slice(0, 1).toLowerCase()}`
    return short === found ? `at most ${longestDays}d` : `write ${short}`
  },
  { type: "string", pattern: "^(?=.*[1-9])\\d{1,9}[smhd]$" }
)
