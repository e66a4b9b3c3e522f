/**
 * Records why a slot has no order although one is planned: a limit of ours, a wait, or an end that is not believed. Each reason is recorded
 * once, even if reasons alternate, until the slot gets another placement, or its plan is dropped and comes back.
 */
import { Effect } from "effect"
import { formatWithSymbol, max } from "../../../domain/Amount.ts"
import type { BotEvent, Of } from "../../../domain/BotEvent.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { type BidAsk, type Market, mid, type Price, quoteAmount } from "../../../domain/Market.ts"
import type { DesiredOrder } from "../../../strategy/Decision.ts"
import { isAfterStop } from "../../../strategy/kinds/StopExit.ts"
import type { Strategy } from "../../../strategy/Strategy.ts"
import type { Bookkeeper } from "../../state/Bookkeeper.ts"
import { slotKey } from "../../state/SlotFold.ts"
import { executable, type LimitName } from "../OrderLimits.ts"

interface About {
  readonly strategy: string
  readonly slot: string
}

type Recorded = ReturnType<Bookkeeper["Service"]["record"]>

export interface Refusals {
  /** `what` distinguishes verdicts. */
  once(about: About, what: string, event: BotEvent): Recorded
  /** Records a missing exit once, whatever its placements do, and again after the market has moved by a percent. */
  missing(about: About, what: string, event: BotEvent, market: Price): Recorded
  /** The order in the slot is as planned, so a refused exit is no longer missing. One that is not filled still is. */
  wantsNoMore(about: About, wanted: DesiredOrder | undefined): Recorded
  forgetAllBut(strategy: string, wanted: ReadonlyArray<string>): void
}

interface Said {
  /** A placement, or the market's price where an exit is missing. */
  readonly about: string | number | undefined
  readonly verdicts: Set<string>
}

const isMoved = (before: number, now: number): boolean => Math.abs(now / before - 1) >= 0.01

export const make = ({ record, state }: Bookkeeper["Service"]): Refusals => {
  const reports = new Map<string, Said>()
  const say = (key: string, about: Said["about"], what: string, event: BotEvent): Recorded => {
    const before = reports.get(key)
    const verdicts = before?.about === about ? (before?.verdicts ?? new Set()) : new Set<string>()
    if (verdicts.has(what)) return Effect.void
    reports.set(key, { about, verdicts: verdicts.add(what) })
    return record(event)
  }
  return {
    once: ({ slot, strategy }, what, event) => {
      const key = slotKey(strategy, slot)
      return say(key, state.slots.get(key)?.placement, what, event)
    },
    missing: ({ slot, strategy }, what, event, market) => {
      const key = slotKey(strategy, slot)
      const [before, now] = [reports.get(key)?.about, Decimal.toNumber(market)]
      const isKnown = state.refusedExits.has(key) && typeof before === "number" && !isMoved(before, now)
      return say(key, isKnown ? before : now, what, event)
    },
    wantsNoMore: (about, wanted) => {
      const key = slotKey(about.strategy, about.slot)
      const reported = state.refusedExits.get(key)
      const isUnfilled = reported?.wanted.rests === true && wanted !== undefined && isAfterStop(wanted)
      if (reported === undefined || isUnfilled) return Effect.void
      reports.delete(key)
      return record({ _tag: "Deferred", ...about, reason: "the order there is as planned" })
    },
    forgetAllBut: (strategy, wanted) => forgetAllBut(reports, strategy, wanted)
  }
}

export const forgetAllBut = (known: Map<string, unknown>, strategy: string, wanted: ReadonlyArray<string>): void => {
  const keys = new Set(wanted.map((slot) => slotKey(strategy, slot)))
  for (const key of known.keys()) if (key.startsWith(slotKey(strategy, "")) && !keys.has(key)) known.delete(key)
}

/**
 * True if a refused exit counts as missing. A worthless one does not, and a target that is a swap waits for its price. Orders that are
 * leaving and must not be open beside an exit may still do its work.
 */
export const isMissed = ({ mayLose }: DesiredOrder, limit: LimitName): boolean =>
  limit !== "tiny" && limit !== "leaving-orders" && (limit !== "swap-price" || mayLose === true)

/** Cost of an exit at the market's price instead of the better of its own price and the mid: quote, rounded up. */
export const leavingNow = (
  market: Market,
  { price, quantity, side }: Pick<DesiredOrder, "price" | "quantity" | "side">,
  now: BidAsk
): string => {
  const [at, middle] = [executable(side, now), mid(now)]
  const better = side === "BUY" ? Decimal.min(price, middle) : Decimal.max(price, middle)
  const [dear, cheap] = side === "BUY" ? [at, better] : [better, at]
  const cost = quoteAmount(market, quantity, dear, "up") - quoteAmount(market, quantity, cheap, "down")
  return `leaving now at ${Decimal.format(at)} costs ${formatWithSymbol(max(0n, cost), market.quote)} more than at ${Decimal.format(better)}`
}

export const exitOf = (
  strategy: Strategy,
  { isExit, market, price, quantity, side }: DesiredOrder
): Of<"Denied">["exit"] =>
  isExit === true ? { side, price, quantity, asset: (market ?? strategy.market).base.symbol } : undefined
