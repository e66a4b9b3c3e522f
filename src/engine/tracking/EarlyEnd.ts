/**
 * Orders that end before their deadline without our cancel: another party cancelled them, or the venue reports a living order as ended.
 * Such an end is believed only after this process has seen it for ten minutes, and not while its strategy is paused for several early ends.
 * Until then the order is read again, its refund counts as on its way, and its slot gets nothing new. A cancel of all orders includes it.
 */
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

/** The end was doubtful when the cancel was requested, so only the venue's answer to the cancel settles it. */
export const isToBeCancelled = ({ cancel, closedAt, state }: Placement): boolean =>
  state === "closing" && cancel !== undefined && closedAt !== undefined && cancel.requestedAt >= closedAt

const farewells: ReadonlySet<string> = new Set(["kill-switch", "leaving"])

/**
 * True for the end of a swap, or an end that we requested. Its refund would be spent at once, so a second read, when no old view is left,
 * must show it too.
 */
const needsConfirmation = ({ by, cancel }: Placement, status: string): boolean =>
  (by === "swap" || (cancel !== undefined && !farewells.has(cancel.why.code))) &&
  isTerminal(status) &&
  status !== "FILLED"

/** `shownMillis`: how long the venue has shown this end to this process. */
export const isUnproven = (
  placement: Placement,
  status: string,
  { now, shownMillis }: { readonly now: number; readonly shownMillis: number },
  paused: StrategyState["paused"]
) => {
  const { cancel, state } = placement
  if (shownMillis < believedAfterMillis.end && needsConfirmation(placement, status)) return true
  if (isToBeCancelled(placement)) return cancel?.attempts === 0
  if (state === "closing" ? !isEndUnbelieved(placement) : !isEarly(placement, status, now)) return false
  return paused?.limit === pauseCode || shownMillis < believedAfterMillis.earlyEnd
}
