/**
 * The backtest's rules written down once more as a plain loop over bars, markets and slots, without columns, ladders, rows
 * or jumps. Slow and obvious: what the kernel is compared with, in one market and in several.
 */

import * as Candles from "../../../src/candles/Candles.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"
import { min } from "../../../src/domain/Amount.ts"
import * as CostBasis from "../../../src/domain/CostBasis.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { inputAmount, outputAmount, type Price, quoteAmount, type Side } from "../../../src/domain/Market.ts"
import { type Random, seeded } from "../../../src/domain/Seeded.ts"
import { frameStart, timeframeMillis } from "../../../src/domain/Timeframe.ts"
import type { LimitName } from "../../../src/engine/planning/OrderLimits.ts"
import type { Conditions } from "../../../src/lab/backtest/kernel/Conditions.ts"
import { boundAt, capacityOf, fillsAt, shareOf, withdrawFee } from "../../../src/lab/backtest/kernel/FillRules.ts"
import {
  armedLeg,
  type Bounds,
  type DesiredOrder,
  type DesiredSlot,
  dueLeg,
  filledOfLeg,
  isExitLeg,
  type Memory,
  type PriceBounds
} from "../../../src/strategy/Decision.ts"
import { isAfterStop } from "../../../src/strategy/kinds/StopExit.ts"
import type { SlotProgress } from "../../../src/strategy/View.ts"
import { naiveLimits } from "./NaiveLimits.ts"

/** What app fees leave of an input. */
const restOf = (basisPoints: number) => Decimal.make(1_000_000n - BigInt(Math.round(basisPoints * 100)), 6)

interface Order {
  readonly side: Side
  readonly price: Price
  readonly whole: bigint
  readonly wholeInput: bigint
  readonly by?: "swap" | undefined
  /** The money does not reach for the rest of its leg. */
  readonly isPart?: boolean
  open: bigint
  input: bigint
  /** First bar that can fill it. */
  from: number
  tried?: boolean
}

/** A market, and what is free of its base asset. */
interface Place {
  readonly conditions: Conditions
  readonly candles: Candles.Candles
  base: bigint
  /** What has been bought beyond what has been sold, and its dust. */
  held: CostBasis.HeldPosition
  feesBase: bigint
  feesQuote: bigint
  /** How much of a bar's volume was ours. */
  readonly usedVolume: Map<number, bigint>
  readonly random: Random
}

interface Slot {
  readonly name: string
  readonly at: Place
  desired: DesiredSlot | undefined
  successor: DesiredSlot | undefined | null
  order: Order | undefined
  state: "idle" | "waiting" | "placing" | "resting" | "cancelling" | "paying"
  /** The limit that it waits for; when it waits and there is none, it waits for money. */
  deniedBy: LimitName | undefined
  /** Worth of its order until that is paid out. */
  value: bigint
  paidSide: Side
  paidPrice: Price
  isCut: boolean
  completed: number
  lastSide: Side | undefined
  lastQuantity: bigint
  bought: bigint
  sold: bigint
  paid: bigint
  proceeds: bigint
  feesBase: bigint
  feesQuote: bigint
  filled: bigint
  received: bigint
  receivedByLast: bigint
  unpaid: bigint
  lastPaid: bigint
  wakeBar: number
  arrivedBar: number
  arrivals: number
}

export interface NaiveFill {
  readonly market: string
  readonly bar: number
  readonly slot: string
  readonly side: Side
  readonly price: string
  readonly input: bigint
  readonly output: bigint
}

export const naive = (conditions: Conditions, candles: Candles.Candles) => {
  const { fills, bases, ...found } = naiveSeveral([{ conditions, candles }])
  const { market: _, base = 0n, fees } = bases[0] ?? { market: "", fees: { base: 0n, quote: 0n } }
  return { fills: fills.map(({ market: _, ...fill }) => fill), base, fees, ...found }
}

type InMarket = Pick<Place, "conditions" | "candles">

