/** An account leaves the fleet only if its journal, to its end, is known to hold no order and to be under the kill switch. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import { Journals } from "../../src/journal/postgres/Journals.ts"
import * as Postgres from "../../src/journal/postgres/Postgres.ts"
import { Registry } from "../../src/journal/postgres/Registry.ts"
import * as PostgresServer from "../postgres.ts"
import { begin, orderOf } from "../world/journalRows.ts"

const server = await PostgresServer.start()
if (server === undefined) it.skip("removed accounts: this machine has no Postgres server", () => undefined)
const database = Registry.layer.pipe(
  Layer.provideMerge(Journals.layer),
  Layer.provideMerge(Postgres.layer(server?.url ?? Redacted.make("")))
)

const switchTo = (on: boolean): BotEvent => ({ _tag: "KillSwitch", on, reason: "the operator" })

const killed = Effect.fnUntraced(function* (name: string, events: ReadonlyArray<BotEvent>) {
  const [registry, journals] = [yield* Registry, yield* Journals]
  yield* registry.apply({ name, class: "", config: "", strategies: [] })
  yield* registry.own("runner-1", name)
  if (events.length > 0) yield* (yield* journals.claim(name)).journal.append(events)
  yield* registry.wish("killed", "the operator", [name])
  const report = (figures: { readonly openOrders: number; readonly events: number }) =>
    registry.tell("runner-1", name, { fills: 0, problems: [], money: [], ...figures })
  return { registry, report, remove: registry.remove(name) }
})

describe.skipIf(server === undefined)("a killed account is", () => {
  it.live("removed if no runner has ever claimed it, also if its files are unusable", () =>
    Effect.gen(function* () {
      const { registry, remove } = yield* killed("ada", [])
      yield* registry.tellFailing("runner-1", "ada", "no key")
      assert.isTrue(yield* remove)
    }).pipe(Effect.provide(database))
  )

  it.live("kept while its bot has placed orders but not reported yet", () =>
    Effect.gen(function* () {
      const { registry, remove } = yield* killed("ben", [...begin, ...orderOf(1).slice(0, 5), switchTo(true)])
      assert.isFalse(yield* remove)
      yield* registry.tellFailing("runner-1", "ben", "no key")
      assert.isFalse(yield* remove)
    }).pipe(Effect.provide(database))
  )

  it.live("kept while its last report is older than its journal", () =>
    Effect.gen(function* () {
      const events = [...begin, switchTo(true)]
      const { remove, report } = yield* killed("eve", events)
      yield* report({ openOrders: 0, events: events.length - 1 })
      assert.isFalse(yield* remove)
      yield* report({ openOrders: 1, events: events.length })
      assert.isFalse(yield* remove)
      yield* report({ openOrders: 0, events: events.length })
      assert.isTrue(yield* remove)
    }).pipe(Effect.provide(database))
  )

  it.live("kept until its bot has recorded the kill", () =>
    Effect.gen(function* () {
      for (const events of [begin, [...begin, switchTo(true), switchTo(false)]]) {
        const { remove, report } = yield* killed(`tom-${events.length}`, events)
        yield* report({ openOrders: 0, events: events.length })
        assert.isFalse(yield* remove)
      }
    }).pipe(Effect.provide(database))
  )
})
