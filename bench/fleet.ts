/**
 * Accounts of a fleet whose orders rest, by real runners on a real database beside a sandbox in this process: how long until all are
 * owned and their orders rest, what an account takes when nothing happens (memory, processor, requests), and how long a dead
 * runner's accounts have nobody. `LIMITBOT_DATABASE_URL` names an empty Postgres database, `LIMITBOT_FLEET` how many accounts.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { subscribe } from "node:diagnostics_channel"
import { mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import * as NodeServices from "@effect/platform-node/NodeServices"
import bs58 from "bs58"
import { Layer, ManagedRuntime } from "effect"
import * as SandboxServer from "../src/sandbox/SandboxServer.ts"
import { type Done, says, type Way } from "./measure.ts"
import { built } from "./program.ts"
import type { Bench } from "./sections.ts"

const url = process.env["LIMITBOT_DATABASE_URL"]
const accounts = Number(process.env["LIMITBOT_FLEET"] ?? 20)
const orders = 10
const watchedMillis = 60_000

/** Far below the market, so that nothing fills. */
const strategy = `name: ladder
market: BTC/USDC
kind: ladder
limits: { budget: { quote: 1000 } }
ladder: { side: buy, from: 45000, to: 30000, rungs: ${orders}, total: { quote: 900 } }
`

interface Key {
  readonly secret: string
  readonly signerId: string
}

const newKey = (): Key => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const [{ d = "" }, { x = "" }] = [privateKey.export({ format: "jwk" }), publicKey.export({ format: "jwk" })]
  return {
    secret: `ed25519:${bs58.encode(Buffer.from(d, "base64url"))}`,
    signerId: Buffer.from(x, "base64url").toString("hex")
  }
}

interface Connection {
  readonly url: string
  readonly apiKey: string
  readonly ledger: string
}

const configOf = ({ ledger, url }: Connection): string => `venue: { url: "${url}", apiKey: { file: api.key } }
account: { key: { file: account.key } }
assets:
  BTC: { id: "nep141:btc.omft.${ledger}", decimals: 8 }
  USDC: { id: "nep141:usdc.omft.${ledger}", decimals: 6 }
journal: journal.sqlite
`

/** The folders that people would write. */
const writeAccounts = (folder: string, connection: Connection, keys: ReadonlyArray<Key>): void => {
  for (const [index, { secret }] of keys.entries()) {
    const name = `account-${String(index).padStart(5, "0")}`
    const [told, secrets] = [join(folder, "accounts", name), join(folder, "secrets", name)]
    for (const each of [told, secrets]) mkdirSync(each, { recursive: true })
    writeFileSync(join(told, "config.yaml"), configOf(connection))
    writeFileSync(join(told, "ladder.yaml"), strategy)
    for (const [file, text] of [
      ["account.key", secret],
      ["api.key", connection.apiKey]
    ] as const)
      writeFileSync(join(secrets, file), text, { mode: 0o600 })
  }
}

interface Listed {
  readonly runner: string
}

const field = (pid: number | undefined, name: string): number =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** In ticks of a hundredth of a second: the 14th and 15th field, the 2nd being in brackets. */
const processorMillis = (pid: number | undefined): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const fleetOf = (limitbot: string, folder: string) => {
  const children: Array<ChildProcess> = []
  const log = openSync(join(folder, "runners.log"), "a")
  const execute = async (...args: ReadonlyArray<string>): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [limitbot, "fleet", ...args], {
      cwd: folder,
      maxBuffer: 2 ** 28
    })
    return stdout
  }
  const runner = (): ChildProcess => {
    const args = [limitbot, "fleet", "run", "--secrets", "secrets"]
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", log, log] })
    children.push(child)
    return child
  }
  /** Seconds until it is so. */
  const until = async (holds: (listed: ReadonlyArray<Listed>) => boolean): Promise<number> => {
    const begun = performance.now()
    for (;;) {
      if (children.every(({ exitCode }) => exitCode !== null)) throw new Error("every runner ended: runners.log")
      const listed: ReadonlyArray<Listed> = JSON.parse(await execute("status", "--json"))
      if (listed.length > 0 && holds(listed)) return (performance.now() - begun) / 1_000
      await sleep(accounts > 1_000 ? 2_000 : 250)
    }
  }
  const end = () => {
    for (const child of children) child.kill("SIGKILL")
  }
  return { execute, runner, until, end } as const
}

