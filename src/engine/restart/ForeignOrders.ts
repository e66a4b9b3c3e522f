/** Orders of the venue that carry this journal's mark (see `Fingerprint`), and that no event of it is about. */
import { Effect, Stream } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { inputAsset, type Market } from "../../domain/Market.ts"
import type { Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import { Journal } from "../../journal/Journal.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { isMarked } from "../tracking/Fingerprint.ts"

/** Gives those among what the venue lists. */
export const make = Effect.gen(function* () {
  const books = yield* Bookkeeper
  const journal = yield* Journal

  /** The whole journal, read hardly ever: times of events do not tell where to stop, because a clock may have jumped. */
  const known = Effect.gen(function* () {
    const [orders, deadlines] = [new Set<string>(), new Set<number>()]
    const told = journal.events({ tags: ["Planned", "Bound", "OrphanSeen", "JournalBehind"] })
    yield* Stream.runForEach(told, ({ event }) =>
      Effect.sync(() => {
        if (event._tag === "Planned") deadlines.add(event.deadline)
        if (event._tag === "Bound" || event._tag === "OrphanSeen") orders.add(event.orderId)
        // Once it is explained it is not told again; until then a slot may still come to want it.
        if (event._tag === "JournalBehind" && !books.state.integrity.forgotten.has(event.orderId))
          orders.add(event.orderId)
      })
    )
    return ({ deadline, id }: Order) => orders.has(id) || deadlines.has(deadline)
  })

  return (orders: ReadonlyArray<Order>, since: number, now: number) => {
    const { usedDeadlines, mark } = books.state.integrity
    // Clocks differ, and what was under way when the process ended arrives later.
    const made = { notBefore: since - minuteMillis, notAfter: now + minuteMillis }
    const isNew = ({ createdAt = since }: Order) => createdAt >= made.notBefore
    const isOurs = ({ deadline }: Order) =>
      mark !== undefined && isMarked(deadline, mark, made) && !usedDeadlines.has(deadline)
    const unexplained = orders.filter((order) => order.unsaid === undefined && isNew(order) && isOurs(order))
    return unexplained.length === 0
      ? Effect.succeed(unexplained)
      : Effect.map(known, (isKnown) => unexplained.filter((order) => !isKnown(order)))
  }
})

/** What is told of one. */
export const behind = (order: Order, markets: ReadonlyMap<string, Market>): BotEvent => {
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
