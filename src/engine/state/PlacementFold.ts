/** Effect of each event on its placement. Throws on an impossible history, because an ignored event would hide a broken invariant. */
import { Redacted } from "effect"
import type { Of, PlacementEvent } from "../../domain/BotEvent.ts"
import * as Payload from "../../domain/Payload.ts"
import { foundAtVenue, placementTransitions } from "../../domain/Placement.ts"
import { present } from "../../domain/Present.ts"
import type { SwapReport } from "../../domain/SwapRecord.ts"
import { verdictOf } from "../../venue/wire/VerifierAnswer.ts"
import type { BoundOrder, Funding, Payment, Placement, PlacementIn } from "./Placement.ts"
import { filledOut, isBegun } from "./Placement.ts"

export const planned = (event: Of<"Planned">, at: number): PlacementIn<"planned"> => {
  const { _tag, placement: id, mid: _mid, ...attempt } = event
  return {
    ...attempt,
    id,
    plannedAt: at,
    changedAt: at,
    state: "planned",
    createAttempts: 0,
    deposited: 0n,
    fills: new Map(),
    unspent: 0n,
    payout: "none",
    refund: "none",
    received: 0n,
    spares: new Map(),
    ...(event.why.code === foundAtVenue ? { mayBePaid: true } : {})
  }
}

/** The event `OddOrderSeen` names an order of the venue's list and no placement, so `placementAfter` does not apply it. */
export const unreadable = (placement: Placement, why: string, at: number): Placement => ({
  ...placement,
  unreadable: { since: at, ...placement.unreadable, why }
})

const readable = (placement: Placement): Placement => {
  // Copying every placement would cost more than this check.
  if (placement.unreadable === undefined) return placement
  const { unreadable: _, ...read } = placement
  return read
}

type LaterEvent = Exclude<PlacementEvent, Of<"Planned">>
type LaterTag = LaterEvent["_tag"]

export const placementAfter = (placement: Placement, event: LaterEvent, at: number): Placement => {
  const next = { ...changed(placement, event._tag, event, at), changedAt: at }
  if (next.state !== placement.state && !placementTransitions[placement.state].includes(next.state))
    throw impossible(placement, event, `takes it to ${next.state}`)
  return next
}

const impossible = ({ id, state }: Placement, { _tag }: { readonly _tag: string }, why: string): Error =>
  new Error(`Broken invariant of the journal: ${_tag} of ${id}, which is ${state}, ${why}`)

const bound = (placement: Placement, event: Of<"Bound">): Placement => {
  const { orderId: id, depositAddress, depositMemo, estimatedWithdrawFee, estimatedRefundFee } = event
  const optionalTerms = present({ depositMemo, appFeeBasisPoints: event.appFeeBasisPoints })
  const order: BoundOrder = { id, depositAddress, estimatedWithdrawFee, estimatedRefundFee, ...optionalTerms }
  const spares = new Map(placement.spares)
  spares.delete(id)
  if (placement.state === "planned") throw impossible(placement, event, "comes before its create")
  if (placement.state === "creating") return { ...placement, state: "created", order, spares }
  // A spare order with money replaces the order that was bound before; the state stays the same.
  return { ...placement, order, spares }
}

/** An attempt that ended without money leaves an order to cancel at the venue; a quoted swap leaves nothing. */
const withOwnOrder = ({ by, order, spares }: Placement): Placement["spares"] =>
  order === undefined || by === "swap" ? spares : new Map(spares).set(order.id, false)

const signed = (placement: Placement, event: Of<"FundingSigned" | "PaymentAsked">, at: number): Placement => {
  if (placement.state !== "created") throw impossible(placement, event, "is not due")
  const { amount, validUntil } = event
  const funding: Funding =
    event._tag === "FundingSigned"
      ? Payload.signed(event)
      : {
          ...Payload.signed({ signed: Redacted.make(""), intentHash: "", amount, validUntil }),
          attempts: 1,
          lastSentAt: at,
          payment: { wallet: event.wallet, state: "asked", isReported: false }
        }
  return { ...placement, state: "funding", funding }
}

