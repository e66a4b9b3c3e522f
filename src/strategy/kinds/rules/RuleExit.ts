/** The exits of a rule's position besides its exit price: a stop, a trailing stop, a condition or a time limit (see `StopExit`). */
import * as Decimal from "../../../domain/Decimal.ts"
import { dayMillis } from "../../../domain/Durations.ts"
import type { Price, Side } from "../../../domain/Market.ts"
import { notePrice } from "../../expression/Crossing.ts"
import { truth } from "../../expression/Judge.ts"
import { blankMoment, type Moment, nothingFound, type Term } from "../../expression/Term.ts"
import type { KindContext } from "../../Kind.ts"
import { type Report, report, type Span, type warn } from "../../Problem.ts"
import type { StandsAt } from "../../Strategy.ts"
import type { OwnState } from "../../View.ts"
import { checkRatio } from "../OrderCheck.ts"
import type { RuleSize } from "../Size.ts"
import { followStep, leave, type StopExit } from "../StopExit.ts"
import { entryPrice, type Going, type Held } from "./RuleState.ts"

export interface Exit {
  /** An order is open at this price from the beginning. Missing if the rule has only other exits. */
  readonly price?: Term | undefined
  readonly isNet?: boolean
  readonly isSwap: boolean
  readonly stop: Term | undefined
  readonly trail: number | undefined
  /** It trails from this price on, computed when the rule fires. Missing: from the entry. */
  readonly trailFrom: Term | undefined
  /** Computed when the rule fires. From this price on the stop is at least the entry price. */
  readonly breakevenAt: Term | undefined
  readonly when?: Term | undefined
  readonly afterMillis?: number | undefined
  /** After an exit other than at its price, the rule fires no more. */
  readonly ends?: boolean | undefined
  readonly leaving: StopExit
}

export const exitTerms = ({ breakevenAt, price, stop, trailFrom }: Partial<Exit> = {}) => ({
  exit: price,
  stop,
  trailFrom,
  breakevenAt
})

export const exitNames = ["exit", "stop", "trailFrom", "breakevenAt"] as const

