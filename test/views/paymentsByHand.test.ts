/** What people are asked to pay by hand: never what the bot itself would not pay. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import * as BotState from "../../src/engine/state/BotState.ts"
import { slotsOf } from "../../src/views/Slots.ts"
import { about, asked } from "../world/bot/askedPayment.ts"

const why = { code: "x", text: "the operator says so" }

/** What the slot's row says. */
const said = (wallet: "manual" | "command", ...events: ReadonlyArray<BotEvent>): string => {
  const state = BotState.make()
  for (const [index, event] of [...asked(wallet), ...events].entries()) {
    BotState.apply(state, { sequence: index + 1, at: index, event })
  }
  const assets = [{ symbol: "BTC", id: "btc", decimals: 8 }]
  return slotsOf(state, new Map(assets.map((asset) => [asset.symbol, asset])), new Map())[0]?.why ?? ""
}

const unclear: BotEvent = { _tag: "PaymentUnclear", ...about, text: "it died" }

describe("people are asked to pay by hand", () => {
  const stops: ReadonlyArray<readonly [string, BotEvent]> = [
    ["the kill switch", { _tag: "KillSwitch", on: true, reason: "the operator says so" }],
    ["a cancel", { _tag: "CancelRequested", ...about, why }],
    ["a pause", { _tag: "Paused", strategy: "s", limit: "operator", action: "pause", reason: "the operator says so" }]
  ]
  it.each(stops)("until %s", (_, stop) => {
    assert.match(said("manual"), /^PLEASE PAY exactly 0\.00000005 BTC to bc1deposit$/)
    assert.match(said("manual", stop), /^PAY NOTHING to bc1deposit: .*the operator says so$/)
    assert.match(said("command", unclear), /check, and pay if it did not, or run once with --pay-again p1-1$/)
    assert.match(said("command", unclear, stop), /check, and pay nothing now \(.*the operator says so\)$/)
  })
})
