/** Turns a planned order for a free slot into a placement, if no wait and no limit prevents it. Nothing is sent from here. */
import { Effect, Result } from "effect"
import { type Amount, formatWithSymbol } from "../../domain/Amount.ts"
import type { Of } from "../../domain/BotEvent.ts"
import { type HeldPosition, noPosition } from "../../domain/CostBasis.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { inputAmount, inputAsset, mid, outputAsset, type TwoSidedPrice } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { age } from "../../domain/Text.ts"
import { coveredQuantity, type DesiredOrder } from "../../strategy/Decision.ts"
import { stoppedValue } from "../../strategy/kinds/StopExit.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { priceIn, progressOf, type View } from "../../strategy/View.ts"
import { refusalPauseMillis, type Settings } from "../EngineSettings.ts"
import { holdsOnSlot } from "../holds/Holds.ts"
import type { Bookkeeper } from "../state/Bookkeeper.ts"
import { type BotState, unfinished, unfinishedOf } from "../state/BotState.ts"
import { openQuantity, type Placement } from "../state/Placement.ts"
import { slotKey } from "../state/SlotFold.ts"
import * as Tally from "../state/Tally.ts"
import * as Fingerprint from "../tracking/Fingerprint.ts"
import { exitOf, isMissed, leavingNow, type Refusals } from "./Exits.ts"
import { type Approved, check, type Denied, type LimitInputs, refusalOfSuccessor } from "./OrderLimits.ts"
import { refusalsThatTell } from "./Remainders.ts"

/** The start of one plan of a strategy. The plan adds its orders to `tally`. `left`: orders that edited files left (`leftByEdits`). */
export interface PlanGround {
  readonly strategy: Strategy
  readonly view: View
  readonly own: ReadonlyArray<Placement>
  readonly tally: Tally.Tally
  readonly left: ReadonlyArray<Placement>
}

export const make = (books: Bookkeeper["Service"], settings: Settings, refusals: Refusals) => {
  const denied = denying(refusals)
  const waiting = ({ strategy, view }: PlanGround, desired: DesiredOrder) => {
    const { now } = view
    const slot = books.state.slots.get(slotKey(strategy.name, desired.slot))
    if (slot === undefined) return undefined
    const { failures: times, failedAt, failedWhy = "the last attempt failed" } = slot
    const waitUntil = failedAt + refusalPauseMillis(settings, slot)
    if (now >= waitUntil || now < failedAt) return undefined
    const exit = times < refusalsThatTell ? undefined : exitOf(strategy, desired)
    const reason = `${failedWhy}; the next attempt is due in ${age(waitUntil - now)}`
    const about = { strategy: strategy.name, slot: desired.slot }
    const event = { _tag: "Deferred", ...about, reason } as const
    if (exit === undefined) return refusals.once(about, `${times} refusals`, event)
    const price = priceFor(view, desired)
    const cost = leavingNow(desired.market ?? strategy.market, exit, price)
    return refusals.missing(about, "refused", { ...event, reason: `${reason}; ${cost}`, exit }, mid(price))
  }

  const begin = Effect.fnUntraced(function* ({ strategy, tally }: PlanGround, approved: Approved, at: LimitInputs) {
    const deadline = yield* deadlineOf(books.state, settings, strategy, approved, at.now)
    const event = planned(books.state, strategy, approved, at.price, deadline)
    yield* books.recordFrom((state) => (isInForce(state, strategy) ? [event] : []))
    const placement = books.state.placements.get(event.placement)
    if (placement !== undefined) Tally.add(tally, placement)
  })

  const reportRest = (ground: PlanGround, { dueInLeg, ...part }: DesiredOrder) => {
    if (dueInLeg === undefined) return Effect.void
    const { base } = part.market ?? ground.strategy.market
    const [covers, of] = [part.quantity, dueInLeg].map((quantity) => formatWithSymbol(quantity, base))
    const rest = { ...part, quantity: dueInLeg - part.quantity }
    const reason = `The strategy's money covers only ${covers} of ${of}`
    return denied(ground, rest, priceFor(ground.view, part), { limit: "budget", reason }, `covers ${covers}`)
  }

  const inputsFor = ({ left, strategy, tally, view }: PlanGround, desired: DesiredOrder): LimitInputs =>
    limitInputsOf(books.state, settings, strategy, desired, priceFor(view, desired), view.now, tally, left)

  const place = (ground: PlanGround, desired: DesiredOrder) => {
    const wait = waiting(ground, desired)
    if (wait !== undefined) return wait
    const inputs = inputsFor(ground, desired)
    const verdict = check(desired, inputs)
    if (Result.isFailure(verdict)) return denied(ground, desired, inputs.price, verdict.failure)
    return Effect.andThen(begin(ground, verdict.success, inputs), reportRest(ground, desired))
  }

  const reportHeldExit = (ground: PlanGround, desired: DesiredOrder) => {
    const inputs = inputsFor(ground, desired)
    const verdict = check(desired, inputs)
    // Without a hold, the check fails only because the money is still in the order that is being cancelled.
    const isHeld = inputs.held.length > 0 && Result.isFailure(verdict)
    return isHeld ? denied(ground, desired, inputs.price, verdict.failure) : Effect.void
  }

  /** Leaves an open order in its slot until its successor may be placed; recorded once. Returns `undefined` if it may be placed. */
  const keptBack = (ground: PlanGround, desired: DesiredOrder, open: Placement) => {
    const inputs = inputsFor(ground, desired)
    const own = inputAmount(inputs.market, open.side, openQuantity(open), open.price)
    const refusal = refusalOfSuccessor(desired, { ...inputs, free: inputs.free + own })
    return refusal && denied(ground, desired, inputs.price, refusal)
  }

  return { place, keptBack, reportHeldExit, reportRest }
}

