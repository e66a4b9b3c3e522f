/** What the work on a placement needs to know besides the journal. */
import type { Effect } from "effect"
import type { Market } from "../../domain/Market.ts"
import type { Step } from "../holds/Holds.ts"
import type { Placement } from "../state/Placement.ts"

export interface FundingInputs {
  /** Missing when the market is no longer configured: then nothing is created or paid. */
  readonly market: Market | undefined
  /** Why this step of this placement may not be taken now, if so. */
  gate(placement: Placement, step: Step): Effect.Effect<string | undefined>
  /** Unclear payments that the operator wants to be made once more. */
  readonly payAgain: ReadonlySet<string>
}
