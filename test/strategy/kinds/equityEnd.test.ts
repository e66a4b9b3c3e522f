/** `equity` and `restart`: a strategy of any kind ends by its equity, and begins again. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Decision, Memory } from "../../../src/strategy/Decision.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import { type OwnState, type SlotProgress, untouchedSlot } from "../../../src/strategy/View.ts"
import { price, problemsOf, strategyOf, viewAt } from "../support.ts"

const head = (keys: string, kind = "grid", budget = "{ quote: 10000 }") =>
  `name: s\nmarket: BTC/USDC\nkind: ${kind}\nlimits: { budget: ${budget} }\n${keys}\n`
const grid = "grid: { levels: [90, 95, 100, 105], size: { base: 10 } }\n"
const btc = 100_000_000n
const usdc = 1_000_000n
const nothing: OwnState = { openOrders: 0, freeBase: 0n, freeQuote: 10_000n * usdc, position: 0n, realisedProfit: 0n }
/** Ten coins bought at 95. */
const bought: OwnState = {
  ...nothing,
  freeBase: 10n * btc,
  freeQuote: 9_050n * usdc,
  position: 10n * btc,
  averageEntry: price("95")
}
const buys = new Map<string, SlotProgress>([
  ["cell-01", { ...untouchedSlot, completedLegs: 1, bought: 10n * btc, receivedByLastLeg: 10n * btc }]
])

const at = (
  strategy: Strategy,
  middle: string,
  own: OwnState,
  memory: Memory = strategy.initialMemory,
  slots: ReadonlyMap<string, SlotProgress> = new Map(),
  now = 0
): Decision => strategy.decide({ ...viewAt(strategy, price(middle), slots, now), own }, memory)
const orders = ({ desired }: Decision) =>
  desired.map(({ slot, legs: [leg] }) => `${slot} ${leg.side} ${leg.quantity / btc} at ${Decimal.format(leg.price)}`)
const whys = ({ absent }: Decision) => [...new Set(absent.map(({ why }) => why.text))]
const bounds = ({ until, stops }: Decision) =>
  [until.priceBelow, until.priceAbove, stops?.priceBelow].map((each) => each && Decimal.short(each))

