/**
 * Rows for what one deployment does otherwise than another. A row names the fact that it checks, by its place among the facts of a
 * profile, and the values of it that the row is about; so it runs under every profile that says the same, whatever its name. What
 * a profile expects is computed here from the facts alone, and by none of the client's or the sandbox's code.
 */
import type { VenueFacts } from "../../../src/venue/profile/Facts.ts"
import { type Check, check } from "../Check.ts"
import { at } from "../Seen.ts"
import type { World } from "../World.ts"

type PathOf<T> =
  T extends ReadonlyArray<unknown>
    ? never
    : T extends object
      ? { [K in keyof T & string]: K | `${K}.${PathOf<NonNullable<T[K]>>}` }[keyof T & string]
      : never

export interface FactRow {
  readonly fact: PathOf<VenueFacts>
  readonly name: string
  readonly sentence: string
  /** Whether the facts of a service are such that the row has something to say; left out: they always are. */
  readonly applies?: (facts: VenueFacts) => boolean
  readonly look: (world: World) => Promise<string | undefined>
}

export const factChecks = (rows: ReadonlyArray<FactRow>, facts: VenueFacts): ReadonlyArray<Check> =>
  rows
    .filter(({ applies }) => applies === undefined || applies(facts))
    .map(({ fact, look, name, sentence }) => {
      const value = at(facts, fact)
      const said = value === undefined ? "none" : typeof value === "object" ? JSON.stringify(value) : String(value)
      return check(`profile.${fact}.${name}`, `${sentence} (${fact}: ${said})`, look)
    })
