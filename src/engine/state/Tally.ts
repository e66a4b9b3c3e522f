/** Use of the limits by open orders. It is counted once for a plan, so the cost of planning an order does not depend on their number. */
import type { Amount } from "../../domain/Amount.ts"
import { hourMillis } from "../../domain/Durations.ts"
import { hasNoBudget } from "../../domain/Placement.ts"
import { type BotState, unfinished } from "./BotState.ts"
import { isUnpaid, movingCodes, type Placement } from "./Placement.ts"

export type Tally = ReturnType<typeof of>

export interface Usage {
  /** Every unfinished placement, also a planned or closing one. */ openOrders: number
  /** Placements planned in the last hour, and successors for which orders are being cancelled. */
  lastHour: number
  /** Value at the orders' prices, in quote; meaningless over strategies with different quotes. */
  notional: Amount
  readonly exposure: Map<string, Amount>
  /** Part of the exposure that is still in the wallet: planned, and neither signed nor deposited. */
  readonly reserved: Map<string, Amount>
}

export const of = (state: BotState, strategy: string, now: number) => {
  const [own, all] = [nothing(), nothing()]
  for (const placement of unfinished(state)) {
    // What the operator does by hand uses up no strategy's limits.
    if (hasNoBudget(placement.strategy)) continue
    count(all, placement)
    if (placement.strategy === strategy) count(own, placement)
  }
  for (const { name, planned } of state.strategies.values()) {
    const recent = planned.filter((time) => time > now - hourMillis).length
    all.lastHour += recent
    if (name === strategy) own.lastHour += recent
  }
  return { own, all }
}

/** The successor of a cancelled order counts in this hour until it is placed. */
export const move = ({ own, all }: Tally): void => {
  for (const usage of [own, all]) usage.lastHour += 1
}

export const add = ({ own, all }: Tally, planned: Placement): void => {
  for (const usage of [own, all]) {
    count(usage, planned)
    usage.lastHour += 1
  }
}

const nothing = (): Usage => ({
  openOrders: 0,
  lastHour: 0,
  notional: 0n,
  exposure: new Map(),
  reserved: new Map()
})

const count = (usage: Usage, order: Placement): void => {
  const { cancel, side, inputAsset, inputAmount, outputAmount } = order
  usage.openOrders += 1
  if (cancel !== undefined && movingCodes.has(cancel.why.code)) usage.lastHour += 1
  usage.notional += side === "BUY" ? inputAmount : outputAmount
  raise(usage.exposure, inputAsset, inputAmount)
  if (isUnpaid(order)) raise(usage.reserved, inputAsset, inputAmount)
}

const raise = (amounts: Map<string, Amount>, asset: string, amount: Amount): void => {
  amounts.set(asset, (amounts.get(asset) ?? 0n) + amount)
}
