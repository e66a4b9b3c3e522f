/**
 * Decides which orders must leave the market now, by a table in which the first row that holds counts. It runs beside the turns and apart
 * from `Due`. A cancel needs only the journal and the venue, so cancelling works when everything else fails. Each order is decided alone,
 * so none waits for another. A cancel is repeated until the venue says that the order has ended; repeating does no harm. Pure.
 */
import { isFinished } from "../../domain/Placement.ts"
import { backoffMillis, type Settings } from "../EngineSettings.ts"
import type { BotState } from "../state/BotState.ts"
import { mayHoldMoney } from "../state/orders/JournalIntegrity.ts"
import type { Placement } from "../state/Placement.ts"
import { lifeOf, type Sent, type Tries } from "../state/process/Tries.ts"
import { isEndUnbelieved, isToBeCancelled } from "../tracking/EarlyEnd.ts"
import { firstOf, type TableRow } from "./TableRow.ts"

/** One of our orders at the venue: the order of a placement, an inert spare order with its fingerprint, or one without a placement. */
export type OrderThere =
  | { readonly which: "own" | "spare"; readonly orderId: string; readonly placement: Placement }
  | { readonly which: "other"; readonly orderId: string; readonly placement?: undefined }

export interface CancelFacts {
  readonly now: number
  readonly settings: Settings
  readonly isKilled: boolean
  readonly isUnrecorded: boolean
  readonly underWay: ReadonlySet<string>
  readonly hurriedAt: number
}

type Test = (order: OrderThere, facts: CancelFacts, tries: Tries) => boolean

export type CancelRow = TableRow<OrderThere["which"], Parameters<Test>, "wait" | "cancel">

/** Under the kill switch a cancel without a clear answer is repeated at least this often. */
const urgentPauseMillis = 5_000

const sentOf = ({ orderId, placement, which }: OrderThere, { cancelled, spare }: Tries): Sent | undefined => {
  if (which !== "own") return which === "spare" ? spare.get(orderId) : cancelled
  const { cancel } = placement
  return cancel && { attempts: cancel.attempts, at: cancel.lastSentAt }
}

/** A clock that went back, and failures from before the venue came back, must not delay a cancel. */
const isTooSoon: Test = (order, { hurriedAt, isKilled, now, settings }, tries) => {
  const lastCancel = sentOf(order, tries)
  if (lastCancel === undefined) return false
  const isRefused = order.which === "own" && tries.isRefused
  const backoff = backoffMillis(settings, lastCancel.attempts)
  const pause = isKilled && !isRefused ? Math.min(backoff, urgentPauseMillis) : backoff
  const waited = now - lastCancel.at
  return waited >= 0 && waited < pause && (isRefused || lastCancel.at >= hurriedAt)
}

const isUnderWay: Test = ({ orderId }, { underWay }) => underWay.has(orderId)
const isSwap: Test = ({ placement }) => placement?.by === "swap"
/** An ended order is still cancelled if it is shown alive, if its end is not believed, or if the cancel was requested after its end. */
const isOver: Test = ({ placement }, _, { isAlive }) => {
  if (placement?.state !== "closing") return placement !== undefined && isFinished(placement.state)
  return !isAlive && !isEndUnbelieved(placement) && !isToBeCancelled(placement)
}
const hasLeft: Test = ({ orderId, placement }, _, { endedLife }) => endedLife === lifeOf(orderId, placement)
const isUnrecorded: Test = (_, facts) => facts.isUnrecorded
const isUnkilled: Test = (_, { isKilled }) => !isKilled
const isCancelUnrequested: Test = ({ placement }) => placement?.cancel === undefined
const isUnpaid: Test = ({ placement }) => placement !== undefined && !mayHoldMoney(placement)

const own = ["own"] as const
const spare = ["spare"] as const
const other = ["other"] as const
const mayRest = ["own", "other"] as const
const all = ["own", "spare", "other"] as const

export const rows: ReadonlyArray<CancelRow> = [
  [all, "its cancel has no answer yet", [isUnderWay], "wait"],
  [own, "a swap ends without a cancel, and soon", [isSwap], "wait"],
  [own, "it is over", [isOver], "wait"],
  [mayRest, "a cancel has ended it", [hasLeft], "wait"],
  [other, "only the kill switch cancels orders without a placement", [isUnkilled], "wait"],
  // An unrecorded cancel does no harm, and the venue reports the end of its order.
  [mayRest, "it may be open, and nothing can be recorded", [isUnrecorded], "cancel"],
  [spare, "it is inert, and nothing can be recorded", [isUnrecorded], "wait"],
  [own, "no cancel is requested", [isCancelUnrequested], "wait"],
  [own, "none of our money can be in it", [isUnpaid], "wait"],
  [all, "it was requested recently", [isTooSoon], "wait"],
  [all, "it is to leave", [], "cancel"]
]

export const dueCancel = (order: OrderThere, tries: Tries, facts: CancelFacts, by = rows): "wait" | "cancel" =>
  firstOf(by, order.which, order, facts, tries) ?? "wait"

export const ordersOf = (placement: Placement): ReadonlyArray<OrderThere> => {
  const { order, spares } = placement
  const spare = [...spares].flatMap(([orderId, isCancelled]) => (isCancelled ? [] : [orderId]))
  return [
    ...(order === undefined ? [] : [{ which: "own", orderId: order.id, placement } as const]),
    ...spare.map((orderId) => ({ which: "spare", orderId, placement }) as const)
  ]
}

export const othersIn = ({ ended, integrity }: BotState): ReadonlyArray<OrderThere> =>
  [...integrity.forgotten.keys(), ...ended.alive].map((orderId) => ({ which: "other", orderId }))
