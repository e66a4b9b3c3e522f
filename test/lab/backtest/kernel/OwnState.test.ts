/** What strategies see of their own trading in a backtest, against sums made another way. */

import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as CostBasis from "../../../../src/domain/CostBasis.ts"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import type { Conditions } from "../../../../src/lab/backtest/kernel/Conditions.ts"
import { noCosts, touching } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as Kernel from "../../../../src/lab/backtest/kernel/Kernel.ts"
import * as FillRows from "../../../../src/lab/backtest/results/FillRows.ts"
import * as StrategyFile from "../../../../src/strategy/StrategyFile.ts"
import type { OwnState } from "../../../../src/strategy/View.ts"
import { runOneMarket } from "../../../world/oneMarket.ts"
import { anyRules, immediateRules, random, randomCandles, randomConditions } from "../RandomStrategies.ts"

describe("OwnState", () => {
  it("is the sum of the fills so far, under any rules", () => {
    let looks = 0
    for (let seed = 1; seed <= 20; seed++) {
      const next = random(seed)
      const drawn = seed % 2 === 0 ? immediateRules(next) : anyRules(next)
      const nothing = { base: 0n, quote: 0n }
      // Fills on arrival, or within a bar, would come after a look at the same moment; what a cancelled order costs is in no fill.
      const rules = {
        ...drawn,
        price: "limit" as const,
        stops: "close" as const,
        inHand: touching.inHand,
        refundFee: nothing,
        // No dust.
        minimumQuote: 0n,
        ...(drawn.volumeShare > 0 ? { withdrawFee: nothing } : {})
      }
      const conditions = randomConditions(seed, rules)
      const seen: Array<{ readonly now: number; readonly own: OwnState; readonly live: number }> = []
      const decide: Conditions["decide"] = (view, memory) => {
        const live = [...view.slots.values()].filter((slot) => slot.live !== undefined).length
        if (view.own !== undefined) seen.push({ now: view.now, own: view.own, live })
        return conditions.decide(view, memory)
      }
      const candles = randomCandles(next, 200)
      const indices = CrossingIndex.linearIndices(candles)
      const outcome = Kernel.simulate({ ...conditions, decide }, candles, indices)
      const step = candles.time.stepMillis
      for (const { now, own, live } of seen) {
        looks++
        const fills = [...FillRows.rows(outcome, candles)].filter(({ openTime }) => openTime + step <= now)
        // Fees in base reduce what is held, and what it cost by their share.
        let basis = CostBasis.empty
        for (const { side, input, output, fee } of fills) {
          const [base, quote] = side === "BUY" ? [output + fee, input] : [input, output + fee]
          basis = CostBasis.trade(basis, side, base, quote)
          const inBase = side === "BUY" && base > 0n
          const charged = inBase ? Decimal.divideInteger(fee * quote, base, "up") : fee
          if (inBase) basis = CostBasis.trade(basis, "SELL", fee, charged)
          basis = CostBasis.charge(basis, charged)
        }
        const about = `seed ${seed} at ${now}`
        assert.strictEqual(own.position, basis.position, about)
        assert.strictEqual(own.realisedProfit, basis.realised, about)
        assert.deepStrictEqual(own.averageEntry, CostBasis.averagePrice(basis, outcome.table.market), about)
        assert.strictEqual(
          own.lastFill?.at,
          fills.length === 0 ? undefined : (fills.at(-1)?.openTime ?? 0) + step,
          about
        )
        assert.isAtLeast(own.openOrders, live, about)
        assert.isTrue(own.freeBase >= 0n && own.freeQuote >= 0n, about)
        if (own.openOrders === 0 && rules.feeBasisPoints === 0 && rules.withdrawFee.base === 0n)
          assert.strictEqual(own.freeBase, conditions.budget.base + basis.position, about)
      }
    }
    assert.isAbove(looks, 1000)
  })

  it("decides rules that use it, as live", () => {
    const assets = ["BTC", "USDC"].map((symbol) => ({ symbol, id: symbol, decimals: 8 }))
    const text = `name: own
market: BTC/USDC
kind: rules
limits: { budget: { quote: 1000 } }
rules:
  timeframe: 1m
  orders:
    first: { when: openOrders < 1, side: buy, price: mid * 0.995, size: { quote: 50 } }
    second: { when: openOrders < 1 and realisedProfit >= 0, side: buy, price: mid * 0.99, size: { quote: 50 } }
`
    const strategy = Result.getOrThrow(StrategyFile.parse(text, "own.yaml", { assets, ticks: new Map() }))
    const candles = randomCandles(random(4), 300)
    const options = { costs: noCosts, changes: {} }
    const { outcome } = runOneMarket(strategy, candles, CrossingIndex.linearIndices(candles), "optimistic", options)
    assert.isAbove(outcome.fills.count, 0)
    assert.isAtMost(outcome.openOrders, 2)
  })
})
