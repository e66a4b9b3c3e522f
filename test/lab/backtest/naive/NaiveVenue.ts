/**
 * A venue as naive as can be, for simulators of single strategies: a list of slots, a loop over bars, plain numbers. Prices
 * are whole millionths, quantities whole hundred-millionths of a unit, so that every sum is exact; money is in millionths. It
 * shares no code with the kernel.
 *
 * Both sides of the band: `fast` fills at a touch, at once, for any quantity. `slow` takes a bar for placing (but not after a stop), cancelling and
 * paying out, fills a thousandth beyond the limit, and has so much of each bar at most as the bar says. Where a bar reaches a stop, it
 * comes to that first, and nothing takes time.
 */

export type Side = "BUY" | "SELL"

export interface Order {
  readonly side: Side
  readonly price: number
  readonly quantity: number
  /** Placed only once the orders of these slots are gone. */
  readonly behind?: ReadonlyArray<string>
  /** It leaves what the order before it in its slot traded, and no more. */
  readonly isExit?: true
  /** Its stop, time or condition was reached: the slow side places it without delay. */
  readonly isAfterStop?: boolean
  /** It leaves what other slots hold. */
  readonly mayLose?: true
  /** Each answer states the rest of it as a new whole, so what is left counts as whole. */
  readonly isRest?: true
}

export interface Bar {
  readonly open: number
  readonly low: number
  readonly high: number
  readonly close: number
  /** So much of the bar may be ours, when it is slow. */
  readonly most: number
}

export interface Fill extends Order {
  readonly bar: number
  readonly slot: string
  /** Paid or received. */
  readonly money: bigint
}

interface Open extends Omit<Order, "quantity"> {
  quantity: number
  open: number
  /** What is left of the money that a purchase deposited. */
  deposit: bigint
  state: "coming" | "resting" | "leaving" | "paying"
  /** The bar at whose opening its state ends. */
  due: number
  /** The first bar that can fill it. */
  from: number
  /** It had its chance to fill as it arrived. */
  isTried: boolean
}

interface Slot {
  readonly name: string
  order: Open | undefined
  /** What of the wanted order has filled. */
  filled: number
  /** Whole orders that have filled, and how much the last of them was. */
  done: number
  traded: number
  /** The wanted order, and those that follow it. */
  wanted: ReadonlyArray<Order>
}

/** What a strategy sees and does at the close of a bar, or within one. */
export interface Desk {
  /** Minutes; within a bar a moment less. */
  readonly bar: number
  readonly close: number
  /** The slot shall have this order, and when it has filled those that follow; or none. */
  readonly want: (slot: string, order: Order | undefined, ...following: ReadonlyArray<Order>) => void
  /** Whole orders of the slot that have filled, paid out or not. */
  readonly done: (slot: string) => number
  /** The last of them is not paid out yet. */
  readonly isPaying: (slot: string) => boolean
  /** What of the present order has filled. */
  readonly filled: (slot: string) => number
  /** What of it may still fill. */
  readonly resting: (slot: string) => number
  /** An order of the slot may still fill. */
  readonly isOpen: (slot: string) => boolean
  /** The slot has an order, or one whose payout is pending. */
  readonly isLive: (slot: string) => boolean
  readonly fills: ReadonlyArray<Fill>
  /** What all fills have moved. */
  readonly base: bigint
  readonly money: bigint
  /** Of that base what is neither in a sale nor on its way from a purchase. */
  readonly freeBase: bigint
  /** Base in sales that may still fill. */
  readonly sellingBase: bigint
}

export interface Stops {
  readonly below?: number
  readonly above?: number
}

/** Within a bar the market has five decimal places. */
export const stopOf = (side: Side, price: number): Stops =>
  side === "BUY" ? { below: Math.floor(price / 10) * 10 } : { above: Math.ceil(price / 10) * 10 }

export interface Strategy {
  readonly atClose: (desk: Desk) => void
  /** What follows a payout waits for the next close; otherwise it is placed at once. */
  readonly isAskedFirst: boolean
  /** Where it leaves with a loss, after its last answer. */
  readonly stops?: () => Stops
  /** It sees its own orders, and is asked again at once while its answers change them. */
  readonly seesItself?: boolean
}

const mostAnswers = 8

