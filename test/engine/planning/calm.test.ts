/** A plan that left everything as wanted is not made again, until something concerns its strategy. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { dayMillis } from "../../../src/domain/Durations.ts"
import { defaults, EngineSettings } from "../../../src/engine/EngineSettings.ts"
import * as Planning from "../../../src/engine/planning/Planning.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import { parse } from "../../world/bot/botWorld.ts"
import { begin, orderOf } from "../../world/journalRows.ts"

const grid = parse(`name: grid
market: BTC/USDC
kind: grid
limits: { budget: { quote: 6000 } }
grid: { lower: 59000, upper: 61000, levels: 11, size: { base: 0.005 } }
`)
const why = { code: "cell", text: "" }
const now = dayMillis
const price = { bid: Decimal.make(60_050n), ask: Decimal.make(60_051n), at: now }

/** An order rests in one slot of the strategy, exactly as it wants it. `beside` happens while its first decision is recorded. */
const world = (beside: ReadonlyArray<BotEvent> = []) =>
  Effect.gen(function* () {
    const state = BotState.make()
    const apply = (event: BotEvent) => BotState.apply(state, { sequence: state.sequence + 1, at: now - 1, event })
    const order = orderOf(3)
    for (const event of [...begin, ...order.slice(0, 8)]) apply(event)
    const placement = state.placements.get("p3")
    if (placement === undefined) throw new Error("no order rests")
    const { price: wanted, quantity, side, slot } = placement
    const recorded: Array<BotEvent> = []
    const record = (...events: ReadonlyArray<BotEvent>) =>
      Effect.sync(() => {
        const isFirst = recorded.length === 0
        for (const event of events) {
          apply(event)
          recorded.push(event)
        }
        if (isFirst && events.length > 0) beside.forEach(apply)
      })
    const strategy: Strategy = {
      ...grid,
      decide: () => ({
        desired: [{ slot, legs: [{ side, price: wanted, quantity }], cycle: false, why }],
        absent: [],
        memory: null,
        reasons: [],
        until: { onFill: false }
      })
    }
    const unused = Effect.die("unused")
    const books = {
      ...{ state, record, lookAtDisk: unused, recordIfFits: record },
      recordFrom: (events: (known: BotState.BotState) => ReadonlyArray<BotEvent>) =>
        Effect.suspend(() => record(...events(state)))
    } as unknown as Bookkeeper["Service"]
    let asked = 0
    const planning = yield* Planning.make(() => {
      asked += 1
      return false
    }).pipe(
      Effect.provideService(Bookkeeper, books),
      Effect.provideService(EngineSettings, {
        ...defaults,
        account: { signerId: "bot", depositType: "INTENTS", maxAppFeeBasisPoints: 100 }
      })
    )
    return {
      apply,
      order,
      plan: planning.plan(strategy, { price, now }, undefined),
      asked: () => asked
    }
  })

describe("a plan that changes nothing", () => {
  it.effect("is made again when an event concerns its strategy", () =>
    Effect.gen(function* () {
      const { apply, asked, order, plan } = yield* world()
      yield* plan
      yield* plan
      assert.strictEqual(asked(), 0)
      order.slice(8, 13).forEach(apply)
      yield* plan
      assert.strictEqual(asked(), 1, "its slot is free, and wanted")
    })
  )

  it.effect("still fills the slot of an order that ends meanwhile", () =>
    Effect.gen(function* () {
      const { asked, plan } = yield* world(orderOf(3).slice(8, 13))
      yield* plan
      yield* plan
      assert.strictEqual(asked(), 1)
    })
  )
})
