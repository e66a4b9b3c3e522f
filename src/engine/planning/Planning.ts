/** Turns a strategy into planned placements. Nothing is sent from here. Each refusal is recorded once, with its reason. */
import { Effect } from "effect"
import type { BotEvent, Reason } from "../../domain/BotEvent.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { isFinished } from "../../domain/Placement.ts"
import { type Decision, type DesiredOrder, dueLeg } from "../../strategy/Decision.ts"
import { isAfterStop } from "../../strategy/kinds/StopExit.ts"
import { marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import { priceIn, progressOf, type View } from "../../strategy/View.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { type BotState, touchedAt, unfinishedOf } from "../state/BotState.ts"
import { mayBePaidEarlier } from "../state/orders/JournalIntegrity.ts"
import { about, type Funding, isUnpaid, movingCodes, openQuantity, type Placement } from "../state/Placement.ts"
import * as Tally from "../state/Tally.ts"
import { armed, deciding, type MarketMoment, viewOf } from "./DecisionRecord.ts"
import * as Exits from "./Exits.ts"
import { type Change, diff, type OrderPlan, type SlotOrder } from "./OrderDiff.ts"
import * as Placing from "./Placing.ts"
import { closings, sweeps } from "./Remainders.ts"
import { noCost, replacementCost } from "./ReplacementCost.ts"

export const make = Effect.fnUntraced(function* (admits: (strategy: Strategy, desired: DesiredOrder) => boolean) {
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const refusals = Exits.make(books)
  const watchExits = Exits.watch(books, refusals)
  const { decide, inForce } = deciding(books, refusals)
  const { keptBack, place, reportHeldExit, reportRest } = Placing.make(books, settings, refusals)
  /** Plans that changed nothing. While the decision holds and no event concerns the strategy, the next plan changes nothing either. */
  const calm = new Map<string, { readonly decision: Decision; readonly touchedAt: number }>()

  const plan = Effect.fn("Planning.plan")(function* (
    strategy: Strategy,
    moment: MarketMoment,
    cancelAll: Reason | undefined
  ) {
    const lastCalm = calm.get(strategy.name)
    const touched = touchedAt(books.state, strategy.name)
    if (cancelAll === undefined && lastCalm?.touchedAt === touched && lastCalm.decision === inForce(strategy, moment))
      return lastCalm.decision
    calm.delete(strategy.name)
    const own = unfinishedOf(books.state, strategy.name)
    const tally = Tally.of(books.state, strategy.name, moment.now)
    let view = viewOf(books.state, strategy, moment, tally)
    let decision = yield* decide(strategy, view)
    const closedLegs = cancelAll === undefined ? closings(books.state, strategy, decision, view, own) : []
    if (closedLegs.length > 0) {
      yield* books.record(...closedLegs)
      view = viewOf(books.state, strategy, moment, tally)
      decision = yield* decide(strategy, view)
    }
    const planned = decision.desired.flatMap((desired) => armed(desired, view) ?? [])
    const orderPlan: OrderPlan =
      cancelAll === undefined
        ? orderPlanOf(decision, [
            ...planned.map((order) => Placing.covered(books.state, strategy, view, tally, order)),
            ...sweeps(books.state, strategy, decision.desired, view, own)
          ])
        : { desired: new Map(), whyNot: new Map(own.map(({ slot }) => [slot, cancelAll])) }
    const orders = own.map((placement) => ownOrder(books.state, strategy, placement, view))
    const changes = diff(strategy.market, orderPlan, orders)
    const ground = { strategy, view, own, tally, left: Placing.leftByEdits(books.state, strategy) }
    yield* Effect.forEach(changes, (change) => apply(ground, orderPlan, change), { discard: true })
    yield* watchExits(strategy, view, own, decision, orderPlan.desired)
    const exits = cancelAll === undefined ? [] : planned.filter(({ isExit }) => isExit === true)
    yield* Effect.forEach(exits, (exit) => reportHeldExit(ground, exit), { discard: true })
    // `touched` was read before the plan, so an event that came during the plan makes the next plan run.
    if (cancelAll === undefined && isCalm(books.state, ground, decision, orderPlan, orders))
      calm.set(strategy.name, { decision, touchedAt: touched })
    return decision
  })

  const apply = (
    ground: Placing.PlanGround,
    { desired }: OrderPlan,
    change: Change
  ): ReturnType<typeof books.record> => {
    const { own, strategy, tally } = ground
    switch (change._tag) {
      case "Keep": {
        const order = desired.get(change.slot)
        if (order?.dueInLeg !== undefined) return reportRest(ground, order)
        return refusals.wantsNoMore({ strategy: strategy.name, slot: change.slot }, order)
      }
      case "Wait":
        return Effect.void
      case "Cancel": {
        const slotPlacement = own.find((candidate) => candidate.slot === change.slot)
        const reservation = change.successor && slotPlacement && keptBack(ground, change.successor, slotPlacement)
        if (reservation !== undefined) return reservation
        if (movingCodes.has(change.why.code)) Tally.move(tally)
        // The order may have been cancelled, or may have ended, since this plan read it.
        return books.recordFrom((state) => {
          const placement = slotPlacement && state.placements.get(slotPlacement.id)
          const isOver = placement === undefined || isFinished(placement.state) || placement.cancel !== undefined
          return isOver || !Placing.isInForce(state, strategy) ? [] : [cancelEvent(placement, change.why)]
        })
      }
      case "Place":
        if (!admits(strategy, change.desired)) return Effect.void
        return place(ground, change.desired)
    }
  }

  return { plan }
})

/** True if neither a price nor the time would change anything: no order would move even if moving cost nothing. */
const isCalm = (
  state: BotState,
  { strategy, view }: Placing.PlanGround,
  { desired }: Decision,
  orderPlan: OrderPlan,
  orders: ReadonlyArray<SlotOrder>
): boolean =>
  diff(
    strategy.market,
    orderPlan,
    orders.map((order) => ({ ...order, replacement: noCost }))
  ).every(({ _tag }) => _tag === "Keep") &&
  !desired.some(isAfterStop) &&
  desired.every(
    (each) => orderPlan.desired.has(each.slot) || each.legs[dueLeg(each, progressOf(view, each.slot))] === undefined
  ) &&
  marketsOf(strategy).every(({ base: { symbol } }) => Ledger.dustOf(state.ledger, strategy.name, symbol) <= 0n)

const orderPlanOf = ({ absent, desired }: Decision, orders: ReadonlyArray<DesiredOrder>): OrderPlan => ({
  desired: new Map(orders.map((order) => [order.slot, order])),
  // A planned slot without an order gives its own reason.
  whyNot: new Map([...desired, ...absent].map(({ slot, why }) => [slot, why]))
})

const cancelEvent = (placement: Placement, why: Reason): BotEvent =>
  isUnpaid(placement) && !mayBePaidEarlier(placement)
    ? { _tag: "Abandoned", ...about(placement), reason: why.text }
    : { _tag: "CancelRequested", ...about(placement), why }

const isOpen = ({ acknowledged, attempts, clearRefusals, payment }: Funding): boolean =>
  payment === undefined && !acknowledged && attempts > clearRefusals

const ownOrder = (state: BotState, strategy: Strategy, placement: Placement, view: View): SlotOrder => {
  const market = marketsOf(strategy).find(({ name }) => name === placement.market) ?? strategy.market
  const { ask } = priceIn(view, market.name) ?? view.price
  return {
    ...placement,
    quantity: openQuantity(placement),
    cancelRequested: placement.cancel !== undefined,
    isPaymentOpen: placement.state === "funding" && isOpen(placement.funding),
    replacement: replacementCost(state, market, placement, { ask, now: view.now })
  }
}
