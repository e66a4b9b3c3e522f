/**
 * Missing exits: our limit, or the venue repeatedly, refused the leg that closes a slot's position. The position has no stop and no target,
 * so this is reported until the leg is placed or no longer planned. Pure.
 */
import type { BotEvent, Of } from "../../../domain/BotEvent.ts"
import { keyOf, type SlotId } from "../SlotFold.ts"

export interface RefusedExit extends SlotId {
  readonly wanted: NonNullable<Of<"Denied">["exit"]>
  /** Missing if the venue refused it. */
  readonly limit?: string
  readonly reason: string
  readonly since: number
  readonly isSwap?: boolean
}

export type RefusedExits = Map<string, RefusedExit>

export const see = (exits: RefusedExits, event: BotEvent, at: number): void => {
  switch (event._tag) {
    case "Denied":
    case "Deferred": {
      const { exit: wanted, reason, slot, strategy } = event
      const key = keyOf(event)
      if (wanted === undefined) return void exits.delete(key)
      const limit = event._tag === "Denied" ? { limit: event.limit } : {}
      return void exits.set(key, { strategy, slot, wanted, ...limit, reason, since: exits.get(key)?.since ?? at })
    }
    case "Planned": {
      const key = keyOf(event)
      const refused = exits.get(key)
      if (refused === undefined) return
      // An exit that the venue has refused repeatedly is placed only once its order has the money.
      if (refused.limit === "budget" && event.isPart === true) return
      if (refused.limit !== undefined) return void exits.delete(key)
      return void exits.set(key, { ...refused, isSwap: event.by === "swap" })
    }
    case "DepositSeen":
    case "FillSeen": {
      const key = keyOf(event)
      const refused = exits.get(key)
      // If our limit refused it, this event is of the order that the exit would replace. A report of an unfilled exit ends once all has
      // filled.
      if (refused?.limit !== undefined || refused?.wanted.rests === true) return
      if (event._tag === "DepositSeen" && refused?.isSwap === true) return
      return void exits.delete(key)
    }
    case "Closed":
      return event.status === "FILLED" ? void exits.delete(keyOf(event)) : undefined
    case "LegClosed":
      return void exits.delete(keyOf(event))
    case "KillSwitch":
      return released(exits, "kill-switch")
    case "Resumed":
      return released(exits, "paused", event.strategy)
    case "Decided":
      return forget(exits, event.strategy, new Set(event.desired.map(({ slot }) => slot)))
    case "StrategyRemoved":
      return forget(exits, event.strategy, new Set())
  }
}

/** An exit that the hold refused may be refused by another limit now, which planning then reports. */
const released = (exits: RefusedExits, hold: string, name?: string): void => {
  for (const [key, { limit, strategy }] of exits)
    if (limit === hold && strategy === (name ?? strategy)) exits.delete(key)
}

/** An exit that the strategy no longer plans is not missing. Planning reports it again once it is planned again. */
const forget = (exits: RefusedExits, name: string, wanted: ReadonlySet<string>): void => {
  for (const [key, { slot, strategy }] of exits) if (strategy === name && !wanted.has(slot)) exits.delete(key)
}
