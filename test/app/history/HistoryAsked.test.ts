/** The history's filters at the command line, as the interface gets them. */
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { queryOf } from "../../../src/app/history/HistoryAsked.ts"

const none = Option.none<never>()
const nothing = {
  search: none,
  fromChain: [],
  toChain: [],
  fromToken: [],
  toToken: [],
  depositMemo: none,
  referral: none,
  affiliate: none,
  status: [],
  showTestTxs: false,
  minUsd: none,
  maxUsd: none,
  start: none,
  end: none,
  startUnix: none,
  endUnix: none
}

describe("filters of the history", () => {
  it("name the home ledger as the venue spells it", () => {
    const given = { ...nothing, fromChain: ["near", "btc"] as const, toChain: ["native"] as const }
    assert.deepStrictEqual(queryOf(given, "native"), { fromChainId: ["native", "btc"], toChainId: ["native"] })
    assert.deepStrictEqual(queryOf(given, "near"), { fromChainId: ["near", "btc"], toChainId: ["near"] })
    assert.deepStrictEqual(queryOf(nothing, "near"), {})
  })
})
