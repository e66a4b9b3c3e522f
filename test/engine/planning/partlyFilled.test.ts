/** Entries that have filled in part while the market comes to their stop or target. Nobody fills but the test. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { format } from "../../../src/domain/Amount.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as Reserve from "../../../src/journal/Reserve.ts"
import { inVirtualTime, makeWith, openOrders, until } from "../../world/bot/botWorld.ts"

const still = makeWith(() => Reserve.none, {
  speed: 0,
  fillWhileCancellingShare: 0,
  solvers: { marginBasisPoints: [5000, 5000], marginPerThousandUsd: 0, solvers: 1, latencyMillis: [0, 0] }
})

interface Form {
  readonly name: string
  readonly kind: string
  readonly section: string
}

const buy: ReadonlyArray<Form> = [
  {
    name: "a bracket by prices",
    kind: "bracket",
    section: "{ side: buy, size: { base: 0.01 }, entry: 60000, takeProfit: 63000, stop: 58000, reach: 1% }"
  },
  {
    name: "a bracket by percentages",
    kind: "bracket",
    section: '{ side: buy, size: { base: 0.01 }, entry: "60000", takeProfit: 5%, stop: 3%, reach: 1% }'
  },
  {
    name: "a rule",
    kind: "rules",
    section:
      '\n  timeframe: 1m\n  orders:\n    position: { when: "mid > 1", side: buy, price: "60000", size: { base: 0.01 }, times: 1, then: { price: "63000", stop: "58000", reach: 1% } }'
  }
]

const sell: ReadonlyArray<Form> = [
  {
    name: "a bracket by prices",
    kind: "bracket",
    section: "{ side: sell, size: { base: 0.01 }, entry: 60000, takeProfit: 57000, stop: 62000, reach: 1% }"
  },
  {
    name: "a rule",
    kind: "rules",
    section:
      '\n  timeframe: 1m\n  orders:\n    position: { when: "mid > 1", side: sell, price: "60000", size: { base: 0.01 }, times: 1, then: { price: "57000", stop: "62000", reach: 1% } }'
  }
]

const file = ({ kind, section }: Form, limits = "") =>
  `name: test\nmarket: BTC/USDC\nkind: ${kind}\nlimits: { budget: { base: 0.1, quote: 2000 }, maxPriceDeviation: 90%${limits} }\n${kind}: ${section}\n`

/** Its entry rests at 60,000, of which this much has filled. */
const filled = Effect.fnUntraced(function* (form: Form, market: number, quantity: string, limits = "") {
  const world = yield* still
  const to = (price: number) => world.tell("/sandbox/prices", { prices: { "BTC/USDC": price } })
  yield* to(market)
  const process = yield* world.run({ strategies: [file(form, limits)], pace: { pollMaxMillis: 2_000 } })
  yield* until(() => openOrders(process).length === 1, 60_000, "its entry rests")
  yield* world.tell("/sandbox/fill", { quantity })
  const ordersOf = (side: "BUY" | "SELL") => openOrders(process).filter((order) => order.side === side)
  const exits = (side: "BUY" | "SELL") =>
    ordersOf(side).map(({ price, quantity }) => `${format(quantity, 8)} at ${Decimal.format(price)}`)
  return { world, process, to, exits, ordersOf }
})

describe("a partly filled purchase", () => {
  for (const form of buy) {
    it.effect(`exits at the stop of ${form.name}, for any rest of its entry`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const { exits, ordersOf, to } = yield* filled(form, 61_000, "0.003")
          yield* to(57_000)
          yield* until(() => ordersOf("SELL").length === 1, 120_000, "it leaves")
          assert.deepStrictEqual(exits("SELL"), ["0.0029997 at 56430.052"])
          assert.lengthOf(ordersOf("BUY"), 0)
        })
      )
    )
    it.effect(`exits at the target of ${form.name}, for any rest of its entry`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const { exits, ordersOf, to, world, process } = yield* filled(form, 61_000, "0.003")
          yield* to(63_500)
          yield* until(() => ordersOf("SELL").length === 1, 120_000, "it leaves")
          assert.deepStrictEqual(exits("SELL"), ["0.0029997 at 63000"])
          yield* world.tell("/sandbox/fill", { side: "SELL" })
          yield* Effect.sleep("2 minutes")
          assert.lengthOf(openOrders(process), 0)
        })
      )
    )
  }
})

describe("a partly filled sale", () => {
  for (const form of sell) {
    it.effect(`buys back at the stop of ${form.name} what it has sold`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const { exits, ordersOf, to } = yield* filled(form, 59_000, "0.004")
          yield* to(63_000)
          yield* until(() => ordersOf("BUY").length === 1, 120_000, "it leaves")
          assert.deepStrictEqual(exits("BUY"), ["0.004 at 63630.046"])
          assert.lengthOf(ordersOf("SELL"), 0)
        })
      )
    )
  }
})

describe("a part below the minimum order", () => {
  const [byPrices] = buy
  it.effect("is dust: the rest of its entry is cancelled, and nothing is sold", () =>
    inVirtualTime(
      Effect.gen(function* () {
        if (byPrices === undefined) throw new Error("there is no form")
        const { process, to } = yield* filled(byPrices, 61_000, "0.001", ", minOrder: 100")
        yield* to(57_000)
        yield* until(() => openOrders(process).length === 0, 120_000, "its entry goes")
        yield* Effect.sleep("2 minutes")
        assert.lengthOf(openOrders(process), 0)
        assert.strictEqual(process.state.refusedExits.size, 0)
      })
    )
  )
})
