/**
 * What the kinds of strategies do, said once more and as shortly as possible: one closure for each kind, with settings as
 * numbers. They know no slots' legs, views, bounds or memories; each keeps its own variables.
 */
import { type Order, type Side, type Strategy, stopOf } from "./NaiveVenue.ts"

/** Millionths beyond a price, by thousandths of it: above when positive. */
export const beyond = (price: number, thousandths: number): number => (price * (1000 + thousandths)) / 1000

/** One unit of the base. */
export const unit = 100_000_000

/** Eight digits: a purchase is rounded down, a sale up. */
export const eightDigits = (side: Side, exact: number): number => {
  const unit = exact >= 100_000_000 ? 10 : 1
  // A double has noise in its last digits.
  const clean = Math.round(exact * 1000) / 1000
  return (side === "BUY" ? Math.floor(clean / unit) : Math.ceil(clean / unit)) * unit
}

/** The same for a fraction of integers, in millionths. */
export const significant = (side: Side, dividend: bigint, divisor: bigint): bigint => {
  const step = divisor * (dividend >= 100_000_000n * divisor ? 10n : 1n)
  const whole = dividend / step
  const up = side === "SELL" && whole * step < dividend ? 1n : 0n
  return ((whole + up) * step) / divisor
}

/** Where an exit rests once a stop has fired: beyond the close, which it follows in steps of half of its reach. */
export const leaving = (exit: Side, reach: number): ((close: number) => number) => {
  const step = Math.min(2.5, Math.max(1, reach / 2))
  let middle = 0
  return (close) => {
    if (middle === 0 || close <= beyond(middle, -step) || close >= beyond(middle, step)) middle = close
    return eightDigits(exit, beyond(middle, exit === "SELL" ? -reach : reach))
  }
}

export interface Sliced {
  readonly side: Side
  readonly size: number
  readonly times: number
  readonly everyMinutes: number
  /** Thousandths that an order may give away. */
  readonly reach: number
  /** Whether a limit keeps every new order back at the close of a bar: what would begin there is left out. */
  readonly isHeld: (bar: number) => boolean
}

/** The same again at intervals, and when the price has moved by `drop` thousandths since the last time. */
export const dca = (given: Sliced & { readonly drop: number }): Strategy => {
  const { side, size, times, everyMinutes, reach, drop, isHeld } = given
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
      if (isHeld(bar)) {
        if (isDropped) last = close
        return
      }
      want(`purchase-${String(made).padStart(3, "0")}`, { side, price: beyond(close, sign * reach), quantity: size })
      made += 1
      last = close
    }
  }
}

/**
 * Equal slices, one each interval, never beyond the limit; when the time is over, what rests is withdrawn. What is held begins with
 * the next one, and the others share the rest of the time.
 */
