/**
 * Computes the pause before the next poll. It is the shortest while money moves. Otherwise it follows from the distance between the price
 * and the nearest level that would change anything. So a quiet market costs few requests, and no nearby price is missed.
 */
import * as Decimal from "../../domain/Decimal.ts"
import { mid, type Price, type TwoSidedPrice } from "../../domain/Market.ts"
import type { Decision } from "../../strategy/Decision.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { refusalPauseMillis, type Settings } from "../EngineSettings.ts"
import { type BotState, perEvent, unfinished } from "../state/BotState.ts"
import { isBegun, type Placement } from "../state/Placement.ts"
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
  if (mayMove(state).some((placement) => isMoving(placement, now))) return settings.pollMinMillis
  const watched = [...midsOf(prices)].flatMap(([market, mid]) => [
    { mid, levels: openLevels(state).get(market) ?? [] },
    ...decided.map(({ decision, strategy }) => ({ mid, levels: levelsIn(decision, strategy, market) }))
  ])
  const planned = pauseMillis(settings, watched)
  return Math.max(settings.pollMinMillis, Math.min(planned, nextMoment(settings, state, decided, now) - now))
}

const openLevels = perEvent((state) => {
  const byMarket = Map.groupBy(unfinished(state), ({ market }) => market)
  return new Map([...byMarket].map(([market, open]) => [market, open.map(({ price }) => Decimal.toNumber(price))]))
})

/** An open order without a cancel or a fill does not move at any time, so the list is computed once per event. */
const mayMove = perEvent(({ placements }) =>
  [...placements.values()].filter((placement) => placement.state !== "open" || isMoving(placement, 0))
)

const failedSlots = perEvent(({ slots }) => [...slots.values()].filter(({ failures }) => failures > 0))

const nextMoment = (settings: Settings, state: BotState, decided: ReadonlyArray<Decided>, now: number): number => {
  const expiries = decided.map(({ decision }) => decision.until.time)
  const retries = failedSlots(state).map((slot) => slot.failedAt + refusalPauseMillis(settings, slot))
  return [...expiries, ...retries].reduce<number>(
    (next, moment) => (moment !== undefined && moment > now ? Math.min(next, moment) : next),
    Number.POSITIVE_INFINITY
  )
}

const levelsIn = ({ until, desired }: Decision, strategy: Strategy, market: string): ReadonlyArray<number> => {
  const bounds =
    strategy.market.name === market ? until : until.elsewhere?.find((elsewhere) => elsewhere.market === market)
  const swaps = desired
    .filter((slot) => (slot.market ?? strategy.market).name === market)
    .flatMap(({ legs }) => legs.flatMap(({ by, price }) => (by === "swap" ? [price] : [])))
  return [bounds?.priceBelow, bounds?.priceAbove, ...swaps].flatMap((price) =>
    price === undefined ? [] : [Decimal.toNumber(price)]
  )
}

export const midsOf = (prices: ReadonlyMap<string, TwoSidedPrice>): ReadonlyMap<string, number> =>
  new Map([...prices].map(([market, price]) => [market, Decimal.toNumber(mid(price))]))

const secondsTo = (mid: number, level: number): number => Math.abs(level - mid) / mid / fastestMovePerSecond

export interface Watched {
  readonly mid: number
  readonly levels: ReadonlyArray<number>
}

export const pauseMillis = ({ pollMaxMillis, pollMinMillis }: Settings, watched: ReadonlyArray<Watched>): number => {
  let least = pollMaxMillis
  for (const { mid, levels } of watched)
    for (const level of levels) least = Math.min(least, secondsTo(mid, level) * 1000)
  return Math.max(pollMinMillis, least)
}

/** True if the price can have reached this level within this time. Without a price it may have been anywhere. */
export const isWithinReach = (level: Price, mid: number | undefined, withinMillis: number): boolean =>
  mid === undefined || secondsTo(mid, Decimal.toNumber(level)) * 1000 <= withinMillis

/** After its payload has expired, a deposit is polled at the fastest pace for this time. */
const soonMillis = 60_000

/**
 * True if money, or an answer of the venue, is on its way for the placement. A swap never stays open. An end that is not believed, a
 * payment in doubt and an overdue deposit may last for hours, so they do not count.
 */
export const isMoving = (placement: Placement, now: number): boolean =>
  (placement.by === "swap" && placement.state === "open") ||
  isBegun(placement) ||
  (placement.state === "funding" && now < placement.funding.validUntil + soonMillis) ||
  (placement.state === "closing" && !isEndUnbelieved(placement)) ||
  (placement.state === "open" && placement.cancel !== undefined) ||
  (placement.state === "open" && placement.fills.size > 0)
