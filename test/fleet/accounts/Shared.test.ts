/** Which accounts of a process share prices, lists and their client: those that ask by the same credentials and would believe the same prices. */
import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { keyOf, makeGroups } from "../../../src/fleet/accounts/sharing/Shared.ts"

const usual = {
  venue: {
    url: "https://venue.invalid",
    apiKey: Redacted.make("key"),
    partnerJwt: undefined,
    quoteKey: undefined,
    assetSpellings: new Map()
  },
  prices: { within: 0.03, agreeMillis: 60_000, withinOf: new Map([["BTC/USDC", 0.02]]) },
  priceProgram: undefined
}

it("accounts with other price bounds of a market, or another second source, do not share a book", () => {
  const { prices, venue } = usual
  const others = [
    { ...usual, venue: { ...venue, url: "https://other.invalid" } },
    { ...usual, venue: { ...venue, apiKey: Redacted.make("other") } },
    { ...usual, venue: { ...venue, partnerJwt: Redacted.make("token") } },
    { ...usual, venue: { ...venue, assetSpellings: new Map([["nep141:btc.omft.near", "1cs_v1:btc"]]) } },
    { ...usual, prices: { ...prices, within: 0.05 } },
    { ...usual, prices: { ...prices, agreeMillis: 1 } },
    { ...usual, prices: { ...prices, withinOf: new Map([["BTC/USDC", 0.09]]) } },
    { ...usual, priceProgram: { program: "/opt/price", args: [] } },
    { ...usual, priceProgram: { program: "/opt/price", args: ["--slow"] } }
  ]
  assert.strictEqual(new Set([usual, ...others].map(keyOf)).size, others.length + 1)
  assert.strictEqual(keyOf({ ...usual, prices: { ...prices, withinOf: new Map(prices.withinOf) } }), keyOf(usual))
})

it("accounts share a book unless a symbol has another id or other decimals for one of them", () => {
  const groupOf = makeGroups()
  const asset = (symbol: string, id: string, decimals = 6) => ({ symbol, id, decimals })
  const [usdc, xaut, paxg] = [asset("USDC", "usdc"), asset("GOLD", "xaut"), asset("GOLD", "paxg")]
  const anna = groupOf("key", [xaut, usdc])
  assert.strictEqual(groupOf("key", [usdc, xaut]), anna)
  assert.strictEqual(groupOf("key", [usdc, asset("BTC", "btc", 8)]), anna)
  const ben = groupOf("key", [paxg, usdc])
  const finer = groupOf("key", [asset("GOLD", "xaut", 18), usdc])
  assert.strictEqual(new Set([anna, ben, finer, groupOf("other", [xaut, usdc])]).size, 4)
  // An account that joins a group binds it: its BTC is now the first group's BTC.
  assert.strictEqual(groupOf("key", [usdc, asset("BTC", "wrapped-btc", 8)]), ben)
  assert.deepStrictEqual([groupOf("key", [paxg, usdc]), groupOf("key", [xaut])], [ben, anna])
})
