/** A journal that is behind the world, because it is an old copy: its orders are found again, or told and left alone. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random, Result } from "effect"
import type { BotEvent, Recorded } from "../../../src/domain/BotEvent.ts"
import { dayMillis, hourMillis, minuteMillis } from "../../../src/domain/Durations.ts"
import * as Ledger from "../../../src/domain/Ledger.ts"
import * as Problems from "../../../src/engine/funding/Problems.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import * as JournalIntegrity from "../../../src/engine/state/orders/JournalIntegrity.ts"
import * as Fingerprint from "../../../src/engine/tracking/Fingerprint.ts"
import { Venue } from "../../../src/venue/Venue.ts"
import {
  inVirtualTime,
  isCancel,
  ladder,
  make,
  type Network,
  openOrders,
  resting,
  start,
  until
} from "../../world/bot/botWorld.ts"

const isCreate = ({ method, path }: Network["sent"][number]) => method === "POST" && path === "/v0/orders"
const restored: BotEvent = { _tag: "JournalRestored", events: 3, head: "hash" }

/** What the journal was when it knew no order yet. */
const copyOf = (events: Iterable<Recorded>): ReadonlyArray<BotEvent> => {
  const all = [...events].map(({ event }) => event)
  return [
    ...all.slice(
      0,
      all.findIndex(({ _tag }) => _tag === "Planned")
    ),
    restored
  ]
}

const idsOf = (bot: Parameters<typeof openOrders>[0]) =>
  openOrders(bot)
    .map(({ order }) => order?.id)
    .toSorted()

/** Two orders rest, then the bot goes on with an old copy of its journal. */
const withOldCopy = Effect.fnUntraced(function* (strategy: string, before = ladder(2)) {
  const world = yield* make
  const first = yield* world.run({ strategies: [before] })
  yield* until(() => openOrders(first).length === 2, 60_000, "two orders rest")
  const resting = idsOf(first)
  yield* first.stop
  world.network.sent.length = 0
  const second = yield* world.run({ strategies: [strategy], ownJournal: true, earlier: copyOf(yield* first.events) })
  return { world, resting, second } as const
})

