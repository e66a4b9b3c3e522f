/**
 * The life of an order. Every status change obeys the domain's table of legal transitions; every amount goes through the books. It ends
 * with one withdrawal of all that filled and one refund of unspent input, each less exactly the fee that the order showed from the start.
 */
import type { Amount } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import * as Market from "../../../domain/Market.ts"
import { type Fill, type FillStatus, fillStatusTransitions, isTerminal } from "../../../domain/Order.ts"
import * as Seeded from "../../Seeded.ts"
import * as Solvers from "../../Solvers.ts"
import * as Books from "../money/Books.ts"
import * as SortedList from "../SortedList.ts"
import { awayFromMid, type RestingOrders, type SandboxOrder, type State, schedule, usdOf } from "../State.ts"

const setStatus = (order: SandboxOrder, status: FillStatus): void => {
  if (fillStatusTransitions[order.status]?.includes(status) !== true) {
    throw new Error(`Order ${order.id} cannot go from ${order.status} to ${status}`)
  }
  order.status = status
}

export const open = (state: State, order: SandboxOrder): void => {
  const executable = executableAfterFees(state, order)
  const hasSolver = !areAway(state) && usdOf(state, order.market.base, order.quantity) <= usdLeft(state, order)
  if (hasSolver && isMarketable(order.side, Decimal.toNumber(order.price), executable)) {
    const price = Decimal.fromNumber(executable, 12)
    const execution = wholeAt(order.market, order, price)
    return execute(state, order, order.quantity, execution)
  }
  setStatus(order, "OPEN")
  const book = restingOrders(state, order.market)
  matchMarket(state, book)
  SortedList.insert(order.side === "SELL" ? book.sells : book.buys, order)
}

const executableAfterFees = (state: State, order: SandboxOrder): number => {
  const { base, quote } = order.market
  const mid = state.model.mid(base, quote, state.now)
  const away = awayFromMid(state, usdOf(state, base, order.quantity))
  return order.side === "SELL" ? mid * (1 - away) * order.leaves : (mid * (1 + away)) / order.leaves
}

const areAway = ({ settings, now, startedAt }: State): boolean =>
  Solvers.areAway(settings.solvers, settings.seed, now - startedAt)

const usdLeft = (state: State, { market }: SandboxOrder): number =>
  Solvers.usdLeft(state.settings.solvers, restingOrders(state, market).spent, state.now - state.startedAt)

const restingOrders = (state: State, market: Market.Market): RestingOrders => {
  const orders = state.resting.get(market.name)
  if (orders !== undefined) return orders
  const created: RestingOrders = {
    market,
    sells: SortedList.make((a, b) => a.trigger - b.trigger || a.sequence - b.sequence),
    buys: SortedList.make((a, b) => b.trigger - a.trigger || a.sequence - b.sequence),
    matchedTo: state.now,
    spent: { period: 0, usd: 0 }
  }
  state.resting.set(market.name, created)
  return created
}

const hasResting = (book: RestingOrders): boolean => book.sells.items.length + book.buys.items.length > 0

/** False while prices stand at a level that reaches no order, because passing time then fills nothing. */
export const mayFill = ({ model, now }: State, book: RestingOrders): boolean => {
  const { base, quote } = book.market
  if (!hasResting(book) || !model.stands(base, quote)) return hasResting(book)
  const mid = model.mid(base, quote, now)
  return reached(book.sells, mid, mid).length + reached(book.buys, mid, mid).length > 0
}

/** Fills orders that the market has reached since the last time, one slice per order. Only the nearest orders are checked. */
export const matchMarket = (state: State, book: RestingOrders): void => {
  if (hasResting(book) && !areAway(state)) {
    const { low, high } = state.model.range(book.market.base, book.market.quote, book.matchedTo, state.now)
    for (const order of [...reached(book.sells, low, high), ...reached(book.buys, low, high)]) {
      attempt(state, order)
    }
  }
  book.matchedTo = state.now
}

const reached = (list: SortedList.SortedList<SandboxOrder>, low: number, high: number): ReadonlyArray<SandboxOrder> => {
  const beyond = list.items.findIndex((order) => !isReached(order.side, order.trigger, low, high))
  return list.items.slice(0, beyond < 0 ? list.items.length : beyond)
}

const attempt = (state: State, order: SandboxOrder): void => {
  if (order.isAttempted) return
  const { seed, solvers } = state.settings
  const afterMillis = Solvers.latencyOf(solvers, seed, order.sequence, order.attempts)
  if (afterMillis === 0) return fillSlice(state, order)
  order.attempts += 1
  order.isAttempted = true
  schedule(state, afterMillis, () => solve(state, order))
}

