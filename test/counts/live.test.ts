/**
 * What a running bot does, counted instead of timed, so that it cannot grow unseen: synced commits and requests of an order's
 * life, requests beside a hundred resting orders, and how often strategies are asked. Each number is what it is now; a lower one
 * should replace it.
 */
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import * as BotWorld from "../world/bot/measuredBot.ts"

describe("counts of a running bot", () => {
  it.skipIf(!isLong)("commits and requests per order stay within their bounds", async () => {
    const { lives, commits, requests } = await BotWorld.lifeOf(3)
    assert.isAtLeast(lives, 25)
    assert.isAtMost(commits, 7.97)
    assert.isAtMost(requests, 25.6)
  })

  it.skipIf(!isLong)("placing a hundred orders and ten quiet minutes stay within their bounds", async () => {
    const world = await BotWorld.make(BotWorld.resting(100))
    const placing = world.drive(() => world.count("open") >= 100)
    world.wait(60_000)
    const quiet = world.wait(600_000)
    await world.end()
    assert.isAtMost(placing.requests, 407)
    assert.isAtMost(placing.commits, 602)
    assert.isAtMost(placing.decisions, 1)
    assert.isAtMost(quiet.requests, 295)
    assert.isAtMost(quiet.decisions, 0)
    assert.isAtMost(quiet.commits, 0)
  })

  it.skipIf(!isLong)("quotes that follow the price are planned a bounded number of times per price", async () => {
    let prices = 0
    const answered: BotWorld.Watch["answered"] = ({ url }) => {
      if (url.endsWith("/v0/quote")) prices += 1
    }
    const world = await BotWorld.make([BotWorld.quotes], { watch: { answered } })
    const { decisions } = world.wait(100_000)
    await world.end()
    assert.isAbove(prices, 100)
    assert.isAtMost(decisions / prices, 0.219)
  })
})
