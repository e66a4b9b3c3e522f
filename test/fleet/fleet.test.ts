/**
 * A fleet by real processes: runners on one Postgres database and one sandbox, killed, frozen and restarted at random, the database as
 * well. Nothing is funded twice, both books agree for every account, and every account has an owner again within fifteen seconds.
 *
 * `npm run fleet:campaign` does it with 300 accounts for ten minutes and prints its figures.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import bs58 from "bs58"
import { Effect, Layer, Redacted } from "effect"
import * as BooksComparison from "../../src/app/demo/BooksComparison.ts"
import { Bookkeeper } from "../../src/engine/state/Bookkeeper.ts"
import { Journals, layerOf } from "../../src/journal/postgres/Journals.ts"
import * as Postgres from "../../src/journal/postgres/Postgres.ts"
import { randomFrom } from "../../src/rehearsal/World.ts"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import { publicKeyOf } from "../../src/signing/Signer.ts"
import * as PostgresServer from "../postgres.ts"
import {
  type Connection,
  configText,
  newFolder,
  type Program,
  runHere,
  start,
  startSandbox
} from "../world/processes/program.ts"

const count = Number(process.env["LIMITBOT_FLEET"] ?? 4)
const chaosSeconds = Number(process.env["LIMITBOT_FLEET_SECONDS"] ?? 15)
const runnerCount = 3

const server = await PostgresServer.start()
afterAll(() => server?.stop())
if (server === undefined) it.skip("a fleet: this machine has no Postgres server", () => undefined)

const random = randomFrom(7)
const assets = ["BTC", "USDC"].map((symbol) => ({ symbol, id: symbol, decimals: symbol === "BTC" ? 8 : 6 }))
const grid = (lower: number) => `name: grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.01, quote: 600 }, maxPriceDeviation: 90% }
grid: { lower: ${lower}, upper: ${lower + 2000}, levels: 5, size: { base: 0.002 } }
`

interface Listed {
  readonly account: string
  readonly wanted: string
  readonly runner: string
  readonly openOrders: number | null
  readonly problems: string | null
}

let [folder, secrets, url] = ["", "", ""]
let sandbox: Connection
const keys = new Map<string, { readonly key: string; readonly signerId: string }>()
const limitbot = (...args: ReadonlyArray<string>) => runHere([...args, "--database-file", url], { cwd: folder })
const status = async (): Promise<ReadonlyArray<Listed>> => {
  const { stdout } = await limitbot("fleet", "status", "--json")
  return stdout === "" ? [] : JSON.parse(stdout)
}
const runner = (): Program => start(["fleet", "run", "--secrets", secrets, "--database-file", url], { cwd: folder })

/** How long until it is so. */
const until = async (
  what: string,
  holds: (accounts: ReadonlyArray<Listed>) => boolean,
  millis = 180_000 + count * 1_000
) => {
  const begun = Date.now()
  for (;;) {
    const accounts = await status()
    if (accounts.length > 0 && holds(accounts)) return Date.now() - begun
    if (Date.now() - begun > millis) assert.fail(`${what}: ${JSON.stringify(accounts.slice(0, 5))}`)
    await pause(250)
  }
}
/** After a restart of the database every account begins anew, carefully: it is the rarest. */
const fates = ["killed", "frozen", "database", "killed", "frozen", "killed", "frozen"] as const
const isOwned = (accounts: ReadonlyArray<Listed>) => accounts.every(({ runner }) => runner !== "none")

const ownedBeside =
  ({ pid }: Program) =>
  (accounts: ReadonlyArray<Listed>) =>
    accounts.every(({ runner }) => runner !== "none" && !runner.includes(`-${pid}-`))

const makeAccounts = async () => {
  const seeds = Array.from({ length: count }, () => Uint8Array.from({ length: 32 }, () => Math.floor(random() * 256)))
  for (const [index, seed] of seeds.entries()) {
    const key = `ed25519:${bs58.encode(seed)}`
    const publicKey = await Effect.runPromise(publicKeyOf(Redacted.make(key)))
    keys.set(`account-${String(index).padStart(3, "0")}`, { key, signerId: Ed25519.implicitAccount(publicKey) ?? "" })
  }
}

beforeAll(async () => {
  if (server === undefined) return
  await makeAccounts()
  sandbox = await startSandbox({
    speed: count > 20 ? 5 : 60,
    accounts: [...keys.values()].map(({ signerId }) => signerId)
  })
  folder = newFolder()
  secrets = join(folder, "secrets")
  url = join(folder, "database.url")
  writeFileSync(url, `${Redacted.value(server.url)}\n`, { mode: 0o600 })
  for (const [name, { key }] of keys) {
    mkdirSync(join(folder, "accounts", name), { recursive: true })
    mkdirSync(join(secrets, name), { recursive: true })
    writeFileSync(join(folder, "accounts", name, "config.yaml"), configText(sandbox))
    writeFileSync(join(folder, "accounts", name, "grid.yaml"), grid(59_000 + Math.floor(random() * 1_000)))
    for (const [file, text] of [
      ["account.key", key],
      ["api.key", sandbox.apiKey],
      ["partner.key", sandbox.partnerJwt]
    ] as const)
      writeFileSync(join(secrets, name, file), `${text}\n`, { mode: 0o600 })
  }
})

const booksOf = (name: string) =>
  Effect.gen(function* () {
    const { state } = yield* Bookkeeper
    const { signerId = "" } = keys.get(name) ?? {}
    return yield* BooksComparison.differences(sandbox.url, signerId, state, assets)
  }).pipe(Effect.provide(Layer.provide(Bookkeeper.layer, layerOf(name))))

