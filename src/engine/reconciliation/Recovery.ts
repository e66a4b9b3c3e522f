/**
 * Rebuilds a lost journal from what the venue can prove. Every order with our money becomes a placement in the slot that plans exactly this
 * order now. If there is none, the strategy `recovered` tracks it until its money is back. An ended order becomes a placement of the
 * strategy `ended`, so its fills, fees and profit are known again. Orders that the bot cannot handle are listed, never guessed.
 */
import { Effect } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { inputAmount, inputAsset, type Market, outputAmount, outputAsset } from "../../domain/Market.ts"
import type { Order, OrderTerms } from "../../domain/Order.ts"
import { ended, foundAtVenue, recovered, slotOfFound } from "../../domain/Placement.ts"
import { present } from "../../domain/Present.ts"
import type { DesiredSlot } from "../../strategy/Decision.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import type { Expectations } from "../EngineSettings.ts"
import { meaning } from "../protocol/Sightings.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { slotKey } from "../state/SlotFold.ts"
import { askedFor, shownBy } from "../tracking/MoneyPath.ts"
import { hasTerms } from "../tracking/OrderTracker.ts"
import { isPaid } from "./Reconciliation.ts"

export interface SlotPlans {
  readonly strategy: Strategy
  readonly desired: ReadonlyArray<DesiredSlot>
}

export interface FoundOrder {
  readonly order: Order
  readonly market: Market
  readonly strategy: string
  readonly slot: string
  readonly because?: string
  readonly asked?: Expectations
  readonly terms?: OrderTerms
}

export interface Recovery {
  readonly found: ReadonlyArray<FoundOrder>
  readonly unfunded: ReadonlyArray<Order>
  readonly finished: ReadonlyArray<FoundOrder>
  /** Orders with money that the bot cannot handle: unknown assets, missing terms, or a deadline that another order has. */
  readonly notUnderstood: ReadonlyArray<Order>
}

const isWanted = (order: Order, market: Market, { strategy }: SlotPlans, slot: DesiredSlot): boolean =>
  (slot.market ?? strategy.market).name === market.name && slot.legs.some((leg) => hasTerms(leg, market, order))

/** Two orders with equal deadlines (the fingerprint) cannot be told apart. */
export const recover = (
  orders: ReadonlyArray<Order>,
  slotPlans: ReadonlyArray<SlotPlans>,
  markets: ReadonlyMap<string, Market>
): Recovery => {
  const byAssets = new Map([...markets.values()].map((market) => [`${market.base.id} ${market.quote.id}`, market]))
  const [found, finished, unfunded, notUnderstood]: [Array<FoundOrder>, Array<FoundOrder>, Array<Order>, Array<Order>] =
    [[], [], [], []]
  const usedSlots = new Set<string>()
  const deadlines = new Set<number>()
  for (const order of orders.toSorted((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0))) {
    const market = byAssets.get(`${order.baseAsset} ${order.quoteAsset}`)
    if (order.depositedAmount === 0n) unfunded.push(order)
    else if (order.unsaid !== undefined) notUnderstood.push(order)
    else if (market !== undefined && isPaid(order))
      finished.push({ order, market, strategy: ended, slot: slotOfFound(order.id) })
    else if (market === undefined || deadlines.has(order.deadline)) notUnderstood.push(order)
    else {
      deadlines.add(order.deadline)
      const places = slotPlans.flatMap((plans) =>
        plans.desired
          .filter((slot) => isWanted(order, market, plans, slot))
          .map(({ slot }) => ({ strategy: plans.strategy.name, slot }))
      )
      const place = places.find(({ strategy, slot }) => !usedSlots.has(slotKey(strategy, slot)))
      if (place !== undefined) usedSlots.add(slotKey(place.strategy, place.slot))
      found.push({ order, market, ...(place ?? { strategy: recovered, slot: slotOfFound(order.id) }) })
    }
  }
  return { found, unfunded, finished, notUnderstood }
}

const plannedAs = (found: FoundOrder, placement: string): readonly [BotEvent, BotEvent] => {
  const { because = "found at the venue after the journal was lost" } = found
  const { asked, market, order, slot, strategy, terms } = found
  const { deadline, price, quantity, side } = order
  const about = { strategy, slot, placement }
  const why = { code: foundAtVenue, text: `${because}: order ${order.id}` }
  const path = asked === undefined ? shownBy(order) : askedFor(side, market, asked)
  return [
    {
      _tag: "Planned",
      ...about,
      market: market.name,
      ...{ side, price, quantity, deadline, why },
      inputAsset: inputAsset(market, side).symbol,
      outputAsset: outputAsset(market, side).symbol,
      inputAmount: asked === undefined ? order.inputAmount : inputAmount(market, side, quantity, price),
      outputAmount: asked === undefined ? order.outputAmount : outputAmount(market, side, quantity, price),
      ...present({ terms })
    },
    { _tag: "CreateSent", ...about, attempt: 1, path }
  ]
}

export const budgetsOf = (found: ReadonlyArray<FoundOrder>): ReadonlyArray<BotEvent> =>
  [recovered, ended].flatMap((owner) => {
    const sums = new Map<string, bigint>()
    for (const { strategy, market, order } of found) {
      if (strategy !== owner) continue
      const { symbol } = inputAsset(market, order.side)
      sums.set(symbol, (sums.get(symbol) ?? 0n) + order.depositedAmount)
    }
    return [...sums].map(([asset, amount]) => ({ _tag: "BudgetAllotted", strategy: owner, asset, amount }) as const)
  })

/** Takes an order into the journal as a placement, whenever an order is found that no placement has. Sends nothing. */
export const takeIn = Effect.fn("Recovery.takeIn")(function* (found: FoundOrder) {
  const books = yield* Bookkeeper
  const id = `p${books.state.placementCount + 1}`
  yield* books.record(...plannedAs(found, id))
  const placement = books.state.placements.get(id)
  if (placement === undefined) return id
  const { asked, market, order } = found
  const sighting = { order, via: "look", market, expected: asked } as const
  yield* books.record(...meaning(placement, { ...sighting, via: "taken in" }))
  const bound = books.state.placements.get(id)
  // Its deposit is recorded at once, because an order that looked unfunded would be funded again.
  if (bound !== undefined) yield* books.record(...meaning(bound, sighting))
  return id
})

export const capitalOf = Effect.fnUntraced(function* ({ market, order, strategy }: FoundOrder) {
  const { state } = yield* Bookkeeper
  const { symbol: asset } = inputAsset(market, order.side)
  const amount = (state.strategies.get(strategy)?.budget.get(asset) ?? 0n) + order.depositedAmount
  return { _tag: "BudgetAllotted", strategy, asset, amount } satisfies BotEvent
})
