/** The smallest order that `plan` names before the venue refuses a smaller one: facts of the profile, the largest that applies. */
import { assert, describe, it } from "@effect/vitest"
import { minimumIn } from "../../../src/app/plan/PlanDraft.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { settingsOf } from "../../world/processes/rehearsing.ts"

const config = (venue: string, depositType: string) =>
  settingsOf(`venue: { url: https://venue.invalid, apiKey: { env: NONE }${venue} }
account: { key: { env: NONE }, depositType: ${depositType}, recipients: { BNB: "0x1", USDC: "0x1" }, refundTo: { BNB: "0x2", USDC: "0x2" } }
assets:
  BNB: { id: "nep245:v2_1.omni.hot.tg:56_1", decimals: 18 }
  USDC: { id: "nep141:usdc.omft.near", decimals: 6 }
journal: bot.sqlite
`)
const market = {
  name: "BNB/USDC",
  base: { symbol: "BNB", id: "nep245:v2_1.omni.hot.tg:56_1", decimals: 18 },
  quote: { symbol: "USDC", id: "nep141:usdc.omft.near", decimals: 6 }
}
const chains = new Map([
  ["BNB", "bsc"],
  ["USDC", "eth"]
])

describe("the smallest order of a market", () => {
  it.each([
    ["near-2026-11", "INTENTS", "", "0.1"],
    ["near-2026-11", "ORIGIN_CHAIN", "", "1000 bsc"],
    ["near-2026-11", "ORIGIN_CHAIN", ", facts: { orders: { chainMinUsd: { bsc: 20 } } }", "20 bsc"],
    ["near-2026-11", "INTENTS", ", minOrderUsd: 12", "12"],
    ["document", "INTENTS", "", "none"]
  ])("with the facts of %s and deposit type %s%s is %s", async (profile, depositType, more, expected) => {
    const settings = await config(`, profile: ${profile}${more}`, depositType)
    const found = minimumIn(settings, chains)(market)
    const text = found && [Decimal.format(found.usd), found.chain ?? []].flat().join(" ")
    assert.strictEqual(text ?? "none", expected)
  })
})
