/**
 * What the operator says to a strategy: pause, withdraw what rests, go on. The same events as of the loss limits, under a
 * name of its own, so that the new day that ends a loss pause does not end this one.
 */
import type { BotEvent } from "../../domain/BotEvent.ts"
import type { BotState } from "../state/BotState.ts"

export const operatorLimit = "operator"

/** A pause never weakens one that withdraws: what already drains goes on draining. */
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

/** Ends a pause of the operator and one of a limit alike; a limit whose loss is still there pauses again at once. */
export const resume = ({ strategies }: BotState, strategy: string, reason: string): ReadonlyArray<BotEvent> =>
  strategies.get(strategy)?.paused === undefined ? [] : [{ _tag: "Resumed", strategy, reason }]
