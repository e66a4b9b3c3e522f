import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as Ledger from "../../../src/domain/Ledger.ts"
import type { MarketMoment } from "../../../src/engine/planning/DecisionRecord.ts"
import * as LossGuard from "../../../src/engine/planning/LossGuard.ts"
import { loaded } from "../../../src/engine/StartUp.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import type { Limits, Strategy } from "../../../src/strategy/Strategy.ts"
import { market } from "../../world/bitcoin.ts"

const day = 86_400_000
const strategyWith = (limits: Partial<Limits>, hash = "h"): Strategy => ({
  name: "s",
  kind: "grid",
  file: "s.yaml",
  hash,
  text: "",
  market,
  limits: {
    budget: { base: 100_000_000n, quote: 0n },
    maxOpenOrders: 1,
    maxPriceDeviation: Decimal.make(5n, 2),
    staleAfterMillis: 1000,
    ...limits
  },
  initialMemory: null,
  decide: () => ({ desired: [], absent: [], memory: null, reasons: [], until: { onFill: true } })
})

const bot = () => {
  const state = BotState.make()
  const record = (at: number, events: ReadonlyArray<BotEvent>) => {
    for (const event of events) BotState.apply(state, { sequence: state.sequence + 1, at, event })
    return events.map(({ _tag }) => _tag)
  }
  return { state, record }
}

/** One bitcoin, worth its price. */
const at = (price: number) => ({ bid: Decimal.make(BigInt(price)), ask: Decimal.make(BigInt(price)), at: 0 })

const momentAt = (now: number, price: number): MarketMoment => ({ price: at(price), now })

/** The look before showed the same price. */
const twice = (state: BotState.BotState, strategy: Strategy, now: number, price: number) =>
  LossGuard.check(state, strategy, momentAt(now, price), momentAt(now, price))

