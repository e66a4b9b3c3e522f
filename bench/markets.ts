/**
 * One strategy in three markets against three strategies in one each: twenty orders flip in every market, money is enough
 * for all, so the fills of both are the same.
 */

import * as CrossingIndex from "../src/candles/CrossingIndex.ts"
import * as Generate from "../src/candles/Generate.ts"
import type { Market } from "../src/domain/Market.ts"
import type { Conditions } from "../src/lab/backtest/kernel/Conditions.ts"
import * as Kernel from "../src/lab/backtest/kernel/Kernel.ts"
import type { DesiredSlot } from "../src/strategy/Decision.ts"
import * as ladder from "../test/world/ladder.ts"
import { compare, type Way } from "./measure.ts"
import type { Bench } from "./sections.ts"

type Single = Kernel.InMarket & { readonly slots: ReadonlyArray<DesiredSlot> }

const singleOf = (seed: number, build: typeof CrossingIndex.linearIndices): Single => {
  const candles = Generate.generate({ ...Generate.defaults, seed })
  const levels = ladder.levelsOf(candles, 20, 0.01)
  const usual = ladder.conditions(candles, levels)
  const base = { symbol: `B${seed}`, id: `b${seed}`, decimals: 8 }
  const market: Market = { ...usual.market, name: `B${seed}/USDC`, base }
  const slots = ladder.slotsOf(levels, candles.close[0] ?? 0)
  return { candles, conditions: { ...usual, market }, indices: build(candles), slots }
}

const alone = (singles: ReadonlyArray<Single>): Way => ({
  name: "each alone",
  run: () =>
    singles
      .map(({ conditions, candles, indices }) => Kernel.simulate(conditions, candles, indices))
      .map(ladder.hashOf)
      .join(" ")
})

/** One decision for all markets. */
const together = (singles: readonly [Single, ...ReadonlyArray<Single>]): Way => {
  const [first, ...others] = singles
  const desired = singles.flatMap(({ slots, conditions }, index) =>
    slots.map((slot) => ({
      ...slot,
      slot: `${index}-${slot.slot}`,
      ...(index > 0 && { market: conditions.market })
    }))
  )
  const decide: Conditions["decide"] = () => ({
    desired,
    absent: [],
    memory: null,
    reasons: [],
    until: { onFill: false }
  })
  const inMarket = ({ slots: _, conditions, ...rest }: Single): Kernel.InMarket => ({
    ...rest,
    conditions: { ...conditions, decide }
  })
  const all: Kernel.InMarkets = [inMarket(first), ...others.map(inMarket)]
  return {
    name: "all in one run",
    run: () =>
      Kernel.simulateAll(all)
        .map(({ outcome }) => ladder.hashOf(outcome))
        .join(" ")
  }
}

export const markets = async ({ show }: Bench): Promise<void> => {
  for (const [what, build, atMost] of [
    ["without index", CrossingIndex.linearIndices, 3.5],
    ["with index", CrossingIndex.buildIndices, 3.2]
  ] as const) {
    const singles = [singleOf(1, build), singleOf(2, build), singleOf(3, build)] as const
    const budget = { atMost, goal: 1.5 }
    const options = { samples: 9, warmUps: 3, isOursToo: true, budget } as const
    show(await compare(`three markets, 1 year, ${what}`, alone(singles), together(singles), options))
  }
}
