/**
 * The life of a swap from its first deposit to its end. An address that nobody pays waits for ever; a short deposit is
 * refunded at the deadline, a late one at once; a complete one is executed at the price of that moment, and refunded when
 * that is worse than the quote allows.
 */
import * as Amount from "../../domain/Amount.ts"
import { refundReasons } from "../../venue/WireSwap.ts"
import * as Books from "./Books.ts"
import { isInternal } from "./OrderCreation.ts"
import { feeBasisPoints, inputFor, outputFor, swapPrice } from "./Quotes.ts"
import * as Seeded from "./Seeded.ts"
import { type RefundReason, type State, type Swap, type SwapOutcome, type SwapStatus, schedule } from "./State.ts"

const held = (swap: Swap, place: Books.Place): Books.Holding => ({ account: swap.account, place, order: swap.id })

export const inSwap = (swap: Swap): Books.Holding => held(swap, "inOrders")

const setStatus = (state: State, swap: Swap, status: SwapStatus): void => {
  swap.status = status
  swap.updatedAt = state.now
}

/** A transaction that pays it is known, its amount not yet. */
export const expect = (state: State, swap: Swap): void => {
  if (swap.status === "PENDING_DEPOSIT") setStatus(state, swap, "KNOWN_DEPOSIT_TX")
}

/** Is what has been deposited enough, and in time? */
export const consider = (state: State, swap: Swap): void => {
  const isLate = state.now > swap.deadline
  const { swapType } = swap.request
  const needed = swapType === "EXACT_INPUT" ? swap.quoted.amountIn : swap.quoted.minAmountIn
  if (!isLate && swap.deposited < needed) return setStatus(state, swap, "INCOMPLETE_DEPOSIT")
  setStatus(state, swap, "PROCESSING")
  swap.isClosed = true
  const { seed, swapMillis } = state.settings
  schedule(state, Seeded.between(swapMillis, seed, "swap", swap.sequence), { tag: "executeSwap", swap })
}

export const expire = (state: State, swap: Swap): void => {
  if (swap.status !== "INCOMPLETE_DEPOSIT") return
  swap.isClosed = true
  refund(state, swap, "PARTIAL_DEPOSIT")
}

export const execute = (state: State, swap: Swap): void => {
  const { seed, refundedSwapShare } = state.settings
  const isRefused = Seeded.fraction(seed, "refused", swap.sequence) < refundedSwapShare
  const reason = Seeded.between([0, refundReasons.length - 1], seed, "reason", swap.sequence)
  if (state.now > swap.deadline) return refund(state, swap, "UNKNOWN")
  if (isRefused) return refund(state, swap, refundReasons[reason] ?? "UNKNOWN")
  const { amountIn, amountOut } = amountsNow(state, swap)
  const isWorse = amountOut < leastOutput(swap, amountIn)
  if (amountIn > swap.deposited || isWorse) return refund(state, swap, "AMOUNT_LESS_THAN_MIN_AMOUNT_OUT")
  trade(state, swap, amountIn, amountOut)
}

/** What would be spent and paid out at the present price. */
const amountsNow = (state: State, swap: Swap) => {
  const { request, quoted, partner } = swap
  const priceFor = (amount: Amount.Amount) => swapPrice(state, swap, request, partner !== undefined, amount)
  if (request.swapType === "EXACT_OUTPUT") {
    const { amountOut } = quoted
    return { amountIn: inputFor(swap, priceFor(amountOut), amountOut), amountOut }
  }
  const amountIn = request.swapType === "FLEX_INPUT" ? swap.deposited : quoted.amountIn
  return { amountIn, amountOut: outputFor(swap, priceFor(amountIn), amountIn) }
}

/** The quote's least output; in proportion where any input is taken. */
const leastOutput = ({ quoted, request }: Swap, amountIn: Amount.Amount): Amount.Amount =>
  request.swapType === "FLEX_INPUT" ? (quoted.minAmountOut * amountIn) / quoted.amountIn : quoted.minAmountOut

