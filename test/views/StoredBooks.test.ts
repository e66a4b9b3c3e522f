/** The books of accounts read on from what is stored are those of the whole journal, and what is stored otherwise is not used. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { BotEvent, Of } from "../../src/domain/BotEvent.ts"
import { byHand } from "../../src/domain/Placement.ts"
import * as Seeded from "../../src/domain/Seeded.ts"
import { eachPage, Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import * as Columns from "../../src/journal/snapshots/Columns.ts"
import * as MoneyOverTime from "../../src/ledger/MoneyOverTime.ts"
import * as Trades from "../../src/ledger/Trades.ts"
import * as AccountBooks from "../../src/views/profit/AccountBooks.ts"
import * as StoredBooks from "../../src/views/profit/StoredBooks.ts"
import { begin, orderOf } from "../world/journalRows.ts"

const layer = Journal.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename: ":memory:" })))
const decimals = (symbol: string) => (symbol === "BTC" ? 8 : 6)

/** An order that was over lives on, and ends once more. */
const livingOn = (events: ReadonlyArray<BotEvent>): ReadonlyArray<BotEvent> => {
  const planned = events.find((event): event is Of<"Planned"> => event._tag === "Planned")
  const fill = events.find((event): event is Of<"FillSeen"> => event._tag === "FillSeen")
  if (planned === undefined || fill === undefined) return []
  const { placement, slot, strategy, market, side, price, deadline, ...rest } = planned
  const { inputAmount, inputAsset, outputAmount, outputAsset } = rest
  const about = { strategy, slot, placement }
  return [
    {
      _tag: "TakenBack",
      ...about,
      orderId: `order-${placement.slice(1)}`,
      ...{ market, side, price, deadline, inputAsset, inputAmount, outputAsset, outputAmount },
      estimatedWithdrawFee: 10n,
      estimatedRefundFee: 10n,
      deposited: inputAmount,
      fills: [{ fillId: fill.fillId, amountIn: fill.amountIn, amountOut: fill.amountOut }],
      payoutFee: 10n,
      refundFee: 0n,
      ended: "FILLED"
    },
    { _tag: "CancelRequested", ...about, why: { code: "by hand", text: "the operator" } },
    { ...fill, fillId: `${fill.fillId} again`, filledAt: fill.filledAt - 5 },
    { _tag: "Closed", ...about, status: "CANCELLED", inputAsset, unspent: 0n },
    { _tag: "PaidOut", ...about, asset: outputAsset, amount: 100n, fee: 7n, txHashes: ["a", "b"] },
    { _tag: "Settled", ...about }
  ]
}

/** Orders of a strategy and, each seventh, by hand; each fifth that filled lives on. */
const history = (orders: number): ReadonlyArray<BotEvent> => [
  ...begin,
  { _tag: "BudgetAllotted", strategy: "grid", asset: "BTC", amount: 3_000_000n },
  ...Array.from({ length: orders }, (_, index): ReadonlyArray<BotEvent> => {
    const own = orderOf(index + 1)
    if (index % 7 === 3)
      return own.map((event) => ("placement" in event ? { ...event, strategy: byHand, slot: event.placement } : event))
    return index % 5 === 1 ? [...own, ...livingOn(own)] : own
  }).flat()
]

const readOn = Effect.fnUntraced(function* (books: AccountBooks.AccountBooks) {
  const { events } = yield* Journal
  yield* eachPage(events({ after: books.sequence, tags: AccountBooks.tags }), (page) => AccountBooks.see(books, page))
  return books
})

const shown = ({ overTime, sequence, trading }: AccountBooks.AccountBooks) => ({
  sequence,
  assets: [...overTime.assets],
  days: MoneyOverTime.result(overTime),
  record: Trades.recordOf(trading, decimals)
})

const present = Effect.map(Effect.flatMap(StoredBooks.stored, readOn), shown)
const presentDays = Effect.map(Effect.flatMap(StoredBooks.storedDays, readOn), (books) => shown(books).days)
const afresh = Effect.map(
  Effect.suspend(() => readOn(AccountBooks.make())),
  shown
)

/** A bot that runs for as long as it takes to record these, with a look at the books each minute. */
const recorded = Effect.fnUntraced(function* (events: ReadonlyArray<BotEvent>, eachMinute: number) {
  const { append } = yield* Journal
  const keeper = yield* Effect.forkChild(StoredBooks.keepUp(1))
  for (let from = 0; from < events.length; from += eachMinute) {
    yield* append(events.slice(from, from + eachMinute))
    yield* TestClock.adjust("1 minute")
  }
  yield* Fiber.interrupt(keeper)
})

