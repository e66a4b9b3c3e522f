/**
 * A rehearsal is of the bot that `run` would be: each key of the configuration that moves money or holds it back does the
 * same there. One grid of four orders far below the market shows it: they rest, and nothing fills.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Option } from "effect"
import { firstOf } from "../../long.ts"
import { type Rehearsing, rehearsed } from "../../world/processes/rehearsing.ts"

const grid = `name: far
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.1, quote: 6000 }, maxPriceDeviation: 60% }
grid: { lower: 40000, upper: 50000, levels: 5, size: { base: 0.005 } }
`
/** Resting orders wait for nothing, so minutes are enough. */
const days = 0.002
const play = (wish: Partial<Rehearsing>) => Effect.runPromise(rehearsed({ strategy: grid, days, ...wish }))
type Outcome = Awaited<ReturnType<typeof play>>

const count = ({ events }: Outcome, tag: string): number => events.get(tag) ?? 0
const inOrder = (outcome: Outcome): void => {
  assert.isUndefined(outcome.ended, outcome.ended && Cause.pretty(outcome.ended))
  assert.isTrue(outcome.isAtRest)
  assert.deepStrictEqual(outcome.differences, [])
}
const refusal = ({ ended }: Outcome): string =>
  ended === undefined ? "" : Option.match(Cause.findErrorOption(ended), { onNone: () => "", onSome: String })

const account = (more: string) => `account: { key: { env: NONE }, ${more} }\n`
const venue = (more: string) => `venue: { url: https://venue.invalid, apiKey: { env: NONE }, ${more} }\n`
const address = "rehearsal-address"
const addresses = `recipients: { BTC: ${address}, ETH: ${address}, USDC: ${address} }, refundTo: { BTC: ${address}, ETH: ${address}, USDC: ${address} }`

