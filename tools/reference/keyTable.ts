/** The keys of a file as tables, derived from what editors are told: those of a kind in docs/strategies.md, and all of the configuration. */
import type { JsonSchema } from "../../src/strategy/Fields.ts"
import { objectOf } from "./words.ts"

export interface KeyRow {
  readonly key: string
  readonly isRequired: boolean
  /** In words; missing where nothing holds without the key. */
  readonly standard: string | undefined
  readonly says: string
  /** What may stand there, in words; missing where that follows from the keys below it. */
  readonly value: string | undefined
}
/** One of whose keys exactly one is written is a value in words, such as where a secret lies. */
const isChoice = ({ minProperties }: JsonSchema): boolean => minProperties === 1
const formsOf = (schema: JsonSchema): ReadonlyArray<JsonSchema> =>
  (Array.isArray(schema["anyOf"]) ? schema["anyOf"].map(objectOf) : [schema]).filter((form) => !isChoice(form))

const rowOf = (key: string, { description }: JsonSchema, isRequired: boolean): KeyRow => {
  const [, says = "", standard, value] =
    /^(.*?)(?:(?:^|; |, )default: (.*?))?(?: \(((?:[^()]|\([^()]*\))*)\))?$/.exec(`${description ?? ""}`) ?? []
  return { key, isRequired, standard, says, value }
}

/** The keys of every form of a section, or of one by number, and below them; one that a form refuses is not among its keys. */
export const keyRows = (schema: JsonSchema, only?: number, above = ""): ReadonlyArray<KeyRow> =>
  (only === undefined ? formsOf(schema) : formsOf(schema).slice(only - 1, only)).flatMap((form) =>
    Object.entries(objectOf(form["properties"])).flatMap(([name, value]) => {
      const property = objectOf(value)
      if (property["not"] !== undefined) return []
      const required = Array.isArray(form["required"]) && form["required"].includes(name)
      const rest = objectOf(property["additionalProperties"])
      return [
        rowOf(`${above}${name}`, property, required),
        ...keyRows(property, undefined, `${above}${name}.`),
        ...keyRows(rest, undefined, `${above}${name}.<name>.`),
        ...keyRows(objectOf(property["items"]), undefined, `${above}${name}[].`)
      ]
    })
  )

export const without = ({ isRequired, standard }: KeyRow): string => (isRequired ? "required" : (standard ?? "none"))

/** One row for each key: forms that say otherwise follow one another. */
export const merged = (rows: ReadonlyArray<KeyRow>): ReadonlyArray<KeyRow> =>
  [...Map.groupBy(rows, ({ key }) => key)].map(([key, forms]) => {
    const differing = (of: (row: KeyRow) => string) =>
      [...new Set(forms.map(of))].filter((text) => text !== "").join("; or ")
    return {
      key,
      isRequired: false,
      standard: differing(without),
      says: differing(({ says }) => says),
      value: undefined
    }
  })

/** As the page has it. */
export const tableLine = (row: KeyRow): string => `| \`${row.key}\` | ${without(row)} | ${row.says} |`
