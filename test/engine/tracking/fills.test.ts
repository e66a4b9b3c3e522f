/** Fills that are not what they were: grown, shrunk, renamed, gone. Nothing of what reports disagree about counts as free. */
import { assert, describe, it } from "@effect/vitest"
import * as Ledger from "../../../src/domain/Ledger.ts"
import type { Fill, Order } from "../../../src/domain/Order.ts"
import { lackingIn, observe } from "../../../src/engine/tracking/OrderTracker.ts"
import { budget, type Life, quoteOf, reports, start } from "./orderLife.ts"

const half: Life = { side: "SELL", fills: [500_000n], rest: 500_000n, withdrawFee: 0n, refundFee: 0n }
const two: Life = { side: "SELL", fills: [200_000n, 300_000n], rest: 500_000n, withdrawFee: 0n, refundFee: 0n }

/** An order whose reports are shown with these fills, one after the other; the last one is the last word. */
const lived = (
  life: Life,
  shown: ReadonlyArray<(fills: ReadonlyArray<Fill>) => ReadonlyArray<Fill>>,
  insists = false
) => {
  const world = start(life)
  const all = reports(life)
  const [open, ...rest] = all
  const partial = rest[life.fills.length - 1]
  const paid = all.at(-1)
  if (open === undefined || partial === undefined || paid === undefined) throw new Error("no reports")
  const kinds: Array<string> = []
  const see = (order: Order, manner = {}) => {
    const known = world.placement()
    if (known === undefined) return
    const events = observe(known, order, undefined, manner)
    kinds.push(...events.map((event) => (event._tag === "Contradiction" ? event.what : event._tag)))
    world.record(...events)
  }
  see(open)
  shown.forEach((change, index) => {
    const isLast = index === shown.length - 1
    const truth = isLast ? paid : partial
    see({ ...truth, fills: change(truth.fills) }, isLast ? { insists } : {})
  })
  const of = (asset: string) =>
    new Map(
      Ledger.totals(world.state.ledger).flatMap((each) =>
        each.asset === asset && each.amount !== 0n ? [[each.place, each.amount]] : []
      )
    )
  return {
    ...world,
    kinds,
    free: (asset: "BTC" | "USDC") =>
      Ledger.freeOf(world.state.ledger, "s", asset) - (asset === "BTC" ? budget.base : budget.quote),
    residual: (asset: string) => of(asset).get("residual") ?? 0n,
    tracked: (order: Order) => {
      const known = world.placement()
      return known === undefined ? undefined : lackingIn(known, order)
    }
  }
}

const asTheyAre = (fills: ReadonlyArray<Fill>) => fills
const each = (change: (fill: Fill, index: number) => Partial<Fill>) => (fills: ReadonlyArray<Fill>) =>
  fills.map((fill, index) => ({ ...fill, ...change(fill, index) }))
const times = (by: bigint, updatedAt?: number) =>
  each(({ amountIn, amountOut }) => ({
    amountIn: (amountIn * by) / 4n,
    amountOut: (amountOut * by) / 4n,
    ...(updatedAt === undefined ? {} : { updatedAt })
  }))

