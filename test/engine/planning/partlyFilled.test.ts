/** Entries that have filled in part while the market comes to their stop or target. Nobody fills but the test. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { format } from "../../../src/domain/Amount.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { defaultTerms } from "../../../src/engine/tracking/Overdue.ts"
import * as Reserve from "../../../src/journal/Reserve.ts"
import { problemsOf } from "../../../src/views/Problems.ts"
import { firstOf, isLong } from "../../long.ts"
import { assets, inVirtualTime, makeWith, openOrders, type Running, until } from "../../world/bot/botWorld.ts"

const settings = {
  speed: 0,
  fillWhileCancellingShare: 0,
  solvers: { marginBasisPoints: [5000, 5000], marginPerThousandUsd: 0, solvers: 1, latencyMillis: [0, 0] }
} as const
const still = makeWith(() => Reserve.none, settings)
const slow = makeWith(() => Reserve.none, { ...settings, payoutMillis: [600_000, 600_000] })
const lessSlow = makeWith(() => Reserve.none, { ...settings, payoutMillis: [150_000, 150_000] })

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
  `name: test\nmarket: BTC/USDC\nkind: ${kind}\nlimits: { budget: { ${kind === "deals" ? "" : "base: 0.1, "}quote: 2000 }, maxPriceDeviation: 90%${limits} }\n${kind}: ${section}\n`

/** Its entry rests at 60,000, of which this much has filled. */
const filled = Effect.fnUntraced(function* (
  form: Form,
  market: number,
  quantity: string,
  limits = "",
  at: typeof still = still
) {
  const world = yield* at
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
  for (const form of firstOf(1, buy)) {
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

/** It buys at 60,000 at once, and its exit is near the market once the price falls by 3 %. */
const deal: Form = {
  name: "a deal",
  kind: "deals",
  section:
    "{ side: buy, size: { base: 0.01 }, reach: 0.1%, safety: { orders: 1, size: { base: 0.01 }, distance: 20% }, takeProfit: 5%, stop: 3%, stopReach: 1% }"
}

const problemsIn = ({ state }: Running) =>
  problemsOf(state, new Map(assets.map((asset) => [asset.symbol, asset])), {
    now: 0,
    pulse: undefined,
    stuckAfter: defaultTerms
  }).map(({ kind, subject, text }) => `${kind} ${subject}: ${text}`)

describe("a position below the minimum order", () => {
  for (const form of firstOf(1, buy)) {
    it.effect(`of ${form.name} is reported with its amount and worth, and sold once it is worth enough`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const { exits, process, to } = yield* filled(form, 61_000, "0.001", ", minOrder: 57")
          yield* to(57_000)
          yield* until(() => openOrders(process).length === 0, 120_000, "its entry goes")
          yield* until(() => problemsIn(process).length > 0, 60_000, "it is reported")
          yield* Effect.sleep("2 minutes")
          assert.lengthOf(openOrders(process), 0)
          const [problem = "", ...others] = problemsIn(process)
          assert.lengthOf(others, 0)
          assert.match(
            problem,
            /^exit-refused test\/position: The exit SELL 0\.0009997 BTC at 56430\.\d+ is not in the market, refused by its limit min-order: Its whole position of 56\.43\d* USDC is below the minimum of 57 USDC; it stays until it is worth more/
          )
          assert.strictEqual(
            process.state.strategies.get("test")?.trading.get("BTC/USDC")?.position.basis.position,
            99_970n
          )
          yield* to(58_000)
          yield* until(() => exits("SELL").length === 1, 60_000, "it is worth enough")
          assert.lengthOf(problemsIn(process), 0)
        })
      )
    )
    it.effect(`that is the rest of a larger one of ${form.name} follows the market after its stop`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const { exits, process, to, world } = yield* filled(form, 61_000, "0.003", ", minOrder: 57")
          yield* to(57_000)
          yield* until(() => exits("SELL").length === 1, 120_000, "it leaves")
          yield* world.tell("/sandbox/fill", { side: "SELL", quantity: "0.0022" })
          yield* Effect.sleep("1 minute")
          yield* to(50_000)
          const follows = /^0\.00079\d+ at 49[45]\d\d/
          yield* until(() => follows.test(exits("SELL")[0] ?? ""), 120_000, "it follows")
          assert.isFalse(problemsIn(process).some((text) => text.includes("min-order")))
        })
      )
    )
  }

  it.effect("that a rule without exit sells whole is reported", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const section = `
  timeframe: 1m
  orders:
    in: { when: "mid > 60500", side: buy, price: "60000", size: { base: 0.001 }, times: 1 }
    out: { when: "mid < 58000 and position > 0 BTC", side: sell, price: mid * (1 - 1%), size: { position: 100% } }`
        const rule = { name: "a rule without exit", kind: "rules", section }
        const { process, to } = yield* filled(rule, 61_000, "0.001", ", minOrder: 57")
        yield* to(57_000)
        const refusal = /test\/out: The exit SELL 0\.000\d+ BTC .* refused by its limit min-order: /
        yield* until(() => refusal.test(problemsIn(process)[0] ?? ""), 120_000, "it is reported")
      })
    )
  )

  it.effect("that is the rest of a larger one of a deal is placed again after its order has ended", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { exits, process, to, world } = yield* filled(deal, 60_000, "0.003", ", minOrder: 57")
        yield* to(57_000)
        yield* until(() => exits("SELL").length === 1, 120_000, "it leaves")
        yield* world.tell("/sandbox/fill", { side: "SELL", quantity: "0.0022" })
        yield* Effect.sleep("1 minute")
        assert.lengthOf(exits("SELL"), 1)
        yield* world.cancel(openOrders(process)[0]?.order?.id ?? "")
        yield* until(() => openOrders(process).length === 0, 60_000, "somebody cancelled it")
        yield* until(() => exits("SELL").length === 1, 900_000, "it is placed again")
        assert.isFalse(problemsIn(process).some((text) => text.includes("min-order")))
      })
    )
  )
})

