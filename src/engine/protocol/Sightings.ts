/**
 * Turns an order that the venue shows into events for its placement, by one table in which the first row that holds counts. All code that
 * sees an order asks here: the answers to creating and cancelling, the list, every read, and adoption. Pure.
 */
import type { BotEvent } from "../../domain/BotEvent.ts"
import type { Market } from "../../domain/Market.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import { isFinished } from "../../domain/Placement.ts"
import type { Expectations } from "../EngineSettings.ts"
import { mayBePaidEarlier } from "../state/orders/JournalIntegrity.ts"
import { about, type Placement } from "../state/Placement.ts"
import { asClosing, late } from "../tracking/amounts/Found.ts"
import { adopt, bind, eventsOfFound, isFromOurCreate, type Manner, observe } from "../tracking/OrderTracker.ts"
import { firstOf, type TableRow } from "./TableRow.ts"

/** `cancel`: shown in the answer to a spare order's cancel. `taken in`: its placement is made of it. `look`: shown in any other read. */
export interface Sighting {
  readonly order: Order
  readonly via: "create" | "cancel" | "taken in" | "look"
  readonly correlationId?: string | undefined
  readonly market: Market | undefined
  readonly expected: Expectations | undefined
  readonly manner?: Manner
}

type Known = [placement: Placement, sighting: Sighting]
type Test = (...known: Known) => boolean
type Events = (...known: Known) => ReadonlyArray<BotEvent>
export type SightingRow = TableRow<Sighting["via"], Known, Events>

const isOwn: Test = ({ order }, sighting) => order?.id === sighting.order.id
const isOver: Test = ({ state }) => isFinished(state)
const isUnbound: Test = ({ state }) => state === "planned" || state === "creating"
const hasMoney: Test = (_, { order }) => order.depositedAmount > 0n
const isEmpty: Test = (...known) => !hasMoney(...known)
const isSpare: Test = ({ spares }, { order }) => spares.has(order.id)
/** Nothing shows that the order comes from our create, so it is never bound, adopted, funded or cancelled. */
const isStrange: Test = (placement, { market, order }) =>
  market === undefined ||
  (placement.createAttempts === 0 && !mayBePaidEarlier(placement)) ||
  !isFromOurCreate(placement, market, order)
/** The journal has lost that the order was created or paid. */
const isForgotten: Test = (...known) => known[0].state === "planned" || hasMoney(...known)
const holdsNone: Test = ({ deposited }) => deposited === 0n
const isLeaving: Test = (_, { order: { fillStatus } }) => fillStatus === "PENDING_CANCEL" || isTerminal(fillStatus)

const nothing: Events = () => []
const observeLate: Events = (placement, { correlationId, manner, order }) =>
  late(placement, observe(asClosing(placement), order, correlationId, manner))
const bound: Events = (placement, { correlationId, expected, market, order, via }) =>
  market === undefined || expected === undefined
    ? []
    : bind(placement, market, order, expected, via === "create" ? "reply" : "list", correlationId)
const askedIn = ({ expected, market }: Sighting) => market && expected && { market, expected }
const lost: Events = (placement, sighting) => eventsOfFound(placement, sighting.order, askedIn(sighting))
const adopted: Events = (placement, sighting) => adopt(placement, sighting.order, askedIn(sighting))
const spare =
  (_tag: "OrphanSeen" | "OrphanCancelled"): Events =>
  (placement, { order }) => [{ _tag, ...about(placement), orderId: order.id }]

const adoption = ["taken in"] as const
const cancelAnswer = ["cancel"] as const
const createAnswer = ["create"] as const
const report = ["create", "look"] as const

export const rows: ReadonlyArray<SightingRow> = [
  [adoption, "its placement was made of it", [], adopted],
  // A spare order that we cancelled. The own order of a placement that was given up is spare as well.
  [cancelAnswer, "a spare order has the money", [hasMoney, holdsNone], adopted],
  [cancelAnswer, "a spare order leaves", [isLeaving], spare("OrphanCancelled")],
  // The order that the placement is bound to.
  [report, "it is over, and its order is empty", [isOwn, isOver, isEmpty], nothing],
  [report, "its order is shown", [isOwn], observeLate],
  [createAnswer, "its create is answered", [isUnbound], bound],
  // Any other order is recognised by its terms alone.
  [report, "the order is not of its create", [isStrange], nothing],
  [report, "an order is found that the journal has lost", [isUnbound, isForgotten], lost],
  [report, "its order is found", [isUnbound], bound],
  [report, "a twin of its order has the money", [hasMoney, holdsNone], adopted],
  [report, "a spare order is known", [isSpare], nothing],
  [report, "a spare order is shown", [], spare("OrphanSeen")]
]

/** A sighting in no row causes no event, such as a spare order that stays although its cancel was answered. */
export const meaning = (placement: Placement, sighting: Sighting, by = rows): ReadonlyArray<BotEvent> =>
  firstOf(by, sighting.via, placement, sighting)?.(placement, sighting) ?? []
