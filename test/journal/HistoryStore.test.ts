/**
 * Stored transactions page by page: each once, newest first, whatever is stored while they are read. And the last
 * balances, whatever the clock says.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { BalanceStore, HistoryStore, type StoredTransaction } from "../../src/journal/HistoryStore.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"

const layer = HistoryStore.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename: ":memory:" })))
const progress = { completeTo: undefined, pass: undefined }

/** Many of one moment, and several of one address. */
const row = (index: number): StoredTransaction => ({
  depositAddress: `address-${index % 900}`,
  depositMemo: index < 900 ? undefined : `memo-${index}`,
  createdAt: 1_700_000_000_000 + Math.floor(index / 700),
  status: "SUCCESS",
  body: `{"index":${index}}`
})

describe("stored transactions", () => {
  it.effect("are all in the pages, in one order, and none twice if newer ones arrive meanwhile", () =>
    Effect.gen(function* () {
      const store = yield* HistoryStore
      yield* store.save(
        Array.from({ length: 2_500 }, (_, index) => row(index)),
        progress
      )
      const all = yield* store.all
      assert.lengthOf(all, 2_500)
      const read: Array<StoredTransaction> = []
      yield* Stream.runForEachArray(store.rows, (page) => {
        read.push(...page)
        return store.save([{ ...row(read.length), depositMemo: "newer", createdAt: 1_800_000_000_000 }], progress)
      })
      assert.deepStrictEqual(read, all)
      assert.isAbove((yield* store.all).length, 2_500)
    }).pipe(Effect.provide(layer))
  )
})

describe("stored balances", () => {
  it.effect("are those of the last save, in one row, even if the stored time lies ahead", () =>
    Effect.gen(function* () {
      const store = yield* BalanceStore
      const sql = yield* SqlClient.SqlClient
      assert.isUndefined(yield* store.last)
      yield* sql`INSERT INTO balance_snapshots ${sql.insert({ at: 1_800_000_000_000, body: '{"BTC":"1 0 0"}' })}`
      for (const BTC of ["2 0 0", "3 0 0"]) {
        yield* store.save({ BTC })
        assert.deepStrictEqual(yield* store.last, { BTC })
      }
      assert.lengthOf(yield* sql`SELECT at FROM balance_snapshots`, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("of a new journal are in one row as well", () =>
    Effect.gen(function* () {
      const store = yield* BalanceStore
      const sql = yield* SqlClient.SqlClient
      for (const BTC of ["2 0 0", "3 0 0"]) yield* store.save({ BTC })
      assert.deepStrictEqual(yield* store.last, { BTC: "3 0 0" })
      assert.lengthOf(yield* sql`SELECT at FROM balance_snapshots`, 1)
    }).pipe(Effect.provide(layer))
  )
})