/** Bought at 60,000 in parts that are worth enough; near 40,000, some are worth less than 60 USDC. */
const inParts: ReadonlyArray<readonly [form: Form, exits: ReadonlyArray<string>]> = [
  [
    {
      name: "a bracket with two targets",
      kind: "bracket",
      section:
        "{ side: buy, size: { base: 0.003 }, entry: 60000, takeProfit: [{ at: 66000, part: 60% }, { at: 72000, part: 40% }], stop: 58000, reach: 1% }"
    },
    ["0.0017994", "0.0011994"]
  ],
  [
    {
      name: "a deal with three targets",
      kind: "deals",
      section:
        "{ side: buy, size: { base: 0.003 }, reach: 0.1%, takeProfit: [{ at: 10%, part: 30% }, { at: 15%, part: 30% }, { at: 20%, part: 40% }], stop: 5%, stopReach: 1%, times: 1 }"
    },
    ["0.00179946", "0.00119964"]
  ]
]

/** Fills all entries, and waits for the two or three targets. */
const withTargets = Effect.fnUntraced(function* (text: string, entries: number, side: "BUY" | "SELL") {
  const world = yield* still
  const to = (price: number) => world.tell("/sandbox/prices", { prices: { "BTC/USDC": price } })
  yield* to(60_000)
  const process = yield* world.run({ strategies: [text], pace: { pollMaxMillis: 2_000 } })
  yield* until(() => openOrders(process).length === entries, 60_000, "its entries rest")
  for (let entry = 0; entry < entries; entry++) yield* world.tell("/sandbox/fill", {})
  const exits = () => openOrders(process).filter((order) => order.side === side)
  yield* until(() => exits().length > 1, 120_000, "its targets rest")
  const near = (price: number) => exits().filter((order) => Math.abs(Decimal.toNumber(order.price) / price - 1) < 0.02)
  return { process, to, near, world }
})

describe("a position worth more than the minimum order", () => {
  for (const [form, parts] of inParts) {
    it.effect(`of ${form.name} exits whole after a stop, also in parts below the minimum`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const entries = form.kind === "deals" ? 1 : 2
          const { near, process, to, world } = yield* withTargets(file(form, ", minOrder: 60"), entries, "SELL")
          yield* to(40_000)
          yield* until(() => near(40_000).length > 0, 120_000, "it leaves")
          yield* Effect.sleep("20 seconds")
          assert.deepStrictEqual(
            near(40_000).map(({ quantity }) => format(quantity, 8)),
            parts
          )
          assert.deepStrictEqual(problemsIn(process), [])
          yield* world.tell("/sandbox/fill", { orderId: near(40_000)[0]?.order?.id, side: "SELL" })
          yield* until(() => near(40_000).length === 1, 60_000, "the first part has filled")
          yield* to(39_000)
          yield* until(() => near(38_600)[0]?.quantity !== undefined, 60_000, "the second follows the market")
          assert.deepStrictEqual(problemsIn(process), [])
        })
      )
    )
  }

  it.effect("buys back by parts below the minimum what its money covers", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const section =
          "{ side: sell, size: { base: 0.01 }, entry: 60000, takeProfit: [{ at: 50000, part: 60% }, { at: 45000, part: 40% }], stop: 62000, reach: 1% }"
        const short = { name: "a bracket that sells first", kind: "bracket", section }
        const text = file(short, ", minOrder: 60").replace("base: 0.1, quote: 2000", "base: 0.01")
        const { near, to } = yield* withTargets(text, 2, "BUY")
        yield* to(90_000)
        yield* until(() => near(90_000).length === 2, 120_000, "it leaves")
        const [first, second] = near(90_000)
        assert.strictEqual(first?.quantity, 600_000n)
        assert.isTrue(second?.isPart)
        assert.isBelow(Number(second?.quantity ?? 0n), 65_000)
      })
    )
  )
})