describe("LossGuard", () => {
  it("takes one odd price neither for a loss nor for a peak", () => {
    const strategy = strategyWith({ maxDrawdown: Decimal.make(1n, 2), maxDailyLoss: 500_000_000n })
    const { state, record } = bot()
    record(0, loaded(state, strategy))
    let before: MarketMoment | undefined
    const look = (now: number, price: number) => {
      const moment = momentAt(now, price)
      const tags = record(now, LossGuard.check(state, strategy, moment, before))
      before = moment
      return tags
    }
    assert.deepStrictEqual(look(1, 58_000), ["EquityMarked"], "of a first look nothing is said but its mark")
    assert.deepStrictEqual(look(2, 60_000), [])
    assert.deepStrictEqual(look(3, 60_000), ["EquityMarked"])
    for (const odd of [58_300, 61_700]) {
      assert.deepStrictEqual(look(4, odd), [])
      assert.deepStrictEqual(look(5, 60_000), [])
    }
    look(6, 59_300)
    assert.deepStrictEqual(look(7, 59_300), ["Paused"], "twice it is one")
  })

  it("counts the assets of all markets", () => {
    const eth = { ...market, name: "ETH/USDC", base: { symbol: "ETH", id: "eth", decimals: 18 } }
    const others = new Map([["ETH", 2n * 10n ** 18n]])
    const strategy = {
      ...strategyWith({ budget: { base: 100_000_000n, quote: 5_000_000n, others } }),
      others: [eth]
    }
    const { state, record } = bot()
    record(0, loaded(state, strategy))
    const moment = { price: at(60_000), elsewhere: new Map([["ETH/USDC", at(3_000)]]), now: 1 }
    assert.strictEqual(LossGuard.equity(state, strategy, moment), 66_005_000_000n)
  })

  it("pauses at the daily loss, and resumes the next day from that day's equity", () => {
    const strategy = strategyWith({ maxDailyLoss: 5_000_000_000n })
    const { state, record } = bot()
    record(0, loaded(state, strategy))
    const look = (now: number, price: number) => record(now, twice(state, strategy, now, price))
    assert.deepStrictEqual(look(1, 60_000), ["EquityMarked"])
    assert.deepStrictEqual(look(2, 55_000), [])
    assert.deepStrictEqual(look(3, 54_999), ["Paused"])
    assert.strictEqual(state.strategies.get("s")?.paused?.limit, "daily-loss")
    assert.deepStrictEqual(look(4, 70_000), ["EquityMarked"], "a recovery does not release it, the peak is marked")
    assert.deepStrictEqual(look(day, 54_000), ["EquityMarked", "Resumed"])
    assert.isUndefined(state.strategies.get("s")?.paused)
    assert.deepStrictEqual(look(day + 1, 49_001), [])
    assert.deepStrictEqual(look(day + 2, 48_999), ["Paused"])
  })

  it("counts an edit of the budget neither as profit nor as loss", () => {
    const strategy = strategyWith({ maxDailyLoss: 5_000_000_000n, maxDrawdown: Decimal.make(1n, 1) })
    const { state, record } = bot()
    record(0, loaded(state, strategy))
    const look = (now: number, price: number) => record(now, twice(state, strategy, now, price))
    look(1, 60_000)
    // Half of the coin is taken out.
    record(2, loaded(state, strategyWith({ budget: { base: 50_000_000n, quote: 0n } }, "less")))
    assert.deepStrictEqual(look(3, 60_000), ["EquityMarked"])
    assert.deepStrictEqual(look(4, 59_000), [])
    // More is put in, which makes no room for losses.
    record(5, loaded(state, strategyWith({ budget: { base: 50_000_000n, quote: 70_000_000_000n } }, "more")))
    assert.deepStrictEqual(look(6, 59_000), ["EquityMarked"])
    assert.deepStrictEqual(look(7, 49_990), ["Paused"])
  })

  it("counts a file that names another market neither as a loss nor as a gain", () => {
    const limits = { maxDailyLoss: 40_000_000n, budget: { base: 1_000_000n, quote: 500_000_000n } }
    const strategy = strategyWith(limits)
    const near = { ...market, name: "NEAR/USDC", base: { symbol: "NEAR", id: "near", decimals: 8 } }
    const elsewhere = { ...strategyWith(limits, "near"), market: near }
    const { state, record } = bot()
    const look = (of: Strategy, now: number, price: number) => record(now, twice(state, of, now, price))
    const owned = () => ["BTC", "NEAR", "USDC"].map((asset) => Ledger.ownedBy(state.ledger, "s", asset))
    record(0, loaded(state, strategy))
    look(strategy, 1, 60_000)
    record(2, loaded(state, elsewhere))
    assert.deepStrictEqual(owned(), [0n, 1_000_000n, 500_000_000n], "what it has no market for is taken back")
    assert.deepStrictEqual(look(elsewhere, 3, 3), ["EquityMarked"])
    assert.deepStrictEqual(look(elsewhere, 4, 3), [])
    record(5, loaded(state, strategy))
    assert.deepStrictEqual(owned(), [1_000_000n, 0n, 500_000_000n])
    assert.deepStrictEqual(look(strategy, 6, 60_000), ["EquityMarked"])
    assert.deepStrictEqual(look(strategy, 7, 55_000), ["Paused"])
    assert.deepStrictEqual(
      loaded(state, strategy).map(({ _tag }) => _tag),
      ["StrategyLoaded"],
      "nothing is taken back twice"
    )
  })

  it("pauses at the drawdown from the peak equity until the file changes", () => {
    const strategy = strategyWith({ maxDrawdown: Decimal.make(1n, 1), onLoss: "drain" })
    const { state, record } = bot()
    record(0, loaded(state, strategy))
    const look = (now: number, price: number) => record(now, twice(state, strategy, now, price))
    look(1, 60_000)
    look(2, 100_000)
    assert.deepStrictEqual(look(3, 90_000), [])
    assert.deepStrictEqual(look(4, 89_999), ["Paused"])
    assert.strictEqual(state.strategies.get("s")?.paused?.action, "drain")
    look(5 * day, 100_000)
    assert.isDefined(state.strategies.get("s")?.paused, "neither a day nor a recovery releases it")
    record(6 * day, loaded(state, strategy))
    assert.isDefined(state.strategies.get("s")?.paused, "the same file does not release it")
    assert.include(record(6 * day, loaded(state, strategyWith({}, "changed"))), "Resumed")
    assert.isUndefined(state.strategies.get("s")?.paused)
  })
})
