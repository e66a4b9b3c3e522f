/** After a restart of the database the accounts of a runner begin again by themselves, also those that have nothing to record. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import * as PostgresServer from "../postgres.ts"
import { gridText, haveOrders, make } from "./ground.ts"

// A file whose tests are all skipped runs no `afterAll`, so it starts nothing.
const server = isLong ? await PostgresServer.startServer() : undefined
afterAll(() => server?.stop())
if (isLong && server === undefined)
  it.skip("a restarted database: this machine has no Postgres server", () => undefined)

const statuses = (at: string) =>
  Promise.all(["ready", "live"].map(async (what) => (await fetch(`${at}/health/${what}`)).status))

describe.skipIf(server === undefined)("an account without events", () => {
  it.skipIf(!isLong)("is claimed again by the same runner within fifteen seconds of a database restart", async () => {
    if (server === undefined) return
    const ground = await make(server, 2, { speed: 1, strategyOf: () => gridText(30_000) })
    await ground.limitbot("fleet", "--apply", "accounts", "--yes")
    const runner = ground.runner("--port", "0")
    await runner.says("health and metrics: ")
    const [, at = ""] = /health and metrics: (\S+)/.exec(runner.stdout()) ?? []
    await ground.until("all have orders", haveOrders)
    assert.deepStrictEqual(await statuses(at), [200, 200])
    const figures = await (await fetch(`${at}/metrics`)).text()
    assert.match(figures, /^limitbot_fleet_runner_accounts 2$/m)
    const named = (kind: string) => [...figures.matchAll(new RegExp(`^# ${kind} (\\S+)`, "gm"))].map(([, name]) => name)
    assert.include(named("TYPE"), "effect_cluster_shards")
    assert.deepStrictEqual(named("HELP"), named("TYPE"), "every figure is described")
    assert.match(
      figures,
      /^limitbot_venue_request_seconds_bucket\{operation="create order",outcome="ok",le="\+Inf"\} [1-9]/m
    )
    assert.notInclude(figures, "account-0", "of no account by name")
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
