/**
 * The sandbox's own double-entry books, independent of any bot's ledger. Every unit of every asset is in exactly one place, and each
 * transfer moves it to another. An account's initial money, its trades and its fees are places too, so the sum over all places of an
 * account and asset is always zero. Payments move money out of an order or a swap: to the recipient, as a fee, and to other shares.
 */
import { type Amount, min } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { inputShareOf } from "../../../domain/fees/RoundCost.ts"

/**
 * `balance` is public at the verifier; `private` is the balance of a confidential account. `feesPaid` are flat fees, `priceFees` the fees
 * inside a swap's price. The last three are counter accounts for trades, initial money, and transfers from or to outside.
 */
const nothing = () => ({
  balance: 0n,
  private: 0n,
  depositInTransit: 0n,
  inOrders: 0n,
  unpaid: 0n,
  payoutInTransit: 0n,
  refundInTransit: 0n,
  returnInTransit: 0n,
  failed: 0n,
  feesPaid: 0n,
  priceFees: 0n,
  traded: 0n,
  initial: 0n,
  external: 0n
})

export type BookPlace = keyof ReturnType<typeof nothing>

/** Places that may be negative: they balance the account's holdings. */
const counters: ReadonlySet<BookPlace> = new Set<BookPlace>(["traded", "initial", "external"])

export interface Holding {
  readonly account: string
  readonly place: BookPlace
  readonly order?: string
}

export interface Entry extends Holding {
  readonly asset: string
  readonly amount: Amount
}

export interface Books {
  readonly entries: Map<string, Entry>
}

export const make = (): Books => ({ entries: new Map() })

const keyOf = (asset: string, { account, place, order }: Holding): string =>
  `${asset}\u0000${account}\u0000${place}\u0000${order ?? ""}`

export const amountIn = (books: Books, asset: string, holding: Holding): Amount =>
  books.entries.get(keyOf(asset, holding))?.amount ?? 0n

/** Keeps both accounts in balance. Moving money that is not there is a fault of the sandbox itself, never of a request. */
export const transfer = (books: Books, asset: string, amount: Amount, from: Holding, to: Holding): void => {
  if (amount < 0n) throw new Error(`Negative transfer of ${amount} ${asset}`)
  if (amount === 0n) return
  change(books, asset, from, -amount)
  if (from.account !== to.account) {
    change(books, asset, { account: from.account, place: "external" }, amount)
    change(books, asset, { account: to.account, place: "external" }, -amount)
  }
  change(books, asset, to, amount)
}

const change = (books: Books, asset: string, holding: Holding, delta: Amount): void => {
  const key = keyOf(asset, holding)
  const amount = (books.entries.get(key)?.amount ?? 0n) + delta
  if (amount < 0n && !counters.has(holding.place)) {
    throw new Error(`${holding.account} would hold ${amount} ${asset} in ${holding.place} ${holding.order ?? ""}`)
  }
  if (amount === 0n) books.entries.delete(key)
  else books.entries.set(key, { asset, ...holding, amount })
}

export interface AppFee {
  readonly recipient: string
  /** Basis points of the input. */
  readonly fee: number
}

export type AccountKind = "ORIGIN_CHAIN" | "DESTINATION_CHAIN" | "INTENTS" | "CONFIDENTIAL_INTENTS"

export const placeOf = (kind: AccountKind): "balance" | "private" | "external" =>
  kind === "CONFIDENTIAL_INTENTS" ? "private" : kind === "INTENTS" ? "balance" : "external"

export const isInternal = (kind: AccountKind): boolean => placeOf(kind) !== "external"

export const payee = (account: string, kind: AccountKind, owner: string): Holding => {
  const place = placeOf(kind)
  return { account: place === "external" ? owner : account, place }
}

/** If there is less than the fee, the fee takes all of it. */
export const payLessFee = (books: Books, asset: string, fee: Amount, from: Holding, to: Holding): void => {
  const amount = amountIn(books, asset, from)
  const charged = min(fee, amount)
  transfer(books, asset, charged, from, { account: from.account, place: "feesPaid" })
  transfer(books, asset, amount - charged, from, to)
}

export const appFeeRatio = (appFees: ReadonlyArray<AppFee>): number =>
  Decimal.sumOf(appFees.map(({ fee }) => fee)) / 10_000

/** Pays the app fees of an input, each rounded down, and returns the remainder. */
export const payAppFees = (
  books: Books,
  asset: string,
  amountIn: Amount,
  appFees: ReadonlyArray<AppFee>,
  from: Holding
): Amount => {
  let rest = amountIn
  for (const { recipient, fee } of appFees) {
    const amount = inputShareOf(fee, amountIn)
    transfer(books, asset, amount, from, { account: recipient, place: "balance" })
    rest -= amount
  }
  return rest
}

/** By account, asset and place. In the counter accounts, what the account received is positive. */
export const totals = (books: Books): Map<string, Map<string, Record<BookPlace, Amount>>> => {
  const result = new Map<string, Map<string, Record<BookPlace, Amount>>>()
  for (const { account, asset, place, amount } of books.entries.values()) {
    const ofAccount = result.get(account) ?? new Map<string, Record<BookPlace, Amount>>()
    result.set(account, ofAccount)
    const ofAsset = ofAccount.get(asset) ?? nothing()
    ofAccount.set(asset, ofAsset)
    ofAsset[place] += counters.has(place) ? -amount : amount
  }
  return result
}

export const byOrder = ({ entries }: Books): ReadonlyMap<string, ReadonlyArray<Entry>> => {
  const ofOrders = [...entries.values()].filter(({ order }) => order !== undefined)
  return Map.groupBy(ofOrders, ({ order = "" }) => order)
}

/** For assertions: any entry is a defect of the sandbox. */
export const imbalances = (books: Books): ReadonlyArray<string> => {
  const sums = new Map<string, Amount>()
  for (const { account, asset, amount } of books.entries.values()) {
    const key = `${account} ${asset}`
    sums.set(key, (sums.get(key) ?? 0n) + amount)
  }
  return [...sums].filter(([, sum]) => sum !== 0n).map(([key, sum]) => `${key}: ${sum}`)
}
