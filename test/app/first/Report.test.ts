/** The report of a first order names what was not as expected, one line for each thing, and nothing that was signed. */
import { assert, describe, it } from "@effect/vitest"
import * as Report from "../../../src/app/first/Report.ts"
import type { PlacementEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Market } from "../../../src/domain/Market.ts"
import type { MoneyPath } from "../../../src/domain/MoneyPath.ts"
import type { Order } from "../../../src/domain/Order.ts"

const market: Market = {
  name: "BTC/USDC",
  base: { symbol: "BTC", id: "btc", decimals: 8 },
  quote: { symbol: "USDC", id: "usdc", decimals: 6 }
}
const about = { strategy: "first order", slot: "p1", placement: "p1" }
const path: MoneyPath = {
  originAsset: "usdc",
  destinationAsset: "btc",
  recipient: "me",
  recipientType: "INTENTS",
  refundTo: "me",
  refundType: "INTENTS"
}
const price = Decimal.make(30_000n)

const events = (refund: { readonly amount: bigint; readonly fee: bigint }): ReadonlyArray<PlacementEvent> => [
  {
    _tag: "Planned",
    ...about,
    market: market.name,
    side: "BUY",
    price,
    quantity: 10_000n,
    inputAsset: "USDC",
    inputAmount: 3_000_000n,
    outputAsset: "BTC",
    outputAmount: 10_000n,
    deadline: 5_000,
    why: { code: "first-order", text: "try" }
  },
  { _tag: "CreateSent", ...about, attempt: 1, path },
  {
    _tag: "Bound",
    ...about,
    orderId: "o1",
    depositAddress: "d1",
    via: "reply",
    estimatedWithdrawFee: 1n,
    estimatedRefundFee: 20_000n
  },
  { _tag: "DepositSeen", ...about, asset: "USDC", total: 3_000_000n, fresh: 3_000_000n },
  { _tag: "Closed", ...about, status: "CANCELED", inputAsset: "USDC", unspent: 3_000_000n },
  { _tag: "Refunded", ...about, asset: "USDC", ...refund, txHashes: ["h1"] },
  { _tag: "Settled", ...about }
]

const shown: Order = {
  ...path,
  id: "o1",
  side: "BUY",
  baseAsset: "btc",
  quoteAsset: "usdc",
  quantity: 10_000n,
  price,
  inputAmount: 3_000_000n,
  outputAmount: 10_000n,
  depositAddress: "d1",
  depositType: "INTENTS",
  appFeeBasisPoints: 20,
  fillStatus: "CANCELED",
  depositedAmount: 3_000_000n,
  fills: [],
  withdrawals: [],
  payoutIsFinal: true,
  deadline: 5_000
}

const facts = (
  change: Partial<Report.OrderFacts> = {},
  refund = { amount: 2_980_000n, fee: 20_000n }
): Report.OrderFacts => ({
  moments: events(refund).map((event, index) => ({ sequence: index + 1, at: 1_000 + index * 100, event })),
  market,
  echoedBasisPoints: 20,
  settlementBasisPoints: 0,
  shown,
  moved: -20_000n,
  venue: { url: "http://venue", profile: "document" },
  account: "me",
  ...change
})

describe("the report of a first order", () => {
  it("expects the protocol's share in an echo, and reports any other deviation", () => {
    const echoedAs = (appFeeBasisPoints: number) =>
      Report.make(
        facts({ echoedBasisPoints: 20.01, settlementBasisPoints: 0.01, shown: { ...shown, appFeeBasisPoints } })
      ).compared.find(({ what }) => what === "app fees in its echo")?.isAsExpected
    assert.deepStrictEqual([20.01, 20, 19.99, 25].map(echoedAs), [true, true, false, false])
  })

  it("has no differences if the order matches its terms", () => {
    const report = Report.make(facts())
    assert.deepStrictEqual([report.outcome, report.differences], ["settled", []])
    assert.deepStrictEqual(report.cost, [{ asset: "USDC", amount: "0.02" }])
    assert.include(Report.lines(report).join("\n"), "none: everything was as expected")
  })

  it.each([
    [
      "a more expensive refund",
      facts({}, { amount: 2_950_000n, fee: 50_000n }),
      [/^refund fee: .*0\.02 USDC.*0\.05 USDC$/, /^refunded: .*2\.98 USDC.*2\.95 USDC$/]
    ],
    ["less in the balance", facts({ moved: -500_000n }), [/^private balance moved by: .*-0\.02 USDC.*-0\.5 USDC$/]],
    ["fees in its echo", facts({ shown: { ...shown, appFeeBasisPoints: 25 } }), [/^app fees in its echo: .*20.*25/]],
    [
      "another recipient",
      facts({ shown: { ...shown, recipient: "them" } }),
      [/^terms of the order: .*recipient is them/]
    ],
    ["another price", facts({ shown: { ...shown, price: Decimal.make(31_000n) } }), [/^price: .*30000.*31000/]],
    ["an order that cannot be read", facts({ shown: undefined }), [/^terms of the order: .*not read$/]]
  ] as const)("names each difference: %s", (_, known, expected) => {
    const { differences } = Report.make(known)
    assert.strictEqual(differences.length, expected.length, differences.join("\n"))
    for (const [place, what] of expected.entries()) assert.match(differences[place] ?? "", what)
  })

  it("has the whole timeline in its file", () => {
    const known = facts()
    const text = Report.fileText(Report.make(known), known)
    const { differences, timeline } = JSON.parse(text)
    assert.deepStrictEqual(differences, [])
    assert.strictEqual(timeline.length, known.moments.length)
  })
})