describe("a rehearsal of the whole configuration", () => {
  it("opens the four orders of the grid if nothing holds them back", async () => {
    const outcome = await play({})
    inOrder(outcome)
    assert.strictEqual(count(outcome, "FundingSigned"), 4)
  })

  const limits = firstOf(1, [
    ["maxOpenOrders: 1", 1],
    ["maxOrdersPerHour: 3", 3],
    ["exposure: { USDC: 450 }", 2]
  ] as const)
  it.each(limits)("applies limits.%s over all strategies", async (limit, most) => {
    const outcome = await play({ config: `limits: { ${limit} }\n`, allow: ["over-commit"] })
    inOrder(outcome)
    assert.strictEqual(count(outcome, "FundingSigned"), most)
  })

  it("refuses ORIGIN_CHAIN without addresses as `run` does", async () => {
    const outcome = await play({ config: account("depositType: ORIGIN_CHAIN") })
    assert.include(refusal(outcome), "Missing: account.recipients.BTC")
    assert.strictEqual(count(outcome, "FundingSigned"), 0)
  })

  it("refuses addresses of assets whose money stays in the account", async () => {
    const config = account(`recipients: { USDC: ${address} }, refundTo: { BTC: ${address} }`)
    const outcome = await play({ config })
    assert.match(refusal(outcome), /others stay in the account.*: account\.recipients\.USDC, account\.refundTo\.BTC$/)
    assert.strictEqual(count(outcome, "FundingSigned"), 0)
  })

  it("pays on other chains by the user's program, without a signature", async () => {
    const config = account(`depositType: ORIGIN_CHAIN, ${addresses}, wallet: { command: [pay] }`)
    const outcome = await play({ config })
    inOrder(outcome)
    assert.strictEqual(count(outcome, "PaymentMade"), 4)
    assert.strictEqual(count(outcome, "FundingSigned"), 0)
  })

  it("simulates a person who pays within minutes and reports nothing", async () => {
    const config = `${account(`depositType: ORIGIN_CHAIN, ${addresses}`)}stuckAfter: { deposit: 1s }\n`
    const outcome = await play({ config, days: 0.012 })
    inOrder(outcome)
    assert.strictEqual(count(outcome, "PaymentAsked"), 4)
    assert.strictEqual(count(outcome, "PaymentMade"), 0)
    assert.strictEqual(count(outcome, "DepositSeen"), 4)
    assert.isTrue(outcome.alerts.some(({ event }) => event === "Stuck"))
  })

  it("pays an asset from its own place if that differs from the account's", async () => {
    const config = `${account(`recipients: { USDC: ${address} }, refundTo: { USDC: ${address} }, wallet: { command: [pay] }`)}assets:
  BTC:  { id: "nep141:btc.omft.native",  decimals: 8 }
  USDC: { id: "nep141:usdc.omft.native", decimals: 6, depositType: ORIGIN_CHAIN }
`
    const outcome = await play({ config })
    inOrder(outcome)
    assert.strictEqual(count(outcome, "PaymentMade"), 4)
  })

  const kept: ReadonlyArray<readonly [what: string, config: string]> = [
    ["private balances", account("depositType: CONFIDENTIAL_INTENTS, confidentiality: advanced")],
    ["fees to another", account("appFees: { alice.native: 50 }")],
    ["another contract, salt and ledger", venue("ledger: near, verifier: other.near, nonceSalt: 252812b3")],
    ["quotes that are verified", venue("quoteKey: ed25519:GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB")],
    [
      "other spellings of an asset",
      'assets:\n  BTC: { id: "nep141:btc.omft.native", decimals: 8, aliases: [btc] }\n  USDC: { id: "nep141:usdc.omft.native", decimals: 6, aliases: ["1cs_v1:usdc"] }\n'
    ],
    ["a partner's history, compared every minute", `${venue("partnerJwt: { env: NONE }")}reconcileEvery: 1m\n`]
  ]
  it.each(firstOf(1, kept))("opens all four orders with %s, and both books agree", async (_, config) => {
    const outcome = await play({ config })
    inOrder(outcome)
    assert.strictEqual(count(outcome, "FundingSigned"), 4)
    assert.deepStrictEqual(outcome.alerts, [])
  })

  const traded: ReadonlyArray<readonly [what: string, config: string]> = [
    ["app fees to itself", account("appFees: { self: 10 }")],
    ["a person who pays on other chains", account(`depositType: ORIGIN_CHAIN, ${addresses}`)],
    ["private balances", account("depositType: CONFIDENTIAL_INTENTS")]
  ]
  it.each(firstOf(1, traded))("with %s both books agree after fills in bad weather", async (_, config) => {
    const strategy = `name: near
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.1, quote: 6000 } }
grid: { lower: 59700, upper: 60300, levels: 7, size: { base: 0.005 } }
`
    const outcome = await play({
      config,
      strategy,
      days: 0.015,
      level: "high",
      seed: 5,
      allow: ["fee-floor", "fills-at-once"]
    })
    inOrder(outcome)
    assert.isAbove(outcome.fills, 0)
  })

  it("refuses orders below the venue's minimum as `run` does; if allowed, the venue refuses them", async () => {
    const config = venue("minOrderUsd: 10000")
    assert.include(refusal(await play({ config })), "below-minimum")
    const allowed = await play({ config, allow: ["below-minimum"] })
    inOrder(allowed)
    assert.isAbove(count(allowed, "CreateRefused"), 0)
    assert.strictEqual(count(allowed, "FundingSigned"), 0)
  })

  it("writes the messages to every receiver, and sends none", async () => {
    const config = `notify:
  - { to: webhook, url: "http://127.0.0.1:9", least: quiet, kinds: [Planned] }
  - { to: email, url: "smtps://127.0.0.1", from: a@b.invalid, recipients: [c@d.invalid], kinds: [Planned] }
  - { to: command, command: [/nowhere/tell], kinds: [Planned] }
heartbeat: { url: "http://127.0.0.1:9", every: 1m }
`
    const { letters } = await play({ config })
    assert.isAtLeast(letters.messages, 3)
    assert.isAtLeast(letters.signsOfLife, 4)
    assert.strictEqual(letters.failures, 0)
  })

  it("warms up indicators with the configured candles, at the rehearsal's prices", async () => {
    const strategy = `name: dip
market: BTC/USDC
kind: rules
limits: { budget: { quote: 1000 }, maxPriceDeviation: 60% }
rules:
  timeframe: 1h
  orders:
    in: { when: "close < ema(close, 20) * 2", side: buy, price: mid * 0.8, size: { quote: 100 } }
`
    const now = Math.floor(Date.now() / 60_000) * 60_000
    const rows = Array.from({ length: 70 * 60 }, (_, index) => [now - (70 * 60 - index) * 60_000, 7, 7, 7, 7, 1].join())
    const files = { "btc.csv": `timestamp,open,high,low,close,volume\n${rows.join("\n")}\n` }
    const warm = await play({ strategy, config: "markets: { BTC/USDC: { candles: btc.csv } }\n", files })
    inOrder(warm)
    assert.strictEqual(count(warm, "FundingSigned"), 1)
    assert.strictEqual(count(await play({ strategy }), "FundingSigned"), 0)
  })
})
