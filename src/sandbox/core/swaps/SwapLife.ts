/**
 * The life of a swap from its first deposit to its end. An address that nobody pays waits without end. A short deposit is refunded at the
 * deadline, a late one soon after it is noticed. A complete one is executed at the price of that time, or refunded if that price is worse
 * than the quote allows. If the price is better, the service may keep a part of the gain.
 *
 * A swap of type ANY_INPUT collects: its address turns any token into one asset and pays out each deposit separately. There is no agreed
 * rate and no least output; the price is taken when the deposit is noticed. The swap ends at its deadline, and a later deposit is returned.
 */
import * as Amount from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { minuteMillis } from "../../../domain/Durations.ts"
import { inputShareOf } from "../../../domain/fees/RoundCost.ts"
import { factsOf } from "../../../venue/VenueConfig.ts"
import { refundReasons } from "../../../venue/wire/WireSwap.ts"
import * as Seeded from "../../Seeded.ts"
import { assetById, type SandboxAsset } from "../../Settings.ts"
import * as Books from "../money/Books.ts"
import {
  type IncomingDeposit,
  type Pair,
  type RefundReason,
  type SandboxSwap,
  type State,
  type SwapOutcome,
  type SwapStatus,
  schedule
} from "../State.ts"
import { charges, inputFor, outputFor, swapPrice } from "./Quotes.ts"

const holdingOf = ({ account, id }: Pick<SandboxSwap, "account" | "id">, place: Books.BookPlace): Books.Holding => ({
  account,
  place,
  order: id
})

export const inSwap = (swap: SandboxSwap): Books.Holding => holdingOf(swap, "inOrders")

const setStatus = (state: State, swap: SandboxSwap, status: SwapStatus): void => {
  swap.status = status
  swap.updatedAt = state.now
}

export const expect = (state: State, swap: SandboxSwap): void => {
  if (swap.status === "PENDING_DEPOSIT") setStatus(state, swap, "KNOWN_DEPOSIT_TX")
}

export const consider = (state: State, swap: SandboxSwap): void => {
  const isLate = state.now > swap.deadline
  const { swapType } = swap.request
  const needed = swapType === "EXACT_INPUT" ? swap.quoted.amountIn : swap.quoted.minAmountIn
  if (!isLate && swap.deposited < needed) return setStatus(state, swap, "INCOMPLETE_DEPOSIT")
  setStatus(state, swap, "PROCESSING")
  swap.isClosed = true
  const { seed, swapMillis } = state.settings
  schedule(state, Seeded.between(swapMillis, seed, "swap", swap.sequence), () => execute(state, swap))
}

export const expire = (state: State, swap: SandboxSwap): void => {
  if (collects(swap)) return close(state, swap)
  if (swap.status !== "INCOMPLETE_DEPOSIT") return
  swap.isClosed = true
  refund(state, swap, "PARTIAL_DEPOSIT")
}

const execute = (state: State, swap: SandboxSwap): void => {
  const { seed, refundedSwapShare } = state.settings
  const isRefused = Seeded.fraction(seed, "refused", swap.sequence) < refundedSwapShare
  const reason = Seeded.between([0, refundReasons.length - 1], seed, "reason", swap.sequence)
  if (swap.told !== undefined && swap.told !== "FAILED") return refund(state, swap, swap.told)
  if (state.now > swap.deadline) return refund(state, swap, "UNKNOWN")
  if (isRefused) return refund(state, swap, refundReasons[reason] ?? "UNKNOWN")
  const { amountIn, amountOut } = amountsNow(state, swap)
  const isWorse = amountOut < quotedFor(swap, amountIn, "minAmountOut")
  if (amountIn > swap.deposited || isWorse) return refund(state, swap, "AMOUNT_LESS_THAN_MIN_AMOUNT_OUT")
  exchange(state, swap, swap.origin, amountIn, amountOut, inSwap(swap))
  finishLater(state, swap, { spent: amountIn, received: amountOut, refundReason: undefined })
}

