/** What a backtest takes the service to charge, by the schedule of the configuration: the same as its sandbox charges. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as FeeModel from "../../../src/cli/backtest/FeeModel.ts"
import { isPartner } from "../../../src/venue/profile/Charges.ts"
import { factsOf, type ProfileName } from "../../../src/venue/profile/Profiles.ts"

const [btc, usdc, usdt] = [
  { symbol: "BTC", id: "btc", decimals: 8 },
  { symbol: "USDC", id: "usdc", decimals: 6 },
  { symbol: "USDT", id: "usdt", decimals: 6 }
]
const [trade, stable] = [
  { name: "BTC/USDC", base: btc, quote: usdc },
  { name: "USDC/USDT", base: usdc, quote: usdt }
]
const flags = { feeBps: Option.none(), spreadBps: Option.none(), withdrawFee: Option.none(), refundFee: Option.none() }

const account = (profile: ProfileName, hasPartner = false): FeeModel.Account => {
  const facts = factsOf(profile, "intents.near")
  return {
    config: "bot.yaml",
    journal: "bot.sqlite",
    isPartner: isPartner(facts, hasPartner),
    schedule: facts.fees,
    fees: undefined,
    spreads: new Map()
  }
}

const near = account("near-2026-11")
const own = { appFees: [{ recipient: "self", fee: 10 }] }
const others = { appFees: [{ recipient: "alice.near", fee: 21 }] }

describe("the fees of a backtest", () => {
  it.effect.each([
    ["without a configuration", undefined, trade, {}, 20, 0],
    ["of the interface document", account("document"), trade, {}, 20, 0],
    ["of the interface document, with its credential", account("document", true), trade, {}, 0, 0],
    ["of the deployed service", near, trade, {}, 0, 20],
    ["of the deployed service, between stable assets", near, stable, {}, 0, 1],
    ["of the deployed service, with app fees that are shared", near, trade, others, 0, 31],
    ["of the deployed service, with app fees to oneself, which are no rebate", near, trade, own, 0, 25]
  ] as const)("are those %s", ([, from, market, terms, ofOutput, ofInput]) =>
    Effect.gen(function* () {
      const { fees } = yield* FeeModel.of(flags, from, [market], terms)
      assert.deepStrictEqual([fees.basisPoints, fees.ofInput], [ofOutput, ofInput])
      if (ofInput > 0)
        assert.include(
          fees.sentence,
          `${ofInput} basis points of every input (the schedule of bot.yaml, with a partner`
        )
    })
  )

  it.effect("are those of the dearest market, and none beside a flag", () =>
    Effect.gen(function* () {
      const { fees } = yield* FeeModel.of(flags, near, [stable, trade])
      assert.strictEqual(fees.ofInput, 20)
      const given = yield* FeeModel.of({ ...flags, feeBps: Option.some(7) }, near, [trade])
      assert.deepStrictEqual([given.fees.basisPoints, given.fees.ofInput], [7, 0])
    })
  )
})
