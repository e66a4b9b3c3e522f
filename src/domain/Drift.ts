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

/** The subject of the difference if the feed of incidents refuses us, or names an incident in our assets. */
export const incidentFeed = "the feed of incidents"

/** Returns the event with what the feed is now; none if the last one says the same. */
export const comparedFeed = (before: ReadonlyArray<Drift>, is: string | undefined) => {
  if (before.find(({ what }) => what === incidentFeed)?.is === is) return []
  const others = before.filter(({ what }) => what !== incidentFeed)
  const ofFeed = is === undefined ? [] : [{ what: incidentFeed, was: "quiet", is, closesFunding: false }]
  return [{ _tag: "ServiceCompared" as const, drift: [...others, ...ofFeed], of: "incidents" as const }]
}

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
