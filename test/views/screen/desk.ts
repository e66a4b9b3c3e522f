/** What a screen is drawn from: a bot with strategies, open orders around their prices, and a closed round in each strategy. */
import { Redacted } from "effect"
import type { BotEvent, Of } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { TwoSidedPrice } from "../../../src/domain/Market.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { defaultTerms } from "../../../src/engine/tracking/Overdue.ts"
import { problemsOf } from "../../../src/views/Problems.ts"
import * as LiveProfit from "../../../src/views/profit/LiveProfit.ts"
import * as RunningProfit from "../../../src/views/profit/RunningProfit.ts"
import type { ScreenInput } from "../../../src/views/screen/Picture.ts"

const bases = { BTC: 58_622.04, ETH: 2_471.7, SOL: 147.09, NEAR: 4.2187, ZEC: 312.5 } as const
const symbols = [...Object.keys(bases), "USDC", "EURC", "USDT"]
export const assets = new Map(symbols.map((symbol) => [symbol, { symbol, id: symbol, decimals: 8 }]))
const whole = (amount: number): bigint => BigInt(Math.round(amount * 1e8))
const decimal = (value: number): Decimal.Decimal => Decimal.fromNumber(value, 8)

export const now = Date.UTC(2026, 10, 29, 14, 7, 31)

export interface DeskOptions {
  readonly strategies: number
  /** Open orders of all strategies together. */
  readonly orders: number
  readonly quotes?: ReadonlyArray<string>
  readonly nameOf?: (index: number) => string
  readonly priceAgeMillis?: number
  readonly events?: ReadonlyArray<BotEvent>
}

interface Leg {
  readonly strategy: string
  readonly slot: string
  readonly market: string
  readonly side: "BUY" | "SELL"
  readonly price: number
  readonly quantity: number
}

const sidesOf = ({ market, price, quantity, side }: Leg) => {
  const [base = "", quote = ""] = market.split("/")
  const [input, output] = [
    { asset: base, amount: whole(quantity) },
    { asset: quote, amount: whole(quantity * price) }
  ]
  return side === "SELL" ? { input, output } : { input: output, output: input }
}

const opened = (leg: Leg, placement: string): ReadonlyArray<BotEvent> => {
  const about = { strategy: leg.strategy, slot: leg.slot, placement }
  const { input, output } = sidesOf(leg)
  const order = { orderId: `o-${placement}`, depositAddress: `a-${placement}` }
  const planned: Of<"Planned"> = {
    _tag: "Planned",
    ...about,
    market: leg.market,
    side: leg.side,
    price: decimal(leg.price),
    quantity: whole(leg.quantity),
    inputAsset: input.asset,
    inputAmount: input.amount,
    outputAsset: output.asset,
    outputAmount: output.amount,
    deadline: now + 86_400_000 + Number(placement.slice(1)),
    why: { code: "x", text: "cell of the grid" }
  }
  return [
    planned,
    { _tag: "CreateSent", ...about, attempt: 1 },
    { _tag: "Bound", ...about, ...order, via: "reply", estimatedWithdrawFee: 0n, estimatedRefundFee: 0n },
    {
      _tag: "FundingSigned",
      ...about,
      ...order,
      ...input,
      signed: Redacted.make("{}"),
      intentHash: placement,
      validUntil: now
    },
    { _tag: "FundingSent", ...about, attempt: 1 },
    { _tag: "DepositSeen", ...about, asset: input.asset, total: input.amount, fresh: input.amount }
  ]
}

const filled = (leg: Leg, placement: string): ReadonlyArray<BotEvent> => {
  const about = { strategy: leg.strategy, slot: leg.slot, placement }
  const { input, output } = sidesOf(leg)
  return [
    ...opened(leg, placement),
    {
      _tag: "FillSeen",
      ...about,
      fillId: `f-${placement}`,
      side: leg.side,
      price: decimal(leg.price),
      inputAsset: input.asset,
      amountIn: input.amount,
      outputAsset: output.asset,
      amountOut: output.amount,
      filledAt: now - 3_600_000
    },
    { _tag: "Closed", ...about, status: "FILLED", inputAsset: input.asset, unspent: 0n },
    { _tag: "PaidOut", ...about, ...output, fee: 0n, txHashes: [] },
    { _tag: "Settled", ...about }
  ]
}