/** Records each verdict of a limit once; of an exit, with the cost of exiting now. */
const denying =
  (refusals: Refusals) =>
  (
    { strategy, view }: PlanGround,
    order: DesiredOrder,
    price: TwoSidedPrice,
    { limit, reason }: Denied,
    what: string = limit
  ) => {
    // The sale of a whole position that is too small for an order leaves it without an exit.
    const isAll = limit === "min-order" && order.side === "SELL" && order.quantity === view.own?.position
    const desired = isAll ? ({ ...order, isExit: true } as const) : order
    const exit = isMissed(desired, limit) ? exitOf(strategy, desired) : undefined
    const stays = limit === "min-order" ? "it stays until it is worth more, or limits.minOrder is lower" : undefined
    const cost = exit === undefined ? "" : `; ${stays ?? leavingNow(desired.market ?? strategy.market, exit, price)}`
    const about = { strategy: strategy.name, slot: desired.slot, limit, reason: `${reason}${cost}` }
    const event = { _tag: "Denied", ...about, mid: mid(price), ...present({ exit }) } as const
    return exit === undefined ? refusals.once(about, what, event) : refusals.missing(about, what, event, event.mid)
  }

/** False if a file edit was accepted while this plan was made: the older file must do nothing more. */
export const isInForce = ({ strategies }: BotState, { name, hash }: Strategy): boolean => {
  const loaded = strategies.get(name)?.loaded
  return loaded === undefined || loaded.hash === hash
}

const freeFor = (
  state: BotState,
  strategy: string,
  { asset, slot }: { readonly asset: string; readonly slot: string },
  { reserved }: Tally.Usage
): Amount =>
  Ledger.freeOf(state.ledger, strategy, asset) -
  (reserved.get(asset) ?? 0n) +
  (slot === Ledger.dustSlot(asset) ? Ledger.dustOf(state.ledger, strategy, asset) : 0n)

const positionOf = ({ strategies }: BotState, strategy: string, market: string): HeldPosition =>
  strategies.get(strategy)?.trading.get(market)?.position ?? noPosition

/** An exit that the strategy's money does not cover becomes a part. The rest of its leg stays due, and its budget refuses it. */
export const covered = (
  state: BotState,
  { limits: { minOrder = 0n }, market: first, name }: Strategy,
  view: View,
  { own }: Tally.Tally,
  order: DesiredOrder
): DesiredOrder => {
  const { isExit, market = first, side, slot } = order
  if (isExit !== true) return order
  const { filledInLeg, live } = progressOf(view, slot)
  const inSlot = live?.side === side ? inputAmount(market, side, live.quantity, live.price) : 0n
  const free = freeFor(state, name, { asset: inputAsset(market, side).symbol, slot }, own)
  const isWorthIt = stoppedValue(market, order, positionOf(state, name, market.name)) >= minOrder
  const quantity = coveredQuantity(market, order, free + inSlot, filledInLeg, isWorthIt ? 0n : minOrder)
  return quantity < order.quantity ? { ...order, quantity, dueInLeg: order.quantity } : order
}

