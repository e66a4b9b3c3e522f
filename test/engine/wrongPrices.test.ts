/**
 * A price that is wrong once, three times or for minutes: between the bot and the honest sandbox somebody multiplies the
 * dry quotes. Before money leaves or an order is withdrawn, a price has a second source: the token list, the last stored
 * price, or looks that agree for long enough where nothing contradicts them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import { unfinished } from "../../src/engine/state/BotState.ts"
import { isLong } from "../long.ts"
import {
  inVirtualTime,
  ladder,
  make,
  type Network,
  openOrders,
  type Running,
  resting,
  until
} from "../world/bot/botWorld.ts"

/** Two orders near the price that it sees, worth 900 of 1,000. */
const maker = `name: maker
market: BTC/USDC
kind: rules
limits: { budget: { quote: 1000 }, maxPriceDeviation: 2% }
rules:
  orders:
    near: { when: "mid > 0", side: buy, price: mid * (1 - 1%), size: { quote: 500 } }
    far: { when: "mid > 0", side: buy, price: mid * (1 - 2%), size: { quote: 400 } }
`

const anchored = `name: anchored
market: BTC/USDC
kind: grid
limits: { budget: { quote: 1000 }, maxPriceDeviation: 2% }
grid: { step: 1%, size: { quote: 200 }, fundNearest: 4 }
`

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null
const usdc = "nep141:usdc.omft.native"

/** Multiplies what a quote says one base is worth. */
const times = (answer: unknown, factor: number): unknown => {
  if (!isObject(answer) || !isObject(answer["quote"]) || !isObject(answer["quoteRequest"])) return answer
  const changed = structuredClone(answer["quote"])
  const out = answer["quoteRequest"]["originAsset"] === usdc ? 1 / factor : factor
  changed["amountOut"] = String(BigInt(Math.round(Number(changed["amountOut"]) * out)))
  changed["amountOutFormatted"] = (Number(changed["amountOutFormatted"]) * out).toFixed(12)
  return { ...answer, quote: changed }
}

/** Quotes by a factor, for so many looks of two quotes; and the token list as it is, by a factor, or without prices. */
const lying = (network: Network, factor: number, looks = Number.POSITIVE_INFINITY, listed: number | "without" = 1) => {
  let quotes = 2 * looks
  network.reply = ({ url }, body) => {
    if (url.endsWith("/v0/quote")) return quotes-- > 0 ? times(body, factor) : body
    if (!url.endsWith("/v0/tokens") || !Array.isArray(body)) return body
    return body.map((token: Json) =>
      token["assetId"] === usdc
        ? token
        : { ...token, price: listed === "without" ? null : Number(token["price"]) * listed }
    )
  }
  return { isOver: () => quotes <= 0 }
}

/** What the venue may keep if every order that was ever funded executes at its own limit, as it may. */
const lossAtLimits = Effect.fnUntraced(function* (bot: Running, truth: number) {
  const events = yield* bot.events
  const funded = new Set(events.flatMap(({ event }) => (event._tag === "FundingSent" ? [event.placement] : [])))
  return events.reduce((loss, { event }) => {
    if (event._tag !== "Planned" || !funded.has(event.placement)) return loss
    const [paid, base] = [Number(event.inputAmount) / 1e6, Number(event.quantity) / 1e8]
    return (
      loss + Math.max(0, event.side === "BUY" ? paid - base * truth : base * truth - Number(event.outputAmount) / 1e6)
    )
  }, 0)
})

const truth = 60_000
/** A twentieth of the budget: the market moves a little, and limits are a percent away. */
const mostLoss = 5

describe("the first price of a bot", () => {
  for (const [factor, looks] of [
    [10, 1],
    [10, 3],
    [0.1, 3],
    [1.2, 3]
  ] as const) {
    it.effect(`costs little if it is wrong by a factor of ${factor}, ${looks} times`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const world = yield* make
          lying(world.network, factor, looks)
          const bot = yield* world.run({ strategies: [maker] })
          yield* until(() => openOrders(bot).length === 2, 60_000, "orders rest at the true price")
          for (const { price } of openOrders(bot)) assert.approximately(Decimal.toNumber(price), truth * 0.985, 1_000)
          assert.isAtMost(yield* lossAtLimits(bot, truth), mostLoss)
        })
      )
    )
  }

  it.effect("does not reach a strategy that remembers its starting price if it is wrong", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        lying(world.network, 10, 3)
        const bot = yield* world.run({ strategies: [anchored] })
        yield* until(() => openOrders(bot).length > 0, 60_000, "orders rest")
        for (const { price } of openOrders(bot)) assert.approximately(Decimal.toNumber(price), truth, 4_000)
      })
    )
  )
})

