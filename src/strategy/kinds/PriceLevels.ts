/**
 * Prices between two prices. The ends stay exactly as written. Prices in between are rounded to the market's tick or, without one, to eight
 * significant digits; halfway between two, to the higher.
 */
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, type Price, type Side, toTick } from "../../domain/Market.ts"
import * as Read from "../Fields.ts"
import { type Report, report, type Sound, type Span } from "../Problem.ts"

export const spacings = ["arithmetic", "geometric"] as const
export type Spacing = (typeof spacings)[number]

const significantDigits = 8

const nearestPrice = (market: Market, value: number): Price => {
  if (market.tick === undefined) return Decimal.fromNumber(value, significantDigits)
  const shifted = Decimal.add(Decimal.fromNumber(value), Decimal.multiply(market.tick, Decimal.half))
  return Decimal.roundToStep(shifted, market.tick, "down")
}

const nearestFraction = (market: Market, numerator: Decimal.Decimal, denominator: Decimal.Decimal): Price => {
  const step = market.tick ?? lastDigit(Decimal.toNumber(numerator) / Decimal.toNumber(denominator))
  const steps = Decimal.multiply(denominator, step)
  const shifted = Decimal.add(numerator, Decimal.multiply(steps, Decimal.half))
  return Decimal.multiply(Decimal.divide(shifted, steps, 0, "down"), step)
}

const times = (value: Decimal.Decimal, count: number): Decimal.Decimal =>
  Decimal.multiply(value, Decimal.make(BigInt(count)))

const lastDigit = (value: number): Decimal.Decimal => {
  const [, exponent] = value.toExponential().split("e")
  return Decimal.make(1n, significantDigits - 1 - Number(exponent))
}

/** 0 is the first of `count` evenly spaced prices. The index is unlimited in both directions. */
export type Scale = (index: number) => Price

/**
 * Arithmetic levels are computed exactly. Geometric ones are computed in doubles: they are irrational anyway, and the rounding is far
 * coarser than a double's error.
 */
export const scaleOf = (market: Market, first: Price, last: Price, count: number, spacing: Spacing): Scale => {
  const [a, b] = [Decimal.toNumber(first), Decimal.toNumber(last)]
  return (index) => {
    if (index === 0) return first
    if (index === count - 1) return last
    if (spacing === "geometric") return nearestPrice(market, a * (b / a) ** (index / (count - 1)))
    const whole = Decimal.add(times(first, count - 1 - index), times(last, index))
    return nearestFraction(market, whole, times(Decimal.one, count - 1))
  }
}

export const between = (market: Market, from: Price, to: Price, count: number, by: Spacing): ReadonlyArray<Price> => {
  const scale = scaleOf(market, from, to, count, by)
  return Array.from({ length: count }, (_, index) => scale(index))
}

/** An endless grid ends far from the price: at a factor of a hundred up and down, or after this number of levels on each side. */
const furthest = 100
export const mostStep = Decimal.make(BigInt(furthest - 1))
const mostOnEachSide = 2_000

/** Rising prices at a ratio around the middle one, including it. Neighbours that are equal after rounding count once. */
export const around = (market: Market, middle: Price, step: Decimal.Decimal): ReadonlyArray<Price> => {
  const [centre, factor] = [Decimal.toNumber(middle), 1 + Decimal.toNumber(step)]
  const count = Math.min(mostOnEachSide, Math.floor(Math.log(furthest) / Math.log(factor)))
  const prices = Array.from({ length: 2 * count + 1 }, (_, index) =>
    nearestPrice(market, centre * factor ** (index - count))
  )
  return prices.filter((price, index) => {
    const before = prices[index - 1]
    return Decimal.isPositive(price) && (before === undefined || Decimal.isLess(before, price))
  })
}

type Ratio = Read.Written<Decimal.Decimal>

const within = (read: Ratio, isWithin: typeof checkFall): Ratio =>
  Read.written(
    Read.mapped(read, (ratio, node, to) => (isWithin(ratio, node, to) ? ratio : undefined)),
    read.write
  )

export const part = (read: Ratio): Ratio => within(read, checkFall)

export const share = (read: Ratio): Ratio =>
  within(read, (ratio, at, to) => {
    const text = `${Decimal.percent(ratio)} is too much: at most 100% is possible`
    return Decimal.isGreater(ratio, Decimal.one) ? report(to, at, text) : true
  })

export const checkFall = (ratio: Decimal.Decimal, at: Span, to: Report): Sound =>
  Decimal.isLess(ratio, Decimal.one) ||
  report(to, at, `no price falls by ${Decimal.percent(ratio)}`, "take less than 100%")

