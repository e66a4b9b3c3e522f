/**
 * Deals of purchases, said once more: a base order, safety orders below it, and one exit above the average of all that has
 * filled, or at a stop below it. Thousandths and minutes, as in `NaiveStrategies`.
 */
import { beyond, eightDigits, leaving, significant } from "./NaiveStrategies.ts"
import { type Desk, type Fill, type Stops, type Strategy, stopOf } from "./NaiveVenue.ts"

export interface DealSettings {
  readonly size: number
  readonly reach: number
  /** Sizes of the safety orders. */
  readonly safety: ReadonlyArray<number>
  readonly distance: number
  readonly active: number
  readonly targets: ReadonlyArray<{ readonly profit: number; readonly percent: number }>
  /** None when it is 0. */
  readonly breakeven: number
  /** None when it is 0. */
  readonly stop: number
  readonly expireMinutes: number
  readonly cooldownMinutes: number
  readonly times: number
}

interface Deal {
  readonly price: number
  readonly startedAt: number
  /** Whole orders, and filled parts of others, that a slot had before. */
  readonly before: ReadonlyMap<string, { readonly done: number; readonly filled: number }>
  isClosing: boolean
  isExpired: boolean
  isEven: boolean
  readonly fillsBefore: number
  /** What each exit had sold before. */
  readonly sold: ReadonlyMap<string, number>
  leaves: ((close: number) => number) | undefined
}

const places = 10n ** 18n
const stopReach = 5

/** Quote for one base with eighteen places; a sale takes its share of the cost, rounded down. */
const averageOf = (fills: ReadonlyArray<Fill>): bigint | undefined => {
  let [held, cost] = [0n, 0n]
  for (const { side, quantity, money } of fills) {
    const base = BigInt(quantity)
    if (side === "BUY") [held, cost] = [held + base, cost + money]
    else [held, cost] = [held - base, cost - (cost * base) / held]
  }
  return held === 0n ? undefined : (cost * 100n * places) / held
}

