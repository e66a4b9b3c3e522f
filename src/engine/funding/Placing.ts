/**
 * Works one placement a step further: create, find, fund, send again, cancel. Every step writes what it is about to do
 * before it does it, so the process may die between any two lines and the next start continues from the journal.
 *
 * The rules that make funding happen at most once:
 * - an order is inert until funded, so a create without an answer is only looked for, never assumed absent or repeated;
 *   a swap without an answer is given up at once, as an unpaid quote is nothing and in no list;
 * - exactly one order is bound to a placement, after its whole echo was checked;
 * - one payload is signed per placement, journaled before it is first sent, and only the same bytes are ever sent again;
 * - a signed payload is given up only after its own deadline, when reads made later than that show no deposit;
 * - money on another chain is paid by a wallet that is asked once, and again only by the operator's word (see `Paying`).
 */
import { Clock, Effect } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { inputAsset } from "../../domain/Market.ts"
import { isTerminal } from "../../domain/Order.ts"
import { IntentGuard } from "../../venue/signing/IntentGuard.ts"
import { Venue } from "../../venue/Venue.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import { backoffMillis, EngineSettings } from "../EngineSettings.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import type { Placement } from "../state/Placement.ts"
import { readOrder } from "../tracking/Observation.ts"
import { adopt, bind, observe } from "../tracking/OrderTracker.ts"
import * as Paying from "./Paying.ts"

/** Reads after a payload's deadline that must show no deposit before it is declared dead. */
const emptyReadsNeeded = 2

const about = ({ strategy, slot, id }: Placement) => ({ strategy, slot, placement: id })

const correlationOf = (correlationId: string | undefined) => (correlationId === undefined ? {} : { correlationId })

/** A refusal to be recorded; a missing credential is nobody's fault here and stops the bot instead. */
const refusalOf = (error: VenueError): Effect.Effect<{ code: string; text: string; certain: boolean }, VenueError> => {
  const { reason } = error
  if (reason._tag === "Unauthorized") return Effect.fail(error)
  return Effect.succeed({
    code: reason._tag === "Rejected" ? reason.code : reason._tag,
    text: reason._tag === "Rejected" ? reason.text : reason.message,
    certain: reason._tag === "Rejected"
  })
}

