/** Commands by which a test or a script sets prices, fills orders and moves the clock, and `advance`, which runs what is due. */
import { Result, Schema } from "effect"
import * as Amount from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { dayMillis } from "../../domain/Durations.ts"
import { isTerminal } from "../../domain/Order.ts"
import { PriceText } from "../../venue/wire/WireValue.ts"
import * as OrderLife from "./orders/OrderLife.ts"
import { type Refusal, refuse } from "./Refusal.ts"
import { presentSalts, type SandboxOrder, type State, takeDue } from "./State.ts"

/** Prices are quote per base, by market such as `BTC/USDC`. A command changes the dollar price of the base, which then stands still. */
export const Prices = Schema.Struct({
  prices: Schema.Record(Schema.String, Schema.Finite.check(Schema.isGreaterThan(0)))
})

/** Selects the oldest open order that matches all of these fields. */
export const FillRequest = Schema.Struct({
  orderId: Schema.optionalKey(Schema.String),
  market: Schema.optionalKey(Schema.String),
  side: Schema.optionalKey(Schema.Literals(["BUY", "SELL"])),
  price: Schema.optionalKey(PriceText),
  /** Whole units of the base. Absent: the rest of the order. */
  quantity: Schema.optionalKey(PriceText)
})
/** Names the order to fill, and the amount. */
export type FillRequest = typeof FillRequest.Type

export const Advance = Schema.Struct({
  millis: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3650 * dayMillis }))
})

/** The fills that a request caused. */
export interface Filled {
  /** The id of the order at the venue. */ readonly orderId: string
  /** Smallest units of the base, over all its fills. */
  readonly executed: string
}

export const setPrices = (
  state: State,
  { prices }: typeof Prices.Type
): Result.Result<{ readonly at: number }, Refusal> => {
  const { assets } = state.settings
  const pairs = Object.entries(prices).map(([market, price]) => {
    const [base, quote] = market.split("/").map((symbol) => assets.find((asset) => asset.symbol === symbol))
    return { market, base, quote, price }
  })
  const unknown = pairs.find(({ base, quote }) => base === undefined || quote === undefined || base === quote)
  if (unknown !== undefined) return refuse("validation-failed", `there is no market ${unknown.market}`)
  // Orders are compared with the path up to now, and then with the new price.
  matchAll(state)
  for (const { base, quote, price } of pairs) {
    if (base !== undefined && quote !== undefined) state.model.stand(base, price * state.model.usd(quote, state.now))
  }
  matchAll(state)
  return Result.succeed({ at: state.now })
}

const matchAll = (state: State): void => {
  for (const book of state.resting.values()) OrderLife.matchMarket(state, book)
}

export const fill = (state: State, request: FillRequest): Result.Result<Filled, Refusal> => {
  const order = restingOrder(state, request)
  if (order === undefined) return refuse("order-not-found", "no open order matches")
  const { decimals, symbol } = order.market.base
  const remaining = order.quantity - order.executed
  const quantity = request.quantity === undefined ? remaining : amountOf(request.quantity, decimals)
  if (quantity === undefined || quantity === 0n || quantity > remaining) {
    return refuse("validation-failed", `quantity: ${Amount.format(remaining, decimals)} ${symbol} of the order is left`)
  }
  OrderLife.fillUpTo(state, order, order.executed + quantity)
  return Result.succeed({ orderId: order.id, executed: String(order.executed) })
}

export const restingOrder = (state: State, { market, orderId, price, side }: FillRequest): SandboxOrder | undefined => {
  const limit = price === undefined ? undefined : Decimal.parse(price)
  return restingOrders(state).find(
    (order) =>
      (orderId ?? order.id) === order.id &&
      (market ?? order.market.name) === order.market.name &&
      (side ?? order.side) === order.side &&
      (limit === undefined || Decimal.equals(limit, order.price))
  )
}

export const restingOrders = (state: State): ReadonlyArray<SandboxOrder> =>
  [...state.orders.values()].filter((order) => order.deposited === order.inputAmount && !isTerminal(order.status))

const amountOf = (text: string, decimals: number): Amount.Amount | undefined => {
  const value = Decimal.parse(text)
  return value === undefined ? undefined : Amount.fromDecimal(value, decimals)
}

export const rotateSalts = (state: State) => {
  state.saltRotations += 1
  return Result.succeed({ salts: presentSalts(state) })
}

export const advanceTime = (state: State, { millis }: typeof Advance.Type): { readonly at: number } => {
  state.aheadMillis += millis
  advance(state, state.now + millis)
  return { at: state.now }
}

/**
 * Runs everything that happens by itself in the sandbox, in time order. The market is compared with open orders on a fixed grid, when an
 * order opens, and when a command sets prices. So the result does not depend on the times or the number of requests, and idle time costs
 * nothing.
 */
export const advance = (state: State, to: number): void => {
  for (;;) {
    const step = nextStep(state)
    const due = takeDue(state, Math.min(step, to))
    if (due !== undefined) {
      state.now = Math.max(state.now, due.at)
      due.run()
    } else if (step <= to) {
      state.now = step
      matchAll(state)
    } else break
  }
  state.now = Math.max(state.now, to)
}

const nextStep = (state: State): number => {
  const { stepMillis } = state.settings
  for (const book of state.resting.values()) {
    if (OrderLife.mayFill(state, book)) {
      return state.startedAt + (Math.floor((state.now - state.startedAt) / stepMillis) + 1) * stepMillis
    }
  }
  return Number.POSITIVE_INFINITY
}
