/** Compares the orders and positions of rules with their file, which may be an edited one. */
import { magnitude } from "../../../domain/Amount.ts"
import { opposite, type Side } from "../../../domain/Market.ts"
import { baseLeft, progressOf, type SlotProgress, type View } from "../../View.ts"
import { positionsOf, turnedText } from "../Total.ts"
import { type Going, isDone, isTouched, type RuleState } from "./RuleState.ts"
import type { Rules } from "./RulesSection.ts"

/** An order keeps the prices of its side, so its rule must not turn before the order and its exit have ended. */
export const turnText = (
  { market, rules }: Pick<Rules, "market" | "rules">,
  states: ReadonlyArray<RuleState>,
  slots: View["slots"]
): string | undefined => {
  for (const [index, { side, slot }] of rules.entries()) {
    const { going } = states[index] ?? {}
    const progress = progressOf({ slots }, slot)
    const before = going === undefined || isDone(going, progress) ? undefined : sideBegun(going, progress)
    if (before === opposite(side)) return turnedText(market.base, slot, before, magnitude(baseLeft(progress)))
  }
  return undefined
}

const sideBegun = (going: Going, progress: SlotProgress): Side | undefined => {
  if (progress.completedLegs > going.after.completedLegs) return progress.lastLeg?.side
  if (progress.live !== undefined) return progress.live.side
  const held = baseLeft(progress)
  return !isTouched(going, progress) || held === 0n ? undefined : held > 0n ? "BUY" : "SELL"
}

export const positions = ({ rules }: Pick<Rules, "rules">, states: ReadonlyArray<RuleState>, slots: View["slots"]) =>
  positionsOf(
    rules.filter(({ exit, slot }, index) => {
      const { going } = states[index] ?? {}
      return exit !== undefined && going !== undefined && isTouched(going, progressOf({ slots }, slot))
    }),
    slots
  )