export const make = Effect.gen(function* () {
  const venue = yield* Venue
  const guard = yield* IntentGuard
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const paying = yield* Paying.make
  /** Not journaled: forgetting these after a restart only means to wait or to read once more. */
  const emptyReads = new Map<string, number>()
  const orphanTries = new Map<string, { readonly attempts: number; readonly at: number }>()
  /** When a create was last left without a clear answer. */
  let unclearAt = Number.NEGATIVE_INFINITY

  const record = (...events: ReadonlyArray<BotEvent>) => books.record(...events)
  const fresh = (placement: Placement): Placement | undefined => books.state.placements.get(placement.id)
  const abandon = (placement: Placement, reason: string) => record({ _tag: "Abandoned", ...about(placement), reason })

  const create = Effect.fnUntraced(function* (placement: Placement, { market }: Paying.Surroundings) {
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

  const fund = Effect.fnUntraced(function* (placement: Placement, now: number, { market, hold }: Paying.Surroundings) {
    const { order } = placement
    if (order === undefined) return
    if (placement.deadline - now < settings.deadlineMarginMillis) {
      return yield* abandon(placement, "too little time is left until its deadline")
    }
    if (hold !== undefined) return yield* abandon(placement, `not funded: ${hold}`)
    if (settings.account.depositType === "ORIGIN_CHAIN") return yield* paying.ask(placement, market)
    const generated = yield* Effect.result(venue.generateIntent(order.depositAddress))
    if (generated._tag === "Failure") {
      const { code, text } = yield* refusalOf(generated.failure)
      if (now - placement.changedAt < settings.resolveAfterMillis) return
      return yield* abandon(placement, `the venue generates no payload to sign: ${code}: ${text}`)
    }
    const asset = inputAsset(market, placement.side)
    const expected = { depositAddress: order.depositAddress, asset: asset.id, amount: placement.inputAmount }
    const signed = yield* Effect.result(guard.signTransfer(generated.success.value, expected))
    const correlation = correlationOf(generated.success.correlationId)
    if (signed._tag === "Failure") {
      const what = signed.failure.message
      const evidence = `found ${signed.failure.found}`
      return yield* record(
        { _tag: "Contradiction", ...about(placement), what, evidence, ...correlation },
        { _tag: "Abandoned", ...about(placement), reason: what }
      )
    }
    yield* record({
      _tag: "FundingSigned",
      ...about(placement),
      orderId: order.id,
      depositAddress: order.depositAddress,
      asset: asset.symbol,
      amount: placement.inputAmount,
      signed: signed.success.body,
      intentHash: signed.success.intentHash,
      validUntil: signed.success.validUntil,
      ...correlation
    })
    const current = fresh(placement)
    if (current !== undefined) yield* send(current, now)
  })

  /** Sends the journaled bytes, as often as it takes: their nonce can execute only once. */
  const send = Effect.fnUntraced(function* (placement: Placement, now: number) {
    const { funding } = placement
    if (funding === undefined || now >= funding.validUntil) return
    const pause = backoffMillis(settings, funding.attempts)
    const patience = funding.acknowledged ? Math.max(pause, settings.visibilityMillis) : pause
    if (now - funding.lastSentAt < patience) return
    yield* record({ _tag: "FundingSent", ...about(placement), attempt: funding.attempts + 1 })
    const { signed: body, intentHash, validUntil } = funding
    const answer = yield* Effect.result(venue.submitIntent({ body, intentHash, validUntil }))
    if (answer._tag === "Failure") {
      const { certain, ...refusal } = yield* refusalOf(answer.failure)
      if (!certain) return
      const correlation = correlationOf(answer.failure.reason.correlationId)
      return yield* record({ _tag: "FundingAnswered", ...about(placement), ...refusal, ...correlation })
    }
    const correlation = correlationOf(answer.success.correlationId)
    const hash = answer.success.value.intentHash
    if (hash === intentHash) {
      return yield* record({ _tag: "FundingAcknowledged", ...about(placement), intentHash, ...correlation })
    }
    const text = `it answered with the hash ${hash} instead of ${intentHash}`
    yield* record({ _tag: "FundingAnswered", ...about(placement), code: "other-hash", text, ...correlation })
  })

  /** After its deadline the verifier refuses the payload: what is not deposited by then never will be. */
  const declareDead = Effect.fnUntraced(function* (placement: Placement, now: number) {
    const { funding, order } = placement
    if (funding === undefined || order === undefined) return
    if (now < funding.validUntil + settings.visibilityMillis) return
    const read = yield* readOrder(venue, placement.by, order)
    if (read.value.depositedAmount > 0n) return yield* record(...observe(placement, read.value, read.correlationId))
    // Known is more than nothing: a transfer that was seen is waited for.
    if (read.value.fillStatus === "KNOWN_DEPOSIT_TX") return
    const reads = (emptyReads.get(placement.id) ?? 0) + 1
    emptyReads.set(placement.id, reads)
    if (reads < emptyReadsNeeded) return
    emptyReads.delete(placement.id)
    const { amount, lastAnswer } = funding
    const answered = lastAnswer === undefined ? "" : `; the venue had answered ${lastAnswer}`
    const reason = `its payload expired without a deposit${answered}`
    yield* record({ _tag: "FundingDead", ...about(placement), asset: placement.inputAsset, amount, reason })
  })

  const cancel = Effect.fnUntraced(function* (placement: Placement, now: number) {
    const { cancel: request, order } = placement
    // A swap ends by itself, and soon.
    if (request === undefined || order === undefined || placement.by === "swap") return
    if (now - request.lastSentAt < backoffMillis(settings, request.attempts)) return
    yield* record({ _tag: "CancelSent", ...about(placement), attempt: request.attempts + 1 })
    const answer = yield* Effect.result(venue.cancelOrder(order.id))
    const current = fresh(placement)
    if (current === undefined) return
    if (answer._tag === "Success") {
      return yield* record(...observe(current, answer.success.value, answer.success.correlationId))
    }
    const { certain, ...refusal } = yield* refusalOf(answer.failure)
    if (!certain) return
    const correlation = correlationOf(answer.failure.reason.correlationId)
    yield* record({ _tag: "CancelRefused", ...about(placement), ...refusal, ...correlation })
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
  const advance = Effect.fn("Placing.advance")(function* (placement: Placement, surroundings: Paying.Surroundings) {
    const now = yield* Clock.currentTimeMillis
    if (placement.state === "planned") yield* create(placement, surroundings)
    if (placement.state === "creating") yield* awaitCreated(placement, now)
    const bound = fresh(placement)
    if (bound?.state === "created") yield* fund(bound, now, surroundings)
    if (placement.state === "funding" && placement.funding?.payment !== undefined) {
      yield* paying.follow(placement, now, surroundings)
    } else if (placement.state === "funding") {
      yield* send(placement, now)
      yield* declareDead(placement, now)
    }
    const current = fresh(placement)
    if (current?.state === "funding" || current?.state === "open") yield* cancel(current, now)
    for (const [orderId, cancelled] of current?.orphans ?? []) {
      if (!cancelled && current !== undefined) yield* cancelOrphan(current, orderId, now)
    }
  })

  return { advance, unclearAt: () => unclearAt }
})
