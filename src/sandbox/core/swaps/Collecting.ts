/**
 * Swaps of type ANY_INPUT: an address that turns any token into one asset and pays out each deposit separately. There is no agreed rate and
 * no least output; the price is taken when the deposit is noticed. The swap ends at its deadline, and a later deposit is returned.
 */
import type { Amount } from "../../../domain/Amount.ts"
import { inputShareOf } from "../../../domain/fees/RoundCost.ts"
import * as Seeded from "../../Seeded.ts"
import { assetById } from "../../Settings.ts"
import * as Books from "../money/Books.ts"
import { payAppFees, payee, payLessFee } from "../money/Payment.ts"
import { type IncomingDeposit, type Pair, type SandboxSwap, type State, schedule } from "../State.ts"
import { charges, outputFor, swapPrice } from "./Quotes.ts"

export const collects = ({ request }: SandboxSwap): boolean => request.swapType === "ANY_INPUT"

export const holdingOf = ({ account, target }: IncomingDeposit, place: Books.BookPlace): Books.Holding => ({
  account,
  place,
  order: target.id
})

/** Accepts a deposit that is in time and worth more than its payment costs; refuses any other. */
export const take = (state: State, swap: SandboxSwap, deposit: IncomingDeposit): boolean => {
  const { amount, asset } = deposit
  const amountOut = outputNow(state, swap, asset, amount)
  if (state.now > swap.deadline || amountOut <= 0n) return false
  const { seed, swapMillis } = state.settings
  Books.transfer(state.books, asset, amount, holdingOf(deposit, "depositInTransit"), holdingOf(deposit, "inOrders"))
  if (asset === swap.origin.id) swap.deposited += amount
  swap.status = "PROCESSING"
  swap.updatedAt = state.now
  swap.collecting += 1
  const delay = Seeded.between(swapMillis, seed, "collect", state.scheduled)
  schedule(state, delay, () => pay(state, swap, deposit, amountOut))
  return true
}

const outputNow = (state: State, swap: SandboxSwap, asset: string, amount: Amount): Amount => {
  const origin = assetById(state.settings, asset)
  const { destination, partner, request, withdrawFee } = swap
  if (origin === undefined) return 0n
  if (origin.id === destination.id) return amount - withdrawFee
  const pair: Pair = { ...swap, origin }
  return outputFor(pair, swapPrice(state, pair, request, partner !== undefined, amount), amount)
}

const pay = (state: State, swap: SandboxSwap, deposit: IncomingDeposit, amountOut: Amount): void => {
  const { books, now, settings } = state
  const { destination, request, withdrawFee } = swap
  const { account, amount, asset } = deposit
  const inSwap = holdingOf(deposit, "inOrders")
  const traded: Books.Holding = { account, place: "traded" }
  const origin = assetById(settings, asset) ?? swap.origin
  const { appFees, service } = charges(state, [origin, destination], request, swap.partner !== undefined)
  const rest = payAppFees(books, asset, amount, appFees, inSwap)
  const ours = inputShareOf(service, amount)
  Books.transfer(books, asset, ours, inSwap, { account, place: "priceFees" })
  Books.transfer(books, asset, rest - ours, inSwap, traded)
  const payout = holdingOf(deposit, "payoutInTransit")
  Books.transfer(books, destination.id, amountOut + withdrawFee, traded, payout)
  const status = swap.told === "FAILED" ? "FAILED" : "SUCCESS"
  const to =
    status === "FAILED" ? holdingOf(deposit, "failed") : payee(request.recipient, request.recipientType, account)
  payLessFee(books, destination.id, status === "FAILED" ? 0n : withdrawFee, payout, to)
  const hash = Seeded.base58(settings.seed, "collected", swap.sequence, swap.withdrawals.length)
  swap.withdrawals.push({ status, amountOut, at: now, hash })
  swap.collecting -= 1
  swap.updatedAt = now
  if (now > swap.deadline) close(state, swap)
}

export const close = (state: State, swap: SandboxSwap): void => {
  const last = swap.withdrawals.at(-1)
  swap.isClosed = true
  if (swap.collecting > 0 || last === undefined) return
  const payouts = swap.withdrawals.filter(({ status }) => status === "SUCCESS")
  const received = payouts.reduce((sum, { amountOut }) => sum + amountOut, 0n)
  swap.outcome = { spent: swap.deposited, received, refunded: 0n, refundReason: undefined, txHash: last.hash }
  swap.status = payouts.length > 0 ? "SUCCESS" : "FAILED"
  swap.updatedAt = state.now
}
