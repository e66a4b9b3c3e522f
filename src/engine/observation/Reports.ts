/**
 * Applies one report of an order as soon as it is read, so nothing waits for a read that hangs. Records its news for the placement,
 * reports a settled order that lives on, books a second paid order of one placement, and reports an unreadable entry once.
 */
import { Effect } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { monotonicMillis } from "../../domain/Durations.ts"
import type { Market } from "../../domain/Market.ts"
import { isTerminal, type OddOrder, type Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import type { Answer } from "../../venue/Venue.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import * as Defects from "../Defects.ts"
import { believedAfterMillis, EngineSettings } from "../EngineSettings.ts"
import { meaning } from "../protocol/Sightings.ts"
import * as ForeignOrders from "../restart/ForeignOrders.ts"
import { Bookkeeper, change } from "../state/Bookkeeper.ts"
import { isUnsigned, missingBy, unsignedIn } from "../state/orders/JournalIntegrity.ts"
import { about, type Placement } from "../state/Placement.ts"
import * as TakingBack from "../tracking/amounts/TakingBack.ts"
import { changedReport } from "../tracking/Contradictions.ts"
import { isUnproven } from "../tracking/EarlyEnd.ts"
import { isFromOurCreate, lackingIn, unsaidIn, vanishedIn } from "../tracking/OrderTracker.ts"
import * as Afterlife from "./Afterlife.ts"

/** Most odd entries that one run records, because a hostile list could fill the disk with them. */
const maxOdd = 100

export interface OneLook {
  readonly now: number
  readonly markets: ReadonlyMap<string, Market>
  readonly byOrder: ReadonlyMap<string, string>
  readonly byDeadline: ReadonlyMap<number, string>
}

/**
 * Compares the reports of an order within one process, beside the journal. They show if an order lives on after a reported end, keeps
 * showing less than before, or is denied by the venue while it holds our money. A report may be old, so a single one proves nothing. Times
 * are of the monotonic clock.
 */
export const memoryOf = ({ state, tries: { heldMillis } }: Pick<Bookkeeper["Service"], "state" | "tries">) => {
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

  const isEndUnbelieved = (placement: Placement, { fillStatus }: Order, now: number, monotonic: number): boolean => {
    const shownMillis = heldMillis("ended", placement.id, isTerminal(fillStatus), monotonic)
    const { paused } = state.strategies.get(placement.strategy) ?? {}
    return isUnproven(placement, fillStatus, { now, shownMillis }, paused)
  }

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

export const make = Effect.gen(function* () {
  const books = yield* Bookkeeper
  const { account } = yield* EngineSettings
  const reportMemory = memoryOf(books)
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
    if (reason._tag !== "Rejected" || reason.status !== 404) return
    const now = yield* monotonicMillis
    yield* change(books, placement, (known) =>
      reportMemory.missed(known, now, `${reason.code}: ${reason.text}`, reason.correlationId)
    )
  })

  const ofOwn = (placement: Placement, order: Order, now: number, monotonic: number) => {
    const { events, isAlive } = reportMemory.revived(placement, order, monotonic)
    if (isAlive) books.tries.revive(placement.id)
    const back = reportMemory.shown(placement)
    const manner = {
      insists: reportMemory.insists(placement, order, monotonic),
      isEndUnbelieved: reportMemory.isEndUnbelieved(placement, order, now, monotonic)
    }
    return { events: [...back, ...events], manner }
  }

  const intake = Effect.fnUntraced(function* (report: Answer<Order>, id: string, look: OneLook) {
    const { correlationId, value: order } = report
    const { markets, now } = look
    const monotonic = yield* monotonicMillis
    // A cancel may have been answered beside the turn, so the events are computed from the present state.
    const note = change(books, id, (placement) => {
      const market = markets.get(placement.market)
      const sighting = { order, via: "look", correlationId, market, expected: account } as const
      if (placement.order?.id !== order.id) return meaning(placement, sighting)
      const { events, manner } = ofOwn(placement, order, now, monotonic)
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
