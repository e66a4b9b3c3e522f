/** A plain copy of the journal that is put back: whatever moment it is of, no slot has two orders with money in them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Ledger from "../../../src/domain/Ledger.ts"
import * as Problems from "../../../src/engine/funding/Problems.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import { orderPages } from "../../../src/engine/tracking/OrderReads.ts"
import { Venue } from "../../../src/venue/Venue.ts"
import { isLong } from "../../long.ts"
import { inVirtualTime, ladder, make, openOrders, type Running, until } from "../../world/bot/botWorld.ts"
import * as LedgerFaults from "../../world/bot/ledgerFaults.ts"

const List = Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String, attributes: Schema.Unknown })) })
const cut: BotEvent = { _tag: "JournalCut", text: "test" }
const stopped: BotEvent = { _tag: "BotStopped", reason: "test" }

/** Orders at the venue that were ever paid. */
const paidOrders = Effect.fnUntraced(function* ({ context }: Running) {
  const pages = yield* Effect.provideContext(
    Venue.use((venue) => Stream.runCollect(orderPages(venue))),
    context
  )
  return pages
    .flatMap(({ orders }) => orders)
    .filter(({ depositedAmount }) => depositedAmount > 0n)
    .map(({ id }) => id)
    .toSorted()
})

/** Two orders rest; then a copy of the first so many events goes on, whose end is as given. */
const putBack = Effect.fnUntraced(function* (events: number, end: BotEvent) {
  const world = yield* make
  const first = yield* world.run({ strategies: [ladder(2)] })
  yield* until(() => openOrders(first).length === 2, 60_000, "two orders rest")
  yield* first.stop
  const all = [...(yield* first.events)].map(({ event }) => event)
  if (events > all.length) return false
  const second = yield* world.run({
    strategies: [ladder(2)],
    ownJournal: true,
    earlier: [...all.slice(0, events), end]
  })
  const copy = `a copy of ${events} of ${all.length} events, the last ${all[events - 1]?._tag}`
  yield* Effect.sleep(150_000)
  const paid = yield* paidOrders(second)
  assert.strictEqual(paid.length, 2, `${copy}: other than two orders were paid`)
  const known = unfinished(second.state).flatMap(({ order }) => (order === undefined ? [] : [order.id]))
  for (const id of paid)
    assert.isTrue(known.includes(id) || second.state.integrity.forgotten.has(id), `${copy}: ${id} is not in the books`)
  return true
})

/** Two orders rest, and there is a copy of the journal that has only planned them. */
const withPlans = Effect.gen(function* () {
  const world = yield* make
  const first = yield* world.run({ strategies: [ladder(2)] })
  yield* until(() => openOrders(first).length === 2, 60_000, "two orders rest")
  yield* first.stop
  const all = [...(yield* first.events)].map(({ event }) => event)
  const bound = all.findIndex(({ _tag }) => _tag === "Bound")
  return { world, first, begun: all.slice(0, bound).filter(({ _tag }) => _tag !== "CreateSent") } as const
})

const each = (end: BotEvent) =>
  inVirtualTime(
    Effect.gen(function* () {
      for (let events = 1; yield* Effect.scoped(putBack(events, end)); events += isLong ? 2 : 4);
    })
  )

describe("an old copy of the journal that is put back", () => {
  it.effect("funds its slots once if the head beside it shows that events are missing", () => each(cut))

  it.effect("funds its slots once, also if the head is copied as well", () => each(stopped), 120_000)

  it.effect("creates its orders once, also if the first read of the order list is refused", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { begun, world } = yield* withPlans
        let lists = 0
        world.network.bend = ({ method, url }) => {
          if (method !== "GET" || !url.endsWith("/v0/orders")) return undefined
          lists += 1
          return lists === 2 ? { status: 400, body: {} } : undefined
        }
        const second = yield* world.run({ strategies: [ladder(2)], ownJournal: true, earlier: [...begun, stopped] })
        yield* until(() => openOrders(second).length === 2, 300_000, "they are known again")
        assert.isAbove(lists, 2)
        assert.strictEqual((yield* paidOrders(second)).length, 2)
      })
    )
  )

  it.effect("reports the second order of a slot that a late list hides, and gets all the money back", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { begun, first, world } = yield* withPlans
        const hidden = new Set(openOrders(first).map(({ order }) => order?.id))
        world.network.reply = ({ url }, body) =>
          url.includes("/v0/orders") && Schema.is(List)(body)
            ? { ...body, data: body.data.filter(({ id }) => !hidden.has(id)) }
            : body
        const second = yield* world.run({ strategies: [ladder(2)], ownJournal: true, earlier: [...begun, stopped] })
        yield* until(() => openOrders(second).length === 2, 60_000, "two other orders rest")
        world.network.reply = (_, body) => body
        yield* until(() => second.state.placements.size > 2, 60_000, "the first ones are known")
        const told = Problems.problemsOf(second.state, 0).filter(({ kind }) => kind === "contradiction")
        assert.strictEqual(told.length, 2)
        world.setWithdraw({ code: "leaving", text: "test" })
        yield* until(() => unfinished(second.state).length === 0, 300_000, "all the money is back")
        const paid = yield* paidOrders(second)
        const settled = [...(yield* second.events)].filter(({ event }) => event._tag === "Settled").length
        assert.deepStrictEqual([paid.length, settled], [4, 4])
        const { ledger } = second.state
        const left = Ledger.totals(ledger).filter(({ amount, place }) => amount !== 0n && place !== "wallet")
        assert.deepStrictEqual([left.map(({ place }) => place), LedgerFaults.overdrawn(ledger)], [["fees"], []])
      })
    )
  )
})
