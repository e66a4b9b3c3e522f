/** The history's filters at the command line, as the interface gets them. */
import { assert, describe, it } from "@effect/vitest"
import { queryOf } from "../../../src/app/history/HistoryAsked.ts"

describe("filters of the history", () => {
  it("write the home ledger as the venue spells it", () => {
    const given = { search: undefined, fromChainId: ["near", "btc"], toChainId: ["native"] }
    assert.deepStrictEqual(queryOf(given, "native"), { fromChainId: ["native", "btc"], toChainId: ["native"] })
    assert.deepStrictEqual(queryOf(given, "near"), { fromChainId: ["near", "btc"], toChainId: ["near"] })
    assert.deepStrictEqual(queryOf({ statuses: undefined, toTokenId: undefined }, "near"), {})
  })
})