describe("stored books", () => {
  it.effect("are the same at each look of one reader, and follow the journal", () =>
    Effect.gen(function* () {
      const { append } = yield* Journal
      yield* append(history(20))
      const read = yield* StoredBooks.reader
      for (const _ of [1, 2, 3]) assert.deepStrictEqual(shown(yield* read), yield* afresh)
      yield* append([{ _tag: "BudgetAllotted", strategy: "grid", asset: "BTC", amount: 4_000_000n }])
      assert.deepStrictEqual(shown(yield* read), yield* afresh)
    }).pipe(Effect.provide(layer))
  )

  it.effect("equal those of the whole journal, wherever runs end and parts are cut", () =>
    Effect.gen(function* () {
      const events = history(100)
      const draw = Seeded.seeded(3)
      for (let from = 0; from < events.length; ) {
        const run = events.slice(from, from + 20 + Math.floor(draw() * 300))
        yield* recorded(run, 1 + Math.floor(draw() * 90))
        from += run.length
        const whole = yield* afresh
        assert.deepStrictEqual(yield* present, whole)
        assert.deepStrictEqual(yield* presentDays, whole.days)
      }
      const { sequence } = yield* StoredBooks.stored
      assert.isAbove(sequence, events.length - 100)
      const { record } = yield* present
      assert.isAbove(record.orders.filter(({ status }) => status === "CANCELLED").length, 20)
      yield* StoredBooks.renewSnapshot
      assert.deepStrictEqual(yield* present, yield* afresh)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT fold FROM snapshots ORDER BY fold`, [
        { fold: "books" },
        { fold: "books 1" }
      ])
    }).pipe(Effect.provide(layer))
  )

  const spoilt = {
    "a part with changed bytes": "UPDATE snapshots SET body = x'00' WHERE fold = 'books 2'",
    "a deleted part": "DELETE FROM snapshots WHERE fold = 'books 1'",
    "exchanged parts":
      "UPDATE snapshots SET body = (SELECT body FROM snapshots WHERE fold = 'books 1') WHERE fold = 'books 2'",
    "a newest one of another build": "UPDATE snapshots SET seal = hash WHERE fold = 'books'",
    "a newest one of another past": "UPDATE snapshots SET hash = seal WHERE fold = 'books'",
    "no table": "DROP TABLE snapshots"
  }
  for (const [what, statement] of Object.entries(spoilt)) {
    it.effect(`with ${what} are ignored, and the journal is read from the first event`, () =>
      Effect.gen(function* () {
        yield* recorded(history(30), 60)
        assert.isAbove((yield* StoredBooks.stored).sequence, 0)
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe(statement)
        assert.strictEqual((yield* StoredBooks.stored).sequence, 0)
        assert.deepStrictEqual(yield* present, yield* afresh)
      }).pipe(Effect.provide(layer))
    )
  }

  it("without swaps by hand equal a fold that ignores them", () => {
    const entries = history(80).map((event, index) => ({ sequence: index + 1, at: 1_700_000_000_000 + index, event }))
    const [all, ours] = [Trades.make(decimals, Trades.emptyBooks(), true), Trades.make(decimals)]
    for (const entry of entries) for (const fold of [all, ours]) fold.see(entry)
    assert.isAbove(all.result().trades.length, ours.result().trades.length)
    assert.deepStrictEqual(Trades.withoutByHand(all.result()), ours.result())
  })
})

describe("records in columns", () => {
  it("are read back unchanged, with any fields", () => {
    const draw = Seeded.seeded(11)
    const value = (kind: number): unknown => {
      const values = [1.5, -0, Number.NaN, 7n, -(2n ** 63n), 2n ** 63n, "a", "b", true, null, ["x"], "\u0000\ud800"]
      return kind < 3 ? values[kind] : kind === 3 ? draw() : values[Math.floor(draw() * values.length)]
    }
    for (let round = 0; round < 50; round += 1) {
      const keys = Array.from({ length: Math.floor(draw() * 6) }, (_, index) => `k${index}`)
      const kinds = new Map(keys.map((key) => [key, Math.floor(draw() * 9)]))
      const rows = Array.from({ length: Math.floor(draw() * 40) }, () =>
        Object.fromEntries(keys.flatMap((key) => (draw() < 0.8 ? [[key, value(kinds.get(key) ?? 0)]] : [])))
      )
      assert.deepStrictEqual(Columns.unpack(Columns.pack(rows)), rows)
    }
  })
})
