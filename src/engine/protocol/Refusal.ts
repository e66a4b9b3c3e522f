/** The venue's refusal as recorded. A refused credential never becomes one: it stops the bot. */
import { Effect } from "effect"
import type { PaymentRefusal } from "../../domain/Payload.ts"
import { present } from "../../domain/Present.ts"
import type { VenueError } from "../../venue/VenueError.ts"

export interface VenueRefusal extends PaymentRefusal {
  /** True if the venue clearly refused; false if it gave no usable answer. */
  readonly certain: boolean
}

export const refusalOf = (error: VenueError): Effect.Effect<VenueRefusal, VenueError> => {
  const { reason } = error
  if (reason._tag === "Unauthorized") return Effect.fail(error)
  return Effect.succeed({
    code: reason._tag === "Rejected" ? reason.code : reason._tag,
    text: reason._tag === "Rejected" ? reason.text : reason.message,
    ...(reason._tag === "Rejected" ? present({ verdict: reason.verdict }) : {}),
    certain: reason._tag === "Rejected"
  })
}
