/**
 * The orders of a run in one market: its slots, their rows, the ladders, and the fills. An open order has a bit on the ladder of its side,
 * and every slot with an order has a row. Only this class opens and removes orders. The wallet has the money.
 */
import type { Amount } from "../../../../domain/Amount.ts"
import type { Side } from "../../../../domain/Market.ts"
import { dueLeg, exitsFirst, isExitLeg, leftOfLeg, mayCloseLeg } from "../../../../strategy/Decision.ts"
import type { SlotProgress } from "../../../../strategy/View.ts"
import type { Conditions } from "../Conditions.ts"
import * as Ladders from "./Ladders.ts"
import * as OrderTable from "./OrderTable.ts"
import * as RankSet from "./RankSet.ts"
import * as SlotState from "./SlotState.ts"
import { WantedSlots } from "./WantedSlots.ts"

/** The time of an order, from the first bar that could fill it to the bar at which it was removed (exclusive). */
export interface Stay {
  readonly row: OrderTable.OrderRow
  readonly from: number
  readonly to: number
}

/** Only the orders of the markets that share it change it. */
export interface OpenOrders {
  count: number
}

/** Fields that the constructor sets are only declared: a field that is `undefined` first stays slow to read. */
export class Orders {
  declare readonly table: OrderTable.OrderTable
  readonly log: OrderTable.FillLog = OrderTable.emptyLog()
  readonly wanted: Readonly<WantedSlots> = new WantedSlots()
  declare readonly slots: ReadonlyArray<SlotState.SlotState>
  declare readonly stays: ReadonlyArray<Stay>
  private readonly all: Array<SlotState.SlotState> = []
  private readonly stale: Array<SlotState.SlotState> = []
  private readonly byName = new Map<string, SlotState.SlotState>()
  private readonly shown = new Map<string, SlotProgress>()
  private readonly kept: Array<Stay> = []
  declare private readonly open: OpenOrders
  declare private readonly keepsOrders: boolean
  declare private readonly ladders: Ladders.Ladders
  /** Candle prices at which the nearest orders fill, as of the last `findNearest`; infinite if none was open. */
  nearestBuy = Number.NEGATIVE_INFINITY
  nearestSell = Number.POSITIVE_INFINITY
  /** First bar that could fill the order placed last; -1 before the first order. */
  placedBar = -1
  placed = 0
  cancelled = 0
  private counted = 0

  constructor({ keepsOrders = false, market, rules }: Conditions, priceScale: number, open: OpenOrders) {
    this.keepsOrders = keepsOrders
    this.open = open
    this.slots = this.all
    this.stays = this.kept
    this.table = OrderTable.make(market, rules)
    this.ladders = Ladders.make(rules, priceScale)
  }

  get openInAll(): number {
    return this.open.count
  }

  get changes(): number {
    return this.placed + this.cancelled + this.log.count
  }

  openIn(name: string): Amount {
    return this.byName.get(name)?.openQuantity ?? 0n
  }

  readonly slotNamed = (name: string): SlotState.SlotState => {
    const existingSlot = this.byName.get(name)
    if (existingSlot !== undefined) return existingSlot
    const newSlot = SlotState.make(this.all.length, name, this.stale)
    this.all.push(newSlot)
    this.byName.set(name, newSlot)
    // Sets the slot's place in the map, even if a later slot is read first.
    this.shown.set(name, SlotState.progressOf(newSlot, undefined))
    return newSlot
  }

  rowOf(slot: SlotState.SlotState): OrderTable.OrderRow | undefined {
    return OrderTable.rowAt(this.table, slot.order)
  }

  /** Progress of all slots by name. Always returns the same map. */
  progress(): ReadonlyMap<string, SlotProgress> {
    this.countFills()
    const { stale } = this
    for (const slot of stale) {
      this.shown.set(slot.name, SlotState.progressOf(slot, this.rowOf(slot)))
      SlotState.freshen(slot)
    }
    while (stale.length > 0) stale.pop()
    return this.shown
  }

  isExitDue(slot: SlotState.SlotState): boolean {
    const { desired, hasExit } = slot
    if (desired === undefined || !hasExit) return false
    const leg = dueLeg(desired, slot)
    const due = desired.legs[leg]
    return due !== undefined && isExitLeg(desired, due) && leftOfLeg(desired, leg, slot) > 0n
  }

  exitsFirst(slots: ReadonlyArray<SlotState.SlotState>): ReadonlyArray<SlotState.SlotState> {
    return slots.length < 2 ? slots : exitsFirst(slots, (slot) => this.isExitDue(slot))
  }

  arm(slot: SlotState.SlotState): number {
    const { desired, index } = slot
    if (desired === undefined) return OrderTable.none
    const leg = dueLeg(desired, slot)
    const due = desired.legs[leg]
    const quantity = leftOfLeg(desired, leg, slot)
    if (due === undefined || quantity <= 0n) return OrderTable.none
    const { table, ladders } = this
    const before = Ladders.rowOf(ladders, index, leg)
    if (OrderTable.rowAt(table, before)?.quantity === quantity) return before
    const isExit = isExitLeg(desired, due) || undefined
    const newOrder = OrderTable.add(table, OrderTable.wholeOrder(table, index, leg, due, quantity, isExit))
    Ladders.setRow(ladders, index, leg, newOrder)
    return newOrder
  }

  /** When an order for a part has filled, its leg is not complete. */
  partOf(row: OrderTable.OrderRow, quantity: Amount): OrderTable.OrderRow {
    const { isExit, leg, slot } = row
    return { ...OrderTable.wholeOrder(this.table, slot, leg, row, quantity, isExit), isPart: true }
  }

