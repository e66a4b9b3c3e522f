/**
 * The course of a first order, from its plan to the return of its money: the bot's own engine without a strategy, on the bot's own journal.
 * So the order is created, paid once and followed like every order, and after a crash the next run continues with it. As soon as it rests,
 * it is read back and then cancelled.
 */

import { Clock, Console, Effect, PubSub, Schema } from "effect"
import type { Asset } from "../../domain/Amount.ts"
import type { BotEvent, Reason } from "../../domain/BotEvent.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { inputAsset, type Market, outputAsset } from "../../domain/Market.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import { firstOrder, isFinished } from "../../domain/Placement.ts"
import { counted } from "../../domain/Words.ts"
import * as Engine from "../../engine/Engine.ts"
import { Consent } from "../../engine/holds/Gate.ts"
import * as Afterlife from "../../engine/observation/Afterlife.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import type { EndedOrder } from "../../engine/state/orders/EndedOrders.ts"
import type { Placement } from "../../engine/state/Placement.ts"
import * as Fingerprint from "../../engine/tracking/Fingerprint.ts"
import { Stop } from "../../process/Stop.ts"
import * as EventLine from "../../report/text/EventLine.ts"
import { Venue } from "../../venue/Venue.ts"
import type { SmallestOrder } from "./Terms.ts"

/** Something else of this journal is in progress, and a bot without its strategies would only watch it. */
export class OthersUnderWay extends Schema.TaggedError<OthersUnderWay>()("OthersUnderWay", {
  count: Schema.Int,
  strategy: Schema.String
}) {
  override get message(): string {
    return `This journal has ${counted(this.count, "order")} under way, of "${this.strategy}" for example: a first order is for an account that does not trade yet. Finish them (limitbot run FILE --cancel-on-exit), or use another journal`
  }
}

export class FirstOrderOpen extends Schema.TaggedError<FirstOrderOpen>()("FirstOrderOpen", {
  placement: Schema.String,
  state: Schema.String
}) {
  override get message(): string {
    return `The first order ${this.placement} has not ended (${this.state}). Run limitbot first-order again: it continues with the same order and pays nothing more. limitbot orders --stuck shows its money`
  }
}

const lifetimeMillis = 60 * minuteMillis
/** A user who needs to wait longer runs the command again later. */
const patienceMillis = 10 * minuteMillis
const lookMillis = 250

export const underWay = Effect.fn("Course.underWay")(function* (state: BotState) {
  const all = unfinished(state)
  const others = all.filter(({ strategy }) => strategy !== firstOrder)
  const [other] = others
  if (other !== undefined) return yield* new OthersUnderWay({ count: others.length, strategy: other.strategy })
  return all.at(0)?.id
})

/** First orders about which the venue contradicted itself, with the contradiction, until the operator has checked them. */
export const contradicted = ({
  slots
}: BotState): ReadonlyArray<{ readonly placement: string; readonly what: string }> =>
  [...slots.values()].flatMap(({ freeze, frozen, strategy }) =>
    strategy === firstOrder && freeze?.kind === "contradiction" && frozen !== undefined
      ? [{ placement: freeze.placement, what: frozen }]
      : []
  )

/**
 * Returns the reason why earlier first orders forbid paying another; `undefined` if there is none. Each earlier order is read once more: if
 * one still lives after the venue had paid it back, another would be money paid again.
 */
const earlier = Effect.gen(function* () {
  const venue = yield* Venue
  const { state } = yield* Bookkeeper
  const afterlife = yield* Afterlife.make
  const contradictionText = () =>
    contradicted(state)
      .map(({ placement, what }) => `first order ${placement}: ${what}`)
      .at(0)
  const lookAt = Effect.fnUntraced(function* (ended: EndedOrder) {
    const { id, order } = ended.last
    const endedResult = yield* Effect.result(venue.getOrder(order.id))
    if (endedResult._tag === "Failure") {
      const { reason } = endedResult.failure
      return reason._tag === "Rejected" ? undefined : `first order ${id} cannot be read: ${reason.message}`
    }
    const { value } = endedResult.success
    if (isTerminal(value.fillStatus)) return undefined
    yield* afterlife.see(ended, value, yield* Clock.currentTimeMillis, () => {})
    return contradictionText() ?? `first order ${id} had ended, but the venue shows it ${value.fillStatus}`
  })
  return Effect.gen(function* () {
    const before = contradictionText()
    if (before !== undefined) return before
    for (const ended of state.ended.byId.values()) {
      const why = ended.last.strategy === firstOrder && !ended.isForgotten ? yield* lookAt(ended) : undefined
      if (why !== undefined) return why
    }
    return undefined
  }).pipe(Effect.catchTag("JournalError", ({ message }) => Effect.succeed(message)))
})

