/** The list of many bots: the worst first, with the profit of each and the sum for each quote asset. */
import { assert, describe, it } from "@effect/vitest"
import { type BotLine, fleetView, lineOfBot, unreachable } from "../../src/fleet/server/FleetView.ts"

const bot = (name: string, profit: BotLine["profit"], problems: ReadonlyArray<"alarm" | "warn"> = []): BotLine => {
  const about = { kind: "late", subject: "bot", text: "late", since: null, command: null, resolve: null }
  const status = { killSwitch: null, strategies: [], openOrders: 1, fills: 1 }
  return lineOfBot(
    name,
    { status: { ...status, problems: problems.map((severity) => ({ ...about, severity })) }, money: [], profit },
    1
  )
}
const usdc = (total: string, share: number) => [{ asset: "USDC", total, share }]

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
})