export const limitInputsOf = (
  state: BotState,
  settings: Settings,
  strategy: Strategy,
  desired: DesiredOrder,
  price: TwoSidedPrice,
  now: number,
  { own, all } = Tally.of(state, strategy.name, now),
  left = leftByEdits(state, strategy)
): LimitInputs => {
  const { name, limits } = strategy
  const market = desired.market ?? strategy.market
  const asset = inputAsset(market, desired.side).symbol
  const { overall } = settings
  const maxExposure = overall?.exposure.get(asset)
  return {
    now,
    market,
    limits,
    price,
    position: positionOf(state, name, market.name),
    leavingBase: leavingBeside(state, strategy, desired, left),
    free: freeFor(state, name, { asset, slot: desired.slot }, own),
    ...own,
    openNotional: own.notional,
    held: holdsOnSlot(state, name, desired.slot),
    overall: { ...overall, ...all, exposure: all.exposure.get(asset) ?? 0n, ...present({ maxExposure }) }
  }
}

/** The price of the order's market, dated by the oldest price that the strategy decided on. */
const priceFor = (view: View, { market }: DesiredOrder): TwoSidedPrice => {
  const oldest = Math.min(view.price.at, ...[...(view.elsewhere?.values() ?? [])].map(({ at }) => at))
  return { ...(priceIn(view, (market ?? view.market).name) ?? view.price), at: oldest }
}

const planned = (
  state: BotState,
  strategy: Strategy,
  { desired, inputAmount, outputAmount }: Approved,
  price: TwoSidedPrice,
  deadline: number
): Of<"Planned"> => {
  const market = desired.market ?? strategy.market
  return {
    _tag: "Planned",
    strategy: strategy.name,
    slot: desired.slot,
    placement: `p${state.placementCount + 1}`,
    market: market.name,
    side: desired.side,
    price: desired.price,
    quantity: desired.quantity,
    ...present({ by: desired.by, isExit: desired.isExit }),
    ...(desired.dueInLeg === undefined ? {} : { isPart: true }),
    inputAsset: inputAsset(market, desired.side).symbol,
    inputAmount,
    outputAsset: outputAsset(market, desired.side).symbol,
    outputAmount,
    ...present({ terms: strategy.terms }),
    mid: mid(price),
    deadline,
    why: desired.why
  }
}

/** A swap is in no list, so its deadline need not be unique. */
const deadlineOf = (state: BotState, settings: Settings, { limits }: Strategy, { desired }: Approved, now: number) => {
  if (desired.by === "swap") return Effect.succeed(now + settings.swapLifetimeMillis)
  const lifetime = limits.orderLifetimeMillis ?? settings.orderLifetimeMillis
  return Fingerprint.draw(now + lifetime, lifetime, state.integrity.usedDeadlines, state.integrity.mark ?? 0)
}

/**
 * Orders of older files that the last decision of their strategy does not continue, and orders of removed strategies. They may still fill
 * although no strategy plans them any more. The new file works in other slots. If it counts what the whole strategy holds, it would offer
 * the same coins again, or buy twice. So an order waits for orders of an older file on its side of its market, in slots where the new file
 * plans no such order. A file with another name, or two files that exchanged their names, are such edits too; exits do not wait for orders
 * under other names.
 */
export const leftByEdits = (state: BotState, { name }: Strategy): ReadonlyArray<Placement> => {
  const { loadedAt = 0 } = state.strategies.get(name) ?? {}
  return unfinished(state).filter(
    (placement) => (placement.strategy === name || placement.plannedAt < loadedAt) && isLeft(state, placement)
  )
}

const isLeft = (state: BotState, { isOfOlderFile, market, side, slot, strategy }: Placement): boolean => {
  const { decision, isTried, loaded, removed } = state.strategies.get(strategy) ?? {}
  if (removed === "drained") return true
  if (isOfOlderFile !== true) return false
  const now = isTried === true ? decision?.desired.find((each) => each.slot === slot) : undefined
  return now === undefined || now.side !== side || (now.market ?? loaded?.market.split(", ")[0]) !== market
}

/**
 * Base that may still fill in the orders that must end before this one: those it `yieldsTo`, and those that edits left. An order may fill
 * until its end is known, even if its cancel was sent.
 */
const leavingBeside = (
  state: BotState,
  { market: first, name }: Strategy,
  { isExit, market = first, side, slot: own, yieldsTo = [] }: DesiredOrder,
  left: ReadonlyArray<Placement>
): Amount => {
  const preferredOrders =
    yieldsTo.length === 0 ? [] : unfinishedOf(state, name).filter(({ slot }) => yieldsTo.includes(slot))
  const isInItsWay = (each: Placement) => (each.strategy === name ? each.slot !== own : isExit !== true)
  const others = left.filter((each) => each.side === side && each.market === market.name && isInItsWay(each))
  return [...new Set([...preferredOrders, ...others])].reduce((sum, placement) => sum + openQuantity(placement), 0n)
}
