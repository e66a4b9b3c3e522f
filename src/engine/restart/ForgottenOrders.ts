/**
 * Asks the venue after a start, before anything new begins, for orders of this journal that the journal does not know. They carry its mark
 * (see `Fingerprint`), so the orders of other bots are left alone. An order that a slot plans now, and that its strategy has the money for,
 * is taken back into that slot. Any other is reported, and nothing is funded until the operator has explained it, or the venue has ended it
 * without money. Orders of another bot carry the mark by chance, most often where orders live for minutes; their money is not ours.
 *
 * Placements that an earlier process began without a recorded signature wait as well. If the venue shows their fingerprint on an order that
 * the journal never created or paid, events are missing, and the placements are doubted (see `JournalIntegrity`).
 *
 * A list may lag. If events can be missing, it counts only when read as long after the start as an order may take to show.
 */
import { Clock, Context, Effect, Layer, Stream } from "effect"
import { elapsedMillis } from "../../domain/Durations.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { inputAsset, type Market } from "../../domain/Market.ts"
import { isTerminal, type Order, type OrderTerms } from "../../domain/Order.ts"
import { recovered, slotOfFound } from "../../domain/Placement.ts"
import { present } from "../../domain/Present.ts"
import type { DesiredOrder } from "../../strategy/Decision.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { Venue } from "../../venue/Venue.ts"
import { EngineInputs, EngineSettings } from "../EngineSettings.ts"
import { takeIn } from "../reconciliation/Recovery.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { unfinishedOf } from "../state/BotState.ts"
import { isUnsigned, missingBy, unsignedIn } from "../state/orders/JournalIntegrity.ts"
import type { Placement } from "../state/Placement.ts"
import { slotKey } from "../state/SlotFold.ts"
import { orderPages } from "../tracking/OrderReads.ts"
import { hasTerms, isFromOurCreate } from "../tracking/OrderTracker.ts"
import * as ForeignOrders from "./ForeignOrders.ts"

interface PlannedSlot {
  readonly strategy: string
  readonly terms: OrderTerms | undefined
  readonly desired: DesiredOrder
  readonly market: Market
}

const make = Effect.gen(function* () {
  const { markets } = yield* EngineInputs
  const books = yield* Bookkeeper
  const venue = yield* Venue
  const settings = yield* EngineSettings
  const plannedSlots = new Map<string, PlannedSlot>()
  let isAsked = books.state.integrity.uncheckedSince === undefined
  const unsignedPlacements = unsignedIn(books.state.placements)
  const foreignOrders = yield* ForeignOrders.make
  let askedAt = Number.NEGATIVE_INFINITY

  const mayBegin = (): boolean => isAsked && books.state.integrity.forgotten.size === 0

  const admits = (strategy: Strategy, desired: DesiredOrder): boolean => {
    if (mayBegin()) return true
    const key = slotKey(strategy.name, desired.slot)
    const { market, name, terms } = strategy
    plannedSlots.set(key, { strategy: name, terms, desired, market: desired.market ?? market })
    return false
  }

  const mayContinue = ({ id }: Placement): boolean => isAsked || !unsignedPlacements.has(id)

  const begunBefore = (): ReadonlyArray<Placement> =>
    [...unsignedPlacements].flatMap((id) => {
      const placement = books.state.placements.get(id)
      return placement !== undefined && isUnsigned(placement) ? [placement] : []
    })

  const isFree = ({ desired, strategy }: PlannedSlot): boolean =>
    unfinishedOf(books.state, strategy).every(({ slot }) => slot !== desired.slot)

  const isPaidBy = ({ desired, market, strategy }: PlannedSlot, { depositedAmount }: Order): boolean =>
    depositedAmount <= Ledger.freeOf(books.state.ledger, strategy, inputAsset(market, desired.side).symbol)

  const takeBack = Effect.fnUntraced(function* (order: Order) {
    const plannedSlot = [...plannedSlots.values()].find((each) => {
      const isPlanned = each.desired.by === undefined && hasTerms(each.desired, each.market, order)
      return isPlanned && isFree(each) && isPaidBy(each, order)
    })
    if (plannedSlot !== undefined) {
      const { desired, market, strategy, terms } = plannedSlot
      const because = "it was missing in the journal, and its slot plans it"
      const slot = { strategy, slot: desired.slot, ...present({ terms }) }
      const forgottenOrder = { order, market, ...slot, because, asked: settings.account }
      yield* Effect.provideService(takeIn(forgottenOrder), Bookkeeper, books)
    } else if (!books.state.integrity.forgotten.has(order.id)) yield* books.record(ForeignOrders.behind(order, markets))
  })

  const lookAgain = Effect.fnUntraced(function* () {
    for (const { orderId } of books.state.integrity.forgotten.values()) {
      const orderResult = yield* Effect.result(venue.getOrder(orderId))
      if (orderResult._tag === "Failure") continue
      const { depositedAmount, fillStatus } = orderResult.success.value
      if (!isTerminal(fillStatus) || depositedAmount > 0n) continue
      const text = `the venue ended it without money (${fillStatus})`
      const slot = slotOfFound(orderId)
      yield* books.record({ _tag: "Resolved", strategy: recovered, slot, placement: orderId, word: "forget", text })
    }
  })

  /**
   * Asks the venue if it is time. Runs after strategies were planned, so that `plannedSlots` has their orders. Returns true if orders that
   * had to wait may begin now. Fails with the read of the list or with the journal.
   */
  const look = Effect.fn("ForgottenOrders.look")(function* () {
    if (mayBegin()) return false
    const now = yield* Clock.currentTimeMillis
    if (isAsked && elapsedMillis(askedAt, now) < settings.retryMaxMillis) return false
    askedAt = now
    const { runStartedAt, integrity } = books.state
    const since = integrity.uncheckedSince
    if (since !== undefined && !isAsked) {
      const earliest = Math.min(since, ...begunBefore().map(({ plannedAt }) => plannedAt))
      const pages = yield* Stream.runCollect(orderPages(venue, { since: earliest }))
      const orders = pages.flatMap((page) => page.orders)
      const text = missing(begunBefore(), orders, markets)
      if (text !== undefined) yield* books.record({ _tag: "JournalCut", text })
      for (const order of yield* foreignOrders(orders, since, now)) yield* takeBack(order)
      isAsked = !integrity.isTorn || elapsedMillis(runStartedAt, now) >= settings.visibilityMillis
    } else yield* lookAgain()
    if (!mayBegin() || plannedSlots.size === 0) return false
    plannedSlots.clear()
    return true
  })

  return { admits, mayContinue, look }
})

export class ForgottenOrders extends Context.Service<ForgottenOrders>()("limitbot/engine/restart/ForgottenOrders", {
  make
}) {
  static readonly layer = Layer.effect(this, make)
}

const missing = (
  begun: ReadonlyArray<Placement>,
  orders: ReadonlyArray<Order>,
  markets: ReadonlyMap<string, Market>
): string | undefined => {
  for (const placement of begun) {
    const market = markets.get(placement.market)
    const order = orders.find((each) => market !== undefined && isFromOurCreate(placement, market, each))
    const text = order && missingBy(placement, order)
    if (text !== undefined) return text
  }
  return undefined
}
