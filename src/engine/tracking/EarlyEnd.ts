/**
 * Orders that end before their time without a cancel of ours: somebody else cancelled them, or the venue says of a living order
 * that it is over. So such an end is believed only after the venue has shown it for a while, and while its strategy waits for
 * somebody to look at several of them, not at all. Until then the order is looked at, its refund counts as on its way, its
 * slot gets nothing new, and whoever withdraws everything asks the venue to cancel it as well.
 */
import { elapsedMillis } from "../../domain/Durations.ts"
import { isTerminal } from "../../domain/Order.ts"
import { believedAfterMillis } from "../EngineSettings.ts"
import { isEarly, type Placement } from "../state/Placement.ts"
import type { StrategyState } from "../state/strategies/StrategyState.ts"

export const pauseCode = "early-ends"

export const isEndUnbelieved = (placement: Placement): boolean => {
  const { closedAt = 0, refund, state, status = "", unspent } = placement
  return state === "closing" && refund === "none" && unspent > 0n && isEarly(placement, status, closedAt)
}

export const doubtOf = ({ order, status }: Placement): string =>
  `the venue ended order ${order?.id} early (${status}); a new one is placed if this is unchanged for ten minutes`

/** The end was doubtful when the cancel was requested: only the venue's answer to the cancel settles it. */
export const isToBeCancelled = ({ cancel, closedAt, state }: Placement): boolean =>
  state === "closing" && cancel !== undefined && closedAt !== undefined && cancel.requestedAt >= closedAt

const farewells: ReadonlySet<string> = new Set(["kill-switch", "leaving"])

/**
 * Its end was asked for, or it is a swap, so what comes back would be spent at once: a second read, later than any view is old, must
 * show it too.
 */
const isUnconfirmed = ({ by, cancel, closedAt }: Placement, status: string, now: number): boolean =>
  (by === "swap" || (cancel !== undefined && !farewells.has(cancel.why.code))) &&
  isTerminal(status) &&
  status !== "FILLED" &&
  (closedAt === undefined || elapsedMillis(closedAt, now) < believedAfterMillis.end)

export const isUnproven = (
  placement: Placement,
  status: string,
  now: number,
  paused: StrategyState["paused"]
): boolean => {
  const { cancel, closedAt = now, state } = placement
  if (isUnconfirmed(placement, status, now)) return true
  if (isToBeCancelled(placement)) return cancel?.attempts === 0
  if (state === "closing" ? !isEndUnbelieved(placement) : !isEarly(placement, status, now)) return false
  // A clock that went back says nothing of how long it has been.
  return paused?.limit === pauseCode || now - closedAt < believedAfterMillis.earlyEnd
}
