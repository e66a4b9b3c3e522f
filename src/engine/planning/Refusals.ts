/**
 * Why a slot has no order though one is wanted: by a limit of ours, by a wait, or because an end is not believed. Each is recorded
 * once, however they take turns, until the slot is planned, or what is wanted has gone and comes back.
 */
import { Effect } from "effect"
import { formatWithSymbol, max } from "../../domain/Amount.ts"
import type { BotEvent, Of } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { type BidAsk, type Market, quoteAmount } from "../../domain/Market.ts"
import { isFinished } from "../../domain/Placement.ts"
import type { DesiredOrder } from "../../strategy/Decision.ts"
import { isAfterStop } from "../../strategy/kinds/StopExit.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { priceIn, type View } from "../../strategy/View.ts"
import type { Bookkeeper } from "../state/Bookkeeper.ts"
import { openQuantity, type Placement } from "../state/Placement.ts"
import { slotKey } from "../state/SlotFold.ts"
import { executable, type LimitName } from "./OrderLimits.ts"

interface About {
  readonly strategy: string
  readonly slot: string
}

type Recorded = ReturnType<Bookkeeper["Service"]["record"]>

export interface Refusals {
  /** `what` distinguishes verdicts. With a `price`, the verdict is recorded again after the price has moved by a percent. */
  once(about: About, what: string, event: BotEvent, price?: number): Recorded
  wantsNoMore(about: About): Recorded
  forgetAllBut(strategy: string, wanted: ReadonlyArray<string>): void
}

interface Said {
  readonly placement: string | undefined
  readonly price: number | undefined
  readonly verdicts: Set<string>
}

const isMoved = (before: number | undefined, now: number | undefined): boolean =>
  before !== undefined && now !== undefined && Math.abs(now / before - 1) >= 0.01

export const make = ({ record, state }: Bookkeeper["Service"]): Refusals => {
  const said = new Map<string, Said>()
  return {
    once: ({ slot, strategy }, what, event, price) => {
      const key = slotKey(strategy, slot)
      const placement = state.slots.get(key)?.placement
      const before = said.get(key)
      const verdicts = before?.placement === placement ? (before?.verdicts ?? new Set()) : new Set<string>()
      if (verdicts.has(what) && !isMoved(before?.price, price)) return Effect.void
      said.set(key, { placement, price, verdicts: verdicts.add(what) })
      return record(event)
    },
    wantsNoMore: (about) => {
      const key = slotKey(about.strategy, about.slot)
      if (!state.refusedExits.has(key)) return Effect.void
      said.delete(key)
      return record({ _tag: "Deferred", ...about, reason: "what rests there is as wanted" })
    },
    forgetAllBut: (strategy, wanted) => {
      const kept = new Set(wanted.map((slot) => slotKey(strategy, slot)))
      for (const key of said.keys()) if (key.startsWith(slotKey(strategy, "")) && !kept.has(key)) said.delete(key)
    }
  }
}

/**
 * True if a refused exit counts as missing. A worthless one does not, and a target that is a swap waits for its price. Orders that are
 * leaving and must not be open beside an exit may still do its work.
 */
export const isMissed = ({ mayLose }: DesiredOrder, limit: LimitName): boolean =>
  limit !== "tiny" && limit !== "leaving-orders" && (limit !== "swap-price" || mayLose === true)

/** Cost of an exit at the market's price instead of its own: quote, rounded up. */
export const leavingNow = (
  market: Market,
  { price, quantity, side }: Pick<DesiredOrder, "price" | "quantity" | "side">,
  now: BidAsk
): string => {
  const at = executable(side, now)
  const [dear, cheap] = side === "BUY" ? [at, price] : [price, at]
  const cost = quoteAmount(market, quantity, dear, "up") - quoteAmount(market, quantity, cheap, "down")
  return `leaving now at ${Decimal.format(at)} costs ${formatWithSymbol(max(0n, cost), market.quote)} more than at ${Decimal.format(price)}`
}

export const exitOf = (
  strategy: Strategy,
  { isExit, market, price, quantity, side }: DesiredOrder
): Of<"Denied">["exit"] =>
  isExit === true ? { side, price, quantity, asset: (market ?? strategy.market).base.symbol } : undefined

/**
 * Tells of an exit after a stop that has rested for a minute where the market is beyond it, and again when leaving costs another
 * percent. What may fill where it is is not missing.
 */
export const keeper = (state: Bookkeeper["Service"]["state"], refusals: Refusals) => {
  const beyondSince = new Map<string, number>()
  return (
    strategy: Strategy,
    view: View,
    slot: string,
    all: ReadonlyArray<Placement>,
    desired: ReadonlyMap<string, DesiredOrder>
  ): Recorded => {
    const [own, wanted] = [all.find((each) => each.slot === slot && !isFinished(each.state)), desired.get(slot)]
    const about = { strategy: strategy.name, slot }
    if (own === undefined || wanted === undefined) return refusals.wantsNoMore(about)
    const key = slotKey(strategy.name, slot)
    const exit = exitOf(strategy, { ...wanted, price: own.price, quantity: openQuantity(own) })
    const now = priceIn(view, own.market) ?? view.price
    const ratio = Decimal.toNumber(own.price) / Decimal.toNumber(executable(own.side, now))
    const beyond = own.side === "SELL" ? ratio - 1 : 1 / ratio - 1
    if (exit === undefined || !isAfterStop(wanted) || own.state !== "open" || own.by !== undefined || beyond <= 0) {
      beyondSince.delete(key)
      return refusals.wantsNoMore(about)
    }
    const since = beyondSince.get(key) ?? state.refusedExits.get(key)?.since ?? view.now
    beyondSince.set(key, since)
    if (view.now - since < minuteMillis) return refusals.wantsNoMore(about)
    const reason = `the market is beyond its price; ${leavingNow(wanted.market ?? strategy.market, exit, now)}`
    const verdict = `${since} ${exit.quantity} ${Math.floor(beyond * 100)}`
    return refusals.once(about, verdict, { _tag: "Deferred", ...about, reason, exit: { ...exit, rests: true } })
  }
}
