/**
 * Orders that may still fill though nothing more is wanted of them, and what must not rest beside them. A strategy names some
 * of these itself (`yieldsTo`). Others are left by an edit: the new file works in other slots, and one that counts what the whole
 * strategy holds would offer the same coins again, or buy once more what may still be bought. So an order waits for those of
 * an older file that are on its side of its market and in slots where the new file wants no such order.
 */
import type { Amount } from "../../domain/Amount.ts"
import type { DesiredOrder } from "../../strategy/Decision.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { type BotState, unfinished } from "../state/BotState.ts"
import { openQuantity, type Placement } from "../state/Placement.ts"

/** Those of older files that the last decision does not continue. */
export const leftByEdits = (state: BotState, { market: first, name }: Strategy): ReadonlyArray<Placement> => {
  const older = unfinished(state).filter(({ isOfOlderFile, strategy }) => strategy === name && isOfOlderFile === true)
  if (older.length === 0) return older
  const wanted = new Map(state.strategies.get(name)?.decision?.desired.map((each) => [each.slot, each]))
  return older.filter(({ market, side, slot }) => {
    const now = wanted.get(slot)
    return now === undefined || now.side !== side || (now.market ?? first.name) !== market
  })
}

/** Base that may still fill beside this order. An order may fill until it is known to be over, whatever was asked of it. */
export const leavingBeside = (
  state: BotState,
  { market: first, name }: Strategy,
  { market = first, side, slot: own, yieldsTo = [] }: DesiredOrder,
  left: ReadonlyArray<Placement>
): Amount => {
  const named =
    yieldsTo.length === 0
      ? []
      : unfinished(state).filter(({ slot, strategy }) => strategy === name && yieldsTo.includes(slot))
  const others = left.filter((each) => each.side === side && each.market === market.name && each.slot !== own)
  return [...new Set([...named, ...others])].reduce((sum, placement) => sum + openQuantity(placement), 0n)
}
