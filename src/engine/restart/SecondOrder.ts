/**
 * A second paid order of one placement: an older copy of the journal was continued, and each process paid an order with the same
 * fingerprint. Neither replaces the other. The placement keeps its own order and is contradicted. The other becomes a placement in a slot
 * of its own, which no strategy plans, so it is cancelled and its money comes back.
 */
import { Effect, Option, Stream } from "effect"
import type { Market } from "../../domain/Market.ts"
import type { Order } from "../../domain/Order.ts"
import { slotOfFound } from "../../domain/Placement.ts"
import { present } from "../../domain/Present.ts"
import { Journal } from "../../journal/Journal.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { adopt } from "../reconciliation/Adoption.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import type { Placement } from "../state/Placement.ts"
import { isFromOurCreate } from "../tracking/OrderTracker.ts"

export const isSecond = (placement: Placement, market: Market, order: Order): boolean =>
  placement.funding !== undefined &&
  placement.order !== undefined &&
  placement.order.id !== order.id &&
  order.depositedAmount > 0n &&
  order.unsaid === undefined &&
  isFromOurCreate(placement, market, order)

export const make = Effect.gen(function* () {
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

  return Effect.fn("SecondOrder.take")(function* (placement: Placement, market: Market, order: Order) {
    if (yield* isKnown(order)) return
    const { contradiction, id, slot, strategy, terms } = placement
    const what = `orders ${placement.order?.id} and ${order.id} have the same fingerprint, and both were paid`
    const evidence = `deposited ${order.depositedAmount}, status ${order.fillStatus}`
    if (contradiction === undefined)
      yield* books.recordIfFits({ _tag: "Contradiction", strategy, slot, placement: id, what, evidence })
    const because = `an earlier process that this journal does not know paid it as well as ${placement.order?.id}`
    const secondOrder = { order, market, strategy, slot: slotOfFound(order.id), because, asked: settings.account }
    yield* Effect.provideService(adopt({ ...secondOrder, ...present({ terms }) }), Bookkeeper, books)
  })
})
