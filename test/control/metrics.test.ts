/** The figures of one bot for Prometheus. */
import { assert, describe, it } from "@effect/vitest"
import { families } from "../../src/control/view/Metrics.ts"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import { byHand } from "../../src/domain/Placement.ts"
import { operatorLimit } from "../../src/domain/Text.ts"
import * as BotState from "../../src/engine/state/BotState.ts"
import { assetsBySymbol as assets } from "../world/bitcoin.ts"
import { sent } from "../world/bot/doubtful.ts"

const bot = {
  assets,
  markets: new Map(),
  prices: new Map(),
  turnedAt: () => 1,
  pollMaxMillis: 1_000,
  leaving: () => undefined
}

const paused = (strategy: string): BotEvent => ({
  _tag: "Paused",
  strategy,
  limit: operatorLimit,
  action: "pause",
  reason: "holiday"
})

const samples = (metric: string, events: ReadonlyArray<BotEvent>) => {
  const state = BotState.make()
  for (const [index, event] of events.entries()) BotState.apply(state, { sequence: index + 1, at: index, event })
  return families({ state, bot, now: 10 }).find(({ name }) => name === metric)?.samples ?? []
}

describe("the metrics of a bot", () => {
  it("show no pause of a strategy that no file names", () => {
    const removed: BotEvent = { _tag: "StrategyRemoved", strategy: "old", orders: "left" }
    const pauses = samples("strategy_paused", [paused("old"), paused("grid"), removed])
    assert.deepStrictEqual(pauses, [[{ strategy: "grid" }, 1]])
  })

  it("count swaps by hand among the orders", () => {
    const planned = sent(1, "s1", 1_000).slice(0, 1)
    const orders = samples(
      "orders",
      planned.map((event) => ({ ...event, strategy: byHand }))
    )
    assert.deepInclude(orders, [{ strategy: byHand, state: "planned" }, 1])
  })
})
