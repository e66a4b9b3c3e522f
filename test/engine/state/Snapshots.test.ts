/** A start from a snapshot is the same as a start from the first event, and a snapshot that does not count is not used. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { minuteMillis } from "../../../src/domain/Durations.ts"
import {
  Bookkeeper,
  foldName,
  renewSnapshot,
  replay,
  replayUntil,
  snapshotOf
} from "../../../src/engine/state/Bookkeeper.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import * as Chain from "../../../src/journal/Chain.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { begin, orderOf } from "../../world/journalRows.ts"

const layer = Journal.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename: ":memory:" })))

/** One run of a bot that notes orders from number to number. */
const noteOrders = (from: number, to: number, snapshotEvery: number) =>
  Effect.gen(function* () {
    const books = yield* Bookkeeper
    if (from === 1) yield* books.record(...begin)
    for (let number = from; number <= to; number += 1) {
      for (const event of orderOf(number)) yield* books.record(event)
    }
    return books.state
  }).pipe(Effect.provide(Bookkeeper.layerWith({ snapshotEvery })))

const whole = replayUntil(Number.POSITIVE_INFINITY, () => {})

/** The state as the next start has it, and the event that it began to read from. */
const started = Effect.gen(function* () {
  const journal = yield* Journal
  let readFrom = -1
  const events: typeof journal.events = (which = {}) => {
    readFrom = which.after ?? 0
    return journal.events(which)
  }
  const state = yield* Effect.provideService(replay, Journal, { ...journal, events })
  return { state, readFrom }
})

describe("a snapshot of the state", () => {
  it.effect("gives the same start as the first event, wherever the last run ended", () =>
    Effect.gen(function* () {
      for (let order = 1; order <= 60; order += 7) {
        const live = yield* noteOrders(order, order + 6, 1 + ((order * 13) % 40))
        const { state, readFrom } = yield* started
        assert.deepStrictEqual(state, yield* whole)
        assert.deepStrictEqual(state.ledger, live.ledger)
        assert.isAbove(readFrom, 0)
      }
      assert.isAbove((yield* Chain.verify()).events, 500)
    }).pipe(Effect.provide(layer))
  )

  const spoilt = {
    "with changed bytes": "UPDATE snapshots SET body = x'00'",
    "of another build of the program": "UPDATE snapshots SET seal = hash",
    "of another journal, or of another past": "UPDATE snapshots SET hash = seal",
    "marked with a later event": "UPDATE snapshots SET sequence = sequence + 1",
    "beyond the end of a journal without its last events": "UPDATE snapshots SET sequence = 1000000",
    "that is deleted": "DELETE FROM snapshots",
    "without a table": "DROP TABLE snapshots"
  }
  for (const [what, statement] of Object.entries(spoilt)) {
    it.effect(`${what} is ignored`, () =>
      Effect.gen(function* () {
        yield* noteOrders(1, 20, 100)
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe(statement)
        const { state, readFrom } = yield* started
        assert.strictEqual(readFrom, 0)
        assert.deepStrictEqual(state, yield* whole)
      }).pipe(Effect.provide(layer))
    )
  }

  it.effect("whose sequence does not match the events is ignored, and the start follows the journal", () =>
    Effect.gen(function* () {
      yield* noteOrders(1, 20, 100)
      const { snapshots } = yield* Journal
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ sequence: number }>`SELECT sequence FROM snapshots`
      const { sequence = 0 } = row ?? {}
      yield* snapshots.keep(foldName, { ...snapshotOf(BotState.make()), sequence })
      assert.deepStrictEqual((yield* started).state, yield* whole)
    }).pipe(Effect.provide(layer))
  )

  it.effect("that is renewed holds all that the journal has by then", () =>
    Effect.gen(function* () {
      yield* noteOrders(1, 3, 1_000_000)
      yield* renewSnapshot
      const { readFrom, state } = yield* started
      assert.strictEqual(readFrom, state.sequence)
      assert.deepStrictEqual(state, yield* whole)
    }).pipe(Effect.provide(layer))
  )

  it.effect("covers everything after the next start if the run before left none", () =>
    Effect.gen(function* () {
      yield* noteOrders(1, 3, 1_000_000)
      assert.strictEqual((yield* started).readFrom, 0)
      yield* Effect.provide(Bookkeeper, Bookkeeper.layerWith({ snapshotEvery: 1 }))
      const { readFrom, state } = yield* started
      assert.strictEqual(readFrom, state.sequence)
    }).pipe(Effect.provide(layer))
  )

  it("stays small with a slot that is always refused, and with attempts of removed slots", () => {
    const state = BotState.make()
    let at = 1_700_000_000_000
    const apply = (events: ReadonlyArray<Parameters<typeof BotState.apply>[1]["event"]>) => {
      for (const event of events) BotState.apply(state, { sequence: state.sequence + 1, at, event })
    }
    apply(begin)
    for (let attempt = 1; attempt <= 2_000; attempt += 1) {
      at += 5 * minuteMillis
      // Number 5, 10, … are refused; each third of them belongs to a slot of its own that is never wished for again.
      const slot = attempt % 3 === 0 ? { slot: `gone-${attempt}` } : {}
      apply(orderOf(attempt * 5).map((event) => ({ ...event, ...slot })))
    }
    assert.isAtMost(state.placements.size, 13)
    // Nine bytes of each stay until its deadline, which nothing else may have, is over.
    assert.isBelow(snapshotOf({ ...state, slots: new Map() }).body.length, 20_000 + 2_000 * 9)
  })
})
