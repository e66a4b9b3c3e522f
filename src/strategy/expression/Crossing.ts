/**
 * Finds the price or the time at which a comparison changes, if its sides are straight lines in it. Sides that move with several prices, or
 * not in a straight line, are equal at many combinations of prices. Then the result is a box around the present prices in which the
 * comparison certainly stays as it is. A side with `if` jumps where the answer of its condition changes; that price or time is already
 * noted, and nothing beyond it is examined.
 */
import { hourMillis } from "../../domain/Durations.ts"
import { isJumping, type Moment, movesOf, nothingFound, ownMarket, type Term } from "./Term.ts"

export const notePrice = ({ found }: Moment, price: number): void => {
  found.crossings.push({ market: ownMarket, price })
}

export const noteCrossing = (a: Term, b: Term, moment: Moment): void => {
  if (moment.isGlanced === true || (a.dependence === "none" && b.dependence === "none")) return
  if (a.dependence === "time" || b.dependence === "time") return noteTime(a, b, moment)
  const markets = [...new Set([...movesOf(a), ...movesOf(b)])]
  const [market = ownMarket] = markets
  const jumps = [a, b].some(isJumping)
  const isLine = !jumps && markets.length === 1 && a.dependence !== "monotone" && b.dependence !== "monotone"
  if (isLine) noteLine(a, b, moment, market)
  else noteBox(a, b, moment, markets, jumps ? widthWithin(moment, markets) : widest)
}

const priceIn = ({ mid, elsewhere }: Moment, market: string): number =>
  market === ownMarket ? mid : (elsewhere.get(market)?.mid ?? Number.NaN)

/** Copies the moment with a change. Nothing found there is about the present. */
const hypothetical = (moment: Moment, change: Partial<Moment>): Moment => ({
  ...moment,
  ...change,
  found: nothingFound(),
  isGlanced: true
})

const priced = (moment: Moment, prices: ReadonlyArray<readonly [market: string, mid: number]>): Moment => {
  let { mid, elsewhere } = moment
  for (const [market, price] of prices) {
    if (market === ownMarket) mid = price
    else elsewhere = new Map(elsewhere).set(market, { mid: price, bid: price, ask: price })
  }
  return hypothetical(moment, { mid, elsewhere })
}

const noteLine = (a: Term, b: Term, moment: Moment, market: string): void => {
  const price = priceIn(moment, market)
  const difference = (there: number) => {
    const then = priced(moment, [[market, there]])
    return a.value(then) - b.value(then)
  }
  const here = difference(price)
  const slope = (difference(2 * price) - here) / price
  const crossing = price - here / slope
  if (slope !== 0 && Number.isFinite(crossing) && crossing > 0) moment.found.crossings.push({ market, price: crossing })
}

const widest = Math.log(1e6)
const halvings = 40

/** Logarithm of a ratio: ends just before the nearest price that is noted for one of the markets. */
const widthWithin = (moment: Moment, markets: ReadonlyArray<string>): number =>
  moment.found.crossings.reduce((width, { market, price }) => {
    const distance = Math.abs(Math.log(price / priceIn(moment, market))) * (1 - 1e-9)
    return markets.includes(market) ? Math.min(width, distance) : width
  }, widest)

/**
 * Each side moves in one direction with each price, for any values of the others. So the extremes of their difference are in the corners of
 * a box. If no corner turns the comparison over, nothing within the box does.
 */
const noteBox = (a: Term, b: Term, moment: Moment, markets: ReadonlyArray<string>, limit: number): void => {
  const signAt = (prices: ReadonlyArray<readonly [string, number]>) => {
    const there = priced(moment, prices)
    return Math.sign(a.value(there) - b.value(there))
  }
  const present = markets.map((market) => [market, priceIn(moment, market)] as const)
  const now = signAt(present)
  if (Number.isNaN(now)) return
  const corners = Array.from({ length: 2 ** markets.length }, (_, corner) => corner)
  const isSame = (width: number): boolean =>
    corners.every((corner) => {
      const sign = (index: number) => ((corner >> index) % 2 === 0 ? 1 : -1)
      return signAt(present.map(([market, price], index) => [market, price * Math.exp(sign(index) * width)])) === now
    })
  const isWhole = isSame(limit)
  if (isWhole && limit === widest) return
  let [same, other] = [isWhole ? limit : 0, limit]
  for (let halving = 0; halving < halvings; halving++) {
    const middle = (same + other) / 2
    if (isSame(middle)) same = middle
    else other = middle
  }
  for (const [market, price] of present)
    moment.found.crossings.push({ market, price: price * Math.exp(same) }, { market, price: price * Math.exp(-same) })
}

/** Notes several milliseconds: one side may change at the crossing, the other just after, and doubles are inexact. */
const noteTime = (a: Term, b: Term, moment: Moment): void => {
  const difference = (elapsed: number) => {
    const then = hypothetical(moment, { elapsed })
    return a.value(then) - b.value(then)
  }
  const ahead = [a, b].some(isJumping) ? moment.found.times.filter((time) => time > moment.now) : []
  const measuredMillis = Math.min(hourMillis, ...ahead.map((time) => time - moment.now))
  const here = difference(0)
  const slope = (difference(measuredMillis) - here) / measuredMillis
  const crossing = Math.floor(moment.now - here / slope)
  if (slope === 0 || !Number.isSafeInteger(crossing)) return
  for (const near of [-1, 0, 1, 2]) if (crossing + near > moment.now) moment.found.times.push(crossing + near)
}
