/** Judges conditions at one moment of a view, and computes the bounds within which every value that was read stays the same. */
import { type Amount, asNumber } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { timeframeOf } from "../../domain/Timeframe.ts"
import type { Bounds, PriceBounds } from "../Decision.ts"
import type { Glance } from "../Strategy.ts"
import type { View } from "../View.ts"
import { isSignal } from "./names/Inputs.ts"
import { lately } from "./Same.ts"
import type { Needs } from "./Scope.ts"
import { isVolume, type Moment, nothingFound, ownMarket, type Term } from "./Term.ts"

/** The strategy's holdings beyond its budget. Without `own`, base bought less base sold by all of its orders. */
export const positionIn = ({ own, slots }: View): Amount => {
  if (own !== undefined) return own.position
  let sum = 0n
  for (const { bought, sold } of slots.values()) if (bought !== sold) sum += bought - sold
  return sum
}

const quoted = (price: TwoSidedPrice) => ({
  mid: Decimal.toNumber(mid(price)),
  bid: Decimal.toNumber(price.bid),
  ask: Decimal.toNumber(price.ask)
})

const nowhere: Moment["elsewhere"] = new Map()

export const momentOf = (market: Market, view: View): Moment => {
  const position = positionIn(view)
  return {
    ...quoted(view.price),
    elsewhere:
      view.elsewhere === undefined
        ? nowhere
        : new Map([...view.elsewhere].map(([name, price]) => [name, quoted(price)])),
    now: view.now,
    candles: view.candles,
    entry: Number.NaN,
    ...present({ fillBasisPoints: view.fillBasisPoints }),
    position: asNumber(position, market.base),
    exactPosition: position,
    own: view.own,
    depth: view.depth,
    signals: view.signals,
    elapsed: 0,
    found: nothingFound()
  }
}

export type Judgement = "yes" | "no" | ReturnType<typeof undecided>

export const truth = (term: Term, moment: Moment): Judgement => {
  const { found } = moment
  forget(found)
  const value = term.value(moment)
  if (found.lacking.size > 0 || found.isCold) return undecided(found)
  return value > 0 ? "yes" : "no"
}

export const forget = (found: Moment["found"]): void => {
  const { dividesByZero, lacking } = found
  found.isCold = false
  if (lacking.size > 0) lacking.clear()
  if (dividesByZero.size > 0) dividesByZero.clear()
}

export const undecided = ({ dividesByZero, lacking }: Pick<Moment["found"], "dividesByZero" | "lacking">) => {
  if (lacking.size > 0) return { code: "not-known", text: lacks(lacking) } as const
  const [division] = dividesByZero
  return division === undefined
    ? ({ code: "warming-up", text: "needs more candles for its indicators" } as const)
    : ({ code: "not-known", text: `cannot be decided: ${division} divides by zero now` } as const)
}

const lacks = (lacking: ReadonlySet<string>): string => {
  const volumes = [...lacking].filter(isVolume)
  if (volumes.length > 0) return `cannot be decided: its source lacks ${volumes.join(" and ")}`
  const signals = [...lacking].filter(isSignal)
  if (signals.length > 0) return `cannot be decided: waits for ${signals.join(" and ")}`
  const isMarket = (name: string) => name.includes("/")
  const [markets, others] = [[...lacking].filter(isMarket), [...lacking].filter((name) => !isMarket(name))]
  if (others.length === 0)
    return `cannot be decided: ${markets.join(", ")} has no fresh price or no candles now; rules without it continue`
  return `cannot be decided: ${[...others, ...markets].join(", ")} is not known here, or not yet: only a running bot knows it`
}

/** Comparisons use doubles, so the bounds stay slightly on the near side of the change. */
const margin = 1e-9

type Writable<A> = { -readonly [Key in keyof A]: A[Key] }

const boundPrice = (until: Writable<PriceBounds>, { mid, elsewhere, found }: Moment, market: string): void => {
  const price = market === ownMarket ? mid : elsewhere.get(market)?.mid
  // Without a price now, any price must be a reason to ask again.
  if (price === undefined) {
    until.priceAbove = Decimal.zero
    return
  }
  let [below, above] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const crossing of found.crossings) {
    if (crossing.market !== market) continue
    if (crossing.price >= price) above = Math.min(above, crossing.price)
    if (crossing.price <= price) below = Math.max(below, crossing.price)
  }
  if (Number.isFinite(below)) until.priceBelow = justAbove(below)
  if (Number.isFinite(above)) until.priceAbove = justBelow(above)
}

const justAbove = lately((price: number) => Decimal.fromNumber(price * (1 + margin)))
const justBelow = lately((price: number) => Decimal.fromNumber(price * (1 - margin)))

const candleOf = lately(timeframeOf)

/** The bounds within which every value that was read stays the same. Other values do not limit the answer. */
export const boundsOf = ({ watched }: Needs, moment: Moment, times: ReadonlyArray<number>): Bounds => {
  const { found, now } = moment
  const { candleMillis, clockMillis, depth, signals } = found.consulted
  let time = clockMillis === 0 ? Number.POSITIVE_INFINITY : (Math.floor(now / clockMillis) + 1) * clockMillis
  for (const at of times) if (at > now) time = Math.min(time, at)
  // Assigns fields one by one: this runs at every answer, and spreading takes several times as long.
  const until: Writable<Bounds> = { onFill: true }
  boundPrice(until, moment, ownMarket)
  if (watched.size > 0) {
    const priced = [...watched].filter(([, { hasPrice }]) => hasPrice)
    const elsewhere = priced.map(([market]): Writable<PriceBounds> & { readonly market: string } => ({ market }))
    for (const bounds of elsewhere) boundPrice(bounds, moment, bounds.market)
    if (elsewhere.length > 0) until.elsewhere = elsewhere
  }
  if (Number.isFinite(time)) until.time = time
  if (candleMillis !== 0) until.barClose = candleOf(candleMillis)
  if (depth) until.depth = true
  if (signals) until.signals = true
  return until
}

export type Glancing = ReturnType<typeof glancingFrom>

/**
 * Judges by the same terms, without computing bounds, until one of the strategy's orders moves. A backtest does this at the close of every
 * bar. `cold`: waits for more candles. `unseen`: depends on values that a glance does not show, or divides by zero.
 */
export const glancingFrom = (moment: Moment) => {
  const findings = nothingFound()
  const glanced: Writable<Moment> = {
    ...moment,
    own: undefined,
    depth: undefined,
    signals: undefined,
    found: findings,
    isGlanced: true
  }
  return {
    moment: glanced,
    at: ({ candles, mid, now }: Glance): void => {
      glanced.mid = mid
      glanced.now = now
      glanced.candles = candles
    },
    truth: (condition: Term) => {
      forget(findings)
      const value = condition.value(glanced)
      if (findings.lacking.size > 0) return "unseen"
      if (findings.isCold) return findings.dividesByZero.size > 0 ? "unseen" : "cold"
      return value > 0 ? "yes" : "no"
    }
  }
}
