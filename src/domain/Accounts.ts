/**
 * The accounts of the ledger and what moves between them. Money is in places. Counter accounts say where it came from and went:
 * `outside` gives budgets, `traded` has what fills exchanged, and `given back` has what strategies returned to the account when
 * they ended. Together they always come to zero.
 */
import type { Amount } from "./Amount.ts"

export const places = [
  "wallet",
  "dust",
  "deposit in flight",
  "in doubt",
  "in order",
  "filled unpaid",
  "payout in flight",
  "refund in flight",
  "fees",
  "residual",
  "lost"
] as const

export type Place = (typeof places)[number]

/** Dust stays apart, so that it is dust again when its strategy is loaded again. */
const givenBackFrom = { wallet: "given back", dust: "dust given back" } as const
const givenBackTo = { "given back": "wallet", "dust given back": "dust" } as const

export type AccountName = Place | "outside" | "traded" | keyof typeof givenBackTo

/** Who the money in a place belongs to: a strategy (wallet, fees, …) or one placement. */
export interface OwnerAccount {
  readonly asset: string
  readonly account: AccountName
  readonly owner: string
}

export interface Transfer {
  readonly asset: string
  readonly amount: Amount
  readonly from: { readonly account: AccountName; readonly owner: string }
  readonly to: { readonly account: AccountName; readonly owner: string }
}

/** What is not zero, by asset, account and owner. */
export interface AccountBalances {
  readonly balances: Map<string, { readonly entry: OwnerAccount; readonly amount: Amount }>
}

export const keyOf = ({ account, asset, owner }: OwnerAccount): string => `${asset}\u0000${account}\u0000${owner}`

export const balance = ({ balances }: AccountBalances, asset: string, account: AccountName, owner: string): Amount =>
  balances.get(keyOf({ asset, account, owner }))?.amount ?? 0n

const change = ({ balances }: AccountBalances, entry: OwnerAccount, delta: Amount): void => {
  const key = keyOf(entry)
  const amount = (balances.get(key)?.amount ?? 0n) + delta
  if (amount === 0n) balances.delete(key)
  else balances.set(key, { entry, amount })
}

/** Makes these transfers, in place. */
export const book = (ledger: AccountBalances, transfers: ReadonlyArray<Transfer>): ReadonlyArray<Transfer> => {
  for (const { asset, amount, from, to } of transfers) {
    change(ledger, { asset, ...from }, -amount)
    change(ledger, { asset, ...to }, amount)
  }
  return transfers
}

/** What a strategy has outside its orders. */
export const isOwn = (account: AccountName): account is keyof typeof givenBackFrom => account in givenBackFrom

export const isGivenBack = (account: AccountName): account is keyof typeof givenBackTo => account in givenBackTo

/** All of these balances to the account and back: what is free is given back, what was given back is free again. */
export const takenAlong = (ledger: AccountBalances, entries: Iterable<OwnerAccount>): ReadonlyArray<Transfer> =>
  [...entries].flatMap(({ asset, account, owner }) => {
    const amount = balance(ledger, asset, account, owner)
    const other = isOwn(account) ? givenBackFrom[account] : isGivenBack(account) ? givenBackTo[account] : undefined
    if (amount === 0n || other === undefined) return []
    return [{ asset, amount, from: { account, owner }, to: { account: other, owner } }]
  })

/** What strategies that do not run have given back to the account, by asset and strategy. */
export const givenBack = ({ balances }: AccountBalances) => {
  const sums = new Map<string, { readonly asset: string; readonly strategy: string; readonly amount: Amount }>()
  for (const { entry, amount } of balances.values()) {
    if (!isGivenBack(entry.account)) continue
    const { asset, owner: strategy } = entry
    const key = keyOf({ asset, account: "given back", owner: strategy })
    sums.set(key, { asset, strategy, amount: amount + (sums.get(key)?.amount ?? 0n) })
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n)
}

/** All that was given back of an asset. */
export const givenBackOf = (ledger: AccountBalances, asset: string): Amount =>
  givenBack(ledger).reduce((sum, each) => (each.asset === asset ? sum + each.amount : sum), 0n)
