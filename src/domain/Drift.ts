/**
 * One difference between the service today and the service for which this program was written. New fields and words only inform. A field
 * from which amounts, states or terms of orders are read closes funding while it is missing or has another type.
 */
import { Schema } from "effect"

export const Drift = Schema.Struct({
  what: Schema.String,
  was: Schema.String,
  is: Schema.String,
  closesFunding: Schema.Boolean
})
export type Drift = typeof Drift.Type

/** The subject of the difference if the service refuses us the feed of incidents. */
export const incidentFeed = "the feed of incidents"

export const withFeed = (drift: ReadonlyArray<Drift>, refusal: string | undefined): ReadonlyArray<Drift> => [
  ...drift.filter(({ what }) => what !== incidentFeed),
  ...(refusal === undefined ? [] : [{ what: incidentFeed, was: "readable", is: refusal, closesFunding: false }])
]

export const absent = "absent"

export const sentenceOf = ({ closesFunding, is, was, what }: Drift): string => {
  const change =
    was === absent ? `is new (${is})` : is === absent ? `is gone (was ${was})` : `was ${was} and is now ${is}`
  return `${what} ${change}${closesFunding ? ": orders pause" : ""}`
}

export const closing = (drift: ReadonlyArray<Drift>): string | undefined => {
  const blockers = drift.filter(({ closesFunding }) => closesFunding)
  return blockers.length === 0 ? undefined : `the service has changed: ${blockers.map(sentenceOf).join("; ")}`
}
