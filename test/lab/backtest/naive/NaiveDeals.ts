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
  readonly takeProfit: number
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
  const { size, reach, safety, distance, active, takeProfit, stop, expireMinutes, cooldownMinutes, times } = given
  const steps = safety.map((quantity, index) => ({ slot: `safety-0${index + 1}`, index, quantity }))
  const entries = ["base", ...steps.map(({ slot }) => slot)]
  let [begun, pausedUntil] = [0, 0]
  let deal: Deal | undefined
  let stops: Stops = {}

  const act = ({ bar, close, want, done, filled, isOpen, isPaying, isLive, fills, base }: Desk): void => {
    const has = (slot: string) => deal?.before.get(slot) ?? { done: 0, filled: 0 }
    const isTouched = (slot: string) => done(slot) > has(slot).done || filled(slot) > has(slot).filled
    const isPaid = (slot: string) => done(slot) - (isPaying(slot) ? 1 : 0) > has(slot).done
    const held = Number(base) * 100 < size ? 0 : Number(base)
    const average = averageOf(fills) ?? (BigInt(deal?.price ?? 0) * places) / 1_000_000n
    const millionth = places / 1_000_000n
    const profitAt = Number(significant("SELL", average * BigInt(1000 + takeProfit), 1000n * millionth))
    if (deal !== undefined) {
      const touched = entries.some(isTouched)
      const isPartly = entries.some((slot) => isOpen(slot) && isTouched(slot))
      if ((isPaid("exit") && held === 0) || (isPartly && close >= profitAt)) deal.isClosing = true
      deal.isExpired = !touched && (deal.isExpired || bar >= deal.startedAt + expireMinutes)
      const isResting = [...entries, "exit"].some(isLive)
      if (!isResting && held === 0 && (deal.isClosing || deal.isExpired)) {
        if (!touched) begun -= 1
        pausedUntil = bar + cooldownMinutes
        deal = undefined
      } else if (touched && stop > 0 && deal.leaves === undefined) {
        const isReached = BigInt(close) * 1000n * millionth <= average * BigInt(1000 - stop)
        if (isReached) deal.leaves = leaving("SELL", stopReach)
      }
    }
    if (deal === undefined && begun < times && bar >= pausedUntil) {
      const before = new Map([...entries, "exit"].map((slot) => [slot, { done: done(slot), filled: filled(slot) }]))
      begun += 1
      const price = eightDigits("BUY", beyond(close, reach))
      deal = { price, startedAt: bar, before, isClosing: false, isExpired: false, leaves: undefined }
    }
    const entry = averageOf(fills) ?? (BigInt(deal?.price ?? 0) * places) / 1_000_000n
    const stopAt = Number((entry * BigInt(1000 - stop)) / (10_000n * millionth)) * 10
    stops = deal === undefined || stop === 0 || deal.leaves !== undefined ? {} : stopOf("BUY", stopAt)
    const withdraw = (slot: string) => (isOpen(slot) ? want(slot, undefined) : undefined)
    if (deal === undefined) return [...entries, "exit"].forEach(withdraw)
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
    if (held === 0) withdraw("exit")
    else
      want("exit", {
        side: "SELL",
        price: deal.leaves?.(close) ?? profitAt,
        quantity: held + filled("exit"),
        mayLose: true
      })
  }
  return { isAskedFirst: true, seesItself: true, atClose: act, stops: () => stops }
}
