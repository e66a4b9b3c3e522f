/**
 * What one process compares between the reports of an order, beside the journal: whether an order lives on that was said to be
 * over, whether it goes on to show less than before, and whether an order with our money in it is one that the venue says it never
 * had. A report may be old, so a single one proves nothing.
 */
import type { BotEvent } from "../../domain/BotEvent.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import { believedAfterMillis } from "../EngineSettings.ts"
import type { Bookkeeper } from "../state/Bookkeeper.ts"
import type { Placement } from "../state/Placement.ts"
import * as TakingBack from "../tracking/amounts/TakingBack.ts"
import { isUnproven } from "../tracking/EarlyEnd.ts"
import { lackingIn, vanishedIn } from "../tracking/OrderTracker.ts"

export const make = ({ state, tries: { heldMillis } }: Pick<Bookkeeper["Service"], "state" | "tries">) => {
  /**
   * What a living order leads to that takes something back, which no report of an old view does for so long. If it had ended:
   * another cancel, and after a while its end is none. If it goes on to lack a fill that it had shown, only its deposit is certain.
   * What is booked is never taken back without telling somebody.
   */
  const revived = (placement: Placement, order: Order, now: number) => {
    const { accepted, contradiction, id, slot, status, strategy } = placement
    const { fillStatus } = order
    const vanished = placement.by === undefined && placement.state === "open" ? vanishedIn(placement, order) : undefined
    const livesOn = placement.state === "closing" && !isTerminal(fillStatus) && fillStatus !== "PENDING_CANCEL"
    const alive = heldMillis("alive", id, livesOn, now)
    const missing = heldMillis("vanished", id, vanished !== undefined, now)
    const isAlive = alive >= believedAfterMillis.aliveToCancel
    const told = (what: string, millis: number): BotEvent => {
      const evidence = `for ${Math.round(millis / 1000)} s`
      return { _tag: "Contradiction", strategy, slot, placement: id, kind: "changed-report", what, evidence }
    }
    if (alive >= believedAfterMillis.alive) {
      const what = `it ended ${status}, and the venue goes on to show it ${fillStatus}`
      const back = TakingBack.revived(placement, order)
      const isNews = contradiction === undefined || back.some(({ _tag }) => _tag === "TakenBack")
      return { isAlive, events: isNews ? [told(what, alive), ...back] : back }
    }
    if (vanished === undefined || missing < believedAfterMillis.vanished) return { isAlive, events: [] }
    const back = TakingBack.vanished(placement, order)
    const isNews = back.length > 0 || (contradiction === undefined && accepted !== vanished)
    return { isAlive, events: isNews ? [told(vanished, missing), ...back] : [] }
  }

  /** Whether the venue has for so long shown less of an order that is over than it had before that this is its last word. */
  const insists = (placement: Placement, order: Order, now: number): boolean => {
    const isLacking = order.payoutIsFinal && lackingIn(placement, order) !== undefined
    return heldMillis("lacking", placement.id, isLacking, now) >= believedAfterMillis.lacking
  }

  /** Whether an early end is not believed yet. */
  const isEndUnbelieved = (placement: Placement, { fillStatus }: Order, now: number): boolean =>
    isUnproven(placement, fillStatus, now, state.strategies.get(placement.strategy)?.paused)

  /** The venue answers that there is no such order. Only our own deposit says that there is one. */
  const missed = (placement: Placement, now: number, text: string, correlationId?: string): ReadonlyArray<BotEvent> => {
    const { id, missing, order, slot, state: at, strategy } = placement
    if ((at !== "open" && at !== "closing") || order === undefined) return []
    const millis = heldMillis("missing", id, true, now)
    if (missing !== undefined || millis < believedAfterMillis.missing) return []
    const about = { strategy, slot, placement: id, orderId: order.id }
    return [{ _tag: "OrderMissing", ...about, text, ...present({ correlationId }) }]
  }

  /** The order is there. */
  const shown = ({ id, missing, order, slot, strategy }: Placement): ReadonlyArray<BotEvent> => {
    heldMillis("missing", id, false, 0)
    if (missing === undefined || order === undefined) return []
    return [{ _tag: "OrderBack", strategy, slot, placement: id, orderId: order.id }]
  }

  return { insists, missed, revived, shown, isEndUnbelieved }
}
