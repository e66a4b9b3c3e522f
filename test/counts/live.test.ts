/**
 * What a running bot does, counted instead of timed, so that it cannot grow unseen: synced commits and requests of an order's
 * life, requests beside a hundred resting orders, and how often strategies are asked. Each number is what it is now; a lower one
 * should replace it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as BotWorld from "../../bench/botWorld.ts"
import { lifeOf } from "../../bench/live.ts"

describe("counts of a running bot", () => {
  it("the life of an order: commits and requests", async () => {
    const { lives, commits, requests } = await lifeOf()
    console.log(JSON.stringify({ lives, commits, requests }))
    assert.isAtLeast(lives, 10)
    assert.isAtMost(commits, 0)
    assert.isAtMost(requests, 0)
  })

  it("a hundred resting orders: requests a minute, and plans", async () => {
    const world = await BotWorld.make(BotWorld.resting(100))
    const placing = world.drive(() => world.count("open") >= 100)
    world.wait(60_000)
    const quiet = world.wait(600_000)
    await world.end()
    console.log(JSON.stringify({ placing, quiet }))
    assert.isAtMost(placing.requests, 0)
    assert.isAtMost(quiet.requests / 10, 0)
    assert.isAtMost(quiet.decisions, 0)
    assert.isAtMost(quiet.commits, 0)
  })
})
