/**
 * A strategy's own limits in a run, by the very rules that the engine holds against every order. What only a limit keeps
 * back waits, is counted once under the limit's name, and is asked again at every close: so does the engine, turn by turn.
 * Where only the price keeps orders back, closes that cannot set one free are skipped.
 *
 * A run whose only such limit is `maxPriceDeviation`, as all have it, goes without a guard: an order that breaks it has gone
 * far beyond the close at which it arrives, which is seen at no cost, and then the run is made once more with one.
 */

import { exactPrice } from "../../candles/Candles.ts"
import type { Amount } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import {
  badDeviation,
  type Circumstances,
  type LimitName,
  type LossMarks,
  refusedBy,
  shutBy
} from "../../engine/planning/RiskLimits.ts"
import type { Limits } from "../../strategy/Strategy.ts"
import type { AskAgain } from "./Decisions.ts"
import { type FillRules, isImmediate } from "./FillRules.ts"
import { none, type OrderRow } from "./OrderTable.ts"
import type { Conditions, Run } from "./Run.ts"

/** While the strategy had lost too much; `until` is missing when it did not go on. */
export interface LossStop {
  readonly from: number
  until?: number
  readonly limit: string
  readonly day: number
  readonly action: "pause" | "drain"
  readonly reason: string
}

/** One for all markets of a strategy. */
export interface Account {
  runs: ReadonlyArray<Run>
  /** When the orders of the last hour were placed. */
  readonly placed: Array<number>
  readonly denied: Map<LimitName, number>
  readonly stops: Array<LossStop>
  marks: LossMarks | undefined
  /** How often money or orders had moved before a close was last looked at. */
  changes: number
  /** What the strategy wants is no longer followed, or is again, and it was not yet asked since. */
  isTurned: boolean
  /** What refuses every order at this time, if something does; made again when a stop begins or ends. */
  door: { readonly now: number; readonly closedBy: LimitName | undefined } | undefined
  /** Nothing is to be marked, and no stop begins or ends, before this time while the worth stays between these. */
  calm: { readonly least: number; readonly most: number; readonly until: number }
}

export interface LimitGuard {
  readonly limits: Limits
  readonly asked: ReadonlySet<LimitName>
  readonly watchesLosses: boolean
  readonly deviation: number
  readonly account: Account
  /** Slots whose order only a limit keeps back. */
  readonly deniedBy: Map<number, Denial>
}

interface Denial {
  readonly limit: LimitName
  /** Where the price is the reason: closes that may set the order free are at or below this, or at or above that. */
  readonly below: number
  readonly above: number
}

const losses = ({ maxDailyLoss, maxDrawdown }: Limits): boolean =>
  maxDailyLoss !== undefined || maxDrawdown !== undefined

const askedOf = (limits: Limits): ReadonlySet<LimitName> => {
  const asked = new Set<LimitName>(["price-deviation"])
  if (losses(limits)) asked.add("paused")
  if (limits.quietHours !== undefined) asked.add("quiet-hours")
  if (limits.maxNotional !== undefined) asked.add("notional")
  if (limits.maxOrdersPerHour !== undefined) asked.add("orders-per-hour")
  return asked
}

export const makeAccount = (): Account => ({
  runs: [],
  placed: [],
  denied: new Map(),
  stops: [],
  marks: undefined,
  changes: 0,
  isTurned: false,
  door: undefined,
  calm: { least: 0, most: 0, until: 0 }
})

export const make = (limits: Limits, account: Account): LimitGuard => ({
  limits,
  asked: askedOf(limits),
  watchesLosses: losses(limits),
  deviation: Decimal.toNumber(limits.maxPriceDeviation),
  account,
  deniedBy: new Map()
})

/** Orders fill whole and at once, and no limit but `maxPriceDeviation` is set: a run without a guard is tried first. */
export const isQuick = ({ rules, limits }: Conditions): boolean =>
  isImmediate(rules) && (limits === undefined || (askedOf(limits).size === 1 && isMarketableFirst(rules, limits)))

/** An order that gives away too much is marketable: it lies beyond the close by more than the edge that it takes to fill. */
const isMarketableFirst = ({ touch, edgeBasisPoints }: FillRules, { maxPriceDeviation }: Limits): boolean => {
  const edge = edgeBasisPoints / 10_000
  return touch !== "through" && edge / (1 - edge) < Decimal.toNumber(maxPriceDeviation)
}

/** Something waits that a close may set free, or a close may say that too much is lost. */
export const isWatching = ({ watchesLosses, deniedBy }: LimitGuard): boolean => watchesLosses || deniedBy.size > 0

const onlyThePrice = ({ asked }: LimitGuard): boolean => asked.size === 1

/** The same of any close whatever; or of the next one, when money or orders moved since a close was looked at. */
export const isWatchingAll = (guard: LimitGuard, hasChanged: boolean): boolean =>
  guard.watchesLosses || (guard.deniedBy.size > 0 && (hasChanged || !onlyThePrice(guard)))