const strategyEvents = (index: number, orders: number, { nameOf, quotes = ["USDC"] }: DeskOptions) => {
  const [base = "BTC", price = 1] = Object.entries(bases)[index % 5] ?? []
  const market = `${base}/${quotes[index % quotes.length]}`
  const strategy = nameOf?.(index) ?? `${base.toLowerCase()}-grid-${index}`
  const quantity = Number((1_250 / price).toPrecision(3))
  const leg = { strategy, slot: "cell-00", market, quantity }
  const placementOf = (number: number) => `p${index * 1_000 + number}`
  const budget = (asset: string, amount: number): BotEvent => ({
    _tag: "BudgetAllotted",
    strategy,
    asset,
    amount: whole(amount)
  })
  const count = Math.max(1, orders)
  const events: ReadonlyArray<BotEvent> = [
    { _tag: "StrategyLoaded", strategy, file: `${strategy}.yaml`, kind: "grid", market, hash: strategy },
    budget(base, quantity * count),
    budget(market.split("/")[1] ?? "", 1_500 * count)
  ]
  return events.concat(
    filled({ ...leg, side: "BUY", price: price * 0.99 }, placementOf(900)),
    filled({ ...leg, side: "SELL", price: price * (index % 3 === 2 ? 0.98 : 1.01) }, placementOf(901)),
    ...Array.from({ length: orders }, (_, number) => {
      const side = number % 2 === 0 ? ("SELL" as const) : ("BUY" as const)
      const steps = (Math.floor(number / 2) + 1) * (side === "SELL" ? 1 : -1)
      const slot = `cell-${String(number + 1).padStart(2, "0")}`
      return opened(
        { ...leg, slot, side, price: Number((price * (1 + steps * 0.004)).toPrecision(7)) },
        placementOf(number)
      )
    })
  )
}

export const desk = (options: DeskOptions): ScreenInput => {
  const { events: troubles = [], orders, priceAgeMillis = 900, quotes = ["USDC"], strategies } = options
  const events: ReadonlyArray<BotEvent> = [
    {
      _tag: "BotStarted",
      pid: 1,
      version: "0.1.0",
      mode: "live",
      account: "desk-a.near",
      venue: "https://venue.example"
    },
    ...Array.from({ length: strategies }, (_, index) =>
      strategyEvents(index, Math.floor((orders + strategies - 1 - index) / strategies), options)
    ).flat(),
    ...troubles
  ]
  const state = BotState.make()
  const profit = RunningProfit.make()
  const recorded = events.map((event, index) => ({
    sequence: index + 1,
    at: now - 3_600_000 * (1 - index / events.length),
    event
  }))
  for (const entry of recorded) BotState.apply(state, entry)
  RunningProfit.see(profit, recorded)
  const prices = new Map(
    Object.entries(bases).flatMap(([base, price]) =>
      quotes.map((quote): [string, TwoSidedPrice] => [
        `${base}/${quote}`,
        { bid: decimal(price * 0.9995), ask: decimal(price * 1.0005), at: now - priceAgeMillis }
      ])
    )
  )
  return {
    title: "limitbot 0.1.0  live",
    detail: "account desk-a.near  journal journal.sqlite",
    running: "running 26 h",
    warning: undefined,
    problems: problemsOf(state, assets, { now, pulse: undefined, stuckAfter: defaultTerms }),
    state,
    assets,
    prices,
    recent: recorded.slice(-100),
    profit: LiveProfit.profitNow(profit, assets, now, prices),
    nextLookAt: now + 6_000,
    now
  }
}
