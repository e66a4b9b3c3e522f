/** Reads the `stuckAfter:` section of the configuration: the time that each step of an order may take before it is reported. */
import { defaultTerms } from "../../engine/tracking/Overdue.ts"
import * as Read from "../../strategy/Fields.ts"

const within = (step: keyof typeof defaultTerms, says: string) =>
  Read.withDefault(Read.duration, defaultTerms[step], says)

export const reader = Read.section({
  create: within("create", "from the plan to an order that is paid for"),
  deposit: within("deposit", "from the payment to a deposit that shows"),
  doubt: within("doubt", "how long a payment may stay in doubt"),
  end: within("end", "from an order's deadline to its end"),
  payout: within("payout", "from the end of an order to its payout"),
  refund: within("refund", "from the end of an order to its refund")
})
