/** After a restart of the database the accounts of a runner begin again by themselves, also those that have nothing to record. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as PostgresServer from "../postgres.ts"
import { gridText, haveOrders, make } from "./ground.ts"

const server = await PostgresServer.startServer()
afterAll(() => server?.stop())
if (server === undefined) it.skip("a restarted database: this machine has no Postgres server", () => undefined)

describe.skipIf(server === undefined)("an account in which nothing happens", () => {
  it("is claimed anew within fifteen seconds of a restart of the database, by the same runner", async () => {
    if (server === undefined) return
    const ground = await make(server, 2, { speed: 1, strategyOf: () => gridText(30_000) })
    await ground.limitbot("fleet", "apply", "accounts", "--yes")
    const runner = ground.runner()
    await ground.until("all have orders", haveOrders)
    const owners = (await ground.accounts()).map(({ runner }) => runner)
    assert.isBelow(await ground.untilClaimedAnew(() => server.restart(), 60_000), 15_000)
    assert.deepStrictEqual(
      (await ground.accounts()).map(({ runner }) => runner),
      owners
    )
    runner.signal("SIGTERM")
    await runner.ended
  })
})
