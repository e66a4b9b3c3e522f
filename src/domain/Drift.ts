/**
 * One way in which the service is not what this program was written for: what differs, how it was recorded, how it is now, and
 * whether money depends on it. New fields and words only inform; whatever amounts, states or terms of orders are read from
 * closes funding while it is missing or of another kind.
 */
import { Schema } from "effect"

export const Drift = Schema.Struct({
  /** For people: "field `price` of orders". */
  what: Schema.String,
  was: Schema.String,
  is: Schema.String,
  closesFunding: Schema.Boolean
})
export type Drift = typeof Drift.Type

/** What is not there, before or now. */
export const absent = "absent"

export const sentenceOf = ({ closesFunding, is, was, what }: Drift): string => {
  const change =
    was === absent ? `is new (${is})` : is === absent ? `is gone (was ${was})` : `was ${was} and is now ${is}`
  return `${what} ${change}${closesFunding ? ": orders pause" : ""}`
}

/** Why nothing new is paid, if money depends on a difference. */
export const closing = (drift: ReadonlyArray<Drift>): string | undefined => {
  const found = drift.filter(({ closesFunding }) => closesFunding)
  return found.length === 0 ? undefined : `the service has changed: ${found.map(sentenceOf).join("; ")}`
}