export const isSamePrice = (a: Price | undefined, b: Price | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Decimal.equals(a, b)

const signOf = (side: Side): 1 | -1 => (side === "BUY" ? 1 : -1)

const places = { exit: 1, stop: -1, trailFrom: 1, breakevenAt: 1 } as const
type Place = keyof typeof places

const isInPlace = (place: Place, side: Side, entry: number, price: number): boolean =>
  (price - entry) * signOf(side) * places[place] > 0

const whereIs = (place: Place, side: Side): string => (places[place] === signOf(side) ? "above" : "below")

/**
 * The reason why a price would lose, or exit at once: it is on the wrong side of the entry, or the market is beyond the stop already. A
 * swap's price is not checked: it is the worst price that it takes, not a target.
 */
export const misplaced = (
  side: Side,
  going: Pick<Going, "price" | "exit" | "stop">,
  isSwap: boolean,
  { mid }: Pick<Moment, "mid">
) => {
  const entry = Decimal.toNumber(going.price)
  const isWrong = (each: "exit" | "stop", from: number): boolean => {
    const price = each === "exit" && isSwap ? undefined : going[each]
    return price !== undefined && !isInPlace(each, side, from, Decimal.toNumber(price))
  }
  const place = (["exit", "stop"] as const).find((each) => isWrong(each, entry))
  const price = place && going[place]
  if (place !== undefined && price !== undefined)
    return `its ${place} would be at ${Decimal.format(price)}, not ${whereIs(place, side)} its entry at ${Decimal.format(going.price)}`
  return going.stop && isWrong("stop", mid) ? `the market is beyond its stop ${Decimal.format(going.stop)}` : undefined
}

/** Made-up moments that differ widely and know only prices, the time and the position. */
const imagined = [-6, -3, -1, 0, 1, 2, 4, 6, 9].map((power, index): Moment => {
  const [mid, half, now] = [10 ** power, (index % 3) / 100, index * 8.75 * dayMillis]
  const prices = { mid, bid: mid * (1 - half), ask: mid * (1 + half) }
  return { ...blankMoment(), ...prices, now, startedAt: now / (index + 1), position: index - 4 }
})

const idle: OwnState = { openOrders: 0, freeBase: 10n ** 30n, freeQuote: 10n ** 30n, position: 0n, realisedProfit: 0n }

/** True if the test holds without a position, in any market. */
const everyIdle = (test: (moment: Moment) => boolean): boolean =>
  imagined.every((moment) =>
    test({ ...moment, entry: moment.mid, own: idle, position: 0, exactPosition: 0n, found: nothingFound() })
  )

/** True for a term that has no value before the first fill in any market, such as an average entry without a position. */
export const needsPosition = (term: Term): boolean =>
  everyIdle((moment) => !Number.isFinite(term.value(moment)) && moment.found.isUndefined)

/** True for a sale whose size comes to nothing without a position: it sells what other rules have bought. */
export const sellsPosition = (side: Side, size: RuleSize): boolean =>
  side === "SELL" && "term" in size && everyIdle((moment) => size.term.value(moment) <= 0)

export const checkPlaces = (
  side: Side,
  entry: Term,
  exits: ReadonlyArray<readonly [place: Place, name: string, price: Term | undefined, at: Span | undefined]>,
  to: Report,
  say: typeof warn = report
): void => {
  for (const [place, name, price, at] of exits) {
    if (price === undefined || at === undefined) continue
    const isWrong = imagined.every((moment) => {
      const from = entry.value(moment)
      const exit = price.value({ ...moment, entry: from })
      return Number.isFinite(exit) && !isInPlace(place, side, from, exit)
    })
    const written = entry.constant === undefined ? "" : ` ${entry.constant}`
    if (isWrong) say(to, at, `${name} must be ${whereIs(place, side)} the entry price${written}`)
  }
}

/** Ratios of the exit to the entry in made-up markets; `NaN` where one of the two has no value. */
const ratiosOf = (entry: Term, exit: Term): ReadonlyArray<number> =>
  imagined.map((moment) => {
    const from = entry.value(moment)
    return exit.value({ ...moment, entry: from }) / from
  })

/** The exit's price for one unit of the entry's, if it is the same in every market. */
export const fixedRatio = (entry: Term, exit: Term): Decimal.Decimal | undefined => {
  const [first = Number.NaN, ...others] = ratiosOf(entry, exit)
  const isFixed = first > 0 && others.every((ratio) => Math.abs(ratio / first - 1) < 1e-9)
  return isFixed ? Decimal.fromNumber(first, 12) : undefined
}

export const checkLoss = (
  side: Side,
  { entry, exit, size }: { readonly entry: Term; readonly exit: Term; readonly size: RuleSize | undefined },
  at: Span,
  context: Pick<KindContext, "market" | "to">
): void => {
  const best = Math.max(...ratiosOf(entry, exit).map((ratio) => (side === "BUY" ? ratio : 1 / ratio)))
  if (!Number.isFinite(best) || best <= 1) return
  const { amount = undefined, unit = "base" } = size !== undefined && "amount" in size ? size : {}
  const outputs = unit === "base" ? { bought: amount } : { proceeds: amount }
  const round = { ratio: Decimal.fromNumber(best, 12), ...outputs }
  checkRatio(round, "its exit", at, context, "move it further from the entry, or make it larger")
}

const trailStep = Decimal.toNumber(followStep)

const isStopped = (mid: number, at: number, side: Side): boolean => (mid - at) * signOf(side) <= 0

const isBefore = (side: Side, from: Price | undefined, best: number): from is Price =>
  from !== undefined && (best - Decimal.toNumber(from)) * signOf(side) < 0

export const stopsIn = ({ trail }: Exit, side: Side, going: Going): ReadonlyArray<number> => {
  const { breakevenAt, held, stop, trailFrom } = going
  if (held?.left !== undefined) return []
  const entry = Decimal.toNumber(entryPrice(going))
  const best = held?.best ?? entry
  const isBreakeven = breakevenAt !== undefined && !isBefore(side, breakevenAt, best)
  return [
    ...(stop === undefined ? [] : [Decimal.toNumber(stop)]),
    ...(isBreakeven ? [entry] : []),
    ...(trail === undefined || isBefore(side, trailFrom, best) ? [] : [best * (1 - signOf(side) * trail)])
  ]
}

/** The best prices at which a stop moves next. Nothing changes before the nearest of them. */
const movesOf = ({ trail }: Exit, side: Side, { breakevenAt, trailFrom }: Going, best: number) => {
  const step = best * (1 + signOf(side) * trailStep)
  return [
    ...(trail === undefined ? [] : [isBefore(side, trailFrom, best) ? Decimal.toNumber(trailFrom) : step]),
    ...(isBefore(side, breakevenAt, best) ? [Decimal.toNumber(breakevenAt)] : [])
  ]
}

const isAtTarget = (side: Side, going: Going, moment: Moment): boolean => {
  const [entry, target] = [Decimal.toNumber(entryPrice(going)), going.exit && Decimal.toNumber(going.exit)]
  if (target === undefined || !isInPlace("exit", side, entry, target)) return false
  notePrice(moment, target)
  return (moment.mid - target) * signOf(side) >= 0
}

export const heldAt = ({ mid, now }: Moment): Held => ({ since: now, best: mid, left: undefined, isClosing: false })

/** `peak`: the best price to which the market has come. `isPart`: some of the entry has not filled. */
export const follow = (exit: Exit, side: Side, going: Going, moment: Moment, peak: number, isPart: boolean): Held => {
  const { held: before } = going
  const lastHeld = before ?? heldAt(moment)
  const market = Decimal.fromNumber(moment.mid, 12)
  const leaves = (from: Price, heldNow: Held): Held => {
    const exitPoint = leave(exit.leaving, moment, market, from, heldNow.left)
    return exitPoint === heldNow.left ? heldNow : { ...heldNow, left: exitPoint }
  }
  if (lastHeld.left !== undefined) return leaves(market, lastHeld)
  const isBetter = movesOf(exit, side, going, lastHeld.best).some((at) => (peak - at) * signOf(side) >= 0)
  const best = isBetter ? peak : lastHeld.best
  const isClosing = lastHeld.isClosing || (isPart && isAtTarget(side, going, moment))
  const heldState = best === before?.best && isClosing === before.isClosing ? before : { ...lastHeld, best, isClosing }
  const stops = stopsIn(exit, side, { ...going, held: heldState })
  const { times } = moment.found
  for (const at of [...stops, ...movesOf(exit, side, going, best)]) notePrice(moment, at)
  const until = exit.afterMillis === undefined ? undefined : lastHeld.since + exit.afterMillis
  if (until !== undefined) times.push(until)
  // All exits are evaluated, even if one holds, because each has its bounds.
  const isAsked = exit.when && truth(exit.when, { ...moment, entry: Decimal.toNumber(entryPrice(going)) }) === "yes"
  const passed = stops.filter((at) => isStopped(moment.mid, at, side)).map((at) => Decimal.fromNumber(at, 12))
  const isOver = until !== undefined && moment.now >= until
  if (!isAsked && passed.length === 0 && !isOver) return heldState
  // The market reaches the stop nearest to the profit first.
  return leaves(passed.length === 0 ? market : passed.reduce(side === "BUY" ? Decimal.max : Decimal.min), heldState)
}

/** A test that is true while the price gives no reason to exit; `undefined` if more than a fixed stop matters. */
export const staysAtGlance = (exit: Exit, side: Side, { held, stop }: Going): StandsAt | undefined => {
  if (held?.left !== undefined) {
    const { priceAbove, priceBelow } = exit.leaving.until(held.left)
    const [low, high] = [priceBelow ?? Decimal.zero, priceAbove].map((price) => price && Decimal.toNumber(price))
    return ({ mid }) => mid > (low ?? 0) && mid < (high ?? Number.POSITIVE_INFINITY)
  }
  const isMoving = exit.trail !== undefined || exit.breakevenAt !== undefined
  if (held === undefined || isMoving || exit.when !== undefined) return undefined
  if (stop === undefined) return () => true
  const price = Decimal.toNumber(stop)
  return ({ mid }) => !isStopped(mid, price, side)
}