type Paid = PlacementIn<"funding" | "in doubt" | "open" | "closing" | "settled" | "dead"> & {
  readonly funding: Funding
}
const hasPayment = (placement: Placement): placement is Paid => placement.funding !== undefined

const unpaid = (placement: Placement, event: LaterEvent): PlacementIn<"planned" | "creating" | "created"> => {
  if (isBegun(placement)) return placement
  throw impossible(placement, event, "comes after its payment was signed")
}

const paymentAfter = (placement: Paid, event: LaterEvent, changes: Partial<Payment>) => {
  const { payment } = placement.funding
  if (payment === undefined) throw impossible(placement, event, "is of a wallet that was not asked")
  return { payment: { ...payment, ...changes } }
}

const answered = (funding: Funding, refusal: Payload.PaymentRefusal): Partial<Funding> => {
  const change = Payload.answered(funding, refusal)
  return change.acknowledged === true ? { ...change, isByWord: undefined } : change
}

const confirmed = ({ payment, ...funding }: Funding): Funding => ({
  ...funding,
  ...(!funding.acknowledged && { isByWord: true }),
  acknowledged: true,
  ...(payment === undefined ? {} : { payment: { ...payment, isConfirmed: true } })
})

const resolved = (placement: Placement, { word }: Of<"Resolved">): Placement => {
  const { contradiction, ...rest } = placement
  if (word === "adopt") return { ...rest, ...present({ accepted: contradiction }) }
  const isPaying = placement.state === "funding" || placement.state === "in doubt"
  if (word === "paid") {
    if (isPaying) return { ...placement, state: "funding", funding: confirmed(placement.funding) }
    const leg = <L extends string>(state: L): L | "paid" => (state === "failed" ? "paid" : state)
    const received = placement.received + (placement.payout === "failed" ? filledOut(placement) : 0n)
    const { payout, refund } = placement
    return { ...placement, received, payout: leg(payout), refund: leg(refund), isByWord: true }
  }
  if (isPaying) return { ...placement, state: "dead", spares: withOwnOrder(placement) }
  // The payout or refund of an ended order may still arrive, so the placement is not settled.
  if (placement.state === "closing") return { ...placement, state: "given up" }
  return placement.state === "open" ? { ...placement, state: "settled" } : rest
}

/** A completed payout stays booked. A payout on its way is started again later. */
export const reopened = (placement: PlacementIn<"closing">): PlacementIn<"open"> => ({
  ...placement,
  state: "open",
  unspent: 0n,
  payout: placement.payout === "started" ? "none" : placement.payout
})

/** Only its deposit is certain. A requested cancel stays requested. */
const takenBack = (placement: Placement, event: Of<"TakenBack">): Placement => {
  if (placement.order === undefined) throw impossible(placement, event, "has no order")
  const { isByWord: ___, closedAt: _, status: __, contradiction, order, ...rest } = placement
  const accepted = present({ accepted: contradiction ?? rest.accepted })
  const nothing = { unspent: 0n, payout: "none", refund: "none", received: 0n } as const
  const fees = { payoutFee: undefined, refundFee: undefined }
  const lives = (rest.lives ?? 0) + 1
  return { ...rest, ...accepted, ...nothing, ...fees, state: "open", order, fills: new Map(), lives }
}

const amountsOfReport = ["deposited", "amountIn", "amountOut", "refunded"] as const

/** A swap may be deposited and paid in any number of parts, so its growth is no suspicious change. */
const hasGrown = (before: SwapReport, after: SwapReport): boolean => {
  const added = amountsOfReport.map((amount) => (after[amount] ?? 0n) - (before[amount] ?? 0n))
  return before.status === after.status && added.some((each) => each > 0n) && added.every((each) => each >= 0n)
}

