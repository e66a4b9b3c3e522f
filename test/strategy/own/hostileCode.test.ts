/** Code that breaks what stands around its machine: the type stripper, the answers, the indicators, the names of slots. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { withoutTypes } from "../../../src/strategy/own/TypeStripper.ts"
import { render } from "../../../src/strategy/Problem.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"
import type { View } from "../../../src/strategy/View.ts"
import { isLong } from "../../long.ts"
import { assets, markets } from "../../world/bot/market.ts"

const mid = Decimal.make(60_000n)
const market = markets.get("BTC/USDC") ?? assert.fail("no market")
const column = Float64Array.from({ length: 50 }, () => 60_000)
const columns = { open: column, high: column, low: column, close: column, volume: column }
const view: View = {
  now: 1_700_000_000_000,
  market,
  price: { bid: mid, ask: mid, at: 0 },
  slots: new Map(),
  candles: new Map([["1m", { columns, closed: 50 }]])
}

const decideBy = (body: string) => `export default {
  about: "test",
  keys: {},
  candles: () => ({ "1m": 50 }),
  decide: (view, settings, memory) => { ${body} }
}`
const holding = (until: string) => decideBy(`return { orders: [], until: ${until} }`)
const ordering = (order: string) =>
  decideBy(`return { orders: [${order}], until: { below: view.mid * 0.9, above: view.mid * 1.1 } }`)

const read = (code: string) => {
  const text = "name: own\nmarket: BTC/USDC\nkind: ./own.ts\nlimits: { budget: { base: 1, quote: 100000 } }\nown: {}\n"
  const withCode = StrategyFile.withCode(text, code)
  const strategy = StrategyFile.parse(withCode, "own.yaml", { assets, ticks: new Map() })
  return Result.isFailure(strategy)
    ? strategy.failure.map((problem) => render(problem, withCode)).join("\n")
    : strategy.success
}

const decided = (code: string): string => {
  const strategy = read(code)
  if (typeof strategy === "string") return strategy
  try {
    return JSON.stringify(strategy.decide(view, null).until.time ?? "decided")
  } catch (mistake) {
    assert.strictEqual(mistake instanceof Error ? mistake.name : "", "OwnCodeFailed", String(mistake))
    return String(mistake)
  }
}

describe("code that attacks the surroundings of its machine", () => {
  it("cannot break the type stripper for other code", () => {
    const nested = `const out: number = ${"(".repeat(20_000)}1${")".repeat(20_000)}`
    try {
      withoutTypes(nested)
    } catch (mistake) {
      assert.match(String(mistake), /^OwnCodeFailed: /)
    }
    assert.include(withoutTypes("const out: number = 1"), "const out")
  })

  it.skipIf(!isLong)("cannot make the type stripper run longer than its time", () => {
    const doubling = `const x: any = ${"async<a>(a = ".repeat(40)}1${")".repeat(40)}`
    assert.throws(() => withoutTypes(doubling), /OwnCodeFailed|take longer/)
    assert.include(withoutTypes("const out: number = 1"), "const out")
  })

  it("holds at most until the last possible date", () => {
    assert.strictEqual(decided(holding("{ time: 1e308 }")), "8640000000000000")
    assert.strictEqual(decided(holding("{ time: -1e308 }")), "0")
  })

  it("has no order at a price or of a size beyond those of venues", () => {
    for (const [price, amount] of [
      ["1e308", "1"],
      ["1e31", "1"],
      ["5e-324", "1"],
      ["60000", "1e308"]
    ])
      assert.match(
        decided(
          ordering(
            `{ slot: "a", legs: [{ side: "sell", price: ${price}, size: { unit: "base", amount: ${amount} } }], why: "" }`
          )
        ),
        /from 1e-30 to 1e30/
      )
  })

  it("has at most a thousand waiting slots, and is refused quickly with more", () => {
    const many = decideBy(
      `return { orders: [], waiting: new Array(40000).fill({ slot: "a", why: "" }), until: { fill: true } }`
    )
    const begun = process.cpuUsage()
    assert.match(decided(many), /its answer is not a decision/)
    assert.isBelow(process.cpuUsage(begun).user, 3_000_000)
  })

  it("cannot continue beyond its steps by catching their end as a failed promise", () => {
    const body = `const P = (async () => {})().constructor; let k = 0
      for (let i = 0; i < 200; i++) P.try(() => { for (;;) k++ })
      return { orders: [], until: { fill: true } }`
    assert.match(decided(decideBy(body)), /more than 1000000 steps/)
  })

  it("cannot fill the memory with indicators", () => {
    const body = `for (let length = 1; length < 200; length++) view.candles("1m").sma(length)
      return { orders: [], until: { fill: true } }`
    assert.match(decided(decideBy(body)), /more than 64 indicators/)
  })

  it("writes nothing that a terminal obeys", () => {
    const said = decided(decideBy(`throw new Error("\\x1b]0;owned\\x07\\x1b[2Jfine")`))
    assert.include(said, "fine")
    for (const letter of ["\u001b", "\u0007"]) assert.notInclude(said, letter)
  })
})