describe.skipIf(server === undefined)("a fleet", () => {
  const runners: Array<Program> = []
  const takeovers: Array<number> = []

  it("says what a folder would change, refuses one with a mistake whole, and writes it when asked to", async () => {
    const before = await limitbot("fleet", "apply", "accounts")
    assert.include(before.stdout, `${count} accounts would be written: add --yes.`)
    assert.include((await limitbot("fleet", "status")).stdout, "The fleet has no accounts")
    writeFileSync(join(folder, "accounts/account-001/odd.yaml"), grid(59_000).replace("levels: 5", "levels: five"))
    const wrong = await limitbot("fleet", "apply", "accounts", "--yes")
    assert.match(wrong.stderr, /odd\.yaml:5:\d+: .*\n/)
    writeFileSync(join(folder, "accounts/account-001/odd.yaml"), grid(58_000))
    const twins = await limitbot("fleet", "apply", "accounts", "--yes")
    assert.match(twins.stderr, /odd\.yaml:1:\d+: the strategy name "grid" is taken/)
    writeFileSync(join(folder, "accounts/account-001/odd.yaml"), grid(58_000).replace("name: grid", "name: other"))
    assert.include((await limitbot("fleet", "apply", "accounts", "--yes")).stdout, `${count} accounts written`)
    assert.include((await limitbot("fleet", "apply", "accounts", "--yes")).stdout, "Nothing differs.")
  })

  it("shares the accounts among its runners, and each trades", async () => {
    for (let index = 0; index < runnerCount; index++) runners.push(runner())
    await until("all are owned", isOwned)
    await until("all have orders", (accounts) => accounts.every(({ openOrders }) => (openOrders ?? 0) > 0))
    await until("the shares are fair", (accounts) => {
      const shares = Map.groupBy(accounts, ({ runner }) => runner)
      return [...shares.values()].every((share) => share.length <= Math.ceil(count / runnerCount))
    })
  }, 600_000)

  it("goes on with every account within fifteen seconds, whatever dies, freezes or restarts", async () => {
    const end = Date.now() + chaosSeconds * 1_000
    for (let round = 0; Date.now() < end; round++) {
      const index = Math.floor(random() * runners.length)
      const victim = runners[index]
      if (victim === undefined) continue
      const fate = fates[round % fates.length]
      if (fate === "killed") {
        process.kill(victim.pid, "SIGKILL")
        takeovers.push(await until("others own what it had", ownedBeside(victim)))
        await victim.ended
        runners[index] = runner()
      } else if (fate === "frozen") {
        process.kill(victim.pid, "SIGSTOP")
        takeovers.push(await until("others own what it has", ownedBeside(victim)))
        process.kill(victim.pid, "SIGCONT")
      } else await server?.restart()
      await pause(1_000 + random() * 4_000)
    }
    await until("all are owned", isOwned)
    // More accounts than the machine carries beside the sandbox say nothing of a fleet's own pace.
    if (count <= 20) assert.isBelow(Math.max(...takeovers), 15_000)
  }, 1_200_000)

  it("pauses, kills and removes accounts; one that cannot be run is told and troubles no other", async () => {
    await limitbot("fleet", "pause", "account-000", "--why", "to look")
    await until("it is paused", (accounts) => accounts.some(({ problems }) => problems?.includes("to look") === true))
    writeFileSync(join(secrets, "account-002/account.key"), "ed25519:nothing\n", { mode: 0o600 })
    writeFileSync(join(folder, "accounts/account-002/grid.yaml"), grid(59_500))
    assert.include((await limitbot("fleet", "apply", "accounts", "--yes")).stdout, "account-002: changed (grid.yaml)")
    await until("its key is told", (accounts) =>
      accounts.some(({ problems }) => problems?.includes("account.key") === true)
    )
    writeFileSync(join(secrets, "account-002/account.key"), `${keys.get("account-002")?.key}\n`, { mode: 0o600 })
    assert.include((await limitbot("fleet", "remove", "account-001")).stderr, "only an account that is killed")
    const killed = await limitbot("fleet", "kill", "--all", "--why", "the test ends")
    assert.include(killed.stdout, `${count} accounts are killed within seconds.`)
    await until("every order is withdrawn and paid back", (accounts) =>
      // What is in doubt stays so for an hour; the books count it as what it is.
      accounts.every(
        ({ openOrders, problems, wanted }) =>
          wanted === "killed" && (openOrders === 0 || problems?.includes("Nobody knows whether") === true)
      )
    )
    await pause(6_000)
    assert.include((await limitbot("fleet", "remove", "account-001")).stdout, "its journal stays")
    for (const one of runners) one.signal("SIGTERM")
    await Promise.all(runners.map(({ ended }) => ended))
  }, 900_000)

  it("has funded nothing twice, and both books agree for every account", async () => {
    const differing = await Effect.runPromise(
      Effect.forEach([...keys.keys()], (name) => Effect.map(booksOf(name), (found) => ({ name, found }))).pipe(
        Effect.provide(Layer.provide(Journals.layer, Postgres.layer(server?.url ?? Redacted.make("")))),
        Effect.provide(NodeHttpClient.layerUndici)
      )
    )
    assert.deepStrictEqual(
      differing.filter(({ found }) => found.length > 0),
      []
    )
    const { orders } = (await (await fetch(`${sandbox.url}/sandbox/books`)).json()) as {
      readonly orders: ReadonlyArray<{ readonly deposited: string; readonly account: string; readonly status: string }>
    }
    const paid = orders.filter(({ deposited }) => deposited !== "0")
    // An account that starts anew after a restart of the database begins nothing for ten seconds.
    assert.isAtLeast(paid.length, count / 2)
    if (count > 4)
      process.stdout.write(
        `fleet: ${count} accounts, ${paid.length} paid orders, ${takeovers.length} takeovers, the longest ${Math.max(...takeovers)} ms\n`
      )
  })
})
