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

/** The keys of every form of a section and below them; one that a form refuses is not among its keys. */
export const keyRows = (schema: JsonSchema, above = ""): ReadonlyArray<KeyRow> =>
  formsOf(schema).flatMap((form) =>
    Object.entries(objectOf(form["properties"])).flatMap(([name, value]) => {
      const property = objectOf(value)
      if (property["not"] !== undefined) return []
      const required = Array.isArray(form["required"]) && form["required"].includes(name)
      const rest = objectOf(property["additionalProperties"])
      const below = property["minProperties"] === 1 ? [] : [...keyRows(property, `${above}${name}.`)]
      return [rowOf(`${above}${name}`, property, required), ...below, ...keyRows(rest, `${above}${name}.<name>.`)]
    })
  )

/** As the page has it. */
export const tableLine = ({ key, isRequired, standard, says }: KeyRow): string =>
  `| \`${key}\` | ${isRequired ? "required" : (standard ?? "none")} | ${says} |`
