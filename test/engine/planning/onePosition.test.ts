/** A rule sells the position of another rule, which has a stop: a running bot sells no base twice. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inVirtualTime, make, until } from "../../world/bot/botWorld.ts"

const file = (budget: string) => `name: two
market: BTC/USDC
kind: rules
limits: { budget: { ${budget} } }
rules:
  timeframe: 1m
  orders:
    a: { when: mid > 59900, side: buy, price: mid * (1 + 1%), size: { base: 0.01 }, times: 2, pause: 5s, then: { stop: entry * (1 - 5%) } }
    b: { when: mid < 59000 and position > 0 BTC, side: sell, price: mid * (1 - 1%), size: { position: 100% } }
`

describe("a rule whose purchase another rule has sold", () => {
  it.effect.each(["base: 0.1, quote: 2000", "quote: 2000"])("sells nothing and may buy again, with %s", (budget) =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const to = (price: number) => world.tell("/sandbox/prices", { prices: { "BTC/USDC": price } })
        yield* to(60_000)
        const process = yield* world.run({ strategies: [file(budget)], pace: { pollMaxMillis: 2_000 } })
        const { slots } = process.state
        const legs = (slot: string) => slots.get(`two/${slot}`)?.completedLegs ?? 0
        yield* until(() => legs("a") === 1, 300_000, "it has bought")
        yield* to(58_500)
        yield* until(() => legs("b") === 1, 300_000, "the other rule has sold")
        yield* to(56_000)
        yield* Effect.sleep("3 minutes")
        const sold = () => slots.get("two/a")?.sold ?? 0n
        assert.strictEqual(sold(), 0n)
        assert.strictEqual(process.state.refusedExits.size, 0)
        yield* to(60_000)
        yield* until(() => legs("a") === 2, 300_000, "it has bought again")
        yield* to(59_500)
        yield* Effect.sleep("1 minute")
        assert.strictEqual(sold(), 0n)
      })
    )
  )
})
