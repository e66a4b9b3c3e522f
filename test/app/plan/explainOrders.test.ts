/** Explanations of orders by hand under the names that `order list` shows. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { explained } from "../../../src/app/plan/Explaining.ts"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { PriceStore } from "../../../src/journal/PriceStore.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { market } from "../../world/bitcoin.ts"

const strategy = "by-hand-btc-usdc"
const price = Decimal.make(60_000n)
const why = { code: "condition", text: "waits" }
const slots = ["buy-00000001-1", "buy-00000001-2", "buy-00000002"]
const events: ReadonlyArray<BotEvent> = [
  { _tag: "StrategyLoaded", strategy, file: "f", kind: "rules", market: market.name, hash: "1", text: "" },
  {
    ...{ _tag: "Decided", strategy, bid: price, ask: price, priceAt: 1, desired: [], reasons: [], memory: null },
    ...{ absent: slots.map((slot) => ({ slot, why })), until: { onFill: true } }
  }
]

describe("an explanation of an order by hand", () => {
  it.live("has all slots of the order, with or without the name of its strategy", () =>
    Effect.gen(function* () {
      yield* (yield* Journal).append(events)
      const settings = { limits: undefined, markets: { assets: [market.base, market.quote], ticks: new Map() } }
      for (const [name, expected] of [
        ["buy-00000001", slots.slice(0, 2)],
        [`${strategy}/buy-00000001`, slots.slice(0, 2)],
        [`${strategy}/buy-00000001-2`, slots.slice(1, 2)],
        ["buy-00000002", slots.slice(2)],
        [strategy, slots]
      ] as const) {
        const shown = yield* explained(settings, name, undefined)
        assert.deepStrictEqual(
          shown.slots.map(({ slot }) => slot),
          expected.map((slot) => `${strategy}/${slot}`),
          name
        )
      }
    }).pipe(
      Effect.provide(
        PriceStore.layer.pipe(Layer.provideMerge(Journal.layer), Layer.provide(Sqlite.layer({ filename: ":memory:" })))
      )
    )
  )
})