/** All candles share their times; the budget of quote is the first market's. */
export const naiveSeveral = (markets: readonly [InMarket, ...ReadonlyArray<InMarket>]) => {
  const [{ conditions, candles }] = markets
  const places = markets.map(({ conditions, candles }): Place => {
    return {
      conditions,
      candles,
      base: conditions.budget.base,
      held: CostBasis.noPosition,
      feesBase: 0n,
      feesQuote: 0n,
      usedVolume: new Map(),
      random: seeded(conditions.rules.inHand.seed)
    }
  })
  const slots: Array<Slot> = []
  const fills: Array<NaiveFill> = []
  /** Sides of all fills, and of those of exits. */
  const turns: Array<{ readonly side: Side; readonly isExit: boolean }> = []
  const counts = { placed: 0, cancelled: 0, deniedFunds: 0, deniedMinimum: 0, decisions: 0 }
  let freeQuote = conditions.budget.quote
  const add = (at: Place, asset: "base" | "quote", amount: bigint) => {
    if (asset === "base") at.base += amount
    else freeQuote += amount
  }
  const leastIn = ({ conditions: { rules } }: Place) => (rules.minimumQuote > 1n ? rules.minimumQuote : 1n)
  const trade = (at: Place, side: Side, base: bigint, quote: bigint, fee: bigint) => {
    at.held = CostBasis.traded(at.held, side, { base, quote }, leastIn(at))
    if (side === "BUY") at.held = CostBasis.feeTaken(at.held, fee, { base, quote }, leastIn(at))
  }
  /** Both the market and the slot remember what they paid. */
  const feeFor = (slot: Slot, isInBase: boolean, fee: bigint) => {
    for (const payer of [slot.at, slot]) {
      if (isInBase) payer.feesBase += fee
      else payer.feesQuote += fee
    }
  }
  const takeFee = (at: Place, { price, whole }: Order, fee: bigint) => {
    const quote = quoteAmount(at.conditions.market, whole, price, "up")
    at.held = CostBasis.feeTaken(at.held, fee, { base: whole, quote }, leastIn(at))
  }
  /** The smallest value of an order; none for a part of a position that is worth it, which leaves after a stop. */
  const leastFor = ({ at }: Slot, { isExit, price, side, why }: DesiredOrder): bigint => {
    const { market, rules } = at.conditions
    const { basis, peak } = at.held
    const isReduced = side === "SELL" ? basis.position > 0n : basis.position < 0n
    const isWorthIt = isReduced && quoteAmount(market, peak, price, "up") >= rules.minimumQuote
    return isExit === true && isAfterStop({ why }) && isWorthIt ? 0n : rules.minimumQuote
  }
  const limits = naiveLimits(conditions.limits)
  let wakes: Array<{ bar: number; slot: Slot }> = []
  let memory: Memory = conditions.initialMemory
  let until: Bounds = { onFill: true }
  let stops: PriceBounds = {}
  /** Where each market is within a bar that reaches a stop; nothing waits there. */
  let within: ReadonlyMap<Place, Price> | undefined
  let askedAt = { below: Number.NaN, above: Number.NaN, changes: 0 }
  const changes = () => counts.placed + counts.cancelled + fills.length
  let decidedAt = Number.NEGATIVE_INFINITY
  let [now, nextBar] = [0, 0]
  let [peak, drawdown] = [Number.NEGATIVE_INFINITY, 0]

  const exact = (column: Float64Array, bar: number) => Candles.exactPrice(column[bar] ?? 0)
  /** The close of the bar before the next one, or where the market is within a bar. */
  const marketIn = (at: Place): Price => within?.get(at) ?? exact(at.candles.close, nextBar - 1)
  const waits = (millis: number): boolean => millis > 0 && within === undefined
  const liveOf = ({ order, state, paidSide: side, paidPrice: price }: Slot): Pick<SlotProgress, "live"> => {
    if (state === "paying") return { live: { side, price, quantity: 0n } }
    return order === undefined ? {} : { live: { side: order.side, price: order.price, quantity: order.open } }
  }
  const progress = (slot: Slot): SlotProgress => ({
    completedLegs: slot.completed,
    filledInLeg: slot.filled,
    receivedByLastLeg: slot.receivedByLast,
    ...(slot.lastSide === undefined ? {} : { lastLeg: { side: slot.lastSide, quantity: slot.lastQuantity } }),
    bought: slot.bought,
    sold: slot.sold,
    paid: slot.paid,
    proceeds: slot.proceeds,
    fees: { base: slot.feesBase, quote: slot.feesQuote },
    ...liveOf(slot)
  })
  const openOrders = () => slots.filter((slot) => slot.order !== undefined && slot.order.open > 0n).length
  const barAfter = (millis: number) => {
    if (!waits(millis)) return nextBar
    // Bars go on after the data end, and nothing fills there.
    const last = candles.bars - 1
    const openTime = (bar: number) =>
      bar <= last
        ? TimeAxis.openTime(candles.time, bar)
        : TimeAxis.closeTime(candles.time, last) + (bar - last - 1) * candles.time.stepMillis
    let bar = nextBar
    while (openTime(bar) < now + millis) bar++
    return bar
  }
  const wakeAfter = (slot: Slot, millis: number) => {
    slot.wakeBar = barAfter(millis)
    wakes.push({ bar: slot.wakeBar, slot })
  }
  /** A swap would keep its limit at this close. */
  const isQuoted = (
    at: Place,
    { side, price }: { readonly side: Side; readonly price: Price },
    impact = 0
  ): boolean => {
    const { rules } = at.conditions
    const half = Decimal.make(BigInt(Math.round((rules.spreadBasisPoints + impact) * 1e6)), 10)
    const close = marketIn(at)
    const rest = restOf(rules.appFeeBasisPoints)
    return side === "BUY"
      ? Decimal.compare(close, Decimal.multiply(Decimal.multiply(price, Decimal.subtract(Decimal.one, half)), rest)) <=
          0
      : Decimal.compare(Decimal.multiply(close, rest), Decimal.multiply(price, Decimal.add(Decimal.one, half))) >= 0
  }
  /** Basis points that its size costs beyond half the spread. */
  const impactOf = ({ conditions: { market, rules } }: Place, { price, whole }: Order): number =>
    (rules.impactBasisPoints * (Number(quoteAmount(market, whole, price, "down")) / 10 ** market.quote.decimals)) /
    1_000_000
  const giveBack = (slot: Slot) => {
    slot.state = "cancelling"
    wakeAfter(slot, Math.max(1, slot.at.conditions.rules.cancelMillis))
  }
  /** The whole input at the present price. */
  const swap = (slot: Slot, order: Order, bar: number) => {
    const { market, rules } = slot.at.conditions
    if (slot.arrivedBar !== nextBar) slot.arrivals = 0
    slot.arrivedBar = nextBar
    slot.arrivals++
    const { refundedSwapShare: share } = rules
    const impact = impactOf(slot.at, order)
    if (!isQuoted(slot.at, order, impact) || slot.arrivals > 12) return giveBack(slot)
    if (share > 0 && slot.at.random() < share) return giveBack(slot)
    const paid = taken(slot.at, order, rules.spreadBasisPoints + impact)
    const bought = Decimal.divideInteger(
      order.input * 10n ** 8n * 10n ** BigInt(paid.scale),
      paid.digits * 10n ** 6n,
      "down"
    )
    const gross = order.side === "BUY" ? bought : quoteAmount(market, order.input, paid, "down")
    const fee = min(gross, shareOf(rules, gross) + withdrawFee(rules, order.side))
    feeFor(slot, order.side === "BUY", fee)
    if (order.side === "BUY") {
      slot.bought += gross
      slot.paid += order.input
    } else {
      slot.sold += order.input
      slot.proceeds += gross
    }
    const { side, input } = order
    turns.push({ side: order.side, isExit: isExit(slot) })
    trade(slot.at, side, side === "BUY" ? gross : input, side === "BUY" ? input : gross, fee)
    fills.push({
      market: market.name,
      bar,
      slot: slot.name,
      side,
      price: Decimal.format(paid),
      input,
      output: gross - fee
    })
    slot.filled += order.open
    slot.received += gross - fee
    slot.unpaid += gross - fee
    order.open = 0n
    order.input = 0n
    complete(slot, order)
  }
  /** What an order that takes the market pays, so far beyond the close, and never beyond its limit. */
  const taken = (at: Place, order: Order, basisPoints: number, close = marketIn(at)): Price => {
    const edge = Decimal.make(BigInt(Math.round(basisPoints * 1e6)), 10)
    const margin = Decimal.multiply(close, edge)
    const rest = restOf(at.conditions.rules.appFeeBasisPoints)
    const dear = Decimal.add(close, margin)
    return order.side === "BUY"
      ? Decimal.min(order.price, Decimal.divide(dear, rest, dear.scale + 9, "up"))
      : Decimal.max(order.price, Decimal.multiply(Decimal.subtract(close, margin), rest))
  }
  const refusalOf = ({ at }: Slot, order: DesiredOrder, isSuccessor: boolean) =>
    limits.refusal({
      now,
      side: order.side,
      price: order.price,
      close: marketIn(at),
      isDear: order.by === "swap" && !isQuoted(at, order),
      isExit: order.isExit === true,
      isSuccessor,
      moving: moving.size,
      value: quoteAmount(at.conditions.market, order.quantity, order.price, "up"),
      open: slots.reduce((sum, { value }) => sum + value, 0n)
    })
  /** An exit that the money does not reach for is cut to what it reaches for, unless that is next to nothing. */
  const reachable = (slot: Slot, order: DesiredOrder | undefined): DesiredOrder | undefined => {
    if (order?.isExit !== true) return order
    const { market } = slot.at.conditions
    const { price, quantity, side } = order
    const money = (side === "BUY" ? freeQuote : slot.at.base) + (slot.order?.input ?? 0n)
    if (inputAmount(market, side, quantity, price) <= money) return order
    const units = 10n ** BigInt(price.scale + market.base.decimals)
    const cut = side === "BUY" ? (money * units) / (price.digits * 10n ** BigInt(market.quote.decimals)) : money
    if (cut * 100n < quantity + slot.filled || quoteAmount(market, cut, price, "up") < leastFor(slot, order))
      return order
    return { ...order, quantity: cut }
  }
  const armedIn = (slot: Slot, desired: DesiredSlot | undefined) =>
    desired === undefined ? undefined : reachable(slot, armedLeg(desired, progress(slot)))
  const moving = new Set<Slot>()
  const place = (slot: Slot) => {
    moving.delete(slot)
    const armed = slot.desired === undefined ? undefined : armedLeg(slot.desired, progress(slot))
    const [wasWaiting, deniedBefore] = [slot.state === "waiting", slot.deniedBy]
    if (wasWaiting) slot.state = "idle"
    slot.deniedBy = undefined
    const { market, rules } = slot.at.conditions
    if (armed === undefined || quoteAmount(market, armed.quantity, armed.price, "up") < rules.minimumQuote) {
      const due = slot.desired?.legs[dueLeg(slot.desired, progress(slot))]
      const filled = slot.desired === undefined ? 0n : filledOfLeg(slot.desired, progress(slot))
      const left = armed?.quantity ?? 0n
      const isOver = left * 99n < filled || (left === 0n && slot.desired?.cycle === false)
      const isExit = due !== undefined && slot.desired !== undefined && isExitLeg(slot.desired, due)
      if (due !== undefined && (isExit ? isOver : filled > 0n)) {
        slot.paidSide = due.side
        completeLeg(slot)
        return place(slot)
      }
      if (armed === undefined) return
      if (quoteAmount(market, armed.quantity, armed.price, "up") < leastFor(slot, armed)) {
        counts.deniedMinimum++
        return
      }
    }
    const cut = reachable(slot, armed) ?? armed
    const input = inputAmount(market, cut.side, cut.quantity, cut.price)
    const gross = outputAmount(market, cut.side, cut.quantity, cut.price)
    const free = armed.side === "BUY" ? freeQuote : slot.at.base
    if (free < input || (armed.isExit !== true && openOrders() >= conditions.maxOpenOrders)) {
      if (!wasWaiting || deniedBefore !== undefined) counts.deniedFunds++
      slot.state = "waiting"
      return
    }
    slot.deniedBy = refusalOf(slot, cut, false)
    if (slot.deniedBy !== undefined) {
      if (slot.deniedBy !== deniedBefore) limits.deny(slot.deniedBy)
      slot.state = "waiting"
      return
    }
    limits.placed(now)
    slot.value = armed.side === "BUY" ? input : gross
    add(slot.at, armed.side === "BUY" ? "quote" : "base", -input)
    counts.placed++
    slot.order = {
      side: armed.side,
      price: armed.price,
      whole: cut.quantity,
      wholeInput: input,
      by: armed.by,
      isPart: cut.quantity < armed.quantity,
      open: cut.quantity,
      input,
      from: nextBar
    }
    const isAtOnce = rules.stops === "first" && armed.isExit === true && isAfterStop(armed)
    slot.state = isAtOnce || barAfter(rules.placeMillis) <= nextBar ? "resting" : "placing"
    if (slot.state === "placing") wakeAfter(slot, rules.placeMillis)
  }
  const isExit = (slot: Slot) => slot.desired !== undefined && armedLeg(slot.desired, progress(slot))?.isExit === true
  const exitsFirst = (all: ReadonlyArray<Slot>) => {
    return [...all.filter(isExit), ...all.filter((slot) => !isExit(slot))]
  }
  const placeWaiting = (at: Place) => {
    for (const slot of exitsFirst(slots)) if (slot.at === at && slot.state === "waiting") place(slot)
  }
  const placeAllWaiting = () => {
    for (const at of places) placeWaiting(at)
  }
  const close = (slot: Slot, order: Order) => {
    const { refundFee } = slot.at.conditions.rules
    const paid = min(order.input, order.side === "BUY" ? refundFee.quote : refundFee.base)
    add(slot.at, order.side === "BUY" ? "quote" : "base", order.input - paid)
    feeFor(slot, order.side === "SELL", paid)
    if (order.side === "SELL" && slot.lastSide === "BUY") slot.receivedByLast -= min(paid, slot.receivedByLast)
    if (order.side === "SELL") takeFee(slot.at, order, paid)
    slot.order = undefined
  }
  const payOut = (slot: Slot, side: Side) => {
    add(slot.at, side === "BUY" ? "base" : "quote", slot.unpaid)
    slot.lastPaid = slot.unpaid
    slot.unpaid = 0n
    slot.value = 0n
    slot.state = "idle"
  }
  const cancel = (slot: Slot) => {
    const order = slot.order
    if (order === undefined) return
    const { rules } = slot.at.conditions
    close(slot, order)
    const payout = min(slot.unpaid, withdrawFee(rules, order.side))
    slot.unpaid -= payout
    slot.received -= payout
    feeFor(slot, order.side === "BUY", payout)
    if (order.side === "BUY") takeFee(slot.at, order, payout)
    payOut(slot, order.side)
    counts.cancelled++
  }
  const completeLeg = (slot: Slot) => {
    slot.completed++
    slot.lastSide = slot.paidSide
    slot.lastQuantity = slot.filled
    slot.receivedByLast = slot.received
    slot.filled = 0n
    slot.received = 0n
  }
  const same = (a: DesiredSlot | undefined, b: DesiredSlot | undefined) =>
    JSON.stringify([a?.legs, a?.cycle, a?.after], (_, v) => (typeof v === "bigint" ? `${v}` : v)) ===
    JSON.stringify([b?.legs, b?.cycle, b?.after], (_, v) => (typeof v === "bigint" ? `${v}` : v))
  const keeps = (slot: Slot, desired: DesiredSlot | undefined) => {
    const order = slot.order
    if (order === undefined || desired === undefined) return false
    const armed = armedIn(slot, desired)
    return (
      armed?.side === order.side &&
      armed.by === order.by &&
      armed.quantity === order.open &&
      Decimal.equals(armed.price, order.price)
    )
  }
  /** An order stays where it is when the refund, and a payout of what has filled, cost as much as moving it is worth. */
  const isNotWorthMoving = (slot: Slot, desired: DesiredSlot | undefined): boolean => {
    const { order } = slot
    const armed = armedIn(slot, desired)
    if (order === undefined || armed === undefined || armed.side !== order.side || armed.by !== order.by) return false
    if (slot.state !== "resting" && slot.state !== "placing") return false
    const { market, rules } = slot.at.conditions
    const worth = (quantity: bigint, price: Price) => quoteAmount(market, quantity, price, "up")
    const inQuote = (base: bigint) => worth(base, marketIn(slot.at))
    const present = worth(armed.quantity, order.price)
    const apart = (a: bigint, b: bigint) => (a > b ? a - b : b - a)
    const gain = apart(worth(armed.quantity, armed.price), present) + apart(present, worth(order.open, order.price))
    const isPartial = slot.unpaid > 0n
    const cost =
      order.side === "BUY"
        ? rules.refundFee.quote + (isPartial ? inQuote(rules.withdrawFee.base) : 0n)
        : inQuote(rules.refundFee.base) + (isPartial ? rules.withdrawFee.quote : 0n)
    return gain <= cost
  }
  /** An order of which nobody would regret the fill waits until its successor may come; each limit is counted once. */
  const isKeptBack = (slot: Slot, desired: DesiredSlot | undefined): boolean => {
    const { order } = slot
    const armed = armedIn(slot, desired)
    if (order === undefined || armed === undefined || armed.side !== order.side) return false
    if (slot.state !== "resting" && slot.state !== "placing") return false
    const regrets = order.side === "BUY" ? [order.price, armed.price] : [armed.price, order.price]
    const isWorse = Decimal.compare(regrets[0] ?? order.price, regrets[1] ?? order.price) > 0
    if (isWorse || order.open > armed.quantity || order.by !== undefined) {
      slot.deniedBy = undefined
      return false
    }
    const limit = refusalOf(slot, armed, true)
    if (limit !== undefined && limit !== slot.deniedBy) limits.deny(limit)
    slot.deniedBy = limit
    if (limit !== undefined) return true
    const free = order.side === "BUY" ? freeQuote : slot.at.base
    const { market } = slot.at.conditions
    return armed.isExit === true && free + order.input < inputAmount(market, armed.side, armed.quantity, armed.price)
  }
  /** Says whether the slot works on something new. */
  const adopt = (slot: Slot, wanted: DesiredSlot | undefined): boolean => {
    slot.successor = null
    if (wanted === undefined) moving.delete(slot)
    if (slot.state === "cancelling") {
      slot.successor = wanted
      return false
    }
    if (same(slot.desired, wanted)) {
      if (slot.state !== "waiting") slot.deniedBy = undefined
      return false
    }
    if (slot.order?.by === "swap") {
      slot.successor = wanted
      return false
    }
    const { cancelMillis } = slot.at.conditions.rules
    if (!keeps(slot, wanted)) {
      const stays = isNotWorthMoving(slot, wanted)
      if (stays && slot.state !== "waiting") slot.deniedBy = undefined
      if (stays || isKeptBack(slot, wanted)) {
        slot.successor = wanted
        return false
      }
    }
    const isLive = slot.state === "resting" || slot.state === "placing"
    if (isLive && wanted !== undefined && !keeps(slot, wanted)) moving.add(slot)
    if (slot.state === "resting" && waits(cancelMillis) && !keeps(slot, wanted)) {
      slot.deniedBy = undefined
      slot.state = "cancelling"
      slot.successor = wanted
      wakeAfter(slot, cancelMillis)
      return false
    }
    if ((slot.state === "resting" || slot.state === "placing") && !keeps(slot, wanted)) cancel(slot)
    if (slot.state === "waiting") slot.state = "idle"
    slot.deniedBy = undefined
    const order = slot.order
    if (order !== undefined) {
      // A kept order becomes one of its own size.
      const { market } = slot.at.conditions
      const input = inputAmount(market, order.side, order.open, order.price)
      const isPart = wanted === undefined || armedLeg(wanted, progress(slot))?.quantity !== order.open
      slot.order = { ...order, whole: order.open, wholeInput: input, isPart }
      slot.value = order.side === "BUY" ? input : outputAmount(market, order.side, order.open, order.price)
    }
    slot.desired = wanted
    return true
  }
  /** What kept a successor from its place may do so no longer. */
  const replaceFreed = () => {
    for (const at of places) {
      const freed = slots.filter((slot) => {
        const { successor } = slot
        const isLive = slot.state === "resting" || slot.state === "placing"
        const isHeld = slot.at === at && successor !== null && slot.deniedBy !== undefined && isLive
        return isHeld && !isKeptBack(slot, successor) && adopt(slot, successor)
      })
      for (const slot of freed) if (slot.state === "idle") place(slot)
    }
  }
  const decide = (bar: number) => {
    now = TimeAxis.closeTime(candles.time, bar)
    nextBar = bar + 1
    decideNow()
  }
  const decideNow = () => {
    decidedAt = now
    const [first, ...others] = places.map((at) => {
      const price = marketIn(at)
      const half = Decimal.multiply(price, Decimal.make(BigInt(at.conditions.rules.spreadBasisPoints), 4))
      const quoted = { bid: Decimal.subtract(price, half), ask: Decimal.add(price, half), at: now }
      return [at.conditions.market.name, quoted] as const
    })
    const view = {
      now,
      market: conditions.market,
      price: first?.[1] ?? { bid: Decimal.zero, ask: Decimal.zero, at: now },
      ...(others.length === 0 ? {} : { elsewhere: new Map(others) }),
      slots: new Map(slots.map((slot) => [slot.name, progress(slot)])),
      isHeld: limits.heldBy(now) !== undefined
    }
    const answer = conditions.decide(view, memory)
    const decision = limits.isDrained() ? { ...answer, desired: [] } : answer
    memory = decision.memory
    until = decision.until
    stops = decision.stops ?? {}
    counts.decisions++
    for (const { slot: name, market } of decision.desired)
      if (!slots.some((slot) => slot.name === name))
        slots.push({
          name,
          at: places.find((at) => at.conditions.market.name === (market ?? conditions.market).name) as Place,
          desired: undefined,
          successor: null,
          order: undefined,
          state: "idle",
          deniedBy: undefined,
          value: 0n,
          paidSide: "BUY",
          paidPrice: Decimal.zero,
          isCut: false,
          completed: 0,
          lastSide: undefined,
          lastQuantity: 0n,
          bought: 0n,
          sold: 0n,
          paid: 0n,
          proceeds: 0n,
          feesBase: 0n,
          feesQuote: 0n,
          filled: 0n,
          received: 0n,
          receivedByLast: 0n,
          unpaid: 0n,
          lastPaid: 0n,
          wakeBar: 0,
          arrivedBar: 0,
          arrivals: 0
        })
    const renewed = new Set<Slot>()
    for (const slot of places.flatMap((at) => slots.filter((slot) => slot.at === at))) {
      const wanted = decision.desired.find((desired) => desired.slot === slot.name)
      if (adopt(slot, wanted)) renewed.add(slot)
    }
    for (const at of places) {
      const ready = decision.desired.flatMap((desired) => slots.find(({ name }) => name === desired.slot) ?? [])
      for (const slot of exitsFirst(ready))
        if (slot.at === at && (renewed.has(slot) || held.has(slot)) && slot.state === "idle") place(slot)
    }
    held.clear()
    placeAllWaiting()
  }
  const succeed = (slot: Slot) => {
    if (slot.successor === null) return
    if (slot.state !== "waiting") slot.deniedBy = undefined
    slot.desired = slot.successor
    slot.successor = null
  }
  const due: Array<Slot> = []
  /** After a fill of which the strategy wants to hear, its answer comes before the next order. */
  const held = new Set<Slot>()
  const placeWaitingAfter = (isNews: boolean) => {
    if (!isNews || !until.onFill) for (const at of places) placeWaiting(at)
  }
  const complete = (slot: Slot, order: Order) => {
    const { rules } = slot.at.conditions
    slot.paidSide = order.side
    slot.paidPrice = order.price
    close(slot, order)
    slot.isCut = order.isPart === true
    if (!waits(rules.payoutMillis)) {
      if (!slot.isCut) completeLeg(slot)
      payOut(slot, order.side)
      due.push(slot)
    } else {
      slot.state = "paying"
      wakeAfter(slot, rules.payoutMillis)
    }
  }
  /** Compares exact decimals. */
  const reaches = (at: Place, order: Order, [low, high]: readonly [Price, Price]) => {
    const { rules } = at.conditions
    const edge = Decimal.make(BigInt(Math.round(rules.edgeBasisPoints * 1e6)), 10)
    const limit = Decimal.multiply(
      order.price,
      order.side === "BUY" ? Decimal.subtract(Decimal.one, edge) : Decimal.add(Decimal.one, edge)
    )
    // Of a sale others get so much less for the same: the market must pay more.
    const rest = restOf(rules.appFeeBasisPoints)
    const beyond =
      order.side === "BUY"
        ? Decimal.compare(low, Decimal.multiply(limit, rest))
        : Decimal.compare(limit, Decimal.multiply(high, rest))
    return rules.touch === "through" ? beyond < 0 : beyond <= 0
  }
  const rangeOf = ({ conditions: { rules }, candles }: Place, bar: number): readonly [Price, Price] =>
    rules.touch === "close"
      ? [exact(candles.close, bar), exact(candles.close, bar)]
      : [exact(candles.low, bar), exact(candles.high, bar)]
  const jumpedOver = ({ conditions: { rules }, candles }: Place, order: Order, bar: number): boolean =>
    rules.touch === "within" &&
    (Decimal.compare(order.price, exact(candles.high, bar)) > 0 ||
      Decimal.compare(order.price, exact(candles.low, bar)) < 0)
  const fill = (slot: Slot, order: Order, bar: number, given?: Price, most = capacityIn(slot.at, bar)) => {
    const { market, rules } = slot.at.conditions
    const open = exact(slot.at.candles.open, bar)
    const better = order.side === "BUY" ? Decimal.min(open, order.price) : Decimal.max(open, order.price)
    const price = given ?? (rules.price === "open" ? better : order.price)
    const quantity = min(order.open, most)
    if (quantity <= 0n || (given === undefined && jumpedOver(slot.at, order, bar))) return
    slot.at.usedVolume.set(bar, (slot.at.usedVolume.get(bar) ?? 0n) + quantity)
    const whole = quantity === order.whole && order.input === order.wholeInput && Decimal.equals(price, order.price)
    const gross = order.side === "BUY" ? quantity : quoteAmount(market, quantity, price, whole ? "up" : "down")
    // One payout for each order: its price comes off what the whole of it brought in.
    const payout = order.open === quantity ? withdrawFee(rules, order.side) : 0n
    const fee = min(slot.unpaid + gross, shareOf(rules, gross) + payout)
    const cost = quoteAmount(market, quantity, price, "up")
    const input = order.side === "SELL" ? quantity : whole ? order.input : min(order.input, cost)
    trade(slot.at, order.side, quantity, order.side === "BUY" ? input : gross, fee)
    feeFor(slot, order.side === "BUY", fee)
    turns.push({ side: order.side, isExit: isExit(slot) })
    fills.push({
      market: market.name,
      bar,
      slot: slot.name,
      side: order.side,
      price: Decimal.format(price),
      input,
      output: gross - fee
    })
    order.open -= quantity
    order.input -= input
    slot.filled += quantity
    if (order.side === "BUY") {
      slot.bought += quantity
      slot.paid += input
    } else {
      slot.sold += quantity
      slot.proceeds += gross
    }
    slot.received += gross - fee
    slot.unpaid += gross - fee
    if (order.open === 0n) complete(slot, order)
  }
  const settle = () => {
    // What pays for itself goes first, then the others in the order of their fills.
    const selfPaying = (slot: Slot): boolean => {
      if (slot.successor !== null) return false
      const armed = slot.desired === undefined ? undefined : armedLeg(slot.desired, progress(slot))
      if (armed === undefined || armed.side === slot.paidSide) return false
      const input = inputAmount(slot.at.conditions.market, armed.side, armed.quantity, armed.price)
      return slot.lastPaid >= input
    }
    const ready = due.splice(0)
    if (until.onFill) {
      for (const slot of ready) held.add(slot)
      return
    }
    const first = ready.filter(selfPaying)
    for (const slot of exitsFirst(first)) place(slot)
    const later = ready.filter((slot) => !first.includes(slot))
    for (const slot of later) succeed(slot)
    for (const slot of exitsFirst(later)) place(slot)
  }
  const capacityIn = ({ conditions: { rules, market }, candles, usedVolume }: Place, bar: number): bigint =>
    rules.volumeShare === 0
      ? 10n ** 60n
      : capacityOf(rules, market, candles.volume[bar] ?? 0) - (usedVolume.get(bar) ?? 0n)
  /** Orders that are marketable as they arrive fill at once, at the last close. */
  const arrivedIn = (at: Place) =>
    slots.flatMap((slot) => {
      const order = slot.order
      const isNew = order?.from === nextBar && order.open === order.whole && order.tried !== true
      if (order?.by === "swap" && slot.at === at) return slot.state === "resting" ? [{ slot, order }] : []
      if (order === undefined || slot.at !== at || at.conditions.rules.price !== "arrival") return []
      return isNew && slot.state === "resting" && reaches(at, order, [marketIn(at), marketIn(at)])
        ? [{ slot, order }]
        : []
    })
  const fillArrived = (at: Place, bar: number) => {
    for (const { slot, order } of arrivedIn(at)) {
      if (order.by === "swap") {
        swap(slot, order, bar)
        continue
      }
      order.tried = true
      if (slot.arrivedBar !== nextBar) slot.arrivals = 0
      slot.arrivedBar = nextBar
      if (capacityIn(at, bar) <= 0n) continue
      slot.arrivals++
      if (slot.arrivals > 12) continue
      const { edgeBasisPoints, spreadBasisPoints } = at.conditions.rules
      fill(slot, order, bar, taken(at, order, edgeBasisPoints + (spreadBasisPoints + impactOf(at, order))))
    }
    settle()
  }
  const fillArrivals = (bar: number, ask: () => void) => {
    for (let round = 0; round < 1000 && places.some((at) => arrivedIn(at).length > 0); round++) {
      const before = fills.length
      for (const at of places) if (arrivedIn(at).length > 0) fillArrived(at, bar)
      placeWaitingAfter(fills.length > before)
      if (fills.length > before && until.onFill) ask()
    }
  }
  const isAsked = (bar: number): boolean => {
    const at = TimeAxis.closeTime(candles.time, bar)
    const millis = until.barClose === undefined ? undefined : timeframeMillis(until.barClose)
    const isBeyond = (place: Place, { priceBelow, priceAbove }: PriceBounds): boolean => {
      const close = exact(place.candles.close, bar)
      return (
        (priceBelow !== undefined && Decimal.compare(close, priceBelow) <= 0) ||
        (priceAbove !== undefined && Decimal.compare(close, priceAbove) >= 0)
      )
    }
    return (
      (until.time !== undefined && at >= until.time) ||
      (millis !== undefined && frameStart(at, millis) > frameStart(decidedAt, millis)) ||
      places.some((place, index) => {
        const { name } = place.conditions.market
        return isBeyond(place, index === 0 ? until : (until.elsewhere?.find(({ market }) => market === name) ?? {}))
      })
    )
  }
  const totals = () => {
    const bases = new Map(places.map((at) => [at, at.base]))
    let quote = freeQuote
    for (const slot of slots) {
      const side = slot.order?.side ?? slot.paidSide
      const [base, money] = [bases.get(slot.at) ?? 0n, slot.order?.input ?? 0n]
      bases.set(slot.at, base + (side === "BUY" ? slot.unpaid : money))
      quote += side === "BUY" ? money : slot.unpaid
    }
    return { bases, quote }
  }
  const isInHand = (at: Place, order: Order): boolean => {
    const { conditions, random } = at
    const { share, distance } = conditions.rules.inHand
    const close = Decimal.toNumber(marketIn(at))
    return share > 0 && Math.abs(close / Decimal.toNumber(order.price) - 1) < distance && random() < share
  }
  const wake = (at: Place, bar: number, due: number): boolean => {
    let paid = false
    const mine = new Set(wakes.flatMap(({ bar, slot }) => (bar <= due && slot.at === at ? [slot] : [])))
    wakes = wakes.filter((wake) => wake.bar > due || wake.slot.at !== at)
    for (const slot of mine) {
      if (slot.wakeBar !== due) continue
      if (slot.state === "placing") {
        slot.state = "resting"
        if (slot.order !== undefined) slot.order.from = nextBar
        if (slot.order?.by === "swap" && !isQuoted(slot.at, slot.order)) giveBack(slot)
        continue
      }
      const order = slot.order
      if (slot.state === "cancelling" && order?.by === undefined && order !== undefined && isInHand(at, order)) {
        slot.at.usedVolume.set(bar, (slot.at.usedVolume.get(bar) ?? 0n) - order.open)
        fill(slot, order, bar, order.price, order.open)
        paid = true
        continue
      }
      if (slot.state === "cancelling") cancel(slot)
      else if (slot.state === "paying") {
        if (!slot.isCut) completeLeg(slot)
        payOut(slot, slot.paidSide)
        paid = true
        if (until.onFill) {
          held.add(slot)
          continue
        }
      } else continue
      succeed(slot)
      place(slot)
    }
    if (paid) settle()
    return paid
  }
  let isTurned = false
  const look = (bar: number) => {
    const { bases, quote } = totals()
    const worth = [...bases].reduce(
      (
        sum,
        [
          {
            conditions: { market },
            candles
          },
          base
        ]
      ) => sum + quoteAmount(market, base, exact(candles.close, bar), "down"),
      quote
    )
    if (limits.look(now, worth)) isTurned = true
  }
  const reachedIn = (at: Place, bar: number, isReached: (order: Order) => boolean) => {
    const { rules } = at.conditions
    const reached = slots.flatMap((slot, index) => {
      const order = slot.order
      const isLive =
        slot.at === at && order?.by === undefined && (slot.state === "resting" || slot.state === "cancelling")
      return order !== undefined && isLive && isReached(order) ? [{ slot, order, index }] : []
    })
    // What is placed within the bar waits for the next one.
    return reached
      .filter(({ order }) => order.from <= bar)
      .sort((a, b) => {
        if (a.order.side !== b.order.side) return a.order.side === "BUY" ? -1 : 1
        const direction = a.order.side === "BUY" ? -1 : 1
        const fillsWhen = ({ side, price }: Order) => fillsAt(rules, side, price, at.candles.priceScale)
        return direction * (fillsWhen(a.order) - fillsWhen(b.order)) || a.index - b.index
      })
  }
  const fillBar = (at: Place, bar: number, isLeft: boolean): boolean => {
    const reached = reachedIn(at, bar, (order) => reaches(at, order, rangeOf(at, bar)))
    for (const { slot, order } of reached) fill(slot, order, bar)
    const isReached = isLeft || reached.length > 0
    if (isReached) look(bar)
    settle()
    return isReached
  }
  /** A bar that reaches a stop comes to it first. Says whether it does. */
  const leaveWithin = (at: Place, bar: number): boolean => {
    const { rules } = at.conditions
    if (rules.stops !== "first") return false
    const [low, high] = rangeOf(at, bar).map(Decimal.toNumber) as [number, number]
    const open = at.candles.open[bar] ?? 0
    const asked = { below: Number.POSITIVE_INFINITY, above: Number.NEGATIVE_INFINITY }
    // Asked there in vain, and no order has been placed, cancelled or filled since.
    const isInVain = (side: "below" | "above", price: number) =>
      askedAt.changes === changes() && askedAt[side] === price
    const standAt = (price: number) => {
      within = new Map(places.map((place) => [place, exact(place.candles.close, bar - 1)]))
      within = new Map([...within, [at, Candles.exactPrice(price)]])
      now = TimeAxis.closeTime(candles.time, bar) - 1
    }
    // What is placed within a bar fills as it arrives, or waits for the next one. Says whether an entry has filled, or what adds to it.
    const arriveWithin = (side: Side): boolean => {
      const before = turns.length
      fillArrivals(bar, () => {})
      for (const { order } of slots) if (order?.from === nextBar) order.tried = true
      return until.onFill && turns.slice(before).some((each) => !each.isExit || each.side === side)
    }
    for (;;) {
      const { priceBelow, priceAbove } = stops
      const below = priceBelow === undefined ? Number.NaN : boundAt(priceBelow, at.candles.priceScale + 3, "down")
      const above = priceAbove === undefined ? Number.NaN : boundAt(priceAbove, at.candles.priceScale + 3, "up")
      const isBelow = below >= low && below < asked.below && !isInVain("below", below)
      const isAbove = !isBelow && above <= high && above > asked.above && !isInVain("above", above)
      if (!isBelow && !isAbove) break
      const stop = isBelow ? Math.min(below, open) : Math.max(above, open)
      const side = isBelow ? "BUY" : "SELL"
      const onTheWay = (order: Order) => {
        const fillsWhen = fillsAt(rules, side, order.price, at.candles.priceScale + 9)
        return order.side === side && (isBelow ? fillsWhen >= stop : fillsWhen <= stop)
      }
      const isFirst = within === undefined
      const opened = new Set<Order>()
      standAt(stop)
      if (isFirst) {
        // What is under way and lies on the way rests from the open of the bar on.
        for (const slot of slots) {
          const { order, state } = slot
          const isComing = state === "placing" && slot.at === at && slot.wakeBar === bar + 1 && order?.by === undefined
          if (order === undefined || !isComing || !onTheWay(order)) continue
          slot.state = "resting"
          order.from = bar
          opened.add(order)
        }
      }
      let last: Price | undefined
      const opening = Candles.exactPrice(open)
      for (const { slot, order } of reachedIn(at, bar, onTheWay)) {
        const before = fills.length
        const isMarketable = opened.has(order) && rules.price === "arrival" && reaches(at, order, [opening, opening])
        const beyond = rules.edgeBasisPoints + (rules.spreadBasisPoints + impactOf(at, order))
        const price = isMarketable ? taken(at, order, beyond, opening) : undefined
        fill(slot, order, bar, price)
        if (fills.length > before) last = price ?? order.price
      }
      settle()
      if (isFirst) {
        for (const place of places) wake(place, bar, bar + 1)
        arriveWithin(side)
      }
      if (last !== undefined && until.onFill) standAt(Decimal.toNumber(last))
      else if (isBelow) asked.below = below
      else asked.above = above
      do decideNow()
      while (arriveWithin(side))
    }
    const isLeft = within !== undefined
    if (isLeft) askedAt = { ...asked, changes: changes() }
    within = undefined
    now = TimeAxis.closeTime(candles.time, bar)
    return isLeft
  }
  for (let bar = 0; bar < candles.bars; bar++) {
    now = TimeAxis.openTime(candles.time, bar)
    nextBar = bar
    let happened = bar === 0
    const isAwake = wakes.some((wake) => wake.bar <= bar)
    let paid = false
    for (const at of places) if (wake(at, bar, bar)) paid = true
    if (isAwake) placeWaitingAfter(paid)
    if (paid && until.onFill) decideNow()
    fillArrivals(bar, decideNow)
    nextBar = bar + 1
    now = TimeAxis.closeTime(candles.time, bar)
    const before = fills.length
    let isReached = false
    for (const [index, at] of places.entries())
      if (fillBar(at, bar, index === 0 && leaveWithin(at, bar))) isReached = true
    if (fills.length > before) happened = true
    const { bases, quote } = totals()
    const worth = ({ conditions: { market }, candles }: Place, base: bigint) =>
      (Number(base) / 10 ** market.base.decimals) * (candles.close[bar] ?? 0)
    const equity = [...bases].reduce(
      (sum, [at, base]) => sum + worth(at, base),
      Number(quote) / 10 ** conditions.market.quote.decimals
    )
    peak = Math.max(peak, equity)
    drawdown = Math.max(drawdown, (peak - equity) / peak)
    look(bar)
    if (isTurned || (happened && until.onFill) || isAsked(bar)) {
      isTurned = false
      decide(bar)
    } else {
      if (isReached) placeAllWaiting()
      if (conditions.limits !== undefined) {
        replaceFreed()
        placeAllWaiting()
      }
    }
    fillArrivals(bar, () => decide(bar))
  }
  const { bases, quote } = totals()
  return {
    fills,
    bases: [...bases].map(([{ conditions, feesBase, feesQuote }, base]) => {
      return { market: conditions.market.name, base, fees: { base: feesBase, quote: feesQuote } }
    }),
    quote,
    counts,
    drawdown,
    openOrders: openOrders(),
    deniedBy: limits.denied,
    stops: limits.stops
  }
}
