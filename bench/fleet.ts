/**
 * Accounts of a fleet whose orders rest, by real runners on a real database beside a sandbox in this process: how long until all are
 * owned and their orders rest, what an account takes when nothing happens (memory, processor, requests), and how long a dead
 * runner's accounts have nobody. `LIMITBOT_DATABASE_URL` names an empty Postgres database, `LIMITBOT_FLEET` how many accounts and
`LIMITBOT_RUNNERS` how many runners. Of more than a thousand accounts one lives its orders, and the others are copies of it: then the start
is that of runners whose accounts have orders already.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { subscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import * as NodeServices from "@effect/platform-node/NodeServices"
import bs58 from "bs58"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { Journals } from "../src/journal/postgres/Journals.ts"
import * as Postgres from "../src/journal/postgres/Postgres.ts"
import { type FleetAccount, Registry } from "../src/journal/postgres/Registry.ts"
import * as SandboxServer from "../src/sandbox/SandboxServer.ts"
import { type Account, copy } from "./fleetCopies.ts"
import { type Done, says, type Way } from "./measure.ts"
import { built } from "./program.ts"
import type { Bench } from "./sections.ts"

const url = process.env["LIMITBOT_DATABASE_URL"]
const accounts = Number(process.env["LIMITBOT_FLEET"] ?? 20)
const runners = Number(process.env["LIMITBOT_RUNNERS"] ?? 1)
const isCopied = accounts > 1_000
const orders = 10
const watchedMillis = 60_000

/** Far below the market, so that nothing fills. */
const strategy = `name: ladder
market: BTC/USDC
kind: ladder
limits: { budget: { quote: 1000 } }
ladder: { side: buy, from: 45000, to: 30000, rungs: ${orders}, total: { quote: 900 } }
`

interface Key extends Account {
  readonly secret: string
}

const newKey = (_: unknown, index: number): Key => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const [{ d = "" }, { x = "" }] = [privateKey.export({ format: "jwk" }), publicKey.export({ format: "jwk" })]
  const bytes = Buffer.from(x, "base64url")
  return {
    name: `account-${String(index).padStart(5, "0")}`,
    secret: `ed25519:${bs58.encode(Buffer.from(d, "base64url"))}`,
    signerId: bytes.toString("hex"),
    publicKey: `ed25519:${bs58.encode(bytes)}`
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
  for (const { name, secret } of keys) {
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
  writeFileSync(join(folder, "secrets", "allowed.yaml"), `addresses: ["${connection.url}"]\n`)
}

/** As `fleet` lists them; asked without a process for each look, which would take more than what is measured. */
type Listed = Pick<FleetAccount, "isOwned" | "owner" | "told">

const field = (pid: number | undefined, name: string): number =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** In ticks of a hundredth of a second: the 14th and 15th field, the 2nd being in brackets. */
const processorMillis = (pid: number | undefined): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const isEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

const fleetOf = (limitbot: string, folder: string, list: () => Promise<ReadonlyArray<Listed>>) => {
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
      if (children.every(isEnded)) throw new Error("every runner ended: runners.log")
      const listed = await list()
      if (listed.length > 0 && holds(listed)) return (performance.now() - begun) / 1_000
      await sleep(isCopied ? 5_000 : 250)
    }
  }
  const end = () => {
    for (const child of children) child.kill("SIGKILL")
  }
  return { execute, runner, until, end } as const
}

const isOwned = (listed: ReadonlyArray<Listed>): boolean => listed.every((each) => each.isOwned)
const isSeen = (listed: ReadonlyArray<Listed>): boolean => listed.every(({ told }) => told?.openOrders === orders)

/** One account lives, and the others become copies of it. */
const copied = async (
  fleet: Fleet,
  keys: ReadonlyArray<Key>,
  copy: Copy,
  write: (keys: ReadonlyArray<Key>) => void
) => {
  const [first, ...others] = keys
  if (first === undefined) return
  write([first])
  await fleet.execute("apply", "accounts", "--yes")
  const runner = fleet.runner()
  await fleet.until(isSeen)
  runner.kill("SIGTERM")
  await once(runner, "exit")
  await copy(first, others)
  write(others)
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((one, other) => one + other, 0)

const measured = async (fleet: Fleet, requests: () => number) => {
  await fleet.execute("apply", "accounts", "--yes")
  const all = Array.from({ length: runners }, fleet.runner)
  const begun = performance.now()
  const ownedSeconds = await fleet.until(isOwned)
  await fleet.until(isSeen)
  const restingSeconds = (performance.now() - begun) / 1_000
  await sleep(15_000)
  const taken = () => sum(all.map(({ pid }) => processorMillis(pid)))
  const [asked, took, from] = [requests(), taken(), performance.now()]
  await sleep(watchedMillis)
  const minutes = (performance.now() - from) / 60_000
  const perMinute = (requests() - asked) / minutes / accounts
  const share = (taken() - took) / minutes / 600
  const megabytes = sum(all.map(({ pid }) => field(pid, "VmRSS")))
  const [first] = all
  if (runners === 1) {
    fleet.runner()
    await fleet.until((listed) => new Set(listed.map(({ owner }) => owner)).size === 2 && isOwned(listed))
  }
  first?.kill("SIGKILL")
  const takeoverSeconds = await fleet.until(
    (listed) => isOwned(listed) && listed.every(({ owner }) => owner?.includes(`-${first?.pid}-`) !== true)
  )
  return { ownedSeconds, restingSeconds, perMinute, share, megabytes, takeoverSeconds }
}

type Fleet = ReturnType<typeof fleetOf>
type Copy = (from: Account, accounts: ReadonlyArray<Account>) => Promise<void>

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
  const services = Layer.merge(
    SandboxServer.layer({ seed: 1, accounts: signers }).pipe(Layer.provide(NodeServices.layer)),
    Layer.provideMerge(Registry.layer, Layer.provideMerge(Journals.layer, Postgres.layer(Redacted.make(url))))
  )
  const runtime = ManagedRuntime.make(services)
  const list = () => runtime.runPromise(Effect.flatMap(Registry, ({ all }) => all))
  const fleet = fleetOf(limitbot, own, list)
  try {
    const connection = await runtime.runPromise(SandboxServer.SandboxConnection)
    const write = (those: ReadonlyArray<Key>) => writeAccounts(own, connection, those)
    if (isCopied) await copied(fleet, keys, (from, others) => runtime.runPromise(copy(from, others)), write)
    else write(keys)
    const found = await measured(fleet, () => requests)
    const way = (name: string, measured: number): Way => ({ name, run: (): Done => ({ result: "", measured }) })
    const what = `${accounts} accounts with ${orders} resting orders each, ${runners === 1 ? "one runner" : `${runners} runners`}`
    for (const [name, value, unit, atMost] of [
      ["all are owned", found.ownedSeconds, "s", undefined],
      ["all orders rest, as their owners see it", found.restingSeconds, "s", undefined],
      ["memory of the runners", found.megabytes, "MB", 300 * runners + accounts],
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
    fleet.end()
    await runtime.dispose()
  }
}