const trade = (state: State, swap: Swap, amountIn: Amount.Amount, amountOut: Amount.Amount): void => {
  const { books } = state
  const { origin, destination, withdrawFee } = swap
  const traded = held(swap, "traded")
  const bounded = { account: traded.account, place: traded.place }
  let fees = 0n
  for (const { recipient, fee } of swap.request.appFees ?? []) {
    const amount = (amountIn * BigInt(fee)) / 10_000n
    Books.transfer(books, origin.id, amount, inSwap(swap), { account: recipient, place: "balance" })
    fees += amount
  }
  const ours = (amountIn * BigInt(feeBasisPoints(swap.request, swap.partner !== undefined))) / 10_000n
  Books.transfer(books, origin.id, ours, inSwap(swap), { account: swap.account, place: "feesPaid" })
  Books.transfer(books, origin.id, amountIn - fees - ours, inSwap(swap), bounded)
  Books.transfer(books, destination.id, amountOut + withdrawFee, bounded, held(swap, "payoutInTransit"))
  finishLater(state, swap, { spent: amountIn, received: amountOut, refundReason: undefined })
}

const refund = (state: State, swap: Swap, refundReason: RefundReason): void =>
  finishLater(state, swap, { spent: 0n, received: 0n, refundReason })

/** Whatever was not spent goes back, with the payout or instead of it. */
const finishLater = (
  state: State,
  swap: Swap,
  result: Pick<SwapOutcome, "spent" | "received" | "refundReason">
): void => {
  const unspent = swap.deposited - result.spent
  Books.transfer(state.books, swap.origin.id, unspent, inSwap(swap), held(swap, "refundInTransit"))
  const refunded = unspent - Amount.min(unspent, swap.refundFee)
  const { seed, payoutMillis } = state.settings
  const txHash = Seeded.base58(seed, "swap payment", swap.sequence)
  const delay = Seeded.between(payoutMillis, seed, "swap payment", swap.sequence)
  schedule(state, delay, { tag: "finishSwap", swap, outcome: { ...result, refunded, txHash } })
}

export const finish = (state: State, swap: Swap, outcome: SwapOutcome): void => {
  const { request } = swap
  const { seed, failedSwapShare } = state.settings
  if (Seeded.fraction(seed, "failed swap", swap.sequence) < failedSwapShare) {
    settle(state, swap, "payoutInTransit", held(swap, "failed"), 0n)
    settle(state, swap, "refundInTransit", held(swap, "failed"), 0n)
    return setStatus(state, swap, "FAILED")
  }
  const recipient = isInternal(request.recipientType)
    ? ({ account: request.recipient, place: "balance" } as const)
    : ({ account: swap.account, place: "external" } as const)
  const refundTo = isInternal(request.refundType)
    ? ({ account: request.refundTo, place: "balance" } as const)
    : ({ account: swap.account, place: "external" } as const)
  settle(state, swap, "payoutInTransit", recipient, swap.withdrawFee)
  settle(state, swap, "refundInTransit", refundTo, swap.refundFee)
  swap.outcome = outcome
  setStatus(state, swap, outcome.received > 0n ? "SUCCESS" : "REFUNDED")
}

/** Pays out what is under way, less its fee. */
const settle = (
  state: State,
  swap: Swap,
  place: "payoutInTransit" | "refundInTransit",
  to: Books.Holding,
  fee: Amount.Amount
): void => {
  const asset = place === "payoutInTransit" ? swap.destination.id : swap.origin.id
  const amount = Books.amountIn(state.books, asset, held(swap, place))
  const charged = Amount.min(fee, amount)
  Books.transfer(state.books, asset, charged, held(swap, place), { account: swap.account, place: "feesPaid" })
  Books.transfer(state.books, asset, amount - charged, held(swap, place), to)
}
