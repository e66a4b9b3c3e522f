/**
 * Permission to continue a first order. Only the command that asks a person for approval has it. Any other process that finds a first order
 * gives it up while nothing is signed.
 */
import { Context, Effect } from "effect"
import { firstOrder } from "../../domain/Placement.ts"
import type { Placement } from "../state/Placement.ts"
import type { Step } from "./Holds.ts"

/** Reason why a first order is not created or paid now; absent without one. */
export const Consent = Context.Reference<(placement: Placement, step: Step) => Effect.Effect<string | undefined>>(
  "limitbot/engine/holds/Consent",
  {
    defaultValue:
      () =>
      ({ strategy }, step) =>
        Effect.succeed(
          strategy === firstOrder && step !== "resend" ? "only limitbot first-order continues it" : undefined
        )
  }
)
