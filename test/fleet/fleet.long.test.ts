/**
 * A fleet by real processes: runners on one Postgres database and one sandbox, killed, frozen and restarted at random, the database as
 * well. Nothing is funded twice, both books agree for every account, and every account has an owner again within fifteen seconds.
 *
 * `npm run fleet:campaign` does it with 300 accounts for ten minutes and prints its figures.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Bookkeeper } from "../../src/engine/state/Bookkeeper.ts"
import { Journals, layerOf } from "../../src/journal/postgres/Journals.ts"
import * as Postgres from "../../src/journal/postgres/Postgres.ts"
import * as BooksComparison from "../../src/rehearsal/demo/BooksComparison.ts"
import { randomFrom } from "../../src/rehearsal/world/World.ts"
import * as PostgresServer from "../postgres.ts"
import type { Program } from "../world/processes/program.ts"
import { type Ground, gridText, haveOrders, type Listed, make } from "./ground.ts"

const count = Number(process.env["LIMITBOT_FLEET"] ?? 4)
const chaosSeconds = Number(process.env["LIMITBOT_FLEET_SECONDS"] ?? 0)
const isCampaign = chaosSeconds > 0
const runnerCount = 3
const patienceMillis = 180_000 + count * 1_000

const server = await PostgresServer.startServer()
afterAll(() => server?.stop())
if (server === undefined) it.skip("a fleet: this machine has no Postgres server", () => undefined)

const random = randomFrom(7)
const assets = ["BTC", "USDC"].map((symbol) => ({ symbol, id: symbol, decimals: symbol === "BTC" ? 8 : 6 }))

let ground: Ground
const limitbot = (...args: ReadonlyArray<string>) => ground.limitbot(...args)
const until = (what: string, holds: (accounts: ReadonlyArray<Listed>) => boolean) =>
  ground.until(what, holds, patienceMillis)

/** After a restart of the database every account begins anew, carefully: it is the rarest. */
const fates = ["killed", "frozen", "database", "killed", "frozen", "killed", "frozen"] as const
const isOwned = (accounts: ReadonlyArray<Listed>) => accounts.every(({ runner }) => runner !== "none")

const ownedBeside =
  (...victims: ReadonlyArray<Program>) =>
  (accounts: ReadonlyArray<Listed>) =>
    accounts.every(({ runner }) => runner !== "none" && !victims.some(({ pid }) => runner.includes(`-${pid}-`)))

beforeAll(async () => {
  if (server === undefined) return
  ground = await make(server, count, {
    speed: count > 20 ? 5 : 60,
    // In a campaign nothing happens in each third account, which so records nothing by itself.
    strategyOf: (index) => gridText(isCampaign && index % 3 === 2 ? 30_000 : 59_000 + Math.floor(random() * 1_000))
  })
})

const booksOf = (name: string) =>
  Effect.gen(function* () {
    const { state } = yield* Bookkeeper
    const { signerId = "" } = ground.keys.get(name) ?? {}
    return yield* BooksComparison.differences(ground.sandbox.url, signerId, state, assets)
  }).pipe(Effect.provide(Layer.provide(Bookkeeper.layer, layerOf(name))))

