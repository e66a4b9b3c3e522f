/** I9, I22 and I1: what a process believed is what its journal tells, nothing is overdrawn, and its ledger adds up. */
import { isDeepStrictEqual } from "node:util"
import type { BotState } from "../../../src/engine/state/BotState.ts"
import * as LedgerFaults from "../../world/bot/ledgerFaults.ts"
import { Violation } from "./Judge.ts"

/** `believed`: the memory of a process at its end; `told`: its journal, read again. */
export const check = (bot: string, believed: BotState | undefined, told: BotState): void => {
  if (believed?.sequence === told.sequence && !isDeepStrictEqual(believed, told))
    throw new Violation("I9", `${bot}: its memory is not what its journal tells`)
  const overdrawn = LedgerFaults.overdrawn(told.ledger)
  if (overdrawn.length > 0) throw new Violation("I22", `${bot}: ${overdrawn.join("; ")}`)
  const sums = [...LedgerFaults.sums(told.ledger)].filter(([, sum]) => sum !== 0n)
  if (sums.length > 0) throw new Violation("I1", `${bot}: its ledger does not add up: ${sums}`)
}
