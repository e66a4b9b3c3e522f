/**
 * A proxy that delivers an answer twice moves each following answer to the next question. A payload for another order of ours is
 * never signed, and is no lie of the venue before it has been repeated for a while; nor is any other answer that was one to another question.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { seeded } from "../../../src/domain/Seeded.ts"
import { inVirtualTime, ladder, make, openOrders, until } from "../../world/bot/botWorld.ts"

const isGenerate = ({ url }: { readonly url: string }) => url.endsWith("/v0/generate-intent")

/** The first answer of this kind comes `times` times more; the truth is one question late until then. */
const doubling = (times: number) => {
  const late: Array<unknown> = []
  let told = 0
  return (request: { readonly url: string }, body: unknown): unknown => {
    if (!isGenerate(request)) return body
    late.push(body)
    told += 1
    if (told === 1 || told > times + 1) return late.at(-1)
    return late.at(-2)
  }
}

const buying = (name: string, market: string, every: string, times: number) => `name: ${name}
market: ${market}
kind: dca
limits: { budget: { quote: ${times * 100} } }
dca: { every: ${every}, size: { quote: 100 }, times: ${times}, reach: 1% }
`
const buys = buying("buys", "BTC/USDC", "10m", 2)

/** One question in three is answered as one of the last six was. Quotes come right, or nothing would be bought. */
const mixing = (seed: number) => {
  const random = seeded(seed)
  const given: Array<unknown> = []
  let mixed = 0
  const reply = ({ url }: { readonly url: string }, body: unknown): unknown => {
    if (/quote|tokens/.test(url)) return body
    const earlier = given.at(-1 - Math.trunc(random() * given.length))
    given.push(body)
    if (given.length > 6) given.shift()
    if (earlier === undefined || random() > 1 / 3) return body
    mixed += 1
    return earlier
  }
  return { reply, mixed: () => mixed }
}

describe("an answer that is delivered twice", () => {
  for (const times of [1, 4]) {
    it.effect(`freezes no slot: the payload of another of our orders, ${times} in a row`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const world = yield* make
          world.network.reply = doubling(times)
          const bot = yield* world.run({ strategies: [ladder(3)] })
          yield* until(() => openOrders(bot).length === 3, 60_000, "all orders rest")
          const events = yield* bot.events
          assert.deepStrictEqual(
            events.map(({ event }) => event).filter(({ _tag }) => _tag === "Contradiction"),
            []
          )
        })
      )
    )
  }

  it.effect("does not contradict the next create if it shows an order that is settled meanwhile", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const bot = yield* world.run({ strategies: [buys] })
        let shown: unknown
        let given = 0
        world.network.reply = ({ method, url }, body) => {
          if (method === "GET" && /orders\/[^/]+$/.test(url)) shown = body
          if (method !== "POST" || !url.endsWith("/v0/orders")) return body
          given += 1
          return given === 2 ? shown : body
        }
        const settled = (count: number) => () => bot.state.ended.byId.size === count
        yield* until(settled(1), 300_000, "the first is settled")
        assert.isDefined(shown)
        yield* until(settled(2), 1_200_000, "the second is settled")
        assert.isAtLeast(given, 2)
        const tags = [...(yield* bot.events)].map(({ event }) => event._tag)
        assert.notInclude(tags, "Contradiction")
      })
    )
  )

  it.effect("freezes no slot for any request, and everything is bought once", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const { mixed, reply } = mixing(1)
        world.network.reply = reply
        const strategies = [
          buying("often", "BTC/USDC", "1m", 6),
          buying("seldom", "BTC/USDC", "2m", 3),
          buying("other", "SOL/USDC", "1m", 6)
        ]
        const bot = yield* world.run({ strategies })
        yield* until(() => bot.state.ended.byId.size === 15, 1_800_000, "every order is settled")
        assert.isAbove(mixed(), 30)
        const events = [...(yield* bot.events)].map(({ event }) => event)
        assert.notInclude(
          events.map(({ _tag }) => _tag),
          "Contradiction"
        )
        assert.lengthOf(
          events.filter(({ _tag }) => _tag === "FundingSigned"),
          15
        )
      })
    )
  )

  it.effect("is reported if the venue keeps repeating it, and no payload is signed", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let first: unknown
        world.network.reply = (request, body) => {
          if (!isGenerate(request)) return body
          first ??= body
          return first
        }
        const bot = yield* world.run({ strategies: [ladder(3)] })
        const frozen = () => [...bot.state.slots.values()].filter((slot) => slot.frozen !== undefined).length
        yield* until(() => frozen() === 2, 90_000, "the other two slots are frozen")
        assert.lengthOf(openOrders(bot), 1)
        const signed = (yield* bot.events).filter(({ event }) => event._tag === "FundingSigned")
        assert.lengthOf(signed, 1)
      })
    )
  )
})
