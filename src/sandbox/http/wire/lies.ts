/**
 * Lies about an order that somebody told the sandbox to tell: reports that cannot be true, as clients have to expect them.
 * Only what is said is wrong; the books and the money stay true.
 */
import { isTerminal } from "../../../domain/Order.ts"
import type { WireOrderAttributes } from "../../../venue/wire/WireOrder.ts"
import type { Lie, SandboxOrder } from "../../core/State.ts"

interface Change {
  readonly always?: (said: WireOrderAttributes) => Partial<WireOrderAttributes>
  readonly atEnd?: (said: WireOrderAttributes) => Partial<WireOrderAttributes>
}

const nothingPaid = { withdrawal: null, allWithdrawals: [], refund: null }
const invented = { status: "COMPLETED", txHash: "invented" }
const withoutFills: Change["always"] = () => ({ partialFills: [] })

const halved = (amount = "0"): string => String(BigInt(amount) / 2n)

const changes: Readonly<Record<Lie, Change>> = {
  "success-without-amounts": { always: withoutFills, atEnd: () => ({ payouts: nothingPaid }) },
  "success-but-refunded": { always: withoutFills, atEnd: () => ({ payouts: { ...nothingPaid, refund: invented } }) },
  "filled-unpaid": { atEnd: () => ({ payouts: nothingPaid }) },
  "refund-of-filled": { atEnd: ({ payouts }) => ({ payouts: { ...payouts, refund: invented } }) },
  "amounts-do-not-match": {
    always: ({ partialFills = [] }) => ({
      partialFills: partialFills.map((fill) => ({
        ...fill,
        amountIn: halved(fill.amountIn),
        amountOut: halved(fill.amountOut)
      }))
    })
  },
  "deposit-unseen": {
    always: () => ({
      fillStatus: "AWAITING_DEPOSIT",
      depositedAmount: "0",
      depositedAmountFormatted: "0",
      partialFills: [],
      payouts: nothingPaid,
      payoutStatus: "NOT_STARTED",
      isPayoutStatusFinal: false
    })
  }
}

export const lied = ({ lie, status }: SandboxOrder, said: WireOrderAttributes): WireOrderAttributes => {
  if (lie === undefined) return said
  const { always, atEnd } = changes[lie]
  return { ...said, ...always?.(said), ...(isTerminal(status) ? atEnd?.(said) : {}) }
}
