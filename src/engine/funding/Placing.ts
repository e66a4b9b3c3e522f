/**
 * Works one placement a step further: create, find, fund, send again, cancel. Every step writes what it is about to do
 * before it does it, so the process may die between any two lines and the next start continues from the journal.
 *
 * The rules that make funding happen at most once:
 * - an order is inert until funded, so a create without an answer is only looked for, never assumed absent or repeated;
 *   a swap without an answer is given up at once, as an unpaid quote is nothing and in no list;
 * - exactly one order is bound to a placement, after its whole echo was checked;
 * - one payload is signed per placement and only its bytes are ever sent (see `Funding`); what may have been paid is never
 *   given up on silence (see `Payload`);
 * - money on another chain is paid by a wallet that is asked once, and again only by the operator's word (see `Paying`).
 */
import { Clock, Effect } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { isTerminal } from "../../domain/Order.ts"
import { Venue } from "../../venue/Venue.ts"
import { backoffMillis, EngineSettings } from "../EngineSettings.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import type { Placement } from "../state/Placement.ts"
import { readOrder } from "../tracking/Observation.ts"
import { adopt, bind, observe } from "../tracking/OrderTracker.ts"
import * as Funding from "./Funding.ts"
import type { Surroundings } from "./FundingGate.ts"
import * as Paying from "./Paying.ts"
import { refusalOf } from "./Refusal.ts"

const about = ({ strategy, slot, id }: Placement) => ({ strategy, slot, placement: id })

const correlationOf = (correlationId: string | undefined) => (correlationId === undefined ? {} : { correlationId })

