/**
 * Who may go on with a first order: only the command that asks a person for the word. Any other process that finds one gives it
 * up, as long as nothing was signed.
 */
import { Context, Effect } from "effect"
import { firstOrder } from "../../domain/Placement.ts"
import type { Placement } from "../state/Placement.ts"
import type { Step } from "./Holds.ts"

/** Why a first order is not created or paid now, if so. */
export const Consent = Context.Reference<(placement: Placement, step: Step) => Effect.Effect<string | undefined>>(
  "limitbot/engine/holds/Consent",
  {
    defaultValue:
      () =>
      ({ strategy }, step) =>
        Effect.succeed(
          strategy === firstOrder && step !== "resend" ? "only limitbot first-order goes on with it" : undefined
        )
  }
)
