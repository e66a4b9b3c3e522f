/** Moves money out of an order or a swap: to the recipient, as a fee, and to other shares. */
import * as Amount from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { inputShareOf } from "../../../domain/fees/RoundCost.ts"
import * as Books from "./Books.ts"

export interface AppFee {
  readonly recipient: string
  /** Basis points of the input. */
  readonly fee: number
}

export type AccountKind = "ORIGIN_CHAIN" | "DESTINATION_CHAIN" | "INTENTS" | "CONFIDENTIAL_INTENTS"

export const placeOf = (kind: AccountKind): "balance" | "private" | "external" =>
  kind === "CONFIDENTIAL_INTENTS" ? "private" : kind === "INTENTS" ? "balance" : "external"

export const isInternal = (kind: AccountKind): boolean => placeOf(kind) !== "external"

export const payee = (account: string, kind: AccountKind, owner: string): Books.Holding => {
  const place = placeOf(kind)
  return { account: place === "external" ? owner : account, place }
}

/** If there is less than the fee, the fee takes all of it. */
export const payLessFee = (
  books: Books.Books,
  asset: string,
  fee: Amount.Amount,
  from: Books.Holding,
  to: Books.Holding
): void => {
  const amount = Books.amountIn(books, asset, from)
  const charged = Amount.min(fee, amount)
  Books.transfer(books, asset, charged, from, { account: from.account, place: "feesPaid" })
  Books.transfer(books, asset, amount - charged, from, to)
}

export const appFeeRatio = (appFees: ReadonlyArray<AppFee>): number =>
  Decimal.sumOf(appFees.map(({ fee }) => fee)) / 10_000

/** Pays the app fees of an input, each rounded down, and returns the remainder. */
export const payAppFees = (
  books: Books.Books,
  asset: string,
  amountIn: Amount.Amount,
  appFees: ReadonlyArray<AppFee>,
  from: Books.Holding
): Amount.Amount => {
  let rest = amountIn
  for (const { recipient, fee } of appFees) {
    const amount = inputShareOf(fee, amountIn)
    Books.transfer(books, asset, amount, from, { account: recipient, place: "balance" })
    rest -= amount
  }
  return rest
}