export const make = Effect.gen(function* () {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const paying = yield* Paying.make
  const funding = yield* Funding.make(paying)
  /** Not journaled: forgetting these after a restart only means to try once more. */
  const orphanTries = new Map<string, { readonly attempts: number; readonly at: number }>()
  /** Orders that are over: nothing is left to cancel, though their money may not be back. */
  const over = new Set<string>()
  /** When a create was last left without a clear answer. */
  let unclearAt = Number.NEGATIVE_INFINITY

  const record = (...events: ReadonlyArray<BotEvent>) => books.record(...events)
  const fresh = (placement: Placement): Placement | undefined => books.state.placements.get(placement.id)
  const abandon = (placement: Placement, reason: string) => record({ _tag: "Abandoned", ...about(placement), reason })

  const create = Effect.fnUntraced(function* (placement: Placement, { market }: Surroundings) {
    yield* record({ _tag: "CreateSent", ...about(placement), attempt: placement.createAttempts + 1 })
    const { side, quantity, price, deadline, inputAmount, outputAmount } = placement
    const order = { side, quantity, price, deadline, baseAsset: market.base.id, quoteAsset: market.quote.id }
    const isSwap = placement.by === "swap"
    const answer = yield* Effect.result(
      isSwap ? venue.createSwap({ ...order, inputAmount, outputAmount }) : venue.createOrder(order)
    )
    if (answer._tag === "Success") {
      const { value, correlationId } = answer.success
      const current = fresh(placement)
      if (current === undefined) return
      return yield* record(...bind(current, market, value, settings.account, "reply", correlationId))
    }
    const refusal = yield* refusalOf(answer.failure)
    if (answer.failure.reason._tag === "OutcomeUnknown") unclearAt = yield* Clock.currentTimeMillis
    // Without a clear refusal the order may exist: the list will show it, by its unique deadline.
    if (!refusal.certain && answer.failure.reason._tag !== "RetryLater" && !isSwap) return
    const { code, text } = refusal
    const reason = isSwap ? `no swap: ${text}` : `the venue refused to create it: ${code}: ${text}`
    const refused = { _tag: "CreateRefused", ...about(placement), code, text } as const
    yield* record(
      { ...refused, ...correlationOf(answer.failure.reason.correlationId) },
      { _tag: "Abandoned", ...about(placement), reason }
    )
  })

  const awaitCreated = Effect.fnUntraced(function* (placement: Placement, now: number) {
    if (placement.by === "swap") return yield* abandon(placement, "nobody knows what the venue answered to its quote")
    if (now - placement.changedAt < settings.resolveAfterMillis) return
    const seconds = Math.round(settings.resolveAfterMillis / 1000)
    yield* abandon(placement, `no answer to its create, and no order of its kind in the list for ${seconds} s`)
  })

  const cancel = Effect.fnUntraced(function* (placement: Placement, now: number) {
    const { cancel: request, order } = placement
    // A swap ends by itself, and soon.
    if (request === undefined || order === undefined || placement.by === "swap" || over.has(order.id)) return
    if (now - request.lastSentAt < backoffMillis(settings, request.attempts)) return
    yield* record({ _tag: "CancelSent", ...about(placement), attempt: request.attempts + 1 })
    const answer = yield* Effect.result(venue.cancelOrder(order.id))
    const current = fresh(placement)
    if (current === undefined) return
    if (answer._tag === "Success") {
      if (isTerminal(answer.success.value.fillStatus)) over.add(order.id)
      return yield* record(...observe(current, answer.success.value, answer.success.correlationId))
    }
    const { certain, ...refusal } = yield* refusalOf(answer.failure)
    if (!certain) return
    const correlation = correlationOf(answer.failure.reason.correlationId)
    yield* record({ _tag: "CancelRefused", ...about(placement), ...refusal, ...correlation })
    const read = yield* readOrder(venue, placement.by, order)
    if (isTerminal(read.value.fillStatus)) over.add(order.id)
  })

  /** A spare order with our fingerprint is inert: cancel it. With money in it, it is ours after all. */
  const cancelOrphan = Effect.fnUntraced(function* (placement: Placement, orderId: string, now: number) {
    const tried = orphanTries.get(orderId) ?? { attempts: 0, at: 0 }
    if (now - tried.at < backoffMillis(settings, tried.attempts)) return
    orphanTries.set(orderId, { attempts: tried.attempts + 1, at: now })
    const asked = yield* Effect.result(venue.cancelOrder(orderId))
    const read = asked._tag === "Success" ? asked : yield* Effect.result(venue.getOrder(orderId))
    if (read._tag === "Failure") {
      yield* refusalOf(read.failure)
      return
    }
    const order = read.success.value
    if (order.depositedAmount > 0n) return yield* record(...adopt(placement, order))
    if (order.fillStatus !== "PENDING_CANCEL" && !isTerminal(order.fillStatus)) return
    orphanTries.delete(orderId)
    yield* record({ _tag: "OrphanCancelled", ...about(placement), orderId })
  })

  /** One step, or a few that need no waiting in between. Fails only when the bot must stop or the venue is out of reach. */
  const advance = Effect.fn("Placing.advance")(function* (placement: Placement, surroundings: Surroundings) {
    const now = yield* Clock.currentTimeMillis
    if (placement.state === "planned") yield* create(placement, surroundings)
    if (placement.state === "creating") yield* awaitCreated(placement, now)
    const bound = fresh(placement)
    if (bound?.state === "created") yield* funding.begin(bound, surroundings)
    if (placement.state === "funding" || placement.state === "in doubt") {
      if (placement.funding.payment !== undefined) yield* paying.follow(placement, now, surroundings)
      yield* funding.follow(placement, surroundings)
    }
    const current = fresh(placement)
    if (current?.state === "funding" || current?.state === "in doubt" || current?.state === "open") {
      yield* cancel(current, now)
    }
    for (const [orderId, cancelled] of current?.orphans ?? []) {
      if (!cancelled && current !== undefined) yield* cancelOrphan(current, orderId, now)
    }
  })

  return { advance, isHopeless: funding.isHopeless, unclearAt: () => unclearAt }
})
