/** A refusal of the venue as it is written down. A missing credential is nobody's fault here and stops the bot instead. */
import { Effect } from "effect"
import type { VenueError } from "../../venue/VenueError.ts"

export interface VenueRefusal {
  readonly code: string
  readonly text: string
  /** The venue refused it in so many words, as opposed to no usable answer. */
  readonly certain: boolean
}

export const refusalOf = (error: VenueError): Effect.Effect<VenueRefusal, VenueError> => {
  const { reason } = error
  if (reason._tag === "Unauthorized") return Effect.fail(error)
  return Effect.succeed({
    code: reason._tag === "Rejected" ? reason.code : reason._tag,
    text: reason._tag === "Rejected" ? reason.text : reason.message,
    certain: reason._tag === "Rejected"
  })
}