const solve = (state: State, order: SandboxOrder): void => {
  order.isAttempted = false
  const mid = state.model.mid(order.market.base, order.market.quote, state.now)
  if (isTerminal(order.status) || areAway(state) || !isMarketable(order.side, order.trigger, mid)) return
  fillSlice(state, order)
}

const fillSlice = (state: State, order: SandboxOrder): void => {
  const done = BigInt(order.fills.length + 1)
  const slices = BigInt(order.slices)
  const dueQuantity = done >= slices ? order.quantity : (order.quantity * done) / slices
  const budgetLeft = usdLeft(state, order)
  const usd = usdOf(state, order.market.base, dueQuantity - order.executed)
  const share = BigInt(Math.floor(budgetLeft < usd ? (budgetLeft / usd) * 1e9 : 1e9))
  const executed = order.executed + ((dueQuantity - order.executed) * share) / 1_000_000_000n
  if (executed > order.executed) fillUpTo(state, order, executed)
}

export const fillUpTo = (state: State, order: SandboxOrder, executed: bigint): void =>
  execute(state, order, executed, sliceAt(order, order.executed, executed))

const execute = (state: State, order: SandboxOrder, executed: bigint, { amountIn, amountOut }: Execution): void => {
  const book = restingOrders(state, order.market)
  const usd = usdOf(state, order.market.base, executed - order.executed)
  book.spent = Solvers.spentAfter(state.settings.solvers, book.spent, state.now - state.startedAt, usd)
  const traded: Books.Holding = { account: order.account, place: "traded" }
  const rest = Books.payAppFees(state.books, order.origin.id, amountIn, order.appFees, inOrder(order))
  Books.transfer(state.books, order.origin.id, rest, inOrder(order), traded)
  Books.transfer(state.books, order.destination.id, amountOut, traded, unpaid(order))
  const id = Seeded.uuid(state.settings.seed, "fill", order.sequence, order.fills.length)
  order.fills.push({ id, amountIn, amountOut, at: state.now })
  order.executed = executed
  if (executed === order.quantity) return close(state, order, "FILLED")
  if (order.status !== "PENDING_CANCEL" && order.status !== "PARTIALLY_FILLED") setStatus(order, "PARTIALLY_FILLED")
}

const close = (state: State, order: SandboxOrder, status: FillStatus): void => {
  setStatus(order, status)
  const book = state.resting.get(order.market.name)
  if (book !== undefined) SortedList.remove(order.side === "SELL" ? book.sells : book.buys, order)
  const { seed, payoutStartMillis } = state.settings
  const delay = Seeded.between(payoutStartMillis, seed, "payout start", order.sequence)
  schedule(state, delay, () => startPayouts(state, order))
}

export const requestCancel = (state: State, order: SandboxOrder): void => {
  setStatus(order, "PENDING_CANCEL")
  const { seed, cancelMillis } = state.settings
  schedule(state, Seeded.between(cancelMillis, seed, "cancel", order.sequence), () => finishCancel(state, order))
}

/** Distance from the market (as a ratio) within which a solver may already be filling the rest of a cancelled order. */
const inHandDistance = 0.005

const finishCancel = (state: State, order: SandboxOrder): void => {
  if (isTerminal(order.status)) return
  const { seed, fillWhileCancellingShare } = state.settings
  const distance = Math.abs(state.model.mid(order.market.base, order.market.quote, state.now) / order.trigger - 1)
  const isInHand =
    order.deposited === order.inputAmount &&
    distance < inHandDistance &&
    !areAway(state) &&
    Seeded.fraction(seed, "in hand", order.sequence) < fillWhileCancellingShare
  if (isInHand) fillUpTo(state, order, order.quantity)
  else close(state, order, "CANCELED")
}

export const expire = (state: State, order: SandboxOrder): void => {
  if (!isTerminal(order.status)) close(state, order, "EXPIRED")
}

export const inOrder = ({ account, id }: SandboxOrder): Books.Holding => ({ account, place: "inOrders", order: id })
const unpaid = ({ account, id }: SandboxOrder): Books.Holding => ({ account, place: "unpaid", order: id })

type PayoutName = "withdrawal" | "refund"

/** An order without money never starts a payout, so it never reports a final one. */
export const payoutStatus = (order: SandboxOrder) => {
  const statuses = [order.withdrawal, order.refund].flatMap((leg) => (leg === undefined ? [] : [leg.status]))
  if (!isTerminal(order.status) || statuses.length === 0) return "NOT_STARTED"
  if (statuses.includes("IN_PROGRESS")) return "IN_PROGRESS"
  return statuses.includes("FAILED") ? "FAILED" : "COMPLETED"
}

