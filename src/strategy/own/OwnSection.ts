/** The section of an own strategy. The keys that the code describes become readers like the keys of every kind, with places and hints. */
import { toDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import { isRecord } from "../../domain/Text.ts"
import * as Read from "../Fields.ts"
import { size } from "../kinds/Size.ts"
import { sourceText } from "../Problem.ts"
import { timeframe } from "../Timeframe.ts"
import type { YamlNode } from "../YamlReader.ts"

const readers: Readonly<
  Record<string, (market: Market, key: Readonly<Record<string, unknown>>) => Read.Reader<unknown>>
> = {
  integer: (_, { least, most }) => Read.integer(Number(least), Number(most)),
  number: () => Read.factor,
  price: () => Read.mapped(Read.price, Decimal.toNumber),
  ratio: () => Read.mapped(Read.ratio, Decimal.toNumber),
  duration: () => Read.duration,
  timeframe: () => timeframe,
  text: () => Read.text,
  flag: () => Read.trueOrFalse,
  choice: (_, { of }) => Read.oneOf(...(Array.isArray(of) ? of.map(String) : [])),
  size: (market) =>
    Read.mapped(size(market), ({ unit, amount }) => ({
      unit,
      amount: Decimal.format(toDecimal(amount, market[unit].decimals))
    }))
}

const reservedKeys: ReadonlyArray<string> = ["market", "keys"]

export const keysOf = (described: unknown, market: Market): string | Read.Keys => {
  if (!isRecord(described)) return "its keys are not an object"
  const table: Record<string, Read.Keys[string]> = {}
  for (const [name, key] of Object.entries(described)) {
    const is = isRecord(key) && typeof key["is"] === "string" ? key["is"] : ""
    const reader = Object.hasOwn(readers, is) ? readers[is] : undefined
    if (!isRecord(key) || reader === undefined)
      return `its key ${name} has no valid \`is\`: write one of ${Object.keys(readers).join(", ")}`
    if (!/^[a-z][A-Za-z0-9]{0,39}$/.test(name)) return `its key ${name} must be a word such as lookBack`
    if (reservedKeys.includes(name)) return `its key ${name} needs another name: this one is reserved`
    if (is === "integer" && !(Number.isInteger(key["least"]) && Number.isInteger(key["most"])))
      return `its key ${name} needs a \`least\` and a \`most\``
    const { otherwise, optional, says } = key
    const valueReader = reader(market, key)
    const about = typeof says === "string" ? says : undefined
    if (otherwise === undefined) {
      table[name] = optional === true ? Read.optional(valueReader, about) : Read.required(valueReader, about)
      continue
    }
    const value = valueOf(valueReader, String(otherwise))
    if (value === undefined) return `the \`otherwise\` of its key ${name}, ${String(otherwise)}, is not a valid value`
    table[name] = { ...Read.optional(valueReader, about, String(otherwise)), otherwise: value }
  }
  return table
}

const valueOf = (read: Read.Reader<unknown>, text: string): unknown => {
  const written: YamlNode = { type: "scalar", text, isQuoted: false, start: 0, end: text.length }
  return read(written, { source: sourceText("", text), problems: [] })
}
