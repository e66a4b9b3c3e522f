/**
 * What the kinds of strategies do, said once more and as shortly as possible: one closure for each kind, with settings as
 * numbers. They know no slots' legs, views, bounds or memories; each keeps its own variables.
 */
import type { Desk, Order, Side, Strategy } from "./NaiveVenue.ts"

/** Millionths beyond a price, by thousandths of it: above when positive. */
const beyond = (price: number, thousandths: number): number => (price * (1000 + thousandths)) / 1000

/** Eight digits: a purchase is rounded down, a sale up. */
const eightDigits = (side: Side, exact: number): number => {
  const unit = exact >= 100_000_000 ? 10 : 1
  // A double has noise in its last digits.
  const clean = Math.round(exact * 1000) / 1000
  return (side === "BUY" ? Math.floor(clean / unit) : Math.ceil(clean / unit)) * unit
}

export interface Sliced {
  readonly side: Side
  readonly size: number
  readonly times: number
  readonly everyMinutes: number
  /** Thousandths that an order may give away. */
  readonly reach: number
}

/** The same again at intervals, and when the price has moved by `drop` thousandths since the last time. */
export const dca = ({ side, size, times, everyMinutes, reach, drop }: Sliced & { readonly drop: number }): Strategy => {
  let [made, nextBar, last] = [0, 0, 0]
  const sign = side === "BUY" ? 1 : -1
  return {
    isAskedFirst: false,
    atClose: ({ bar, close, want }) => {
      const trigger = beyond(last, -sign * drop)
      const isDropped = drop > 0 && made > 0 && (side === "BUY" ? close <= trigger : close >= trigger)
      const isTime = bar >= nextBar
      if (isTime) nextBar = bar + everyMinutes
      if (made === times || (!isTime && !isDropped)) return
      want(`purchase-${String(made).padStart(3, "0")}`, { side, price: beyond(close, sign * reach), quantity: size })
      made += 1
      last = close
    }
  }
}

/** Equal slices, one each interval, never beyond the limit; when the time is over, what rests is withdrawn. */
export const twap = ({
  side,
  size,
  times,
  everyMinutes,
  reach,
  limit
}: Sliced & { readonly limit: number }): Strategy => {
  const sign = side === "BUY" ? 1 : -1
  const name = (slice: number): string => `slice-${String(slice).padStart(2, "0")}`
  let begun = -1
  return {
    isAskedFirst: false,
    atClose: ({ bar, close, want, isOpen }) => {
      const slice = bar / everyMinutes
      if (bar >= times * everyMinutes) {
        for (let each = 0; each < times; each++) if (isOpen(name(each))) want(name(each), undefined)
      } else if (Number.isInteger(slice) && slice > begun) {
        begun = slice
        const price = beyond(close, sign * reach)
        want(name(slice), {
          side,
          quantity: size,
          price: side === "BUY" ? Math.min(price, limit) : Math.max(price, limit)
        })
      }
    }
  }
}

/** One part after the other. */
export const iceberg = (side: Side, price: number, total: number, visible: number): Strategy => ({
  isAskedFirst: false,
  atClose: ({ want, done }) => {
    const rest = total - done("iceberg") * visible
    want("iceberg", rest <= 0 ? undefined : { side, price, quantity: Math.min(rest, visible) })
  }
})

export interface Bracket {
  readonly side: Side
  readonly size: number
  readonly entry: number
  readonly takeProfit: number
  readonly stop: number
  /** Thousandths; a stop that trails, when that is not 0, in steps of one thousandth. */
  readonly reach: number
  readonly trail: number
  readonly breakevenAt: number
}

/** An entry, and then a take-profit that becomes an exit at the stop once a close has reached that. */
export const bracket = (given: Bracket): Strategy => {
  const { side, size, entry, takeProfit, reach, trail, breakevenAt } = given
  const sign = side === "BUY" ? 1 : -1
  const isAtLeast = (price: number, goal: number): boolean => (price - goal) * sign >= 0
  let [best, stop, isStopped, hasEntered] = [0, given.stop, false, false]
  return {
    isAskedFirst: false,
    atClose: ({ close, want, done }) => {
      const legs = done("position")
      if (legs === 0) return want("position", { side, price: entry, quantity: size })
      if (legs === 2) return
      if (!hasEntered) best = close
      hasEntered = true
      if (!isStopped) {
        if (trail > 0 && isAtLeast(close, beyond(best, sign))) best = close
        if (breakevenAt > 0 && isAtLeast(close, breakevenAt)) stop = entry
        const trailing = beyond(best, -sign * trail)
        const inForce = trail > 0 && isAtLeast(trailing, stop) ? trailing : stop
        isStopped = isAtLeast(inForce, close)
        if (isStopped) stop = inForce
      }
      const exit: Side = side === "BUY" ? "SELL" : "BUY"
      const price = isStopped ? eightDigits(exit, beyond(stop, -sign * reach)) : takeProfit
      want("position", { side: exit, price, quantity: size })
    }
  }
}