export const isOnTick = ({ tick }: Market, price: Price): boolean =>
  tick === undefined || Decimal.equals(Decimal.roundToStep(price, tick, "down"), price)

export const checkTick = (market: Market, price: Price, at: Span, to: Report): Sound => {
  if (market.tick === undefined || isOnTick(market, price)) return true
  const below = Decimal.roundToStep(price, market.tick, "down")
  const above = Decimal.add(below, market.tick)
  const step = `${market.name} trades in steps of ${Decimal.format(market.tick)}`
  const hint = Decimal.isPositive(below) ? `take ${Decimal.format(below)} or` : "at least"
  const text = `the price ${Decimal.format(price)} is between two steps: ${step}`
  return report(to, at, text, `${hint} ${Decimal.format(above)}`)
}

export const tickPrice = (market: Market): Read.Reader<Price> =>
  Read.mapped(Read.price, (price, node, to) => {
    checkTick(market, price, node, to)
    return price
  })

export const checkDistinct = (
  market: Market,
  prices: ReadonlyArray<Price>,
  at: Span,
  what: string,
  to: Report
): Sound => {
  if (new Set(prices.map(Decimal.format)).size === prices.length) return true
  const step = market.tick === undefined ? "eight digits can tell" : `the price step of ${Decimal.format(market.tick)}`
  return report(to, at, `${prices.length} ${what} lie closer together than ${step}`, `fewer ${what}, or a wider range`)
}

/** Rounds a price that an order may have away from the market: a BUY never pays more, a SELL never takes less. */
export const orderPrice = (market: Market, side: Side, exact: Price): Price => {
  if (market.tick !== undefined) return toTick(market, side, exact)
  const surplus = exact.digits.toString().length - significantDigits
  if (surplus <= 0) return exact
  const digits = Decimal.divideInteger(exact.digits, Decimal.powerOfTen(surplus), side === "BUY" ? "down" : "up")
  return Decimal.make(digits, exact.scale - surplus)
}

export type Near = Readonly<ReturnType<typeof nearOf>>

export const nearOf = (exact: Decimal.Decimal) => ({ exact, near: Decimal.toNumber(exact) })

/** The order price for a price times a factor. Uses doubles if they are certainly right, which is nearly always. */
export const orderPriceTimes = (market: Market, side: Side, price: Near, factor: Near): Price => {
  const near = price.near * factor.near
  const step = market.tick ?? (near < 1 || near >= 10 ** significantDigits ? undefined : lastDigitOf(near))
  const steps = step === undefined ? Number.NaN : (near / Number(step.digits)) * Decimal.doublePower(step.scale)
  const digits = (side === "BUY" ? Math.floor(steps) : Math.ceil(steps)) * Number(step?.digits)
  if (step === undefined || !Decimal.isSurelyBetween(steps) || !Number.isSafeInteger(digits))
    return orderPrice(market, side, Decimal.multiply(price.exact, factor.exact))
  return Decimal.fromShort(digits, step.scale)
}

const lastDigitOf = (price: number): Pick<Decimal.Decimal, "digits" | "scale"> => {
  let scale = significantDigits - 1
  for (let least = 10; price >= least; least *= 10) scale -= 1
  return { digits: 1n, scale }
}

export const away = (price: Price, ratio: Decimal.Decimal): Price =>
  Decimal.multiply(price, Decimal.add(Decimal.one, ratio))

/** Above the price for a purchase, below it for a sale: a position gains there, and an entry pays this ratio more there. */
export const ahead = (side: Side, price: Price, ratio: Decimal.Decimal): Price =>
  away(price, side === "BUY" ? ratio : negate(ratio))

export const behind = (side: Side, price: Price, ratio: Decimal.Decimal): Price => ahead(side, price, negate(ratio))

/** True if a position of this side gains more at `price` than at the other one. */
export const isBetter = (side: Side, price: Price, other: Price): boolean =>
  side === "BUY" ? Decimal.isGreater(price, other) : Decimal.isLess(price, other)

export const isAsGood = (side: Side, price: Price, other: Price): boolean => !isBetter(side, other, price)

export const isWithin = (centre: Price, ratio: Decimal.Decimal, price: Price): boolean =>
  Decimal.isGreater(price, away(centre, negate(ratio))) && Decimal.isLess(price, away(centre, ratio))

export const negate = (ratio: Decimal.Decimal): Decimal.Decimal => Decimal.subtract(Decimal.zero, ratio)