describe("a fill that changes", () => {
  it("by growing is booked as one fill, not as a refund", () => {
    const { free, kinds, placement, residual, state } = lived(half, [times(1n, 10), times(2n, 20), times(4n, 30)])
    assert.deepStrictEqual(
      kinds.filter((kind) => kind === "FillSeen" || kind.includes("changed")),
      ["FillSeen", "FillSeen", "FillSeen"]
    )
    assert.isUndefined(placement(), "it is settled")
    assert.strictEqual(free("BTC"), -500_000n)
    assert.strictEqual(free("USDC"), quoteOf(500_000n))
    assert.strictEqual(residual("BTC"), 0n)
    assert.isUndefined(state.strategies.get("s")?.unexplained)
  })

  for (const [what, every] of [
    ["each step is seen", 1],
    ["every seventh step is seen", 7]
  ] as const) {
    it(`by growing in 105 steps, each rounded down, settles without a report: ${what}`, () => {
      const whole: Life = { ...half, fills: [10_500_000n], rest: 0n }
      const world = start(whole)
      const open = reports(whole)[0] ?? assert.fail("no reports")
      const paid = reports(whole).at(-1) ?? assert.fail("no reports")
      const [fill] = paid.fills
      const grown = (step: bigint) => [
        {
          ...(fill ?? assert.fail("no fill")),
          amountIn: step * 100_000n,
          amountOut: step * (quoteOf(100_000n) - 1n),
          updatedAt: Number(step)
        }
      ]
      const kinds: Array<string> = []
      const see = (order: Order) => {
        const events = observe(world.placement() ?? assert.fail("it is gone"), order)
        kinds.push(...events.map((event) => (event._tag === "Contradiction" ? event.what : event._tag)))
        world.record(...events)
      }
      for (let step = every; step <= 105; step += every)
        see({ ...open, fillStatus: "PARTIALLY_FILLED", fills: grown(BigInt(step)) })
      see({ ...paid, fills: grown(105n) })
      assert.deepStrictEqual(
        kinds.filter((kind) => kind.includes(" ")),
        []
      )
      assert.isUndefined(world.placement(), "it is settled")
      assert.isUndefined(world.state.slots.get("s/a")?.frozen)
      const free = Ledger.freeOf(world.state.ledger, "s", "USDC") - budget.quote
      assert.strictEqual(free, quoteOf(10_500_000n) - 105n)
      assert.isUndefined(world.state.strategies.get("s")?.unexplained)
    })
  }

  it("by growing in one amount by what the rounding of its earlier slices explains is booked", () => {
    const slice = (amountIn: bigint, amountOut: bigint, updatedAt: number) =>
      each(() => ({ amountIn, amountOut, updatedAt }))
    const small: Life = { ...half, fills: [4n] }
    const { kinds, placement, state } = lived(small, [
      slice(3n, 1_050n, 10),
      slice(3n, 1_450n, 20),
      slice(4n, 2_000n, 30)
    ])
    const facts = kinds.filter((kind) => kind === "FillSeen" || kind.includes(" "))
    assert.deepStrictEqual(facts, ["FillSeen", "FillSeen", "FillSeen"])
    assert.isUndefined(placement(), "it is settled")
    assert.isUndefined(state.slots.get("s/a")?.frozen)
  })

  for (const [what, deposited, isFrozen] of [
    ["grows 500 times is no contradiction", (step: number) => step, false],
    ["grows and shrinks 100 times is a contradiction", (step: number) => step % 2, true]
  ] as const)
    it(`in the report of a swap that ${what}`, () => {
      const world = start(half)
      const open = reports(half)[0] ?? assert.fail("no reports")
      const noHashes = { intentHashes: [], ledgerTxHashes: [], originTxHashes: [], destinationTxHashes: [] }
      const kinds: Array<string> = []
      for (let step = 1; step <= 500; step += 1) {
        const report = { status: "PROCESSING", deposited: BigInt(deposited(step)), ...noHashes }
        const events = observe(world.placement() ?? assert.fail("it is gone"), { ...open, report })
        kinds.push(...events.map((event) => event._tag))
        world.record(...events)
      }
      assert.strictEqual(kinds.includes("Contradiction"), isFrozen)
      const reportCount = kinds.filter((kind) => kind === "SwapReported").length
      if (isFrozen) assert.isAtMost(reportCount, 200)
      else assert.strictEqual(reportCount, 500)
      assert.strictEqual(world.state.slots.get("s/a")?.frozen !== undefined, isFrozen)
    })

  for (const side of ["SELL", "BUY"] as const) {
    for (const amount of ["amountIn", "amountOut"] as const) {
      const other = amount === "amountIn" ? "amountOut" : "amountIn"
      const less = (by: bigint, updatedAt: number) => each((fill) => ({ [amount]: fill[amount] - by, updatedAt }))
      const unexplained = (side === "BUY") === (amount === "amountIn") ? 20_000n : 2n
      const world = (...shown: Parameters<typeof lived>[1]) => lived({ ...half, side }, shown)

      it(`by growing in ${amount} of a ${side} alone is booked as one fill`, () => {
        const { kinds, placement, residual, state } = world(less(2n, 10), less(1n, 20), less(0n, 30))
        const facts = kinds.filter((kind) => kind === "FillSeen" || kind.includes(" "))
        assert.deepStrictEqual(facts, ["FillSeen", "FillSeen", "FillSeen"])
        assert.isUndefined(placement(), "it is settled")
        assert.isUndefined(state.slots.get("s/a")?.frozen)
        assert.strictEqual(residual("BTC") + residual("USDC"), 0n)
        assert.isUndefined(state.strategies.get("s")?.unexplained)
      })

      it(`back to an earlier ${amount} of a ${side} is ignored as an older view`, () => {
        const { kinds, placement } = world(less(1n, 10), less(0n, 20), less(1n, 10), less(0n, 20))
        assert.deepStrictEqual(kinds.slice(0, 5), ["DepositSeen", "StatusSeen", "FillSeen", "StatusSeen", "FillSeen"])
        assert.isUndefined(placement(), "it is settled")
      })

      for (const [what, first, last] of [
        ["shrinks", less(0n, 10), less(1n, 20)],
        ["grows without a newer date", less(1n, 20), less(0n, 20)],
        ["grows alone by more than rounding", less(unexplained, 10), less(0n, 20)],
        ["grows while the other shrinks", less(1n, 10), each((fill) => ({ [other]: fill[other] - 1n, updatedAt: 20 }))]
      ] as const)
        it(`is a contradiction if ${amount} of a ${side} ${what}`, () => {
          const { kinds, state } = world(first, last)
          assert.include(kinds, "fill f0 changed its amounts")
          assert.isDefined(state.slots.get("s/a")?.frozen)
        })
    }
  }

  it("by a larger input alone than rounding explains is a contradiction", () => {
    const dearer = (thousandths: bigint, updatedAt: number) =>
      each(({ amountIn, amountOut }) => ({
        amountIn: (amountIn * thousandths) / 1_000n,
        amountOut: (amountOut * 990n) / 1_000n,
        updatedAt
      }))
    const { kinds, state } = lived(half, [dearer(990n, 10), dearer(1_000n, 20)])
    assert.include(kinds, "fill f0 changed its amounts")
    assert.isDefined(state.slots.get("s/a")?.frozen)
  })

  it("by worse steps than rounding explains is a contradiction", () => {
    const worse = (by: bigint, updatedAt: number) =>
      each(({ amountIn, amountOut }) => ({
        amountIn: (amountIn * by) / 4n,
        amountOut: (amountOut * by * 999n) / 4_000n,
        updatedAt
      }))
    const { kinds } = lived(half, [worse(2n, 20), worse(4n, 30)])
    assert.include(kinds, "fill f0 is worse than the limit price")
  })

  it("back to an earlier size is ignored as an older view", () => {
    const { free, kinds, residual } = lived(half, [times(1n, 10), times(4n, 30), times(1n, 10), times(4n, 30)])
    assert.deepStrictEqual(kinds.slice(0, 5), ["DepositSeen", "StatusSeen", "FillSeen", "StatusSeen", "FillSeen"])
    assert.strictEqual(free("BTC"), -500_000n)
    assert.strictEqual(residual("BTC"), 0n)
  })

  for (const [what, first, last] of [
    ["grows without a newer date", times(1n), times(4n)],
    ["grows with an older date", times(1n, 20), times(4n, 10)],
    ["grows with the same date", times(1n, 20), times(4n, 20)]
  ] as const) {
    it(`and ${what} counts the most it may have spent and the least it surely brought`, () => {
      const { free, kinds, residual, state } = lived(half, [first, last])
      assert.include(kinds, "fill f0 changed its amounts")
      assert.strictEqual(free("BTC"), -500_000n, "what it may have spent")
      assert.strictEqual(free("USDC"), quoteOf(125_000n), "what it surely brought")
      assert.strictEqual(residual("BTC"), 375_000n)
      assert.isDefined(state.strategies.get("s")?.unexplained)
    })
  }

  it("by shrinking takes back what it brought, and not what it spent", () => {
    const { free, kinds, residual, state } = lived(half, [times(4n, 20), times(1n, 30)])
    assert.include(kinds, "fill f0 changed its amounts")
    assert.strictEqual(free("BTC"), -500_000n)
    assert.strictEqual(free("USDC"), quoteOf(125_000n))
    assert.strictEqual(residual("USDC"), quoteOf(375_000n))
    assert.isDefined(state.strategies.get("s")?.unexplained)
  })

  it("by growing after the end is booked as a fill, not as a refund", () => {
    const world = start(half)
    const all = reports(half)
    const ended = all[3]
    const paid = all.at(-1)
    if (ended === undefined || paid === undefined) return assert.fail("no reports")
    const see = (order: Order) => {
      const known = world.placement()
      if (known !== undefined) world.record(...observe(known, order))
    }
    see({ ...ended, fills: times(1n, 10)(ended.fills) })
    assert.strictEqual(world.placement()?.unspent, 875_000n)
    see({ ...paid, fills: times(4n, 30)(paid.fills) })
    assert.isAtMost(Number(Ledger.freeOf(world.state.ledger, "s", "BTC") - budget.base), -500_000)
    assert.isDefined(world.state.slots.get("s/a")?.frozen)
  })

  it("only its id at each read is one fill, and the order settles", () => {
    const renamed = (run: number) => each(({ id }) => ({ id: `${id}-${run}` }))
    const { free, kinds, placement, residual } = lived(two, [renamed(1), renamed(2), renamed(3)])
    assert.lengthOf(
      kinds.filter((kind) => kind === "FillSeen"),
      2
    )
    assert.isUndefined(placement())
    assert.strictEqual(free("BTC"), -500_000n)
    assert.strictEqual(free("USDC"), quoteOf(500_000n))
    assert.strictEqual(residual("BTC") + residual("USDC"), 0n)
  })

  it("its id with another fill is reported, and the sums are right", () => {
    const { free, kinds, residual } = lived(two, [
      asTheyAre,
      (fills) => fills.map((fill, index) => ({ ...fill, id: fills[1 - index]?.id ?? "" }))
    ])
    assert.include(kinds, "fill f0 changed its amounts".replace("f0", "f1"))
    assert.strictEqual(free("BTC"), -500_000n)
    assert.strictEqual(free("USDC"), quoteOf(500_000n))
    assert.strictEqual(residual("BTC") + residual("USDC"), 0n)
  })

  it("its id beside an equal one stays one of two fills", () => {
    const twins: Life = { ...two, fills: [250_000n, 250_000n] }
    const first = lived(twins, [(fills) => fills.slice(0, 1), asTheyAre])
    assert.strictEqual(first.free("BTC"), -500_000n)
    const renamed = each(({ id }) => ({ id: `${id}-again` }))
    const second = lived(twins, [asTheyAre, renamed])
    assert.strictEqual(second.free("BTC"), -500_000n)
    assert.strictEqual(second.free("USDC"), quoteOf(500_000n))
  })

  it("by disappearing for good lets the order end, and its proceeds are unexplained", () => {
    const paid = reports(two).at(-1)
    if (paid === undefined) return assert.fail("no reports")
    const first = lived(two, [asTheyAre, (fills) => fills.slice(0, 1)])
    assert.isDefined(first.placement(), "once may be an accident")
    assert.match(first.tracked({ ...paid, fills: paid.fills.slice(0, 1) }) ?? "", /lacks f1/)
    const { free, placement, residual, state } = lived(two, [asTheyAre, (fills) => fills.slice(0, 1)], true)
    assert.isUndefined(placement())
    assert.strictEqual(free("BTC"), -500_000n, "the refund is no larger for it")
    assert.strictEqual(free("USDC"), quoteOf(200_000n))
    assert.strictEqual(residual("USDC"), quoteOf(300_000n))
    assert.isDefined(state.strategies.get("s")?.unexplained)
  })

  it("into another one at the end is reported with the venue's fill", () => {
    const whole: Life = { ...half, fills: [1_000_000n], rest: 0n }
    const world = start(whole)
    const [open, paid] = [reports(whole)[0], reports(whole).at(-1)]
    const known = () => world.placement() ?? assert.fail("it is gone")
    if (open === undefined || paid === undefined) return assert.fail("no reports")
    const older: Fill = { id: "older", amountIn: 900_000n, amountOut: quoteOf(900_000n), at: 1 }
    world.record(...observe(known(), { ...open, fillStatus: "PARTIALLY_FILLED", fills: [older] }))
    const told = observe(known(), paid, undefined, { insists: true }).flatMap((event) =>
      event._tag === "Contradiction" ? [event.what] : []
    )
    assert.deepStrictEqual(told, [
      "it is FILLED, and partialFills lacks older, which it had shown: the venue shows fills of 500000000 USDC, the journal has 450000000"
    ])
  })

  it("into an empty list is not booked as a refund of the whole order", () => {
    const world = start(half)
    const paid = reports(half).at(-1)
    const known = world.placement()
    if (known === undefined || paid === undefined) return assert.fail("no reports")
    world.record(...observe(known, { ...paid, fillStatus: "FILLED", fills: [], withdrawals: [] }))
    assert.strictEqual(Ledger.freeOf(world.state.ledger, "s", "BTC"), budget.base - 1_000_000n)
    assert.isDefined(world.state.strategies.get("s")?.unexplained)
    assert.include(world.state.slots.get("s/a")?.frozen ?? "", "the deposit was refunded")
  })

  it("together with a smaller deposit at the end is named, and the order still ends", () => {
    const world = start(half)
    const all = reports(half)
    const paid = all.at(-1)
    const known = () => world.placement() ?? assert.fail("it is gone")
    if (all[0] === undefined || paid === undefined) return assert.fail("no reports")
    world.record(...observe(known(), all[0]))
    const less = { ...paid, depositedAmount: 800_000n }
    assert.deepStrictEqual(observe(known(), less), [])
    assert.match(lackingIn(known(), less) ?? "", /depositedAmount is 800000, less/)
    world.record(...observe(known(), less, undefined, { insists: true }))
    assert.isUndefined(world.placement())
    assert.strictEqual(Ledger.freeOf(world.state.ledger, "s", "BTC"), budget.base - 1_000_000n + 300_000n)
  })
})