const amountsNow = (state: State, swap: SandboxSwap) => {
  const { request, quoted, partner } = swap
  const priceFor = (amount: Amount.Amount) => swapPrice(state, swap, request, partner !== undefined, amount)
  if (request.swapType === "EXACT_OUTPUT") {
    const { amountOut, minAmountIn } = quoted
    const amountIn = inputFor(swap, priceFor(amountOut), amountOut)
    return { amountIn: amountIn + keptOf(state, swap, minAmountIn - amountIn), amountOut }
  }
  const amountIn = request.swapType === "FLEX_INPUT" ? swap.deposited : quoted.amountIn
  const amountOut = outputFor(swap, priceFor(amountIn), amountIn)
  return { amountIn, amountOut: amountOut - keptOf(state, swap, amountOut - quotedFor(swap, amountIn, "amountOut")) }
}

const keptOf = ({ now, settings }: State, { createdAt }: SandboxSwap, gained: Amount.Amount): Amount.Amount => {
  const { kept, minutes } = factsOf(settings).fees.improvement
  if (gained <= 0n || now - createdAt > minutes * minuteMillis) return 0n
  const { digits, scale } = Decimal.fromNumber(kept)
  return Decimal.divideInteger(gained * digits, Decimal.powerOfTen(scale), "up")
}

const quotedFor = (
  { quoted, request }: SandboxSwap,
  amountIn: Amount.Amount,
  output: "amountOut" | "minAmountOut"
): Amount.Amount => (request.swapType === "FLEX_INPUT" ? (quoted[output] * amountIn) / quoted.amountIn : quoted[output])

/** Pays the fees of an input and trades the rest. The output, with the fee of its payment, is then in transit. */
const exchange = (
  state: State,
  { destination, partner, request, withdrawFee }: SandboxSwap,
  origin: SandboxAsset,
  amountIn: Amount.Amount,
  amountOut: Amount.Amount,
  from: Books.Holding
): void => {
  const { books } = state
  const traded: Books.Holding = { account: from.account, place: "traded" }
  const { appFees, service } = charges(state, [origin, destination], request, partner !== undefined)
  const rest = Books.payAppFees(books, origin.id, amountIn, appFees, from)
  const ours = inputShareOf(service, amountIn)
  Books.transfer(books, origin.id, ours, from, { account: from.account, place: "priceFees" })
  Books.transfer(books, origin.id, rest - ours, from, traded)
  Books.transfer(books, destination.id, amountOut + withdrawFee, traded, { ...from, place: "payoutInTransit" })
}

const refund = (state: State, swap: SandboxSwap, refundReason: RefundReason): void =>
  finishLater(state, swap, { spent: 0n, received: 0n, refundReason })

const finishLater = (
  state: State,
  swap: SandboxSwap,
  result: Pick<SwapOutcome, "spent" | "received" | "refundReason">
): void => {
  const unspent = swap.deposited - result.spent
  Books.transfer(state.books, swap.origin.id, unspent, inSwap(swap), holdingOf(swap, "refundInTransit"))
  const refunded = unspent - Amount.min(unspent, swap.refundFee)
  const { seed, payoutMillis } = state.settings
  const txHash = Seeded.base58(seed, "swap payment", swap.sequence)
  const delay = Seeded.between(payoutMillis, seed, "swap payment", swap.sequence)
  schedule(state, delay, () => finish(state, swap, { ...result, refunded, txHash }))
}

