/**
 * A venue as slow as it may be, for tests of what a strategy makes of it: an order can fill, in whole or in part, until its
 * withdrawal is through, and a payout takes its time. It follows the contract of decisions and nothing else, so it is an
 * independent account of what a strategy holds.
 */
import { assert } from "@effect/vitest"
import * as Decimal from "../../src/domain/Decimal.ts"
import { quoteAmount } from "../../src/domain/Market.ts"
import { present } from "../../src/domain/Present.ts"
import {
  armedLeg,
  type Decision,
  type DesiredOrder,
  type DesiredSlot,
  dueLeg,
  filledOfLeg,
  type Memory
} from "../../src/strategy/Decision.ts"
import { armedAboveCost } from "../../src/strategy/kinds/CostFloor.ts"
import type { Strategy } from "../../src/strategy/Strategy.ts"
import { type SlotPast, type SlotProgress, untouchedSlot, type View } from "../../src/strategy/View.ts"
import { integerBetween } from "./support.ts"

interface Order extends DesiredOrder {
  filled: bigint
  /** Payout or withdrawal under way. */
  phase: "open" | "withdrawing" | "paying"
}

export interface Fill {
  readonly slot: string
  readonly side: "BUY" | "SELL"
  readonly price: number
  readonly base: bigint
  readonly wasWithdrawn: boolean
}

export class SlowVenue {
  /** Another one: the file was edited. */
  strategy: Strategy
  /** An order of another price or size than wanted is replaced, not only one of the other side. */
  requotes = false
  /** Legs that want no more are over, and so are those of which no more than `least` is left. */
  closes = false
  least = 0n
  /** Base that there is to begin with; what it does not suffice for is not placed. */
  funds: bigint | undefined
  private readonly next: () => number
  private readonly progress = new Map<string, SlotProgress>()
  private readonly received = new Map<string, bigint>()
  private readonly orders = new Map<string, Order>()
  memory: Memory
  decision: Decision | undefined
  readonly fills: Array<Fill> = []
  readonly placed: Array<DesiredOrder> = []
  base = 0n
  quote = 0n

  constructor(strategy: Strategy, next: () => number) {
    this.strategy = strategy
    this.next = next
    this.memory = strategy.initialMemory
  }

  slots(): ReadonlyMap<string, SlotProgress> {
    const names = new Set([...this.progress.keys(), ...this.orders.keys()])
    return new Map([...names].map((slot) => [slot, this.slot(slot)]))
  }

  slot(name: string): SlotProgress {
    const known = this.progress.get(name) ?? untouchedSlot
    const order = this.orders.get(name)
    if (order === undefined) return known
    const { side, price, quantity, filled } = order
    const past = side === "BUY" ? known.past : pastAfter(known.past, order)
    return {
      ...known,
      ...(known.past === undefined || past === undefined ? {} : { past }),
      filledInLeg: known.filledInLeg + filled,
      ...this.traded(known, order),
      live: { side, price, quantity: quantity - filled }
    }
  }

  decide(view: Omit<View, "slots">): Decision {
    const seen = { ...view, slots: this.slots() }
    const decision = this.strategy.decide(seen, this.memory)
    this.decision = decision
    this.memory = decision.memory
    if (decision.until.onFill && this.closeLegs()) return this.decide(view)
    this.follow()
    return decision
  }

  /** Says whether a leg was closed. */
  private closeLegs(): boolean {
    return (this.decision?.desired ?? []).filter((desired) => this.close(desired)).length > 0
  }

  /** Works the last decision, as it stands. */
  follow(): void {
    this.closeLegs()
    const desiredNow = this.decision?.desired ?? []
    for (const desired of desiredNow) {
      const armed = armedAboveCost(this.strategy.market, desired, this.slot(desired.slot))
      const order = this.orders.get(desired.slot)
      if (order === undefined && armed?.side === "SELL" && armed.quantity > this.free()) continue
      if (order === undefined && armed !== undefined) {
        this.orders.set(desired.slot, { ...armed, filled: 0n, phase: "open" })
        this.placed.push(armed)
      } else if (order?.phase === "open" && (armed === undefined || this.isOther(order, armed)))
        order.phase = "withdrawing"
    }
    for (const [slot, order] of this.orders)
      if (order.phase === "open" && !desiredNow.some((desired) => desired.slot === slot)) order.phase = "withdrawing"
  }

  /** A leg that has filled all that is wanted of it now, or whose rest nobody takes, is over. */
  private close(desired: DesiredSlot): boolean {
    const { slot } = desired
    const known = this.progress.get(slot)
    const leg = known === undefined ? undefined : desired.legs[dueLeg(desired, known)]
    if (!this.closes || known === undefined || leg === undefined || this.orders.has(slot)) return false
    if (filledOfLeg(desired, known) <= 0n) return false
    const { side } = leg
    const rest = armedLeg(desired, known)?.quantity ?? 0n
    if (rest > this.least) return false
    const { forgone = { BUY: 0n, SELL: 0n } } = known
    const receivedByLastLeg = this.received.get(slot) ?? 0n
    const lastLeg = { side, quantity: known.filledInLeg }
    const legDone = { completedLegs: known.completedLegs + 1, filledInLeg: 0n, receivedByLastLeg, lastLeg }
    this.received.set(slot, 0n)
    this.progress.set(slot, { ...known, ...legDone, forgone: { ...forgone, [side]: forgone[side] + rest } })
    return true
  }