describe("a journal that is older than the venue's state", () => {
  it.effect("gets its slots' orders back, and places none a second time", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { resting, second, world } = yield* withOldCopy(ladder(2))
        yield* until(() => openOrders(second).length === 2, 60_000, "both are known again")
        yield* Effect.sleep(60_000)
        assert.deepStrictEqual(idsOf(second), resting)
        assert.deepStrictEqual(world.network.sent.filter(isCreate), [])
        assert.deepStrictEqual(Problems.problemsOf(second.state, 0), [])
        // The money of both is in orders, and nothing of it can be spent again.
        world.setWithdraw({ code: "leaving", text: "test" })
        yield* until(() => unfinished(second.state).length === 0, 300_000, "all the money is back")
      })
    )
  )

  it.effect("accepts a returned order with the terms of its strategy", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const own = `${ladder(2)}terms: { appFees: { partner.near: 150 } }\n`
        const { second } = yield* withOldCopy(own, own)
        yield* until(() => openOrders(second).length === 2, 60_000, "both are known again")
        assert.deepStrictEqual(Problems.problemsOf(second.state, 0), [])
      })
    )
  )

  it.effect("reports orders that no slot desires, and funds nothing until the operator explains them", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { resting, second, world } = yield* withOldCopy(ladder(2, "ladder", "BTC/USDC", [41_000, 49_000]))
        yield* until(() => second.state.integrity.forgotten.size === 2, 60_000, "both are told")
        yield* Effect.sleep(120_000)
        assert.deepStrictEqual(world.network.sent.filter(isCreate), [])
        const told = Problems.problemsOf(second.state, 0)
        assert.deepStrictEqual(told.map(({ placement }) => placement).toSorted(), resting)
        assert.isTrue(told.every(({ kind }) => kind === "contradiction"))
        const adopting = Problems.resolve(second.state, { placement: resting[0] ?? "", word: "adopt", text: "" }, 0)
        assert.isTrue(Result.isFailure(adopting) && adopting.failure.includes("limitbot reconcile --adopt"))
        for (const placement of resting) {
          const word = Problems.resolve(second.state, { placement: placement ?? "", word: "forget", text: "old" }, 0)
          yield* Bookkeeper.use((books) => books.record(...Result.getOrThrow(word))).pipe(
            Effect.provideContext(second.context)
          )
        }
        yield* until(() => openOrders(second).length === 2, 60_000, "its own orders are placed")
        assert.strictEqual(world.network.sent.filter(isCreate).length, 2)
      })
    )
  )

  it.effect("makes its source stop funding and report another bot, if that source still runs", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const source = yield* world.run({ strategies: [ladder(2)] })
        yield* until(() => openOrders(source).length === 2, 60_000, "two orders rest")
        const all = [...(yield* source.events)].map(({ event }) => event)
        const copy = yield* world.run({ strategies: [ladder(3)], ownJournal: true, earlier: [...all, restored] })
        yield* until(() => openOrders(copy).length === 3, 120_000, "the copy places orders of its own")
        yield* until(() => source.state.integrity.forgotten.size > 0, 10_000, "the source sees them")
        const [made] = source.state.integrity.forgotten.keys()
        assert.include(idsOf(copy), made)
        assert.strictEqual(
          JournalIntegrity.whyStopped(source.state.integrity)?.text,
          `another bot runs with a copy of this journal: it made order ${made}. Stop one of the two, then: limitbot resolve`
        )
        assert.isEmpty(copy.state.integrity.forgotten)
      })
    )
  )

  it.effect("does not report explained orders again after a restart", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const elsewhere = ladder(2, "ladder", "BTC/USDC", [41_000, 49_000])
        const { resting, second, world } = yield* withOldCopy(elsewhere)
        yield* until(() => second.state.integrity.forgotten.size === 2, 60_000, "both are told")
        for (const placement of resting) {
          const word = Problems.resolve(second.state, { placement: placement ?? "", word: "forget", text: "old" }, 0)
          yield* Bookkeeper.use((books) => books.record(...Result.getOrThrow(word))).pipe(
            Effect.provideContext(second.context)
          )
        }
        const earlier = [...(yield* second.events)].map(({ event }) => event)
        yield* second.stop
        const third = yield* world.run({ strategies: [elsewhere], ownJournal: true, earlier })
        yield* until(() => openOrders(third).length === 2, 60_000, "its own orders are placed")
        assert.deepStrictEqual([...third.state.integrity.forgotten.keys()], [])
      })
    )
  )

  it.effect("cancels its unknown orders under the kill switch", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { resting, second, world } = yield* withOldCopy(ladder(2, "ladder", "BTC/USDC", [41_000, 49_000]))
        yield* until(() => second.state.integrity.forgotten.size === 2, 60_000, "both are told")
        yield* Effect.sleep(60_000)
        const cancels = () => world.network.sent.filter(isCancel).map(({ path }) => path.split("/").at(-2))
        assert.deepStrictEqual(cancels(), [], "nobody cancels them otherwise: they may be somebody else's")
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => cancels().length === 2, 1_000, "both cancels")
        assert.deepStrictEqual(cancels().toSorted(), resting)
        yield* Effect.sleep(60_000)
        assert.isAtMost(cancels().length, 4, "what is over is not cancelled again")
      })
    )
  )

  it.effect("continues by itself once the venue has ended such an order without money", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        // Its order is made, and no payment ever arrives.
        world.network.bend = ({ url }) => (url.endsWith("/v0/submit-intent") ? "fails" : undefined)
        const first = yield* world.run({ strategies: [ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])] })
        yield* until(() => unfinished(first.state).some(({ state }) => state === "funding"), 60_000, "one is signed")
        yield* first.stop
        world.network.bend = () => undefined
        const other = ladder(1, "ladder", "BTC/USDC", [41_000, 41_000])
        const second = yield* world.run({ strategies: [other], ownJournal: true, earlier: copyOf(yield* first.events) })
        yield* until(() => second.state.integrity.forgotten.size === 1, 60_000, "it is told")
        for (const id of second.state.integrity.forgotten.keys())
          yield* Effect.provideContext(
            Venue.use((venue) => venue.cancelOrder(id)),
            second.context
          )
        yield* until(() => openOrders(second).length === 1, 300_000, "the slot has its order")
      })
    )
  )
})

