/** Turns answers to creating and signing into events for a placement, without side effects. */
import { Effect, Redacted } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import type { Market } from "../../domain/Market.ts"
import type { Order } from "../../domain/Order.ts"
import type { PaymentRefusal } from "../../domain/Payload.ts"
import { present } from "../../domain/Present.ts"
import { correlationText } from "../../domain/Text.ts"
import type { SignedIntent } from "../../signing/IntentGuard.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import type { Expectations } from "../EngineSettings.ts"
import type { BotState } from "../state/BotState.ts"
import { about, type Placement, type PlacementIn } from "../state/Placement.ts"
import { tooDear } from "../tracking/amounts/Fees.ts"
import * as Fingerprint from "../tracking/Fingerprint.ts"
import { dearerThanScheduled, orderMismatch, refuseToFund } from "../tracking/OrderTracker.ts"

export interface VenueRefusal extends PaymentRefusal {
  /** True if the venue clearly refused, or limitbot did not send the request; false without a usable answer. */
  readonly certain: boolean
  /** False if limitbot itself did not send the request, or the venue gave no usable answer. */
  readonly isByVenue: boolean
}

/** A refused credential never becomes a refusal: it stops the bot. */
export const refusalOf = (error: VenueError): Effect.Effect<VenueRefusal, VenueError> => {
  const { reason } = error
  if (reason._tag === "Unauthorized") return Effect.fail(error)
  if (reason._tag !== "Rejected")
    return Effect.succeed({ code: reason._tag, text: reason.message, certain: false, isByVenue: false })
  const { code, isUnsent, text, verdict } = reason
  return Effect.succeed({ code, text, ...present({ verdict }), certain: true, isByVenue: !isUnsent })
}

type Events = ReadonlyArray<BotEvent>

export const abandoned = (placement: Placement, reason: string): Events => [
  { _tag: "Abandoned", ...about(placement), reason }
]

/** The create counts as failed. An order that appears all the same is never paid. */
export const createFailed = (
  placement: Placement,
  { code, isByVenue, text }: Pick<VenueRefusal, "code" | "isByVenue" | "text">,
  correlationId: string | undefined
): Events => {
  const outcome = isByVenue ? `the venue refused to create it: ${code}` : "its create was not sent, or not taken"
  const reason = placement.by === "swap" ? `no swap: ${text}` : `${outcome}: ${text}`
  const refused = { _tag: "CreateRefused", ...about(placement), code, text, ...present({ correlationId }) } as const
  return [...(isByVenue ? [refused] : []), ...abandoned(placement, `${reason}${correlationText({ correlationId })}`)]
}

/**
 * True if the answer to a create shows another of our orders. A connection may deliver an answer twice: the answer to another create, or to
 * a read or cancel of an order that may be settled by now.
 */
export const isOfAnother = (
  { ended, placements }: Pick<BotState, "ended" | "placements">,
  placement: Placement,
  order: Order
): boolean => {
  if (ended.byId.has(order.id)) return true
  const isOther = !Fingerprint.isDeadlineOf(placement, order)
  for (const other of placements.values())
    if (
      other.id !== placement.id &&
      (other.order?.id === order.id ||
        other.spares.has(order.id) ||
        (isOther && Fingerprint.isDeadlineOf(other, order)))
    )
      return true
  return false
}

/** Another placement whose order has an equal address and memo: money sent there could be credited to either. */
export const sharing = (placements: Iterable<Placement>, { id, order }: Placement): Placement | undefined => {
  for (const other of placements) {
    if (other.id === id || order === undefined || other.order === undefined) continue
    const { depositAddress, depositMemo } = other.order
    if (depositAddress === order.depositAddress && depositMemo === order.depositMemo) return other
  }
  return undefined
}

export const shared = (placements: Iterable<Placement>, placement: Placement): Events => {
  const twin = sharing(placements, placement)
  if (twin === undefined) return []
  const what = `orders of ${placement.id} and ${twin.id} have one deposit address`
  const evidence = `${placement.order?.depositAddress}, orders ${placement.order?.id} and ${twin.order?.id}`
  const both = [placement, twin]
  return [
    ...both.map((each) => ({ _tag: "Contradiction", ...about(each), what, evidence }) as const),
    ...both.flatMap((each) => (each.state === "created" ? abandoned(each, what) : []))
  ]
}

/** Returns events for a fault of the order, read once more right before payment; empty if it may be paid. */
export const beforePayment = (
  placement: PlacementIn<"created">,
  order: Order,
  market: Market,
  expected: Expectations,
  correlationId: string | undefined
): Events => {
  const { contradiction, order: bound } = placement
  if (contradiction !== undefined) return abandoned(placement, contradiction)
  if (order.fillStatus !== "AWAITING_DEPOSIT" || order.depositAddress !== bound.depositAddress)
    return abandoned(placement, `the venue reports it ${order.fillStatus}`)
  const dear = tooDear(placement, order) ?? dearerThanScheduled(placement, market, order, expected)
  if (dear !== undefined) return abandoned(placement, `not funded: ${dear}`)
  // A person agreed to the terms of a swap by hand, and saw them.
  const mistake = placement.swap === undefined ? orderMismatch(placement, market, order, expected) : undefined
  const problem =
    order.depositMemo === bound.depositMemo ? mistake : `its deposit memo changed to ${order.depositMemo ?? "none"}`
  if (problem === undefined) return []
  const what = `order ${bound.id} was not funded: ${problem}`
  return refuseToFund(placement, what, "read again right before payment", correlationId)
}

/** The verifier never executes a second payload with a signed nonce, but its refusal would look like an execution. */
export const nonceKnown = (placement: Placement, correlationId: string | undefined): Events =>
  refuseToFund(
    placement,
    "Refused to sign the venue's payload: its nonce was already signed",
    "a second payload with it would look executed, but never is",
    correlationId
  )

export const signed = (
  placement: PlacementIn<"created">,
  { body, intentHash, validUntil }: SignedIntent,
  correlationId: string | undefined
): Events => [
  {
    _tag: "FundingSigned",
    ...about(placement),
    orderId: placement.order.id,
    depositAddress: placement.order.depositAddress,
    asset: placement.inputAsset,
    amount: placement.inputAmount,
    signed: Redacted.make(body),
    intentHash,
    validUntil,
    ...present({ correlationId })
  }
]
