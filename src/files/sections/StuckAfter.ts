/** The `stuckAfter:` section of the configuration: how long each step of an order may take before it is named. */
import { defaultTerms, type StepTerms } from "../../engine/tracking/Overdue.ts"
import * as Read from "../../strategy/Fields.ts"

export const reader = Read.fields({
  create: Read.optional(Read.duration, "from the plan to an order that is paid for; default: 10m"),
  deposit: Read.optional(Read.duration, "from the payment to a deposit that shows; default: 15m"),
  doubt: Read.optional(Read.duration, "how long a payment may stay in doubt; default: 30m"),
  end: Read.optional(Read.duration, "from an order's deadline to its end; default: 15m"),
  payout: Read.optional(Read.duration, "from the end of an order to its payout; default: 1h"),
  refund: Read.optional(Read.duration, "from the end of an order to its refund; default: 1h")
})

export const resolved = (read: NonNullable<ReturnType<typeof reader>> | undefined): StepTerms => ({
  create: read?.create?.value ?? defaultTerms.create,
  deposit: read?.deposit?.value ?? defaultTerms.deposit,
  doubt: read?.doubt?.value ?? defaultTerms.doubt,
  end: read?.end?.value ?? defaultTerms.end,
  payout: read?.payout?.value ?? defaultTerms.payout,
  refund: read?.refund?.value ?? defaultTerms.refund
})
