/**
 * A real bot as a process of its own with twenty orders that rest, beside a sandbox as another process: what it takes of the
 * processor when nothing happens, and its memory.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { resting } from "../test/world/bot/measuredBot.ts"
import { type Done, says, type Way } from "./measure.ts"
import { built } from "./program.ts"
import type { Bench } from "./sections.ts"

const orders = 20
const watchedMillis = 30_000

interface Program {
  readonly child: ChildProcess
  /** Waits for output that satisfies. */
  readonly hears: (pattern: RegExp) => Promise<string>
}

const program = (limitbot: string, args: ReadonlyArray<string>): Program => {
  const child = spawn(process.execPath, [limitbot, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  let [output, errors] = ["", ""]
  child.stdout.on("data", (chunk) => {
    output += chunk
  })
  child.stderr.on("data", (chunk) => {
    errors += chunk
  })
  const hears = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(output)?.[0]
      if (found !== undefined) return found
      if (child.exitCode !== null) throw new Error(`limitbot ${args[0]} ended: ${errors}`)
      await sleep(100)
    }
  }
  return { child, hears }
}

interface Connection {
  readonly url: string
  readonly apiKey: string
  readonly ledger: string
  readonly account: { readonly key: string }
}

const configure = (folder: string, { url, apiKey, ledger, account }: Connection): string => {
  for (const [name, secret] of [
    ["api.key", apiKey],
    ["account.key", account.key]
  ] as const)
    writeFileSync(join(folder, name), secret, { mode: 0o600 })
  const config = join(folder, "config.yaml")
  writeFileSync(
    config,
    `venue: { url: "${url}", apiKey: { file: api.key } }
account: { key: { file: account.key } }
assets:
  BTC: { id: "nep141:btc.omft.${ledger}", decimals: 8 }
  USDC: { id: "nep141:usdc.omft.${ledger}", decimals: 6 }
journal: journal.sqlite
`
  )
  return config
}

/** In ticks of a hundredth of a second: the 14th and 15th field, the 2nd being in brackets. */
const processorMillis = (pid: number | undefined): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const megabytes = (pid: number | undefined, field: string): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** How many orders have been paid, by the journal. */
const paid = (journal: string): number => {
  if (!existsSync(journal)) return 0
  const database = new DatabaseSync(journal, { readOnly: true })
  try {
    const text = "SELECT count(DISTINCT placement) AS orders FROM journal WHERE event = 'FundingAcknowledged'"
    return Number(database.prepare(text).get()?.["orders"])
  } catch {
    // The bot has not made the table yet.
    return 0
  } finally {
    database.close()
  }
}

interface Found {
  readonly share: number
  readonly resident: number
}

const watched = async (limitbot: string, folder: string): Promise<Found> => {
  const sandbox = program(limitbot, ["sandbox", "--json", "--port", "0", "--seed", "1"])
  const children = [sandbox.child]
  try {
    const config = configure(folder, JSON.parse(await sandbox.hears(/^\{.*\}$/m)))
    const strategy = join(folder, "ladder.yaml")
    writeFileSync(strategy, resting(orders)[0] ?? "")
    const bot = program(limitbot, ["run", strategy, "--config", config])
    children.push(bot.child)
    const { pid } = bot.child
    while (paid(join(folder, "journal.sqlite")) < orders) {
      if (bot.child.exitCode !== null) throw new Error("the bot ended")
      await sleep(1_000)
    }
    await sleep(15_000)
    const [before, from] = [processorMillis(pid), performance.now()]
    await sleep(watchedMillis)
    const share = ((processorMillis(pid) - before) / (performance.now() - from)) * 100
    return { share, resident: megabytes(pid, "VmRSS") }
  } finally {
    for (const child of children) child.kill("SIGKILL")
  }
}

export const idle = async ({ show, root, folder }: Bench): Promise<void> => {
  const limitbot = built(root, folder)
  const own = mkdtempSync(join(folder, "idle-"))
  const { share, resident } = await watched(limitbot, own)
  const way = (name: string, measured: number): Way => ({ name, run: (): Done => ({ result: "", measured }) })
  const what = `a real bot with ${orders} orders`
  show(await says(what, way("a core's share", share), { samples: 1, unit: "%", budget: { atMost: 1.2, goal: 0.1 } }))
  show(await says(what, way("memory", resident), { samples: 1, unit: "MB", budget: { atMost: 200 } }))
}