describe("equity", () => {
  const ending = (terms: string, keys = "") => strategyOf(`${head(`equity: { ${terms} }${keys}`)}${grid}`)

  it("ends the strategy at its stop, sells, and says why", () => {
    const strategy = ending("stop: 2%")
    const first = at(strategy, "101", nothing)
    const held = at(strategy, "96", bought, first.memory, buys)
    // 9050 and ten coins are 9800 at 75.
    assert.deepStrictEqual(bounds(held), ["75", undefined, "75"])
    assert.deepStrictEqual(orders(at(strategy, "75.01", bought, held.memory, buys)), orders(held))
    const ended = at(strategy, "75", bought, held.memory, buys)
    assert.deepStrictEqual(orders(ended), ["exit SELL 10 at 74.63"])
    assert.deepStrictEqual(whys(ended), ["ended: its equity reached the stop of 9800 USDC, then sells 10 BTC"])
    const recovered = at(strategy, "99", { ...bought, freeBase: 0n }, ended.memory, buys)
    assert.deepStrictEqual([orders(recovered), whys(recovered)], [[], whys(ended)])
  })

  it("ends it at its take-profit", () => {
    const strategy = ending("takeProfit: 1%")
    const first = at(strategy, "101", nothing)
    assert.deepStrictEqual(bounds(at(strategy, "96", bought, first.memory, buys)), [undefined, "105", undefined])
    const ended = at(strategy, "105", bought, first.memory, buys)
    assert.deepStrictEqual(whys(ended), ["ended: its equity reached the take-profit of 10100 USDC, then sells 10 BTC"])
  })

  it("follows the highest equity with `trail`, from `trailFrom` on", () => {
    const strategy = ending("trail: 1%, trailFrom: 0.5%")
    const first = at(strategy, "101", nothing)
    const waits = at(strategy, "96", bought, first.memory, buys)
    assert.deepStrictEqual(bounds(waits), [undefined, "100", undefined])
    // From 10100 on it ends 1% below, at 9999; the next step is 0.1% higher.
    const trails = at(strategy, "105", bought, waits.memory, buys)
    assert.deepStrictEqual(bounds(trails), ["94.9", "106.01", "94.9"])
    const fallen = at(strategy, "94.9", bought, trails.memory, buys)
    assert.deepStrictEqual(whys(fallen), [
      "ended: its equity reached the trailing stop of 9999 USDC, then sells 10 BTC"
    ])
  })

  it("counts all that a sale of the budget's base has brought", () => {
    const strategy = strategyOf(`${head("equity: { stop: 3% }", "grid", "{ base: 5, quote: 10000 }")}${grid}`)
    const first = at(strategy, "100", { ...nothing, freeBase: 5n * btc })
    // Three coins sold for 100: 10100 and two coins are 10185, 3 % below the beginning, at 42.5.
    const sold = { ...nothing, freeBase: 2n * btc, freeQuote: 10_100n * usdc, position: -3n * btc }
    const averageEntry = price("33.333333333333333333")
    const { priceBelow } = at(strategy, "100", { ...sold, averageEntry }, first.memory).until
    assert.strictEqual(priceBelow && Decimal.format(priceBelow), "42.5")
  })

  it("raises the stop with what sales earn, and does not lower it", () => {
    const strategy = ending("stop: 2%, stopRises: 50%")
    const first = at(strategy, "101", nothing)
    const earned = { ...bought, realisedProfit: 100n * usdc }
    // 9800 and half of 100.
    assert.deepStrictEqual(bounds(at(strategy, "96", earned, first.memory, buys))[0], "70")
    const less = { ...bought, realisedProfit: 60n * usdc }
    const risen = at(strategy, "96", earned, first.memory, buys).memory
    assert.deepStrictEqual(bounds(at(strategy, "96", less, risen, buys))[0], "74")
  })

  it.each([
    ["more quote", "{ quote: 12000 }", 2_000n, 0n, "71"],
    ["less quote", "{ quote: 9000 }", -1_000n, 0n, "77"],
    ["base as well", "{ base: 10, quote: 10000 }", 0n, 10n, "84.54"]
  ])("takes an edit of the budget for neither profit nor loss: %s", (_, budget, quote, base, stop) => {
    const keys = "equity: { stop: 2%, takeProfit: 3%, trail: 5% }"
    const strategy = strategyOf(`${head(keys)}${grid}`)
    const held = at(strategy, "96", bought, at(strategy, "101", nothing).memory, buys)
    const edited = strategyOf(`${head(keys, "grid", budget)}${grid}`)
    const own = { ...bought, freeQuote: bought.freeQuote + quote * usdc, freeBase: bought.freeBase + base * btc }
    const after = at(edited, "96", own, held.memory, buys)
    assert.notInclude(whys(after).join(), "ended")
    assert.strictEqual(bounds(after)[0], stop)
    assert.deepStrictEqual(at(edited, "96", own, after.memory, buys).memory, after.memory)
  })

  it.each([
    ["cancel", []],
    ["leave", ["cell-01 BUY 10 at 95"]]
  ])("does what onEnd says: %s", (onEnd, left) => {
    const strategy = ending("stop: 2%", `\nonEnd: ${onEnd}`)
    const first = at(strategy, "101", nothing)
    assert.deepStrictEqual(orders(at(strategy, "75", bought, first.memory, buys)), left)
  })

  it("ends a strategy of another kind", () => {
    const dca = "dca: { every: 6h, size: { quote: 950 }, times: 4 }\n"
    const strategy = strategyOf(`${head("equity: { stop: 2% }", "dca")}${dca}`)
    const first = at(strategy, "95", nothing)
    assert.deepStrictEqual(orders(at(strategy, "75", bought, first.memory)), ["exit SELL 10 at 74.63"])
  })
})

