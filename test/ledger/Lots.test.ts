/** Lots on random histories: nothing is lost or invented, whatever the method; average cost is what strategies see. */
import { assert, describe, it } from "@effect/vitest"
import * as CostBasis from "../../src/domain/CostBasis.ts"
import { earned, match, methods } from "../../src/ledger/Lots.ts"
import type { Trade } from "../../src/ledger/Trades.ts"
import { between, integerBetween, random } from "../strategy/support.ts"

const trade = (at: number, side: Trade["side"], baseAmount: bigint, quoteAmount: bigint): Trade => ({
  at,
  strategy: "s",
  slot: `slot-${at % 3}`,
  placement: `p${at}`,
  market: "BTC/USDC",
  base: "BTC",
  quote: "USDC",
  fillId: `f${at}`,
  side,
  baseAmount,
  quoteAmount
})

const historyOf = (seed: number): ReadonlyArray<Trade> => {
  const next = random(seed)
  return Array.from({ length: integerBetween(next, 1, 40) }, (_, at) => {
    const base = BigInt(integerBetween(next, 1, 1_000_000))
    return trade(at, next() < 0.5 ? "BUY" : "SELL", base, BigInt(Math.ceil(Number(base) * between(next, 0.5, 2))))
  })
}

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)
const realised = ({ gains }: ReturnType<typeof match>): bigint => sum(gains.map(earned))

describe("lots", () => {
  it("of 500 random histories give the fills' position and money, to the unit, by every method", () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const history = historyOf(seed)
      const signed = (sign: 1n | -1n, of: (each: Trade) => bigint) =>
        sum(history.map((each) => (each.side === "BUY" ? sign : -sign) * of(each)))
      for (const method of methods) {
        const matched = match(history, method)
        const position = sum(matched.open.map(({ isShort, quantity }) => (isShort ? -quantity : quantity)))
        assert.strictEqual(
          position,
          signed(1n, ({ baseAmount }) => baseAmount),
          `${method} ${seed}`
        )
        const tiedUp = sum(matched.open.map(({ isShort, cost }) => (isShort ? -cost : cost)))
        assert.strictEqual(
          realised(matched) - tiedUp,
          signed(-1n, ({ quoteAmount }) => quoteAmount),
          `${method} ${seed}`
        )
      }
    }
  })

  it("by average cost earn what strategies see as their realised profit", () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const history = historyOf(seed)
      const basis = history.reduce(
        (known, { side, baseAmount, quoteAmount }) => CostBasis.trade(known, side, baseAmount, quoteAmount),
        CostBasis.empty
      )
      assert.strictEqual(realised(match(history, "average")), basis.realised, String(seed))
    }
  })

  it("are closed in the order of the method", () => {
    const history = [
      trade(1, "BUY", 100n, 1_000n),
      trade(2, "BUY", 100n, 3_000n),
      trade(3, "BUY", 100n, 2_000n),
      trade(4, "SELL", 150n, 6_000n)
    ]
    const costs = methods.map((method) => match(history, method).gains.map(({ openedBy, cost }) => [openedBy.at, cost]))
    assert.deepStrictEqual(costs, [
      [
        [1, 1_000n],
        [2, 1_500n]
      ],
      [
        [3, 2_000n],
        [2, 1_500n]
      ],
      [
        [2, 3_000n],
        [3, 1_000n]
      ],
      [[1, 3_000n]]
    ])
    assert.deepStrictEqual(
      methods.map((method) => realised(match(history, method))),
      [3_500n, 2_500n, 2_000n, 3_000n]
    )
  })

  it("of short sales are closed by the next purchase", () => {
    const { gains, open } = match([trade(1, "SELL", 10n, 100n), trade(2, "BUY", 30n, 240n)], "fifo")
    assert.deepStrictEqual(
      gains.map(({ isShort, cost, proceeds }) => [isShort, cost, proceeds]),
      [[true, 80n, 100n]]
    )
    assert.deepStrictEqual(
      open.map(({ isShort, quantity, cost }) => [isShort, quantity, cost]),
      [[false, 20n, 160n]]
    )
  })

  it("of equal cost per unit are closed oldest first, bought or sold", () => {
    for (const [opens, closes] of [
      ["BUY", "SELL"],
      ["SELL", "BUY"]
    ] as const) {
      const history = [trade(1, opens, 100n, 1_000n), trade(2, opens, 50n, 500n), trade(3, closes, 100n, 2_000n)]
      assert.deepStrictEqual(
        match(history, "hifo").gains.map(({ openedBy }) => openedBy.at),
        [1]
      )
    }
    const shorts = [trade(1, "SELL", 10n, 100n), trade(2, "SELL", 10n, 90n), trade(3, "BUY", 10n, 50n)]
    assert.strictEqual(match(shorts, "hifo").gains[0]?.openedBy.at, 2, "the one that brought in least")
  })

  it("add up to the last unit, and closed lots are removed", () => {
    for (const method of methods) {
      const history = [trade(1, "BUY", 2n, 20n), trade(2, "SELL", 1n, 15n), trade(3, "SELL", 2n, 30n)]
      const { gains, open } = match(history, method)
      assert.deepStrictEqual(
        gains.map(({ quantity, cost, proceeds }) => [quantity, cost, proceeds]),
        [
          [1n, 10n, 15n],
          [1n, 10n, 15n]
        ]
      )
      assert.deepStrictEqual(
        open.map(({ isShort, quantity, cost }) => [isShort, quantity, cost]),
        [[true, 1n, 15n]]
      )
      assert.deepStrictEqual(match(history.slice(0, 1), method).open.length, 1)
      assert.deepStrictEqual(match([...history, trade(4, "BUY", 1n, 9n)], method).open, [])
    }
  })

  it("still open from before are closed like any other, and are not modified", () => {
    const books = match([trade(1, "BUY", 4n, 40n)], "fifo")
    const { open } = books
    const { gains } = match([trade(2, "SELL", 1n, 20n)], "fifo", books)
    assert.deepStrictEqual(
      gains.map(({ openedBy, cost }) => [openedBy.at, cost]),
      [[1, 10n]]
    )
    assert.deepStrictEqual(
      open.map(({ quantity }) => quantity),
      [4n]
    )
  })

  it("given up as lost keep their date and cost if they arrive after all, by every method", () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const history = historyOf(seed)
      const lost: Trade = { ...trade(50, "SELL", 700_000n, 0n), loss: "given up" }
      const back: Trade = { ...lost, at: 51, side: "BUY", loss: "found" }
      for (const method of methods) {
        const before = match(history, method)
        const gone = match([lost], method, before)
        assert.isAtMost(Number(realised(gone)), 0)
        const after = match([back], method, gone)
        const words = `seed ${seed} ${method}`
        assert.strictEqual(realised(gone) + realised(after), 0n, words)
        const total = (lots: typeof after.open) => [
          sum(lots.map(({ quantity }) => quantity)),
          sum(lots.map(({ cost }) => cost)),
          lots.map(({ openedBy }) => openedBy.at).toSorted((a, b) => a - b)[0]
        ]
        assert.deepStrictEqual(total(after.open), total(before.open), words)
        assert.strictEqual(after.lost.size, 0)
      }
    }
  })
})
