/** One withdrawal of all that filled and one refund of unspent input, each less exactly the fee that the order showed from the start. */
import { isTerminal } from "../../domain/Order.ts"
import * as Seeded from "../Seeded.ts"
import * as Books from "./money/Books.ts"
import { payee, payLessFee } from "./money/Payment.ts"
import { type SandboxOrder, type State, schedule } from "./State.ts"

export const inOrder = ({ account, id }: SandboxOrder): Books.Holding => ({ account, place: "inOrders", order: id })
export const unpaid = ({ account, id }: SandboxOrder): Books.Holding => ({ account, place: "unpaid", order: id })

type PayoutName = "withdrawal" | "refund"

/** An order without money never starts a payout, so it never reports a final one. */
export const payoutStatus = (order: SandboxOrder) => {
  const statuses = [order.withdrawal, order.refund].flatMap((leg) => (leg === undefined ? [] : [leg.status]))
  if (!isTerminal(order.status) || statuses.length === 0) return "NOT_STARTED"
  if (statuses.includes("IN_PROGRESS")) return "IN_PROGRESS"
  return statuses.includes("FAILED") ? "FAILED" : "COMPLETED"
}

export const isPayoutFinal = (order: SandboxOrder): boolean => {
  const status = payoutStatus(order)
  return status === "COMPLETED" || status === "FAILED"
}

const route = (order: SandboxOrder, leg: PayoutName) =>
  leg === "withdrawal"
    ? { asset: order.destination.id, from: unpaid(order), place: "payoutInTransit" as const }
    : { asset: order.origin.id, from: inOrder(order), place: "refundInTransit" as const }

export const start = (state: State, order: SandboxOrder): void => {
  for (const leg of ["withdrawal", "refund"] as const) {
    const { asset, from, place } = route(order, leg)
    const amount = Books.amountIn(state.books, asset, from)
    if (amount === 0n || order[leg] !== undefined) continue
    Books.transfer(state.books, asset, amount, from, { ...from, place })
    order[leg] = { status: "IN_PROGRESS" }
    const { seed, payoutMillis } = state.settings
    schedule(state, Seeded.between(payoutMillis, seed, leg, order.sequence), () => finish(state, order, leg))
  }
}

const finish = (state: State, order: SandboxOrder, leg: PayoutName): void => {
  const { asset, from, place } = route(order, leg)
  const inTransit: Books.Holding = { ...from, place }
  const { seed, failedPayoutShare } = state.settings
  if (order.doomed.has(leg) || Seeded.fraction(seed, "failed", leg, order.sequence) < failedPayoutShare) {
    payLessFee(state.books, asset, 0n, inTransit, { ...from, place: "failed" })
    order[leg] = { status: "FAILED", reason: "The destination did not accept the payment" }
    return
  }
  const [fee, to] =
    leg === "withdrawal"
      ? [order.withdrawFee, payee(order.recipient, order.recipientType, order.account)]
      : [order.refundFee, payee(order.refundTo, order.refundType, order.account)]
  payLessFee(state.books, asset, fee, inTransit, to)
  order[leg] = { status: "COMPLETED", txHash: Seeded.base58(seed, "payment", leg, order.sequence) }
}
