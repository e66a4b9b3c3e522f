/**
 * A proxy that delivers an answer twice moves each following answer to the next question. A payload for another order of ours is
 * never signed, and is no lie of the venue before it has been repeated for a while.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inVirtualTime, ladder, make, openOrders, until } from "../botWorld.ts"

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

const buys = `name: buys
market: BTC/USDC
kind: dca
limits: { budget: { quote: 200 } }
dca: { every: 10m, size: { quote: 100 }, times: 2, reach: 1% }
`

describe("an answer that is delivered twice", () => {
  for (const times of [1, 4]) {
    it.effect(`froze a slot: the payload of another order of ours, ${times} in a row`, () =>
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

  it.effect("counted as a lie about the next create, where it shows an order that was settled by then", () =>
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

  it.effect("is told when the venue goes on with it, and nothing was signed", () =>
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