const isOwned = (listed: ReadonlyArray<Listed>): boolean => listed.every(({ runner }) => runner !== "none")

/** Orders that are paid and rest, by the books of the sandbox. */
const resting = async (sandbox: string): Promise<number> => {
  const { orders }: { readonly orders: ReadonlyArray<{ readonly status: string }> } = await (
    await fetch(`${sandbox}/sandbox/books`)
  ).json()
  return orders.filter(({ status }) => status === "OPEN").length
}

const measured = async (limitbot: string, folder: string, sandbox: string, requests: () => number) => {
  const { end, execute, runner, until } = fleetOf(limitbot, folder)
  try {
    await execute("apply", "accounts", "--yes")
    const first = runner()
    const ownedSeconds = await until(isOwned)
    const begun = performance.now()
    while ((await resting(sandbox)) < accounts * orders) await sleep(1_000)
    const restingSeconds = ownedSeconds + (performance.now() - begun) / 1_000
    await sleep(15_000)
    const [asked, took, from] = [requests(), processorMillis(first.pid), performance.now()]
    await sleep(watchedMillis)
    const minutes = (performance.now() - from) / 60_000
    const perMinute = (requests() - asked) / minutes / accounts
    const share = (processorMillis(first.pid) - took) / minutes / 600
    const megabytes = field(first.pid, "VmRSS")
    const second = runner()
    await until((listed) => new Set(listed.map(({ runner }) => runner)).size === 2 && isOwned(listed))
    first.kill("SIGKILL")
    const takeoverSeconds = await until((listed) => listed.every(({ runner }) => runner.includes(`-${second.pid}-`)))
    return { ownedSeconds, restingSeconds, perMinute, share, megabytes, takeoverSeconds }
  } finally {
    end()
  }
}

export const fleet = async ({ folder, root, show }: Bench): Promise<void> => {
  if (url === undefined) return show("fleet: skipped, LIMITBOT_DATABASE_URL names no database")
  const limitbot = built(root, folder)
  const own = mkdtempSync(join(folder, "fleet-"))
  const keys = Array.from({ length: accounts }, newKey)
  let requests = 0
  subscribe("http.server.request.start", () => {
    requests += 1
  })
  const signers = keys.map(({ signerId }) => signerId)
  const sandbox = ManagedRuntime.make(
    SandboxServer.layer({ seed: 1, accounts: signers }).pipe(Layer.provide(NodeServices.layer))
  )
  try {
    const connection = await sandbox.runPromise(SandboxServer.SandboxConnection)
    writeAccounts(own, connection, keys)
    const found = await measured(limitbot, own, connection.url, () => requests)
    const way = (name: string, measured: number): Way => ({ name, run: (): Done => ({ result: "", measured }) })
    const what = `${accounts} accounts with ${orders} resting orders each, one runner`
    for (const [name, value, unit, atMost] of [
      ["all are owned", found.ownedSeconds, "s", undefined],
      ["all orders rest", found.restingSeconds, "s", undefined],
      ["memory of the runner", found.megabytes, "MB", 300 + accounts],
      ["a core's share when nothing happens", found.share, "%", 5 + accounts * 0.2],
      ["requests of an account in a minute", found.perMinute, "", 10],
      ["accounts of a killed runner are another's", found.takeoverSeconds, "s", undefined]
    ] as const)
      show(
        await says(what, way(name, value), {
          samples: 1,
          unit,
          ...(atMost === undefined ? {} : { budget: { atMost } })
        })
      )
  } finally {
    await sandbox.dispose()
  }
}