/** When to ask again, or to look whether an order is free. */
export const orFreed = (guard: LimitGuard | undefined, ask: AskAgain): AskAgain => {
  if (guard === undefined || guard.deniedBy.size === 0) return ask
  let { below, above } = ask
  for (const denial of guard.deniedBy.values()) {
    below = Math.max(below, denial.below)
    above = Math.min(above, denial.above)
  }
  return { ...ask, below, above }
}

/** On the safe side of rounding: a close that comes so near is looked at exactly. */
const hair = 1e-9

const denialOf = ({ side, price }: OrderRow, limit: LimitName, { deviation }: LimitGuard): Denial => {
  const freed = side === "BUY" ? (1 - hair) / (1 + deviation) : (1 + hair) / (1 - deviation)
  const close = Decimal.toNumber(price) * freed
  return {
    limit,
    below: side === "SELL" ? close : Number.NEGATIVE_INFINITY,
    above: side === "BUY" ? close : Number.POSITIVE_INFINITY
  }
}

/** The stop that lasts. */
export const stopIn = ({ stops }: Account): LossStop | undefined => {
  const last = stops.at(-1)
  return last?.until === undefined ? last : undefined
}

/** The strategy is asked, but what it wants is not followed: everything is withdrawn. */
export const isDrained = (guard: LimitGuard | undefined): boolean =>
  guard !== undefined && stopIn(guard.account)?.action === "drain"

const lastPrice = ({ candles, nextBar }: Run): Circumstances["price"] => {
  const close = exactPrice(candles.close[nextBar - 1] ?? 0)
  return { bid: close, ask: close, at: 0 }
}

/** The order gives away too much against the last close. */
export const deviates = (run: Run, row: OrderRow, limits: Limits): boolean =>
  badDeviation(row, { price: lastPrice(run), limits }) !== undefined

/** False when the order certainly does not; that is most often so, and cheap to say. */
const mayDeviate = (run: Run, slot: number, row: OrderRow, { deviation }: LimitGuard): boolean => {
  const { ladders, candles, conditions } = run
  const fillsAt = ladders.fillsAtOfLeg[(ladders.firstLeg[slot] ?? 0) + row.leg] ?? 0
  const close = candles.close[run.nextBar - 1] ?? 0
  const edge = conditions.rules.edgeBasisPoints / 10_000
  const ticks = 2 / 10 ** candles.priceScale
  return row.side === "BUY"
    ? ((fillsAt + ticks) / (1 - edge)) * (1 + hair) > close * (1 + deviation)
    : ((fillsAt - ticks) / (1 + edge)) * (1 - hair) < close * (1 - deviation)
}

/** Worth of all orders until they are paid out, at their prices. */
const openNotional = ({ runs }: Account): Amount => {
  let open = 0n
  for (const { slots, table } of runs)
    for (const order of slots.order) {
      const row = order === none ? undefined : table.rows[order]
      if (row !== undefined) open += row.side === "BUY" ? row.input : row.output + row.fee
    }
  return open
}

const circumstances = (run: Run, { limits, account }: LimitGuard): Circumstances => {
  const { now } = run
  while ((account.placed[0] ?? now) <= now - 3_600_000) account.placed.shift()
  const paused = stopIn(account)?.reason
  return {
    now,
    market: run.conditions.market,
    limits,
    price: lastPrice(run),
    openOrders: 0,
    free: 0n,
    ...(paused === undefined ? {} : { paused }),
    openNotional: limits.maxNotional === undefined ? 0n : openNotional(account),
    lastHour: account.placed.length,
    overall: { openOrders: 0, lastHour: 0, exposure: 0n }
  }
}

const unsaid = { code: "", text: "" }

const closedBy = ({ now }: Run, { limits, account }: LimitGuard): LimitName | undefined => {
  const { door } = account
  if (door?.now === now) return door.closedBy
  const paused = stopIn(account)?.reason
  const shut = shutBy({ now, limits, ...(paused === undefined ? {} : { paused }) })
  account.door = { now, closedBy: shut }
  return shut
}

/** Nothing can be set free now, nor waits for another reason than before: one and the same limit refuses every order. */
export const isShut = (run: Run, guard: LimitGuard): boolean => {
  const shut = closedBy(run, guard)
  if (shut === undefined) return false
  for (const { limit } of guard.deniedBy.values()) if (limit !== shut) return false
  return true
}

/** The limit that keeps the slot's order back, if one does. */
export const refusal = (run: Run, slot: number, row: OrderRow, guard: LimitGuard): LimitName | undefined => {
  if (onlyThePrice(guard))
    return mayDeviate(run, slot, row, guard) && deviates(run, row, guard.limits) ? "price-deviation" : undefined
  const { side, price, quantity, leg } = row
  const desired = { slot: "", leg, side, price, quantity, why: unsaid }
  return closedBy(run, guard) ?? refusedBy(guard.asked, desired, circumstances(run, guard))
}

/** Counts it when that is not what kept the slot's order back before. */
export const deny = (guard: LimitGuard, slot: number, row: OrderRow, limit: LimitName): void => {
  const { denied } = guard.account
  if (guard.deniedBy.get(slot)?.limit !== limit) denied.set(limit, (denied.get(limit) ?? 0) + 1)
  guard.deniedBy.set(slot, denialOf(row, limit, guard))
}
