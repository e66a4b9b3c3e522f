/**
 * Computes the pause before the next poll. While money moves, it is the shortest. Otherwise it follows from the distance between the price
 * and the nearest level that would change anything (a decision's bounds, an open order), so a quiet market costs few requests and no nearby
 * price is missed.
 */
import * as Decimal from "../../domain/Decimal.ts"
import { mid, type Price, type TwoSidedPrice } from "../../domain/Market.ts"
import type { Decision } from "../../strategy/Decision.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { refusalPauseMillis, type Settings } from "../EngineSettings.ts"
import { type BotState, unfinished } from "../state/BotState.ts"
import type { Placement } from "../state/Placement.ts"
import { isEndUnbelieved } from "../tracking/EarlyEnd.ts"

/** The largest relative move per second that the pauses allow for: 0.05 % is a sustained violent minute. */
const fastestMovePerSecond = 0.0005

export interface Decided {
  readonly strategy: Strategy
  readonly decision: Decision
}

export const pauseAfter = (
  settings: Settings,
  state: BotState,
  prices: ReadonlyMap<string, TwoSidedPrice>,
  decided: ReadonlyArray<Decided>,
  now: number
): number => {
  if (prices.size === 0 || state.doubts.size > 0) return settings.pollMinMillis
  const levelsOf = (market: string): ReadonlyArray<Price> => [
    ...unfinished(state).flatMap((placement) => (placement.market === market ? [placement.price] : [])),
    ...decided.flatMap(({ decision, strategy }) => levelsIn(decision, strategy, market))
  ]
  const watched = [...prices].map(([market, price]) => ({ price, levels: levelsOf(market) }))
  const moneyMoves = [...state.placements.values()].some((placement) => isMoving(placement, now))
  const planned = pauseMillis(settings, watched, moneyMoves)
  return Math.max(settings.pollMinMillis, Math.min(planned, nextMoment(settings, state, decided, now) - now))
}

const nextMoment = (settings: Settings, { slots }: BotState, decided: ReadonlyArray<Decided>, now: number): number => {
  const expiries = decided.map(({ decision }) => decision.until.time)
  const retries = [...slots.values()].map((slot) =>
    slot.refusals > 0 ? slot.refusedAt + refusalPauseMillis(settings, slot) : undefined
  )
  return [...expiries, ...retries].reduce<number>(
    (next, moment) => (moment !== undefined && moment > now ? Math.min(next, moment) : next),
    Number.POSITIVE_INFINITY
  )
}

export interface Watched {
  readonly price: TwoSidedPrice | undefined
  readonly levels: ReadonlyArray<Price>
}

const levelsIn = ({ until, desired }: Decision, strategy: Strategy, market: string): ReadonlyArray<Price> => {
  const bounds =
    strategy.market.name === market ? until : until.elsewhere?.find((elsewhere) => elsewhere.market === market)
  const swaps = desired
    .filter((slot) => (slot.market ?? strategy.market).name === market)
    .flatMap(({ legs }) => legs.flatMap(({ by, price }) => (by === "swap" ? [price] : [])))
  return [bounds?.priceBelow, bounds?.priceAbove, ...swaps].filter((price) => price !== undefined)
}

export const pauseMillis = (settings: Settings, watched: ReadonlyArray<Watched>, moneyMoves: boolean): number => {
  const pauses = watched.map(({ price, levels }) => pauseFor(settings, price, levels))
  const shortest = Math.min(settings.pollMaxMillis, ...pauses)
  return moneyMoves ? settings.pollMinMillis : Math.max(settings.pollMinMillis, shortest)
}

const pauseFor = (settings: Settings, price: TwoSidedPrice | undefined, levels: ReadonlyArray<Price>): number => {
  if (price === undefined) return settings.pollMinMillis
  return levels.reduce((least, level) => Math.min(least, secondsTo(price, level) * 1000), Number.POSITIVE_INFINITY)
}

const secondsTo = (price: TwoSidedPrice, level: Price): number => {
  const now = Decimal.toNumber(mid(price))
  return Math.abs(Decimal.toNumber(level) - now) / now / fastestMovePerSecond
}

/** True if the price can have reached this level within this time. Without a price it may have been anywhere. */
export const isWithinReach = (level: Price, price: TwoSidedPrice | undefined, withinMillis: number): boolean =>
  price === undefined || secondsTo(price, level) * 1000 <= withinMillis

/** Time after its payload's end in which a deposit is polled at the fastest pace. */
const soonMillis = 60_000

/**
 * True if money, or an answer of the venue, is on its way for the placement. A swap never stays open. An end that is not believed, a
 * payment in doubt and an overdue deposit may last for hours, so they do not count.
 */
export const isMoving = (placement: Placement, now: number): boolean =>
  (placement.by === "swap" && placement.state === "open") ||
  placement.state === "planned" ||
  placement.state === "creating" ||
  placement.state === "created" ||
  (placement.state === "funding" && now < placement.funding.validUntil + soonMillis) ||
  (placement.state === "closing" && !isEndUnbelieved(placement)) ||
  (placement.state === "open" && placement.cancel !== undefined) ||
  (placement.state === "open" && placement.fills.size > 0)
