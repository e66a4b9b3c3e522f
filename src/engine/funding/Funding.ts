/**
 * Funds a bound order or a quoted swap from the account at the venue. It checks the order once more, signs one
 * payload, sends the same bytes until they have expired, while the gate is open, and judges what a missing deposit means
 * (see `Payload`). A
 * payment in doubt keeps its money reserved, and its slot gets nothing new. Only positive evidence ends the doubt: a
 * deposit, an order that the venue ended without one long after the payload expired, or the operator's word.
 */
import { Clock, Effect, Fiber, Redacted } from "effect"
import type { Asset } from "../../domain/Amount.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { elapsedMillis, monotonicMillis } from "../../domain/Durations.ts"
import { inputAsset, type Market } from "../../domain/Market.ts"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import * as Payload from "../../domain/Payload.ts"
import { present } from "../../domain/Present.ts"
import { IntentGuard, type IntentRefused } from "../../signing/IntentGuard.ts"
import { type Answer, Venue } from "../../venue/Venue.ts"
import { EngineSettings, marginMillis } from "../EngineSettings.ts"
import { concluded, endsBySilence, hasArrived, isOnItsWay } from "../protocol/Silence.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { about, type Placement, type PlacementIn } from "../state/Placement.ts"
import * as PlacementNotes from "../state/PlacementNotes.ts"
import { tooDear } from "../tracking/amounts/Fees.ts"
import { editedSince } from "../tracking/MoneyPath.ts"
import { readOrder } from "../tracking/OrderReads.ts"
import { dearerThanScheduled, mistakeIn, observe, refused } from "../tracking/OrderTracker.ts"
import * as VenueTime from "../tracking/VenueTime.ts"
import type { FundingInputs } from "./FundingInputs.ts"
import * as Nonces from "./Nonces.ts"
import type * as Paying from "./Paying.ts"
import { refusalOf } from "./Refusal.ts"
import { submit } from "./Submission.ts"