describe.skipIf(server === undefined)("a fleet", () => {
  const runners: Array<Program> = []
  const takeovers = { killed: [0], frozen: [0], database: [0] }

  it("says what a folder would change, refuses one with a mistake, and writes it with --yes", async () => {
    const before = await limitbot("fleet", "--apply", "accounts")
    assert.include(before.stdout, `${count} accounts would be written: add --yes.`)
    assert.include((await limitbot("fleet")).stdout, "The fleet has no accounts")
    writeFileSync(
      join(ground.folder, "accounts/account-1/odd.yaml"),
      gridText(59_000).replace("levels: 5", "levels: five")
    )
    const wrong = await limitbot("fleet", "--apply", "accounts", "--yes")
    assert.match(wrong.stderr, /odd\.yaml:5:\d+: .*\n/)
    writeFileSync(join(ground.folder, "accounts/account-1/odd.yaml"), gridText(58_000))
    const twins = await limitbot("fleet", "--apply", "accounts", "--yes")
    assert.match(twins.stderr, /odd\.yaml:1:\d+: the strategy name "grid" is taken/)
    writeFileSync(
      join(ground.folder, "accounts/account-1/odd.yaml"),
      gridText(58_000).replace("name: grid", "name: other")
    )
    assert.include((await limitbot("fleet", "--apply", "accounts", "--yes")).stdout, `${count} accounts written`)
    assert.include((await limitbot("fleet", "--apply", "accounts", "--yes")).stdout, "Nothing differs.")
  })

  it("shares the accounts among its runners, and each trades", async () => {
    for (let index = 0; index < runnerCount; index++) runners.push(ground.runnerProcess())
    await until("all are owned", isOwned)
    await until("all have orders", haveOrders)
    await until("the shares are fair", (accounts) => {
      const shares = Map.groupBy(accounts, ({ runner }) => runner)
      return [...shares.values()].every((share) => share.length <= Math.ceil(count / runnerCount))
    })
  })

  const kill = async (index: number) => {
    const victim = runners[index]
    if (victim === undefined) return
    process.kill(victim.pid, "SIGKILL")
    takeovers.killed.push(await until("others own what it had", ownedBeside(victim)))
    await victim.ended
    runners[index] = ground.runnerProcess()
  }
  const freeze = async (index: number) => {
    const victim = runners[index]
    if (victim === undefined) return
    process.kill(victim.pid, "SIGSTOP")
    takeovers.frozen.push(await until("others own what it has", ownedBeside(victim)))
    process.kill(victim.pid, "SIGCONT")
  }

  it("has an owner for every account fifteen seconds after a death, a freeze or a database restart", async () => {
    // Orders that were begun before a restart of the database wait two minutes after it: the campaign has the time.
    if (!isCampaign) await Promise.all([kill(0), freeze(1)])
    const end = Date.now() + chaosSeconds * 1_000
    for (let round = 0; Date.now() < end; round++) {
      const index = Math.floor(random() * runners.length)
      const fate = fates[round % fates.length]
      if (fate === "killed") await kill(index)
      else if (fate === "frozen") await freeze(index)
      else if (server !== undefined)
        takeovers.database.push(await ground.untilClaimedAnew(() => server.restart(), patienceMillis))
      await pause(1_000 + random() * 4_000)
    }
    await until("all are owned", isOwned)
    // More accounts than the machine carries beside the sandbox say nothing of a fleet's own pace.
    if (count <= 20) assert.isBelow(Math.max(...Object.values(takeovers).flat()), 15_000)
  })

  it("pauses, kills and removes accounts; one that cannot run is reported and disturbs no other", async () => {
    await limitbot("pause", "--account", "account-0", "--why", "to look")
    await until("it is paused", (accounts) => accounts.some(({ problems }) => problems.includes("to look")))
    writeFileSync(join(ground.secrets, "account-2/account.key"), "ed25519:nothing\n", { mode: 0o600 })
    writeFileSync(join(ground.folder, "accounts/account-2/grid.yaml"), gridText(59_500))
    assert.include((await limitbot("fleet", "--apply", "accounts", "--yes")).stdout, "account-2: changed (grid.yaml)")
    await until("its key is told", (accounts) => accounts.some(({ problems }) => problems.includes("account.key")))
    writeFileSync(join(ground.secrets, "account-2/account.key"), `${ground.keys.get("account-2")?.key}\n`, {
      mode: 0o600
    })
    assert.include((await limitbot("fleet", "--remove", "account-1")).stderr, "only an account that is killed")
    assert.include((await limitbot("fleet", "--remove", "nowhere")).stderr, "the fleet has no account nowhere")
    assert.include((await limitbot("resume", "--account", "nowhere")).stderr, "The fleet has no account nowhere")
    assert.include((await limitbot("kill", "--off", "--account", "account-1")).stderr, "account-1 is not killed")
    const killed = await limitbot("kill", "the test ends", "--all-accounts")
    assert.include(killed.stdout, `${count} accounts will be killed within seconds.`)
    await until("every order is withdrawn and paid back", (accounts) =>
      // What is in doubt stays so for an hour; the books count it as what it is.
      accounts.every(
        ({ openOrders, problems, wanted }) =>
          wanted === "killed" && (openOrders === 0 || problems.includes("Unclear whether"))
      )
    )
    // Its runner reports what it has recorded within seconds.
    let removal = await limitbot("fleet", "--remove", "account-1")
    for (let tries = 0; removal.stdout === "" && tries < 30; tries += 1) {
      await pause(1_000)
      removal = await limitbot("fleet", "--remove", "account-1")
    }
    assert.include(removal.stdout, "its journal stays")
    for (const one of runners) one.signal("SIGTERM")
    await Promise.all(runners.map(({ ended }) => ended))
  })

  it("funds nothing twice, and both books agree for every account", async () => {
    const differing = await Effect.runPromise(
      Effect.forEach([...ground.keys.keys()], (name) => Effect.map(booksOf(name), (found) => ({ name, found }))).pipe(
        Effect.provide(Layer.provide(Journals.layer, Postgres.layer(server?.url ?? Redacted.make("")))),
        Effect.provide(NodeHttpClient.layerUndici)
      )
    )
    assert.deepStrictEqual(
      differing.filter(({ found }) => found.length > 0),
      []
    )
    const { orders } = (await (await fetch(`${ground.sandbox.url}/sandbox/books`)).json()) as {
      readonly orders: ReadonlyArray<{ readonly deposited: string; readonly account: string; readonly status: string }>
    }
    const paid = orders.filter(({ deposited }) => deposited !== "0")
    // An account that starts anew after a restart of the database begins nothing for ten seconds.
    assert.isAtLeast(paid.length, count / 2)
    if (count <= 4) return
    process.stdout.write(`fleet: ${count} accounts, ${paid.length} paid orders\n`)
    for (const [what, [, ...millis]] of Object.entries(takeovers))
      process.stdout.write(`  ${what}: ${millis.length} times, ${Math.min(...millis)} to ${Math.max(...millis)} ms\n`)
  })
})
