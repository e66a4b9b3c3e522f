/**
 * What a strategy's own limits count, over all of its markets: orders of the last hour, orders that only a limit kept back,
 * and stops for too great a loss. A stop begins and ends here, so that what refuses every order is never out of date.
 */

import type { Candles } from "../../../../candles/Candles.ts"
import type { Amount } from "../../../../domain/Amount.ts"
import { hourMillis } from "../../../../domain/Durations.ts"
import type { LimitName } from "../../../../engine/planning/OrderLimits.ts"
import { shutBy } from "../../../../engine/planning/RiskLimits.ts"
import type { Limits } from "../../../../strategy/Strategy.ts"
import type { Conditions } from "../Conditions.ts"
import type { Orders } from "../orders/Orders.ts"
import { none, quoteSide } from "../orders/OrderTable.ts"
import type { SlotState } from "../orders/SlotState.ts"
import type { Wallet } from "./Wallet.ts"

/** While the strategy had lost too much; `until` is missing when it did not go on. */
export interface LossStop {
  readonly from: number
  readonly until?: number
  readonly limit: string
  readonly day: number
  readonly action: "pause" | "drain"
  readonly reason: string
}

/** What the strategy has in one market. */
export interface MarketHolding {
  readonly conditions: Conditions
  readonly candles: Candles
  readonly wallet: Wallet
  readonly orders: Orders
}

export class LimitAccount {
  declare readonly limits: Limits
  declare readonly watchesLosses: boolean
  declare readonly holdings: ReadonlyArray<MarketHolding>
  declare readonly denied: ReadonlyMap<LimitName, number>
  declare readonly stops: ReadonlyArray<LossStop>
  private readonly enrolled: Array<MarketHolding> = []
  private readonly counts = new Map<LimitName, number>()
  private readonly begun: Array<LossStop> = []
  /** When the orders of the last hour were placed. */
  private readonly placedAt: Array<number> = []
  private readonly moving = new Set<SlotState>()
  private turned = false
  private seenChanges = 0
  /** What refuses every entry at this time, if something does. */
  private door: { readonly now: number; readonly closedBy: LimitName | undefined } | undefined

  constructor(limits: Limits) {
    this.limits = limits
    this.watchesLosses = limits.maxDailyLoss !== undefined || limits.maxDrawdown !== undefined
    this.holdings = this.enrolled
    this.denied = this.counts
    this.stops = this.begun
  }

  enrol(holding: MarketHolding): void {
    this.enrolled.push(holding)
  }

  placed(now: number): void {
    this.placedAt.push(now)
  }

  /** Orders of the last hour, and successors of those that are being withdrawn for them. */
  lastHour(now: number): number {
    while ((this.placedAt[0] ?? now) <= now - hourMillis) this.placedAt.shift()
    return this.placedAt.length + this.moving.size
  }

  /** Its order is withdrawn for a better one, which has a place in this hour until it is placed. */
  moves(slot: SlotState): void {
    this.moving.add(slot)
  }

  /** Its better order is placed, or is no longer wanted. */
  moved(slot: SlotState): void {
    this.moving.delete(slot)
  }

  deny(limit: LimitName): void {
    this.counts.set(limit, (this.counts.get(limit) ?? 0) + 1)
  }

  /** Worth of all orders until they are paid out, at their prices. */
  get openNotional(): Amount {
    let open = 0n
    for (const { orders } of this.enrolled)
      for (const { order } of orders.slots) {
        const row = order === none ? undefined : orders.table.rows[order]
        if (row !== undefined) open += quoteSide(row)
      }
    return open
  }

  /** The stop that lasts. */
  get stop(): LossStop | undefined {
    const last = this.begun.at(-1)
    return last?.until === undefined ? last : undefined
  }

  beginStop(stop: LossStop): void {
    this.begun.push(stop)
    this.stopTurns(stop)
  }

  endStop(until: number): void {
    const stop = this.begun.pop()
    if (stop === undefined) return
    this.begun.push({ ...stop, until })
    this.stopTurns(stop)
  }

  /** What the strategy wants is no longer followed, or is again, and it was not asked since. */
  get isTurned(): boolean {
    return this.turned
  }

  asked(): void {
    this.turned = false
  }

  /** How often money or orders had moved before a close was last looked at. */
  get changesSeen(): number {
    return this.seenChanges
  }

  sawChanges(changes: number): void {
    this.seenChanges = changes
  }

  /** The limit that refuses every order now that is no exit, if one does. */
  closedBy(now: number): LimitName | undefined {
    if (this.door?.now === now) return this.door.closedBy
    const closedBy = shutBy({ now, limits: this.limits, lost: this.stop?.reason })
    this.door = { now, closedBy }
    return closedBy
  }

  private stopTurns({ action }: LossStop): void {
    this.door = undefined
    this.turned ||= action === "drain"
  }
}
