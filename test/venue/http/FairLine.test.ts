/** Turns go round between the accounts that wait: none waits for another's thousand, within the order of the priorities. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { FairLine, RateAsker } from "../../../src/venue/http/FairLine.ts"
import { type Priority, RateBudget } from "../../../src/venue/http/RateBudget.ts"
import { RateSettings } from "../../../src/venue/http/RateShare.ts"

const settings = { initial: 10, min: 0.5, max: 40, increase: 0.25, lessonMillis: 1000 }
const budget = RateBudget.layer.pipe(Layer.provide(Layer.succeed(RateSettings, settings)))

/** Requests of accounts, and in which order they go. */
const line = () => {
  const order: Array<string> = []
  const come = (asker: string | undefined, priority: Priority = "normal") =>
    RateBudget.use((service) => service.limiter(priority).enter(600_000)).pipe(
      Effect.andThen(Effect.sync(() => order.push(`${asker ?? "all"} ${priority}`))),
      Effect.provideService(RateAsker, asker),
      Effect.forkChild
    )
  return { come, order }
}
const advance = (millis: number) => Effect.repeat(TestClock.adjust(20), { times: millis / 20 - 1 })
const times = (count: number) => Array.from({ length: count })

describe("the fair line of a rate budget", () => {
  it.effect("serves an account's first request soon, behind 1,000 requests of another account", () =>
    Effect.gen(function* () {
      const { come, order } = line()
      yield* Effect.forEach(times(1_000), () => come("anna"))
      yield* advance(1_000)
      yield* come("ben")
      yield* advance(300)
      assert.isAtMost(order.length, 24)
      assert.include(order, "ben normal")
    }).pipe(Effect.provide(budget))
  )

  it.effect("serves by priority first, then in turns, and each account gets its turn", () =>
    Effect.gen(function* () {
      const { come, order } = line()
      yield* Effect.forEach(times(10), () => come("drain"))
      yield* Effect.yieldNow
      for (const priority of ["background", "normal", "urgent"] as const) {
        for (const asker of ["anna", "anna", "anna", "ben", "carl"]) yield* come(asker, priority)
      }
      yield* advance(2_000)
      const urgent = ["anna urgent", "ben urgent", "carl urgent", "anna urgent", "anna urgent"]
      const one = order.slice(10).filter((each) => !each.includes("background"))
      assert.deepStrictEqual(one, [...urgent, ...urgent.map((each) => each.replace("urgent", "normal"))])
    }).pipe(Effect.provide(budget))
  )

  it.effect("leaves no empty turn for a caller who gives up", () =>
    Effect.gen(function* () {
      const { come, order } = line()
      yield* Effect.forEach(times(10), () => come("drain"))
      const gone = yield* Effect.forEach(times(50), () => come("anna"))
      yield* come("ben")
      yield* Effect.yieldNow
      yield* Effect.forEach(gone, Fiber.interrupt)
      yield* advance(120)
      assert.deepStrictEqual(order.slice(10), ["ben normal"])
    }).pipe(Effect.provide(budget))
  )

  it.effect("gives every second turn to requests for all accounts, however many accounts wait", () =>
    Effect.gen(function* () {
      const { come, order } = line()
      yield* Effect.forEach(times(10), () => come("drain"))
      for (let account = 0; account < 6; account++) yield* come(`account-${account}`)
      for (let price = 0; price < 3; price++) yield* come(undefined)
      yield* advance(1_000)
      const places = order.slice(10).flatMap((each, place) => (each.startsWith("all") ? [place] : []))
      assert.deepStrictEqual(places, [0, 2, 4])
    }).pipe(Effect.provide(budget))
  )

  it.effect("counts fibers that an account's layers start as that account's", () =>
    Effect.gen(function* () {
      const seen: Array<string | undefined> = []
      const note = Effect.flatMap(RateAsker, (asker) => Effect.sync(() => seen.push(asker)))
      const layer = Layer.effectDiscard(Effect.forkScoped(Effect.andThen(Effect.sleep(10), note)))
      const bot = Effect.andThen(note, Effect.sleep(50)).pipe(Effect.provide(layer))
      yield* Effect.forkChild(Effect.provideService(bot, RateAsker, "anna"))
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(seen, ["anna", "anna"])
    })
  )
})

const Askers = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))).check(
  Schema.isMaxLength(40)
)

describe("a fair line", () => {
  it.prop(
    "lets nobody wait for two turns of the same other, loses none, and keeps each one's order",
    [Askers],
    ([askers]) => {
      const line = new FairLine<readonly [string, number]>()
      for (const [place, asker] of askers.entries()) line.join(`${asker}`, [`${asker}`, place])
      const order = askers.map(() => line.next())
      assert.isTrue(line.isEmpty)
      assert.deepStrictEqual(
        order.map((turn) => turn?.[1] ?? -1).toSorted((a, b) => a - b),
        askers.map((_, place) => place)
      )
      const names = order.map((turn) => turn?.[0] ?? "")
      for (const name of new Set(names)) {
        const places = order.filter((turn) => turn?.[0] === name).map((turn) => turn?.[1] ?? -1)
        assert.deepStrictEqual(
          places,
          places.toSorted((a, b) => a - b)
        )
        const turns = names.flatMap((each, at) => (each === name ? [at] : []))
        for (const [index, at] of turns.entries()) {
          const between = names.slice((turns[index - 1] ?? -1) + 1, at)
          assert.strictEqual(new Set(between).size, between.length)
        }
      }
    }
  )
})