/** Quotes both sides again whenever the price has moved. */
const quoting = `name: quoting
market: BTC/USDC
kind: market-making
limits: { budget: { base: 0.03, quote: 2000 }, maxPriceDeviation: 2%, maxDrawdown: 20%, onLoss: drain }
market-making: { levels: 1, spread: 0.6%, size: 0.005, maxInventory: 0.015 }
`

/** Buys at once, and then waits with a stop far below. */
const guarded = `name: guarded
market: BTC/USDC
kind: bracket
limits: { budget: { quote: 800 }, maxPriceDeviation: 60% }
bracket: { side: buy, size: { base: 0.01 }, entry: 60500, takeProfit: 90000, stop: 45000, stopBy: swap, reach: 50% }
`

/** Looks at a market that it does not trade. */
const crossing = `name: crossing
market: BTC/USDC
kind: rules
limits: { budget: { quote: 1000 } }
rules:
  orders:
    dear: { when: 'mid("SOL/USDC") > 200', side: buy, price: mid * (1 - 1%), size: { quote: 500 } }
`

const minute = 60_000

describe("a wrong price later", () => {
  for (const factor of [10, 1.3, 0.5]) {
    it.effect(`by a factor of ${factor} cancels no order and pauses no strategy`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const { world, process } = yield* resting({ strategies: [quoting] }, 2)
          yield* Effect.sleep(10_000)
          const before = openOrders(process).map(({ id }) => id)
          for (const looks of [1, 3]) {
            yield* until(lying(world.network, factor, looks).isOver, minute, "it is told")
            yield* Effect.sleep(3_000)
          }
          assert.includeMembers(
            before,
            openOrders(process).map(({ id }) => id)
          )
          const tags = (yield* process.events).map(({ event }) => event._tag)
          for (const tag of ["CancelRequested", "Paused"]) assert.notInclude(tags, tag)
          assert.strictEqual(tags.filter((tag) => tag === "PriceDoubted").length, 2, "somebody is told")
          assert.strictEqual(process.state.doubts.size, 0)
          assert.isAtMost(yield* lossAtLimits(process, truth), mostLoss)
        })
      )
    )
  }

  it.effect("does not trigger a stop", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const bot = yield* world.run({ strategies: [guarded] })
        const isGuarded = () => openOrders(bot).some(({ side }) => side === "SELL")
        yield* until(isGuarded, 2 * minute, "the purchase is sold at its profit only")
        yield* until(lying(world.network, 0.5, 3).isOver, minute, "it is told")
        yield* Effect.sleep(10_000)
        assert.isTrue(isGuarded())
      })
    )
  )

  it.effect("in steps of two percent does not lead orders away from the true price", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process } = yield* resting({ strategies: [quoting] }, 2)
        for (let step = 1; step <= 10; step += 1) {
          lying(world.network, 1.02 ** step)
          yield* Effect.sleep(5_000)
        }
        for (const { price } of openOrders(process)) assert.approximately(Decimal.toNumber(price), truth, truth * 0.035)
        assert.isTrue(process.state.doubts.has("BTC/USDC"))
      })
    )
  )

  it.effect("of a watched market fires no rule", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const bot = yield* world.run({ strategies: [crossing] })
        yield* Effect.sleep(10_000)
        const { isOver } = lying(world.network, 10, 3)
        const { reply } = world.network
        world.network.reply = (request, body) =>
          JSON.stringify(body).includes("nep141:sol") ? reply(request, body) : body
        yield* until(isOver, minute, "it is told")
        yield* Effect.sleep(10_000)
        assert.strictEqual(bot.state.placements.size, 0)
      })
    )
  )

  it.effect("stops an order before it is created", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let creates = 0
        world.network.bend = ({ method, url }) => {
          if (method === "POST" && url.endsWith("/v0/orders") && creates++ === 0) lying(world.network, 0.5, 5)
          return undefined
        }
        const bot = yield* world.run({ strategies: [maker] })
        yield* until(() => bot.state.doubts.size > 0, minute, "the quotes are doubted")
        assert.include(bot.state.doubts.get("BTC/USDC")?.reason, "below the token list's")
        const paid = () => world.network.sent.filter(({ path }) => path === "/v0/submit-intent").length
        const before = paid()
        yield* until(() => bot.state.doubts.size === 0, minute, "they are the market's again")
        assert.strictEqual(paid(), before, "nothing is paid meanwhile")
        yield* until(() => openOrders(bot).length === 2, minute, "both are paid later")
        assert.isAtMost(yield* lossAtLimits(bot, truth), mostLoss)
      })
    )
  )
})