export const twap = ({
  side,
  size,
  times,
  everyMinutes,
  reach,
  limit,
  isHeld
}: Sliced & { readonly limit: number }): Strategy => {
  const sign = side === "BUY" ? 1 : -1
  const name = (slice: number): string => `slice-${String(slice).padStart(2, "0")}`
  const end = times * everyMinutes * 60_000
  let starts = Array.from({ length: times }, (_, slice) => slice * everyMinutes * 60_000)
  let begun = 0
  return {
    isAskedFirst: false,
    atClose: ({ bar, close, want, isOpen }) => {
      const now = bar * 60_000
      if (now >= end) {
        for (let each = 0; each < times; each++) if (isOpen(name(each))) want(name(each), undefined)
        return
      }
      while (begun < times && (starts[begun] ?? end) <= now) {
        if (isHeld(bar)) {
          const from = starts.find((start) => start > now) ?? Math.ceil((now + end) / 2)
          const [count, first] = [times - begun, begun]
          starts = starts.map((start, each) =>
            each < first ? start : Math.round(from + ((end - from) * (each - first)) / count)
          )
          return
        }
        const price = beyond(close, sign * reach)
        want(name(begun), {
          side,
          quantity: size,
          price: side === "BUY" ? Math.min(price, limit) : Math.max(price, limit)
        })
        begun += 1
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

/**
 * An entry, and then a take-profit that leaves once a close has reached the stop. An entry that has filled in part ends where the
 * close has reached either.
 */
export const bracket = (given: Bracket): Strategy => {
  const { side, size, entry, takeProfit, reach, trail, breakevenAt } = given
  const sign = side === "BUY" ? 1 : -1
  const isAtLeast = (price: number, goal: number): boolean => (price - goal) * sign >= 0
  const exit: Side = side === "BUY" ? "SELL" : "BUY"
  const leaves = leaving(exit, reach)
  let [best, stop, isStopped, hasEntered, isClosing] = [0, given.stop, false, false, false]
  // Nothing before its first answer.
  let legs = 2
  const inForce = (from: number): number => {
    const trailing = beyond(from, -sign * trail)
    return trail > 0 && isAtLeast(trailing, stop) ? trailing : stop
  }
  return {
    // Each part of its entry may be one that has to leave, and each part of its exit may move the stop.
    get isAskedFirst() {
      const mayMove = trail > 0 || (breakevenAt > 0 && stop !== entry)
      return legs === 0 || (legs === 1 && !isStopped && mayMove)
    },
    stops: () => (legs === 2 || isStopped ? {} : stopOf(side, inForce(hasEntered ? best : entry))),
    atClose: ({ close, want, done, filled, fills, isLive }) => {
      legs = done("position")
      const part = legs === 0 ? filled("position") : size
      if (part === 0 && !isLive("position") && isAtLeast(given.stop, close)) return want("position", undefined)
      if (part === 0) return want("position", { side, price: entry, quantity: size })
      if (legs === 2) return
      if (!hasEntered) best = close
      hasEntered = true
      if (!isStopped) {
        const left = fills.filter((fill) => fill.side === exit).map(({ price }) => price)
        const reached = left.reduce((best, price) => (isAtLeast(price, best) ? price : best), close)
        if (trail > 0 && isAtLeast(reached, beyond(best, sign))) best = reached
        if (breakevenAt > 0 && isAtLeast(reached, breakevenAt)) stop = entry
        isStopped = isAtLeast(inForce(best), close)
      }
      isClosing ||= isStopped || isAtLeast(close, takeProfit)
      const price = isStopped ? leaves(close) : takeProfit
      const last: Order = { side: exit, price, quantity: size, isExit: true, isAfterStop: isStopped }
      if (legs === 1) return want("position", last)
      want("position", { side, price: entry, quantity: isClosing ? part : size }, last)
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
    atClose: ({ close, want, done, filled }) => {
      if (centre === 0 || close <= beyond(centre, -requote) || close >= beyond(centre, requote)) centre = close
      let inventory = 0
      for (let level = 0; level < levels; level++)
        inventory += (done(name("BUY", level)) - done(name("SELL", level))) * size
      const each = [...Array(levels).keys()]
      const traded = (side: Side) =>
        each.reduce((sum, level) => sum + done(name(side, level)) * size + filled(name(side, level)), 0)
      const rest = (side: Side, last: number) =>
        each.slice(0, last + 1).reduce((sum, level) => sum + size - filled(name(side, level)), 0)
      /** Bought (or sold) on balance, once all up to this level have filled. */
      const sums = {
        BUY: (level: number) => traded("BUY") - traded("SELL") + rest("BUY", level),
        SELL: (level: number) => traded("SELL") - traded("BUY") + rest("SELL", level)
      }
      const fullOf = (side: Side) =>
        each.filter((level) => sums[side](level) > maxInventory).map((level) => name(side, level))
      const full = { BUY: fullOf("BUY"), SELL: fullOf("SELL") }
      // The share of the inventory has six places, rounded down.
      const share = Math.floor((inventory * 1_000_000) / maxInventory)
      for (let level = 0; level < levels; level++)
        for (const side of ["BUY", "SELL"] as const) {
          const sign = side === "BUY" ? 1 : -1
          const isFull = sums[side](level) > maxInventory
          // Exact, in integers: millionths, times a thousand million for the skew, times two thousand for the offset.
          const middle = BigInt(centre) * (1_000_000_000n - BigInt(skew) * BigInt(share))
          const exact = middle * BigInt(2000 - sign * (spread + 2 * step * level))
          const order: Order = { side, price: Number(significant(side, exact, 2_000_000_000_000n)), quantity: size }
          want(name(side, level), isFull ? undefined : { ...order, behind: full[side] })
        }
    }
  }
}

export interface Rungs {
  readonly side: Side
  readonly from: number
  readonly to: number
  /** Parts of the total by rung. */
  readonly weights: ReadonlyArray<bigint>
  /** Hundred-millionths of the base, or millionths of the quote. */
  readonly total: bigint
  readonly isQuote: boolean
  /** Thousandths; no exit when it is 0. */
  readonly takeProfit: number
}

/** Orders from one price to another, each followed by its exit. */
export const ladder = ({ side, from, to, weights, total, isQuote, takeProfit }: Rungs): Strategy => {
  const last = weights.length - 1
  const sum = weights.reduce((a, b) => a + b, 0n)
  const parts = weights.map((weight) => (total * weight) / sum)
  const left = total - parts.reduce((a, b) => a + b, 0n)
  const priceOf = (rung: number): number => {
    const exact = (from * (last - rung) + to * rung) / Math.max(1, last)
    const step = exact >= 100_000_000 ? 10 : 1
    return rung === 0 ? from : rung === last ? to : Math.round(exact / step) * step
  }
  const exitSide: Side = side === "BUY" ? "SELL" : "BUY"
  let isPlaced = false
  return {
    isAskedFirst: false,
    atClose: ({ want }) => {
      if (isPlaced) return
      isPlaced = true
      for (const [rung, part] of parts.entries()) {
        const price = priceOf(rung)
        const size = part + (rung === last ? left : 0n)
        const quantity = Number(isQuote ? (size * BigInt(unit)) / BigInt(price) : size)
        const exit = eightDigits(exitSide, beyond(price, side === "BUY" ? takeProfit : -takeProfit))
        const following = takeProfit === 0 ? [] : [{ side: exitSide, price: exit, quantity }]
        want(`rung-0${rung}`, { side, price, quantity }, ...following)
      }
    }
  }
}

export interface Shares {
  /** What it begins with, in smallest units. */
  readonly base: bigint
  readonly quote: bigint
  /** Ten-thousandths. */
  readonly target: bigint
  readonly band: bigint
  /** Minutes of a period and thousandths that its orders may give away; whenever a share leaves its band when it is 0. */
  readonly everyMinutes: number
  readonly reach: number
}

/** Periods are counted from 1970; the bars begin with this minute. */
export const firstMinute = Date.UTC(2026, 0, 1) / 60_000

/**
 * The base is so much of the worth of both: a purchase where it would be less by the band, a sale where it would be more. A close that
 * is five thousandths beyond one of these prices, or any at the start, is traded at, and followed in such steps.
 */
export const rebalance = (given: Shares): Strategy => {
  const { target, band, everyMinutes, reach } = given
  const [whole, step] = [10_000n, 5]
  let period = -1
  /** The close that is followed; zero while the orders are at the ends of the band. */
  let [followed, isFirst] = [0, true]
  return {
    isAskedFirst: everyMinutes === 0,
    atClose: ({ bar, close, want, filled, base, money }) => {
      const present = everyMinutes === 0 ? 0 : Math.floor((firstMinute + bar + 1) / everyMinutes)
      if (everyMinutes > 0 && present === period) return
      period = present
      const [held, quote] = [given.base + base, given.quote + money]
      const endOf = (side: Side): bigint => {
        const share = side === "BUY" ? target - band : target + band
        // The price at which the base is such a share, cut off after eighteen places.
        return significant(side, (quote * share * BigInt(unit) * 10n ** 12n) / (held * (whole - share)), 10n ** 12n)
      }
      const ends = { BUY: endOf("BUY"), SELL: endOf("SELL") }
      const isOut = (price: number, by: number): boolean =>
        price <= beyond(Number(ends.BUY), -by) || price >= beyond(Number(ends.SELL), by)
      const isNear = followed > 0 && close > beyond(followed, -step) && close < beyond(followed, step)
      if (!isNear) followed = isOut(close, isFirst ? 0 : step) ? close : 0
      else if (!isOut(followed, 0)) followed = 0
      isFirst = false
      for (const [slot, side] of [
        ["buy", "BUY"],
        ["sell", "SELL"]
      ] as const) {
        const atBand = ends[side]
        const isBeyond = side === "BUY" ? BigInt(close) <= atBand : BigInt(close) >= atBand
        const market = significant(side, BigInt(followed), 1n)
        const isLeft = followed > 0 && (side === "BUY" ? market < atBand : market > atBand)
        const price = everyMinutes > 0 ? BigInt(close) : isLeft ? market : atBand
        const worth = quote + (held * price) / BigInt(unit)
        const wanted = (((worth * target) / whole) * BigInt(unit)) / price
        const quantity = Number(side === "BUY" ? wanted - held : held - wanted)
        const worst = eightDigits(side, beyond(close, side === "BUY" ? reach : -reach))
        const order = { side, price: everyMinutes === 0 ? Number(price) : worst, quantity: quantity + filled(slot) }
        want(slot, quantity <= 0 || (everyMinutes > 0 && !isBeyond) ? undefined : order)
      }
    }
  }
}
