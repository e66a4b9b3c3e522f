/**
 * Reports of an order, each rewritten at random, lawfully or not, against what really happened to it: whatever is said, the
 * books balance, and no more counts as free than there is. What is missing has a place of its own.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Ledger from "../../../src/domain/Ledger.ts"
import type { Fill, Order } from "../../../src/domain/Order.ts"
import { seeded } from "../../../src/domain/Seeded.ts"
import { observe } from "../../../src/engine/tracking/OrderTracker.ts"
import { budget, type Life, quoteOf, reports, start } from "./orderLife.ts"

type Random = () => number
type Rewriting = (order: Order, random: Random, run: number) => Order

const each =
  (change: (fill: Fill, random: Random, run: number) => Partial<Fill>): Rewriting =>
  (order, random, run) => ({ ...order, fills: order.fills.map((fill) => ({ ...fill, ...change(fill, random, run) })) })

const part = ({ amountIn, amountOut }: Fill, random: Random): Partial<Fill> => {
  const percent = BigInt(20 + Math.trunc(random() * 80))
  return { amountIn: (amountIn * percent) / 100n, amountOut: (amountOut * percent) / 100n }
}
const leg = { status: "COMPLETED", txHash: "again" }

const lawful: Readonly<Record<string, Rewriting>> = {
  "other ids": each(({ id }, _, run) => ({ id: `${id}-${run}` })),
  "the other way round": (order) => ({ ...order, fills: order.fills.toReversed() }),
  "each fill twice": (order) => ({ ...order, fills: [...order.fills, ...order.fills] }),
  "as it was updated": each((_, __, run) => ({ updatedAt: 100 + run }))
}
const unlawful: Readonly<Record<string, Rewriting>> = {
  "less of each fill": each(part),
  "less of each fill, with a date": each((fill, random, run) => ({ ...part(fill, random), updatedAt: 100 + run })),
  "less of each fill under another id": each((fill, random, run) => ({
    ...part(fill, random),
    id: `${fill.id}-${run}`
  })),
  "a fill less": (order) => ({ ...order, fills: order.fills.slice(1) }),
  "no fill": (order) => ({ ...order, fills: [] }),
  "less deposited": (order) => ({ ...order, depositedAmount: (order.depositedAmount * 9n) / 10n }),
  "more deposited": (order) => ({ ...order, depositedAmount: (order.depositedAmount * 11n) / 10n }),
  "over already": (order) => ({ ...order, fillStatus: "CANCELED" }),
  "over and refunded already": (order) => ({ ...order, fillStatus: "EXPIRED", refund: leg, payoutIsFinal: true }),
  "alive again": (order) => ({ ...order, fillStatus: "OPEN" })
}

const lifeOf = (random: Random): Life => {
  const amount = () => BigInt(50_000 + Math.trunc(random() * 500_000))
  const fills = Array.from({ length: Math.trunc(random() * 4) }, amount)
  return {
    side: random() < 0.5 ? "BUY" : "SELL",
    fills,
    rest: fills.length === 0 || random() < 0.6 ? amount() : 0n,
    withdrawFee: 7n,
    refundFee: 3n
  }
}

/** What a report says before the truth is that far is no more than a doubt: `waits`, as for an end that nobody asked for. */
const lived = (seed: number) => {
  const random = seeded(seed)
  const life = lifeOf(random)
  const truths = reports(life)
  const { inputAmount, inputAsset, outputAsset, placement, record, state } = start(life)
  const told: Array<string> = []
  const rewritings = Object.entries(random() < 0.3 ? lawful : { ...lawful, ...unlawful })
  const isOver = ({ fillStatus }: Order) => fillStatus === "FILLED" || fillStatus === "CANCELED"
  let isQuiet = true
  for (let run = 0; run < 4 * truths.length; run += 1) {
    const truth = truths[Math.trunc(run / 4)]
    const known = placement()
    if (truth === undefined || known === undefined) break
    const [name, rewrite] = rewritings[Math.trunc(random() * rewritings.length)] ?? ["", (order: Order) => order]
    // Nobody can see that fills were always shown too small.
    const isLast = truth === truths.at(-1)
    const isTrue = random() < 0.3 || (isLast && / fill( less)?\b/.test(name) && name in unlawful)
    const said = isTrue ? truth : rewrite(truth, random, run)
    if (!isTrue) told.push(name)
    const events = observe(known, said, undefined, {
      isEndUnbelieved: !isOver(truth),
      insists: isOver(truth) && random() < 0.1
    })
    isQuiet &&= !events.some(({ _tag }) => _tag === "Contradiction")
    record(...events)
  }
  const spent = life.fills.reduce((sum, fill) => sum + (life.side === "SELL" ? fill : quoteOf(fill)), 0n)
  const brought = life.fills.reduce((sum, fill) => sum + (life.side === "SELL" ? quoteOf(fill) : fill), 0n)
  const budgetOf = (asset: string) => (asset === "BTC" ? budget.base : budget.quote)
  const freeOf = (asset: string) => Ledger.freeOf(state.ledger, "s", asset) - budgetOf(asset)
  const unspent = inputAmount - spent
  return {
    told,
    isSettled: placement() === undefined,
    isQuiet,
    isLawful: told.every((name) => name in lawful),
    unexplained: state.strategies.get("s")?.unexplained,
    free: [freeOf(inputAsset), freeOf(outputAsset)],
    truth: [unspent === 0n ? -spent : -spent - 3n, brought === 0n ? 0n : brought - 7n]
  }
}

describe("randomly rewritten reports", () => {
  it("free no more money than there is, and honest ones free all of it", () => {
    for (let seed = 1; seed <= 600; seed += 1) {
      const { free, isLawful, isQuiet, isSettled, told, truth, unexplained } = lived(seed)
      const words = `seed ${seed}: ${told.join(", ")}`
      const [input = 0n, output = 0n] = free
      const [leftInput = 0n, leftOutput = 0n] = truth
      assert.isTrue(input <= leftInput && output <= leftOutput, `${words}: ${free} are free, and there are ${truth}`)
      if (isLawful) assert.isTrue(isSettled && isQuiet, words)
      if (isSettled && unexplained === undefined) assert.deepStrictEqual(free, truth, words)
    }
  })
})
