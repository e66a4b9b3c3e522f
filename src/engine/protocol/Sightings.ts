/**
 * Turns an order that the venue shows into events for its placement, by one table in which the first row that holds counts. All code that
 * sees an order asks here: the answers to creating and cancelling, the list, every read, and adoption. `OrderTracker` computes the new
 * facts of an order; `Silence` handles missing answers. Pure.
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

/**
 * An order as the venue showed it: in the answer to its create, in the answer to the cancel of a spare order, to code that makes a
 * placement of this very order (`taken in`), or elsewhere (`look`).
 */
export interface Sighting {
  readonly order: Order
  readonly via: "create" | "cancel" | "taken in" | "look"
  readonly correlationId?: string | undefined
}

export interface SightingFacts {
  readonly market: Market | undefined
  readonly expected: Expectations | undefined
  readonly manner?: Manner
}

type Told<A> = (placement: Placement, sighting: Sighting, facts: SightingFacts) => A

export interface SightingRow {
  readonly when: string
  readonly holds: Told<boolean>
  readonly events: Told<ReadonlyArray<BotEvent>>
}

const both =
  (...tests: ReadonlyArray<Told<boolean>>): Told<boolean> =>
  (...known) =>
    tests.every((test) => test(...known))

const always = () => true
const isOwn: Told<boolean> = ({ order }, sighting) => order?.id === sighting.order.id
const isOver: Told<boolean> = ({ state }) => isFinished(state)
const isUnbound: Told<boolean> = ({ state }) => state === "planned" || state === "creating"
const hasMoney: Told<boolean> = (_, { order }) => order.depositedAmount > 0n
const isEmpty: Told<boolean> = (...known) => !hasMoney(...known)
const isAnswer: Told<boolean> = (_, { via }) => via === "create"
const isSpare: Told<boolean> = ({ spares }, { order }) => spares.has(order.id)
/** Nothing shows that it comes from our create: it is never bound, adopted, funded or cancelled. */
const isStrange: Told<boolean> = (placement, { order }, { market }) =>
  market === undefined ||
  (placement.createAttempts === 0 && !mayBePaidEarlier(placement)) ||
  !isFromOurCreate(placement, market, order)
/** The journal has lost that it was created, or that it was paid for. */
const isForgotten: Told<boolean> = (...known) => known[0].state === "planned" || hasMoney(...known)
const holdsNone: Told<boolean> = ({ deposited }) => deposited === 0n
const isTakenIn: Told<boolean> = (_, { via }) => via === "taken in"
const wasAsked: Told<boolean> = (_, { via }) => via === "cancel"
const isLeaving: Told<boolean> = (_, { order: { fillStatus } }) =>
  fillStatus === "PENDING_CANCEL" || isTerminal(fillStatus)

const nothing: SightingRow["events"] = () => []
const observeLate: SightingRow["events"] = (placement, { correlationId, order }, { manner }) =>
  late(placement, observe(asClosing(placement), order, correlationId, manner))
const bound: SightingRow["events"] = (placement, { correlationId, order, via }, { expected, market }) =>
  market === undefined || expected === undefined
    ? []
    : bind(placement, market, order, expected, via === "create" ? "reply" : "list", correlationId)
const expectationsOf = ({ expected, market }: SightingFacts) => market && expected && { market, expected }
const lost: SightingRow["events"] = (placement, { order }, facts) =>
  eventsOfFound(placement, order, expectationsOf(facts))
const adopted: SightingRow["events"] = (placement, { order }, facts) => adopt(placement, order, expectationsOf(facts))
const spare =
  (_tag: "OrphanSeen" | "OrphanCancelled"): SightingRow["events"] =>
  (placement, { order }) => [{ _tag, ...about(placement), orderId: order.id }]

const table: ReadonlyArray<readonly [string, Told<boolean>, SightingRow["events"]]> = [
  ["its placement was made of it", isTakenIn, adopted],
  // A spare order that we cancelled. The own order of a placement that was given up is spare as well.
  ["a spare order has the money", both(wasAsked, hasMoney, holdsNone), adopted],
  ["a spare order leaves", both(wasAsked, isLeaving), spare("OrphanCancelled")],
  ["a spare order stays", wasAsked, nothing],
  // The order that the placement is bound to.
  ["it is over, and its order is empty", both(isOwn, isOver, isEmpty), nothing],
  ["its order is shown", isOwn, observeLate],
  ["its create is answered", both(isUnbound, isAnswer), bound],
  // Any other order is recognised by its terms alone.
  ["the order is not of its create", isStrange, nothing],
  ["an order is found that the journal has lost", both(isUnbound, isForgotten), lost],
  ["its order is found", isUnbound, bound],
  ["a twin of its order has the money", both(hasMoney, holdsNone), adopted],
  ["a spare order is known", isSpare, nothing],
  ["a spare order is shown", always, spare("OrphanSeen")]
]

export const rows: ReadonlyArray<SightingRow> = table.map(([when, holds, events]) => ({ when, holds, events }))

export const meaning = (
  placement: Placement,
  sighting: Sighting,
  facts: SightingFacts,
  by = rows
): ReadonlyArray<BotEvent> =>
  by.find(({ holds }) => holds(placement, sighting, facts))?.events(placement, sighting, facts) ?? []
