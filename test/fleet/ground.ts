/** A fleet for tests: accounts on a sandbox, a database, and runners. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { assert } from "@effect/vitest"
import bs58 from "bs58"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../src/journal/postgres/Postgres.ts"
import { Registry } from "../../src/journal/postgres/Registry.ts"
import { randomFrom } from "../../src/rehearsal/world/World.ts"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import { publicKeyOf } from "../../src/signing/Signer.ts"
import { atEndOfFiles } from "../endOfFile.ts"
import type { Database } from "../postgres.ts"
import {
  configText,
  newFolder,
  type Program,
  runHere,
  start,
  startHere,
  startSandbox
} from "../world/processes/program.ts"

export const gridText = (lower: number): string => `name: grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.01, quote: 600 }, maxPriceDeviation: 90% }
grid: { lower: ${lower}, upper: ${lower + 2000}, levels: 5, size: { base: 0.002 } }
`

/** An account as the database has it. */
export interface Listed {
  readonly account: string
  readonly wanted: string
  readonly runner: string
  readonly openOrders: number
  /** Of all its problems, and why it does not run. */
  readonly problems: string
}

const registries: Array<{ readonly dispose: () => Promise<void> }> = []
atEndOfFiles(async () => void (await Promise.all(registries.splice(0).map((each) => each.dispose()))))

/** Reads the accounts over one connection: a command would open a new one each time. */
const listing = ({ url }: Database) => {
  const runtime = ManagedRuntime.make(Layer.provideMerge(Registry.layer, Postgres.layer(url)))
  registries.push(runtime)
  /** How often each account was claimed. */
  const claims = async (): Promise<ReadonlyMap<string, number>> => {
    const rows = await runtime.runPromise(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ name: string; epoch: number }>`SELECT name, epoch FROM accounts`
      )
    )
    return new Map(rows.map(({ epoch, name }) => [name, epoch]))
  }
  const accounts = async (): Promise<ReadonlyArray<Listed>> => {
    const accounts = await runtime.runPromise(Effect.flatMap(Registry, ({ all }) => all))
    return accounts.map(({ isOwned, name, owner, told, wanted }) => ({
      account: name,
      wanted,
      runner: isOwned ? (owner ?? "") : "none",
      openOrders: told?.openOrders ?? 0,
      problems: [told?.failing ?? "", ...(told?.problems ?? []).map(({ kind, text }) => `${kind}: ${text}`)].join("; ")
    }))
  }
  return { accounts, claims }
}

const keysOf = async (count: number) => {
  const random = randomFrom(7)
  const keys = new Map<string, { readonly key: string; readonly signerId: string }>()
  for (let index = 0; index < count; index++) {
    const key = `ed25519:${bs58.encode(Uint8Array.from({ length: 32 }, () => Math.floor(random() * 256)))}`
    const publicKey = await Effect.runPromise(publicKeyOf(Redacted.make(key)))
    keys.set(`account-${index}`, { key, signerId: Ed25519.implicitAccount(publicKey) ?? "" })
  }
  return keys
}

interface Options {
  /** The file of each account; an account without one has an empty folder. */
  readonly strategyOf?: (index: number) => string | undefined
  readonly speed?: number
}

export const make = async (
  server: Database,
  count: number,
  { speed = 60, strategyOf = (index) => gridText(59_000 + index * 100) }: Options = {}
) => {
  const keys = await keysOf(count)
  const sandbox = await startSandbox({ speed, accounts: [...keys.values()].map(({ signerId }) => signerId) })
  const folder = newFolder()
  const [secrets, url] = [join(folder, "secrets"), join(folder, "database.url")]
  writeFileSync(url, `${Redacted.value(server.url)}\n`, { mode: 0o600 })
  for (const [index, [name, { key }]] of [...keys].entries()) {
    mkdirSync(join(folder, "accounts", name), { recursive: true })
    mkdirSync(join(secrets, name), { recursive: true })
    writeFileSync(join(folder, "accounts", name, "config.yaml"), configText(sandbox))
    const strategy = strategyOf(index)
    if (strategy !== undefined) writeFileSync(join(folder, "accounts", name, "grid.yaml"), strategy)
    for (const [file, text] of [
      ["account.key", key],
      ["api.key", sandbox.apiKey],
      ["partner.key", sandbox.partnerJwt]
    ] as const)
      writeFileSync(join(secrets, name, file), `${text}\n`, { mode: 0o600 })
  }
  writeFileSync(join(secrets, "allowed.yaml"), `addresses: [${sandbox.url}]\n`)
  const limitbot = (...args: ReadonlyArray<string>) => runHere([...args, "--database-file", url], { cwd: folder })
  const { accounts, claims } = listing(server)
  /** Restarts the database, and returns the milliseconds until every account was claimed once more. */
  const untilClaimedAnew = async (restart: () => Promise<void>, millis = 180_000) => {
    const before = await claims()
    await restart()
    const begun = Date.now()
    for (;;) {
      const now = await claims().catch(() => before)
      const waiting = [...before].filter(([name, count]) => (now.get(name) ?? 0) <= count)
      if (waiting.length === 0) return Date.now() - begun
      if (Date.now() - begun > millis) assert.fail(`not claimed anew: ${waiting.map(([name]) => name).join(", ")}`)
      await pause(100)
    }
  }
  /** Returns the milliseconds that it took. */
  const until = async (what: string, holds: (accounts: ReadonlyArray<Listed>) => boolean, millis = 180_000) => {
    const begun = Date.now()
    for (;;) {
      const all = await accounts().catch((): ReadonlyArray<Listed> => [])
      if (all.length > 0 && holds(all)) return Date.now() - begun
      if (Date.now() - begun > millis) assert.fail(`${what}: ${JSON.stringify(all.slice(0, 5))}`)
      await pause(100)
    }
  }
  const run = ["fleet", "run", "--secrets", secrets, "--database-file", url]
  /** In this process. */
  const runner = (...more: ReadonlyArray<string>): Program => startHere([...run, ...more])
  /** To be killed or frozen. */
  const runnerProcess = (): Program => start(run, { cwd: folder })
  return { sandbox, folder, secrets, url, keys, limitbot, accounts, until, untilClaimedAnew, runner, runnerProcess }
}

export type Ground = Awaited<ReturnType<typeof make>>

export const haveOrders = (accounts: ReadonlyArray<Listed>): boolean =>
  accounts.every(({ openOrders }) => openOrders > 0)
