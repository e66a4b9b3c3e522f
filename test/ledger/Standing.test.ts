/** How trading stands: the total against the budgets at the present price, and nothing told that is not known yet. */
import { assert, describe, it } from "@effect/vitest"
import { dayMillis } from "../../src/domain/Durations.ts"
import * as Profit from "../../src/ledger/Profit.ts"
import * as Standing from "../../src/ledger/Standing.ts"

const start = Date.UTC(2026, 0, 1)
const flow = (asset: string, amount: bigint, days = 0, strategy = "grid") =>
  Profit.itemOfFlow({ at: start + days * dayMillis, strategy, asset, amount })
const markets = new Map([
  ["grid", "BTC/USDC"],
  ["pair", "ETH/BTC"]
])
/** One unit of anything is worth three. */
const mark: Profit.Mark = (_market, _base, _quote, amount) => amount * 3n
const figures = Profit.plus(Profit.nothing, { gridProfit: 60n, inventory: -20n, fees: 10n })
const whole = [{ group: "", quote: "USDC", figures }]
/** On the eleventh day ten were earned and three paid, while the inventory fell. */
const earnedBy = [
  { group: "2026-01-01", quote: "USDC", figures: Profit.plus(Profit.nothing, { gridProfit: 50n, fees: 7n }) },
  {
    group: "2026-01-11",
    quote: "USDC",
    figures: Profit.plus(Profit.nothing, { gridProfit: 10n, inventory: -20n, fees: 3n })
  }
]
const strategies = [{ group: "grid", quote: "USDC", figures }]
const standing = (flows: ReadonlyArray<Profit.Item>, days: number, by = mark) =>
  Standing.of(whole, { flows, markets, mark: by, now: start + days * dayMillis, days: earnedBy, strategies })

describe("the standing of trading", () => {
  it("is the total against all budgets at the present price, since the first budget", () => {
    const flows = [flow("USDC", 300n), flow("BTC", 200n), flow("USDC", 100n, 5)]
    assert.deepStrictEqual(standing(flows, 10), [
      {
        quote: "USDC",
        figures,
        earnedToday: 7n,
        capital: 1_000n,
        equity: 1_030n,
        since: start,
        share: 0.03,
        shareOfYear: (0.03 * 365) / 10
      }
    ])
  })

  it("shows zero earned today without trades since midnight UTC", () => {
    assert.deepStrictEqual(
      [10, 10.99, 11].map((days) => standing([flow("USDC", 1_000n)], days)[0]?.earnedToday),
      [7n, 7n, 0n]
    )
  })

  it("omits the yearly share within the first day, and any share of a removed or unpriced budget", () => {
    assert.strictEqual(standing([flow("USDC", 1_000n)], 0.99)[0]?.shareOfYear, undefined)
    assert.strictEqual(standing([flow("USDC", 1_000n)], 1)[0]?.shareOfYear, 0.03 * 365)
    const gone = standing([flow("USDC", 1_000n), flow("USDC", -1_000n)], 10)[0]
    assert.deepStrictEqual([gone?.capital, gone?.share], [undefined, undefined])
    const unpriced = standing([flow("BTC", 1n), flow("USDC", 1_000n)], 10, () => undefined)[0]
    assert.deepStrictEqual(
      [unpriced?.capital, unpriced?.share, unpriced?.shareOfYear],
      [undefined, undefined, undefined]
    )
  })

  it("compares what running strategies earned with their budgets, since the first of them", () => {
    const old = { group: "old", quote: "USDC", figures: Profit.plus(Profit.nothing, { gridProfit: 2_000n }) }
    const flows = [flow("USDC", 9_000n, 0, "old"), flow("USDC", -9_000n, 4, "old"), flow("USDC", 500n, 5)]
    const ground = { flows, markets, mark, now: start + 10 * dayMillis, days: [], strategies: [...strategies, old] }
    const [all] = Standing.of([{ ...old, group: "", figures: Profit.plus(figures, old.figures) }], ground)
    assert.deepInclude(all, { capital: 500n, share: 0.06, shareOfYear: (0.06 * 365) / 5, since: start })
    assert.strictEqual(all?.figures.total, 2_030n)
  })

  it("counts each strategy in the quote of its market, including those without trades", () => {
    const all = standing([flow("USDC", 1_000n), flow("ETH", 5n, 0, "pair"), flow("BTC", 7n, 0, "pair")], 10)
    assert.deepStrictEqual(
      all.map(({ quote, capital, figures: { total } }) => [quote, capital, total]),
      [
        ["BTC", 22n, 0n],
        ["USDC", 1_000n, 30n]
      ]
    )
  })
})