  /** Everything that may happen to orders between two looks, by chance. `fillChance`: of an open order that `mayFill`. */
  pass(fillChance: number, mayFill: (order: DesiredOrder) => boolean = () => true): void {
    for (const [slot, order] of this.orders) {
      const rest = order.quantity - order.filled
      if (order.phase !== "paying" && mayFill(order) && this.next() < fillChance) {
        const part = this.next() < 0.6 ? rest : (rest * BigInt(integerBetween(this.next, 1, 9))) / 10n
        this.fill(order, part)
      } else if (order.phase === "withdrawing" && this.next() < 0.5) this.settle(slot, order)
      if (order.phase === "paying" && this.next() < 0.7) this.settle(slot, order)
    }
  }

  private traded({ bought, filledAt, sold, paid, proceeds }: SlotProgress, { side, price, filled }: Order) {
    const quote = quoteAmount(this.strategy.market, filled, price, side === "BUY" ? "up" : "down")
    const at = present({ filledAt: filled > 0n ? price : filledAt })
    return side === "BUY"
      ? { bought: bought + filled, sold, paid: paid + quote, proceeds, ...at }
      : { bought, sold: sold + filled, paid, proceeds: proceeds + quote, ...at }
  }

  private fill(order: Order, base: bigint): void {
    if (base === 0n) return
    const { slot, side } = order
    order.filled += base
    this.base += side === "BUY" ? base : -base
    this.quote += quoteAmount(this.strategy.market, base, order.price, "up") * (side === "BUY" ? -1n : 1n)
    const wasWithdrawn = order.phase === "withdrawing"
    this.fills.push({ slot, side, price: Decimal.toNumber(order.price), base, wasWithdrawn })
    if (order.filled === order.quantity) order.phase = "paying"
  }

  private settle(slot: string, order: Order): void {
    const { side, price, quantity, filled } = order
    const known = this.progress.get(slot) ?? untouchedSlot
    const output = side === "BUY" ? filled : quoteAmount(this.strategy.market, filled, price, "down")
    const received = (this.received.get(slot) ?? 0n) + output
    const traded = this.traded(known, order)
    const isWhole = filled === quantity
    const past = { past: pastAfter(known.past, order) }
    this.received.set(slot, isWhole ? 0n : received)
    this.progress.set(
      slot,
      isWhole
        ? {
            ...traded,
            ...past,
            completedLegs: known.completedLegs + 1,
            filledInLeg: 0n,
            receivedByLastLeg: received,
            lastLeg: { side, quantity: known.filledInLeg + filled }
          }
        : { ...known, ...traded, ...past, filledInLeg: known.filledInLeg + filled }
    )
    this.orders.delete(slot)
    assert.isTrue(filled <= quantity)
  }

  private isOther(order: Order, { neverMore, side, price, quantity }: DesiredOrder): boolean {
    const isMoved = !Decimal.equals(order.price, price) || order.quantity - order.filled !== quantity
    const isTooMuch = neverMore === true && order.quantity - order.filled > quantity
    return order.side !== side || isTooMuch || (this.requotes && isMoved)
  }

  /** Base that was paid out and is in no order. */
  paidBase(): bigint {
    const paid = [...this.progress.values()].reduce((sum, { bought, sold }) => sum + bought - sold, 0n)
    return [...this.orders.values()].reduce((sum, { side, quantity }) => (side === "SELL" ? sum - quantity : sum), paid)
  }

  /** Base that is in no order; endless where nobody said what there is. */
  private free(): bigint {
    if (this.funds === undefined) return 10n ** 30n
    return [...this.orders.values()].reduce(
      (sum, { side, quantity, filled }) => (side === "SELL" ? sum - (quantity - filled) : sum),
      this.funds + this.base
    )
  }
}

/** What the slot holds and what it cost, once this much of the order has filled. */
const pastAfter = (past: SlotPast | undefined, { side, price, filled }: Order): SlotPast => {
  const { held, cost } = past ?? { held: 0n, cost: 0n }
  const lastOrder = { side, price }
  // Prices of the tests are of a market of eight and six decimals.
  const paid = (filled * price.digits + 10n ** BigInt(price.scale + 2) - 1n) / 10n ** BigInt(price.scale + 2)
  if (side === "BUY") return { held: held + filled, cost: cost + paid, lastOrder }
  const rest = held > filled ? held - filled : 0n
  return { held: rest, cost: rest === 0n ? 0n : (cost * rest + held - 1n) / held, lastOrder }
}
