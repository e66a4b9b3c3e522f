/**
 * One poll of the venue's orders: the list of unfinished ones, then individual reads of our orders that it did not show. An order that is
 * *not* seen causes no event, because silence proves nothing.
 *
 * A failed read stays small: an odd list entry is reported once, and an order whose read fails is read again next time. Without the list,
 * the orders are read one by one. The first poll reads everything. Later ones read orders whose money moves or whose price is near, and as
 * much more as `OrderList` says.
 */
import { Clock, Effect } from "effect"
import { elapsedMillis } from "../../domain/Durations.ts"
import type { Market, TwoSidedPrice } from "../../domain/Market.ts"
import type { JournalError } from "../../journal/Journal.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { perEvent, unfinished } from "../state/BotState.ts"
import type { Placement } from "../state/Placement.ts"
import { pageSize } from "../tracking/OrderReads.ts"
import * as Afterlife from "./Afterlife.ts"
import * as OrderList from "./OrderList.ts"
import { isMoving, isWithinReach, midsOf } from "./PollPlan.ts"
import * as Reports from "./Reports.ts"
import * as SingleReads from "./SingleReads.ts"

export const make = Effect.gen(function* () {
  const books = yield* Bookkeeper
  const reports = yield* Reports.make
  const list = yield* OrderList.make(reports)
  const single = yield* SingleReads.make(reports)
  const secondLook = yield* Afterlife.makeSecondLook
  let lookedAt = Number.NEGATIVE_INFINITY

  const readOrders = Effect.fnUntraced(function* (
    open: ReadonlyArray<Placement>,
    prices: ReadonlyMap<string, TwoSidedPrice>,
    look: Reports.OneLook,
    onListFailure: (problem: string) => Effect.Effect<void, JournalError>
  ) {
    const { now } = look
    const doubtful = list.takeMissed()
    const mids = midsOf(prices)
    const sinceMillis = elapsedMillis(lookedAt, now)
    const urgent = open.filter(
      (placement) =>
        isMoving(placement, now) ||
        doubtful.has(placement.id) ||
        now >= placement.deadline ||
        isWithinReach(placement.price, mids.get(placement.market), sinceMillis)
    )
    const result = yield* Effect.flatMap(Effect.result(list.read(open, urgent, look)), SingleReads.unlessFatal)
    if (result._tag === "Success") {
      const { listed, missable } = result.success
      return (yield* single.read(missable, listed, look)).problem
    }
    yield* onListFailure(result.failure.message)
    const others = open
      .filter((placement) => !urgent.includes(placement))
      .toSorted((one, other) => books.tries.of(one.id).listedAt - books.tries.of(other.id).listedAt)
    const { shown } = yield* single.read([...urgent, ...others].slice(0, pageSize), new Set(), look)
    for (const id of shown) list.noteSeen(id, look, now)
    return result.failure.message
  })

  /**
   * Polls once. `prices` has the last price of each market. Returns the reason if the venue could not be read. `onListFailure` gets the
   * reason at once, because the individual reads that follow may take long.
   */
  const look = Effect.fn("Observation.look")(function* (
    markets: ReadonlyMap<string, Market>,
    prices: ReadonlyMap<string, TwoSidedPrice>,
    onListFailure: (problem: string) => Effect.Effect<void, JournalError> = () => Effect.void
  ) {
    const { placements } = books.state
    const open = unfinished(books.state)
    const now = yield* Clock.currentTimeMillis
    const unpaid = single.unpaid(now)
    const isIdle = open.length === 0 && unpaid.length === 0 && !hasSpares(placements)
    if (isIdle && !reports.isDue(lookedAt, now) && !secondLook.isDue(now)) return undefined
    const thisLook = { now, markets, byOrder: idsByOrder(books.state), byDeadline: idsByDeadline(books.state) }
    const problem = yield* readOrders(open, prices, thisLook, onListFailure)
    for (const { id } of unpaid) books.tries.note(id, { unpaidReadAt: now })
    yield* single.read(unpaid, new Set(), thisLook)
    yield* secondLook.look(now)
    if (problem === undefined) lookedAt = now
    return problem
  })

  return { look, lastFillAt: reports.lastFillAt }
})

const idsByOrder = perEvent((state) => {
  const ids = new Map<string, string>()
  for (const { id, order } of unfinished(state)) if (order !== undefined) ids.set(order.id, id)
  return ids
})

const idsByDeadline = perEvent(({ placements }) => {
  const ids = new Map<number, string>()
  for (const { by, deadline, id } of placements.values()) if (by === undefined) ids.set(deadline, id)
  return ids
})

const hasSpares = (placements: ReadonlyMap<string, Placement>): boolean =>
  [...placements.values()].some((placement) => [...placement.spares.values()].some((cancelled) => !cancelled))
