/** What each event changes in its placement: one half of the fold of the journal (see `BotState`). */
import type { Of, PlacementEvent } from "../../domain/BotEvent.ts"
import type { Funding, Payment, Placement } from "./BotState.ts"

/** New values of the fields that an event changes. */
export type Change = Partial<Placement>

export const changeOf = (placement: Placement, event: Exclude<PlacementEvent, Of<"Planned">>, at: number): Change => {
  switch (event._tag) {
    case "CreateSent":
      return { state: "creating", createAttempts: event.attempt }
    case "CreateRefused":
      return { createRefusal: `${event.code}: ${event.text}` }
    case "Bound": {
      const { orderId, depositAddress, depositMemo, estimatedWithdrawFee, estimatedRefundFee } = event
      const memo = depositMemo === undefined ? {} : { depositMemo }
      const orphans = new Map(placement.orphans)
      orphans.delete(orderId)
      return {
        orphans,
        // A twin with money in it takes the place of the order that was bound before; the state stays as it is then.
        ...(placement.state === "creating" ? { state: "created" as const } : {}),
        order: { id: orderId, depositAddress, estimatedWithdrawFee, estimatedRefundFee, ...memo }
      }
    }
    case "Abandoned":
      return { state: "abandoned", ...ownOrderAsOrphan(placement) }
    case "OrphanSeen":
      return { orphans: new Map(placement.orphans).set(event.orderId, false) }
    case "OrphanCancelled":
      return { orphans: new Map(placement.orphans).set(event.orderId, true) }
    case "FundingSigned": {
      const { signed, intentHash, amount, validUntil } = event
      return {
        state: "funding",
        funding: { signed, intentHash, amount, validUntil, attempts: 0, lastSentAt: 0, acknowledged: false }
      }
    }
    case "PaymentAsked":
      return { state: "funding", funding: askedOf(event, at) }
    case "PaymentAskedAgain":
      return paymentChange(placement, { state: "asked" }, { attempts: event.attempt, lastSentAt: at })
    case "PaymentMade": {
      const { sender, txHash } = event
      return paymentChange(placement, { state: "paid", txHash, ...(sender === undefined ? {} : { sender }) })
    }
    case "PaymentUnclear":
      return paymentChange(placement, { state: "unclear" })
    case "PaymentReported":
      return paymentChange(placement, { isReported: true })
    case "PaymentLost":
      return { state: "dead", ...ownOrderAsOrphan(placement) }
    case "FundingSent":
      return fundingChange(placement, { attempts: event.attempt, lastSentAt: at })
    case "FundingAcknowledged":
      return fundingChange(placement, { acknowledged: true })
    case "FundingAnswered":
      return fundingChange(placement, { lastAnswer: `${event.code}: ${event.text}` })
    case "FundingDead":
      return { state: "dead", ...ownOrderAsOrphan(placement) }
    case "CancelRequested":
      return { cancel: { why: event.why, requestedAt: at, attempts: 0, lastSentAt: 0 } }
    case "CancelSent":
      return placement.cancel === undefined
        ? {}
        : { cancel: { ...placement.cancel, attempts: event.attempt, lastSentAt: at } }
    case "CancelRefused":
      return {}
    default:
      return changeByVenue(placement, event)
  }
}

/** The order of an attempt that ended without money in it is clutter at the venue, to be cancelled; a quoted swap is nothing. */
const ownOrderAsOrphan = (placement: Placement): Change =>
  placement.order === undefined || placement.by === "swap"
    ? {}
    : { orphans: new Map(placement.orphans).set(placement.order.id, false) }

const askedOf = ({ amount, validUntil, wallet }: Of<"PaymentAsked">, at: number): Funding => ({
  signed: "",
  intentHash: "",
  amount,
  validUntil,
  attempts: 1,
  lastSentAt: at,
  acknowledged: false,
  payment: { wallet, state: "asked", isReported: false }
})

const paymentChange = ({ funding }: Placement, change: Partial<Payment>, others: Partial<Funding> = {}): Change =>
  funding?.payment === undefined
    ? {}
    : { funding: { ...funding, ...others, payment: { ...funding.payment, ...change } } }

const fundingChange = (placement: Placement, change: Partial<Funding>): Change =>
  placement.funding === undefined ? {} : { funding: { ...placement.funding, ...change } }

type VenueEvent = Of<
  | "StatusSeen"
  | "DepositSeen"
  | "FillSeen"
  | "Closed"
  | "PayoutStarted"
  | "PaidOut"
  | "Refunded"
  | "LegFailed"
  | "Settled"
  | "Contradiction"
>

const changeByVenue = (placement: Placement, event: VenueEvent): Change => {
  switch (event._tag) {
    case "StatusSeen":
      return { status: event.status }
    case "DepositSeen":
      return { state: placement.state === "closing" ? "closing" : "open", deposited: event.total }
    case "FillSeen": {
      const { amountIn, amountOut } = event
      return { fills: new Map(placement.fills).set(event.fillId, { amountIn, amountOut }) }
    }
    case "Closed":
      return { state: "closing", status: event.status, unspent: event.unspent }
    case "PayoutStarted":
      return { payout: "started" }
    case "PaidOut":
      return { payout: "paid", received: placement.received + event.amount }
    case "Refunded":
      return { refund: "paid" }
    case "LegFailed":
      return event.leg === "payout" ? { payout: "failed" } : { refund: "failed" }
    case "Settled":
      return { state: "settled" }
    case "Contradiction":
      return { contradiction: event.what }
  }
}
