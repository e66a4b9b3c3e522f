/** Solvers of a sandbox that are not as eager as by default: margins, time, money and absence. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { apply } from "../../../src/sandbox/core/Commands.ts"
import { advance } from "../../../src/sandbox/core/Control.ts"
import * as Books from "../../../src/sandbox/core/money/Books.ts"
import * as State from "../../../src/sandbox/core/State.ts"
import { defaultSettings } from "../../../src/sandbox/Settings.ts"
import { type SolverLaw, solverLaws } from "../../../src/sandbox/Solvers.ts"
import { startedAt } from "./scenario.ts"

const eager: SolverLaw = { marginBasisPoints: [0, 0], marginPerThousandUsd: 0, solvers: 1, latencyMillis: [0, 0] }
const second = 1000

/** A market whose price is set by hand, and an account that trades ETH on it. */
const venue = (solvers: SolverLaw | undefined, seed = 1) => {
  let price = 2500
  const settings = {
    ...defaultSettings("native"),
    seed,
    accounts: ["alice.test"],
    partialFillShare: 0,
    recognitionMillis: [1, 1] as const,
    ...(solvers === undefined ? {} : { solvers })
  }
  const usd = (asset: { readonly symbol: string }) => (asset.symbol === "ETH" ? price : 1)
  const model = {
    stand: () => undefined,
    stands: () => false,
    usd,
    mid: () => price,
    range: () => ({ low: price, high: price })
  }
  const state = State.make(settings, model, startedAt)
  const idOf = (symbol: string) => settings.assets.find((asset) => asset.symbol === symbol)?.id ?? ""
  const sell = (milliEth: number, limit: number): State.SandboxOrder => {
    const order = Result.getOrThrow(
      apply(
        state,
        {
          tag: "CreateOrder",
          payload: {
            owner: "partner",
            side: "SELL",
            baseAsset: idOf("ETH"),
            quoteAsset: idOf("USDC"),
            quantity: String(BigInt(milliEth) * 10n ** 15n),
            price: String(limit),
            depositType: "INTENTS",
            depositMode: "SIMPLE",
            recipient: "alice.test",
            recipientType: "INTENTS",
            refundTo: "alice.test",
            refundType: "INTENTS",
            confidentiality: "basic",
            appFees: []
          }
        },
        state.now
      )
    )
    const transfers = [{ receiver: order.depositAddress, asset: idOf("ETH"), amount: String(order.inputAmount) }]
    const nonce = `nonce ${order.sequence}`
    const payload = { signerId: "alice.test", nonce, intentHash: nonce, transfers }
    apply(state, { tag: "ExecuteIntent", payload }, state.now)
    advance(state, state.now + second)
    return order
  }
  return {
    state,
    sell,
    /** The price is so for so long. */
    hold: (next: number, millis = 10 * second) => {
      price = next
      advance(state, state.now + millis)
      assert.deepStrictEqual(Books.imbalances(state.books), [])
    }
  }
}

/** The lowest whole price at which a sale at 2600 fills. */
const firstFill = (solvers: SolverLaw | undefined, milliEth: number, seed = 1): number => {
  const { sell, hold } = venue(solvers, seed)
  const order = sell(milliEth, 2600)
  for (let price = 2599; price < 2700; price++) {
    hold(price)
    if (order.status === "FILLED") return price
  }
  return Number.POSITIVE_INFINITY
}

describe("solvers of the sandbox", () => {
  it("fill at a touch without a law, and with the most eager law", () => {
    assert.strictEqual(firstFill(undefined, 100), 2600)
    assert.strictEqual(firstFill(eager, 100), 2600)
  })

  it("require the market beyond the limit by their margin, and keep it", () => {
    assert.strictEqual(firstFill({ ...eager, marginBasisPoints: [20, 20] }, 100), Math.ceil(2600 / 0.998))
    const { sell, hold } = venue({ ...eager, marginBasisPoints: [20, 20] })
    const order = sell(100, 2600)
    hold(2620)
    assert.strictEqual(order.fills[0]?.amountOut, 260_000_000n)
  })

  it("fill marketable orders worse by their margin", () => {
    const { sell } = venue({ ...eager, marginBasisPoints: [20, 20] })
    const [eagerOrder, order] = [venue(eager).sell(1000, 2400), sell(1000, 2400)]
    const [without, with20] = [eagerOrder, order].map(({ fills }) => Number(fills[0]?.amountOut ?? 0n))
    assert.approximately((with20 ?? 0) / (without ?? 1), 0.998, 1e-8)
  })

  it("draw a new margin for each order, and compete for it", () => {
    const law = { ...eager, marginBasisPoints: [0, 100] as const }
    const mean = (solvers: number) => {
      const prices = Array.from({ length: 30 }, (_, seed) => firstFill({ ...law, solvers }, 10, seed))
      return prices.reduce((sum, price) => sum + price, 0) / prices.length
    }
    assert.approximately(mean(1), 2613, 4)
    assert.approximately(mean(4), 2605, 3)
  })

  it("require more for larger orders", () => {
    const law = { ...eager, marginPerThousandUsd: 10 }
    assert.isBelow(firstFill(law, 100), firstFill(law, 2000))
  })

  it("come after a delay, and only if the market still reaches the limit", () => {
    const { sell, hold } = venue({ ...eager, latencyMillis: [5000, 5000] })
    const order = sell(100, 2600)
    hold(2601, 4 * second)
    assert.strictEqual(order.status, "OPEN")
    hold(2599, 10 * second)
    assert.strictEqual(order.status, "OPEN")
    hold(2601, 6 * second)
    assert.strictEqual(order.status, "FILLED")
  })

  it("have limited money in each period, so that orders fill in part", () => {
    const periodMillis = 60 * second
    const { sell, hold } = venue({ ...eager, depth: { usd: 1000, periodMillis } })
    const order = sell(1000, 2600)
    hold(2600, 30 * second)
    assert.strictEqual(order.status, "PARTIALLY_FILLED")
    assert.approximately(Number(order.executed) / 1e18, 1000 / 2600, 0.001)
    hold(2600, 2 * periodMillis)
    assert.strictEqual(order.status, "FILLED")
  })

  it("are away in some periods, and nothing fills then, not even a marketable order", () => {
    const { sell, hold } = venue({ ...eager, absence: { share: 1, periodMillis: 60 * second } })
    const [resting, marketable] = [sell(100, 2600), sell(100, 2400)]
    hold(2700, 600 * second)
    assert.deepStrictEqual([resting.status, marketable.status], ["OPEN", "OPEN"])
  })

  it("of each named law fill an order that the market has left far behind for days", () => {
    for (const law of Object.values(solverLaws)) {
      const { sell, hold } = venue(law)
      const order = sell(100, 2600)
      hold(2800, 24 * 3600 * second)
      assert.strictEqual(order.status, "FILLED")
    }
  })
})
