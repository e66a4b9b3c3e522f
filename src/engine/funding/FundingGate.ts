/**
 * The gate before money leaves. It is asked directly before a payload is signed, before a wallet is asked, and before
 * unsent bytes are sent. Between plan and funding the market may have run away, or somebody may have pulled the kill
 * switch; what was true when the turn began does not count here.
 */
import type { Effect } from "effect"
import type { Reason } from "../../domain/BotEvent.ts"
import type { Market, TwoSidedPrice } from "../../domain/Market.ts"
import { byHand } from "../../domain/Placement.ts"
import type { Limits } from "../../strategy/Strategy.ts"
import { badDeviation, staleness } from "../planning/RiskLimits.ts"
import * as FundingStop from "../reconciliation/FundingStop.ts"
import * as JournalTail from "../restart/JournalTail.ts"
import { type BotState, slotKey } from "../state/BotState.ts"
import type { Placement } from "../state/Placement.ts"
import * as VenueTime from "../tracking/VenueTime.ts"

/** What the engine knows besides the journal when it works on a placement. */
export interface Surroundings {
  /** Missing when the market is no longer configured: then nothing is created or paid. */
  readonly market: Market | undefined
  /** Why this placement may not be funded now, if so. */
  gate(placement: Placement): Effect.Effect<string | undefined>
  /** Unclear payments that the operator wants to be made once more. */
  readonly payAgain: ReadonlySet<string>
}

export interface GateInputs {
  readonly now: number
  /** Why everything must be withdrawn, if it must. */
  readonly withdrawAll: Reason | undefined
  /** Limits of the placement's strategy; none when it is no longer loaded. */
  readonly limits: Limits | undefined
  readonly price: TwoSidedPrice | undefined
  /** How far our clock is ahead of the venue's, by the venue's latest answers. */
  readonly skewMillis: number | undefined
  /** Why this process may no longer pay, if so. */
  readonly leaseLost: string | undefined
}

export const closedBecause = (
  state: BotState,
  { id }: Pick<Placement, "id">,
  { leaseLost, limits, now, price, skewMillis, withdrawAll }: GateInputs
): string | undefined => {
  const placement = state.placements.get(id)
  if (placement === undefined) return "it is over"
  if (leaseLost !== undefined) return leaseLost
  const strategy = state.strategies.get(placement.strategy)
  const paused = strategy?.paused
  const slot = state.slots.get(slotKey(placement.strategy, placement.slot))
  if (withdrawAll !== undefined) return withdrawAll.text
  if (state.killed !== undefined) return state.killed
  if (placement.cancel !== undefined) return `it is being withdrawn: ${placement.cancel.why.text}`
  if (placement.contradiction !== undefined) return placement.contradiction
  if (slot?.frozen !== undefined) return `its slot is frozen: ${slot.frozen}`
  if (paused?.action === "drain") return paused.reason
  const stopped = strategy === undefined ? undefined : FundingStop.closesGate(strategy)
  if (stopped !== undefined) return stopped
  const forgotten = JournalTail.closesGate(state.tail)
  if (forgotten !== undefined) return forgotten
  if (state.diskFullSince !== undefined) return "the disk is full"
  const wrongClock = VenueTime.problem(state) ?? VenueTime.problemOf(skewMillis)
  if (wrongClock !== undefined) return wrongClock
  // Its terms were agreed to by a person, who saw them.
  if (placement.strategy === byHand) return undefined
  if (limits === undefined) return "its strategy is no longer loaded"
  if (price === undefined) return "there is no price"
  return staleness({ now, price, limits }) ?? badDeviation(placement, { price, limits })
}
