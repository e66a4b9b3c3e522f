/** Every check, in lanes that run beside each other: the history is slow and waits for nobody else. */
import type { Check } from "./Check.ts"
import { errorChecks } from "./checks/errors.ts"
import { historyChecks } from "./checks/history.ts"
import { accountChecks, intentChecks } from "./checks/intents.ts"
import { orderChecks } from "./checks/orders.ts"
import { swapChecks } from "./checks/swaps.ts"

export const lanes = (ledger: string): ReadonlyArray<ReadonlyArray<Check>> => [
  historyChecks(ledger),
  [...orderChecks, ...swapChecks(ledger), ...intentChecks, ...accountChecks, ...errorChecks]
]
