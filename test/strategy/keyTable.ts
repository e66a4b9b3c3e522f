/** The table of a kind's keys as docs/strategies.md has it, derived from what editors are told. */
import type { JsonSchema } from "../../src/strategy/JsonSchema.ts"

export interface KeyRow {
  readonly key: string
  readonly isRequired: boolean
  /** In words; missing where nothing holds without the key. */
  readonly standard: string | undefined
  readonly says: string
}

const objectOf = (value: unknown): JsonSchema => Object(value)
const formsOf = (schema: JsonSchema): ReadonlyArray<JsonSchema> =>
  Array.isArray(schema["anyOf"]) ? schema["anyOf"].map(objectOf) : [schema]

const rowOf = (key: string, { description }: JsonSchema, isRequired: boolean): KeyRow => {
  const [, says = "", standard] = /^(.*?)(?:(?:^|; |, )default: (.*?))?(?: \(.*\))?$/.exec(`${description ?? ""}`) ?? []
  return { key, isRequired, standard, says }
}

/** The keys of every form of a section, or of one by number, and below them; one that a form refuses is not among its keys. */
export const keyRows = (schema: JsonSchema, only?: number, above = ""): ReadonlyArray<KeyRow> =>
  (only === undefined ? formsOf(schema) : formsOf(schema).slice(only - 1, only)).flatMap((form) =>
    Object.entries(objectOf(form["properties"])).flatMap(([name, value]) => {
      const property = objectOf(value)
      if (property["not"] !== undefined) return []
      const required = Array.isArray(form["required"]) && form["required"].includes(name)
      const rest = objectOf(property["additionalProperties"])
      const below = property["minProperties"] === 1 ? [] : [...keyRows(property, undefined, `${above}${name}.`)]
      return [
        rowOf(`${above}${name}`, property, required),
        ...below,
        ...keyRows(rest, undefined, `${above}${name}.<name>.`)
      ]
    })
  )

const without = ({ isRequired, standard }: KeyRow): string => (isRequired ? "required" : (standard ?? "none"))

/** One row for each key: forms that say otherwise follow one another. */
export const merged = (rows: ReadonlyArray<KeyRow>): ReadonlyArray<KeyRow> =>
  [...Map.groupBy(rows, ({ key }) => key)].map(([key, forms]) => {
    const differing = (of: (row: KeyRow) => string) =>
      [...new Set(forms.map(of))].filter((text) => text !== "").join("; or ")
    return { key, isRequired: false, standard: differing(without), says: differing(({ says }) => says) }
  })

/** As the page has it. */
export const tableLine = (row: KeyRow): string => `| \`${row.key}\` | ${without(row)} | ${row.says} |`
