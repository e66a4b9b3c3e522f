/** A bot whose bracket has bought a half when an edit adds `when`, or when its strategy ends with `onEnd: leave`. Only the test fills. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { format } from "../../../src/domain/Amount.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as Reserve from "../../../src/journal/Reserve.ts"
import { inVirtualTime, makeWith, openOrders, parse, until } from "../../world/bot/botWorld.ts"

const still = makeWith(() => Reserve.none, {
  speed: 0,
  fillWhileCancellingShare: 0,
  solvers: { marginBasisPoints: [5000, 5000], marginPerThousandUsd: 0, solvers: 1, latencyMillis: [0, 0] }
})

const file = (keys = "") => `name: test
market: BTC/USDC
kind: bracket
limits: { budget: { quote: 1300 }, maxPriceDeviation: 60% }
${keys}
bracket: { side: buy, size: { base: 0.02 }, entry: 59000, takeProfit: 64000, stop: 57000, reach: 1% }
`

const halfFilled = Effect.fnUntraced(function* (keys = "") {
  const world = yield* still
  const to = (price: number) => world.tell("/sandbox/prices", { prices: { "BTC/USDC": price } })
  yield* to(60_000)
  const process = yield* world.run({ strategies: [file(keys)], pace: { pollMaxMillis: 2_000 } })
  yield* until(() => openOrders(process).length === 1, 60_000, "its entry is open")
  yield* world.tell("/sandbox/fill", { quantity: "0.01" })
  const orders = () =>
    openOrders(process).map(({ price, quantity, side }) => `${side} ${format(quantity, 8)} at ${Decimal.format(price)}`)
  return { world, process, to, orders, isSelling: () => openOrders(process).some(({ side }) => side === "SELL") }
})

describe("a bracket that has bought a half", () => {
  it.effect("keeps target and stop when an edit adds `when`, and buys no more", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { isSelling, orders, process, to } = yield* halfFilled()
        yield* Effect.sleep("10 seconds")
        yield* process.inside().replace([parse(file("when: mid > 90000"))], "drained")
        yield* until(isSelling, 120_000, "its target is open")
        assert.deepStrictEqual(orders(), ["SELL 0.0099997 at 64000"])
        yield* to(56_000)
        yield* until(() => orders().join() !== "SELL 0.0099997 at 64000" && isSelling(), 120_000, "it exits")
        assert.match(orders().join(), /^SELL 0\.009999[47] at 55440\.\d+$/)
      })
    )
  )

  it.effect("exits at its stop after an end with `onEnd: leave`, and buys no more", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { isSelling, orders, to } = yield* halfFilled("until: 2026-01-01T00:05Z\nonEnd: leave")
        yield* Effect.sleep("6 minutes")
        assert.deepStrictEqual(orders(), ["BUY 0.02 at 59000"])
        yield* to(56_000)
        yield* until(isSelling, 120_000, "it exits")
        assert.match(orders().join(), /^SELL 0\.009999[47] at 55440\.\d+$/)
      })
    )
  )
})