describe("a price after a restart", () => {
  /** Long enough for a price to be stored. */
  const ran = Effect.fnUntraced(function* (pauseMillis: number) {
    const world = yield* make
    const before = yield* world.run({ strategies: [maker] })
    yield* Effect.sleep(3 * minute)
    yield* before.stop
    yield* Effect.sleep(pauseMillis)
    return world
  })

  for (const pauseMillis of [10_000, 60 * minute]) {
    it.effect(`${pauseMillis / 1_000} s later is checked against the stored price if the token list has none`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const world = yield* ran(pauseMillis)
          lying(world.network, 10, 3, "without")
          const bot = yield* world.run({ strategies: [anchored] })
          yield* until(() => bot.state.doubts.size > 0, minute, "it is told")
          yield* until(() => openOrders(bot).length > 0, 20_000, "the first price like the stored one is used")
          for (const { price } of openOrders(bot)) assert.approximately(Decimal.toNumber(price), truth, 4_000)
        })
      )
    )
  }

  it.effect.skipIf(!isLong)("that stands still is not used if the token list has moved on", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* ran(60 * minute)
        lying(world.network, 1, Number.POSITIVE_INFINITY, 0.6)
        const bot = yield* world.run({ strategies: [anchored] })
        yield* Effect.sleep(2 * minute)
        assert.strictEqual(openOrders(bot).filter(({ strategy }) => strategy === "anchored").length, 0)
        assert.isTrue(bot.state.doubts.has("BTC/USDC"))
      })
    )
  )
})

describe("a price without confirmation", () => {
  it.effect("at a restart stops the creation of orders planned before it", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const isCreate = ({ method, path }: { readonly method: string; readonly path: string }) =>
          method === "POST" && path === "/v0/orders"
        world.network.bend = ({ method, url }) =>
          isCreate({ method, path: new URL(url).pathname }) ? "fails" : undefined
        const first = yield* world.run({ strategies: [ladder(8)] })
        const planned = () => unfinished(first.state).filter(({ state }) => state === "planned").length
        yield* until(() => world.network.sent.some(isCreate) && planned() > 3, 60_000, "some are only planned")
        yield* first.stop
        world.network.bend = () => undefined
        world.network.sent.length = 0
        lying(world.network, 1.3)
        const second = yield* world.run({ strategies: [ladder(8)] })
        yield* until(() => second.state.doubts.has("BTC/USDC"), 10_000, "it is doubted")
        yield* Effect.sleep(10_000)
        assert.isTrue(second.state.doubts.has("BTC/USDC"))
        assert.deepStrictEqual(world.network.sent.filter(isCreate), [])
      })
    )
  )
})

describe("a real move of the price", () => {
  it.effect("counts at once if the token list confirms it", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process } = yield* resting({ strategies: [quoting] }, 2)
        lying(world.network, 0.93, Number.POSITIVE_INFINITY, 0.93)
        const isFollowed = () => openOrders(process).some(({ price }) => Decimal.toNumber(price) < 0.95 * truth)
        // Half a minute: the money of what it cancels comes back first, and is read twice.
        yield* until(isFollowed, 30_000, "it quotes there")
        assert.strictEqual(process.state.doubts.size, 0)
      })
    )
  )

  it.effect.skipIf(!isLong)("without a token price counts after a minute, and in small steps at once", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        lying(world.network, 1, 0, "without")
        const bot = yield* world.run({ strategies: [quoting] })
        const firstMillis = yield* until(() => openOrders(bot).length === 2, 2 * minute, "it begins")
        assert.isAtLeast(firstMillis, minute)
        lying(world.network, 0.93, Number.POSITIVE_INFINITY, "without")
        const isAt = (factor: number) => () =>
          openOrders(bot).some(({ price }) => Math.abs(Decimal.toNumber(price) / (factor * truth) - 1) < 0.01)
        const millis = yield* until(isAt(0.93), 2 * minute, "it quotes there")
        assert.isAtLeast(millis, minute)
        for (let step = 1; step <= 8; step += 1) {
          lying(world.network, 0.93 * 0.99 ** step, Number.POSITIVE_INFINITY, "without")
          yield* Effect.sleep(30_000)
          assert.strictEqual(bot.state.doubts.size, 0, `step ${step}`)
        }
        assert.isTrue(isAt(0.93 * 0.99 ** 8)())
      })
    )
  )

  it.effect.skipIf(!isLong)("of an asset whose token price is always off does not stop running strategies", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process } = yield* resting({ strategies: [quoting] }, 2)
        for (const factor of [1, 0.98, 0.96, 0.94]) {
          lying(world.network, factor, Number.POSITIVE_INFINITY, 1.2)
          yield* Effect.sleep(70_000)
        }
        assert.isTrue(openOrders(process).some(({ price }) => Decimal.toNumber(price) < 0.95 * truth))
      })
    )
  )
})
