/**
 * Applies one report of an order as soon as it is read, so nothing waits for a read that hangs. Records its news for the placement,
 * reports a settled order that lives on, books a second paid order of one placement, and reports an unreadable entry once.
 */
import { Effect } from "effect"
import { monotonicMillis } from "../../domain/Durations.ts"
import type { Market } from "../../domain/Market.ts"
import type { OddOrder, Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import * as Defects from "../Defects.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { meaning } from "../protocol/Sightings.ts"
import * as ForeignOrders from "../restart/ForeignOrders.ts"
import * as SecondOrder from "../restart/SecondOrder.ts"
import { Bookkeeper, change } from "../state/Bookkeeper.ts"
import { isUnsigned, missingBy, unsignedIn } from "../state/orders/JournalIntegrity.ts"
import type { Placement } from "../state/Placement.ts"
import { isFromOurCreate, lackingIn, unsaidIn } from "../tracking/OrderTracker.ts"
import * as Afterlife from "./Afterlife.ts"
import * as ReportMemory from "./ReportMemory.ts"

const notFound = 404
/** Most odd entries that one run records; a hostile list could fill the disk with them. */
const maxOdd = 100

export interface OrderReport {
  readonly order: Order
  /** Its placement, if it was read individually: swaps may share an address and differ by memo. */
  readonly placement?: string
  readonly correlationId: string | undefined
}

export interface OneLook {
  readonly now: number
  readonly markets: ReadonlyMap<string, Market>
  readonly byOrder: ReadonlyMap<string, string>
  readonly byDeadline: ReadonlyMap<number, string>
  readonly revived: (key: string) => void
}

export const make = Effect.gen(function* () {
  const books = yield* Bookkeeper
  const { account } = yield* EngineSettings
  const reportMemory = ReportMemory.make(books)
  const takeSecond = yield* SecondOrder.make
  const noteTwin = yield* ForeignOrders.makeTwinWatch
  const afterlife = yield* Afterlife.make
  const reading = yield* Defects.isolate("the report on")
  const unsignedPlacements = unsignedIn(books.state.placements)
  const knownOdd = new Set<string>()
  const lastFillAt = new Map<string, number>()

  /** An earlier process paid the order without a record, so events are missing: the bot doubts all unsigned work of that process. */
  const noteCut = (placement: Placement, order: Order) => {
    const isForgotten = unsignedPlacements.has(placement.id) && isUnsigned(placement) && order.depositedAmount > 0n
    const text = isForgotten ? missingBy(placement, order) : undefined
    return text === undefined ? Effect.void : books.record({ _tag: "JournalCut", text })
  }

  const noteOdd = Effect.fnUntraced(function* ({ id, why }: OddOrder) {
    const key = id ?? why
    if (knownOdd.has(key) || knownOdd.size >= maxOdd) return
    knownOdd.add(key)
    yield* books.record({ _tag: "OddOrderSeen", ...present({ orderId: id }), reason: why })
  })

  const noteMissing = Effect.fnUntraced(function* (placement: string, { reason }: VenueError) {
    if (reason._tag !== "Rejected" || reason.status !== notFound) return
    const now = yield* monotonicMillis
    yield* change(books, placement, (known) =>
      reportMemory.missed(known, now, `${reason.code}: ${reason.text}`, reason.correlationId)
    )
  })

  const ofOwn = (placement: Placement, order: Order, { now, revived }: OneLook) => {
    const { events, isAlive } = reportMemory.revived(placement, order, now)
    if (isAlive) revived(placement.id)
    const back = reportMemory.shown(placement)
    const manner = {
      insists: reportMemory.insists(placement, order, now),
      isEndUnbelieved: reportMemory.isEndUnbelieved(placement, order, now)
    }
    return { events: [...back, ...events], manner }
  }

  const take = (report: OrderReport, look: OneLook) => {
    const { order } = report
    const { byDeadline, byOrder, markets, now, revived } = look
    const ended = books.state.ended.byId.get(order.id)
    if (ended !== undefined) return reading(ended.last.id, afterlife.see(ended, order, now, revived))
    const id = report.placement ?? byOrder.get(order.id) ?? byDeadline.get(order.deadline)
    const knownPlacement = id === undefined ? undefined : books.state.placements.get(id)
    const name = knownPlacement?.market ?? ""
    for (const { at, updatedAt = at } of order.fills)
      lastFillAt.set(name, Math.max(updatedAt, lastFillAt.get(name) ?? 0))
    const isBound = knownPlacement?.order?.id === order.id
    const why = knownPlacement !== undefined && isBound ? lackingIn(knownPlacement, order) : unsaidIn(order)
    const odd = why === undefined ? Effect.void : noteOdd({ id: order.id, why })
    // Our orders are recognised by their terms, so an incomplete report of an unbound order is not used.
    if (!isBound && why !== undefined) return odd
    if (id === undefined) return reading(order.id, noteTwin(order, markets, now))
    // A cancel may have been answered beside the turn, so the events are computed from the present state.
    const noted = change(books, id, (placement) => {
      const sighting = { order, via: "look", correlationId: report.correlationId } as const
      const facts = { market: markets.get(placement.market), expected: account }
      if (placement.order?.id !== order.id) return meaning(placement, sighting, facts)
      const { events, manner } = ofOwn(placement, order, look)
      return [...events, ...meaning(placement, sighting, { ...facts, manner })]
    })
    const intake = Effect.suspend(() => {
      const market = knownPlacement && markets.get(knownPlacement.market)
      if (knownPlacement === undefined || market === undefined) return noted
      if (SecondOrder.isSecond(knownPlacement, market, order)) return takeSecond(knownPlacement, market, order)
      const isOwn = isBound || isFromOurCreate(knownPlacement, market, order)
      return isOwn ? Effect.andThen(noteCut(knownPlacement, order), noted) : noted
    })
    return Effect.andThen(reading(id, intake), odd)
  }

  return { isDue: afterlife.isDue, noteMissing, noteOdd, take, lastFillAt }
})

export type Reports = Effect.Success<typeof make>
