/** Which accounts of a process share their prices: those that would believe the same ones. */
import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { keyOf } from "../../../src/app/fleet/Shared.ts"

const usual = {
  venue: { url: "https://venue.invalid", apiKey: Redacted.make("key") },
  prices: { within: 0.03, lastsMillis: 60_000, withinOf: new Map([["BTC/USDC", 0.02]]) },
  priceProgram: undefined
}

it("accounts with other bounds of a market, or another witness of their own, shared one book", () => {
  const { prices, venue } = usual
  const others = [
    { ...usual, venue: { ...venue, url: "https://other.invalid" } },
    { ...usual, venue: { ...venue, apiKey: Redacted.make("other") } },
    { ...usual, prices: { ...prices, within: 0.05 } },
    { ...usual, prices: { ...prices, lastsMillis: 1 } },
    { ...usual, prices: { ...prices, withinOf: new Map([["BTC/USDC", 0.09]]) } },
    { ...usual, priceProgram: { program: "/opt/price", args: [] } },
    { ...usual, priceProgram: { program: "/opt/price", args: ["--slow"] } }
  ]
  assert.strictEqual(new Set([usual, ...others].map(keyOf)).size, others.length + 1)
  assert.strictEqual(keyOf({ ...usual, prices: { ...prices, withinOf: new Map(prices.withinOf) } }), keyOf(usual))
})
