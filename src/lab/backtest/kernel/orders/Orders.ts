/**
 * The orders of a run in one market: its slots, their rows, the ladders on which they rest, and what has filled. A resting
 * order has a bit on the ladder of its side, and every slot that has an order has a row; nobody else puts an order on the
 * market or takes it off. Money is the wallet's.
 */

import type { Candles } from "../../../../candles/Candles.ts"
import type { Amount } from "../../../../domain/Amount.ts"
import type { Market } from "../../../../domain/Market.ts"
import { dueLeg, exitsFirst, leaves, leftOfLeg } from "../../../../strategy/Decision.ts"
import type { SlotProgress } from "../../../../strategy/View.ts"
import type { FillRules } from "../FillRules.ts"
import * as FillLog from "./FillLog.ts"
import * as Ladders from "./Ladders.ts"
import * as OrderTable from "./OrderTable.ts"
import * as RankSet from "./RankSet.ts"
import * as SlotState from "./SlotState.ts"
import { WantedSlots } from "./WantedSlots.ts"

/** An order from the first bar that could fill it to the one at which it was gone (not included). */
export interface Stay {
  readonly row: OrderTable.OrderRow
  readonly from: number
  readonly to: number
}

/** Open orders of all markets of a strategy. */
export interface OpenOrders {
  readonly count: number
}

/** Only this file writes it. */
interface Counter {
  count: number
}

interface Setting {
  readonly market: Market
  readonly rules: FillRules
  readonly candles: Candles
  readonly keepsOrders: boolean
}

/** Fields that the constructor sets are only declared: one that was undefined first is slow to read ever after. */
export class Orders {
  declare readonly table: OrderTable.OrderTable
  readonly log: FillLog.FillLog = FillLog.make()
  readonly wanted = new WantedSlots()
  declare readonly slots: ReadonlyArray<SlotState.SlotState>
  declare readonly stays: ReadonlyArray<Stay>
  private readonly all: Array<SlotState.SlotState> = []
  private readonly stale: Array<SlotState.SlotState> = []
  private readonly byName = new Map<string, SlotState.SlotState>()
  private readonly shown = new Map<string, SlotProgress>()
  private readonly kept: Array<Stay> = []
  declare private readonly open: Counter
  declare private readonly setting: Setting
  declare private readonly ladders: Ladders.Ladders
  private below = Number.NEGATIVE_INFINITY
  private above = Number.POSITIVE_INFINITY
  private lastPlacedBar = -1
  private placedOrders = 0
  private cancelledOrders = 0
  /** Fills of the log that the slots have counted. */
  private counted = 0

  constructor(setting: Setting, open: OpenOrders) {
    const { market, rules } = setting
    this.setting = setting
    this.open = open
    this.slots = this.all
    this.stays = this.kept
    this.table = OrderTable.make(market, rules)
    this.ladders = Ladders.make(rules, setting.candles.priceScale)
  }

  get placed(): number {
    return this.placedOrders
  }

  get cancelled(): number {
    return this.cancelledOrders
  }

  /** The first bar that could fill what was placed last; -1 before the first order. */
  get placedBar(): number {
    return this.lastPlacedBar
  }

  get openInAll(): number {
    return this.open.count
  }

  /** Grows with whatever moves money or orders. */
  get changes(): number {
    return this.placedOrders + this.cancelledOrders + this.log.count
  }

  /** What the order of a slot may still fill. */
  openIn(name: string): Amount {
    return this.byName.get(name)?.openQuantity ?? 0n
  }

  /** A new name gets a new slot. */
  readonly slotNamed = (name: string): SlotState.SlotState => {
    const known = this.byName.get(name)
    if (known !== undefined) return known
    const made = SlotState.make(this.all.length, name, this.stale)
    this.all.push(made)
    this.byName.set(name, made)
    // In the order of the slots, whichever is looked at first.
    this.shown.set(name, this.progressOf(made))
    return made
  }

  rowOf(slot: SlotState.SlotState): OrderTable.OrderRow | undefined {
    return OrderTable.rowAt(this.table, slot.order)
  }

