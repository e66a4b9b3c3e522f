/** Runners that share the rate of one credential: together they never count on more than all of it, whatever becomes of the database. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { monotonicMillis } from "../../../src/domain/Durations.ts"
import * as FleetRate from "../../../src/fleet/accounts/sharing/FleetRate.ts"
import { Journals } from "../../../src/journal/postgres/Journals.ts"
import * as Postgres from "../../../src/journal/postgres/Postgres.ts"
import { RateRows } from "../../../src/journal/postgres/RateRows.ts"
import { randomFrom } from "../../../src/rehearsal/world/World.ts"
import { divide } from "../../../src/venue/http/RateDivision.ts"
import { RateSettings, type RateShare } from "../../../src/venue/http/RateShare.ts"
import { isLong } from "../../long.ts"
import * as PostgresServer from "../../postgres.ts"
import { inVirtualTime } from "../../world/bot/botWorld.ts"
import * as Memory from "./rateRowsInMemory.ts"

const settings = { initial: 50, min: 0.2, max: 200, increase: 0.25, lessonMillis: 1_000 }

interface Runner {
  readonly share: RateShare["Service"]
  /** Gives its part back. */
  readonly leave: Effect.Effect<void>
}

const start = Effect.fnUntraced(function* (name: string, rows: RateRows["Service"]) {
  const scope = yield* Scope.make()
  const share = yield* FleetRate.make(name, "a hash of the credential").pipe(
    Effect.provideService(RateRows, rows),
    Effect.provideService(RateSettings, settings),
    Effect.provideService(Scope.Scope, scope)
  )
  return { share, leave: Scope.close(scope, Exit.void) } satisfies Runner
})

const rateOf = ({ share }: Runner) => Effect.map(monotonicMillis, (now) => share.rate(now))

/** Each asks for so many a second, for some seconds. */
const ask = Effect.fnUntraced(function* (seconds: number, ...all: ReadonlyArray<readonly [Runner, perSecond: number]>) {
  for (let second = 0; second < seconds; second++) {
    for (const [{ share }, perSecond] of all)
      for (let request = 0; request < perSecond; request++) {
        share.came()
        share.went()
      }
    yield* Effect.sleep(1_000)
  }
})

const server = await PostgresServer.start()
if (server === undefined)
  it.skip("the rate that runners share in Postgres: this machine has no Postgres server", () => {})

