/** A symbol belongs to one asset while the journal has money or open orders of it. */

import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import { contradictionOf } from "../../src/engine/StartUp.ts"
import * as BotState from "../../src/engine/state/BotState.ts"
import { begin, orderOf } from "../world/journalRows.ts"

const assets = { BTC: "nep141:btc", ETH: "nep141:eth", USDC: "nep141:usdc" }
const exchanged = { BTC: "nep141:eth", ETH: "nep141:btc", USDC: "nep141:usdc" }

const messageAfter = (orders: ReadonlyArray<BotEvent>, configured: Readonly<Record<string, string>>) => {
  const state = BotState.make()
  const started = begin.map((event) => (event._tag === "BotStarted" ? { ...event, assets } : event))
  for (const [index, event] of [...started, ...orders].entries())
    BotState.apply(state, { sequence: index + 1, at: index + 1, event })
  return contradictionOf(state, { assets: configured })?.message ?? ""
}

describe("an asset that an open order buys", () => {
  const [planned] = orderOf(1)
  const orders = planned === undefined ? [] : [planned]

  it("keeps its symbol", () => {
    const { BTC, ...others } = assets
    assert.match(messageAfter(orders, { ...others, XBT: BTC }), /money or orders of BTC, .* says that this is XBT/)
    assert.match(messageAfter(orders, exchanged), /money or orders of BTC, .* says that it is nep141:eth/)
    assert.strictEqual(messageAfter(orders, assets), "")
  })

  it("has no meaning for assets that no money and no order uses", () =>
    assert.strictEqual(messageAfter([], exchanged), ""))
})
