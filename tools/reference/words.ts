/** A JSON schema in the words of a table: what a value is, with the names of its parts but not what those are. */
import type { JsonSchema } from "../../src/strategy/Fields.ts"

const names: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "true or false",
  null: "null"
}

export const objectOf = (value: unknown): JsonSchema => Object(value)
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const isRequired = ({ required }: JsonSchema, name: string): boolean => listOf(required).includes(name)

/** Whoever sends or reads an object finds its parts in this order; those that may be missing have a question mark. */
const partsOf = (schema: JsonSchema): string =>
  Object.keys(objectOf(schema["properties"]))
    .map((name) => `\`${name}${isRequired(schema, name) ? "" : "?"}\``)
    .join(", ")

export const inWords = (schema: JsonSchema): string => {
  const { anyOf, enum: values, items, type } = schema
  if (values !== undefined)
    return listOf(values)
      .map((value) => `\`${value}\``)
      .join(" or ")
  if (anyOf !== undefined) return [...new Set(listOf(anyOf).map((each) => inWords(objectOf(each))))].join(" or ")
  if (type === "array") return `list of ${inWords(objectOf(items))}`
  if (type !== "object") return names[`${type}`] ?? "any JSON"
  const parts = partsOf(schema)
  return parts === "" ? "object" : `object of ${parts}`
}
