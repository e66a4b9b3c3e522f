/**
 * Counts for a strategy's own limits, over all of its markets: orders of the last hour, orders that only a limit kept back, and loss stops.
 * A stop begins and ends here, so that the cached answer of `closedBy` is never stale.
 */
import type { Candles } from "../../../../candles/Candles.ts"
import type { Amount } from "../../../../domain/Amount.ts"
import { hourMillis } from "../../../../domain/Durations.ts"
import { type LimitName, shutBy } from "../../../../engine/planning/OrderLimits.ts"
import type { Limits } from "../../../../strategy/Strategy.ts"
import type { Conditions } from "../Conditions.ts"
import type { Orders } from "../orders/Orders.ts"
import { none, quoteSide } from "../orders/OrderTable.ts"
import type { SlotState } from "../orders/SlotState.ts"
import type { Wallet } from "./Wallet.ts"

/** A time in which the strategy had lost too much. `until` is absent if the stop did not end. */
export interface LossStop {
  readonly from: number
  readonly until?: number
  readonly limit: string
  readonly day: number
  readonly action: "pause" | "drain"
  readonly reason: string
}

export interface MarketHolding {
  readonly conditions: Conditions
  readonly candles: Candles
  readonly wallet: Readonly<Wallet>
  readonly orders: Readonly<Orders>
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
  private readonly placedAt: Array<number> = []
  private readonly moving = new Set<SlotState>()
  /** True if a stop with `drain` has begun or ended since the strategy last ran. */
  isTurned = false
  changesSeen = 0
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

  /** Counts the orders of the last hour, and the successors for which orders are being cancelled. */
  lastHour(now: number): number {
    while ((this.placedAt[0] ?? now) <= now - hourMillis) this.placedAt.shift()
    return this.placedAt.length + this.moving.size
  }

  /** Reserves a place in this hour for the order that replaces a cancelled one. */
  moves(slot: SlotState): void {
    this.moving.add(slot)
  }

  moved(slot: SlotState): void {
    this.moving.delete(slot)
  }

  deny(limit: LimitName): void {
    this.counts.set(limit, (this.counts.get(limit) ?? 0) + 1)
  }

  /** Value of all orders at their prices, until they are paid out. */
  get openNotional(): Amount {
    let open = 0n
    for (const { orders } of this.enrolled)
      for (const { order } of orders.slots) {
        const row = order === none ? undefined : orders.table.rows[order]
        if (row !== undefined) open += quoteSide(row)
      }
    return open
  }

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

  asked(): void {
    this.isTurned = false
  }

  sawChanges(changes: number): void {
    this.changesSeen = changes
  }

  /** Returns the limit that now refuses every order except exits, if there is one. */
  closedBy(now: number): LimitName | undefined {
    if (this.door?.now === now) return this.door.closedBy
    const closedBy = shutBy({ now, limits: this.limits, lost: this.stop?.reason })
    this.door = { now, closedBy }
    return closedBy
  }

  private stopTurns({ action }: LossStop): void {
    this.door = undefined
    this.isTurned ||= action === "drain"
  }
}
