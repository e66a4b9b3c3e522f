/**
 * A bot as small as can be on the sandbox's core, for thousands of live results: it looks at the mid every few seconds, asks
 * the strategy while its answer does not hold, and creates, funds and cancels what the bot's own comparison says. No
 * network, no journal, no limits but the budget. Fills, times and fees are the sandbox's; nothing is the kernel's.
 */
import { Result } from "effect"
import type { Candles } from "../../../src/candles/Candles.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"
import { min } from "../../../src/domain/Amount.ts"
import * as CostBasis from "../../../src/domain/CostBasis.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { inputAmount, mid as midOf, outputAmount, type TwoSidedPrice } from "../../../src/domain/Market.ts"
import { isTerminal } from "../../../src/domain/Order.ts"
import { present } from "../../../src/domain/Present.ts"
import { armed } from "../../../src/engine/planning/DecisionRecord.ts"
import { type Change, diff, type SlotOrder } from "../../../src/engine/planning/OrderDiff.ts"
import type { Placement } from "../../../src/engine/state/Placement.ts"
import * as SlotFold from "../../../src/engine/state/SlotFold.ts"
import { apply } from "../../../src/sandbox/core/Commands.ts"
import { advance } from "../../../src/sandbox/core/Control.ts"
import * as Books from "../../../src/sandbox/core/money/Books.ts"
import { isPayoutFinal } from "../../../src/sandbox/core/orders/OrderLife.ts"
import * as State from "../../../src/sandbox/core/State.ts"
import * as MarketModel from "../../../src/sandbox/market/MarketModel.ts"
import { defaultSettings, type SandboxAsset, type SandboxSettings } from "../../../src/sandbox/Settings.ts"
import type { Decision, DesiredOrder } from "../../../src/strategy/Decision.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import type { View } from "../../../src/strategy/View.ts"

export interface Venue extends Partial<Omit<SandboxSettings, "assets" | "accounts" | "candles">> {
  readonly seed: number
  /** How often the bot looks. */
  readonly lookMillis: number
  /** From the beginning of the candles until its first look. */
  readonly firstLookMillis: number
}

export interface Traded {
  /** What fills made at the last close, after fees; in quote. */
  readonly profit: number
  /** As the sandbox knows them, oldest first. */
  readonly orders: ReadonlyArray<State.SandboxOrder>
}

const account = "trader.test"
const owner = "partner"
/** More than any budget: the budget is the bot's own. */
const plenty = 1_000_000_000
const feeUsd = 0.02

const assetOf = (symbol: string, id: string, decimals: number, priceUsd: number): SandboxAsset => ({
  symbol,
  id,
  decimals,
  blockchain: "chain",
  priceUsd,
  volatility: 0,
  fee: String(BigInt(Math.round((feeUsd / priceUsd) * 10 ** decimals))),
  initial: plenty
})

/** The fee of a payout or a refund, smallest units. */
export const feeOf = ({ decimals }: { readonly decimals: number }, priceUsd: number): bigint =>
  BigInt(assetOf("", "", decimals, priceUsd).fee)

/** One slot's order at the venue. */
interface Own {
  readonly slot: string
  readonly order: State.SandboxOrder
  cancelRequested: boolean
  statusSeen: string
  fillsSeen: number
}

