/** A fleet for tests: accounts on a sandbox, a Postgres server of its own, and the program as people start it. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { assert } from "@effect/vitest"
import bs58 from "bs58"
import { Effect, Redacted } from "effect"
import { randomFrom } from "../../src/rehearsal/World.ts"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import { publicKeyOf } from "../../src/signing/Signer.ts"
import type { PostgresServer } from "../postgres.ts"
import { configText, newFolder, type Program, runHere, start, startSandbox } from "../world/processes/program.ts"

export const gridText = (lower: number): string => `name: grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.01, quote: 600 }, maxPriceDeviation: 90% }
grid: { lower: ${lower}, upper: ${lower + 2000}, levels: 5, size: { base: 0.002 } }
`

export interface Listed {
  readonly account: string
  readonly wanted: string
  readonly runner: string
  readonly openOrders: number | null
  readonly problems: string | null
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

/** `strategyOf` gives the file of each account; without one its folder has none. */
export const make = async (
  server: PostgresServer,
  count: number,
  strategyOf: (index: number) => string | undefined = (index) => gridText(59_000 + index * 100)
) => {
  const keys = await keysOf(count)
  const sandbox = await startSandbox({ speed: 60, accounts: [...keys.values()].map(({ signerId }) => signerId) })
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
  const limitbot = (...args: ReadonlyArray<string>) => runHere([...args, "--database-file", url], { cwd: folder })
  const status = async (): Promise<ReadonlyArray<Listed>> => {
    const { stdout } = await limitbot("fleet", "status", "--json")
    return stdout === "" ? [] : JSON.parse(stdout)
  }
  const until = async (what: string, holds: (accounts: ReadonlyArray<Listed>) => boolean) => {
    const end = Date.now() + 100_000
    for (;;) {
      const accounts = await status()
      if (accounts.length > 0 && holds(accounts)) return
      if (Date.now() > end) assert.fail(`${what}: ${JSON.stringify(accounts.slice(0, 5))}`)
      await pause(250)
    }
  }
  const runner = (): Program => start(["fleet", "run", "--secrets", secrets, "--database-file", url], { cwd: folder })
  return { sandbox, folder, url, keys, limitbot, status, until, runner }
}

export type Ground = Awaited<ReturnType<typeof make>>

export const haveOrders = (accounts: ReadonlyArray<Listed>): boolean =>
  accounts.every(({ openOrders }) => (openOrders ?? 0) > 0)
