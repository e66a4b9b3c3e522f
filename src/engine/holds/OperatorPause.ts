/** Commands of the operator to a strategy. A separate limit name keeps a new day from ending them like a loss pause. */
import type { BotEvent } from "../../domain/BotEvent.ts"
import { present } from "../../domain/Present.ts"
import { operatorLimit } from "../../domain/Text.ts"
import type { BotState } from "../state/BotState.ts"
import { leftPositions } from "../state/strategies/LeftPosition.ts"

/** A pause never weakens one that cancels orders: a draining strategy continues to drain. */
export const pause = (
  { strategies }: BotState,
  strategy: string,
  action: "pause" | "drain",
  reason: string,
  by?: string
): ReadonlyArray<BotEvent> => {
  const before = strategies.get(strategy)?.paused
  const stronger = before?.action === "drain" ? "drain" : action
  if (before?.limit === operatorLimit && before.action === stronger) return []
  return [{ _tag: "Paused", strategy, limit: operatorLimit, ...present({ by }), action: stronger, reason }]
}

/** Ends any pause; a limit that is still exceeded pauses again. A strategy without a file leaves its position to the account. */
export const resume = (state: BotState, strategy: string, reason: string): ReadonlyArray<BotEvent> =>
  state.strategies.get(strategy)?.paused === undefined &&
  !leftPositions(state).some((left) => left.strategy === strategy)
    ? []
    : [{ _tag: "Resumed", strategy, reason }]
