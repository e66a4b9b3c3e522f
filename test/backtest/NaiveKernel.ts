/**
 * The backtest's rules written down once more as a plain loop over bars and slots, without columns, ladders, rows or jumps.
 * Slow and obvious: what the kernel is compared with.
 */
import * as Candles from "../../src/backtest/Candles.ts"
import { timeframeMillis } from "../../src/backtest/Decisions.ts"
import { capacityOf, feeOf, fillsAt } from "../../src/backtest/FillRules.ts"
import type { Conditions } from "../../src/backtest/Run.ts"
import * as TimeAxis from "../../src/backtest/TimeAxis.ts"
import { min } from "../../src/domain/Amount.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { inputAmount, outputAmount, type Price, quoteAmount, type Side } from "../../src/domain/Market.ts"
import { armedLeg, type Bounds, type DesiredSlot, type Memory } from "../../src/strategy/Decision.ts"
import type { SlotProgress } from "../../src/strategy/View.ts"

interface Order {
  readonly side: Side
  readonly price: Price
  readonly whole: bigint
  readonly wholeInput: bigint
  open: bigint
  input: bigint
  /** First bar that can fill it. */
  from: number
  tried?: boolean
}

interface Slot {
  readonly name: string
  desired: DesiredSlot | undefined
  successor: DesiredSlot | undefined | null
  order: Order | undefined
  state: "idle" | "waiting" | "placing" | "resting" | "cancelling" | "paying"
  paidSide: Side
  completed: number
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
  readonly bar: number
  readonly slot: string
  readonly side: Side
  readonly price: string
  readonly input: bigint
  readonly output: bigint
}