describe("an entry that has filled in part and whose cancel gets no answer", () => {
  const cases = [
    ...buy.map((form) => [form, 61_000, 57_000, /SELL 0\.003 BTC at 56430\.\d+/] as const),
    ...buy.slice(0, 2).map((form) => [form, 61_000, 63_500, /SELL 0\.003 BTC at 63000/] as const),
    ...sell.map((form) => [form, 59_000, 63_000, /BUY 0\.003 BTC at 63630\.\d+/] as const),
    [deal, 60_000, 57_000, /SELL 0\.003 BTC at 569\d\d\.\d+/] as const
  ]
  for (const [form, market, then, exit] of firstOf(1, cases)) {
    it.effect(`of ${form.name} at ${then} is reported after a minute, with the cost of leaving`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const { exits, process, to, world } = yield* filled(form, market, "0.003")
          world.network.bend = ({ url }) => (url.endsWith("/cancel") ? "hangs" : undefined)
          yield* to(then)
          yield* until(() => openOrders(process)[0]?.cancel !== undefined, 60_000, "its entry is to leave")
          yield* Effect.sleep("50 seconds")
          assert.deepStrictEqual(problemsIn(process), [])
          yield* until(() => problemsIn(process).length > 0, 30_000, "it is reported")
          const [problem = "", ...others] = problemsIn(process)
          assert.lengthOf(others, 0)
          assert.match(
            problem,
            /^exit-refused test\/\w+: The exit .* the venue has not cancelled the entry, .*exiting now at [\d.]+ costs /
          )
          assert.match(problem, exit)
          world.network.bend = () => undefined
          yield* until(() => exits(exit.source.startsWith("SELL") ? "SELL" : "BUY").length === 1, 120_000, "it leaves")
          assert.deepStrictEqual(problemsIn(process), [])
        })
      )
    )
  }
})

describe("an entry whose money has not come when its stop is reached", () => {
  const cases = [
    [buy[0], "0.01", "has not paid the entry out"],
    [deal, "0.01", "has not paid the entry out"],
    [buy[2], "0.01", "has not paid the entry out"],
    [buy[1], "0.003", "has not paid the entry out"]
  ] as const
  for (const [form = deal, quantity, text] of cases) {
    it.effect.skipIf(!isLong)(
      `of ${form.name} with ${quantity} is reported after a minute, with the cost of leaving`,
      () =>
        inVirtualTime(
          Effect.gen(function* () {
            const { ordersOf, process, to } = yield* filled(form, form === deal ? 60_000 : 61_000, quantity, "", slow)
            yield* to(57_000)
            yield* Effect.sleep("50 seconds")
            assert.deepStrictEqual(problemsIn(process), [])
            yield* until(() => problemsIn(process).length > 0, 60_000, "it is reported")
            const [problem = "", ...others] = problemsIn(process)
            assert.lengthOf(others, 0)
            assert.match(problem, /^exit-refused test\/\w+: The exit SELL 0\.\d+ BTC .*exiting now at [\d.]+ costs /)
            assert.include(problem, text)
            yield* until(() => ordersOf("SELL").length === 1, 900_000, "it leaves")
            assert.deepStrictEqual(problemsIn(process), [])
          })
        )
    )
  }

  it.effect("is reported too if the strategy has ended and its exit is not refunded", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* lessSlow
        const to = (price: number) => world.tell("/sandbox/prices", { prices: { "BTC/USDC": price } })
        yield* to(61_000)
        const text = file(buy[0] ?? deal, "")
          .replace("base: 0.1, ", "")
          .replace("limits:", "until: 2026-01-01T00:06Z\nonEnd: sell\nlimits:")
        const process = yield* world.run({ strategies: [text], pace: { pollMaxMillis: 2_000 } })
        yield* until(() => openOrders(process).length === 1, 60_000, "its entry rests")
        yield* world.tell("/sandbox/fill", { quantity: "0.01" })
        yield* until(() => openOrders(process).some(({ side }) => side === "SELL"), 900_000, "its exit rests")
        assert.deepStrictEqual(problemsIn(process), [])
        yield* until(() => problemsIn(process).length > 0, 2_000_000, "it is reported")
        assert.match(
          problemsIn(process)[0] ?? "",
          /The exit SELL 0\.0099\d+ BTC .*has not refunded its last order; exiting now/
        )
        yield* until(() => openOrders(process).some(({ slot }) => slot === "exit"), 900_000, "it leaves")
        assert.deepStrictEqual(problemsIn(process), [])
      })
    )
  )
})