describe("the rate of a credential", () => {
  it("is divided by the runners' demands, and each has a minimum", () => {
    const random = randomFrom(7)
    for (let round = 0; round < 5_000; round++) {
      const rate = 0.2 + random() * 200
      const demands = Array.from({ length: 1 + Math.floor(random() * 6) }, () => random() ** 3 * 300)
      const shares = divide(rate, demands)
      const whole = shares.reduce((sum, each) => sum + each, 0)
      assert.closeTo(whole, rate, 1e-6)
      for (const [index, share] of shares.entries()) {
        assert.isAtLeast(share, Math.min(1, rate / demands.length) - 1e-9)
        const isMet = share >= (demands[index] ?? 0) - 1e-9
        // Whoever gets less than it asks for gets no less than anybody else.
        if (!isMet) for (const other of shares) assert.isAtMost(other, Math.max(share, 1) + 1e-9)
      }
    }
  })

  it.effect("is shared: two runners together send no more requests than the venue allows", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { learnt, rows } = Memory.make()
        const one = yield* start("one", rows)
        assert.closeTo(yield* rateOf(one), 50, 1)
        const other = yield* start("other", rows)
        yield* ask(20, [one, 100], [other, 100])
        const rates = [yield* rateOf(one), yield* rateOf(other)] as const
        assert.isAtMost(rates[0] + rates[1], learnt() + 1e-6)
        for (const rate of rates) assert.closeTo(rate, learnt() / 2, 2)
        // What one does not need is the other's.
        yield* ask(20, [one, 2], [other, 100])
        assert.isAbove(yield* rateOf(other), learnt() * 0.8)
        assert.isAtLeast(yield* rateOf(one), 1)
        yield* one.leave
        yield* ask(10, [other, 100])
        assert.closeTo(yield* rateOf(other), learnt(), 1)
        yield* other.leave
      })
    )
  )

  it.effect("is halved once for all runners after one refusal", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { learnt, rows } = Memory.make()
        const [one, other] = [yield* start("one", rows), yield* start("other", rows)]
        yield* ask(20, [one, 100], [other, 100])
        const [whole, before] = [learnt(), yield* rateOf(other)]
        const now = yield* monotonicMillis
        assert.isTrue(one.share.throttled(now))
        assert.isFalse(one.share.throttled(now), "the same lesson")
        yield* ask(5, [one, 100], [other, 100])
        assert.closeTo(learnt(), whole / 2, 1)
        assert.closeTo(yield* rateOf(other), before / 2, 2)
        yield* one.leave
        yield* other.leave
      })
    )
  )

  it.effect("only falls for a runner while the database is away", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { rows, world } = Memory.make()
        const [one, other] = [yield* start("one", rows), yield* start("other", rows)]
        yield* ask(20, [one, 100], [other, 100])
        world.isAway = true
        let before = yield* rateOf(one)
        for (let second = 0; second < 90; second++) {
          yield* ask(1, [one, 100], [other, 100])
          const rate = yield* rateOf(one)
          assert.isAtMost(rate, before + 1e-9)
          before = rate
        }
        assert.closeTo(before, settings.min, 1e-9)
        world.isAway = false
        yield* ask(20, [one, 100], [other, 100])
        assert.isAbove(yield* rateOf(one), 20)
        yield* one.leave
        yield* other.leave
      })
    )
  )

  it.effect("is not exceeded in total, while runners join, freeze, disconnect, are refused or leave", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const random = randomFrom(11)
        const { learnt, rows, world } = Memory.make()
        let runners: ReadonlyArray<Runner> = []
        let started = 0
        for (let round = 0; round < (isLong ? 400 : 60); round++) {
          const drawn = random()
          const any = runners[Math.floor(random() * runners.length)]
          if (drawn < 0.1 && runners.length < 6 && !world.isAway) {
            started += 1
            runners = [...runners, yield* start(`runner ${started}`, rows)]
          } else if (drawn < 0.15 && any !== undefined && !world.isAway) {
            yield* any.leave
            runners = runners.filter((each) => each !== any)
          } else if (drawn < 0.2) world.isAway = !world.isAway
          else if (drawn < 0.3 && any !== undefined) any.share.throttled(yield* monotonicMillis)
          yield* ask(
            1 + Math.floor(random() * 5),
            ...runners.map((each) => [each, Math.floor(random() ** 2 * 80)] as const)
          )
          let whole = 0
          for (const each of runners) whole += yield* rateOf(each)
          // The least rate is nobody's part: whoever has heard nothing for long asks that often all the same.
          assert.isAtMost(whole, learnt() + runners.length * settings.min + 1e-6, `round ${round}`)
        }
        world.isAway = false
        for (const each of runners) yield* each.leave
      })
    )
  )

  it.live.skipIf(server === undefined || !isLong)(
    "in Postgres: two runners have half each, learn together, and one alone has all of it",
    () =>
      Effect.gen(function* () {
        const url = server?.url ?? assert.fail("no server")
        const rows = yield* RateRows
        const [one, other] = [yield* start("one", rows), yield* start("other", rows)]
        yield* ask(9, [one, 100], [other, 100])
        const before = [yield* rateOf(one), yield* rateOf(other)] as const
        assert.isAtMost(before[0] + before[1], 51)
        assert.isAbove(Math.min(...before), 20)
        one.share.throttled(yield* monotonicMillis)
        yield* ask(4, [one, 100], [other, 100])
        assert.isBelow(yield* rateOf(other), before[1] * 0.7)
        yield* one.leave
        yield* ask(4, [other, 100])
        assert.isAbove(yield* rateOf(other), before[1] * 0.8)
        yield* other.leave
        return url
      }).pipe(
        Effect.provide(
          Layer.provideMerge(
            RateRows.layer,
            Layer.provideMerge(Journals.layer, Postgres.layer(server?.url ?? assert.fail("no server")))
          )
        )
      )
  )
})
