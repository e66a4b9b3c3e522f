/** Finds orders that carry this journal's mark (see `Fingerprint`) and no event in it. Takes in a second paid order of one placement. */
import { Effect, Option, Stream } from "effect"
import type { Of } from "../../domain/BotEvent.ts"
import { dayMillis, minuteMillis } from "../../domain/Durations.ts"
import { inputAsset, type Market } from "../../domain/Market.ts"
import type { Order } from "../../domain/Order.ts"
import { slotOfFound } from "../../domain/Placement.ts"
import { present } from "../../domain/Present.ts"
import { Journal } from "../../journal/Journal.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { takeIn } from "../reconciliation/Recovery.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import type { Placement } from "../state/Placement.ts"
import { isMarked } from "../tracking/Fingerprint.ts"
import { isFromOurCreate } from "../tracking/OrderTracker.ts"

export const make = Effect.gen(function* () {
  const books = yield* Bookkeeper
  const journal = yield* Journal

  /** Reads the whole journal, which is rare. Event times do not show where to stop, because a clock may have jumped. */
  const journalIds = Effect.gen(function* () {
    const [orders, deadlines] = [new Set<string>(), new Set<number>()]
    const orderEvents = journal.events({ tags: ["Planned", "Bound", "OrphanSeen", "JournalBehind"] })
    yield* Stream.runForEach(orderEvents, ({ event }) =>
      Effect.sync(() => {
        if (event._tag === "Planned") deadlines.add(event.deadline)
        if (event._tag === "Bound" || event._tag === "OrphanSeen") orders.add(event.orderId)
        // An explained order is not reported again. Until then a slot may still plan it.
        if (event._tag === "JournalBehind" && !books.state.integrity.forgotten.has(event.orderId))
          orders.add(event.orderId)
      })
    )
    return ({ deadline, id }: Order) => orders.has(id) || deadlines.has(deadline)
  })

  return (orders: ReadonlyArray<Order>, since: number, now: number) => {
    const { usedDeadlines, mark } = books.state.integrity
    // Clocks differ, and requests that were under way when the process ended arrive later.
    const timeRange = { notBefore: since - minuteMillis, notAfter: now + minuteMillis }
    const isNew = ({ createdAt = since }: Order) => createdAt >= timeRange.notBefore
    const isOurs = ({ deadline }: Order) =>
      mark !== undefined && !usedDeadlines.has(deadline) && isMarked(deadline, mark, timeRange)
    const unexplained = orders.filter((order) => order.unsaid === undefined && isNew(order) && isOurs(order))
    return unexplained.length === 0
      ? Effect.succeed(unexplained)
      : Effect.map(journalIds, (isKnown) => unexplained.filter((order) => !isKnown(order)))
  }
})

/** The mark of an order that lives this long is practically never a coincidence. With shorter lives, two orders must carry it. */
const distinctiveMillis = 5 * dayMillis

/**
 * Notices another bot that runs with a copy of this journal. Its orders carry the journal's mark, were made since this process started, and
 * belong to none of its placements. Orders of unrelated bots carry the mark only by chance, so most new orders must carry it.
 */
export const makeTwinWatch = Effect.gen(function* () {
  const books = yield* Bookkeeper
  const marked = yield* make
  const ours = new Map<string, Order>()
  const others = new Set<string>()
  return Effect.fnUntraced(function* (order: Order, markets: ReadonlyMap<string, Market>, now: number) {
    const { integrity, runStartedAt } = books.state
    const { createdAt, deadline, id } = order
    const isOld = createdAt === undefined || createdAt < runStartedAt || integrity.usedDeadlines.has(deadline)
    if (isOld || ours.has(id) || others.has(id)) return
    if ((yield* marked([order], runStartedAt, now)).length > 0) ours.set(id, order)
    else others.add(id)
    const isCertain = ours.size > 1 || deadline - createdAt >= distinctiveMillis
    if (!isCertain || ours.size <= others.size) return
    const news = [...ours.values()].filter((each) => !integrity.forgotten.has(each.id))
    yield* books.record(...news.map((each) => ({ ...behind(each, markets), isAnothers: true })))
  })
})

export const behind = (order: Order, markets: ReadonlyMap<string, Market>): Of<"JournalBehind"> => {
  const market = [...markets.values()].find(
    ({ base, quote }) => base.id === order.baseAsset && quote.id === order.quoteAsset
  )
  return {
    _tag: "JournalBehind",
    orderId: order.id,
    depositAddress: order.depositAddress,
    market: market?.name ?? `${order.baseAsset}/${order.quoteAsset}`,
    asset: market === undefined ? order.originAsset : inputAsset(market, order.side).symbol,
    amount: order.inputAmount,
    deposited: order.depositedAmount,
    status: order.fillStatus,
    ...present({ createdAt: order.createdAt })
  }
}

/**
 * A second paid order of one placement: an older copy of the journal was continued, and each process paid an order with the same
 * fingerprint. Neither replaces the other. The placement keeps its own order and is contradicted. The other becomes a placement in a slot
 * of its own, which no strategy plans, so it is cancelled and its money comes back.
 */
export const isSecond = (placement: Placement, market: Market, order: Order): boolean =>
  placement.funding !== undefined &&
  placement.order !== undefined &&
  placement.order.id !== order.id &&
  order.depositedAmount > 0n &&
  order.unsaid === undefined &&
  isFromOurCreate(placement, market, order)

export const makeSecondOrders = Effect.gen(function* () {
  const books = yield* Bookkeeper
  const journal = yield* Journal
  const settings = yield* EngineSettings

  /** The order may be settled and dropped from memory, so the journal is read for it, which is rare. */
  const isKnown = (order: Order) =>
    journal.events({ tags: ["Bound"] }).pipe(
      Stream.filter(({ event }) => event._tag === "Bound" && event.orderId === order.id),
      Stream.runHead,
      Effect.map(Option.isSome)
    )

  return Effect.fn("ForeignOrders.takeSecond")(function* (placement: Placement, market: Market, order: Order) {
    if (yield* isKnown(order)) return
    const { contradiction, id, slot, strategy, terms } = placement
    const what = `orders ${placement.order?.id} and ${order.id} have the same fingerprint, and both were paid`
    const evidence = `deposited ${order.depositedAmount}, status ${order.fillStatus}`
    if (contradiction === undefined)
      yield* books.recordIfFits({ _tag: "Contradiction", strategy, slot, placement: id, what, evidence })
    const because = `an earlier process that this journal does not know paid it as well as ${placement.order?.id}`
    const secondOrder = { order, market, strategy, slot: slotOfFound(order.id), because, asked: settings.account }
    yield* Effect.provideService(takeIn({ ...secondOrder, ...present({ terms }) }), Bookkeeper, books)
  })
})
