/**
 * Applies one report of an order as soon as it is read, so nothing waits for a read that hangs. Records its news for the placement,
 * reports a settled order that lives on, books a second paid order of one placement, and reports an unreadable entry once.
 */
import { Effect } from "effect"
import { monotonicMillis } from "../../domain/Durations.ts"
import type { Market } from "../../domain/Market.ts"
import type { OddOrder, Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import type { Answer } from "../../venue/Venue.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import * as Defects from "../Defects.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { meaning } from "../protocol/Sightings.ts"
import * as ForeignOrders from "../restart/ForeignOrders.ts"
import { Bookkeeper, change } from "../state/Bookkeeper.ts"
import { isUnsigned, missingBy, unsignedIn } from "../state/orders/JournalIntegrity.ts"
import type { Placement } from "../state/Placement.ts"
import { isFromOurCreate, lackingIn, unsaidIn } from "../tracking/OrderTracker.ts"
import * as Afterlife from "./Afterlife.ts"
import * as ReportMemory from "./ReportMemory.ts"

const notFound = 404
/** Most odd entries that one run records, because a hostile list could fill the disk with them. */
const maxOdd = 100

export interface OneLook {
  readonly now: number
  readonly markets: ReadonlyMap<string, Market>
  readonly byOrder: ReadonlyMap<string, string>
  readonly byDeadline: ReadonlyMap<number, string>
}

export const make = Effect.gen(function* () {
  const books = yield* Bookkeeper
  const { account } = yield* EngineSettings
  const reportMemory = ReportMemory.make(books)
  const takeSecond = yield* ForeignOrders.makeSecondOrders
  const noteTwin = yield* ForeignOrders.makeTwinWatch
  const afterlife = yield* Afterlife.make
  const reading = yield* Defects.isolate("the report on")
  const unsignedPlacements = unsignedIn(books.state.placements)
  const knownOdd = new Set<string>()
  const lastFillAt = new Map<string, number>()

  /** If an earlier process paid the order without a record, events are missing. The bot then doubts all unsigned work of that process. */
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

  const ofOwn = (placement: Placement, order: Order, now: number) => {
    const { events, isAlive } = reportMemory.revived(placement, order, now)
    if (isAlive) books.tries.revive(placement.id)
    const back = reportMemory.shown(placement)
    const manner = {
      insists: reportMemory.insists(placement, order, now),
      isEndUnbelieved: reportMemory.isEndUnbelieved(placement, order, now)
    }
    return { events: [...back, ...events], manner }
  }

  const intake = Effect.fnUntraced(function* (report: Answer<Order>, id: string, look: OneLook) {
    const { correlationId, value: order } = report
    const { markets, now } = look
    // A cancel may have been answered beside the turn, so the events are computed from the present state.
    const note = change(books, id, (placement) => {
      const market = markets.get(placement.market)
      const sighting = { order, via: "look", correlationId, market, expected: account } as const
      if (placement.order?.id !== order.id) return meaning(placement, sighting)
      const { events, manner } = ofOwn(placement, order, now)
      return [...events, ...meaning(placement, { ...sighting, manner })]
    })
    const placement = books.state.placements.get(id)
    const market = placement && markets.get(placement.market)
    if (placement === undefined || market === undefined) return yield* note
    if (ForeignOrders.isSecond(placement, market, order)) return yield* takeSecond(placement, market, order)
    if (placement.order?.id === order.id || isFromOurCreate(placement, market, order)) yield* noteCut(placement, order)
    yield* note
  })

  /** `own`: the placement for which the order was read individually. Swaps may share an address and differ by memo. */
  const take = Effect.fnUntraced(function* (report: Answer<Order>, look: OneLook, own?: string) {
    const { value: order } = report
    const ended = books.state.ended.byId.get(order.id)
    if (ended !== undefined) return yield* reading(ended.last.id, afterlife.see(ended, order, look.now))
    const id = own ?? look.byOrder.get(order.id) ?? look.byDeadline.get(order.deadline)
    const placement = id === undefined ? undefined : books.state.placements.get(id)
    const market = placement?.market ?? ""
    for (const { at, updatedAt = at } of order.fills)
      lastFillAt.set(market, Math.max(updatedAt, lastFillAt.get(market) ?? 0))
    const isBound = placement?.order?.id === order.id
    const why = placement !== undefined && isBound ? lackingIn(placement, order) : unsaidIn(order)
    // Our orders are recognised by their terms, so an incomplete report of an unbound order is not used.
    if (isBound || why === undefined)
      yield* id === undefined
        ? reading(order.id, noteTwin(order, look.markets, look.now))
        : reading(id, intake(report, id, look))
    if (why !== undefined) yield* noteOdd({ id: order.id, why })
  })

  return { isDue: afterlife.isDue, noteMissing, noteOdd, take, lastFillAt }
})

export type Reports = Effect.Success<typeof make>
