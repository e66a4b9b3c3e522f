/** What a backtest takes the service to charge, by the schedule of the configuration: the same as its sandbox charges. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as EchoedFee from "../../../src/domain/EchoedFee.ts"
import * as FeeModel from "../../../src/lab/runs/FeeModel.ts"
import { documentedCosts, isPartner, tradeCosts } from "../../../src/venue/profile/Charges.ts"
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
const flags: FeeModel.CostFlags = {}

const account = (profile: ProfileName, hasPartner = false): FeeModel.Account => {
  const facts = factsOf(profile, "intents.near")
  return {
    config: "bot.yaml",
    journal: "bot.sqlite",
    isPartner: isPartner(facts, hasPartner),
    schedule: facts.fees,
    terms: {},
    fees: undefined,
    published: { payouts: new Map(), refunds: new Map() },
    echoed: new Map(),
    spreads: new Map(),
    impacts: new Map()
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
    ["of the deployed service", near, trade, {}, 0, 20.01],
    ["of the deployed service, between stable assets", near, stable, {}, 0, 1.01],
    ["of the deployed service, with app fees that are shared", near, trade, others, 0, 31.01],
    ["of the deployed service, with app fees to oneself, which are no rebate", near, trade, own, 0, 25.01],
    ["of the deployed service, with app fees of the account", { ...near, terms: others }, trade, {}, 0, 31.01],
    ["of the deployed service, with a file that sets its own", { ...near, terms: others }, trade, own, 0, 25.01]
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

  it.effect("are what answers to orders of this market name, before any schedule", () =>
    Effect.gen(function* () {
      const echoed = new Map()
      const first = { at: 1, isFirst: true }
      EchoedFee.learn(echoed, trade.name, { credential: "partner", askedBasisPoints: 0, basisPoints: 27 }, first)
      EchoedFee.learn(echoed, stable.name, { credential: "none", askedBasisPoints: 0, basisPoints: 99 }, first)
      const { fees } = yield* FeeModel.of(flags, { ...near, echoed }, [stable, trade])
      assert.strictEqual(fees.ofInput, 27)
      assert.include(fees.sentence, "27 basis points of every input (echoed by 1 order)")
      const asked = yield* FeeModel.of(flags, { ...near, echoed }, [trade], others)
      assert.strictEqual(asked.fees.ofInput, 31.01)
      const said = { credential: "partner", askedBasisPoints: 21, basisPoints: 33.51 } as const
      EchoedFee.learn(echoed, trade.name, said, first)
      const account = yield* FeeModel.of(flags, { ...near, echoed, terms: others }, [trade])
      assert.strictEqual(account.fees.ofInput, 33.51, "an echo of what the account asks for")
    })
  )

  it.effect("above limits.maxFeeBasisPoints give a warning, because a running bot pays no such order", () =>
    Effect.gen(function* () {
      const warning = "the fee of 20.01 basis points exceeds limits.maxFeeBasisPoints (15): a running bot would not pay"
      for (const [most, isWarned] of [
        [15, true],
        [20.01, false],
        [undefined, false]
      ] as const) {
        const { fees } = yield* FeeModel.of(flags, near, [trade], {}, most)
        assert.strictEqual(fees.sentence.includes(warning), isWarned, fees.sentence)
      }
    })
  )

  it.effect("are those of the most expensive market, and replaced by a flag", () =>
    Effect.gen(function* () {
      const { fees } = yield* FeeModel.of(flags, near, [stable, trade])
      assert.strictEqual(fees.ofInput, 20.01)
      const given = yield* FeeModel.of({ ...flags, feeBps: 7 }, near, [trade])
      assert.deepStrictEqual([given.fees.basisPoints, given.fees.ofInput], [7, 0])
    })
  )

  it.effect("name the app fees of a file's terms, also in searches, if no share of the input includes them", () =>
    Effect.gen(function* () {
      const said = "app fees of its terms: 21 basis points of every input"
      for (const from of [undefined, account("document")])
        for (const feeBps of [undefined, 0]) {
          const { fees } = yield* FeeModel.of({ ...flags, feeBps }, from, [trade], others)
          assert.isTrue(fees.sentence.endsWith(said), fees.sentence)
          assert.isFalse(fees.isFree)
        }
      const ofAccount = { ...account("document"), terms: others }
      for (const feeBps of [undefined, 0]) {
        const { accountTerms, fees } = yield* FeeModel.of({ ...flags, feeBps }, ofAccount, [trade])
        const name = "app fees of bot.yaml: 21 basis points of every input"
        assert.isTrue(fees.sentence.endsWith(name), fees.sentence)
        assert.isFalse(fees.isFree)
        assert.strictEqual(accountTerms, others)
      }
      const { fees } = yield* FeeModel.of(flags, near, [trade], others)
      assert.notInclude(fees.sentence, "app fees")
      const { fees: free } = yield* FeeModel.of({ ...flags, feeBps: 0 }, undefined, [trade])
      assert.include(free.sentence, "NO FEES")
    })
  )

  it.effect("include more for larger market orders: as measured, else as the sandbox's solvers, or by flag", () =>
    Effect.gen(function* () {
      const of = (from: FeeModel.Account | undefined, spreadBps: number | undefined = undefined) =>
        Effect.map(FeeModel.of({ ...flags, spreadBps }, from, [trade]), ({ fees, spreads }) => ({
          said: fees.sentence,
          impact: spreads.get("BTC/USDC")?.impact.basisPoints
        }))
      const measured = yield* of({ ...near, impacts: new Map([["BTC/USDC", 1e-12]]) })
      assert.closeTo(measured.impact ?? 0, 100, 1e-9)
      assert.include(measured.said, "; taking the market costs more by size: 100 for each million USDC (measured)")
      const assumed = yield* of(near)
      assert.strictEqual(assumed.impact, 10)
      assert.include(assumed.said, "10 for each million USDC (as the sandbox's solvers want)")
      const given = yield* of(near, 4)
      assert.strictEqual(given.impact, 0)
      assert.notInclude(given.said, "by size")
    })
  )

  it.effect("say of payouts and of refunds apart whether they are measured, set or left out", () =>
    Effect.gen(function* () {
      const measured = {
        ...account("document"),
        fees: {
          fills: 40,
          basisPoints: 20,
          payouts: new Map([
            ["BTC", 30n],
            ["USDC", 20_000n]
          ]),
          refunds: new Map()
        }
      }
      const said = (
        given: { readonly withdrawFee?: string; readonly refundFee?: string },
        from: FeeModel.Account | undefined
      ) => Effect.map(FeeModel.of({ ...flags, ...given }, from, [trade]), ({ fees: { sentence } }) => sentence)
      assert.include(
        yield* said({}, measured),
        "(measured: 40 fills in bot.sqlite), 0.0000003 BTC and 0.02 USDC of a payout, without those of refunds;"
      )
      assert.include(
        yield* said({ refundFee: "0,1" }, measured),
        "0.0000003 BTC and 0.02 USDC of a payout, those of refunds by flag;"
      )
      assert.include(
        yield* said({ withdrawFee: "0,1" }, undefined),
        "credential), those of payouts by flag, without those of refunds;"
      )
      const published = {
        payouts: new Map([
          ["BTC", 40n],
          ["USDC", 30_000n]
        ]),
        refunds: new Map([["USDC", 0n]])
      }
      const young = { ...account("document"), published }
      assert.include(
        yield* said({}, young),
        "credential), 0.0000004 BTC and 0.03 USDC of a payout (published), 0 USDC of a refund (published);"
      )
      const partly = { ...measured, fees: { ...measured.fees, payouts: new Map([["BTC", 30n]]) }, published }
      const { payouts } = yield* FeeModel.of(flags, partly, [trade])
      assert.deepStrictEqual(
        payouts,
        new Map([
          ["BTC", 30n],
          ["USDC", 30_000n]
        ])
      )
      assert.include(yield* said({}, partly), "0.0000003 BTC of a payout, 0.03 USDC of a payout (published),")
      const asked = yield* FeeModel.of({ ...flags, feeBps: 0 }, partly, [trade])
      assert.deepStrictEqual([asked.payouts.size, asked.refunds.size, asked.fees.isFree], [0, 0, true])
      assert.include(yield* said({}, undefined), "without those of payouts and refunds;")
    })
  )

  it.effect("of payouts and refunds are the venue's, until an order names others or --fee-bps is set", () =>
    Effect.gen(function* () {
      const usual = { ...trade, costs: documentedCosts([btc, usdc]) }
      const { fees, payouts, refunds } = yield* FeeModel.of(flags, undefined, [usual])
      const both = new Map([
        ["BTC", 30n],
        ["USDC", 20_000n]
      ])
      assert.deepStrictEqual([payouts, refunds], [both, both])
      assert.include(fees.sentence, "0.0000003 BTC and 0.02 USDC of a payout and a refund (the venue's);")
      const published = { payouts: new Map([["BTC", 40n]]), refunds: new Map() }
      const seen = yield* FeeModel.of(flags, { ...account("document"), published }, [usual])
      assert.strictEqual(seen.payouts.get("BTC"), 40n)
      assert.include(
        seen.fees.sentence,
        "0.0000004 BTC of a payout (published), 0.02 USDC of a payout (the venue's), 0.0000003 BTC and"
      )
      const given = yield* FeeModel.of({ ...flags, feeBps: 20 }, undefined, [usual])
      assert.deepStrictEqual([given.payouts.size, given.refunds.size], [0, 0])
    })
  )

  it("of payouts and refunds are zero inside the deployed service, and real to other chains", () => {
    const { fees } = factsOf("near-2026-11", "intents.near")
    assert.strictEqual(tradeCosts(fees, true, [btc, usdc]).payouts.size, 0)
    const costs = tradeCosts(fees, true, [btc, usdc], ({ symbol }) => symbol === "BTC")
    assert.deepStrictEqual([...costs.payouts], [["BTC", 30n]])
  })
})
