/**
 * A venue as naive as can be, for simulators of single strategies: a list of slots, a loop over bars, plain numbers. Prices
 * are whole millionths, quantities whole units of the base, so that every sum is exact. It shares no code with the kernel.
 *
 * Both sides of the band: `fast` fills at a touch, at once, for any quantity. `slow` takes a bar for placing, cancelling and
 * paying out, fills a thousandth beyond the limit, and has so much of each bar at most as the bar says.
 */

export type Side = "BUY" | "SELL"

export interface Order {
  readonly side: Side
  readonly price: number
  readonly quantity: number
}

export interface Bar {
  readonly low: number
  readonly high: number
  readonly close: number
  /** Units of the bar that may be ours, when it is slow. */
  readonly most: number
}

export interface Fill extends Order {
  readonly bar: number
  readonly slot: string
}

interface Open {
  readonly side: Side
  readonly price: number
  open: number
  state: "coming" | "resting" | "leaving" | "paying"
  /** The bar at whose opening its state ends. */
  due: number
  /** It has come to rest just now, and nothing of it has filled. */
  isNew: boolean
}

interface Slot {
  readonly name: string
  order: Open | undefined
  /** What of the wanted order has filled. */
  filled: number
  /** Whole orders that have filled. */
  done: number
  wanted: Order | undefined
}

/** What a strategy sees and does at the close of a bar. */
export interface Desk {
  readonly bar: number
  readonly close: number
  /** The slot shall have this order, or none. */
  readonly want: (slot: string, order: Order | undefined) => void
  /** Whole orders of the slot that have filled, paid out or not. */
  readonly done: (slot: string) => number
  /** The last of them is not paid out yet. */
  readonly isPaying: (slot: string) => boolean
  /** What of the present order has filled. */
  readonly filled: (slot: string) => number
  /** An order of the slot may still fill. */
  readonly isOpen: (slot: string) => boolean
}

export interface Strategy {
  readonly atClose: (desk: Desk) => void
  /** What follows a payout waits for the next close; otherwise it is placed at once. */
  readonly isAskedFirst: boolean
}

/** Orders are counted as they are placed, and as they are gone without having filled whole. */
export interface Outcome {
  readonly fills: ReadonlyArray<Fill>
  readonly placed: number
  readonly cancelled: number
}

const thousandth = (price: number, more: 1 | -1): number => (price * (1000 + more)) / 1000

export const simulate = (bars: ReadonlyArray<Bar>, isSlow: boolean, strategy: Strategy): Outcome => {
  const delay = isSlow ? 1 : 0
  const slots = new Map<string, Slot>()
  const fills: Array<Fill> = []
  let [placed, cancelled] = [0, 0]
  /** The first bar that a new order can fill in, and the volume that is left. */
  let [bar, next, left] = [0, 0, 0]

  /** A purchase fills where the price is at or below this, a sale at or above. Candles have cents. */
  const needs = ({ side, price }: Open): number => {
    if (!isSlow) return price
    const [beyond, cent] = [thousandth(price, side === "BUY" ? -1 : 1), 10_000]
    return (side === "BUY" ? Math.floor(beyond / cent) : Math.ceil(beyond / cent)) * cent
  }

  const place = (slot: Slot): void => {
    const { wanted } = slot
    if (wanted === undefined || wanted.quantity <= slot.filled) return
    const { side, price, quantity } = wanted
    const state = isSlow ? "coming" : "resting"
    placed += 1
    slot.order = { side, price, open: quantity - slot.filled, state, due: next + delay, isNew: true }
  }

  const fill = (slot: Slot, order: Open, price: number): boolean => {
    const quantity = Math.min(order.open, left)
    if (quantity <= 0) return false
    left -= quantity
    order.open -= quantity
    slot.filled += quantity
    fills.push({ bar, slot: slot.name, side: order.side, price, quantity })
    if (order.open > 0) return true
    slot.done += 1
    slot.filled = 0
    slot.wanted = undefined
    if (!isSlow) slot.order = undefined
    else Object.assign(order, { state: "paying", due: next + delay })
    return true
  }

  /** What the last close has reached as it comes to rest gets the market, and the margin goes to the solver. */
  const arrive = (close: number): boolean => {
    let hasFilled = false
    for (const slot of slots.values()) {
      const { order } = slot
      if (order?.state !== "resting" || !order.isNew) continue
      order.isNew = false
      if (order.side === "BUY" ? needs(order) < close : needs(order) > close) continue
      const price = isSlow ? thousandth(close, order.side === "BUY" ? 1 : -1) : close
      const best = order.side === "BUY" ? Math.min(order.price, price) : Math.max(order.price, price)
      hasFilled = fill(slot, order, best) || hasFilled
    }
    return hasFilled
  }

  const open = (): void => {
    for (const slot of slots.values()) {
      const { order } = slot
      if (order === undefined || order.state === "resting" || order.due !== bar) continue
      if (order.state === "coming") {
        order.state = "resting"
        continue
      }
      const { state } = order
      slot.order = undefined
      if (state === "leaving") cancelled += 1
      if (state === "leaving" || !strategy.isAskedFirst) place(slot)
    }
    arrive(bars[bar - 1]?.close ?? 0)
  }

  const trade = ({ low, high }: Bar): void => {
    const able = [...slots.values()].filter(({ order }) => order?.state === "resting" || order?.state === "leaving")
    const reached = able.flatMap((slot) => {
      const { order } = slot
      if (order === undefined) return []
      const at = needs(order)
      return (order.side === "BUY" ? low <= at : high >= at) ? [{ slot, order, at }] : []
    })
    const purchases = reached.filter(({ order }) => order.side === "BUY").sort((a, b) => b.at - a.at)
    const sales = reached.filter(({ order }) => order.side === "SELL").sort((a, b) => a.at - b.at)
    for (const { slot, order } of [...purchases, ...sales]) {
      order.isNew = false
      fill(slot, order, order.price)
    }
  }

  const want = (name: string, wanted: Order | undefined): void => {
    const slot = slots.get(name) ?? { name, order: undefined, filled: 0, done: 0, wanted: undefined }
    slots.set(name, slot)
    const { order } = slot
    slot.wanted = wanted
    if (order === undefined) return place(slot)
    if (order.state === "paying") return
    const isSame =
      wanted?.side === order.side && wanted.price === order.price && wanted.quantity - slot.filled === order.open
    if (order.state === "leaving") return
    if (!isSame && order.state === "resting" && isSlow) {
      Object.assign(order, { state: "leaving", due: next + delay })
    } else if (!isSame) {
      slot.order = undefined
      cancelled += 1
      place(slot)
    }
  }

  const desk = (close: number): Desk => ({
    bar,
    close,
    want,
    done: (slot) => slots.get(slot)?.done ?? 0,
    isPaying: (slot) => slots.get(slot)?.order?.state === "paying",
    filled: (slot) => slots.get(slot)?.filled ?? 0,
    isOpen: (slot) => (slots.get(slot)?.order?.open ?? 0) > 0
  })

  for (const [index, each] of bars.entries()) {
    bar = index
    next = index
    left = isSlow ? each.most : Number.POSITIVE_INFINITY
    open()
    next = index + 1
    trade(each)
    for (const { order } of slots.values()) if (order?.state === "resting") order.isNew = false
    do strategy.atClose(desk(each.close))
    while (arrive(each.close))
  }
  return { fills, placed, cancelled }
}
