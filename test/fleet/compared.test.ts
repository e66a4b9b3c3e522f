/** What an account of a fleet finds by itself when it compares its journal with the venue: the same as a bot of its own, in its journal. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import * as PostgresServer from "../postgres.ts"
import { gridText, haveOrders, make } from "./ground.ts"

const [server, other] = isLong ? [await PostgresServer.start(), await PostgresServer.start()] : []
if (isLong && server === undefined) it.skip("compared accounts: this machine has no Postgres server", () => undefined)

interface Problem {
  readonly kind: string
  readonly text: string
}

describe.skipIf(server === undefined || !isLong)("an account of a fleet", () => {
  it("reports orders that another bot made on it, without a request", async () => {
    if (server === undefined) return
    const ground = await make(server, 2)
    for (const name of ground.keys.keys())
      appendFileSync(join(ground.folder, "accounts", name, "config.yaml"), "reconcileEvery: 1s\n")
    // Two bots on one account, each with a journal of its own: what one makes is a stranger to the other.
    const { key = "" } = ground.keys.get("account-0") ?? {}
    writeFileSync(join(ground.folder, "secrets/account-1/account.key"), `${key}\n`, { mode: 0o600 })
    await ground.limitbot("fleet", "--apply", "accounts", "--yes")
    const runner = ground.runner()
    await ground.until("all have orders", haveOrders)
    const problemsOf = async (name: string): Promise<ReadonlyArray<Problem>> =>
      JSON.parse((await ground.limitbot("status", "--json", "--account", name)).stdout).problems
    for (const name of ground.keys.keys()) {
      const end = Date.now() + 300_000
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
      assert.match(compared.stdout, /Not compared: history: a fleet does not read the partner's history yet/)
    }
    runner.signal("SIGTERM")
    await runner.ended
  })

  it("reports money that left without an origin, to its next owner too, until a person accepts it", async () => {
    if (other === undefined) return
    const ground = await make(other, 2, { strategyOf: () => gridText(30_000) })
    for (const name of ground.keys.keys()) {
      const file = join(ground.folder, "accounts", name, "config.yaml")
      const text = readFileSync(file, "utf8").replace(
        "key: { file: account.key }",
        "$&\n  depositType: CONFIDENTIAL_INTENTS"
      )
      writeFileSync(file, `${text}reconcileEvery: 1s\n`)
    }
    const { key = "" } = ground.keys.get("account-0") ?? {}
    writeFileSync(join(ground.folder, "secrets/account-1/account.key"), `${key}\n`, { mode: 0o600 })
    await ground.limitbot("fleet", "--apply", "accounts", "--yes")
    await ground.limitbot("kill", "--account", "account-1")
    const of = (...args: ReadonlyArray<string>) => ground.limitbot(...args, "--account", "account-0")
    const sentences = async (): Promise<ReadonlyArray<string>> => {
      const { problems } = JSON.parse((await of("status", "--json")).stdout)
      return problems.map(({ text }: Problem) => text).filter((text: string) => /balance USDC/.test(text))
    }
    const until = async (what: string, holds: (sentences: ReadonlyArray<string>) => boolean) => {
      const end = Date.now() + 300_000
      while (!holds(await sentences())) {
        if (Date.now() > end) assert.fail(`${what}: ${await sentences()}`)
        await pause(500)
      }
    }
    let runner = ground.runner()
    await ground.until("it has orders", (all) =>
      all.some(({ account, openOrders }) => account === "account-0" && openOrders > 0)
    )
    assert.match((await of("reconcile")).stdout, / 0 contradict\./)
    await ground.limitbot("kill", "--off", "--account", "account-1")
    await ground.until("the other takes money of it", haveOrders)
    await until("it is told", (all) => all.length === 1)
    runner.signal("SIGTERM")
    await runner.ended
    runner = ground.runner()
    await ground.until("another owns it", (all) => all.every(({ runner }) => runner !== "none"))
    assert.match((await of("reconcile")).stdout, /balance +USDC +.*moved by -\d+, the journal explains/)
    assert.lengthOf(await sentences(), 1)
    const accepted = await of("reconcile", "--accept-balances", "--all")
    assert.match(accepted.stdout, /accepted by you as withdrawn capital/, accepted.stderr)
    await until("it is told no more", (all) => all.length === 0)
    const moved = (await of("events", "--json", "--search", "CapitalMoved")).stdout.trim().split("\n")
    assert.lengthOf(moved, 1)
    runner.signal("SIGTERM")
    await runner.ended
  })
})
