/**
 * Describes readers as JSON Schema (draft 7, which editors support best), so that one declaration both reads a file and completes it in an
 * editor. A schema is coarser than its reader: only the reader checks relations between fields.
 */
import type { Market } from "../domain/Market.ts"

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