export const naive = (conditions: Conditions, candles: Candles.Candles) => {
  const { market, rules, budget } = conditions
  const slots: Array<Slot> = []
  const fills: Array<NaiveFill> = []
  const counts = { placed: 0, cancelled: 0, deniedFunds: 0, deniedMinimum: 0, decisions: 0 }
  const free = { BUY: budget.quote, SELL: budget.base }
  const fees = { base: 0n, quote: 0n }
  let wakes: Array<{ bar: number; slot: Slot }> = []
  let memory: Memory = conditions.initialMemory
  let until: Bounds = { onFill: true }
  let decidedAt = Number.NEGATIVE_INFINITY
  let [now, nextBar] = [0, 0]
  let [peak, drawdown] = [Number.NEGATIVE_INFINITY, 0]

  const exact = (column: Float64Array, bar: number) => Candles.exactPrice(column[bar] ?? 0)
  const progress = (slot: Slot): SlotProgress => ({
    completedLegs: slot.completed,
    filledInLeg: slot.filled,
    receivedByLastLeg: slot.receivedByLast,
    ...(slot.order !== undefined && slot.order.open > 0n
      ? { live: { side: slot.order.side, price: slot.order.price, quantity: slot.order.open } }
      : {})
  })
  const openOrders = () => slots.filter((slot) => slot.order !== undefined && slot.order.open > 0n).length
  const barAfter = (millis: number) => {
    if (millis === 0) return nextBar
    let bar = nextBar
    while (bar < candles.bars && TimeAxis.openTime(candles.time, bar) < now + millis) bar++
    return bar
  }
  const wakeAfter = (slot: Slot, millis: number) => {
    slot.wakeBar = barAfter(millis)
    wakes.push({ bar: slot.wakeBar, slot })
  }
  const place = (slot: Slot) => {
    const armed = slot.desired === undefined ? undefined : armedLeg(slot.desired, progress(slot))
    const wasWaiting = slot.state === "waiting"
    if (wasWaiting) slot.state = "idle"
    if (armed === undefined) return
    const input = inputAmount(market, armed.side, armed.quantity, armed.price)
    const gross = outputAmount(market, armed.side, armed.quantity, armed.price)
    if ((armed.side === "BUY" ? input : gross) < rules.minimumQuote) {
      counts.deniedMinimum++
      return
    }
    if (free[armed.side] < input || openOrders() >= conditions.maxOpenOrders) {
      if (!wasWaiting) counts.deniedFunds++
      slot.state = "waiting"
      return
    }
    free[armed.side] -= input
    counts.placed++
    slot.order = {
      side: armed.side,
      price: armed.price,
      whole: armed.quantity,
      wholeInput: input,
      open: armed.quantity,
      input,
      from: nextBar
    }
    slot.state = barAfter(rules.placeMillis) <= nextBar ? "resting" : "placing"
    if (slot.state === "placing") wakeAfter(slot, rules.placeMillis)
  }
  const placeWaiting = () => {
    for (const slot of slots) if (slot.state === "waiting") place(slot)
  }
  const close = (slot: Slot, order: Order, fee: bigint) => {
    const paid = min(order.input, fee)
    free[order.side] += order.input - paid
    if (order.side === "BUY") fees.quote += paid
    else fees.base += paid
    slot.order = undefined
  }
  const payOut = (slot: Slot, side: Side) => {
    free[side === "BUY" ? "SELL" : "BUY"] += slot.unpaid
    slot.lastPaid = slot.unpaid
    slot.unpaid = 0n
    slot.state = "idle"
  }
  const cancel = (slot: Slot) => {
    const order = slot.order
    if (order === undefined) return
    close(slot, order, order.side === "BUY" ? rules.refundFee.quote : rules.refundFee.base)
    payOut(slot, order.side)
    counts.cancelled++
  }
  const completeLeg = (slot: Slot) => {
    slot.completed++
    slot.receivedByLast = slot.received
    slot.filled = 0n
    slot.received = 0n
  }
  const same = (a: DesiredSlot | undefined, b: DesiredSlot | undefined) =>
    JSON.stringify([a?.legs, a?.cycle], (_, v) => (typeof v === "bigint" ? `${v}` : v)) ===
    JSON.stringify([b?.legs, b?.cycle], (_, v) => (typeof v === "bigint" ? `${v}` : v))
  const keeps = (slot: Slot, desired: DesiredSlot | undefined) => {
    const order = slot.order
    if (order === undefined || desired === undefined) return false
    const armed = armedLeg(desired, progress(slot))
    return armed?.side === order.side && armed.quantity === order.open && Decimal.equals(armed.price, order.price)
  }
  const decide = (bar: number) => {
    now = TimeAxis.closeTime(candles.time, bar)
    nextBar = bar + 1
    decidedAt = now
    const price = exact(candles.close, bar)
    const view = {
      now,
      market,
      price: { bid: price, ask: price, at: now },
      slots: new Map(slots.map((slot) => [slot.name, progress(slot)]))
    }
    const decision = conditions.decide(view, memory)
    memory = decision.memory
    until = decision.until
    counts.decisions++
    for (const { slot: name } of decision.desired)
      if (!slots.some((slot) => slot.name === name))
        slots.push({
          name,
          desired: undefined,
          successor: null,
          order: undefined,
          state: "idle",
          paidSide: "BUY",
          completed: 0,
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
    for (const slot of slots) {
      const wanted = decision.desired.find((desired) => desired.slot === slot.name)
      slot.successor = null
      const revived = slot.state === "cancelling" && keeps(slot, wanted)
      if (revived) slot.state = "resting"
      if (slot.state === "cancelling") {
        slot.successor = wanted
      } else if (!same(slot.desired, wanted)) {
        if (!revived && slot.state === "resting" && rules.cancelMillis > 0 && !keeps(slot, wanted)) {
          slot.state = "cancelling"
          slot.successor = wanted
          wakeAfter(slot, rules.cancelMillis)
          continue
        }
        if ((slot.state === "resting" || slot.state === "placing") && !keeps(slot, wanted)) cancel(slot)
        if (slot.state === "waiting") slot.state = "idle"
        const order = slot.order
        if (order !== undefined) {
          // A kept order becomes one of its own size.
          const input = inputAmount(market, order.side, order.open, order.price)
          slot.order = { ...order, whole: order.open, wholeInput: input }
        }
        slot.desired = wanted
        renewed.add(slot)
      }
    }
    for (const desired of decision.desired) {
      const slot = slots.find(({ name }) => name === desired.slot)
      if (slot !== undefined && renewed.has(slot) && slot.state === "idle") place(slot)
    }
    placeWaiting()
  }
  const succeed = (slot: Slot) => {
    if (slot.successor === null) return
    slot.desired = slot.successor
    slot.successor = null
  }
  const due: Array<Slot> = []
  const complete = (slot: Slot, order: Order) => {
    slot.paidSide = order.side
    close(slot, order, 0n)
    if (rules.payoutMillis === 0) {
      completeLeg(slot)
      payOut(slot, order.side)
      due.push(slot)
    } else {
      slot.state = "paying"
      wakeAfter(slot, rules.payoutMillis)
    }
  }
  /** Compares exact decimals. */
  const reaches = (order: Order, bar: number, closeOnly: boolean): boolean => {
    const edge = Decimal.make(BigInt(Math.round(rules.edgeBasisPoints * 1e6)), 10)
    const [low, high] =
      rules.touch === "close" || closeOnly
        ? [exact(candles.close, bar), exact(candles.close, bar)]
        : [exact(candles.low, bar), exact(candles.high, bar)]
    const limit = Decimal.multiply(
      order.price,
      order.side === "BUY" ? Decimal.subtract(Decimal.one, edge) : Decimal.add(Decimal.one, edge)
    )
    const beyond = order.side === "BUY" ? Decimal.compare(low, limit) : Decimal.compare(limit, high)
    return rules.touch === "through" ? beyond < 0 : beyond <= 0
  }
  const jumpedOver = (order: Order, bar: number): boolean =>
    rules.touch === "within" &&
    (Decimal.compare(order.price, exact(candles.high, bar)) > 0 ||
      Decimal.compare(order.price, exact(candles.low, bar)) < 0)
  const fill = (slot: Slot, order: Order, bar: number, capacity: bigint, given?: Price): bigint => {
    const open = exact(candles.open, bar)
    const better = order.side === "BUY" ? Decimal.min(open, order.price) : Decimal.max(open, order.price)
    const price = given ?? (rules.price === "open" ? better : order.price)
    const quantity = min(order.open, capacity)
    if (quantity <= 0n || (given === undefined && jumpedOver(order, bar))) return 0n
    const whole = quantity === order.whole && order.input === order.wholeInput && Decimal.equals(price, order.price)
    const gross = order.side === "BUY" ? quantity : quoteAmount(market, quantity, price, whole ? "up" : "down")
    const fee = feeOf(rules, order.side, gross)
    const cost = quoteAmount(market, quantity, price, "up")
    const input = order.side === "SELL" ? quantity : whole ? order.input : min(order.input, cost)
    if (order.side === "BUY") fees.base += fee
    else fees.quote += fee
    fills.push({ bar, slot: slot.name, side: order.side, price: Decimal.format(price), input, output: gross - fee })
    order.open -= quantity
    order.input -= input
    slot.filled += quantity
    slot.received += gross - fee
    slot.unpaid += gross - fee
    if (order.open === 0n) complete(slot, order)
    return quantity
  }
  const settle = () => {
    // What pays for itself goes first, then the others in the order of their fills.
    const selfPaying = (slot: Slot): boolean => {
      if (slot.successor !== null) return false
      const armed = slot.desired === undefined ? undefined : armedLeg(slot.desired, progress(slot))
      if (armed === undefined || armed.side === slot.paidSide) return false
      const input = inputAmount(market, armed.side, armed.quantity, armed.price)
      return slot.lastPaid >= input
    }
    const ready = due.splice(0)
    const first = ready.filter(selfPaying)
    for (const slot of first) place(slot)
    for (const slot of ready.filter((slot) => !first.includes(slot))) {
      succeed(slot)
      place(slot)
    }
  }
  /** Orders that are marketable as they arrive fill at once, at the last close. */
  const fillArrivals = (bar: number, closeBar: number): boolean => {
    let filled = false
    for (let round = 0; rules.price === "arrival" && round < 1000; round++) {
      const arrived = slots.flatMap((slot) => {
        const order = slot.order
        const isNew = order?.from === nextBar && order.open === order.whole && order.tried !== true
        return order !== undefined && isNew && slot.state === "resting" && reaches(order, closeBar, true)
          ? [{ slot, order }]
          : []
      })
      if (arrived.length === 0) return filled
      const before = fills.length
      let capacity = rules.volumeShare === 0 ? 10n ** 60n : capacityOf(rules, market, candles.volume[bar] ?? 0)
      for (const { slot, order } of arrived) {
        order.tried = true
        if (slot.arrivedBar !== nextBar) slot.arrivals = 0
        slot.arrivedBar = nextBar
        if (capacity <= 0n) continue
        slot.arrivals++
        if (slot.arrivals > 12) continue
        capacity -= fill(slot, order, bar, capacity, exact(candles.close, closeBar))
      }
      settle()
      placeWaiting()
      if (fills.length > before) {
        filled = true
        if (bar === closeBar && until.onFill) decide(bar)
      }
    }
    return filled
  }
  const isAsked = (bar: number): boolean => {
    const close = exact(candles.close, bar)
    const at = TimeAxis.closeTime(candles.time, bar)
    const millis = until.barClose === undefined ? undefined : timeframeMillis(until.barClose)
    return (
      (until.time !== undefined && at >= until.time) ||
      (millis !== undefined && Math.floor(at / millis) > Math.floor(decidedAt / millis)) ||
      (until.priceBelow !== undefined && Decimal.compare(close, until.priceBelow) <= 0) ||
      (until.priceAbove !== undefined && Decimal.compare(close, until.priceAbove) >= 0)
    )
  }
  const totals = () => {
    let [base, quote] = [free.SELL, free.BUY]
    for (const slot of slots) {
      const side = slot.order?.side ?? slot.paidSide
      if (side === "BUY") {
        quote += slot.order?.input ?? 0n
        base += slot.unpaid
      } else {
        base += slot.order?.input ?? 0n
        quote += slot.unpaid
      }
    }
    return { base, quote }
  }
  for (let bar = 0; bar < candles.bars; bar++) {
    now = TimeAxis.openTime(candles.time, bar)
    nextBar = bar
    let happened = bar === 0
    const mine = wakes.filter((wake) => wake.bar <= bar)
    wakes = wakes.filter((wake) => wake.bar > bar)
    for (const { slot } of mine) {
      if (slot.wakeBar !== bar) continue
      if (slot.state === "placing") {
        slot.state = "resting"
        if (slot.order !== undefined) slot.order.from = bar
        continue
      }
      if (slot.state === "cancelling") cancel(slot)
      else if (slot.state === "paying") {
        completeLeg(slot)
        payOut(slot, slot.paidSide)
        happened = true
      } else continue
      succeed(slot)
      place(slot)
    }
    if (mine.length > 0) placeWaiting()
    if (fillArrivals(bar, bar - 1)) happened = true
    nextBar = bar + 1
    now = TimeAxis.closeTime(candles.time, bar)
    const reached = slots.flatMap((slot, index) => {
      const order = slot.order
      const isLive = slot.state === "resting" || slot.state === "cancelling"
      return order !== undefined && isLive && reaches(order, bar, false) ? [{ slot, order, index }] : []
    })
    reached.sort((a, b) => {
      if (a.order.side !== b.order.side) return a.order.side === "BUY" ? -1 : 1
      const direction = a.order.side === "BUY" ? -1 : 1
      const at = ({ side, price }: Order) => fillsAt(rules, side, price, candles.priceScale)
      return direction * (at(a.order) - at(b.order)) || a.index - b.index
    })
    let capacity = rules.volumeShare === 0 ? 10n ** 60n : capacityOf(rules, market, candles.volume[bar] ?? 0)
    const before = fills.length
    for (const { slot, order } of reached) capacity -= fill(slot, order, bar, capacity)
    if (fills.length > before) happened = true
    settle()
    if (reached.length > 0) placeWaiting()
    const owned = totals()
    const equity =
      Number(owned.quote) / 10 ** market.quote.decimals +
      (Number(owned.base) / 10 ** market.base.decimals) * (candles.close[bar] ?? 0)
    peak = Math.max(peak, equity)
    drawdown = Math.max(drawdown, (peak - equity) / peak)
    if ((happened && until.onFill) || isAsked(bar)) decide(bar)
    fillArrivals(bar, bar)
  }
  return { fills, ...totals(), fees, counts, drawdown, openOrders: openOrders() }
}