type Change<T extends LaterTag, P extends Placement = Placement> = (placement: P, event: Of<T>, at: number) => Placement

const ofPayment =
  <T extends LaterTag>(change: Change<T, Paid>): Change<T> =>
  (placement, event, at) => {
    if (!hasPayment(placement)) throw impossible(placement, event, "comes before it was paid for")
    return change(placement, event, at)
  }

const ofFunding = <T extends LaterTag>(
  changes: (placement: Paid, event: Of<T>, at: number) => Partial<Funding>
): Change<T> =>
  ofPayment((placement, event, at) => ({
    ...placement,
    funding: { ...placement.funding, ...changes(placement, event, at) }
  }))

/** A usable report ends the time in which the order was unreadable. */
const ofReport =
  <T extends LaterTag>(change: Change<T>): Change<T> =>
  (placement, event, at) =>
    change(readable(placement), event, at)

const changes: { readonly [T in LaterTag]: Change<T> } = {
  CreateSent: (placement, event) => {
    if (placement.state !== "planned" && placement.state !== "creating") throw impossible(placement, event, "is late")
    return { ...placement, state: "creating", createAttempts: event.attempt, ...present({ path: event.path }) }
  },
  CreateRefused: (placement) => placement,
  Bound: bound,
  FeeEchoed: (placement, { askedBasisPoints, basisPoints, credential, fillsNet }) => ({
    ...placement,
    feeEcho: { askedBasisPoints, basisPoints, credential, ...present({ fillsNet }) }
  }),
  FeesEstimated: (placement, event) => {
    if (placement.state !== "created") throw impossible(placement, event, "is late")
    const { appFeeBasisPoints, estimatedRefundFee, estimatedWithdrawFee } = event
    const fees = { estimatedRefundFee, estimatedWithdrawFee, ...present({ appFeeBasisPoints }) }
    return { ...placement, order: { ...placement.order, ...fees } }
  },
  Abandoned: (placement, event) => ({
    ...unpaid(placement, event),
    state: "abandoned",
    spares: withOwnOrder(placement)
  }),
  OrphanSeen: (placement, { orderId }) => ({ ...placement, spares: new Map(placement.spares).set(orderId, false) }),
  OrphanCancelled: (placement, { orderId }) => ({
    ...placement,
    spares: new Map(placement.spares).set(orderId, true)
  }),
  FundingSigned: signed,
  FundingSent: ofFunding((_, { attempt }, at) => ({ attempts: attempt, lastSentAt: at })),
  FundingHeld: ofFunding(({ funding }) => ({ attempts: funding.attempts - 1 })),
  FundingAcknowledged: ofFunding(() => ({ acknowledged: true, isByWord: undefined })),
  // Older journals have no verdicts, only the verifier's text; the verdict follows from that text.
  FundingAnswered: ofFunding(({ funding }, event) =>
    answered(funding, { ...event, ...present({ verdict: event.verdict ?? verdictOf(event) }) })
  ),
  FundingInDoubt: ofPayment((placement, { reason }, since) => ({
    ...placement,
    state: "in doubt",
    doubt: { since, reason }
  })),
  FundingDead: ofPayment((placement) => ({ ...placement, state: "dead", spares: withOwnOrder(placement) })),
  PaymentAsked: signed,
  PaymentAskedAgain: ofPayment((placement, event, at) => ({
    ...placement,
    state: "funding",
    funding: {
      ...placement.funding,
      attempts: event.attempt,
      lastSentAt: at,
      ...paymentAfter(placement, event, { state: "asked", isInterrupted: undefined })
    }
  })),
  PaymentMade: ofFunding((placement, event) => {
    const { sender, txHash } = event
    return { acknowledged: true, ...paymentAfter(placement, event, { state: "paid", txHash, ...present({ sender }) }) }
  }),
  PaymentUnclear: ofFunding((placement, event) =>
    paymentAfter(placement, event, { state: "unclear", isInterrupted: event.interrupted })
  ),
  PaymentReported: ofFunding((placement, event) => paymentAfter(placement, event, { isReported: true })),
  CancelRequested: (placement, { why }, at) => ({
    ...placement,
    cancel: { why, requestedAt: at, attempts: 0, lastSentAt: 0 }
  }),
  CancelSent: (placement, event, at) => {
    const { cancel } = placement
    if (cancel === undefined) throw impossible(placement, event, "comes before a cancel was wanted")
    return { ...placement, cancel: { ...cancel, attempts: event.attempt, lastSentAt: at } }
  },
  CancelRefused: (placement) => placement,
  Resolved: resolved,
  TakenBack: takenBack,
  WrittenOff: (placement, { amount, asset }) => ({ ...placement, lost: new Map(placement.lost).set(asset, amount) }),
  Found: (placement, event) => ({
    ...placement,
    lost: new Map([...(placement.lost ?? [])].filter(([asset]) => asset !== event.asset))
  }),
  OrderMissing: (placement, { text }, since) => ({ ...placement, missing: { since, text } }),
  OrderBack: (placement) => ({ ...placement, missing: undefined }),
  StatusSeen: ofReport((placement, { status }) => ({ ...placement, status, changes: (placement.changes ?? 0) + 1 })),
  SwapReported: ofReport((placement, event) => {
    const { _tag, placement: _id, slot, strategy, correlationId, ...report } = event
    const isGrown = placement.report !== undefined && hasGrown(placement.report, report)
    return { ...placement, report, changes: (placement.changes ?? 0) + (isGrown ? 0 : 1) }
  }),
  DepositSeen: ofReport((placement, event) => {
    if (placement.order === undefined) throw impossible(placement, event, "has no order")
    if (placement.state === "closing") return { ...placement, deposited: event.total }
    return { ...placement, state: "open", order: placement.order, deposited: event.total }
  }),
  FillSeen: ofReport((placement, { amountIn, amountOut, fillId, filledAt, updatedAt = filledAt }) => {
    const earlierFill = placement.fills.get(fillId)
    const grown = {
      slices: (earlierFill?.slices ?? 0n) + 1n,
      amountIn: (earlierFill?.amountIn ?? 0n) + amountIn,
      amountOut: (earlierFill?.amountOut ?? 0n) + amountOut,
      updatedAt
    }
    return { ...placement, fills: new Map(placement.fills).set(fillId, grown) }
  }),
  Closed: ofReport((placement, event, closedAt) => {
    const { order } = placement
    if (order === undefined) throw impossible(placement, event, "has no order")
    return { ...placement, state: "closing", order, status: event.status, unspent: event.unspent, closedAt }
  }),
  Reopened: ofReport((placement, event) => {
    if (placement.state !== "closing" || placement.refund !== "none") throw impossible(placement, event, "is not over")
    const { closedAt: _, ...open } = reopened(placement)
    return { ...open, status: event.status }
  }),
  PayoutStarted: ofReport((placement) => ({ ...placement, payout: "started" })),
  PaidOut: ofReport((placement, { amount, fee }) => ({
    ...placement,
    payout: "paid",
    received: placement.received + amount,
    payoutFee: fee
  })),
  Refunded: ofReport((placement, { fee }) => ({ ...placement, refund: "paid", refundFee: fee })),
  LegFailed: ofReport((placement, { leg }) => ({ ...placement, [leg]: "failed" })),
  Settled: ofReport((placement, event) => {
    if (placement.order === undefined) throw impossible(placement, event, "has no order")
    return { ...placement, state: "settled", order: placement.order }
  }),
  Contradiction: ofReport((placement, { what }) => ({ ...placement, contradiction: what }))
}

const changed = <T extends LaterTag>(placement: Placement, tag: T, event: Of<T>, at: number): Placement =>
  changes[tag](placement, event, at)