export const trade = (strategy: Strategy, candles: Candles, venue: Venue): Traded => {
  const { market, limits } = strategy
  const { base, quote } = market
  const { lookMillis, firstLookMillis, ...changes } = venue
  const startedAt = TimeAxis.openTime(candles.time, 0)
  const settings: SandboxSettings = {
    ...defaultSettings("native"),
    ...changes,
    assets: [
      assetOf(base.symbol, base.id, base.decimals, candles.close[0] ?? 1),
      assetOf(quote.symbol, quote.id, quote.decimals, 1)
    ],
    accounts: [account],
    candles: { symbol: base.symbol, hash: "" }
  }
  const state = State.make(settings, MarketModel.make(settings, startedAt, { candles, sha256: "" }), startedAt)
  const own = new Map<string, Own>()
  const slots = new Map<string, SlotFold.Slot>()
  let position = CostBasis.noPosition
  let placed = 0
  let last: { readonly price: Decimal.Decimal; readonly at: number } | undefined
  let lastPlacedAt: number | undefined
  /** Goes up with whatever a strategy can see of itself. */
  let moves = 0

  const whole = (amount: bigint, decimals: number): number => Number(amount) / 10 ** decimals
  const balance = (asset: string): bigint => Books.amountIn(state.books, asset, { account, place: "balance" })
  const initial = new Map([base, quote].map(({ id }) => [id, balance(id)]))
  /** What is left of the budget. */
  const free = (side: "BUY" | "SELL"): bigint => {
    const { id } = side === "BUY" ? quote : base
    return (side === "BUY" ? limits.budget.quote : limits.budget.base) + balance(id) - (initial.get(id) ?? 0n)
  }

  /** Fees count once they are paid. */
  const feesOf = (order: State.SandboxOrder): Pick<Placement, "payoutFee" | "refundFee"> => {
    const { deposited, fills, refundFee } = order
    if (!isTerminal(order.status) || !isPayoutFinal(order)) return {}
    const sum = (of: "amountIn" | "amountOut") => fills.reduce((all, fill) => all + fill[of], 0n)
    return {
      payoutFee: sum("amountOut") - receivedBy(order),
      refundFee: min(refundFee, deposited - sum("amountIn"))
    }
  }

  const placementOf = ({ slot, order, cancelRequested }: Own): Placement => ({
    id: order.id,
    strategy: strategy.name,
    slot,
    market: market.name,
    side: order.side,
    price: order.price,
    quantity: order.quantity,
    inputAsset: order.origin.symbol,
    inputAmount: order.inputAmount,
    outputAsset: order.destination.symbol,
    outputAmount: order.outputAmount,
    deadline: order.deadline,
    why: { code: "", text: "" },
    plannedAt: order.createdAt,
    changedAt: order.createdAt,
    createAttempts: 1,
    status: order.status,
    deposited: order.deposited,
    fills: new Map(
      order.fills.map(({ id, amountIn, amountOut }) => [id, { slices: 1n, amountIn, amountOut, updatedAt: 0 }])
    ),
    unspent: 0n,
    payout: "none",
    refund: "none",
    received: receivedBy(order),
    ...feesOf(order),
    spares: new Map(),
    ...(cancelRequested ? { cancel: { why: { code: "", text: "" }, requestedAt: 0, attempts: 1, lastSentAt: 0 } } : {}),
    order: {
      id: order.id,
      depositAddress: "",
      estimatedWithdrawFee: order.withdrawFee,
      estimatedRefundFee: order.refundFee
    },
    state: isTerminal(order.status) ? "closing" : "open"
  })

  /** Fills count for the average entry when they are seen. */
  const note = (each: Own): void => {
    const { order } = each
    for (const { amountIn, amountOut, at } of order.fills.slice(each.fillsSeen)) {
      const [base, quote] = order.side === "BUY" ? [amountOut, amountIn] : [amountIn, amountOut]
      position = CostBasis.traded(position, order.side, { base, quote }, 1n)
      last = { price: order.price, at }
    }
    Object.assign(each, { statusSeen: order.status, fillsSeen: order.fills.length })
    moves += 1
  }

  const noteFees = ({ order }: Own): void => {
    const { inputAmount, outputAmount, side } = order
    const { payoutFee: ofPayout = 0n, refundFee: ofRefund = 0n } = feesOf(order)
    const [inBase, inQuote] = side === "BUY" ? [ofPayout, ofRefund] : [ofRefund, ofPayout]
    const [base, quote] = side === "BUY" ? [outputAmount, inputAmount] : [inputAmount, outputAmount]
    const after = CostBasis.feeTaken(position, inBase, { base, quote }, 1n)
    position = CostBasis.mapBasis(after, (basis) => CostBasis.charge(basis, inQuote))
  }

  /** Takes in what the venue did since the last look. */
  const observe = (): void => {
    for (const each of own.values()) {
      const { slot, order } = each
      if (order.status !== each.statusSeen || order.fills.length !== each.fillsSeen) note(each)
      if (!isTerminal(order.status) || !isPayoutFinal(order)) continue
      const before = slots.get(slot) ?? SlotFold.emptySlot(strategy.name, slot)
      slots.set(slot, { ...before, ...SlotFold.afterOrder(before, placementOf(each)) })
      noteFees(each)
      own.delete(slot)
      moves += 1
    }
  }

  const viewAt = (price: TwoSidedPrice): View => ({
    now: state.now,
    market,
    price,
    slots: new Map(
      [...new Set([...slots.keys(), ...own.keys()])].map((slot) => {
        const live = own.get(slot)
        const folded = slots.get(slot) ?? SlotFold.emptySlot(strategy.name, slot)
        return [slot, SlotFold.progressOf(folded, live === undefined ? undefined : placementOf(live))]
      })
    ),
    own: {
      openOrders: own.size,
      freeBase: free("SELL"),
      freeQuote: free("BUY"),
      ...CostBasis.seenPosition(position, market),
      ...present({ lastFill: last, lastPlacedAt })
    }
  })

  const place = ({ slot, side, price, quantity }: DesiredOrder): void => {
    const input = inputAmount(market, side, quantity, price)
    if (input > free(side) || outputAmount(market, side, quantity, price) <= 0n) return
    const created = apply(
      state,
      {
        tag: "CreateOrder",
        payload: {
          owner,
          side,
          baseAsset: base.id,
          quoteAsset: quote.id,
          quantity: String(quantity),
          price: Decimal.format(price),
          depositType: "INTENTS",
          depositMode: "SIMPLE",
          recipient: account,
          recipientType: "INTENTS",
          refundTo: account,
          refundType: "INTENTS",
          confidentiality: "basic",
          appFees: []
        }
      },
      state.now
    )
    if (Result.isFailure(created)) return
    const order = created.success
    placed += 1
    const transfers = [{ receiver: order.depositAddress, asset: order.origin.id, amount: String(order.inputAmount) }]
    const payload = { signerId: account, nonce: `${placed}`, intentHash: `${placed}`, transfers }
    Result.getOrThrow(apply(state, { tag: "ExecuteIntent", payload }, state.now))
    own.set(slot, { slot, order, cancelRequested: false, statusSeen: order.status, fillsSeen: 0 })
    lastPlacedAt = state.now
    moves += 1
  }

  const act = (change: Change): void => {
    if (change._tag === "Place") return place(change.desired)
    if (change._tag !== "Cancel") return
    const live = own.get(change.slot)
    if (live === undefined) return
    live.cancelRequested = true
    apply(state, { tag: "CancelOrder", payload: { owner, orderId: live.order.id } }, state.now)
  }

  const slotOrder = (each: Own, ask: number): SlotOrder => {
    const placement = placementOf(each)
    const { side, order } = { side: each.order.side, order: each.order }
    const inQuote = (asset: SandboxAsset, fee: bigint): bigint =>
      asset.id === quote.id ? fee : BigInt(Math.ceil(whole(fee, base.decimals) * ask * 10 ** quote.decimals))
    const payout = order.fills.length > 0 ? inQuote(order.destination, order.withdrawFee) : 0n
    return {
      ...placement,
      side,
      quantity: order.quantity - order.executed,
      cancelRequested: each.cancelRequested,
      replacement: { fees: inQuote(order.origin, order.refundFee) + payout, outOfMarketBasisPoints: 0, text: "" }
    }
  }

  let decision: Decision | undefined
  let memory = strategy.initialMemory
  let decidedMoves = 0
  let bounds = { below: Number.NEGATIVE_INFINITY, above: Number.POSITIVE_INFINITY, time: Number.POSITIVE_INFINITY }
  let [plannedMoves, unfinished] = [-1, false]

  const look = (): void => {
    observe()
    const now = state.model.mid(base, quote, state.now)
    const holds =
      decision !== undefined &&
      now > bounds.below &&
      now < bounds.above &&
      state.now < bounds.time &&
      !(decision.until.onFill && moves > decidedMoves)
    if (holds && plannedMoves === moves && !unfinished) return
    const half = (now * settings.spread) / 2
    const [bid, ask] = [Decimal.fromNumber(now - half, 8), Decimal.fromNumber(now + half, 8)]
    const view = viewAt({ bid, ask, at: state.now })
    if (!holds || decision === undefined) {
      decidedMoves = moves
      decision = strategy.decide(view, memory)
      ;({ memory } = decision)
      const { priceBelow, priceAbove, time } = decision.until
      bounds = {
        below: priceBelow === undefined ? Number.NEGATIVE_INFINITY : Decimal.toNumber(priceBelow),
        above: priceAbove === undefined ? Number.POSITIVE_INFINITY : Decimal.toNumber(priceAbove),
        time: time ?? Number.POSITIVE_INFINITY
      }
    }
    plannedMoves = moves
    const desired = new Map(
      decision.desired.flatMap((wanted) => {
        const order = armed(wanted, view)
        return order === undefined ? [] : [[wanted.slot, order] as const]
      })
    )
    const whyNot = new Map(decision.absent.map(({ slot, why }) => [slot, why]))
    const changesNow = diff(
      market,
      { desired, whyNot },
      [...own.values()].map((each) => slotOrder(each, Decimal.toNumber(midOf(view.price))))
    )
    // What could not be paid for waits for money.
    unfinished = changesNow.some((change) => change._tag === "Place")
    for (const change of changesNow) act(change)
  }

  const { bars, time } = candles
  const end = startedAt + bars * time.stepMillis
  for (let at = startedAt + firstLookMillis; at < end; at += lookMillis) {
    advance(state, at)
    look()
  }
  advance(state, end)
  const close = candles.close[bars - 1] ?? 0
  let traded = 0
  const worth = ({ id }: SandboxAsset, amount: bigint): number =>
    id === base.id ? whole(amount, base.decimals) * close : whole(amount, quote.decimals)
  let fees = 0
  for (const {
    side,
    fills: of,
    origin,
    destination,
    withdrawal,
    refund,
    withdrawFee,
    refundFee
  } of state.orders.values()) {
    if (withdrawal?.status === "COMPLETED") fees += worth(destination, withdrawFee)
    if (refund?.status === "COMPLETED") fees += worth(origin, refundFee)
    const sign = side === "BUY" ? 1 : -1
    for (const { amountIn, amountOut } of of) {
      const [inBase, inQuote] = side === "BUY" ? [amountOut, amountIn] : [amountIn, amountOut]
      traded += sign * (whole(inBase, base.decimals) * close - whole(inQuote, quote.decimals))
    }
  }
  return { profit: traded - fees, orders: [...state.orders.values()] }
}

const receivedBy = (order: State.SandboxOrder): bigint => {
  const out = order.fills.reduce((sum, { amountOut }) => sum + amountOut, 0n)
  return out > order.withdrawFee && order.withdrawal?.status === "COMPLETED" ? out - order.withdrawFee : 0n
}
