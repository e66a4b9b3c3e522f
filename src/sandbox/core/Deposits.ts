/**
 * Money on its way into an order. A transfer reaches the deposit address at once, the order notices it a little later, and
 * what the order does not need goes back by itself, apart from the order's payouts.
 */
import * as Amount from "../../domain/Amount.ts"
import { isTerminal } from "../../domain/Order.ts"
import * as Books from "./Books.ts"
import { inOrder, inputAsset, open } from "./OrderLife.ts"
import * as Seeded from "./Seeded.ts"
import { type Deposit, type Order, type State, schedule } from "./State.ts"

const inTransit = ({ account, order }: Deposit): Books.Holding => ({
  account,
  place: "depositInTransit",
  order: order.id
})
const returning = ({ account, order }: Deposit): Books.Holding => ({
  account,
  place: "returnInTransit",
  order: order.id
})

/** A transfer has been executed. */
export const arrive = (state: State, deposit: Deposit, from: Books.Holding): void => {
  Books.transfer(state.books, deposit.asset, deposit.amount, from, inTransit(deposit))
  const { seed, recognitionMillis } = state.settings
  const delay = Seeded.between(recognitionMillis, seed, "recognition", state.scheduled)
  schedule(state, delay, { tag: "recognise", deposit })
}

/** The order notices a deposit: it counts for what is missing, the rest is returned. */
export const recognise = (state: State, deposit: Deposit): void => {
  const { order, asset, account, amount } = deposit
  const counted = isCountedBy(order, asset) ? Amount.min(amount, order.inputAmount - order.deposited) : 0n
  if (counted < amount) {
    Books.transfer(state.books, asset, amount - counted, inTransit(deposit), returning(deposit))
    const { seed, payoutMillis } = state.settings
    const delay = Seeded.between(payoutMillis, seed, "return", state.scheduled)
    schedule(state, delay, { tag: "return", deposit: { ...deposit, amount: amount - counted } })
  }
  if (counted === 0n) return
  if (order.deposited === 0n) order.account = account
  Books.transfer(state.books, asset, counted, inTransit(deposit), inOrder(order))
  order.deposited += counted
  if (isTerminal(order.status)) schedule(state, 0, { tag: "startPayouts", order })
  else if (order.status === "AWAITING_DEPOSIT" && order.deposited === order.inputAmount) open(state, order)
}

/** Too late for a refund when that has been made: then the deposit is returned like any excess. */
const isCountedBy = (order: Order, asset: string): boolean =>
  asset === inputAsset(order) && order.status !== "FILLED" && order.refund === undefined

export const giveBack = (state: State, deposit: Deposit): void =>
  Books.transfer(state.books, deposit.asset, deposit.amount, returning(deposit), {
    account: deposit.account,
    place: "balance"
  })