const finish = (state: State, swap: SandboxSwap, outcome: SwapOutcome): void => {
  const { request, origin, destination, account } = swap
  const { seed, failedSwapShare } = state.settings
  const payout = holdingOf(swap, "payoutInTransit")
  const refunded = holdingOf(swap, "refundInTransit")
  if (swap.told === "FAILED" || Seeded.fraction(seed, "failed swap", swap.sequence) < failedSwapShare) {
    Books.payLessFee(state.books, destination.id, 0n, payout, holdingOf(swap, "failed"))
    Books.payLessFee(state.books, origin.id, 0n, refunded, holdingOf(swap, "failed"))
    return setStatus(state, swap, "FAILED")
  }
  const recipient = Books.payee(request.recipient, request.recipientType, account)
  const refundTo = Books.payee(request.refundTo, request.refundType, account)
  Books.payLessFee(state.books, destination.id, swap.withdrawFee, payout, recipient)
  Books.payLessFee(state.books, origin.id, swap.refundFee, refunded, refundTo)
  swap.outcome = outcome
  setStatus(state, swap, outcome.received > 0n ? "SUCCESS" : "REFUNDED")
}

export const collects = ({ request }: SandboxSwap): boolean => request.swapType === "ANY_INPUT"

export const depositIn = ({ account, target }: IncomingDeposit, place: Books.BookPlace): Books.Holding =>
  holdingOf({ account, id: target.id }, place)

/** Accepts a deposit that is in time and worth more than its payment costs; refuses any other. */
export const take = (state: State, swap: SandboxSwap, deposit: IncomingDeposit): boolean => {
  const { amount, asset } = deposit
  const amountOut = outputNow(state, swap, asset, amount)
  if (state.now > swap.deadline || amountOut <= 0n) return false
  const { seed, swapMillis } = state.settings
  Books.transfer(state.books, asset, amount, depositIn(deposit, "depositInTransit"), depositIn(deposit, "inOrders"))
  if (asset === swap.origin.id) swap.deposited += amount
  setStatus(state, swap, "PROCESSING")
  swap.collecting += 1
  const delay = Seeded.between(swapMillis, seed, "collect", state.scheduled)
  schedule(state, delay, () => pay(state, swap, deposit, amountOut))
  return true
}

const outputNow = (state: State, swap: SandboxSwap, asset: string, amount: Amount.Amount): Amount.Amount => {
  const origin = assetById(state.settings, asset)
  const { destination, partner, request, withdrawFee } = swap
  if (origin === undefined) return 0n
  if (origin.id === destination.id) return amount - withdrawFee
  const pair: Pair = { ...swap, origin }
  return outputFor(pair, swapPrice(state, pair, request, partner !== undefined, amount), amount)
}

const pay = (state: State, swap: SandboxSwap, deposit: IncomingDeposit, amountOut: Amount.Amount): void => {
  const { books, now, settings } = state
  const { destination, request, withdrawFee } = swap
  const { account, amount, asset } = deposit
  const origin = assetById(settings, asset) ?? swap.origin
  exchange(state, swap, origin, amount, amountOut, depositIn(deposit, "inOrders"))
  const payout = depositIn(deposit, "payoutInTransit")
  const status = swap.told === "FAILED" ? "FAILED" : "SUCCESS"
  const to =
    status === "FAILED" ? depositIn(deposit, "failed") : Books.payee(request.recipient, request.recipientType, account)
  Books.payLessFee(books, destination.id, status === "FAILED" ? 0n : withdrawFee, payout, to)
  const hash = Seeded.base58(settings.seed, "collected", swap.sequence, swap.withdrawals.length)
  swap.withdrawals.push({ status, amountOut, at: now, hash })
  swap.collecting -= 1
  swap.updatedAt = now
  if (now > swap.deadline) close(state, swap)
}

const close = (state: State, swap: SandboxSwap): void => {
  const last = swap.withdrawals.at(-1)
  swap.isClosed = true
  if (swap.collecting > 0 || last === undefined) return
  const payouts = swap.withdrawals.filter(({ status }) => status === "SUCCESS")
  const received = payouts.reduce((sum, { amountOut }) => sum + amountOut, 0n)
  swap.outcome = { spent: swap.deposited, received, refunded: 0n, refundReason: undefined, txHash: last.hash }
  setStatus(state, swap, payouts.length > 0 ? "SUCCESS" : "FAILED")
}
