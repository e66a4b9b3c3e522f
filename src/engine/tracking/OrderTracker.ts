/**
 * Computes the new facts in a report of the venue as events. Pure. No single report takes back a deposit, a fill or a terminal status: one
 * that shows less than the books counts as an old view and is ignored, unless it `insists`. A report of something impossible becomes a
 * `Contradiction` and freezes the slot. A status alone never closes the books: an order is settled when its fills are paid out, its unspent
 * input is refunded and the venue calls both final. An amount that does not add up by then moves to *residual*.
 */
import { type Amount, max, min } from "../../domain/Amount.ts"
import type { BotEvent, Of } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import { feesToOthers, isSaid, isTerminal, type Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import type { SwapReport } from "../../domain/SwapRecord.ts"
import type { Expectations } from "../EngineSettings.ts"
import { about, filledOut, type Placement, type PlacementIn } from "../state/Placement.ts"
import { reopened } from "../state/PlacementFold.ts"
import { credible, isPaidOut, isRefunded, payoutCost, refundCost } from "./amounts/Fees.ts"
import * as Fills from "./amounts/Fills.ts"
import { reopening } from "./amounts/TakingBack.ts"
import * as Contradictions from "./Contradictions.ts"
import * as Fingerprint from "./Fingerprint.ts"
import { askedFor, pathMismatch, shownBy } from "./MoneyPath.ts"

/** True if neither address nor deadline is ours: the report is about another order under our order's id. */
const isAnother = (placement: Placement, order: Order): boolean =>
  placement.order !== undefined &&
  isSaid(order, "depositAddress") &&
  order.depositAddress !== placement.order.depositAddress &&
  !Fingerprint.isDeadlineOf(placement, order)

/** True if an order trades this quantity of this market at this price. Its deadline may be another. */
export const hasTerms = (
  { price, quantity, side }: Pick<Placement, "price" | "quantity" | "side">,
  market: Market,
  order: Order
): boolean =>
  order.side === side &&
  order.baseAsset === market.base.id &&
  order.quoteAsset === market.quote.id &&
  order.quantity === quantity &&
  Decimal.equals(order.price, price)

const matches = (placement: Placement, market: Market, order: Order): boolean =>
  Fingerprint.isDeadlineOf(placement, order) && hasTerms(placement, market, order)

/** True if an order comes from our unanswered create: all its terms match, and its drawn deadline to the millisecond. */
export const isFromOurCreate = (placement: Placement, market: Market, order: Order): boolean =>
  order.deadline === placement.deadline && matches(placement, market, order)

const mismatch = (placement: Placement, market: Market, order: Order, expected: Expectations): string | undefined => {
  const { inputAmount, outputAmount, path = askedFor(placement.side, market, expected), terms = {} } = placement
  const { maxAppFeeBasisPoints, signerId } = expected
  // The side is not compared: it helped to recognise the order, and a swap has none.
  const elsewhere = pathMismatch({ side: order.side, ...path }, order)
  if (elsewhere !== undefined) return elsewhere
  const wrong = firstMismatch([
    ["amount to deposit", order.inputAmount, inputAmount],
    ["deposit type", order.depositType, path.refundType],
    // A signed transfer cannot carry a memo, so money that needs one would be lost.
    ["deposit memo", path.refundType === "ORIGIN_CHAIN" ? undefined : order.depositMemo, undefined]
  ])
  if (wrong !== undefined) return wrong
  if (order.outputAmount < outputAmount)
    return `its minimum amount to receive is ${order.outputAmount} instead of ${outputAmount}`
  const mostFees = Math.max(maxAppFeeBasisPoints, feesToOthers(terms))
  if (order.appFeeBasisPoints > mostFees)
    return `its app fees are ${order.appFeeBasisPoints} basis points, more than ${mostFees}`
  return order.depositAddress === signerId ? "its deposit address is our own account" : undefined
}

const firstMismatch = (checks: ReadonlyArray<readonly [string, unknown, unknown]>): string | undefined => {
  const wrong = checks.find(([, found, wanted]) => found !== wanted)
  return wrong === undefined ? undefined : `its ${wrong[0]} is ${wrong[1]} instead of ${wrong[2]}`
}

const echoMismatch = (placement: Placement, market: Market, order: Order, expected: Expectations): string | undefined =>
  mismatch(placement, market, order, expected) ??
  firstMismatch([
    ["status", order.fillStatus, "AWAITING_DEPOSIT"],
    ["deposited amount", order.depositedAmount, 0n]
  ])

/** Reason why no money may go to this unpaid order. The answer to a swap's quote has none of our terms. */
export const orderMismatch = (placement: Placement, market: Market, order: Order, expected: Expectations) => {
  const unsaid = unsaidIn(order)
  if (unsaid !== undefined) return unsaid
  return placement.by === "swap" || matches(placement, market, order)
    ? echoMismatch(placement, market, order, expected)
    : "it differs from the request"
}

/** Reason not to pay an order whose fee is above the schedule. No fee is agreed before the venue's answer, so it is no contradiction. */
export const dearerThanScheduled = (
  { by, terms = {} }: Placement,
  market: Market,
  { appFeeBasisPoints }: Order,
  { echoedBasisPoints }: Expectations
): string | undefined => {
  const scheduled = by === "swap" ? undefined : echoedBasisPoints?.(market, terms)
  return scheduled === undefined || appFeeBasisPoints <= scheduled
    ? undefined
    : `the venue charges ${appFeeBasisPoints} basis points, the schedule says ${scheduled}: if that is right, set venue.facts.fees`
}

export const refuseToFund = (
  placement: Placement,
  what: string,
  evidence: string,
  correlationId: string | undefined
): ReadonlyArray<BotEvent> => [
  { _tag: "Contradiction", ...about(placement), what, evidence, ...present({ correlationId }) },
  { _tag: "Abandoned", ...about(placement), reason: what }
]

export const bind = (
  placement: Placement,
  market: Market,
  order: Order,
  expected: Expectations,
  via: "reply" | "list",
  correlationId: string | undefined
): ReadonlyArray<BotEvent> => {
  const correlation = present({ correlationId })
  // An order that ended unpaid is bound all the same; the last read before its payment gives it up.
  const isOver = isTerminal(order.fillStatus) && order.depositedAmount === 0n
  const asCreated = isOver ? { ...order, fillStatus: "AWAITING_DEPOSIT" } : order
  const problem = orderMismatch(placement, market, asCreated, expected)
  const echo = matches(placement, market, order) ? feeEchoed(placement, order, expected) : []
  const spares =
    placement.by === undefined ? [{ _tag: "OrphanSeen", ...about(placement), orderId: order.id } as const] : []
  if (problem !== undefined) {
    const what = `order ${order.id} was not funded: ${problem}`
    const evidence = `side ${order.side}, quantity ${order.quantity}, price ${Decimal.format(order.price)}, deadline ${order.deadline}`
    return [...echo, ...spares, ...refuseToFund(placement, what, evidence, correlationId)]
  }
  const dear = dearerThanScheduled(placement, market, order, expected)
  if (dear !== undefined)
    return [...echo, ...spares, { _tag: "Abandoned", ...about(placement), reason: `not funded: ${dear}` }]
  // The status is recorded here, so that the read before the payment has nothing to record.
  const status = order.fillStatus
  const statusEvents = isTerminal(status)
    ? []
    : [{ _tag: "StatusSeen", ...about(placement), status, ...correlation } as const]
  return [...echo, bound(placement, order, via, correlation), ...statusEvents]
}

/** The answer to a create contains the service's fee, even if the order is refused for it. */
const feeEchoed = (placement: Placement, order: Order, { echoOf }: Expectations): ReadonlyArray<BotEvent> => {
  const { echoedBasisPoints: basisPoints } = order
  if (echoOf === undefined || basisPoints === undefined || placement.by === "swap") return []
  return [{ _tag: "FeeEchoed", ...about(placement), ...echoOf(placement.terms ?? {}), basisPoints }]
}

interface Asked {
  readonly market: Market
  readonly expected: Expectations
}

/** A deposit in a spare order counts as evidence, even if another order was bound before. Its wrong terms are reported. */
export const adopt = (placement: Placement, order: Order, asked?: Asked): ReadonlyArray<BotEvent> => {
  if (order.unsaid !== undefined) return []
  const binding = bound(placement, { ...order, ...credible(placement, order) }, "list", {})
  if (asked === undefined || placement.contradiction !== undefined) return [binding]
  const { expected, market } = asked
  const what = mismatch(placement, market, order, expected)
  return what === undefined ? [binding] : [binding, contradicted(placement, { kind: "changed-report", what }, order)]
}

export const eventsOfFound = (placement: Placement, order: Order, asked?: Asked): ReadonlyArray<BotEvent> => {
  const adopted = adopt(placement, order, asked)
  if (placement.state !== "planned") return adopted
  const path = asked === undefined ? shownBy(order) : askedFor(placement.side, asked.market, asked.expected)
  return [{ _tag: "CreateSent", ...about(placement), attempt: 1, path }, ...adopted]
}

const bound = (
  placement: Placement,
  order: Order,
  via: "reply" | "list",
  correlation: { readonly correlationId?: string }
): BotEvent => ({
  _tag: "Bound",
  ...about(placement),
  orderId: order.id,
  depositAddress: order.depositAddress,
  ...present({ depositMemo: order.depositMemo }),
  via,
  estimatedWithdrawFee: order.estimatedWithdrawFee ?? 0n,
  estimatedRefundFee: order.estimatedRefundFee ?? 0n,
  appFeeBasisPoints: order.appFeeBasisPoints,
  ...present({ quoteSignature: order.quoteSignature }),
  ...correlation
})

const isOld = (placement: Placement, order: Order): boolean =>
  order.depositedAmount < placement.deposited ||
  Fills.lostIn(placement, order.fills) !== undefined ||
  (placement.state === "closing" && !isTerminal(order.fillStatus))

export const unsaidIn = ({ unsaid }: Order): string | undefined =>
  unsaid && `the venue does not say its ${unsaid.join(", ")}`

/** Earlier fact that the report of an ended order lacks. */
export const lackingIn = (placement: Placement, order: Order): string | undefined =>
  isTerminal(order.fillStatus) ? missingIn(placement, order) : undefined

/** Earlier fact that a report of a live order lacks. A single such report may be an old view and proves nothing. */
export const vanishedIn = (placement: Placement, order: Order): string | undefined =>
  isTerminal(order.fillStatus) ? undefined : missingIn(placement, order)

const missingIn = (placement: Placement, order: Order): string | undefined => {
  if (placement.order?.id !== order.id) return undefined
  const lack = Fills.lackIn(placement, order.fills)
  if (lack !== undefined) return `it is ${order.fillStatus}, and ${lack}`
  return order.depositedAmount < placement.deposited
    ? `it is ${order.fillStatus}, and depositedAmount is ${order.depositedAmount}, less than it had shown`
    : undefined
}

/** Finding if a final report lacks facts that the venue had shown. `reported` has the fills as they came. */
const lost = (placement: Placement, shown: Order, reported: Order): Contradictions.Finding | undefined => {
  const lack = lackingIn(placement, shown)
  if (lack === undefined) return undefined
  const [theirs, ours] = [Contradictions.receivedBy(reported), filledOut(placement)]
  const fills = `the venue shows fills of ${theirs} ${placement.outputAsset}, the journal has ${ours}`
  const what = theirs === ours ? lack : `${lack}: ${fills}`
  return what === placement.accepted ? undefined : { kind: "changed-report", what }
}

export interface Manner {
  /** The venue has shown less than before for so long that the report is no old view. */ readonly insists?: boolean
  readonly isEndUnbelieved?: boolean
}

/**
 * Returns the events of a report in this order: swap report, contradiction, fees, deposit, reopening, fills, status, end. `reported` is the
 * report as it came. `facts` has each fill once, in its booked amounts, and only our deposit. `order` is believed: `facts`, or the booked
 * fills and deposit if the report `insists`.
 */
export const observe = (
  placement: Placement,
  reported: Order,
  correlationId?: string,
  { insists = false, isEndUnbelieved = false }: Manner = {}
): ReadonlyArray<BotEvent> => {
  const facts = {
    ...reported,
    fills: Fills.factsIn(placement, reported.fills),
    depositedAmount: depositIn(placement, reported)
  }
  const order = insists
    ? {
        ...facts,
        fills: Fills.fillsOf(placement),
        depositedAmount: max(facts.depositedAmount, placement.deposited)
      }
    : facts
  if (isOld(placement, order)) return []
  const correlation = present({ correlationId })
  const finding =
    placement.contradiction === undefined
      ? ((insists ? lost(placement, facts, reported) : undefined) ??
        Contradictions.findContradiction(placement, reported, order))
      : undefined
  const events: Array<BotEvent> = []
  const isMuted = Contradictions.changesTooOften(placement)
  if (reported.report !== undefined && !isMuted && !isSame(placement.report, reported.report))
    events.push({ _tag: "SwapReported", ...about(placement), ...reported.report, ...correlation })
  if (finding !== undefined) events.push({ ...contradicted(placement, finding, reported), ...correlation })
  if (isAnother(placement, order)) return events
  if (placement.state === "created" && order.depositedAmount === 0n)
    events.push(...reestimated(placement, order), ...echoedAnew(placement, order))
  if (order.depositedAmount > placement.deposited) {
    const fresh = order.depositedAmount - placement.deposited
    const total = order.depositedAmount
    const by = placement.by === undefined ? {} : { by: placement.by }
    events.push({ _tag: "DepositSeen", ...about(placement), ...by, asset: placement.inputAsset, total, fresh })
  }
  // A late fill spends money that counted as unspent at the end, so the order is reopened first.
  const isReopening = placement.state === "closing" && Contradictions.isLate(placement, order)
  if (isReopening) events.push(...reopening(placement, order.fillStatus))
  const current = isReopening ? reopened(placement) : placement
  if (Contradictions.isImpossible(current, order)) return events
  events.push(...newFills(current, order))
  if (order.fillStatus !== placement.status && !isMuted && isNews(placement, order))
    events.push({ _tag: "StatusSeen", ...about(placement), status: order.fillStatus, ...correlation })
  if (isTerminal(order.fillStatus)) {
    const isTold = finding !== undefined || placement.contradiction !== undefined
    const disputed = Fills.disputed(placement, order, { ...facts, fills: reported.fills })
    events.push(...close(current, order, disputed, isEndUnbelieved).map((event) => (isTold ? following(event) : event)))
  }
  return events
}

/**
 * True if a new status is recorded alone. The end of an order is recorded with its money. Without money, the status matters while a payment
 * is on its way: no bytes go to an ended order, even if an older view shows it alive.
 */
const isNews = ({ funding, status }: Placement, { depositedAmount, fillStatus }: Order): boolean => {
  if (isTerminal(fillStatus)) return depositedAmount === 0n && funding !== undefined
  return depositedAmount > 0n || status === undefined || !isTerminal(status)
}

const contradicted = (
  placement: Placement,
  finding: Contradictions.Finding,
  { depositedAmount, fillStatus, fills }: Order
): Of<"Contradiction"> => {
  const evidence = `deposited ${depositedAmount}, fills ${fills.length}, status ${fillStatus}`
  return { _tag: "Contradiction", ...about(placement), ...finding, evidence }
}

const following = (event: BotEvent): BotEvent =>
  event._tag === "LegFailed" ? { ...event, follows: "contradiction" } : event

const isSame = (known: SwapReport | undefined, said: SwapReport): boolean => {
  const text = ({ figures: _, ...report }: SwapReport) =>
    Object.entries(report)
      .map(([field, value]) => `${field} ${value}`)
      .toSorted()
      .join()
  return known !== undefined && text(known) === text(said)
}

/** At most our payment. A refund proves that the money had arrived, even if the report shows no deposit, and so ends the doubt. */
const depositIn = (placement: Placement, { depositedAmount, fillStatus, refund }: Order): Amount => {
  const { deposited, funding } = placement
  if (depositedAmount === 0n && deposited === 0n && refund?.status === "COMPLETED" && isTerminal(fillStatus))
    return funding?.amount ?? 0n
  const most = Contradictions.mostDeposited(placement)
  return most === undefined ? depositedAmount : min(depositedAmount, most)
}

/** New fee estimates count while nothing is paid; later ones are compared with these. */
const reestimated = (placement: PlacementIn<"created">, order: Order): ReadonlyArray<BotEvent> => {
  const { appFeeBasisPoints: given = 0, estimatedRefundFee: refund, estimatedWithdrawFee: payout } = placement.order
  const { estimatedRefundFee = refund, estimatedWithdrawFee = payout } = order
  // A list may report no app fees. The highest that were shown before payment were agreed to.
  const appFeeBasisPoints = Math.max(given, order.appFeeBasisPoints)
  if (estimatedRefundFee === refund && estimatedWithdrawFee === payout && appFeeBasisPoints === given) return []
  return [{ _tag: "FeesEstimated", ...about(placement), estimatedWithdrawFee, estimatedRefundFee, appFeeBasisPoints }]
}

const echoedAnew = (placement: PlacementIn<"created">, { echoedBasisPoints }: Order): ReadonlyArray<BotEvent> => {
  const { feeEcho } = placement
  if (feeEcho === undefined || echoedBasisPoints === undefined || feeEcho.basisPoints === echoedBasisPoints) return []
  return [{ _tag: "FeeEchoed", ...about(placement), ...feeEcho, basisPoints: echoedBasisPoints }]
}

const newFills = (placement: Placement, order: Order): ReadonlyArray<BotEvent> =>
  Fills.newIn(placement, order.fills).map((fill) => ({
    _tag: "FillSeen",
    ...about(placement),
    fillId: fill.id,
    side: placement.side,
    price: placement.price,
    inputAsset: placement.inputAsset,
    amountIn: fill.amountIn,
    outputAsset: placement.outputAsset,
    amountOut: fill.amountOut,
    filledAt: fill.at,
    ...present({ updatedAt: fill.updatedAt })
  }))

/** Follows the money of an ended order out of it, until the amounts add up and its payouts are final. */
const close = (
  placement: Placement,
  order: Order,
  disputed: Fills.Disputed,
  isEndUnbelieved: boolean
): ReadonlyArray<BotEvent> => {
  if (order.depositedAmount === 0n) {
    // Only the payload's expiry shows that a signed order gets no deposit. An unsigned order had no money at risk, unless the journal may
    // have lost its signature.
    return placement.state === "created" && placement.mayBePaid !== true
      ? [{ _tag: "Abandoned", ...about(placement), reason: `the venue ended it unfunded (${order.fillStatus})` }]
      : []
  }
  const events: Array<BotEvent> = []
  const unspent = Contradictions.unspentOf(placement, disputed)
  const { inputAsset } = placement
  if (placement.state !== "closing")
    events.push({ _tag: "Closed", ...about(placement), status: order.fillStatus, inputAsset, unspent })
  const payout = payoutEvents(placement, order, disputed)
  const refund = isEndUnbelieved ? notYet : refundEvents(placement, order, unspent, disputed)
  events.push(...payout.events, ...refund.events)
  if (payout.done && refund.done && order.payoutIsFinal) events.push({ _tag: "Settled", ...about(placement) })
  return events
}

interface Outcome {
  readonly events: ReadonlyArray<BotEvent>
  readonly done: boolean
}

const notYet: Outcome = { events: [], done: false }
const nothingLeft: Outcome = { events: [], done: true }

/** The venue names no amounts in payouts, so the arrival is the filled output less the reported cost. */
const payoutEvents = (placement: Placement, order: Order, { received }: Fills.Disputed): Outcome => {
  const asset = placement.outputAsset
  const filled = Contradictions.receivedBy(order)
  if (filled === 0n || placement.payout === "paid") return nothingLeft
  const isComplete = isPaidOut(order)
  // A leg recorded as failed may complete after all.
  if (order.withdrawals.length === 0 || (placement.payout === "failed" && !isComplete)) return notYet
  const events: Array<BotEvent> = []
  // A fill may have grown since.
  const fresh =
    placement.payout === "none" ? filled : placement.payout === "started" ? filled - filledOut(placement) : 0n
  if (fresh > 0n) events.push({ _tag: "PayoutStarted", ...about(placement), asset, amount: fresh })
  const failed = order.withdrawals.find((leg) => leg.status === "FAILED")
  if (failed !== undefined && order.payoutIsFinal) {
    const reason = failed.reason ?? "the venue gave no reason"
    events.push({ _tag: "LegFailed", ...about(placement), leg: "payout", asset, amount: filled, reason })
    return { events, done: false }
  }
  if (!isComplete) return { events, done: false }
  const payoutGross = placement.payout === "failed" ? min(received, filledOut(placement)) : received
  const { claimed, fee } = payoutCost(placement, order, payoutGross)
  const txHashes = order.withdrawals.flatMap((leg) => leg.txHash ?? [])
  events.push({ _tag: "PaidOut", ...about(placement), asset, amount: payoutGross - claimed, fee, txHashes })
  return { events, done: true }
}

const refundEvents = (placement: Placement, order: Order, unspent: Amount, { left: most }: Fills.Disputed): Outcome => {
  const asset = placement.inputAsset
  if (unspent === 0n || placement.refund === "paid") return nothingLeft
  const leg = order.refund
  if (isRefunded(order)) {
    const refundGross = min(unspent, most)
    const { claimed, fee } = refundCost(placement, order, refundGross)
    const txHashes = leg?.txHash === undefined ? [] : [leg.txHash]
    const amount = refundGross - claimed
    return { events: [{ _tag: "Refunded", ...about(placement), asset, amount, fee, txHashes }], done: true }
  }
  if (placement.refund === "failed") return notYet
  if (leg?.status !== "FAILED" && !(leg === undefined && order.payoutIsFinal)) return notYet
  const reason = leg === undefined ? "the order is final without a refund" : (leg.reason ?? "the venue gave no reason")
  const failed = { leg: "refund", asset, amount: unspent, reason } as const
  return { events: [{ _tag: "LegFailed", ...about(placement), ...failed }], done: false }
}
