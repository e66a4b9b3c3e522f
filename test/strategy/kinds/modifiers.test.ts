/** `rearm` and `skim`: what waits after a fill, what is set aside, and where they are mistakes. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Decision } from "../../../src/strategy/Decision.ts"
import { untouchedSlot } from "../../../src/strategy/View.ts"
import { checkBounds } from "../bounds.ts"
import { completed, decideAt, price, problemsOf, strategyOf, viewAt } from "../support.ts"

const head = (kind: string) => `name: s\nmarket: BTC/USDC\nkind: ${kind}\n`
const budget = "limits: { budget: { base: 1, quote: 60000 } }\n"
const gridText = `${head("grid")}rearm: 0.5%\n${budget}grid: { levels: [50000, 55000, 60000, 65000], size: { base: 0.1 } }\n`
const quotes = "market-making: { levels: 2, spread: 1%, size: 0.1, requote: 0.3% }\n"
const dip = `rules:
  orders:
    dip: { when: mid < 55000, side: buy, price: mid, size: { equity: 10% }, then: { price: entry * (1 + 1%) } }
`

const wanted = ({ desired }: Decision, slot: string): boolean => desired.some((each) => each.slot === slot)

describe("rearm", () => {
  const grid = strategyOf(gridText)
  const at = (text: string) => price(text)

  it("keeps a cell waiting after a round until the price has moved, and then the cell stays armed", () => {
    const first = decideAt(grid, at("57000"))
    const bought = new Map([["cell-00", completed(1, 10_000_000n)]])
    const held = decideAt(grid, at("50000"), first.memory, bought)
    assert.isTrue(wanted(held, "cell-00"), "what was bought is sold at once")
    const sold = new Map([["cell-00", completed(2, 1n)]])
    const waits = decideAt(grid, at("55000"), held.memory, sold)
    assert.isFalse(wanted(waits, "cell-00"))
    const why = waits.absent.find(({ slot }) => slot === "cell-00")?.why
    assert.deepStrictEqual(why, {
      code: "rearm",
      text: "not placed again until the price is 0.5% away from 55000, its last fill",
      source: "test.yaml:4"
    })
    assert.deepStrictEqual(waits.until.priceBelow && Decimal.format(waits.until.priceBelow), "54725")
    assert.isFalse(wanted(decideAt(grid, at("54726"), waits.memory, sold), "cell-00"))
    for (const far of ["54725", "55275"]) {
      const armed = decideAt(grid, at(far), waits.memory, sold)
      assert.isTrue(wanted(armed, "cell-00"), far)
      assert.isTrue(wanted(decideAt(grid, at("55000"), armed.memory, sold), "cell-00"), "it is not disarmed")
    }
  })

  it("applies to a filled quote before its payout, too", () => {
    const maker = strategyOf(`${head("market-making")}rearm: 2%\n${budget}${quotes}`)
    const first = decideAt(maker, at("60000"))
    const filled = new Map([["bid-00", { ...untouchedSlot, filledInLeg: 10_000_000n, bought: 10_000_000n }]])
    const waits = decideAt(maker, at("59700"), first.memory, filled)
    assert.isFalse(wanted(waits, "bid-00"))
    assert.isTrue(wanted(waits, "ask-00"))
    const paid = new Map([["bid-00", { ...completed(1), bought: 10_000_000n }]])
    assert.isFalse(wanted(decideAt(maker, at("59700"), waits.memory, paid), "bid-00"))
    assert.isTrue(wanted(decideAt(maker, at("58400"), waits.memory, paid), "bid-00"))
  })

  it("holds inside its bounds", () => {
    const maker = strategyOf(`${head("market-making")}rearm: 2%\n${budget}${quotes}`)
    for (let seed = 1; seed <= 40; seed++) {
      checkBounds(grid, { low: 48_000, high: 68_000, seed })
      checkBounds(maker, { low: 58_000, high: 62_000, seed })
    }
  })
})

describe("skim", () => {
  it("sets holdings above the ceiling aside for good", () => {
    const strategy = strategyOf(`${head("rebalance")}skim: 61000\n${budget}rebalance: { target: 50%, band: 2% }\n`)
    const first = decideAt(strategy, price("60000"))
    assert.deepStrictEqual(first.reasons, [])
    const sold = { ...untouchedSlot, completedLegs: 1, sold: 10_000_000n, proceeds: 7_000_000_000n }
    const rich = decideAt(strategy, price("70000"), first.memory, new Map([["sell", sold]]))
    assert.deepStrictEqual(rich.reasons, [
      {
        code: "skim",
        text: "6000 USDC set aside: the strategy has had so much more than 61000 USDC",
        source: "test.yaml:4"
      }
    ])
    const bought = { ...untouchedSlot, completedLegs: 1, bought: 10_000_000n, paid: 6_000_000_000n }
    const after = new Map([
      ["sell", sold],
      ["buy", bought]
    ])
    const later = decideAt(strategy, price("59000"), rich.memory, after)
    assert.strictEqual(later.reasons.length, 1, "it does not come back")
    // 55000 USDC to use and 1 BTC: the sale that restores half of each is where one is worth 52 % of both.
    const sale = later.desired.find(({ slot }) => slot === "sell")?.legs[0]
    assert.closeTo(Decimal.toNumber(sale?.price ?? Decimal.zero), (55_000 * 0.52) / 0.48, 1)
  })

  it("is not counted in a size by equity or in the free quote", () => {
    const strategy = strategyOf(`${head("rules")}skim: 60000\nlimits: { budget: { quote: 60000 } }\n${dip}`)
    const own = {
      openOrders: 0,
      freeBase: 0n,
      freeQuote: 66_000_000_000n,
      position: 0n,
      realisedProfit: 6_000_000_000n
    }
    const done = { ...untouchedSlot, completedLegs: 2, paid: 54_000_000_000n, proceeds: 60_000_000_000n }
    const slots = new Map([["dip", done]])
    const view = { ...viewAt(strategy, price("50000"), slots), own }
    const decision = strategy.decide(view, strategy.initialMemory)
    // A tenth of 60000, not of 66000.
    assert.strictEqual(decision.desired[0]?.legs[0].quantity, 12_000_000n)
  })

  it("holds inside its bounds", () => {
    const rebalance = strategyOf(`${head("rebalance")}skim: 60500\n${budget}rebalance: { target: 50%, band: 2% }\n`)
    for (let seed = 1; seed <= 40; seed++) checkBounds(rebalance, { low: 48_000, high: 68_000, seed })
  })
})

describe("a modifier without effect", () => {
  const said = (text: string) => problemsOf(text).map(({ line, column, message }) => `${line}:${column}: ${message}`)

  it("has a warning at its key", () => {
    const dca = `${head("dca")}rearm: 1%\nskim: 99999\n${budget}dca: { every: 6h, size: { quote: 50 }, times: 4 }\n`
    assert.deepStrictEqual(said(dca), [
      "4:8: rearm has no effect here: a strategy of kind dca places no filled order again by itself",
      "5:7: skim has no effect here: orders of kind dca have fixed sizes and never use their profit"
    ])
    const low = `${head("rebalance")}skim: 59999\n${budget}rebalance: { target: 50%, band: 2% }\n`
    assert.deepStrictEqual(said(low), [
      "4:7: 59999 USDC is less than the budget of 60000 USDC: a part of it would never be used"
    ])
    const wrong = `${head("grid")}rearm: 3\n${budget}grid: { levels: [50000, 60000], size: { base: 0.1 } }\n`
    assert.match(said(wrong).join("\n"), /^4:8: expected a ratio/)
    const finer = `${head("rebalance")}skim: 60000.0000001\n${budget}rebalance: { target: 50%, band: 2% }\n`
    assert.match(said(finer).join("\n"), /^4:7: /)
  })
})