export const make = Effect.fnUntraced(function* (paying: Effect.Success<typeof Paying.make>) {
  const venue = yield* Venue
  const guard = yield* IntentGuard
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const scope = yield* Effect.scope
  const emptyReads = PlacementNotes.make<number>(books.state)
  const nonces = Nonces.make(books.state)
  const misdeliveredSince = PlacementNotes.make<number>(books.state)
  const watched = PlacementNotes.make<Watch>(books.state)

  const record = (...events: ReadonlyArray<BotEvent>) => books.recordIfFits(...events)
  /** What the report adds to the present state: the answer to a cancel may have arrived since. */
  const note = ({ id }: Placement, { correlationId, value }: Answer<Order>) =>
    books.recordFrom(({ placements }) => {
      const current = placements.get(id)
      return current === undefined ? [] : observe(current, value, correlationId)
    })
  const fresh = ({ id }: Placement): Placement | undefined => books.state.placements.get(id)
  /** Our own word, which the order's report has to repeat: a swap by hand has its own. */
  const depositTypeIn = ({ swap }: Placement, asset: Asset): string =>
    swap?.depositType ?? depositTypeOf(settings.account, asset)
  const abandon = (placement: Placement, reason: string) => record({ _tag: "Abandoned", ...about(placement), reason })

  /** The last check of the order before money leaves. Returns and records what is wrong. */
  const isStillAsBound = Effect.fnUntraced(function* (placement: PlacementIn<"created">, market: Market) {
    const twin = sharing(books.state.placements.values(), placement)
    if (twin !== undefined) {
      const what = `orders of ${placement.id} and ${twin.id} have one deposit address`
      const evidence = `${placement.order.depositAddress}, orders ${placement.order.id} and ${twin.order?.id}`
      yield* record(
        ...[placement, twin].map((each) => ({ _tag: "Contradiction", ...about(each), what, evidence }) as const),
        ...[placement, twin].flatMap((each) =>
          each.state === "created" ? [{ _tag: "Abandoned", ...about(each), reason: what } as const] : []
        )
      )
      return false
    }
    const read = yield* readOrder(venue, placement.by, placement.order)
    const current = fresh(placement)
    if (current?.state !== "created") return false
    yield* note(current, read)
    const seen = fresh(placement)
    if (seen?.state !== "created") return false
    const { depositAddress, depositMemo, fillStatus } = read.value
    if (seen.contradiction !== undefined) {
      yield* abandon(seen, seen.contradiction)
      return false
    }
    if (fillStatus !== "AWAITING_DEPOSIT" || depositAddress !== seen.order.depositAddress) {
      yield* abandon(seen, `the venue says that it is ${fillStatus}`)
      return false
    }
    const dear = tooDear(seen, read.value) ?? dearerThanScheduled(seen, market, read.value, settings.account)
    if (dear !== undefined) {
      yield* abandon(seen, `not funded: ${dear}`)
      return false
    }
    // A person agreed to the terms of a swap by hand, and saw them.
    const mistake = seen.swap === undefined ? mistakeIn(seen, market, read.value, settings.account) : undefined
    const problem =
      depositMemo === seen.order.depositMemo ? mistake : `its deposit memo changed to ${depositMemo ?? "none"}`
    if (problem === undefined) return true
    const what = `order ${seen.order.id} was not funded: ${problem}`
    const evidence = "read once more right before it was to be paid"
    yield* record(...refused(seen, what, evidence, read.correlationId))
    return false
  })

  const begin = Effect.fnUntraced(function* (placement: PlacementIn<"created">, inputs: FundingInputs) {
    const now = yield* Clock.currentTimeMillis
    if (placement.deadline - now < marginMillis(placement, settings)) {
      return yield* abandon(placement, "too little time is left until its deadline")
    }
    const dear = tooDear(placement, placement.order)
    if (dear !== undefined) return yield* abandon(placement, `not funded: ${dear}`)
    const hold = yield* inputs.gate(placement, "fund")
    if (hold !== undefined) return yield* abandon(placement, `not funded: ${hold}`)
    const { market } = inputs
    if (market === undefined) return yield* abandon(placement, "not funded: its market is not configured")
    const { path, side } = placement
    const edited = path && editedSince(side, path, market, settings.account)
    if (edited !== undefined) return yield* abandon(placement, `not funded: ${edited}`)
    if (!(yield* isStillAsBound(placement, market))) return
    const depositType = depositTypeIn(placement, inputAsset(market, placement.side))
    if (depositType !== "ORIGIN_CHAIN") return yield* sign(placement, market, inputs)
    const changed = yield* inputs.gate(placement, "fund")
    if (changed !== undefined) return yield* abandon(placement, `not funded: ${changed}`)
    yield* paying.ask(placement, market, inputs)
  })

  /**
   * A connection may deliver an answer twice, and so each answer to the next question. What was answered about another order
   * of ours counts as no answer for a while; a venue that means it is told later.
   */
  const mayBeMisdelivered = Effect.fnUntraced(function* ({ id }: Placement) {
    const now = yield* monotonicMillis
    const since = misdeliveredSince.get(id) ?? now
    misdeliveredSince.set(id, since)
    return now - since < settings.resolveAfterMillis
  })

  /** Whether a payload was refused only because it pays another order of ours. */
  const isForAnother = ({ id }: Placement, { payee }: IntentRefused): boolean =>
    payee !== undefined &&
    [...books.state.placements.values()].some((other) => other.id !== id && other.order?.depositAddress === payee)

  const sign = Effect.fnUntraced(function* (placement: PlacementIn<"created">, market: Market, inputs: FundingInputs) {
    const { order } = placement
    const generated = yield* Effect.result(venue.generateIntent(order.depositAddress))
    if (generated._tag === "Failure") {
      const { code, text } = yield* refusalOf(generated.failure)
      const quietMillis = elapsedMillis(placement.changedAt, yield* Clock.currentTimeMillis)
      const answer = `the venue generates no payload to sign: ${code}: ${text}`
      return yield* record(...concluded(placement, { quietMillis, answer }, settings))
    }
    const hold = yield* inputs.gate(placement, "fund")
    if (hold !== undefined) return yield* abandon(placement, `not funded: ${hold}`)
    const asset = inputAsset(market, placement.side)
    const expected = {
      depositAddress: order.depositAddress,
      depositType: depositTypeIn(placement, asset),
      asset: asset.id,
      amount: placement.inputAmount
    }
    const { correlationId, value } = generated.success
    const { payload } = value
    if (nonces.isKnown(payload)) {
      if (yield* mayBeMisdelivered(placement)) return
      const what = "Refused to sign the venue's payload: its nonce was signed before"
      const evidence = "a second payload with it would seem to be executed, and never is"
      return yield* record(...refused(placement, what, evidence, correlationId))
    }
    const signed = yield* Effect.result(guard.signTransfer(value, expected))
    if (signed._tag === "Success") nonces.add(signed.success.body)
    if (signed._tag === "Failure") {
      const { failure } = signed
      if (failure._tag !== "SignerUnavailable") {
        const { found, message: what } = failure
        const isOdd = failure._tag === "IntentRefused" && isForAnother(placement, failure)
        if (isOdd && (yield* mayBeMisdelivered(placement))) return
        return yield* record(...refused(placement, what, `found ${found}`, correlationId))
      }
      // The signer may come back, so it is asked again in later turns, like the venue. If it did sign, it returns the
      // same payload again. One that declines by its own caps is asked for a new order, after the pause of refusals.
      const answer = `not funded: ${failure.message}`
      if (failure.isDeclined === true) return yield* abandon(placement, answer)
      const quietMillis = elapsedMillis(placement.changedAt, yield* Clock.currentTimeMillis)
      return yield* record(...concluded(placement, { quietMillis, answer }, settings))
    }
    const event: BotEvent = {
      _tag: "FundingSigned",
      ...about(placement),
      orderId: order.id,
      depositAddress: order.depositAddress,
      asset: asset.symbol,
      amount: placement.inputAmount,
      signed: Redacted.make(signed.success.body),
      intentHash: signed.success.intentHash,
      validUntil: signed.success.validUntil,
      ...present({ correlationId })
    }
    // A bot that leaves between the two would have to wait until what it signed and did not send has expired. One that leaves
    // before the answer and withdraws everything would not know whether it paid, because nothing is sent again by then.
    yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* record(event)
        const current = fresh(placement)
        if (current?.state !== "funding") return
        const sending = yield* Effect.forkIn(send(current, inputs), scope, { startImmediately: true })
        yield* restore(Fiber.join(sending))
      })
    )
  })

  const send = Effect.fnUntraced(function* (placement: PlacementIn<"funding">, { gate }: FundingInputs) {
    const hold = gate(placement, placement.funding.attempts === 0 ? "fund" : "resend")
    yield* submit(venue, placement.funding, settings, yield* VenueTime.now(books.state), hold, {
      held: (attempt, reason) => record({ _tag: "FundingHeld", ...about(placement), attempt, reason }),
      sent: (attempt) => record({ _tag: "FundingSent", ...about(placement), attempt }),
      acknowledged: (answer) => record({ _tag: "FundingAcknowledged", ...about(placement), ...answer }),
      refused: (answer) => record({ _tag: "FundingAnswered", ...about(placement), ...answer })
    })
  })

  /** After its deadline the verifier refuses the payload. It may still have executed before. */
  const judge = Effect.fnUntraced(function* (placement: PlacementIn<"funding">) {
    const { funding, id } = placement
    const now = yield* VenueTime.now(books.state)
    if (now < funding.validUntil + settings.visibilityMillis) return
    if (Payload.fateOf(funding) === "executed") return yield* settle(placement)
    const read = yield* readOrder(venue, placement.by, placement.order)
    if (hasArrived(read.value)) return yield* note(placement, read)
    if (isOnItsWay(read.value)) return
    const reads = (emptyReads.get(id) ?? 0) + 1
    emptyReads.set(id, reads)
    const events = concluded(placement, { expiredMillis: now - funding.validUntil, emptyReads: reads }, settings)
    if (events.length > 0) emptyReads.delete(id)
    yield* record(...events)
  })

  /** Only an end that the venue itself reports ends a doubt. */
  const settle = Effect.fnUntraced(function* (placement: PlacementIn<"funding" | "in doubt">) {
    const { funding, id } = placement
    const now = yield* monotonicMillis
    const known = watched.get(id)
    if (known !== undefined && now - known.readAt < settings.retryMaxMillis) return
    const read = yield* readOrder(venue, placement.by, placement.order)
    if (hasArrived(read.value)) return yield* note(placement, read)
    const { fillStatus } = read.value
    const overSince = isTerminal(fillStatus) ? (known?.overSince ?? now) : undefined
    const overMillis = overSince === undefined ? 0 : now - overSince
    watched.set(id, { readAt: now, overSince, overMillis })
    const expiredMillis = (yield* VenueTime.now(books.state)) - funding.validUntil
    const events = concluded(placement, { overMillis, expiredMillis, answer: fillStatus }, settings)
    if (events.length > 0) watched.delete(id)
    yield* record(...events)
  })

  const follow = Effect.fnUntraced(function* (placement: PlacementIn<"funding" | "in doubt">, inputs: FundingInputs) {
    if (placement.state === "in doubt") return yield* settle(placement)
    if (placement.funding.payment !== undefined) return
    yield* send(placement, inputs)
    const current = fresh(placement)
    if (current?.state === "funding") yield* judge(current)
  })

  /** Its order has been over for long, and no silence ends the wait for its deposit: only the operator can know more. */
  const isHopeless = (placement: Placement): boolean => {
    if (placement.state !== "in doubt" && placement.state !== "funding") return false
    const overMillis = watched.get(placement.id)?.overMillis ?? 0
    return !endsBySilence(placement) && overMillis >= settings.paymentVisibilityMillis
  }

  return { begin, follow, isHopeless }
})

/** The order of a payment that nobody confirmed, by the monotonic clock: a time of day that jumps ends no doubt. */
interface Watch {
  readonly readAt: number
  readonly overSince: number | undefined
  /** How long it had been over when it was read last. */
  readonly overMillis: number
}

/** Another placement whose order has the same address and memo: money sent there could be credited to either. */
const sharing = (placements: Iterable<Placement>, { id, order }: PlacementIn<"created">): Placement | undefined => {
  for (const other of placements) {
    if (other.id === id || other.order === undefined) continue
    const { depositAddress, depositMemo } = other.order
    if (depositAddress === order.depositAddress && depositMemo === order.depositMemo) return other
  }
  return undefined
}
