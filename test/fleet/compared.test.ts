/** What an account of a fleet finds by itself when it compares its journal with the venue: the same as a bot of its own, in its journal. */
import { appendFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as PostgresServer from "../postgres.ts"
import { haveOrders, make } from "./ground.ts"

const server = await PostgresServer.start()
afterAll(() => server?.stop())
if (server === undefined) it.skip("accounts compared: this machine has no Postgres server", () => undefined)

interface Problem {
  readonly kind: string
  readonly text: string
}

describe.skipIf(server === undefined)("an account of a fleet", () => {
  it("tells orders of its account that another bot made, without being asked", async () => {
    if (server === undefined) return
    const ground = await make(server, 2)
    for (const name of ground.keys.keys())
      appendFileSync(join(ground.folder, "accounts", name, "config.yaml"), "reconcileEvery: 1s\n")
    // Two bots on one account, each with a journal of its own: what one makes is a stranger to the other.
    const { key = "" } = ground.keys.get("account-0") ?? {}
    writeFileSync(join(ground.folder, "secrets/account-1/account.key"), `${key}\n`, { mode: 0o600 })
    await ground.limitbot("fleet", "apply", "accounts", "--yes")
    const runner = ground.runner()
    await ground.until("all have orders", haveOrders)
    const problemsOf = async (name: string): Promise<ReadonlyArray<Problem>> =>
      JSON.parse((await ground.limitbot("status", "--json", "--account", name)).stdout).problems
    for (const name of ground.keys.keys()) {
      const end = Date.now() + 30_000
      let problems: ReadonlyArray<Problem> = []
      while (!problems.some(({ kind }) => kind === "foreign") && Date.now() < end) {
        await pause(500)
        problems = await problemsOf(name)
      }
      assert.include(
        problems.map(({ kind }) => kind),
        "foreign"
      )
      const told = await ground.limitbot("events", "--json", "--search", "Reconciled", "--account", name)
      const [event] = told.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual([event.witnesses, event.contradictions], [["orders"], []])
      const compared = await ground.limitbot("reconcile", "--account", name)
      assert.match(compared.stdout, /Not compared: history: a fleet does not read the partner's yet/)
    }
    runner.signal("SIGTERM")
    await runner.ended
  }, 120_000)
})
