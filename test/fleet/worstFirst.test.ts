/** The list of many bots: the worst first, with the profit of each and the sum for each quote asset. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type BotLine, fleetView, lineOf, lineOfBot, unreachable } from "../../src/fleet/server/FleetView.ts"
import { ProfitReport } from "../../src/journal/ProfitReport.ts"
import { Profit } from "../../src/views/Profit.ts"

const bot = (name: string, profit: BotLine["profit"], problems: ReadonlyArray<"alarm" | "warn"> = []): BotLine => {
  const about = { kind: "late", subject: "bot", text: "late", since: null, command: null, resolve: null }
  const status = { killSwitch: null, strategies: [], openOrders: 1, fills: 1 }
  return lineOfBot(name, {
    status: { ...status, problems: problems.map((severity) => ({ ...about, severity })) },
    money: [],
    profit
  })
}
const usdc = (total: string, share: number) => [{ asset: "USDC", total, share }]
/** The other figures of a bot's answer, without equity, exposure and curve. */
const ofEarlierVersion = {
  ...{ shareOfYear: null, gridProfit: "12.5", inventory: "0", fees: "0", earnedToday: "0" },
  ...{ rounds: 1, capital: "1250", since: null }
}

describe("the list of many bots", () => {
  it("has bots in trouble first, then those with the lowest profit", () => {
    const lines = [
      bot("gains", usdc("12.5", 0.01)),
      bot("loses", usdc("-3", -0.02)),
      bot("late", usdc("100", 0.5), ["warn"]),
      unreachable("gone", "no response"),
      bot("loses more", usdc("-2.25", -0.03))
    ]
    const names = fleetView(lines, {}, 10).listed.map(({ name }) => name)
    assert.deepStrictEqual(names, ["gone", "late", "loses more", "loses", "gains"])
  })

  it("adds the profit of the bots that reported one, and no quote asset to another", () => {
    const euros = { asset: "EUR", total: "7", share: null }
    const lines = [bot("one", [...usdc("12.5", 0.01), euros]), bot("other", usdc("-2.25", -0.03)), bot("new", [])]
    assert.deepStrictEqual(fleetView(lines, {}, 10).profits, [
      { asset: "EUR", amount: "7", bots: 1 },
      { asset: "USDC", amount: "10.25", bots: 2 }
    ])
  })

  it("has the figures of a bot as the bot's own profit answer has them", () => {
    const reported = { asset: "USDC", total: "12.5", share: 0.01, equity: "1262.5", exposure: 0.4, curve: [0, 12.5] }
    const standing = { ...reported, ...ofEarlierVersion }
    assert.deepStrictEqual(bot("own", [standing]).profit, [reported])
  })

  it("shows a bot or runner of an earlier version without the figures that it does not report", () => {
    const standing = { ...usdc("12.5", 0.01)[0], ...ofEarlierVersion }
    const answer = Schema.decodeUnknownSync(Profit.fields.standings)([standing])
    assert.deepStrictEqual(bot("old", answer).profit, usdc("12.5", 0.01))
    const profit = Schema.decodeUnknownSync(Schema.Array(ProfitReport))(usdc("12.5", 0.01))
    const account = { name: "old", class: "", revision: 1, wanted: "running" as const, why: "" }
    const told = { failing: null, openOrders: 1, fills: 1, events: 1, problems: [], money: [], profit }
    const line = lineOf({ ...account, owner: "one", isOwned: true, told, toldSecondsAgo: 1 })
    assert.deepStrictEqual(line.profit, usdc("12.5", 0.01))
  })
})
