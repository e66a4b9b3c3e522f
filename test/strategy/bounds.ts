/**
 * The invariant of all strategies, as a check that every kind's tests call: deciding again anywhere inside the bounds of
 * a decision, with the memory that it returned, gives the same desired slots.
 */
import { assert } from "@effect/vitest"
import * as Decimal from "../../src/domain/Decimal.ts"
import type { Decision, PriceBounds } from "../../src/strategy/Decision.ts"
import { holds } from "../../src/strategy/Decision.ts"
import type { Strategy } from "../../src/strategy/Strategy.ts"
import {
  between,
  decideAt,
  type Elsewhere,
  integerBetween,
  laterProgress,
  random,
  type Slots,
  viewAt
} from "./support.ts"

/**
 * Walks `steps` prices within (low, high) and times; at each decision tries `tries` prices and times in its bounds. Prices of
 * further markets lie in the same range.
 */
export const checkBounds = (
  strategy: Strategy,
  { low, high, seed, steps = 6, tries = 8 }: { low: number; high: number; seed: number; steps?: number; tries?: number }
): void => {
  const next = random(seed)
  let memory = strategy.initialMemory
  let slots: Slots = new Map()
  let now = 1_700_000_000_000
  for (let step = 0; step < steps; step++) {
    const at = Decimal.fromNumber(between(next, low, high), 8)
    const elsewhere = new Map(
      (strategy.others ?? []).map(({ name }) => [name, Decimal.fromNumber(between(next, low, high), 8)])
    )
    const decision = decideAt(strategy, at, memory, slots, now, elsewhere)
    const here = `seed ${seed}, step ${step}: ${Decimal.format(at)}`
    assert.isTrue(holds(decision.until, viewAt(strategy, at, slots, now, elsewhere), false), here)
    for (let tried = 0; tried < tries; tried++) {
      const inside = priceInside(next, decision.until, low, high)
      const insideElsewhere = elsewhereInside(next, decision, elsewhere, low, high)
      if (inside === undefined || insideElsewhere === undefined) break
      const later = timeInside(next, decision, now)
      const changed = decision.until.onFill ? slots : laterProgress(next, decision, slots)
      assert.isTrue(
        holds(decision.until, viewAt(strategy, inside, slots, later, insideElsewhere), false),
        `seed ${seed}, step ${step}`
      )
      const again = decideAt(strategy, inside, decision.memory, changed, later, insideElsewhere)
      const from = `seed ${seed}, step ${step}: ${Decimal.format(at)}, then ${Decimal.format(inside)}`
      assert.deepStrictEqual(again.desired, decision.desired, from)
    }
    memory = decision.memory
    slots = laterProgress(next, decision, slots)
    now = next() < 0.3 && decision.until.time !== undefined ? decision.until.time : now + integerBetween(next, 0, 1e8)
  }
}

const timeInside = (next: () => number, { until }: Decision, now: number): number => {
  const end = until.time ?? now + 1e10
  return next() < 0.3 ? Math.max(now, end - 1) : integerBetween(next, now, Math.max(now, end - 1))
}

const elsewhereInside = (
  next: () => number,
  { until }: Decision,
  elsewhere: Elsewhere,
  low: number,
  high: number
): Elsewhere | undefined => {
  const prices = new Map<string, Decimal.Decimal>()
  for (const name of elsewhere.keys()) {
    const bounds = until.elsewhere?.find(({ market }) => market === name) ?? {}
    const inside = priceInside(next, bounds, low, high)
    if (inside === undefined) return undefined
    prices.set(name, inside)
  }
  return prices
}

/** Anywhere inside the bounds, often right beside one of them. */
const priceInside = (
  next: () => number,
  until: PriceBounds,
  low: number,
  high: number
): Decimal.Decimal | undefined => {
  const tiny = Decimal.make(1n, 12)
  const { priceBelow, priceAbove } = until
  if (priceAbove !== undefined && next() < 0.3) return Decimal.subtract(priceAbove, tiny)
  if (priceBelow !== undefined && next() < 0.3) return Decimal.add(priceBelow, tiny)
  const floor = priceBelow === undefined ? low : Decimal.toNumber(priceBelow)
  const ceiling = priceAbove === undefined ? high : Decimal.toNumber(priceAbove)
  const inside = Decimal.fromNumber(between(next, floor, ceiling), 10)
  const isInside =
    (priceBelow === undefined || Decimal.isGreater(inside, priceBelow)) &&
    (priceAbove === undefined || Decimal.isLess(inside, priceAbove))
  return isInside ? inside : undefined
}
