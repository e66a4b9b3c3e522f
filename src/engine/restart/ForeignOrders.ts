/** Finds orders of the venue that carry this journal's mark (see `Fingerprint`) and have no event in it. */
import { Effect, Stream } from "effect"
import type { Of } from "../../domain/BotEvent.ts"
import { dayMillis, minuteMillis } from "../../domain/Durations.ts"
import { inputAsset, type Market } from "../../domain/Market.ts"
import type { Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import { Journal } from "../../journal/Journal.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { isMarked } from "../tracking/Fingerprint.ts"

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
