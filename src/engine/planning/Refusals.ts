/**
 * Why a slot has no order though one is wanted: by a limit of ours, by a wait, or because an end is not believed. Each is recorded
 * once, however they take turns, until the slot is planned, or what is wanted has gone and comes back.
 */
import { Effect } from "effect"
import type { BotEvent, Of } from "../../domain/BotEvent.ts"
import type { DesiredOrder } from "../../strategy/Decision.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import type { Bookkeeper } from "../state/Bookkeeper.ts"
import { slotKey } from "../state/SlotFold.ts"
import type { LimitName } from "./OrderLimits.ts"

interface About {
  readonly strategy: string
  readonly slot: string
}

type Recorded = ReturnType<Bookkeeper["Service"]["record"]>

export interface Refusals {
  /** `what` tells one verdict from another. */
  once(about: About, what: string, event: BotEvent): Recorded
  /** What rests is as wanted: an exit that was refused is not missing any more. */
  wantsNoMore(about: About): Recorded
  /** What is wanted again is refused anew. */
  forgetAllBut(strategy: string, wanted: ReadonlyArray<string>): void
}

export const make = ({ record, state }: Bookkeeper["Service"]): Refusals => {
  const said = new Map<string, { readonly placement: string | undefined; readonly verdicts: Set<string> }>()
  return {
    once: ({ slot, strategy }, what, event) => {
      const key = slotKey(strategy, slot)
      const placement = state.slots.get(key)?.placement
      const before = said.get(key)
      const verdicts = before?.placement === placement ? (before?.verdicts ?? new Set()) : new Set<string>()
      if (verdicts.has(what)) return Effect.void
      said.set(key, { placement, verdicts: verdicts.add(what) })
      return record(event)
    },
    wantsNoMore: (about) => {
      const key = slotKey(about.strategy, about.slot)
      if (!state.refusedExits.has(key)) return Effect.void
      said.delete(key)
      return record({ _tag: "Deferred", ...about, reason: "what rests there is as wanted" })
    },
    forgetAllBut: (strategy, wanted) => {
      const kept = new Set(wanted.map((slot) => slotKey(strategy, slot)))
      for (const key of said.keys()) if (key.startsWith(slotKey(strategy, "")) && !kept.has(key)) said.delete(key)
    }
  }
}

/**
 * What is worth nothing is missed by nobody, and a target that is a swap waits for its price. While orders leave that an exit
 * must not rest beside, they may still do its work.
 */
export const isMissed = ({ mayLose }: DesiredOrder, limit: LimitName): boolean =>
  limit !== "tiny" && limit !== "leaving-orders" && (limit !== "swap-price" || mayLose === true)

/** What a position lacks while this order is not there. */
export const exitOf = (
  strategy: Strategy,
  { isExit, market, price, quantity, side }: DesiredOrder
): Of<"Denied">["exit"] =>
  isExit === true ? { side, price, quantity, asset: (market ?? strategy.market).base.symbol } : undefined
