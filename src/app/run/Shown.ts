/** What a run has to show while it lasts, to whoever shows it. */
import type { Effect, PubSub, Scope } from "effect"
import type { Recorded } from "../../domain/BotEvent.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import type { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import type { StepTerms } from "../../engine/tracking/Overdue.ts"
import type { Journal } from "../../journal/Journal.ts"
import type * as Money from "../../report/text/Money.ts"
import type { Pulse } from "../../views/Pulse.ts"
import type { Terminal } from "../process/Terminal.ts"

export interface ShownOptions {
  readonly title: string
  readonly detail: string | undefined
  readonly warning: string | undefined
  readonly assets: Money.Assets
  /** How long each step of an order may take before it is named. */
  readonly stuckAfter: StepTerms
  readonly json: boolean
  /** How often a log gets the whole picture. */
  readonly pictureMillis: number
}

/** What is true now, outside the journal. */
export interface Shown {
  readonly prices: ReadonlyMap<string, TwoSidedPrice>
  readonly pulse: Pulse
  /** The line that opens the dashboard; a log has it already. */
  readonly dashboard: string | undefined
  /** When the bot looks at the venue next. */
  readonly nextLookAt: () => number
}

/** Shows a run until it ends. */
export type Show = (
  options: ShownOptions,
  shown: Shown,
  changes: PubSub.Subscription<Recorded>
) => Effect.Effect<void, unknown, Bookkeeper | Journal | Scope.Scope | Terminal>
