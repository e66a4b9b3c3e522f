/** The page's book has own orders for as long as something of them can still fill. */
import { assert, it } from "@effect/vitest"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import { restingIn } from "../../src/engine/markets/MarketWatch.ts"
import * as BotState from "../../src/engine/state/BotState.ts"
import { bookOrders } from "../../src/views/Book.ts"
import { assetsBySymbol as assets } from "../world/bitcoin.ts"
import { begin, orderOf } from "../world/journalRows.ts"

const market = "BTC/USDC"

/** How many of our orders are in the book after all events up to the first of this kind. */
const afterThe = (tag: BotEvent["_tag"], order: ReadonlyArray<BotEvent>) => {
  const events = [...begin, ...order]
  const state = BotState.make()
  const end = events.findIndex(({ _tag }) => _tag === tag) + 1
  for (const [index, event] of events.slice(0, end).entries())
    BotState.apply(state, { sequence: index + 1, at: index + 1, event })
  return { page: bookOrders(state, assets, market).length, venue: restingIn(state, market).length }
}

it("a filled order that is closing is not in the book with a quantity of 0", () => {
  const filled = orderOf(1)
  assert.deepStrictEqual(afterThe("StatusSeen", filled), { page: 1, venue: 1 })
  assert.deepStrictEqual(afterThe("FillSeen", filled), { page: 0, venue: 0 })
  assert.deepStrictEqual(afterThe("Closed", filled), { page: 0, venue: 0 })
})

it("an order that is being cancelled stays in the book until the venue reports its end", () => {
  const withdrawn = orderOf(3)
  assert.strictEqual(afterThe("CancelRequested", withdrawn).page, 1)
  assert.strictEqual(afterThe("Closed", withdrawn).page, 0)
})
