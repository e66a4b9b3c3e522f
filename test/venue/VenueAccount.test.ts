/** Where money comes from and goes to, asset by asset, and what an order asks for before what the account asks for. */
import { assert, describe, it } from "@effect/vitest"
import { pathBetween } from "../../src/domain/MoneyPath.ts"
import { chainAccount, ownAccount, partiesOf, termsOf, type VenueAccount } from "../../src/venue/VenueConfig.ts"

const addresses = { recipients: new Map([["btc", "bc1qtheirs"]]), refundTo: new Map([["btc", "bc1qours"]]) }
const onChain = { depositType: "ORIGIN_CHAIN", refundType: "ORIGIN_CHAIN", refundTo: "bc1qours" }
const here = { depositType: "INTENTS", refundType: "INTENTS", refundTo: "alice" }
const toChain = { recipientType: "DESTINATION_CHAIN", recipient: "bc1qtheirs" }
const toHere = { recipientType: "INTENTS", recipient: "alice" }
const toPrivate = { recipientType: "CONFIDENTIAL_INTENTS", recipient: "alice" }

const account: VenueAccount = {
  ...ownAccount("alice", "INTENTS"),
  addresses,
  depositTypes: new Map([
    ["btc", "ORIGIN_CHAIN"],
    ["sol", "CONFIDENTIAL_INTENTS"]
  ])
}

describe("the parties of an order", () => {
  it.each([
    ["btc", "usdc", { ...onChain, ...toHere }],
    ["usdc", "btc", { ...here, ...toChain }],
    ["btc", "sol", { ...onChain, ...toPrivate }],
    ["usdc", "usdt", { ...here, ...toHere }]
  ])("from %s to %s are where the money of each is", (origin, destination, parties) => {
    assert.deepStrictEqual(partiesOf(pathBetween(account, origin, destination)), parties as never)
  })

  it("of an account on other chains are there, except for assets that are configured elsewhere", () => {
    const mixed: VenueAccount = { ...chainAccount("alice", addresses), depositTypes: new Map([["usdc", "INTENTS"]]) }
    assert.deepStrictEqual(partiesOf(pathBetween(mixed, "btc", "usdc")), { ...onChain, ...toHere } as never)
    assert.deepStrictEqual(partiesOf(pathBetween(mixed, "usdc", "btc")), { ...here, ...toChain } as never)
  })
})

describe("the terms of an order", () => {
  const asks: VenueAccount = { ...account, depositMode: "MEMO", appFees: [{ recipient: "self", fee: 5 }] }
  it("are the account's, except for those of its strategy", () => {
    const own = { recipient: "alice", fee: 5 }
    const general = { confidentiality: "basic", depositMode: "MEMO", appFees: [own] }
    assert.deepStrictEqual({ ...termsOf(asks, "ORIGIN_CHAIN") }, general as never)
    const fees = [{ recipient: "partner.near", fee: 30 }]
    const ofStrategy = termsOf(asks, "ORIGIN_CHAIN", { appFees: fees, confidentiality: "advanced" })
    assert.deepStrictEqual({ ...ofStrategy }, { ...general, confidentiality: "advanced", appFees: fees } as never)
  })

  it("ask for a memo only if a deposit can carry one", () => {
    assert.strictEqual(termsOf(asks, "INTENTS").depositMode, "SIMPLE")
  })
})
