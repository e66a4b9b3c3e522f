/** Finds contradictions in a report of an order: against our facts, and inside the report once the order has ended. Pure. */
import { type Amount, min } from "../../domain/Amount.ts"
import type { Of } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { ContradictionKind } from "../../domain/EventValues.ts"
import { type Fill, isSaid, isTerminal, type Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import { iso } from "../../domain/Text.ts"
import { about, type Placement } from "../state/Placement.ts"
import * as Fees from "./amounts/Fees.ts"
import * as Fills from "./amounts/Fills.ts"
import * as Fingerprint from "./Fingerprint.ts"
import { pathMismatch } from "./MoneyPath.ts"

export interface Finding {
  readonly kind: ContradictionKind
  readonly what: string
}

export const changedReport = (
  placement: Placement,
  what: string,
  evidence: string,
  correlationId?: string
): Of<"Contradiction"> => {
  const finding = { kind: "changed-report", what, evidence, ...present({ correlationId }) } as const
  return { _tag: "Contradiction", ...about(placement), ...finding }
}

const changed = (what: string | undefined): Finding | undefined =>
  what === undefined ? undefined : { kind: "changed-report", what }

export const spentBy = ({ fills }: Order): Amount => fills.reduce((total, { amountIn }) => total + amountIn, 0n)
export const receivedBy = ({ fills }: Order): Amount => fills.reduce((total, { amountOut }) => total + amountOut, 0n)

export const unspentOf = ({ state, unspent }: Placement, { left }: Pick<Fills.Disputed, "left">): Amount =>
  state === "closing" ? unspent : left

/**
 * Highest deposit that we can have made; `undefined` if there is no bound. If the journal may have lost a signature, the order's input is
 * the bound. A swap by hand may be paid from elsewhere with more than was agreed; the venue returns the rest.
 */
export const mostDeposited = ({ funding, inputAmount, mayBePaid, swap }: Placement): Amount | undefined => {
  if (swap !== undefined && funding?.payment !== undefined) return undefined
  return min(inputAmount, funding?.amount ?? (mayBePaid === true ? inputAmount : 0n))
}

/** An output above this multiple of the limit's promise is not an improvement. */
const improvement = 2n
/** Limit for an agreed quote, in tenths of its promise. */
const maxTenthsOfQuote = 11n

/** A buying order is for an exact output; a swap, and an order that sells, may bring more than they promise. */
const isTooMuch = ({ by, inputAmount, outputAmount, side, swap }: Placement, order: Order): boolean => {
  const rounding = BigInt(order.fills.length)
  const [received, spent] = [receivedBy(order), spentBy(order)]
  // The quote of a swap by hand is minutes old and names both amounts. A larger input gets proportionally more.
  if (swap !== undefined)
    return (received - rounding) * swap.amountIn * 10n > maxTenthsOfQuote * (spent + rounding) * swap.amountOut
  if (side === "BUY" && by === undefined) return received > outputAmount + rounding
  return (received - rounding) * inputAmount > improvement * (spent + rounding) * outputAmount
}

export const isImpossible = (placement: Placement, order: Order): boolean =>
  spentBy(order) > spendable(placement, order) || isTooMuch(placement, order)

export const isLate = (placement: Placement, order: Order): boolean =>
  placement.refund === "none" && spentBy(order) > spendable(placement, order) && spentBy(order) <= order.depositedAmount

const spendable = ({ state, unspent }: Placement, { depositedAmount }: Order): Amount =>
  state === "closing" ? depositedAmount - unspent : depositedAmount

/**
 * Returns the first finding that the operator has not accepted. `reported` is the report as it came. `order` has each fill once, with its
 * booked amounts, and only our deposit.
 */
export const findContradiction = (placement: Placement, reported: Order, order: Order): Finding | undefined => {
  const { accepted, path, side } = placement
  return [
    againstKnown(placement, reported, order),
    changed(path && pathMismatch({ side, ...path }, order)),
    termMismatch(placement, order),
    againstItself(placement, order),
    changed(Fees.jumpIn(placement, order)),
    dear(placement, order, Fills.disputed(placement, order, reported)),
    changed(changesTooOften(placement) ? `its status changed ${mostChanges} times` : undefined)
  ].find((finding) => finding !== undefined && finding.what !== accepted)
}

type Term = string | number | bigint | undefined

/** Compares the terms that were right at payment. A swap shows no terms of its own. */
const termMismatch = (placement: Placement, order: Order): Finding | undefined => {
  const { by, deadline, order: bound, price, quantity } = placement
  if (by !== undefined || bound?.id !== order.id) return undefined
  // Lower fees, or none reported, cost us nothing.
  const { appFeeBasisPoints: fees } = order
  const mostFees = placement.state === "created" ? fees : (bound.appFeeBasisPoints ?? fees)
  const isSameMemo = order.depositMemo === undefined || order.depositMemo === bound.depositMemo
  const isAlike = (term: "quantity" | "price" | "deadline", isSame: boolean) => !isSaid(order, term) || isSame
  const isSamePrice = isAlike("price", Decimal.equals(order.price, price))
  const isSameDeadline = isAlike("deadline", Fingerprint.isDeadlineOf(placement, order))
  const terms: ReadonlyArray<readonly [string, Term, Term, boolean]> = [
    ["quantity", order.quantity, quantity, isAlike("quantity", order.quantity === quantity)],
    ["price", Decimal.format(order.price), Decimal.format(price), isSamePrice],
    ["deadline", iso(order.deadline), iso(deadline), isSameDeadline],
    ["deposit memo", order.depositMemo, bound.depositMemo, isSameMemo],
    ["app fees in basis points", fees, mostFees, fees <= mostFees]
  ]
  const [name, shown, asked] = terms.find(([, , , isSame]) => !isSame) ?? []
  return name === undefined ? undefined : changed(`its ${name} is ${shown ?? "none"} instead of ${asked ?? "none"}`)
}

const dear = (placement: Placement, order: Order, disputed: Fills.Disputed): Finding | undefined => {
  if (!isTerminal(order.fillStatus)) return undefined
  const legs = [
    ...(Fees.isPaidOut(order) && placement.payout !== "paid"
      ? [["payout", Fees.payoutCost(placement, order, disputed.received)] as const]
      : []),
    ...(Fees.isRefunded(order) && placement.refund !== "paid"
      ? [["refund", Fees.refundCost(placement, order, unspentOf(placement, disputed))] as const]
      : [])
  ]
  const [leg, cost] = legs.find(([, { claimed, fee }]) => claimed > fee) ?? []
  if (cost === undefined) return undefined
  return mismatch(`the venue reports a ${leg} cost of ${cost.claimed}, but it was funded at a fee of ${cost.fee}`)
}

/** No real order changes this often, so further reports are not recorded. */
const mostChanges = 100

export const changesTooOften = ({ changes = 0 }: Placement): boolean => changes >= mostChanges

const againstKnown = (placement: Placement, reported: Order, order: Order): Finding | undefined => {
  const change = changed(Fills.changeIn(placement, reported.fills))
  if (change !== undefined) return change
  const address = placement.order?.depositAddress
  if (address !== undefined && isSaid(order, "depositAddress") && order.depositAddress !== address)
    return changed(`the deposit address changed to ${order.depositAddress}`)
  if (spentBy(order) > order.depositedAmount) return mismatch("fills spent more than was deposited")
  if (spentBy(order) > spendable(placement, order)) return mismatch("fills spent money that was unspent at its end")
  const most = mostDeposited(placement)
  if (most !== undefined && reported.depositedAmount > most)
    return mismatch(`${reported.depositedAmount} was deposited although ${most} was signed for`)
  if (isTooMuch(placement, order)) return mismatch(`its fills returned ${receivedBy(order)}, more than possible`)
  const unfair = order.fills.find((fill) => isWorse(placement, fill))
  return unfair === undefined ? undefined : mismatch(`fill ${unfair.id} is worse than the limit price`)
}

const mismatch = (what: string): Finding => ({ kind: "amounts-do-not-match", what })

/** Less output per input than the whole order promises, by more than rounding takes on either side. */
const isWorse = (placement: Placement, fill: Fill): boolean => {
  const received = fill.amountOut + Fills.roundingIn(placement, [fill], "amountOut")
  const spent = fill.amountIn - Fills.roundingIn(placement, [fill], "amountIn")
  return received * placement.inputAmount < spent * Fees.leastOf(placement, placement.outputAmount)
}

/** An order that has not ended, or held no money, contradicts nothing. Until its payouts are final, they may still come. */
const againstItself = (placement: Placement, order: Order): Finding | undefined => {
  const { depositedAmount, fills, fillStatus, payoutIsFinal, refund, withdrawals } = order
  if (!isTerminal(fillStatus) || depositedAmount === 0n) return undefined
  const [spent, received] = [spentBy(order), receivedBy(order)]
  const isRefunded = refund?.status === "COMPLETED"
  const isFilled = fillStatus === "FILLED"
  if (isFilled && fills.length === 0 && isRefunded)
    return { kind: "success-but-refunded", what: `it ended ${fillStatus}, but the deposit was refunded` }
  if (isFilled && isRefunded && spent === depositedAmount)
    return { kind: "refund-of-filled", what: `it was filled completely, but also refunded` }
  if (!payoutIsFinal) return undefined
  if (isFilled && fills.length === 0)
    return { kind: "success-without-amounts", what: `it ended ${fillStatus}, but no fill shows an amount` }
  if (received > 0n && withdrawals.length === 0)
    return { kind: "filled-unpaid", what: `${received} was filled, and its payouts are final without a withdrawal` }
  if (
    isFilled &&
    received + Fills.roundingIn(placement, fills, "amountOut") < Fees.leastOf(placement, order.outputAmount)
  )
    return mismatch(`it ended ${fillStatus} with ${received}, less than the ${order.outputAmount} that it promised`)
  if (isFilled && spent < depositedAmount && refund === undefined)
    return mismatch(`it ended ${fillStatus} with ${spent} of ${depositedAmount} spent, and without a refund`)
  return undefined
}