describe("restart", () => {
  const strategy = strategyOf(`${head("equity: { stop: 2% }\nrestart: 1h\nwhen: mid < 103")}${grid}`)
  const sold: OwnState = { ...nothing, freeQuote: 9_796n * usdc, realisedProfit: -204n * usdc }
  const slots = new Map([...buys, ["exit", { ...untouchedSlot, completedLegs: 1, sold: 10n * btc }]])
  const first = at(strategy, "101", nothing)
  const ended = at(strategy, "75", bought, first.memory, buys)
  const over = at(strategy, "75", sold, ended.memory, slots, 1_000)
  const hour = 3_601_000

  it("begins again after its time, with new slots and the money that it has", () => {
    assert.deepStrictEqual([orders(over), over.until.time], [[], hour])
    assert.include(
      over.reasons.map(({ text }) => text),
      "begins again at 1970-01-01T01:00:01.000Z"
    )
    const again = at(strategy, "101", sold, over.memory, slots, hour)
    assert.deepStrictEqual(orders(again), [
      "cell-00-run-2 BUY 10 at 90",
      "cell-01-run-2 BUY 10 at 95",
      "cell-02-run-2 BUY 10 at 100"
    ])
    // 2% below 9796.
    const second = new Map([...slots, ["cell-01-run-2", buys.get("cell-01") ?? assert.fail()]])
    const held: OwnState = { ...sold, position: 10n * btc, averageEntry: price("95"), freeBase: 10n * btc }
    assert.deepStrictEqual(bounds(at(strategy, "96", held, again.memory, second, hour))[0], "75.408")
  })

  it("rebalances the money that it has then, and sells nothing twice", () => {
    const budget = "{ base: 10, quote: 1000 }"
    const head2 = head("equity: { takeProfit: 5% }\nrestart: 1h", "rebalance", budget)
    const shares = strategyOf(`${head2}rebalance: { target: 50%, band: 3%, reserve: 100 }\n`)
    const begun = at(shares, "100", { ...nothing, freeBase: 10n * btc, freeQuote: 1_000n * usdc })
    const left: OwnState = { ...nothing, freeBase: 8n * btc, freeQuote: 1_230n * usdc, position: -2n * btc }
    const sales = new Map([["sell", { ...untouchedSlot, completedLegs: 1, sold: 2n * btc, proceeds: 230n * usdc }]])
    const own = { ...left, averageEntry: price("115") }
    const stopped = at(shares, "116", own, begun.memory, sales, 1_000)
    const again = at(shares, "116", own, stopped.memory, sales, hour)
    const alone = strategyOf(shares.text.replace(budget, "{ base: 8, quote: 1230 }"))
    const fresh = at(alone, "116", { ...left, position: 0n })
    const legs = ({ desired }: Decision) => desired.map(({ legs: [leg] }) => leg)
    assert.deepStrictEqual(legs(again), legs(fresh))
    for (const [edit, quote] of [
      ["{ base: 10, quote: 2000 }", 2_230n],
      ["{ base: 10, quote: 500 }", 730n]
    ] as const) {
      const edited = strategyOf(shares.text.replace(budget, edit))
      const same = strategyOf(shares.text.replace(budget, `{ base: 8, quote: ${quote} }`))
      const means = { ...left, freeQuote: quote * usdc }
      const later = at(edited, "116", { ...own, ...means }, again.memory, sales, hour)
      assert.deepStrictEqual(legs(later), legs(at(same, "116", { ...means, position: 0n })), edit)
    }
  })

  it("sells at the stop of a later run what that run bought, also after the sale of the budget's base", () => {
    const keys = head("equity: { stop: 2% }\nrestart: 1h", "grid", "{ base: 10, quote: 10000 }")
    const both = strategyOf(`${keys}${grid.replace("} }", "}, stop: 80 }")}`)
    const begun = at(both, "101", { ...nothing, freeBase: 10n * btc })
    const without: OwnState = { ...nothing, freeQuote: 10_790n * usdc, position: -10n * btc, averageEntry: price("79") }
    const fallen = at(both, "79", without, begun.memory, buys, 1_000)
    const again = at(both, "101", without, fallen.memory, buys, hour)
    const second = new Map([...buys].map(([slot, progress]) => [`${slot}-run-2`, progress]))
    // Twenty coins bought at 95; the first ten of them replace those of the budget.
    const held: OwnState = { ...bought, freeBase: 20n * btc, freeQuote: 8_890n * usdc, realisedProfit: -160n * usdc }
    assert.deepStrictEqual(orders(at(both, "81", held, again.memory, second, hour)), ["exit-run-2 SELL 20 at 80.6"])
  })

  it("waits for its condition again", () => {
    const waits = at(strategy, "104", sold, over.memory, slots, hour)
    assert.deepStrictEqual([orders(waits), whys(waits)], [[], ["begins when mid < 103"]])
    const begun = at(strategy, "101", sold, waits.memory, slots, hour)
    const later = at(strategy, "96", sold, JSON.parse(JSON.stringify(begun.memory)), slots, 2 * hour)
    assert.deepStrictEqual([orders(later), later.memory], [orders(begun), begun.memory])
  })

  it("waits while an order is open or base is on its way back", () => {
    const live = { side: "BUY", price: price("90"), quantity: btc } as const
    const open = new Map([...slots, ["cell-00", { ...untouchedSlot, live }]])
    assert.isUndefined(at(strategy, "75", sold, ended.memory, open, 1_000).until.time)
    assert.isUndefined(at(strategy, "75", { ...bought, freeBase: 0n }, ended.memory, buys, 1_000).until.time)
  })

  it("begins again after the stop of a grid, but not where it would end at once", () => {
    const text = `${head("restart: 1h")}${grid.replace("} }", "}, stop: 80 }")}`
    const guarded = strategyOf(text)
    const begun = at(guarded, "101", nothing)
    const fallen = at(guarded, "79", sold, begun.memory, slots, 1_000)
    const later = at(guarded, "79", sold, fallen.memory, slots, hour)
    assert.deepStrictEqual([orders(later), later.until.time], [[], hour + 3_600_000])
    const back = at(guarded, "92", sold, later.memory, slots, hour + 3_600_000)
    assert.deepStrictEqual(orders(back), ["cell-00-run-2 BUY 10 at 90"])
  })
})