export interface Quotes {
  readonly levels: number
  readonly size: number
  /** Thousandths of the centre. */
  readonly spread: number
  readonly step: number
  readonly requote: number
  readonly skew: number
  readonly maxInventory: number
}

/** Both sides of a centre that follows the price in steps, and leans against what was bought on balance. */
export const marketMaking = ({ levels, size, spread, step, requote, skew, maxInventory }: Quotes): Strategy => {
  let centre = 0
  const name = (side: Side, level: number): string => `${side === "BUY" ? "bid" : "ask"}-0${level}`
  return {
    isAskedFirst: true,
    atClose: ({ close, want, done }) => {
      if (centre === 0 || close <= beyond(centre, -requote) || close >= beyond(centre, requote)) centre = close
      let inventory = 0
      for (let level = 0; level < levels; level++)
        inventory += (done(name("BUY", level)) - done(name("SELL", level))) * size
      // The share of the inventory has six places, rounded down.
      const share = Math.floor((inventory * 1_000_000) / maxInventory)
      for (let level = 0; level < levels; level++)
        for (const side of ["BUY", "SELL"] as const) {
          const sign = side === "BUY" ? 1 : -1
          const isFull = sign * inventory + size * (level + 1) > maxInventory
          // Exact, in integers: millionths, times a thousand million for the skew, times two thousand for the offset.
          const middle = BigInt(centre) * (1_000_000_000n - BigInt(skew) * BigInt(share))
          const exact = middle * BigInt(2000 - sign * (spread + 2 * step * level))
          const [scale, unit] = [2_000_000_000_000n, exact >= 100_000_000n * 2_000_000_000_000n ? 10n : 1n]
          const whole = exact / (scale * unit)
          const up = side === "SELL" && whole * scale * unit < exact ? 1n : 0n
          const order: Order = { side, price: Number((whole + up) * unit), quantity: size }
          want(name(side, level), isFull ? undefined : order)
        }
    }
  }
}

export interface Dip {
  readonly below: number
  readonly size: number
  readonly times: number
  /** Thousandths below the close, and above the entry. */
  readonly under: number
  readonly profit: number
  readonly expireMinutes: number
}

/** Buys below a price, withdraws what nobody wanted for a time, and sells each purchase higher; then it pauses for a minute. */
export const rules = ({ below, size, times, under, profit, expireMinutes }: Dip): Strategy => {
  let [fired, firedAt, pausedUntil, isGoing, isWithdrawn, legsBefore] = [0, 0, 0, false, false, 0]
  let entry: Order = { side: "BUY", price: 0, quantity: size }
  const act = ({ bar, close, want, done, filled, isOpen, isPaying }: Desk): void => {
    const legs = done("dip") - legsBefore
    if (isGoing && legs === 2 && !isPaying("dip")) {
      isGoing = false
      pausedUntil = bar + 1
    }
    if (isGoing && legs === 0 && filled("dip") === 0) {
      if (isWithdrawn && !isOpen("dip")) isGoing = false
      else if (!isWithdrawn && bar >= firedAt + expireMinutes) {
        isWithdrawn = true
        pausedUntil = bar + 1
      }
    }
    // What filled after all while it was withdrawn is an entry like any other.
    if (isGoing && (legs > 0 || (filled("dip") > 0 && !isOpen("dip")))) isWithdrawn = false
    if (isGoing && isWithdrawn) {
      want("dip", undefined)
      if (isOpen("dip")) return
      isGoing = false
    }
    if (!isGoing) {
      if (fired === times || bar < pausedUntil || close >= below) return want("dip", undefined)
      entry = { side: "BUY", price: beyond(close, -under), quantity: size }
      fired += 1
      firedAt = bar
      isGoing = true
      isWithdrawn = false
      legsBefore = done("dip")
    }
    const exit: Order = { side: "SELL", price: eightDigits("SELL", beyond(entry.price, profit)), quantity: size }
    want("dip", done("dip") === legsBefore ? entry : exit)
  }
  return { isAskedFirst: true, atClose: act }
}
