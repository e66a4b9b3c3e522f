/**
 * The list of unfinished orders of a credential, read once for all accounts of this process that trade by it: the venue lists the orders
 * of all of them, so that each would read those of all others as well. An account is answered with its own orders, out of a read that
 * began after it had asked: what it concludes from an order that is not there is as true as if it had read the list itself.
 *
 * Reads begin no faster than their pages would alone, so a credential's rate does not grow with the number of its accounts.
 */
import { Deferred, Effect, Queue, Stream } from "effect"
import type { MoneyPlaces } from "../../domain/MoneyPath.ts"
import type { Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import type { Venue } from "../../venue/Venue.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import { orderPages } from "../tracking/OrderReads.ts"

type ListOrders = Venue["Service"]["listOrders"]
type Listed = Effect.Success<ReturnType<ListOrders>>

/** From the begin of one read to that of the next, for each of its pages. */
const perPageMillis = 100
const leastMillis = 1_000
const mostMillis = 60_000

type Places = Pick<MoneyPlaces, "addresses" | "signerId">

/** Whose money an order is, as the venue shows it. */
const partiesOf = ({ recipient, refundTo }: Order): ReadonlySet<string> => new Set([recipient, refundTo])
const partiesIn = ({ addresses, signerId }: Places): ReadonlyArray<string> => [
  ...new Set([signerId, ...(addresses?.recipients.values() ?? []), ...(addresses?.refundTo.values() ?? [])])
]

interface WholeList {
  readonly byParty: ReadonlyMap<string, ReadonlyArray<Order>>
  /** Nobody can tell whose they are: each account looks at them itself. */
  readonly unclear: ReadonlyArray<Order>
  readonly odd: NonNullable<Listed["value"]["odd"]>
  readonly correlationId: string | undefined
  readonly pages: number
}

const read = Effect.fn("SharedOrders.read")(function* (venue: Pick<Venue["Service"], "listOrders">) {
  const pages = yield* Stream.runCollect(orderPages(venue, { unfinishedOnly: true }))
  const byParty = new Map<string, Array<Order>>()
  const unclear: Array<Order> = []
  for (const order of pages.flatMap(({ orders }) => orders)) {
    if (order.unsaid !== undefined) unclear.push(order)
    else
      for (const party of partiesOf(order)) {
        const orders = byParty.get(party)
        if (orders === undefined) byParty.set(party, [order])
        else orders.push(order)
      }
  }
  return {
    byParty,
    unclear,
    odd: pages.flatMap(({ odd = [] }) => odd),
    correlationId: pages[0]?.correlationId,
    pages: pages.length
  } satisfies WholeList
})

/** The newest first, as the venue lists them. */
const ofAccount = ({ byParty, correlationId, odd, unclear }: WholeList, parties: ReadonlyArray<string>): Listed => {
  const own = new Map(parties.flatMap((party) => (byParty.get(party) ?? []).map((order) => [order.id, order] as const)))
  const orders = [...own.values(), ...unclear].toSorted((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0))
  return { value: { orders, ...(odd.length === 0 ? {} : { odd }) }, ...present({ correlationId }) }
}

export interface SharedOrders {
  /** For an account whose money is in these places; what else it wants to see of the list, it asks `alone`. */
  readonly listOf: (places: Places, alone: ListOrders) => ListOrders
}

/** Reads until the scope ends. */
export const make = Effect.fn("SharedOrders.make")(function* (venue: Pick<Venue["Service"], "listOrders">) {
  const asked = yield* Queue.unbounded<Deferred.Deferred<WholeList, VenueError>>()
  const round = Effect.gen(function* () {
    const waiting = yield* Queue.takeAll(asked)
    const exit = yield* Effect.exit(read(venue))
    yield* Effect.forEach(waiting, (each) => Deferred.done(each, exit), { discard: true })
    const pages = exit._tag === "Success" ? exit.value.pages : 1
    yield* Effect.sleep(Math.min(mostMillis, Math.max(leastMillis, pages * perPageMillis)))
  })
  yield* Effect.forkScoped(Effect.forever(round))

  const ask = Effect.gen(function* () {
    const answer = yield* Deferred.make<WholeList, VenueError>()
    yield* Queue.offer(asked, answer)
    return yield* Deferred.await(answer)
  })
  const listOf: SharedOrders["listOf"] = (places, alone) => {
    const parties = partiesIn(places)
    return (query) =>
      query.unfinishedOnly === true && query.statuses === undefined && query.cursor === undefined
        ? Effect.map(ask, (list) => ofAccount(list, parties))
        : alone(query)
  }
  return { listOf }
})