/** Orders are counted as they are placed, and as they are gone without having filled whole. */
export interface Outcome {
  readonly fills: ReadonlyArray<Fill>
  readonly placed: number
  readonly cancelled: number
}

const unit = 100_000_000n

const quotient = (dividend: bigint, divisor: bigint, rounding: "up" | "down"): bigint =>
  (rounding === "up" ? dividend + divisor - 1n : dividend) / divisor

const moneyOf = (quantity: number, price: number, rounding: "up" | "down"): bigint =>
  // A margin beyond a price within a bar has two decimal places more than millionths.
  quotient(BigInt(quantity) * BigInt(Math.round(price * 100)), unit * 100n, rounding)

const thousandth = (price: number, more: 1 | -1): number => (price * (1000 + more)) / 1000

export const simulate = (bars: ReadonlyArray<Bar>, isSlow: boolean, strategy: Strategy): Outcome => {
  const delay = isSlow ? 1 : 0
  const slots = new Map<string, Slot>()
  const fills: Array<Fill> = []
  let [placed, cancelled] = [0, 0]
  let [base, money] = [0n, 0n]
  /** The first bar that a new order can fill in, and the volume that is left. */
  let [bar, next, left] = [0, 0, 0]
  let isWithin = false
  /** Stops at which the strategy was asked last, and how many orders and fills there were. */
  let asked = { below: Number.NaN, above: Number.NaN, changes: 0 }
  const changes = () => placed + cancelled + fills.length
  const takesTime = (): boolean => isSlow && !isWithin

  /** A purchase fills where the price is at or below this, a sale at or above. Candles have cents. */
  const needs = ({ side, price }: Open, isExact = false): number => {
    if (!isSlow) return price
    if (isExact) return thousandth(price, side === "BUY" ? -1 : 1)
    const [beyond, cent] = [thousandth(price, side === "BUY" ? -1 : 1), 10_000]
    return (side === "BUY" ? Math.floor(beyond / cent) : Math.ceil(beyond / cent)) * cent
  }

  const isBehind = ({ behind = [] }: Order): boolean => behind.some((name) => (slots.get(name)?.order?.open ?? 0) > 0)

  const restOf = ({ filled, traded }: Slot, { isExit, quantity }: Order): number =>
    (isExit === true ? Math.min(quantity, traded) : quantity) - filled

  const place = (slot: Slot): void => {
    const [wanted] = slot.wanted
    if (wanted === undefined || isBehind(wanted)) return
    const quantity = restOf(slot, wanted)
    if (quantity <= 0 && slot.filled === 0) return
    if (quantity <= 0) {
      // All that is wanted of it now has filled.
      complete(slot)
      return place(slot)
    }
    const deposit = moneyOf(quantity, wanted.price, "up")
    const isAtOnce = wanted.isAfterStop === true || !takesTime()
    const from = isAtOnce ? next : next + delay
    const state = isAtOnce ? "resting" : "coming"
    placed += 1
    slot.order = { ...wanted, quantity, open: quantity, deposit, state, due: from, from, isTried: false }
  }

  const complete = (slot: Slot): void => {
    slot.done += 1
    slot.traded = slot.filled
    slot.filled = 0
    slot.wanted = slot.wanted.slice(1)
  }

  /** The venue rounds a whole order up, and of its parts those of purchases, but never beyond the deposit. */
  const moneyFor = (order: Open, price: number, quantity: number): bigint => {
    const isWhole = quantity === order.quantity && price === order.price
    if (order.side === "SELL") return moneyOf(quantity, price, isWhole ? "up" : "down")
    const cost = moneyOf(quantity, price, "up")
    return cost < order.deposit ? cost : order.deposit
  }

  const fill = (slot: Slot, order: Open, price: number): boolean => {
    const quantity = Math.min(order.open, left)
    if (quantity <= 0) return false
    const { side } = order
    const [sign, paid] = [side === "BUY" ? 1n : -1n, moneyFor(order, price, quantity)]
    left -= quantity
    order.open -= quantity
    order.deposit -= paid
    slot.filled += quantity
    base += sign * BigInt(quantity)
    money -= sign * paid
    fills.push({ ...order, bar, slot: slot.name, price, quantity, money: paid })
    if (order.open > 0) return true
    complete(slot)
    if (takesTime()) {
      Object.assign(order, { state: "paying", due: next + delay })
      return true
    }
    slot.order = undefined
    if (!strategy.isAskedFirst) place(slot)
    return true
  }

  const atMarket = ({ side, price: limit }: Order, market: number): number => {
    const price = isSlow ? thousandth(market, side === "BUY" ? 1 : -1) : market
    return side === "BUY" ? Math.min(limit, price) : Math.max(limit, price)
  }

  /** What the last close has reached as it comes to rest gets the market, and the margin goes to the solver. */
  const arrive = (close: number): boolean => {
    let hasFilled = false
    for (const slot of slots.values()) {
      const { order } = slot
      const isNew = order?.from === next && order.open === order.quantity && !order.isTried
      if (order?.state !== "resting" || !isNew) continue
      order.isTried = true
      if (order.side === "BUY" ? needs(order, isWithin) < close : needs(order, isWithin) > close) continue
      hasFilled = fill(slot, order, atMarket(order, close)) || hasFilled
    }
    return hasFilled
  }

  /** Those that waited until others were gone; the strategy is asked first where somebody was paid. */
  const placeBehind = (isPaid: boolean): void => {
    if (isPaid && strategy.isAskedFirst) return
    for (const slot of slots.values()) if (slot.order === undefined && slot.wanted[0]?.behind !== undefined) place(slot)
  }

  /** What is under way until the opening of this bar. */
  const wake = (due: number): boolean => {
    let isPaid = false
    for (const slot of slots.values()) {
      const { order } = slot
      if (order === undefined || order.state === "resting" || order.due !== due) continue
      if (order.state === "coming") {
        order.state = "resting"
        order.from = next
        continue
      }
      const { state } = order
      slot.order = undefined
      isPaid ||= state === "paying" || strategy.seesItself === true
      if (state === "leaving") cancelled += 1
      if (state === "leaving" || !strategy.isAskedFirst) place(slot)
    }
    return isPaid
  }

  const open = (): void => {
    const before = bars[bar - 1]?.close ?? 0
    const isPaid = wake(bar)
    placeBehind(isPaid)
    if (isPaid && strategy.isAskedFirst) ask(before)
    while (arrive(before)) if (strategy.isAskedFirst) ask(before)
  }

  /** Between these two, or only one side of them. Says at which price the last one filled; those that opened may fill at the open. */
  const trade = (low: number, high: number, opened = new Set<Order>(), opening = 0): number | undefined => {
    const able = [...slots.values()].filter(({ order }) => order?.state === "resting" || order?.state === "leaving")
    const reached = able.flatMap((slot) => {
      const { order } = slot
      if (order === undefined || order.from > bar) return []
      const at = needs(order)
      const exactly = needs(order, true)
      return (order.side === "BUY" ? low <= exactly : high >= exactly) ? [{ slot, order, at }] : []
    })
    const purchases = reached.filter(({ order }) => order.side === "BUY").sort((a, b) => b.at - a.at)
    const sales = reached.filter(({ order }) => order.side === "SELL").sort((a, b) => a.at - b.at)
    let last: number | undefined
    for (const { slot, order, at } of [...purchases, ...sales]) {
      const arrives = opened.has(order) && (order.side === "BUY" ? at >= opening : at <= opening)
      const price = arrives ? atMarket(order, opening) : order.price
      if (fill(slot, order, price)) last = price
    }
    return last
  }

  /** What is under way and lies on the way to the stop rests from the open of the bar on. */
  const openOnTheWay = (side: Side, stop: number): Set<Order> => {
    const opened = new Set<Order>()
    for (const { order } of slots.values()) {
      if (order?.state !== "coming" || order.due !== bar + 1 || order.side !== side) continue
      if (side === "BUY" ? needs(order, true) < stop : needs(order, true) > stop) continue
      Object.assign(order, { state: "resting", from: bar })
      opened.add(order)
    }
    return opened
  }

  /** Moving it changes the money that is in it. */
  const isWorthMoving = (order: Open, { price, quantity }: Order): boolean => {
    const present = moneyOf(quantity, order.price, "up")
    return moneyOf(quantity, price, "up") !== present || moneyOf(order.open, order.price, "up") !== present
  }

  const want = (name: string, first: Order | undefined, ...following: ReadonlyArray<Order>): void => {
    const slot = slots.get(name) ?? { name, order: undefined, filled: 0, done: 0, traded: 0, wanted: [] }
    slots.set(name, slot)
    const { order } = slot
    slot.wanted = first === undefined ? [] : [first, ...following]
    if (order === undefined) return place(slot)
    if (order.state === "paying" || order.state === "leaving") return
    const rest = first === undefined ? undefined : { ...first, quantity: restOf(slot, first) }
    if (rest?.side === order.side && rest.quantity > 0 && !isWorthMoving(order, rest)) {
      if (rest.isRest === true && rest.price === order.price) order.quantity = order.open
      return
    }
    if (order.state === "resting" && takesTime()) {
      Object.assign(order, { state: "leaving", due: next + delay })
    } else {
      slot.order = undefined
      cancelled += 1
      place(slot)
    }
  }

  const bound = (of: (order: Open) => number): bigint =>
    [...slots.values()].reduce((sum, { order }) => sum + BigInt(order === undefined ? 0 : of(order)), 0n)

  const desk = (close: number): Desk => ({
    bar: isWithin ? bar - 1 / 60_000 : next - 1,
    close,
    want,
    done: (slot) => slots.get(slot)?.done ?? 0,
    isPaying: (slot) => slots.get(slot)?.order?.state === "paying",
    filled: (slot) => slots.get(slot)?.filled ?? 0,
    isLive: (slot) => slots.get(slot)?.order !== undefined,
    fills,
    base,
    money,
    freeBase: base - bound(({ open, quantity, side }) => (side === "SELL" ? open : quantity - open)),
    sellingBase: bound(({ open, side }) => (side === "SELL" ? open : 0)),
    resting: (slot) => slots.get(slot)?.order?.open ?? 0,
    isOpen: (slot) => (slots.get(slot)?.order?.open ?? 0) > 0
  })

  const ask = (close: number): void => {
    for (let answers = 1; ; answers++) {
      const before = placed + cancelled
      strategy.atClose(desk(close))
      placeBehind(false)
      if (strategy.seesItself !== true || placed + cancelled === before || answers === mostAnswers) return
    }
  }

  /** Says whether an entry has filled: its stop may be in this bar too. What has left is heard of at the close. */
  const arriveWithin = (price: number): boolean => {
    const before = fills.length
    while (arrive(price)) {}
    for (const { order } of slots.values()) if (order?.from === next) order.isTried = true
    return fills.slice(before).some(({ isExit, mayLose }) => isExit !== true && mayLose !== true)
  }

  /** What fills on the way to the stop, what the strategy says there, and then at the stop. */
  const leave = (each: Bar): void => {
    let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (;;) {
      const { below = Number.NaN, above = Number.NaN } = strategy.stops?.() ?? {}
      const isNews = asked.changes !== changes()
      const isBelow = each.low <= below && below < lowest && (isNews || below !== asked.below)
      if (!isBelow && !(each.high >= above && above > highest && (isNews || above !== asked.above))) break
      const stop = isBelow ? Math.min(below, each.open) : Math.max(above, each.open)
      const opened = isWithin ? new Set<Order>() : openOnTheWay(isBelow ? "BUY" : "SELL", stop)
      const isFirst = !isWithin
      isWithin = true
      const [from, to] = isBelow ? [stop, Number.NEGATIVE_INFINITY] : [Number.POSITIVE_INFINITY, stop]
      const last = trade(from, to, opened, each.open)
      if (isFirst) {
        wake(bar + 1)
        arriveWithin(stop)
      }
      if (last === undefined && isBelow) lowest = below
      if (last === undefined && !isBelow) highest = above
      do ask(last ?? stop)
      while (arriveWithin(last ?? stop))
    }
    if (isWithin) asked = { below: lowest, above: highest, changes: changes() }
    isWithin = false
  }

  for (const [index, each] of bars.entries()) {
    bar = index
    next = index
    left = isSlow ? each.most : Number.POSITIVE_INFINITY
    open()
    next = index + 1
    if (isSlow) leave(each)
    trade(each.low, each.high)
    do ask(each.close)
    while (arrive(each.close))
  }
  return { fills, placed, cancelled }
}