  /** Ends the due leg with the amount that has filled, if it may end. A live run does the same with a leg that has nothing left to place. */
  closesLeg(slot: SlotState.SlotState): boolean {
    const { desired } = slot
    const leg = desired?.legs[dueLeg(desired, slot)]
    if (desired === undefined || leg === undefined || !mayCloseLeg(desired, slot)) return false
    SlotState.completeLeg(slot, leg.side)
    return true
  }

  place(slot: SlotState.SlotState, order: number, row: OrderTable.OrderRow, bar: number): void {
    this.open.count++
    this.placeNext(slot, order, row, bar)
  }

  placeNext(slot: SlotState.SlotState, order: number, row: OrderTable.OrderRow, bar: number): void {
    SlotState.hold(slot, order, row, bar)
    this.placedBar = bar
    this.placed++
  }

  close(slot: SlotState.SlotState): void {
    SlotState.close(slot)
    this.open.count--
  }

  forget(order: number): void {
    const row = OrderTable.rowAt(this.table, order)
    if (row !== undefined && row.by === undefined) {
      OrderTable.release(this.table, order)
      if (Ladders.rowOf(this.ladders, row.slot, row.leg) === order)
        Ladders.setRow(this.ladders, row.slot, row.leg, OrderTable.none)
    }
    this.cancelled++
  }

  note(slot: SlotState.SlotState, to: number): void {
    if (!this.keepsOrders) return
    const row = this.rowOf(slot)
    if (row !== undefined) this.kept.push({ row, from: slot.placedBar, to })
  }

  fill(bar: number, order: number): void {
    OrderTable.fill(this.table, this.log, bar, order)
  }

  hasEntryAfter(count: number, side: Side): boolean {
    const rows = Array.from(this.log.orders.subarray(count, this.log.count), (order) => this.table.rows[order])
    return rows.some((row) => row?.isExit !== true || row.side === side)
  }

  next(slot: SlotState.SlotState, order: number): number {
    const successor = this.table.next[order] ?? OrderTable.unknown
    if (successor !== OrderTable.unknown) return successor
    const next = this.arm(slot)
    OrderTable.link(this.table, order, next)
    return next
  }

  rest({ index }: SlotState.SlotState, { leg, side }: OrderTable.OrderRow): void {
    RankSet.insert(Ladders.ladderOf(this.ladders, side).resting, Ladders.rankOf(this.ladders, index, leg))
  }

  unrest({ index }: SlotState.SlotState, { leg, side }: OrderTable.OrderRow): void {
    RankSet.remove(Ladders.ladderOf(this.ladders, side).resting, Ladders.rankOf(this.ladders, index, leg))
  }

  fillsAt({ index }: SlotState.SlotState, { leg }: OrderTable.OrderRow): number {
    return Ladders.fillsAtOf(this.ladders, index, leg)
  }

  findNearest(): void {
    const { buys, sells } = this.ladders
    const buy = RankSet.greatest(buys.resting)
    const sell = RankSet.least(sells.resting)
    this.nearestBuy = buy < 0 ? Number.NEGATIVE_INFINITY : (buys.fillsAt[buy] ?? 0)
    this.nearestSell = sell < 0 ? Number.POSITIVE_INFINITY : (sells.fillsAt[sell] ?? 0)
  }

  takeBuy(low: number): SlotState.SlotState | undefined {
    const { fillsAt, resting, slots } = this.ladders.buys
    const rank = RankSet.greatest(resting)
    if (rank < 0 || (fillsAt[rank] ?? 0) < low) return undefined
    RankSet.remove(resting, rank)
    return this.all[slots[rank] ?? 0]
  }

  takeSell(high: number): SlotState.SlotState | undefined {
    const { fillsAt, resting, slots } = this.ladders.sells
    const rank = RankSet.least(resting)
    if (rank < 0 || (fillsAt[rank] ?? 0) > high) return undefined
    RankSet.remove(resting, rank)
    return this.all[slots[rank] ?? 0]
  }

  /**
   * Assigns new legs to the changed slots. A kept order gets a new row, and is off its ladder until the caller calls `rest`. Returns true
   * if the orders of all other slots are still on their ladders; otherwise no order is on a ladder.
   */
  relay(changed: ReadonlyArray<SlotState.SlotState>): boolean {
    for (const slot of changed) {
      // A row that waited and was never placed has no other use.
      for (const { row } of Ladders.legsOf(this.ladders, slot.index))
        if (row !== slot.order && row !== OrderTable.none) OrderTable.release(this.table, row)
    }
    const othersRest = Ladders.relay(this.ladders, changed)
    for (const slot of changed) {
      const old = slot.order
      if (old === OrderTable.none || slot.phase === "paying") continue
      const order = this.arm(slot)
      const row = OrderTable.rowAt(this.table, order)
      const isPart = row !== undefined && row.quantity !== slot.openQuantity
      SlotState.keep(slot, isPart ? OrderTable.add(this.table, this.partOf(row, slot.openQuantity)) : order)
      OrderTable.release(this.table, old)
    }
    return othersRest
  }

  private countFills(): void {
    const { rows } = this.table
    for (; this.counted < this.log.count; this.counted++) {
      const row = rows[this.log.orders[this.counted] ?? OrderTable.none]
      const slot = this.all[row?.slot ?? OrderTable.none]
      if (row !== undefined && slot !== undefined) SlotState.countFill(slot, row)
    }
  }

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
