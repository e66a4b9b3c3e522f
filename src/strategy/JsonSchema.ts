/**
 * What a reader takes, as JSON Schema (draft 7, which editors know best), so that one declaration both reads a file and
 * completes it in an editor. A schema is coarser than its reader: what holds between fields only the reader checks.
 */
import type { Market } from "../domain/Market.ts"

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** A reader of any kind, as far as its schema goes. */
interface Described {
  readonly schema?: () => JsonSchema
}

/** The schema is made when asked for: reading a file needs none. */
export const described = <R extends object>(
  read: R,
  schema: () => JsonSchema
): R & { readonly schema: () => JsonSchema } => Object.assign(read, { schema })

/** Anything, where a reader does not say. */
export const schemaOf = ({ schema }: Described): JsonSchema => schema?.() ?? {}

/** A number as a person may write it: plain, or in quotes. Keywords for numbers and for text each see only their own. */
export const numeric = (pattern: string, limits: JsonSchema): JsonSchema => ({
  type: ["number", "string"],
  pattern,
  ...limits
})

/** Stands in where a schema must hold for any market. */
export const anyMarket: Market = {
  name: "BASE/QUOTE",
  base: { symbol: "BASE", id: "", decimals: 40 },
  quote: { symbol: "QUOTE", id: "", decimals: 40 }
}
