/** Compares the orders and positions of rules with their file, which may be an edited one. */
import { magnitude } from "../../../domain/Amount.ts"
import type { Side } from "../../../domain/Market.ts"
import { heldBy, progressOf, type SlotProgress, type View } from "../../View.ts"
import { positionsOf, turnedText } from "../Total.ts"
import { type Going, isDone, isTouched, type RuleState } from "./RuleState.ts"
import type { Rules } from "./RulesSection.ts"

/** An order keeps the prices of its side, so its rule must not turn before the order and its exit have ended. */
export const turnText = (
  { market, rules }: Pick<Rules, "market" | "rules">,
  states: ReadonlyArray<RuleState>,
  slots: View["slots"]
): string | undefined => {
  const texts = rules.flatMap(({ side, slot }, index) => {
    const { going } = states[index] ?? {}
    const progress = progressOf({ slots }, slot)
    if (going === undefined || isDone(going, progress)) return []
    const before = sideBegun(going, progress)
    return before === side || before === undefined
      ? []
      : [turnedText(market.base, slot, before, magnitude(heldBy(progress)))]
  })
  return texts[0]
}

const sideBegun = (going: Going, progress: SlotProgress): Side | undefined => {
  if (progress.completedLegs > going.after.completedLegs) return progress.lastLeg?.side
  if (progress.live !== undefined) return progress.live.side
  const held = heldBy(progress)
  return !isTouched(going, progress) || held === 0n ? undefined : held > 0n ? "BUY" : "SELL"
}

export const positions = ({ rules }: Pick<Rules, "rules">, states: ReadonlyArray<RuleState>, slots: View["slots"]) =>
  new Map(
    rules.flatMap(({ exit, side, slot }, index) => {
      const { going } = states[index] ?? {}
      const isOpen = exit !== undefined && going !== undefined && isTouched(going, progressOf({ slots }, slot))
      return isOpen ? [...positionsOf([slot], side, slots)] : []
    })
  )
