/** The two ways to read orders: individually, and the venue's list as a stream of pages. */
import { Effect, Option, Stream } from "effect"
import type { KnownFillStatus, Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import type { Venue } from "../../venue/Venue.ts"
import type { BoundOrder } from "../state/Placement.ts"

/** The venue's limit for one page. */
export const pageSize = 50
/** A list with more pages never ends. The list of all accounts of a credential is long. */
const maxPages = 2_000
const maxPagesOfAll = 100_000
/** Clocks may differ, and the venue may date an order before we sent it. */
const clockSkewMillis = 60_000

export interface Listing {
  readonly unfinishedOnly?: boolean
  readonly statuses?: ReadonlyArray<KnownFillStatus>
  readonly cursor?: string | undefined
  /** Epoch milliseconds: a page that reaches further back is the last. */
  readonly since?: number
  readonly parties?: ReadonlySet<string>
}

/**
 * Reads pages, newest first. The stream ends with the list, at orders older than asked for, or at a page that shows nothing new. It also
 * ends if the venue refuses its own cursor; the pages before stay valid.
 */
export const orderPages = (
  venue: Pick<Venue["Service"], "listOrders">,
  { since = Number.NEGATIVE_INFINITY, cursor: start, ...query }: Listing = {}
) =>
  Stream.suspend(() => {
    const most = query.parties === undefined ? maxPages : maxPagesOfAll
    const listQuery = { ...query, ...(Number.isFinite(since) ? { since } : {}) }
    const seenIds = new Set<string>()
    let pages = 0
    const pageBehind = Effect.fnUntraced(function* (cursor: string | undefined) {
      const answer = yield* Effect.result(venue.listOrders({ ...listQuery, ...present({ cursor }) }))
      if (answer._tag === "Failure") {
        if (pages > 0 && answer.failure.reason._tag === "Rejected") return [[], Option.none<string>()] as const
        return yield* answer.failure
      }
      const { value, correlationId } = answer.success
      const { nextCursor, orders, others = [] } = value
      const pageOrders = [...orders, ...others]
      const isNew = pageOrders.some(({ id }) => !seenIds.has(id))
      for (const { id } of pageOrders) seenIds.add(id)
      // The date of one order may be missing or wrong; it must not hide the orders behind it.
      const older = pageOrders.filter(({ createdAt = since }) => createdAt < since - clockSkewMillis).length
      const isOldEnough = older > 1 || (older === 1 && pageOrders.length === 1)
      pages += 1
      const isLast = nextCursor === undefined || !isNew || isOldEnough || pages === most
      return [[{ ...value, correlationId }], isLast ? Option.none() : Option.some(nextCursor)] as const
    })
    return Stream.paginate(start, pageBehind)
  })

/** True if the order pays or refunds one of these parties, or lacks a term, so that it may be ours. Other accounts may share the list. */
export const concerns = (parties: ReadonlySet<string>, { recipient, refundTo, unsaid }: Order): boolean =>
  unsaid !== undefined || parties.has(recipient) || parties.has(refundTo)

export const readOrder = (
  venue: Venue["Service"],
  by: "swap" | undefined,
  { id, depositAddress, depositMemo }: Pick<BoundOrder, "id" | "depositAddress" | "depositMemo">
) => (by === "swap" ? venue.getSwap(depositAddress, depositMemo) : venue.getOrder(id))