  progressOf(slot: SlotState.SlotState): SlotProgress {
    return slot.shown ?? SlotState.show(slot, this.rowOf(slot))
  }

  /** The progress of all slots by name, as of now: the same map at every look. */
  progress(): ReadonlyMap<string, SlotProgress> {
    this.countFills()
    const { stale } = this
    for (const slot of stale) {
      this.shown.set(slot.name, this.progressOf(slot))
      SlotState.freshen(slot)
    }
    if (stale.length > 0) stale.length = 0
    return this.shown
  }

  /** What the slot has to work now leaves a position. */
  isExitDue(slot: SlotState.SlotState): boolean {
    const { desired } = slot
    // Most slots have none whatever they did: their progress need not be looked at.
    if (desired?.legs.some((leg) => leaves(desired, leg)) !== true) return false
    const due = desired.legs[dueLeg(desired, this.progressOf(slot))]
    return due !== undefined && leaves(desired, due)
  }

  /** In the order in which they are placed. */
  exitsFirst(slots: ReadonlyArray<SlotState.SlotState>): ReadonlyArray<SlotState.SlotState> {
    return slots.length < 2 ? slots : exitsFirst(slots, (slot) => this.isExitDue(slot))
  }

  /** The row of the order that the slot has to work now, or `none`. */
  arm(slot: SlotState.SlotState): number {
    const { desired, index } = slot
    if (desired === undefined) return OrderTable.none
    const progress = this.progressOf(slot)
    const leg = dueLeg(desired, progress)
    const due = desired.legs[leg]
    const quantity = leftOfLeg(desired, leg, progress)
    if (due === undefined || quantity <= 0n) return OrderTable.none
    const { table, ladders } = this
    const before = Ladders.rowOf(ladders, index, leg)
    if (OrderTable.rowAt(table, before)?.quantity === quantity) return before
    const isExit = leaves(desired, due) || undefined
    const made = OrderTable.add(table, OrderTable.wholeOrder(table, index, leg, due, quantity, isExit))
    Ladders.setRow(ladders, index, leg, made)
    return made
  }

  /** The slot has an order: it counts as open from now on. */
  place(slot: SlotState.SlotState, order: number, row: OrderTable.OrderRow, bar: number): void {
    this.open.count++
    this.placeNext(slot, order, row, bar)
  }

  /** The slot's next order takes the place of one that filled. */
  placeNext(slot: SlotState.SlotState, order: number, row: OrderTable.OrderRow, bar: number): void {
    SlotState.hold(slot, order, row, bar)
    this.lastPlacedBar = bar
    this.placedOrders++
  }

  /** Nothing of the slot's order is open any more. */
  close(slot: SlotState.SlotState): void {
    SlotState.close(slot)
    this.open.count--
  }

  /** The slot's order was withdrawn, and nothing of it is left. A swap that was refunded is tried again as the same row. */
  forget(order: number): void {
    const row = OrderTable.rowAt(this.table, order)
    if (row !== undefined && row.by === undefined) {
      OrderTable.release(this.table, order)
      if (Ladders.rowOf(this.ladders, row.slot, row.leg) === order)
        Ladders.setRow(this.ladders, row.slot, row.leg, OrderTable.none)
    }
    this.cancelledOrders++
  }

  /** Where the slot's order rested, for pictures: it is gone before bar `to`. */
  note(slot: SlotState.SlotState, to: number): void {
    if (!this.setting.keepsOrders) return
    const row = this.rowOf(slot)
    if (row !== undefined) this.kept.push({ row, from: slot.placedBar, to })
  }

  /** Logs a fill of the whole row. */
  fill(bar: number, order: number): void {
    FillLog.add(this.log, bar, order)
    OrderTable.count(this.table, order)
  }

  /** The order that follows a fill of the whole. */
  next(slot: SlotState.SlotState, order: number): number {
    const known = this.table.next[order] ?? OrderTable.unknown
    if (known !== OrderTable.unknown) return known
    const next = this.arm(slot)
    OrderTable.link(this.table, order, next)
    return next
  }

