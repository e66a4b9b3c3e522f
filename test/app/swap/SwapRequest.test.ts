/** The confidentiality of a swap by hand: as asked, else as the account's, else as the service makes swaps. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SwapRequest from "../../../src/app/swap/SwapRequest.ts"
import { settingsOf } from "../../world/processes/rehearsing.ts"

const config = (profile: string, more: string) =>
  settingsOf(`venue: { url: https://venue.invalid, apiKey: { env: NONE }, profile: ${profile} }
account: { key: { env: NONE }${more} }
assets:
  BTC: { id: "nep141:btc.omft.near", decimals: 8 }
  USDC: { id: "nep141:usdc.omft.near", decimals: 6 }
journal: bot.sqlite
`)
const advanced = ", confidentiality: advanced"

describe("the confidentiality of a swap by hand", () => {
  it.each([
    ["document", "", undefined, "public"],
    ["document", advanced, undefined, "advanced"],
    ["near-2026-11", "", undefined, "basic"],
    ["near-2026-11", advanced, undefined, "advanced"],
    ["near-2026-11", advanced, "basic", "basic"]
  ] as const)("with the facts of %s%s and the flag %s is %s", async (profile, more, confidentiality, expected) => {
    const terms = { ...SwapRequest.usual, amount: "1", from: "BTC", to: "USDC", confidentiality }
    const settings = await config(profile, more)
    const { request } = await Effect.runPromise(SwapRequest.requestOf(terms, settings, "alice.near", 0))
    assert.strictEqual(request.confidentiality, expected)
  })
})
