/** Random strategy files of every kind, each with its naive twin. */
import { deals } from "./NaiveDeals.ts"
import { grid } from "./NaiveGrid.ts"
import { rules } from "./NaiveRules.ts"
import * as naive from "./NaiveStrategies.ts"
import type { Side, Strategy } from "./NaiveVenue.ts"

export type Pick = (least: number, most: number) => number

/** A random strategy file, and the same said naively. */
export interface Made {
  /** The section of the file. */
  readonly section: string
  /** Of the budget; more than it can use when left out. */
  readonly budget?: string
  readonly make: () => Strategy
  /** Further keys of the file. */
  readonly keys?: string
  /** Hours in which nothing new is placed, as the file has them. */
  readonly quietHours?: string
}

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`

/** Mostly none; otherwise some minutes of the first two hours of the day, which all bars are in. */
const quiet = (pick: Pick): { readonly quietHours?: string; readonly isHeld: (bar: number) => boolean } => {
  const [from, length] = [pick(0, 100), pick(0, 2) * pick(1, 60)]
  if (length === 0) return { isHeld: () => false }
  const to = from + length
  return {
    quietHours: `${clock(from)}-${clock(to)}`,
    isHeld: (bar) => bar + 1 >= from && bar + 1 < to
  }
}

const percent = (thousandths: number): string => `${thousandths / 10}%`
/** Whole units of the base in smallest ones. */
const units = (count: number): number => count * naive.unit
const price = (millionths: number): string => (millionths / 1e6).toFixed(6)

/** One to three targets in parts of a whole size, and what else ends an order of a rule. */
const randomExits = (pick: Pick, text: (thousandths: number) => string) => {
  const [count, size, least] = [pick(1, 3), pick(1, 5), pick(1, 6)]
  const shares = [[100], [60, 40], [50, 30, 20]][count - 1] ?? []
  const targets = shares.map((share, index) => ({ profit: least + 3 * index, size: units(size * share) / 100 }))
  const list = targets.map(({ profit }, index) => `{ at: ${text(profit)}, part: ${shares[index]}% }`)
  const stop = pick(0, 1) * pick(1, 9)
  return {
    ...{ size, targets, stop, written: count === 1 ? text(least) : `[${list.join(", ")}]` },
    ...{ breakeven: pick(0, 1) * pick(1, 5), times: pick(1, 8), expireMinutes: pick(1, 12), reach: pick(0, 5) }
  }
}

const followingBracket = (pick: Pick, side: Side): Made => {
  const sign = side === "BUY" ? 1 : -1
  const { targets, written, ...others } = randomExits(pick, percent)
  const given = { ...others, stop: pick(1, 9), pauseMinutes: pick(1, 4) }
  const [limit, other, away] = [100 + pick(-1, 1), 100 + pick(-1, 1), pick(1, 4)]
  const isBefore = (at: number) => (close: number) => (close - at * 1e6) * sign < 0
  const [is, word] = side === "BUY" ? ["<", "+"] : [">", "-"]
  const first = { slot: "position", isTrue: isBefore(limit), away }
  const second = { slot: "position-or", isTrue: (close: number) => !isBefore(other)(close), away: -pick(0, 2) }
  const entries = pick(0, 1) === 0 ? [first] : [first, second]
  const opposite = `mid ${is === "<" ? ">=" : "<="} ${other}`
  const or =
    entries.length === 1 ? "" : `, or: { entry: mid * (1 ${word} ${percent(-second.away)}), when: "${opposite}" }`
  const more = given.breakeven === 0 ? "" : `, breakevenAt: ${percent(given.breakeven)}`
  return {
    section: `{ side: ${side.toLowerCase()}, size: { base: ${given.size} }, when: "mid ${is} ${limit}", entry: ${percent(away)}${or}, takeProfit: ${written}, stop: ${percent(given.stop)}, reach: ${percent(given.reach)}${more}, expireAfter: ${given.expireMinutes}m, times: ${given.times}, cooldown: ${given.pauseMinutes}m }`,
    make: () => rules({ ...given, side, entries, targets })
  }
}

/** By the kind of the file. */
export const naiveKinds: Readonly<Record<string, (pick: Pick, side: Side) => Made>> = {
  dca: (pick, side) => {
    const given = {
      side,
      size: pick(1, 9),
      times: pick(1, 8),
      everyMinutes: pick(1, 20),
      reach: pick(0, 4),
      drop: pick(0, 6)
    }
    const { isHeld, ...hours } = quiet(pick)
    const drop = given.drop === 0 ? "" : `, drop: ${percent(given.drop)}`
    return {
      ...hours,
      section: `{ side: ${side.toLowerCase()}, every: ${given.everyMinutes}m, size: { base: ${given.size} }, times: ${given.times}, reach: ${percent(given.reach)}${drop} }`,
      make: () => naive.dca({ ...given, isHeld, size: units(given.size) })
    }
  },
  twap: (pick, side) => {
    const limit = (side === "BUY" ? 100 + pick(-1, 3) : 100 + pick(-3, 1)) * 1e6
    const given = { side, size: pick(1, 9), times: pick(1, 6), everyMinutes: pick(1, 15), reach: pick(0, 4), limit }
    const { isHeld, ...hours } = quiet(pick)
    return {
      ...hours,
      section: `{ side: ${side.toLowerCase()}, total: { base: ${given.size * given.times} }, over: ${given.times * given.everyMinutes}m, slices: ${given.times}, limit: ${limit / 1e6}, reach: ${percent(given.reach)} }`,
      make: () => naive.twap({ ...given, isHeld, size: units(given.size) })
    }
  },
  iceberg: (pick, side) => {
    const [at, total, visible] = [
      (side === "BUY" ? 100 - pick(-1, 1) : 100 + pick(-1, 1)) * 1e6,
      pick(3, 12),
      pick(1, 3)
    ]
    return {
      section: `{ side: ${side.toLowerCase()}, price: ${at / 1e6}, total: { base: ${total} }, visible: { base: ${visible} } }`,
      make: () => naive.iceberg(side, at, units(total), units(visible))
    }
  },
  bracket: (pick, side) => {
    if (pick(0, 1) === 1) return followingBracket(pick, side)
    const sign = side === "BUY" ? 1 : -1
    const entry = 100_000_000 - sign * pick(-3, 5) * 100_000
    const given = {
      side,
      size: pick(1, 9),
      entry,
      takeProfit: entry + sign * pick(3, 15) * 100_000,
      stop: entry - sign * pick(3, 15) * 100_000,
      reach: pick(0, 8),
      trail: pick(0, 1) * pick(3, 9),
      breakevenAt: pick(0, 1) * (entry + sign * pick(2, 8) * 100_000)
    }
    const trail = given.trail === 0 ? "" : `, trail: ${percent(given.trail)}`
    const breakeven = given.breakevenAt === 0 ? "" : `, breakevenAt: ${price(given.breakevenAt)}`
    return {
      section: `{ side: ${side.toLowerCase()}, size: { base: ${given.size} }, entry: ${price(entry)}, takeProfit: ${price(given.takeProfit)}, stop: ${price(given.stop)}, reach: ${percent(given.reach)}${trail}${breakeven} }`,
      make: () => naive.bracket({ ...given, size: units(given.size) })
    }
  },
  "market-making": (pick) => {
    const [size, spread] = [pick(1, 3), pick(2, 8)]
    const given = {
      levels: pick(1, 3),
      size,
      spread,
      step: pick(1, 4),
      requote: pick(1, 5),
      // Quotes that lean across the close would go round and round.
      skew: pick(0, Math.floor((spread - 1) / 2)),
      maxInventory: size * pick(1, 6)
    }
    return {
      section: `{ levels: ${given.levels}, spread: ${percent(given.spread)}, step: ${percent(given.step)}, size: ${size}, requote: ${percent(given.requote)}, skew: ${percent(given.skew)}, maxInventory: ${given.maxInventory} }`,
      make: () => naive.marketMaking({ ...given, size: units(size), maxInventory: units(given.maxInventory) })
    }
  },
  rules: (pick) => {
    const below = (100 + pick(-1, 2)) * 1e6
    const entry = { slot: "dip", isTrue: (close: number) => close < below, away: pick(0, 4) }
    const { targets, written, ...given } = randomExits(pick, (thousandths) => `entry * (1 + ${percent(thousandths)})`)
    const stop = given.stop === 0 ? "" : `, stop: entry * (1 - ${percent(given.stop)})`
    const breakeven = given.breakeven === 0 ? "" : `, breakevenAt: entry * (1 + ${percent(given.breakeven)})`
    // Millionths and a tenth, so that no bar closes at the level itself.
    const crossing = pick(0, 1) === 0 ? undefined : pick(1, 9) * 100_000 + 5_133.7
    const ends = given.times % 3 === 0
    const when = crossing === undefined ? "" : `, when: "crossunder(close, entry - ${(crossing / 1e6).toFixed(7)})"`
    return {
      section: `
  timeframe: 1m
  orders:
    dip:
      when: mid < ${below / 1e6}
      side: buy
      price: mid * (1 - ${percent(entry.away)})
      size: { base: ${given.size} }
      times: ${given.times}
      expireAfter: ${given.expireMinutes}m
      then: { price: ${written}${stop}${breakeven}${when}, reach: ${percent(given.reach)}, ends: ${ends} }`,
      make: () =>
        rules({
          ...{ ...given, side: "BUY", entries: [entry], targets, pauseMinutes: 1, ends },
          ...(crossing === undefined ? {} : { crossing })
        })
    }
  },
  grid: (pick) => {
    const [count, spacing, size] = [pick(2, 9), pick(2, 40), pick(1, 5)]
    const lower = 10_000 - pick(0, count) * spacing
    const levels = Array.from({ length: count }, (_, level) => (lower + level * spacing) * 10_000)
    const isGrowing = pick(0, 2) === 0
    const buyReach = pick(0, 2) === 0 ? pick(0, 6) : undefined
    const buys = buyReach === undefined ? "" : `, buyBase: true, reach: ${percent(buyReach)}`
    const [base, quote] = [pick(0, count) * size, (count + 1) * size * 110]
    const [share, smallest] = [pick(1, Math.floor(1000 / (count - 1))), BigInt(quote) * 1_000_000n]
    const amount = (smallest * BigInt(share)) / 1000n
    const quantityAt = (at: number) => (isGrowing ? Number((amount * BigInt(naive.unit)) / BigInt(at)) : units(size))
    const isEnding = pick(0, 1)
    const given = {
      stop: isEnding * pick(0, 4),
      stopRises: pick(0, 1) * pick(1, 1000),
      takeProfit: isEnding * pick(0, 5),
      trail: isEnding * pick(0, 1) * pick(1, 3),
      trailFrom: pick(0, 1) * pick(1, 2),
      restartMinutes: pick(0, 1) * pick(1, 9)
    }
    const rises = given.stopRises === 0 ? [] : [`stopRises: ${percent(given.stopRises)}`]
    const from = given.trailFrom === 0 ? [] : [`trailFrom: ${percent(given.trailFrom)}`]
    const ends = [
      ...(given.stop === 0 ? [] : [`stop: ${percent(given.stop)}`, ...rises]),
      ...(given.takeProfit === 0 ? [] : [`takeProfit: ${percent(given.takeProfit)}`]),
      ...(given.trail === 0 ? [] : [`trail: ${percent(given.trail)}`, ...from])
    ]
    const restart = given.restartMinutes === 0 || ends.length === 0 ? "" : `restart: ${given.restartMinutes}m\n`
    return {
      budget: `{ base: ${base}, quote: ${quote} }`,
      keys: `${ends.length === 0 ? "" : `equity: { ${ends.join(", ")} }\n`}${restart}`,
      section: `{ levels: [${levels.map(price).join(", ")}], size: { ${isGrowing ? `equity: ${percent(share)}` : `base: ${size}`} }${buys} }`,
      make: () =>
        grid({ ...given, buyReach, levels, quantityAt, isGrowing, base: BigInt(units(base)), quote: smallest })
    }
  },
  deals: (pick) => {
    const [size, orders, first, scale] = [pick(1, 5), pick(1, 4), pick(1, 4), pick(1, 2)]
    const given = {
      size: units(size),
      reach: pick(0, 3),
      safety: Array.from({ length: orders }, (_, index) => units(first * scale ** index)),
      distance: pick(1, 6),
      active: pick(1, 4),
      stop: pick(0, 1) * pick(5, 20),
      breakeven: pick(0, 1) * pick(1, 5),
      expireMinutes: pick(2, 15),
      cooldownMinutes: pick(0, 9),
      times: pick(1, 9)
    }
    const stop = given.stop === 0 ? "" : `, stop: ${percent(given.stop)}`
    const [count, least] = [pick(1, 3), pick(1, 7)]
    const shares = [[100], [60, 40], [50, 30, 20]][count - 1] ?? []
    const targets = shares.map((share, index) => ({ profit: least + 2 * index, percent: share }))
    const list = targets.map((target) => `{ at: ${percent(target.profit)}, part: ${target.percent}% }`)
    const takeProfit = count === 1 ? percent(least) : `[${list.join(", ")}]`
    const even = given.breakeven === 0 ? "" : `, breakevenAt: ${percent(given.breakeven)}`
    const pause = given.cooldownMinutes === 0 ? "" : `, cooldown: ${given.cooldownMinutes}m`
    const safety = `{ orders: ${orders}, size: { base: ${first} }, distance: ${percent(given.distance)}, sizeScale: ${scale}, active: ${given.active} }`
    return {
      section: `{ size: { base: ${size} }, reach: ${percent(given.reach)}, safety: ${safety}, takeProfit: ${takeProfit}${stop}${even}, expireAfter: ${given.expireMinutes}m${pause}, times: ${given.times} }`,
      make: () => deals({ ...given, targets })
    }
  },
  ladder: (pick, side) => {
    const sign = side === "BUY" ? -1 : 1
    const from = 100_000_000 + sign * pick(-8, 3) * 100_000
    const count = pick(1, 6)
    const to = count === 1 ? from : from + sign * pick(1, 30) * 100_000
    const [profile, isQuote, takeProfit, whole] = [pick(0, 2), pick(0, 1) === 1, pick(0, 12), pick(3, 20)]
    const weights = Array.from({ length: count }, (_, rung) =>
      profile === 0 ? 1n : profile === 1 ? BigInt(rung + 1) : 15n ** BigInt(rung) * 10n ** BigInt(count - 1 - rung)
    )
    const [unit, total] = isQuote ? ["quote", whole * 100] : ["base", whole]
    const smallest = isQuote ? BigInt(total) * 1_000_000n : BigInt(units(total))
    const exit = takeProfit === 0 ? "" : `, takeProfit: ${percent(takeProfit)}`
    const name = ["flat", "linear", "geometric"][profile] ?? "flat"
    return {
      section: `{ side: ${side.toLowerCase()}, from: ${price(from)}, to: ${price(to)}, rungs: ${count}, profile: ${name}, total: { ${unit}: ${total} }${exit} }`,
      make: () => naive.ladder({ side, from, to, weights, total: smallest, isQuote, takeProfit })
    }
  },
  rebalance: (pick) => {
    const [base, target, band] = [pick(200, 1000), pick(35, 65) * 100, pick(10, 90)]
    const [reserve, everyMinutes] = [pick(0, 1) * pick(1, 9_000), pick(0, 1) * pick(3, 30)]
    // Each third begins far off.
    const off = pick(0, 2) === 0 ? pick(-300, 300) : pick(-5, 5)
    const quote = reserve + Math.round(((base * 100 * (10_000 - target)) / target) * (1 + off / 1000))
    const reach = everyMinutes === 0 ? 0 : pick(0, 4)
    const period = everyMinutes === 0 ? "" : `, every: ${everyMinutes}m, reach: ${percent(reach)}`
    const kept = reserve === 0 ? "" : `, reserve: ${reserve}`
    const begins = { base: BigInt(units(base)), quote: BigInt(quote - reserve) * 1_000_000n }
    return {
      budget: `{ base: ${base}, quote: ${quote} }`,
      section: `{ target: ${target / 100}%, band: ${band / 100}%${period}${kept} }`,
      make: () => naive.rebalance({ ...begins, target: BigInt(target), band: BigInt(band), everyMinutes, reach })
    }
  }
}
