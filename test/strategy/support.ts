/** What the strategy tests share: markets like those of the example configuration, and views at a price. */
import { Result } from "effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import type { Decision, Memory } from "../../src/strategy/Decision.ts"
import type { Markets } from "../../src/strategy/Markets.ts"
import type { Problem } from "../../src/strategy/Problem.ts"
import type { Strategy } from "../../src/strategy/Strategy.ts"
import { parse } from "../../src/strategy/StrategyFile.ts"
import { type SlotProgress, untouchedSlot, type View } from "../../src/strategy/View.ts"

export const price = (text: string): Decimal.Decimal => {
  const parsed = Decimal.parse(text)
  if (parsed === undefined) throw new Error(`not a number: ${text}`)
  return parsed
}

export const markets: Markets = {
  assets: [
    { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 },
    { symbol: "ETH", id: "nep141:eth.omft.native", decimals: 18 },
    { symbol: "SOL", id: "nep141:sol.omft.native", decimals: 9 },
    { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
  ],
  ticks: new Map([["BTC/USDC", price("0.01")]])
}

export const strategyOf = (text: string): Strategy => {
  const parsed = parse(text, "test.yaml", markets)
  if (Result.isSuccess(parsed)) return parsed.success
  throw new Error(parsed.failure.map(({ line, column, message }) => `${line}:${column}: ${message}`).join("\n"))
}

export const problemsOf = (text: string): ReadonlyArray<Problem> => {
  const parsed = parse(text, "test.yaml", markets)
  return Result.isSuccess(parsed) ? [] : parsed.failure
}

export type Slots = ReadonlyMap<string, SlotProgress>

/** Mids of further markets, by name. */
export type Elsewhere = ReadonlyMap<string, Decimal.Decimal>

export const viewAt = (
  strategy: Strategy,
  middle: Decimal.Decimal,
  slots: Slots = new Map(),
  now = 0,
  elsewhere: Elsewhere = new Map()
): View => ({
  now,
  market: strategy.market,
  price: { bid: middle, ask: middle, at: now },
  elsewhere: new Map([...elsewhere].map(([name, other]) => [name, { bid: other, ask: other, at: now }])),
  slots
})

export const decideAt = (
  strategy: Strategy,
  middle: Decimal.Decimal,
  memory: Memory = strategy.initialMemory,
  slots: Slots = new Map(),
  now = 0,
  elsewhere: Elsewhere = new Map()
): Decision => strategy.decide(viewAt(strategy, middle, slots, now, elsewhere), memory)

/** A slot whose legs so far have filled and been paid out. */
export const completed = (legs: number, receivedByLastLeg = 0n): SlotProgress => ({
  ...untouchedSlot,
  completedLegs: legs,
  receivedByLastLeg
})

/** A small seeded generator (mulberry32): the same seed gives the same numbers, everywhere. */
export const random = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const between = (next: () => number, low: number, high: number): number => low + (high - low) * next()
export const integerBetween = (next: () => number, low: number, high: number): number =>
  Math.floor(between(next, low, high + 1))
export const pick = <A>(next: () => number, choices: readonly [A, ...ReadonlyArray<A>]): A =>
  choices[integerBetween(next, 0, choices.length - 1)] ?? choices[0]

/** Any further history that the legs of a decision allow. */
export const laterProgress = (next: () => number, { desired }: Decision, before: Slots): Slots =>
  new Map([
    ...before,
    ...desired.map(({ slot, legs, cycle }): readonly [string, SlotProgress] => {
      const known = before.get(slot)
      const done = known?.completedLegs ?? 0
      const completedLegs = integerBetween(next, done, cycle ? done + 3 : Math.max(done, legs.length))
      const least = completedLegs === done ? (known?.filledInLeg ?? 0n) : 0n
      const filled = pick(next, [0n, 0n, legs[0].quantity / 2n, legs[0].quantity])
      const filledInLeg = filled > least ? filled : least
      const filledAt = pick(next, legs).price
      return [slot, { ...untouchedSlot, completedLegs, filledInLeg, receivedByLastLeg: legs[0].quantity, filledAt }]
    })
  ])
