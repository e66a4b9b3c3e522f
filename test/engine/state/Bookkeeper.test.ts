/** The one writer of the bot's memory, when several fibers record at once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { Bookkeeper, replay, replayUntil } from "../../../src/engine/state/Bookkeeper.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"

const layer = Bookkeeper.layer.pipe(
  Layer.provideMerge(Journal.layer),
  Layer.provide(Sqlite.layer({ filename: ":memory:" }))
)

const many = (strategy: string): ReadonlyArray<BotEvent> =>
  Array.from({ length: 1_500 }, (_, index) => ({
    _tag: "BudgetAllotted",
    strategy,
    asset: "USDC",
    amount: BigInt(index)
  }))

describe("Bookkeeper", () => {
  it.effect("records many events of several fibers at the same time, and all of them are replayed", () =>
    Effect.gen(function* () {
      const books = yield* Bookkeeper
      const names = ["a", "b", "c", "d"]
      yield* Effect.forEach(names, (name) => books.record(...many(name)), { concurrency: 4, discard: true })
      assert.strictEqual(books.state.sequence, 6_000)
      assert.deepStrictEqual((yield* replay).ledger, books.state.ledger)
    }).pipe(Effect.provide(layer))
  )

  it.effect("derives events from the state under the lock, so that they are recorded once", () =>
    Effect.gen(function* () {
      const books = yield* Bookkeeper
      const once = books.recordFrom(({ killed }) =>
        killed === undefined ? [...many("a"), { _tag: "KillSwitch", on: true, reason: "once" }] : []
      )
      yield* Effect.all([once, once, once], { concurrency: 3, discard: true })
      assert.strictEqual(books.state.sequence, 1_501)
    }).pipe(Effect.provide(layer))
  )

  it.effect("rejects an impossible event, so that the journal stays readable", () =>
    Effect.gen(function* () {
      const books = yield* Bookkeeper
      yield* books.record(...many("a"))
      const unknown = { strategy: "a", slot: "one", placement: "p1" }
      const exit = yield* Effect.exit(books.record({ _tag: "CancelSent", ...unknown, attempt: 1 }))
      assert.isTrue(Exit.hasDies(exit))
      yield* books.record({ _tag: "KillSwitch", on: true, reason: "enough" })
      assert.strictEqual((yield* replay).sequence, 1_501)
    }).pipe(Effect.provide(layer))
  )

  it.effect("ends the bot if an event on disk contradicts the memory", () =>
    Effect.gen(function* () {
      const books = yield* Bookkeeper
      books.state.sequence += 1
      const error = yield* Effect.flip(books.record({ _tag: "KillSwitch", on: true, reason: "enough" }))
      assert.include(error.message, "contradicts earlier events")
    }).pipe(Effect.provide(layer))
  )

  it.effect("reports a full disk once, takes no snapshot on it, and reports how long it lasted", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const kept: Array<string> = []
      const disk: { problem: string | undefined } = { problem: undefined }
      const told = Effect.map(Stream.runCollect(journal.events()), (all) => all.slice(1).map(({ event }) => event))
      const bending = Layer.succeed(Journal, {
        ...journal,
        disk: { ...journal.disk, problem: () => disk.problem },
        snapshots: { ...journal.snapshots, keep: (fold) => Effect.sync(() => kept.push(fold) > 0) }
      })
      yield* Effect.gen(function* () {
        const { record } = yield* Bookkeeper
        yield* record({ _tag: "KillSwitch", on: true, reason: "test" })
        assert.lengthOf(kept, 1)
        disk.problem = "full"
        yield* record()
        yield* TestClock.adjust(5_000)
        yield* record()
        assert.deepStrictEqual(yield* told, [{ _tag: "DiskFull", reason: "full" }])
        assert.lengthOf(kept, 1)
        disk.problem = undefined
        yield* record()
        assert.deepStrictEqual(yield* told, [
          { _tag: "DiskFull", reason: "full" },
          { _tag: "DiskFreed", fullMillis: 5_000 }
        ])
        assert.lengthOf(kept, 2)
      }).pipe(Effect.provide(Bookkeeper.layerWith({ snapshotEvery: 1 }).pipe(Layer.provide(bending))))
    }).pipe(Effect.provide(layer))
  )

  it.effect("restores the state at a time from the events until then, and nothing later", () =>
    Effect.gen(function* () {
      const { record } = yield* Bookkeeper
      for (const amount of [1n, 2n, 3n]) {
        yield* TestClock.adjust(1_000)
        yield* record({ _tag: "BudgetAllotted", strategy: "a", asset: "USDC", amount })
      }
      const seen: Array<number> = []
      assert.strictEqual((yield* replayUntil(2_000, ({ at }) => void seen.push(at))).sequence, 2)
      assert.deepStrictEqual(seen, [1_000, 2_000])
    }).pipe(Effect.provide(layer))
  )
})
