/**
 * Reads the venue's list of unfinished orders. With at least one urgent order for each page, it reads back to the oldest open order.
 * Otherwise a poll reads the newest page, the page of executing orders, and one more page of a round through the whole list. A round
 * reaches every order; orders that it did not show are read individually.
 */
import { Clock, Effect, Option, Stream } from "effect"
import { present } from "../../domain/Present.ts"
import { Venue } from "../../venue/Venue.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { unfinished } from "../state/BotState.ts"
import type { Placement } from "../state/Placement.ts"
import { type Listing, orderPages, pageSize } from "../tracking/OrderReads.ts"
import type { OneLook, Reports } from "./Reports.ts"

const executingStatuses = ["PARTIALLY_FILLED", "FILLED", "PENDING_CANCEL"] as const

export const make = Effect.fnUntraced(function* ({ noteOdd, take }: Reports) {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  let round: { readonly cursor: string; readonly since: number } | undefined
  let missedInRound: ReadonlySet<string> = new Set()

  const noteSeen = (orderId: string, { byOrder }: OneLook, now: number): void => {
    const placement = byOrder.get(orderId)
    if (placement !== undefined) books.tries.note(placement, { listedAt: now })
  }

  const pagesOf = (listing: Listing, look: OneLook) =>
    orderPages(venue, { ...listing, unfinishedOnly: true }).pipe(
      Stream.tap(({ odd = [] }) => Effect.forEach(odd, noteOdd, { discard: true })),
      Stream.mapEffect(
        Effect.fnUntraced(function* ({ correlationId, nextCursor, orders }) {
          const now = yield* Clock.currentTimeMillis
          for (const { id } of orders) noteSeen(id, look, now)
          const correlation = present({ correlationId })
          yield* Effect.forEach(orders, (value) => take({ value, ...correlation }, look), { discard: true })
          return { listed: orders.map(({ id }) => id), next: nextCursor }
        })
      )
    )

  /** Newest first, until the orders are older than `since`; `next` continues after the last page. */
  const newest = Effect.fnUntraced(function* (since: number, look: OneLook) {
    const pages = yield* Stream.runCollect(pagesOf({ since }, look))
    return { listed: new Set(pages.flatMap(({ listed }) => listed)), next: pages.at(-1)?.next }
  })

  const sweep = Effect.fnUntraced(function* (behindNewest: string | undefined, look: OneLook) {
    if (round === undefined && behindNewest !== undefined) round = { cursor: behindNewest, since: look.now }
    if (round === undefined) return []
    const { cursor, since } = round
    // The venue may refuse an old cursor; the next poll then starts another round.
    const page = yield* Stream.runHead(pagesOf({ cursor }, look)).pipe(
      Effect.map(Option.getOrUndefined),
      Effect.catchReason("VenueError", "Rejected", () => Effect.undefined)
    )
    round = page?.next === undefined || page.next === cursor ? undefined : { cursor: page.next, since }
    if (page !== undefined && page.next === undefined) {
      const isMissed = ({ id, order, plannedAt }: Placement) =>
        order !== undefined && plannedAt < since && books.tries.of(id).listedAt < since
      missedInRound = new Set(
        unfinished(books.state).flatMap((placement) => (isMissed(placement) ? [placement.id] : []))
      )
    }
    return page?.listed ?? []
  })

  /** Executing orders and orders in cancellation, from the whole list: they fit one page. */
  const executing = (look: OneLook) =>
    Stream.runHead(pagesOf({ statuses: executingStatuses }, look)).pipe(
      Effect.map(Option.match({ onNone: () => [], onSome: ({ listed }) => listed })),
      Effect.catchReasons("VenueError", { Rejected: unseen, RetryLater: unseen, OutcomeUnknown: unseen })
    )

  const readList = Effect.fnUntraced(function* (
    open: ReadonlyArray<Placement>,
    urgent: ReadonlyArray<Placement>,
    look: OneLook
  ) {
    if (urgent.length >= Math.ceil(open.length / pageSize)) {
      const { listed } = yield* newest(Math.min(...open.map((placement) => placement.plannedAt)), look)
      return { listed, missable: open }
    }
    const unbound = urgent.filter(({ order, by }) => order === undefined && by === undefined)
    const { listed, next } = yield* newest(Math.min(...unbound.map((placement) => placement.plannedAt)), look)
    if (next !== undefined) for (const id of yield* executing(look)) listed.add(id)
    for (const id of yield* sweep(next, look)) listed.add(id)
    // If the newest page is the last one, the list is complete, and orders that it does not show have left it.
    return { listed, missable: next === undefined ? open : urgent }
  })

  const takeMissed = (): ReadonlySet<string> => {
    const missedOrders = missedInRound
    missedInRound = new Set()
    return missedOrders
  }

  return { noteSeen, read: readList, takeMissed }
})

const unseen = () => Effect.succeed<ReadonlyArray<string>>([])
