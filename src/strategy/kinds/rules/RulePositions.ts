/** Compares the orders and positions of rules with their file, which may be an edited one, and with the strategy's position. */
import { type Amount, magnitude, max, min } from "../../../domain/Amount.ts"
import { isLeftover } from "../../../domain/CostBasis.ts"
import { opposite, type Side } from "../../../domain/Market.ts"
import { filledOfLeg } from "../../Decision.ts"
import { baseLeft, netOf, progressOf, type SlotProgress, type View } from "../../View.ts"
import { positionsOf, turnedText } from "../Total.ts"
import { type Going, isDone, isTouched, type RuleState } from "./RuleState.ts"
import type { Rules } from "./RulesSection.ts"

/**
 * Returns, for each rule, how much its exit may sell in all, if a rule that sells the position has sold of its purchase. All exits together
 * sell at most what is left of the position, in the order of the rules. Other rules that sell first have positions of their own.
 */
export const mostSold = (
  rules: Rules["rules"],
  states: ReadonlyArray<RuleState>,
  { own, slots }: Pick<View, "own" | "slots">
): ReadonlyArray<Amount | undefined> => {
  if (own === undefined || !rules.some(({ sellsPosition }) => sellsPosition)) return []
  const others = rules.filter(({ side, sellsPosition }) => side === "SELL" && !sellsPosition)
  let remaining = others.reduce((sum, { slot }) => sum - netOf(progressOf({ slots }, slot)).base, own.position)
  return rules.map(({ exit, side, slot }, index) => {
    const { going } = states[index] ?? {}
    const progress = progressOf({ slots }, slot)
    if (exit === undefined || side === "SELL" || going === undefined || isDone(going, progress)) return undefined
    const { carried = 0n, completedLegs, filledInLeg, receivedByLastLeg } = progress
    const isPaidOut = completedLegs > going.after.completedLegs
    const quantity = isPaidOut ? receivedByLastLeg - filledInLeg : filledOfLeg(going, progress)
    const rest = min(quantity, max(0n, remaining))
    remaining -= quantity
    // Fees leave a little less of the position than the exits hold.
    if (!isPaidOut || rest === quantity || isLeftover(quantity - rest, quantity)) return undefined
    return isLeftover(rest, quantity) ? 0n : max(0n, filledInLeg + rest - carried)
  })
}

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
  const position = baseLeft(progress)
  return !isTouched(going, progress) || position === 0n ? undefined : position > 0n ? "BUY" : "SELL"
}

export const positions = ({ rules }: Pick<Rules, "rules">, states: ReadonlyArray<RuleState>, slots: View["slots"]) =>
  positionsOf(
    rules.filter(({ exit, slot }, index) => {
      const { going } = states[index] ?? {}
      return exit !== undefined && going !== undefined && isTouched(going, progressOf({ slots }, slot))
    }),
    slots
  )
