/**
 * The accounts of the ledger and the transfers between them. All accounts together always add up to zero. Money is in places. Counter
 * accounts record where money came from and went: `outside` funds budgets, `traded` has what fills exchanged, and `given back` has what
 * ended strategies returned to the account.
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

export type AccountName = Place | "outside" | "traded" | "given back" | "dust given back"

type Route = ReadonlyMap<AccountName, AccountName>

/** Moves a strategy's unused money back to the account. Dust stays apart, so that it is dust again when its strategy is loaded again. */
export const back: Route = new Map([
  ["wallet", "given back"],
  ["dust", "dust given back"]
])
export const again: Route = new Map([...back].map(([own, given]) => [given, own]))

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

export interface AccountBalances {
  readonly balances: Map<string, { readonly entry: OwnerAccount; readonly amount: Amount }>
}

const keyOf = (asset: string, account: AccountName, owner: string): string => `${asset}\u0000${account}\u0000${owner}`

export const balance = ({ balances }: AccountBalances, asset: string, account: AccountName, owner: string): Amount =>
  balances.get(keyOf(asset, account, owner))?.amount ?? 0n

const change = (
  { balances }: AccountBalances,
  asset: string,
  { account, owner }: Transfer["from"],
  delta: Amount
): void => {
  const key = keyOf(asset, account, owner)
  const amount = (balances.get(key)?.amount ?? 0n) + delta
  if (amount === 0n) balances.delete(key)
  else balances.set(key, { entry: { asset, account, owner }, amount })
}

export const book = (ledger: AccountBalances, transfers: ReadonlyArray<Transfer>): ReadonlyArray<Transfer> => {
  for (const { asset, amount, from, to } of transfers) {
    change(ledger, asset, from, -amount)
    change(ledger, asset, to, amount)
  }
  return transfers
}

export const isGivenBack = (account: AccountName): boolean => again.has(account)

export const movedAlong = (
  ledger: AccountBalances,
  route: Route,
  entries: ReadonlyArray<OwnerAccount>
): ReadonlyArray<Transfer> =>
  entries.flatMap(({ asset, account, owner }) => {
    const amount = balance(ledger, asset, account, owner)
    const to = route.get(account)
    return amount === 0n || to === undefined
      ? []
      : [{ asset, amount, from: { account, owner }, to: { account: to, owner } }]
  })

export const givenBack = ({ balances }: AccountBalances) => {
  const sums = new Map<string, { readonly asset: string; readonly strategy: string; readonly amount: Amount }>()
  for (const { entry, amount } of balances.values()) {
    if (!isGivenBack(entry.account)) continue
    const { asset, owner: strategy } = entry
    const key = keyOf(asset, "given back", strategy)
    sums.set(key, { asset, strategy, amount: amount + (sums.get(key)?.amount ?? 0n) })
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n)
}

export const givenBackOf = (ledger: AccountBalances, asset: string): Amount =>
  givenBack(ledger).reduce((sum, each) => (each.asset === asset ? sum + each.amount : sum), 0n)
