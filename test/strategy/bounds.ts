/**
 * The invariant of all strategies, as a check that every kind's tests call: deciding again anywhere inside the bounds of
 * a decision, with the memory that it returned, gives the same desired slots.
 */
import { assert } from "@effect/vitest"
import * as Decimal from "../../src/domain/Decimal.ts"
import type { Decision } from "../../src/strategy/Decision.ts"
import { holds } from "../../src/strategy/Decision.ts"
import type { Strategy } from "../../src/strategy/Strategy.ts"
import type { SlotProgress } from "../../src/strategy/View.ts"
import { between, decideAt, progressOf, random, viewAt } from "./support.ts"

/** Walks `steps` prices within (low, high); at each decision tries `tries` prices inside its bounds. */
export const checkBounds = (
  strategy: Strategy,
  { low, high, seed, steps = 6, tries = 8 }: { low: number; high: number; seed: number; steps?: number; tries?: number }
): void => {
  const next = random(seed)
  let memory = strategy.initialMemory
  let slots: ReadonlyMap<string, SlotProgress> = new Map()
  for (let step = 0; step < steps; step++) {
    const at = Decimal.fromNumber(between(next, low, high), 8)
    const decision = decideAt(strategy, at, memory, slots)
    for (let tried = 0; tried < tries; tried++) {
      const inside = priceInside(next, decision, low, high)
      if (inside === undefined) break
      const changed = decision.until.onFill ? slots : progressOf(next, decision)
      assert.isTrue(holds(decision.until, viewAt(strategy, inside), false))
      const again = decideAt(strategy, inside, decision.memory, changed)
      const from = `seed ${seed}, step ${step}: ${Decimal.format(at)}, then ${Decimal.format(inside)}`
      assert.deepStrictEqual(again.desired, decision.desired, from)
    }
    memory = decision.memory
    slots = progressOf(next, decision)
  }
}

/** Anywhere inside the bounds, often right beside one of them. */
const priceInside = (
  next: () => number,
  { until }: Decision,
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
