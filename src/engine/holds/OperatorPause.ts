/**
 * What the operator tells a strategy: pause, withdraw what rests, go on. The events are those of the loss limits
 * under a separate name, so the new day that ends a loss pause does not end this one.
 */
import type { BotEvent } from "../../domain/BotEvent.ts"
import type { BotState } from "../state/BotState.ts"
import type { StrategyState } from "../state/strategies/StrategyState.ts"

export const operatorLimit = "operator"

/** Who paused a strategy, and why, as people read it. */
export const pauseText = ({ action, limit, reason }: NonNullable<StrategyState["paused"]>): string =>
  `paused${action === "drain" ? ", orders withdrawn" : ""} by ${limit === operatorLimit ? "the operator" : `its limit ${limit}`}: ${reason}`

/** A pause never weakens one that withdraws: a draining strategy goes on draining. */
export const pause = (
  { strategies }: BotState,
  strategy: string,
  action: "pause" | "drain",
  reason: string
): ReadonlyArray<BotEvent> => {
  const present = strategies.get(strategy)?.paused
  const stronger = present?.action === "drain" ? "drain" : action
  if (present?.limit === operatorLimit && present.action === stronger) return []
  return [{ _tag: "Paused", strategy, limit: operatorLimit, action: stronger, reason }]
}

/** Ends the operator's pause and a limit's pause alike. A limit that is still exceeded pauses again at once. */
export const resume = ({ strategies }: BotState, strategy: string, reason: string): ReadonlyArray<BotEvent> =>
  strategies.get(strategy)?.paused === undefined ? [] : [{ _tag: "Resumed", strategy, reason }]
