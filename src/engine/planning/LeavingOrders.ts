/**
 * Finds orders that may still fill although no strategy plans them any more, and the orders that must not be open beside them. A strategy
 * names some of these itself (`yieldsTo`). Edits leave others. The new file works in other slots. If it counts what the whole strategy
 * holds, it would offer the same coins again, or buy twice. So an order waits for orders of an older file on its side of its market, in
 * slots where the new file plans no such order. A file with another name, or two files that exchanged their names, are such edits too;
 * exits do not wait for orders under other names.
 */
import type { Amount } from "../../domain/Amount.ts"
import type { DesiredOrder } from "../../strategy/Decision.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { type BotState, unfinished, unfinishedOf } from "../state/BotState.ts"
import { openQuantity, type Placement } from "../state/Placement.ts"

/** Orders of older files that the last decision of their strategy does not continue, and orders of removed strategies. */
export const leftByEdits = (state: BotState, { name }: Strategy): ReadonlyArray<Placement> => {
  const { loadedAt = 0 } = state.strategies.get(name) ?? {}
  return unfinished(state).filter(
    (placement) => (placement.strategy === name || placement.plannedAt < loadedAt) && isLeft(state, placement)
  )
}

const isLeft = (state: BotState, { isOfOlderFile, market, side, slot, strategy }: Placement): boolean => {
  const { decision, isTried, loaded, removed } = state.strategies.get(strategy) ?? {}
  if (removed === "drained") return true
  if (isOfOlderFile !== true) return false
  const now = isTried === true ? decision?.desired.find((each) => each.slot === slot) : undefined
  return now === undefined || now.side !== side || (now.market ?? loaded?.market.split(", ")[0]) !== market
}

/** Base that may still fill beside this order. An order may fill until its end is known, even if its cancel was sent. */
export const leavingBeside = (
  state: BotState,
  { market: first, name }: Strategy,
  { isExit, market = first, side, slot: own, yieldsTo = [] }: DesiredOrder,
  left: ReadonlyArray<Placement>
): Amount => {
  const preferredOrders =
    yieldsTo.length === 0 ? [] : unfinishedOf(state, name).filter(({ slot }) => yieldsTo.includes(slot))
  const isInItsWay = (each: Placement) => (each.strategy === name ? each.slot !== own : isExit !== true)
  const others = left.filter((each) => each.side === side && each.market === market.name && isInItsWay(each))
  return [...new Set([...preferredOrders, ...others])].reduce((sum, placement) => sum + openQuantity(placement), 0n)
}
