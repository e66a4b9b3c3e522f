/** A plan in words: signs, colours only where there are any, and nothing important cut. */
import { assert, describe, it } from "@effect/vitest"
import { lines } from "../../../src/app/plan/Planning.ts"
import type { PlannedChange } from "../../../src/engine/planning/ahead/PlanReport.ts"
import type { PlanFacts } from "../../../src/views/Plan.ts"
import { price, strategyOf } from "../../strategy/support.ts"

const strategy = strategyOf(`name: buyer
market: BTC/USDC
kind: ladder
limits: { budget: { quote: 6000 } }
ladder: { side: buy, from: 58000, to: 57000, rungs: 2, total: { base: 0.1 } }
`)

const order = {
  side: "BUY",
  price: price("57000"),
  quantity: 5_000_000n,
  input: { asset: "USDC", amount: 2_850_000_000n },
  output: { asset: "BTC", amount: 5_000_000n }
} as const

const change = (slot: string, rest: Partial<PlannedChange>): PlannedChange => ({
  ...order,
  action: "create",
  strategy: "buyer",
  slot,
  market: "BTC/USDC",
  reason: { code: "ladder-rung", text: "because", source: "test.yaml:5" },
  costs: [],
  ...rest
})

const plan: PlanFacts = {
  at: 0,
  journal: "journal.sqlite",
  hasJournal: false,
  killed: undefined,
  strategies: [strategy],
  prices: new Map([["BTC/USDC", { bid: price("60000"), ask: price("60010"), at: 0 }]]),
  charged: [{ market: "BTC/USDC", credential: "partner", askedBasisPoints: 0, basisPoints: 27, orders: 2, at: 0 }],
  fees: new Map(),
  readiness: [],
  renewals: [],
  isBalanceKnown: false,
  uncommitted: new Map(),
  warnings: [],
  changes: [
    change("a", {}),
    change("b", {
      action: "cancel",
      next: { ...order, price: price("57100") },
      reason: { code: "requote", text: "x" }
    }),
    change("c", { action: "cancel", reason: { code: "not-wanted", text: "no longer" } }),
    change("d", { action: "keep" }),
    change("e", { action: "defer", limit: "notional", reason: { code: "notional", text: "too much ".repeat(20) } }),
    change("f", { action: "defer" })
  ],
  absent: ["g", "h", "i"].map((slot) => ({ strategy: "buyer", slot, reason: { code: "far", text: "far away" } })),
  locked: [{ strategy: "buyer", asset: "USDC", now: 1n, worst: 2n, budget: 3n }],
  findings: ["meets ".repeat(30).trim(), "meets another"].map((text) => ({
    name: "crossing",
    strategies: [],
    slots: [],
    text
  }))
}
const assets = new Map([strategy.market.base, strategy.market.quote].map((asset) => [asset.symbol, asset]))
const endless = { colours: false, columns: Number.POSITIVE_INFINITY }

describe("a plan in words", () => {
  it("has a sign for each change, and ends with a summary of them", () => {
    const said = lines(plan, assets, ["crossing"], endless)
    const signs = said.map((line) => /^ {2}(\S) [a-f] /.exec(line)?.[1]).filter((sign) => sign !== undefined)
    assert.deepStrictEqual(signs, ["+", "~", "-", "=", "!", "…"])
    assert.isTrue(said.some((line) => line.endsWith("then BUY 0.05 BTC at 57100")))
    assert.include(said, "    empty: g … i (3): far away")
    assert.include(said, "The service takes 27 basis points of every input (echoed by 2 orders) in BTC/USDC.")
    assert.isTrue(said.some((line) => line.startsWith("! UNSAFE  crossing: meets")))
    assert.strictEqual(
      said.at(-1),
      "Plan: 1 created, 1 replaced, 1 cancelled, 1 kept, 1 held back, 1 waiting. 2 problems to resolve. Nothing was sent."
    )
  })

  it("says what a round of each cell of a grid earns", () => {
    const grid = strategyOf(
      "name: buyer\nmarket: BTC/USDC\nkind: grid\nlimits: { budget: { quote: 6000 } }\ngrid: { levels: [50000, 52000, 54000], size: { base: 0.05 } }\n"
    )
    const said = lines({ ...plan, strategies: [grid] }, assets, ["crossing"], endless)
    assert.include(said, "    each of its 2 cells earns 100 USDC a round, before fees")
  })

  it("fits a terminal, and lists held back and unsafe orders in full", () => {
    const narrow = lines(plan, assets, ["crossing"], { colours: true, columns: 60 })
    assert.isTrue(narrow.every((line) => line.length < 80 || line.includes("! ")))
    assert.isTrue(narrow.some((line) => line.includes("meets meets\u001B[0m")))
    assert.isTrue(narrow.some((line) => line.startsWith("\u001B[32m  + a")))
    assert.isFalse(lines(plan, assets, [], endless).some((line) => line.includes("\u001B")))
  })
})
