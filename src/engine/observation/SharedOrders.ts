/**
 * Reads the lists of a credential's orders once for all accounts of this process that use it, because the venue lists the orders of all of
 * them together. An account gets its orders from a read that began after its request, so a missing order proves as much as in its own read.
 *
 * Two lists are shared: the unfinished orders, and, after a start, all orders created since some time. Reads begin no faster than their
 * pages would alone, so a credential's rate does not grow with the number of its accounts.
 */
import { Deferred, Effect, Queue, Stream } from "effect"
import type { MoneyPlaces } from "../../domain/MoneyPath.ts"
import type { OddOrder, Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import type { Venue } from "../../venue/Venue.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import { type Listing, orderPages } from "../tracking/OrderReads.ts"

type ListOrders = Venue["Service"]["listOrders"]
type Listed = Effect.Success<ReturnType<ListOrders>>
type Lister = Pick<Venue["Service"], "listOrders">

const perPageMillis = 100
const minMillis = 1_000
const maxMillis = 60_000

type Places = Pick<MoneyPlaces, "addresses" | "signerId">

const partiesOf = ({ recipient, refundTo }: Order): ReadonlySet<string> => new Set([recipient, refundTo])

/** The account and its addresses: each of its orders pays and refunds only these. */
export const partiesIn = ({ addresses, signerId }: Places): ReadonlyArray<string> => [
  ...new Set([signerId, ...(addresses?.recipients.values() ?? []), ...(addresses?.refundTo.values() ?? [])])
]

type WholeList = Effect.Success<ReturnType<typeof readListing>>

const readListing = Effect.fn("SharedOrders.read")(function* (venue: Lister, listing: Listing) {
  const byParty = new Map<string, Array<Order>>()
  const unclear: Array<Order> = []
  const odd: Array<OddOrder> = []
  let pages = 0
  let correlationId: string | undefined
  yield* Stream.runForEach(orderPages(venue, listing), (page) =>
    Effect.sync(() => {
      pages += 1
      correlationId ??= page.correlationId
      odd.push(...(page.odd ?? []))
      for (const order of page.orders) {
        if (order.unsaid !== undefined) unclear.push(order)
        else
          for (const party of partiesOf(order)) {
            const orders = byParty.get(party)
            if (orders === undefined) byParty.set(party, [order])
            else orders.push(order)
          }
      }
    })
  )
  return { byParty, unclear, odd, correlationId, pages }
})

const ofAccount = ({ byParty, correlationId, odd, unclear }: WholeList, parties: ReadonlyArray<string>): Listed => {
  const own = new Map(parties.flatMap((party) => (byParty.get(party) ?? []).map((order) => [order.id, order] as const)))
  const orders = [...own.values(), ...unclear].toSorted((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0))
  return { value: { orders, ...(odd.length === 0 ? {} : { odd }) }, ...present({ correlationId }) }
}

interface Asking {
  readonly parties: ReadonlyArray<string>
  readonly since: number
  readonly answer: Deferred.Deferred<WholeList, VenueError>
}

const readerOf = Effect.fnUntraced(function* (venue: Lister, unfinishedOnly: boolean) {
  const requests = yield* Queue.unbounded<Asking>()
  const round = Effect.gen(function* () {
    const waiting = yield* Queue.takeAll(requests)
    const since = waiting.reduce((least, each) => Math.min(least, each.since), Number.POSITIVE_INFINITY)
    const parties = new Set(waiting.flatMap((each) => each.parties))
    const exit = yield* Effect.exit(
      readListing(venue, { parties, ...(unfinishedOnly ? { unfinishedOnly } : { since }) })
    )
    yield* Effect.forEach(waiting, ({ answer }) => Deferred.done(answer, exit), { discard: true })
    const pages = exit._tag === "Success" ? exit.value.pages : 1
    yield* Effect.sleep(Math.min(maxMillis, Math.max(minMillis, pages * perPageMillis)))
  })
  yield* Effect.forkScoped(Effect.forever(round))

  return Effect.fnUntraced(function* (parties: ReadonlyArray<string>, since = Number.NEGATIVE_INFINITY) {
    const answer = yield* Deferred.make<WholeList, VenueError>()
    yield* Queue.offer(requests, { parties, since, answer })
    return ofAccount(yield* Deferred.await(answer), parties)
  })
})

export const make = Effect.fn("SharedOrders.make")(function* (venue: Lister) {
  const [unfinished, created] = [yield* readerOf(venue, true), yield* readerOf(venue, false)]
  /** Returns the list for an account whose money is in these places. It passes all other queries to `alone`. */
  const listOf = (places: Places, alone: ListOrders): ListOrders => {
    const parties = partiesIn(places)
    return (query) => {
      if (query.statuses !== undefined || query.cursor !== undefined) return alone(query)
      if (query.unfinishedOnly === true) return unfinished(parties)
      return query.since === undefined ? alone(query) : created(parties, query.since)
    }
  }
  return { listOf }
})