describe("the mark of a journal", () => {
  it.effect("is found in all deadlines made with it, and in few others", () =>
    Effect.gen(function* () {
      const taken = new Set<number>()
      const latest = Date.parse("2026-03-01T00:00:00Z")
      const made = { notBefore: latest - 4_000, notAfter: latest }
      for (let order = 0; order < 100; order += 1) {
        // A lifetime of a few seconds has only some deadlines to draw from.
        const deadline = yield* Fingerprint.draw(latest, 4_000, taken, 7)
        assert.isTrue(Fingerprint.isMarked(deadline, 7, made))
        assert.isFalse(taken.has(deadline))
        assert.isAtMost(deadline, latest)
        assert.notStrictEqual(deadline % 1000, 0)
        taken.add(deadline)
      }
      const others = [...taken].filter((deadline) => Fingerprint.isMarked(deadline, 8, made)).length
      assert.isBelow(others, 10)
    }).pipe(Random.withSeed("mark"))
  )

  it("is in one deadline of each window, and the windows are stable, so that no order becomes foreign", () => {
    const from = Date.parse("2026-03-01T00:00:00Z")
    const count = (lifetimeMillis: number): number => {
      let marked = 0
      for (let deadline = from; deadline < from + 64_000; deadline += 1) {
        const made = deadline - lifetimeMillis
        if (Fingerprint.isMarked(deadline, 7, { notBefore: made, notAfter: made })) marked += 1
      }
      return marked
    }
    const counts = [7 * dayMillis, 2 * dayMillis, 2 * hourMillis, 10 * minuteMillis].map(count)
    assert.deepStrictEqual(counts, [4, 16, 64, 256])
  })

  it.effect("is not in the orders of a second bot on the account", () =>
    Effect.gen(function* () {
      const now = Date.parse("2026-03-01T00:00:00Z")
      let others = 0
      for (const [lifetime, orders] of [
        [7 * dayMillis, 20_000],
        [2 * dayMillis, 5_000],
        [2 * 3_600_000, 1_000]
      ] as const) {
        const made = { notBefore: now - 600_000, notAfter: now + 60_000 }
        for (let order = 0; order < orders; order += 1) {
          const deadline = yield* Fingerprint.draw(now + lifetime, lifetime, new Set(), 7)
          assert.isTrue(Fingerprint.isMarked(deadline, 7, made))
          if (Fingerprint.isMarked(deadline, 8, made)) others += 1
        }
      }
      assert.isAtMost(others, 10)
    }).pipe(Random.withSeed("marks"))
  )
})

describe("a restart after a clock jump", () => {
  it.effect("does not take ended orders for forgotten ones", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process: first } = yield* resting({ strategies: [ladder(2)] }, 2)
        for (const ahead of [-7_200_000, 0]) {
          world.setClockAhead(ahead)
          yield* until(() => first.state.clock?.ok === (ahead === 0), 60_000, "the clocks are compared")
        }
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => unfinished(first.state).length === 0, 60_000, "all the money is back")
        const money = Ledger.totals(first.state.ledger)
        yield* first.stop
        world.setWithdraw(undefined)
        // Nothing can be funded, so nothing else moves.
        world.network.bend = ({ url }) => (url.endsWith("generate-intent") ? "fails" : undefined)
        const second = yield* world.run({ strategies: [ladder(2)] })
        yield* until(() => unfinished(second.state).length === 2, 60_000, "two orders are placed anew")
        assert.deepStrictEqual([...second.state.integrity.forgotten], [])
        assert.deepStrictEqual(Ledger.totals(second.state.ledger), money)
      })
    )
  )

  it.effect("searches for orders from before the time of the last event", () => {
    const integrity = JournalIntegrity.make()
    const started = { pid: 1, version: "0", mode: "test", account: "a", venue: "v", overall: { exposure: {} } } as const
    JournalIntegrity.apply(integrity, { _tag: "ClockCompared", skewMillis: 7_200_000, ok: false }, start + 7_200_000)
    JournalIntegrity.apply(integrity, { _tag: "BotStarted", ...started }, start + 60_000)
    assert.isBelow(integrity.uncheckedSince ?? start, start)
    return Effect.void
  })
})

describe("an ordinary restart", () => {
  it.effect("fills a free slot in the first turn", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process: first } = yield* resting({ strategies: [ladder(2)] }, 2)
        yield* first.stop
        world.network.sent.length = 0
        yield* world.run({ strategies: [ladder(2), ladder(2, "other", "SOL/USDC", [50, 60])] })
        yield* until(() => world.network.sent.some(isCreate), 1_000, "others are asked for at once")
      })
    )
  )
})