describe("mistakes about equity and restart", () => {
  it.each([
    ["equity: { stop: 100% }", "5:17: no price falls by 100%"],
    ["equity: { trailFrom: 2%, stop: 3% }", "5:22: trailFrom without trail does nothing"],
    ["equity: { stopRises: 50%, trail: 3% }", "5:22: stopRises without stop does nothing"],
    ["equity: { stopRises: 150%, stop: 3% }", "5:22: 150% is too much: at most 100% is possible"],
    ["equity: {}", "5:9: nothing ends it: give stop, takeProfit or trail"],
    ["equity: { stopp: 3% }", '5:11: unknown key "stopp"'],
    ["restart: 1h", "5:10: restart has no effect here: nothing ends the whole strategy"]
  ])("are reported with their place: %s", (keys, says) => {
    const [problem] = problemsOf(`${head(keys)}${grid}`)
    assert.include(`${problem?.line}:${problem?.column}: ${problem?.message}`, says)
  })

  it("are reported with their place: skim with restart", () => {
    const keys = head("equity: { stop: 3% }\nrestart: 1h\nskim: 20000", "rebalance", "{ base: 1, quote: 10000 }")
    const [problem] = problemsOf(`${keys}rebalance: { target: 50%, band: 3% }\n`)
    assert.include(problem?.message, "after a restart the next run would use what skim has set aside")
  })
})
