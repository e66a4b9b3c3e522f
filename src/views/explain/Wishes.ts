/**
 * The order that each slot should have. If a decision holds across fills, the slot's progress arms the next leg, or none after the last.
 */
import type { Reason } from "../../domain/BotEvent.ts"
import { progress } from "../../engine/planning/DecisionRecord.ts"
import { type BotState, unfinishedOf } from "../../engine/state/BotState.ts"
import type { StrategyState } from "../../engine/state/strategies/StrategyState.ts"
import { armedLeg, type DesiredOrder } from "../../strategy/Decision.ts"
import { armedAboveCost } from "../../strategy/kinds/CostFloor.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { untouchedSlot } from "../../strategy/View.ts"

export type SlotWish = { readonly desired: DesiredOrder } | { readonly done: Reason }

export const doneText = "done: all its legs have filled"

export const wishesOf = (
  state: BotState,
  { name: strategyName, decision }: StrategyState,
  strategy?: Strategy
): ReadonlyMap<string, SlotWish> => {
  const slots = progress(state, strategyName, unfinishedOf(state, strategyName))
  return new Map(
    (decision?.desired ?? []).map((wished): readonly [string, SlotWish] => {
      const { market: name, legs, cycle = false, ...order } = wished
      const market = strategy?.others?.find((other) => other.name === name)
      const of = market === undefined ? {} : { market }
      const [first, ...others] = legs ?? []
      if (first === undefined) return [wished.slot, { desired: { ...order, ...of, leg: 0 } }]
      const desired = { slot: wished.slot, ...of, legs: [first, ...others] as const, cycle, why: wished.why }
      const progress = slots.get(wished.slot) ?? untouchedSlot
      const own = market ?? strategy?.market
      const armed = own === undefined ? armedLeg(desired, progress) : armedAboveCost(own, desired, progress)
      return [wished.slot, armed === undefined ? { done: wished.why } : { desired: armed }]
    })
  )
}