/** Records the approved order, and returns its name. Sends nothing to the venue yet. */
export const begin = Effect.fn("Course.begin")(function* (terms: SmallestOrder) {
  const books = yield* Bookkeeper
  const { inputAmount, market, outputAmount, price, quantity, side } = terms
  const now = yield* Clock.currentTimeMillis
  const { usedDeadlines, mark = 0 } = books.state.integrity
  const deadline = yield* Fingerprint.draw(now + lifetimeMillis, lifetimeMillis, usedDeadlines, mark)
  const placement = `p${books.state.placementCount + 1}`
  const planned: BotEvent = {
    _tag: "Planned",
    strategy: firstOrder,
    slot: placement,
    placement,
    market: market.name,
    side,
    price,
    quantity,
    inputAsset: inputAsset(market, side).symbol,
    inputAmount,
    outputAsset: outputAsset(market, side).symbol,
    outputAmount,
    deadline,
    why: { code: "first-order", text: "A test of the venue: far from the market, then cancelled" }
  }
  yield* books.record(planned)
  return placement
})

export interface CourseOptions {
  readonly placement: string
  readonly markets: ReadonlyMap<string, Market>
  readonly assets: ReadonlyMap<string, Asset>
  /** Called once, when the order exists and its echo gives the cost; nothing is paid before. Returns the objection, if any. */
  readonly disagrees: (order: Order) => Effect.Effect<string | undefined>
  readonly killSwitch: Effect.Effect<string | undefined>
  readonly isQuiet: boolean
}

/**
 * Runs until the money is back, or nothing more is known. Returns the order as the venue showed it while it was open, if it was read then.
 */
export const toTheEnd = Effect.fn("Course.toTheEnd")(function* (options: CourseOptions) {
  const { assets, disagrees, isQuiet, killSwitch, markets, placement: id } = options
  const books = yield* Bookkeeper
  const venue = yield* Venue
  const stop = yield* Stop
  const current = () => books.state.placements.get(id)
  const heldByEarlier = yield* earlier

  let agreed: Order | undefined
  /** Before creation there is nothing to approve; a signed order was approved. An unpaid order is inert. */
  const consent = Effect.fnUntraced(function* (placement: Placement) {
    if (placement.id !== id) return "another first order is under way"
    if (placement.state !== "planned" && placement.state !== "created") return undefined
    const objection = yield* heldByEarlier
    if (objection !== undefined || placement.state === "planned") return objection
    const { estimatedRefundFee, estimatedWithdrawFee, id: orderId } = placement.order
    const isAsShown =
      agreed !== undefined &&
      estimatedRefundFee <= (agreed.estimatedRefundFee ?? 0n) &&
      estimatedWithdrawFee <= (agreed.estimatedWithdrawFee ?? 0n)
    if (isAsShown) return undefined
    const feesResult = yield* Effect.result(venue.getOrder(orderId))
    if (feesResult._tag === "Failure") return `its fees cannot be read: ${feesResult.failure.message}`
    agreed = feesResult.success.value
    return yield* disagrees(agreed)
  })

  const engine = yield* Engine.make({
    strategies: [],
    markets,
    withdraw: Effect.map(killSwitch, (text): Reason | undefined =>
      text === undefined ? undefined : { code: "kill-switch", text }
    )
  }).pipe(Effect.provideService(Consent, consent))

  let lastOrder: Order | undefined
  const readBackAndCancel = Effect.gen(function* () {
    while (true) {
      const placement = current()
      if (placement?.state === "open" && placement.cancel === undefined) {
        const orderResult = yield* Effect.result(venue.getOrder(placement.order.id))
        if (orderResult._tag === "Success") {
          lastOrder = orderResult.success.value
          yield* engine.withdrawPlacements([id], { code: "first-order", text: "It was read back: the test has ended" })
        } else yield* Effect.logDebug(orderResult.failure.message)
      }
      yield* Effect.sleep(lookMillis)
    }
  })

  const changes = yield* PubSub.subscribe(books.changes)
  const tell = Effect.gen(function* () {
    const recorded = yield* PubSub.take(changes)
    const line = "placement" in recorded.event ? EventLine.logLine(recorded, assets) : undefined
    if (line !== undefined && !isQuiet) yield* Console.log(line)
  })
  yield* Effect.forkScoped(Effect.forever(tell))
  yield* Effect.forkScoped(readBackAndCancel)

  const isOver = () => {
    const placement = current()
    const isEnded = placement === undefined || isFinished(placement.state)
    // One that was not paid is inert; it is cancelled all the same.
    const isSpare = placement !== undefined && [...placement.spares.values()].includes(false)
    return isEnded ? !isSpare : engine.isIdle()
  }
  yield* stop.leaves(() => `the next limitbot first-order continues the first order ${id}`)
  yield* engine.runUntil(Effect.raceFirst(stop.requested, Effect.sleep(patienceMillis)), isOver)
  const last = current()
  if (last !== undefined && !isFinished(last.state)) {
    return yield* new FirstOrderOpen({ placement: id, state: last.state })
  }
  return lastOrder
}, Effect.scoped)