export const deals = (given: DealSettings): Strategy => {
  const { size, reach, safety, distance, active, targets, breakeven, stop } = given
  const { expireMinutes, cooldownMinutes, times } = given
  const exits = targets.map((_, index) => (targets.length === 1 ? "exit" : `exit-${index + 1}`))
  const steps = safety.map((quantity, index) => ({ slot: `safety-0${index + 1}`, index, quantity }))
  const entries = ["base", ...steps.map(({ slot }) => slot)]
  let [begun, pausedUntil] = [0, 0]
  let deal: Deal | undefined
  let stops: Stops = {}

  const act = ({ bar, close, want, done, filled, isOpen, isPaying, isLive, fills, base }: Desk): void => {
    const has = (slot: string) => deal?.before.get(slot) ?? { done: 0, filled: 0 }
    const isTouched = (slot: string) => done(slot) > has(slot).done || filled(slot) > has(slot).filled
    const isPaid = (slot: string) => done(slot) - (isPaying(slot) ? 1 : 0) > has(slot).done
    const filledBy = ({ slot, quantity }: { readonly slot: string; readonly quantity: number }) =>
      done(slot) > has(slot).done ? quantity : filled(slot) - has(slot).filled
    const entered = steps.reduce((sum, entry) => sum + filledBy(entry), size)
    // What is left of less than a hundredth is not worth an order.
    const held = Number(base) * 100 < entered ? 0 : Number(base)
    const average = averageOf(fills) ?? (BigInt(deal?.price ?? 0) * places) / 1_000_000n
    const millionth = places / 1_000_000n
    const profitAt = (target: { readonly profit: number } | undefined) =>
      Number(significant("SELL", average * BigInt(1000 + (target?.profit ?? 0)), 1000n * millionth))
    const soldBy = (exit: string) =>
      fills.reduce((sum, { slot, quantity }) => (slot === exit ? sum + quantity : sum), 0)
    const soldNow = (exit: string) => soldBy(exit) - (deal?.sold.get(exit) ?? 0)
    if (deal !== undefined) {
      const touched = entries.some(isTouched)
      const isPartly = entries.some((slot) => isOpen(slot) && isTouched(slot))
      if (exits.length > 1 && exits.some((exit) => soldNow(exit) > 0)) deal.isClosing = true
      if ((exits.some(isTouched) && held === 0) || (isPartly && close >= profitAt(targets[0]))) deal.isClosing = true
      deal.isExpired = !touched && (deal.isExpired || bar >= deal.startedAt + expireMinutes)
      if (touched && deal.leaves === undefined) {
        const comesTo = (thousandths: number, price = close) =>
          // A price within a bar has two decimal places more than millionths.
          BigInt(Math.round(price * 100)) * 10n * millionth - average * BigInt(1000 + thousandths)
        const sales = fills.slice(deal.fillsBefore).filter(({ side }) => side === "SELL")
        const reached = [close, ...sales.map(({ price }) => price)]
        if (breakeven > 0 && reached.some((price) => comesTo(breakeven, price) >= 0n)) deal.isEven = true
        if ((stop > 0 && comesTo(-stop) <= 0n) || (deal.isEven && comesTo(0) <= 0n))
          deal.leaves = leaving("SELL", stopReach)
      }
      const isResting = [...entries, ...exits].some(isLive)
      if (!isResting && held === 0 && (deal.isClosing || deal.isExpired || deal.leaves !== undefined)) {
        if (!touched) begun -= 1
        pausedUntil = bar + cooldownMinutes
        deal = undefined
      }
    }
    if (deal === undefined && begun < times && bar >= pausedUntil) {
      const before = new Map([...entries, ...exits].map((slot) => [slot, { done: done(slot), filled: filled(slot) }]))
      begun += 1
      const price = eightDigits("BUY", beyond(close, reach))
      const sold = new Map(exits.map((exit) => [exit, soldBy(exit)]))
      deal = {
        price,
        startedAt: bar,
        before,
        fillsBefore: fills.length,
        sold,
        isClosing: false,
        isExpired: false,
        isEven: false,
        leaves: undefined
      }
    }
    const entry = averageOf(fills) ?? (BigInt(deal?.price ?? 0) * places) / 1_000_000n
    const below = deal?.isEven ? 0 : stop
    const stopAt = Number((entry * BigInt(1000 - below)) / (10_000n * millionth)) * 10
    stops = deal === undefined || (stop === 0 && !deal.isEven) || deal.leaves ? {} : stopOf("BUY", stopAt)
    const withdraw = (slot: string) => (isOpen(slot) ? want(slot, undefined) : undefined)
    if (deal === undefined) return [...entries, ...exits].forEach(withdraw)
    const isEntering = !deal.isClosing && !deal.isExpired && deal.leaves === undefined
    const enter = (slot: string, price: number, quantity: number): void => {
      if (done(slot) === has(slot).done) want(slot, { side: "BUY", price, quantity: quantity + has(slot).filled })
    }
    if (isEntering) enter("base", deal.price, size)
    else withdraw("base")
    const waiting = steps.filter(({ slot }) => !isPaid(slot))
    const placed = isEntering && isTouched("base") ? waiting.slice(0, active) : []
    for (const { slot } of steps) if (!placed.some((each) => each.slot === slot)) withdraw(slot)
    for (const { slot, index, quantity } of placed)
      enter(slot, eightDigits("BUY", beyond(deal.price, -distance * (index + 1))), quantity)
    const all = exits.reduce((sum, exit) => sum + (exits.length === 1 ? 0 : soldNow(exit)), held)
    let [left, floors, joined] = [held, all, 0]
    for (const [index, exit] of exits.entries()) {
      const isLast = index === exits.length - 1
      const part = isLast ? floors : Math.floor((all * (targets[index]?.percent ?? 0)) / 100)
      floors -= part
      const due = isLast ? left : Math.min(left, Math.max(0, part + joined - soldNow(exit)))
      // Too little to be an order of its own; after a stop an order goes on until it has filled.
      const isLittle = !isLast && soldNow(exit) > 0 && due * 100 < part && deal.leaves === undefined
      const quantity = isLittle ? 0 : due
      joined = due - quantity
      left -= quantity
      const price = deal.leaves?.(close) ?? profitAt(targets[index])
      if (quantity === 0) withdraw(exit)
      else {
        const order = { price, quantity: quantity + filled(exit), isAfterStop: deal.leaves !== undefined }
        want(exit, { ...order, side: "SELL", mayLose: true, isRest: true })
      }
    }
  }
  return { isAskedFirst: true, seesItself: true, atClose: act, stops: () => stops }
}
