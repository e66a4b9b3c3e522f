/**
 * Finds planned orders whose price is probably a mistake. A level that the market has passed fills at once, and a sale below the purchase
 * price of its base makes a loss. Both come from editing a file whose orders have traded. Kinds that place such orders on purpose (to chase
 * the market or stop a loss) and the purchase of a grid's base are not checked.
 */

import type { Of } from "../../../domain/BotEvent.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { countText } from "../../../domain/Words.ts"
import { costOf } from "../../../strategy/kinds/CostFloor.ts"
import type { Strategy } from "../../../strategy/Strategy.ts"
import { progressOf, slotKey } from "../../state/SlotFold.ts"
import type { PlannedAhead } from "./PlanAhead.ts"

interface PriceFinding {
  readonly name: "fills-at-once" | "below-cost"
  readonly strategies: ReadonlyArray<string>
  readonly slots: ReadonlyArray<string>
  readonly text: string
}

export const unwantedPrices = (strategy: Strategy, planned: PlannedAhead): ReadonlyArray<PriceFinding> => {
  if (!strategy.restsAtWrittenPrices) return []
  const orders = planned.events.filter(
    (event): event is Of<"Planned"> => event._tag === "Planned" && event.strategy === strategy.name
  )
  const lastDecision = planned.events.findLast(
    (event): event is Of<"Decided"> => event._tag === "Decided" && event.strategy === strategy.name
  )
  const findingOf = (name: PriceFinding["name"], slots: ReadonlyArray<Of<"Planned">>, text: string) =>
    slots.length === 0
      ? []
      : [{ name, strategies: [strategy.name], slots: slots.map(({ slot }) => slotKey(strategy.name, slot)), text }]
  const atOnce = lastDecision === undefined ? [] : orders.filter((order) => isBeyond(order, lastDecision))
  const losing = orders.filter((order) => isBelowCost(strategy, planned, order))
  return [
    ...findingOf(
      "fills-at-once",
      atOnce,
      `${countText(atOnce.length, "order")} would fill at once, the market is past their price: ${orderText(atOnce)}`
    ),
    ...findingOf(
      "below-cost",
      losing,
      `${countText(losing.length, "order")} would sell below the base's purchase price: ${orderText(losing)}`
    )
  ]
}

const isBeyond = ({ side, price, why }: Of<"Planned">, { bid, ask }: Of<"Decided">): boolean =>
  why.code !== "grid-base" && (side === "BUY" ? !Decimal.isLess(price, ask) : !Decimal.isGreater(price, bid))

const isBelowCost = ({ market }: Strategy, { state }: PlannedAhead, { strategy, slot, side, price }: Of<"Planned">) => {
  const slotState = state.slots.get(slotKey(strategy, slot))
  const cost = slotState === undefined ? undefined : costOf(market, progressOf(slotState, undefined))
  return side === "SELL" && cost !== undefined && Decimal.isLess(price, cost)
}

const orderText = ([first]: ReadonlyArray<Of<"Planned">>): string =>
  first === undefined ? "" : `${first.slot} ${first.side} at ${Decimal.format(first.price)}`
