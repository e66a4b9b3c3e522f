/** What the answer to a create says of fees: learned, held against the file's limit, and asked for anew later. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { learnedFor } from "../../../src/domain/EchoedFee.ts"
import { echoes } from "../../../src/venue/profile/Charges.ts"
import { factsOf } from "../../../src/venue/profile/Profiles.ts"
import { inVirtualTime, ladder, make, openOrders, until } from "../../world/bot/botWorld.ts"

const schedule = factsOf("near-2026-11", "intents.near").fees
const limited = ladder(2).replace("quote: 6000 }", "quote: 6000 }, maxFeeBasisPoints: 25")
const learnedOf = { credential: "partner", askedBasisPoints: 0 } as const

/** As the deployed service echoes its own share. */
const echoing = (basisPoints: () => number) => (_request: unknown, body: unknown) => {
  const of = (order: object) => {
    const attributes = Object(Reflect.get(order, "attributes"))
    return { ...order, attributes: { ...attributes, appFees: [{ recipient: "fees.near", fee: basisPoints() }] } }
  }
  const data: unknown = Reflect.get(Object(body), "data")
  if (typeof data !== "object" || data === null) return body
  return { ...Object(body), data: Array.isArray(data) ? data.map(of) : of(data) }
}

describe("the fee in an order's answer", () => {
  it.effect("is learned, and the order is paid if the limit allows the fee", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        world.network.reply = echoing(() => 20)
        const bot = yield* world.run({ strategies: [limited], echoes: echoes(schedule, true, {}) })
        yield* until(() => openOrders(bot).length === 2, 30_000, "it rests")
        assert.strictEqual(learnedFor(bot.state.echoedFees, "BTC/USDC", learnedOf)?.basisPoints, 20)
      })
    )
  )

  it.effect("is remembered by the order together with what its fills say of it", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        world.network.reply = echoing(() => 20)
        const schedules = echoes({ ...schedule, fillsNet: true }, true, {})
        const bot = yield* world.run({ strategies: [limited], echoes: schedules })
        yield* until(() => openOrders(bot).length === 2, 30_000, "it rests")
        for (const { feeEcho } of openOrders(bot)) assert.deepInclude(feeEcho, { basisPoints: 20, fillsNet: true })
      })
    )
  )

  it.effect("stops payments if it exceeds limits.maxFeeBasisPoints, until a later answer is cheaper", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let fee = 30
        world.network.reply = echoing(() => fee)
        const bot = yield* world.run({
          strategies: [limited],
          echoes: echoes({ ...schedule, withPartner: 30 }, true, {})
        })
        yield* until(() => [...bot.state.slots.values()].some(({ failures }) => failures >= 2), 60_000, "two refusals")
        const why = [...bot.state.slots.values()].map(({ failedWhy = "" }) => failedWhy)
        assert.match(why.join(), /its fee is 30 basis points of the input, more than 25 \(limits\.maxFeeBasisPoints\)/)
        assert.isTrue([...bot.state.slots.values()].every(({ frozen }) => frozen === undefined))
        assert.strictEqual(world.network.sent.filter(({ path }) => path.endsWith("/v0/submit-intent")).length, 0)
        assert.strictEqual(learnedFor(bot.state.echoedFees, "BTC/USDC", learnedOf)?.basisPoints, 30)
        fee = 25
        yield* until(() => openOrders(bot).length === 2, 1_000_000, "it rests")
      })
    )
  )

  it.effect("stops the payment if it grows between the create and the last read", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let reads = 0
        world.network.reply = (request, body) => {
          const isOne = /\/v0\/orders\/[^/]+$/.test(new URL(request.url).pathname)
          if (isOne) reads += 1
          return echoing(() => (isOne ? 30 : 20))(request, body)
        }
        const bot = yield* world.run({
          strategies: [limited],
          echoes: echoes({ ...schedule, withPartner: 30 }, true, {})
        })
        yield* until(() => [...bot.state.slots.values()].some(({ failures }) => failures >= 1), 60_000, "a refusal")
        assert.isAtLeast(reads, 1)
        assert.strictEqual(world.network.sent.filter(({ path }) => path.endsWith("/v0/submit-intent")).length, 0)
      })
    )
  )

  it("is expected with the account's app fees if the strategy sets none", () => {
    const market = { base: { symbol: "BTC" }, quote: { symbol: "USDC" } }
    const { echoedBasisPoints, echoOf } = echoes(schedule, true, { appFees: [{ recipient: "alice.near", fee: 40 }] })
    assert.strictEqual(echoedBasisPoints?.(market, {}), 40.01, "with the share of the protocol")
    assert.strictEqual(echoedBasisPoints?.(market, { appFees: [] }), 20.01)
    assert.strictEqual(echoOf?.({})?.askedBasisPoints, 40)
  })
})