  /** From now on bars can fill the slot's order. */
  rest({ index }: SlotState.SlotState, { leg, side }: OrderTable.OrderRow): void {
    RankSet.insert(Ladders.ladderOf(this.ladders, side).resting, Ladders.rankOf(this.ladders, index, leg))
  }

  unrest({ index }: SlotState.SlotState, { leg, side }: OrderTable.OrderRow): void {
    RankSet.remove(Ladders.ladderOf(this.ladders, side).resting, Ladders.rankOf(this.ladders, index, leg))
  }

  /** The candle price at which a row of the slot fills. */
  fillsAt({ index }: SlotState.SlotState, { leg }: OrderTable.OrderRow): number {
    return Ladders.fillsAtOf(this.ladders, index, leg)
  }

  /** Candle prices that the nearest orders needed when `findNearest` looked; infinitely far when none rested. */
  get nearestBuy(): number {
    return this.below
  }

  get nearestSell(): number {
    return this.above
  }

  findNearest(): void {
    const { buys, sells } = this.ladders
    const buy = RankSet.greatest(buys.resting)
    const sell = RankSet.least(sells.resting)
    this.below = buy < 0 ? Number.NEGATIVE_INFINITY : (buys.fillsAt[buy] ?? 0)
    this.above = sell < 0 ? Number.POSITIVE_INFINITY : (sells.fillsAt[sell] ?? 0)
  }

  /** Takes the purchase nearest to the market off its ladder, when a bar with this low reaches it. */
  takeBuy(low: number): SlotState.SlotState | undefined {
    const { fillsAt, resting, slots } = this.ladders.buys
    const rank = RankSet.greatest(resting)
    if (rank < 0 || (fillsAt[rank] ?? 0) < low) return undefined
    RankSet.remove(resting, rank)
    return this.all[slots[rank] ?? 0]
  }

  /** The same for the nearest sale. */
  takeSell(high: number): SlotState.SlotState | undefined {
    const { fillsAt, resting, slots } = this.ladders.sells
    const rank = RankSet.least(resting)
    if (rank < 0 || (fillsAt[rank] ?? 0) > high) return undefined
    RankSet.remove(resting, rank)
    return this.all[slots[rank] ?? 0]
  }

  /**
   * Lays the new legs of slots. Their old orders are gone or kept: a kept one gets its row, and rests again when somebody says so.
   * Says whether the orders of all other slots rest as before; otherwise none does.
   */
  relay(changed: ReadonlyArray<SlotState.SlotState>): boolean {
    for (const slot of changed) {
      // What waited and was never placed is known to nobody.
      for (const row of Ladders.rowsOf(this.ladders, slot.index))
        if (row !== slot.order && row !== OrderTable.none) OrderTable.release(this.table, row)
    }
    const othersRest = Ladders.relay(this.ladders, changed)
    for (const slot of changed) {
      const old = slot.order
      if (old === OrderTable.none || slot.phase === "paying") continue
      SlotState.keep(slot, this.arm(slot))
      OrderTable.release(this.table, old)
    }
    return othersRest
  }

  /** Counts what has filled since a strategy last looked. */
  private countFills(): void {
    const { rows } = this.table
    for (; this.counted < this.log.count; this.counted++) {
      const row = rows[this.log.orders[this.counted] ?? OrderTable.none]
      const slot = this.all[row?.slot ?? OrderTable.none]
      if (row !== undefined && slot !== undefined) SlotState.countFill(slot, row)
    }
  }

  /** What orders hold: deposits that are not spent, and output that is not paid out. */
  get held(): { readonly base: Amount; readonly quote: Amount } {
    let [base, quote] = [0n, 0n]
    for (const slot of this.all) {
      const buys = this.rowOf(slot)?.side === "BUY"
      base += buys ? slot.unpaid : slot.openInput
      quote += buys ? slot.openInput : slot.unpaid
    }
    return { base, quote }
  }
}
