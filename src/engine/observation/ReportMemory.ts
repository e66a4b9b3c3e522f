/**
 * Compares the reports of an order within one process, beside the journal. They show if an order lives on after a reported end, keeps
 * showing less than before, or is denied by the venue while it holds our money. A report may be old, so a single one proves nothing.
 */
import type { BotEvent } from "../../domain/BotEvent.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import { believedAfterMillis } from "../EngineSettings.ts"
import type { Bookkeeper } from "../state/Bookkeeper.ts"
import { about, type Placement } from "../state/Placement.ts"
import * as TakingBack from "../tracking/amounts/TakingBack.ts"
import { changedReport } from "../tracking/Contradictions.ts"
import { isUnproven } from "../tracking/EarlyEnd.ts"
import { lackingIn, vanishedIn } from "../tracking/OrderTracker.ts"

export const make = ({ state, tries: { heldMillis } }: Pick<Bookkeeper["Service"], "state" | "tries">) => {
  /**
   * Returns what follows once reports have contradicted the books for longer than an old view could. If the order had ended, the bot
   * cancels it again and later takes its end back. If a fill has vanished, only the deposit is certain. The bot takes no booked amount back
   * without reporting the contradiction.
   */
  const revived = (placement: Placement, order: Order, now: number) => {
    const { accepted, contradiction, id, status } = placement
    const { fillStatus } = order
    const vanished = placement.by === undefined && placement.state === "open" ? vanishedIn(placement, order) : undefined
    const livesOn = placement.state === "closing" && !isTerminal(fillStatus) && fillStatus !== "PENDING_CANCEL"
    const alive = heldMillis("alive", id, livesOn, now)
    const missing = heldMillis("vanished", id, vanished !== undefined, now)
    const isAlive = alive >= believedAfterMillis.aliveToCancel
    const contradictionOf = (what: string, millis: number) =>
      changedReport(placement, what, `for ${Math.round(millis / 1000)} s`)
    if (alive >= believedAfterMillis.alive) {
      const what = `it ended ${status}, but the venue still shows it ${fillStatus}`
      const back = TakingBack.revived(placement, order)
      const isNews = contradiction === undefined || back.some(({ _tag }) => _tag === "TakenBack")
      return { isAlive, events: isNews ? [contradictionOf(what, alive), ...back] : back }
    }
    if (vanished === undefined || missing < believedAfterMillis.vanished) return { isAlive, events: [] }
    const back = TakingBack.vanished(placement, order)
    const isNews = back.length > 0 || (contradiction === undefined && accepted !== vanished)
    return { isAlive, events: isNews ? [contradictionOf(vanished, missing), ...back] : [] }
  }

  /** True once the venue has shown less of an ended order than before for so long that it will not show more. */
  const insists = (placement: Placement, order: Order, now: number): boolean => {
    const isLacking = order.payoutIsFinal && lackingIn(placement, order) !== undefined
    return heldMillis("lacking", placement.id, isLacking, now) >= believedAfterMillis.lacking
  }

  const isEndUnbelieved = (placement: Placement, { fillStatus }: Order, now: number): boolean =>
    isUnproven(placement, fillStatus, now, state.strategies.get(placement.strategy)?.paused)

  /** Records, after a minute of such answers, that the venue denies an order. Our deposit proves that the order exists. */
  const missingEvents = (
    placement: Placement,
    now: number,
    text: string,
    correlationId?: string
  ): ReadonlyArray<BotEvent> => {
    const { id, missing, order, state: at } = placement
    if ((at !== "open" && at !== "closing") || order === undefined) return []
    const millis = heldMillis("missing", id, true, now)
    if (missing !== undefined || millis < believedAfterMillis.missing) return []
    return [{ _tag: "OrderMissing", ...about(placement), orderId: order.id, text, ...present({ correlationId }) }]
  }

  const backEvents = (placement: Placement): ReadonlyArray<BotEvent> => {
    const { id, missing, order } = placement
    heldMillis("missing", id, false, 0)
    if (missing === undefined || order === undefined) return []
    return [{ _tag: "OrderBack", ...about(placement), orderId: order.id }]
  }

  return { insists, missed: missingEvents, revived, shown: backEvents, isEndUnbelieved }
}
