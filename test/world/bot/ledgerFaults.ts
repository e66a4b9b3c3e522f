/** What can be wrong with any ledger, whatever happened: money that came from nowhere, and places that hold less than nothing. */
import type { Amount } from "../../../src/domain/Amount.ts"
import { type Ledger, places } from "../../../src/domain/Ledger.ts"

/** Per asset: the sum over every account, which double entry keeps at zero. */
export const sums = (ledger: Pick<Ledger, "balances">): ReadonlyMap<string, Amount> => {
  const result = new Map<string, Amount>()
  for (const { entry, amount } of ledger.balances.values()) {
    result.set(entry.asset, (result.get(entry.asset) ?? 0n) + amount)
  }
  return result
}

/** Balances below zero in a real place (a wallet overdrawn, an order that spent more than it held): each is a fault. */
export const overdrawn = (ledger: Ledger): ReadonlyArray<string> =>
  [...ledger.balances.values()]
    .filter(({ entry, amount }) => amount < 0n && places.some((place) => place === entry.account))
    .map(({ entry, amount }) => `${entry.owner}: ${amount} ${entry.asset} in ${entry.account}`)