export const isPayoutFinal = (order: SandboxOrder): boolean => {
  const status = payoutStatus(order)
  return status === "COMPLETED" || status === "FAILED"
}

const route = (order: SandboxOrder, leg: PayoutName) =>
  leg === "withdrawal"
    ? { asset: order.destination.id, from: unpaid(order), place: "payoutInTransit" as const }
    : { asset: order.origin.id, from: inOrder(order), place: "refundInTransit" as const }

export const startPayouts = (state: State, order: SandboxOrder): void => {
  for (const leg of ["withdrawal", "refund"] as const) {
    const { asset, from, place } = route(order, leg)
    const amount = Books.amountIn(state.books, asset, from)
    if (amount === 0n || order[leg] !== undefined) continue
    Books.transfer(state.books, asset, amount, from, { ...from, place })
    order[leg] = { status: "IN_PROGRESS" }
    const { seed, payoutMillis } = state.settings
    schedule(state, Seeded.between(payoutMillis, seed, leg, order.sequence), () => finishPayout(state, order, leg))
  }
}

const finishPayout = (state: State, order: SandboxOrder, leg: PayoutName): void => {
  const { asset, from, place } = route(order, leg)
  const inTransit: Books.Holding = { ...from, place }
  const { seed, failedPayoutShare } = state.settings
  if (order.doomed.has(leg) || Seeded.fraction(seed, "failed", leg, order.sequence) < failedPayoutShare) {
    Books.payLessFee(state.books, asset, 0n, inTransit, { ...from, place: "failed" })
    order[leg] = { status: "FAILED", reason: "The destination did not accept the payment" }
    return
  }
  const [fee, to] =
    leg === "withdrawal"
      ? [order.withdrawFee, Books.payee(order.recipient, order.recipientType, order.account)]
      : [order.refundFee, Books.payee(order.refundTo, order.refundType, order.account)]
  Books.payLessFee(state.books, asset, fee, inTransit, to)
  order[leg] = { status: "COMPLETED", txHash: Seeded.base58(seed, "payment", leg, order.sequence) }
}

/*
 * The rules of this venue for the execution of a limit order:
 *
 * - The market reaches a resting order when its mid touches the order's price: SELL at or above, BUY at or below. The order executes at its
 *   own limit, never better: the solver keeps the difference.
 * - An order that is marketable when it is funded executes at once at the executable price, which is the limit or better. A BUY is for an
 *   exact output, so the input that it saves comes back as a refund.
 * - Slices add up exactly: amounts are differences of cumulative totals, so rounding neither loses nor makes anything.
 */
export type MatchTerms = Pick<SandboxOrder, "side" | "quantity" | "inputAmount" | "outputAmount">

export type Execution = Pick<Fill, "amountIn" | "amountOut">

export const isReached = (side: Market.Side, limit: number, low: number, high: number): boolean =>
  side === "SELL" ? high >= limit : low <= limit

export const isMarketable = (side: Market.Side, limit: number, executable: number): boolean =>
  isReached(side, limit, executable, executable)

/** The slice, at the limit, that takes the executed base quantity from one total to another. */
export const sliceAt = (terms: MatchTerms, executed: Amount, executedAfter: Amount): Execution => {
  const slice = executedAfter - executed
  return terms.side === "SELL"
    ? { amountIn: slice, amountOut: share(terms.outputAmount, terms.quantity, executed, executedAfter, "up") }
    : { amountIn: share(terms.inputAmount, terms.quantity, executed, executedAfter, "down"), amountOut: slice }
}

/** The part of a total between two fractions of the quantity. The parts of the whole add up to the total. */
const share = (total: Amount, whole: Amount, from: Amount, to: Amount, rounding: Decimal.Rounding): Amount =>
  Decimal.divideInteger(total * to, whole, rounding) - Decimal.divideInteger(total * from, whole, rounding)

/** The whole order at an executable price that is the limit or better, so never worse than its terms. */
export const wholeAt = (market: Market.Market, terms: MatchTerms, price: Market.Price): Execution => {
  if (terms.side === "SELL") {
    const improved = Market.quoteAmount(market, terms.quantity, price, "down")
    return { amountIn: terms.inputAmount, amountOut: improved > terms.outputAmount ? improved : terms.outputAmount }
  }
  const improved = Market.quoteAmount(market, terms.quantity, price, "up")
  return { amountIn: improved < terms.inputAmount ? improved : terms.inputAmount, amountOut: terms.outputAmount }
}
