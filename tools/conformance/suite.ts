/**
 * Every check, in lanes that run beside each other: the history is slow and waits for nobody else. With the facts of a profile
 * there are rows for them as well; what the rotation of salts makes worthless comes last.
 */
import type { VenueFacts } from "../../src/venue/profile/Facts.ts"
import type { Check } from "./Check.ts"
import { errorChecks } from "./checks/errors.ts"
import { historyChecks } from "./checks/history.ts"
import { accountChecks, intentChecks } from "./checks/intents.ts"
import { orderChecks } from "./checks/orders.ts"
import { swapChecks } from "./checks/swaps.ts"
import { factChecks } from "./profile/FactRow.ts"
import { feeRows } from "./profile/fees.ts"
import { loginRows, rotationRows } from "./profile/login.ts"
import { orderRows } from "./profile/orders.ts"
import { signingRows } from "./profile/signing.ts"
import { traceRows } from "./profile/traces.ts"

const factRows = [...signingRows, ...loginRows, ...feeRows, ...orderRows, ...traceRows, ...rotationRows]

export const profileChecks = (facts: VenueFacts): ReadonlyArray<Check> => factChecks(factRows, facts)

export const lanes = (ledger: string, facts?: VenueFacts): ReadonlyArray<ReadonlyArray<Check>> => [
  historyChecks(ledger),
  [
    ...orderChecks,
    ...swapChecks(ledger),
    ...intentChecks,
    ...accountChecks,
    ...errorChecks,
    ...(facts === undefined ? [] : profileChecks(facts))
  ]
]
