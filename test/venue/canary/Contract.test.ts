/** What the canary says of recorded answers, and of the same answers with one thing changed. */
import { assert, describe, it } from "@effect/vitest"
import { sentenceOf } from "../../../src/domain/Drift.ts"
import { driftOf, kinds } from "../../../src/venue/canary/Contract.ts"
import * as Answers from "../answers.ts"

/** As the deployed service's public pages show them, with values of our own. */
const recorded = [
  ["order", kinds.order, Answers.wireOrder],
  [
    "token",
    kinds.token,
    {
      assetId: "nep141:eth.omft.near",
      decimals: 18,
      blockchain: "eth",
      symbol: "ETH",
      price: 2000.5,
      priceUpdatedAt: "2026-11-01T00:00:00.000Z",
      contractAddress: null
    }
  ],
  [
    "quote",
    kinds.quote,
    {
      correlationId: "550e8400",
      timestamp: "2026-11-01T00:00:00Z",
      signature: "ed25519:1",
      quoteRequest: {
        dry: true,
        swapType: "EXACT_INPUT",
        slippageTolerance: 100,
        originAsset: "nep141:arb.omft.near",
        depositType: "ORIGIN_CHAIN",
        destinationAsset: "nep141:sol.omft.near",
        amount: "1000",
        refundTo: "0x1",
        refundType: "ORIGIN_CHAIN",
        recipient: "2",
        recipientType: "DESTINATION_CHAIN",
        deadline: "2026-11-01T01:00:00Z",
        depositMode: "SIMPLE",
        confidentiality: "basic",
        referral: "nobody",
        rebates: [{ recipient: "a.near", share: 100 }],
        quoteWaitingTimeMs: 3000,
        appFees: [{ recipient: "recipient.near", fee: 100 }]
      },
      quote: {
        amountIn: "1000",
        amountInFormatted: "0.001",
        amountInUsd: "0.001",
        minAmountIn: "995",
        amountOut: "9",
        amountOutFormatted: "0.9",
        amountOutUsd: "0.001",
        minAmountOut: "8",
        timeEstimate: 120
      }
    }
  ],
  ["balances", kinds.balances, { balances: [{ tokenId: "nep141:wrap.near", available: "1", source: "private" }] }]
] as const

/** A copy without one field, or with another value of it. */
const changed = (answer: unknown, path: string, to?: unknown): unknown => {
  const copy = structuredClone(answer)
  const names = path.replaceAll("[]", ".0").split(".")
  let at = copy
  for (const name of names.slice(0, -1)) at = Reflect.get(Object(at), name)
  if (to === undefined) Reflect.deleteProperty(Object(at), names.at(-1) ?? "")
  else Reflect.set(Object(at), names.at(-1) ?? "", to)
  return copy
}

describe("the canary", () => {
  it.each(recorded)("finds nothing in a recorded answer: %s", (_, kind, answer) => {
    assert.deepStrictEqual(driftOf(kind, answer), [])
  })

  it.each(recorded)("names a new field, which closes nothing: %s", (_, kind, answer) => {
    const drift = driftOf(kind, { ...answer, shadow: { of: 1 } })
    assert.deepStrictEqual(drift, [
      { what: `field \`shadow\` of ${kind.of}`, was: "absent", is: "an object", closesFunding: false }
    ])
  })

  it.each(recorded)(
    "closes funding without any field that money depends on, empty or of another kind: %s",
    (_, kind, answer) => {
      for (const path of kind.money) {
        for (const to of [undefined, null, true]) {
          const drift = driftOf(kind, changed(answer, path, to))
          assert.strictEqual(drift.filter(({ closesFunding }) => closesFunding).length, 1, `${path} ${to}`)
        }
      }
    }
  )

  it.each(recorded)("names a promised field that is gone, and funding goes on: %s", (_, kind, answer) => {
    for (const path of kind.promised.filter((each) => !each.includes("payouts"))) {
      const [drift, ...others] = driftOf(kind, changed(answer, path))
      assert.deepInclude(drift, { is: "absent", closesFunding: false }, path)
      assert.isEmpty(others)
    }
  })

  it("says what is so in words, each thing once", () => {
    const order = changed(Answers.wireOrder, "attributes.fillStatus", "SUSPENDED")
    const [word] = driftOf(kinds.order, order)
    assert.match(
      word === undefined ? "" : sentenceOf(word),
      /^field `fillStatus` of orders was one of .* and is now SUSPENDED$/
    )
    const [fill] = Answers.wireOrder.attributes.partialFills
    const two = changed(Answers.wireOrder, "attributes.partialFills", [
      { ...fill, tax: 1 },
      { ...fill, tax: 2 }
    ])
    assert.deepStrictEqual(driftOf(kinds.order, two).map(sentenceOf), [
      "field `partialFills.tax` of orders is new (a number)"
    ])
    const gone = driftOf(kinds.order, changed(Answers.wireOrder, "attributes.price"))
    assert.deepStrictEqual(gone.map(sentenceOf), ["field `price` of orders is gone (was text): orders pause"])
  })
})
