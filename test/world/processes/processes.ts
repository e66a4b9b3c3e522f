/**
 * Starts the real program as child processes: a sandbox that keeps its state in a file, and bots that run against it. Every
 * child is ended with the test file that started it.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { limitbot } from "../../builtProgram.ts"
import { atEndOfFiles } from "../../endOfFile.ts"
import { type Deployment, profileLines, usualProfile } from "../../profile.ts"

export const newFolder = (): string => mkdtempSync(join(tmpdir(), "limitbot-e2e-"))

export const pause = (millis: number): Promise<void> => new Promise((done) => setTimeout(done, millis))

/** The same numbers for the same seed: which moment a process is killed at is part of what a failure prints. */
export const randomFrom = (seed: number) => {
  let state = seed >>> 0 || 1
  return (low: number, high: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return low + ((state >>> 0) / 2 ** 32) * (high - low)
  }
}

export interface Program {
  readonly child: ChildProcess
  readonly lines: Array<string>
  readonly errors: Array<string>
  readonly ended: Promise<number | null>
  /** The first line of output that satisfies, now or later; fails when the program ends without one. */
  line(satisfies: (line: string) => boolean): Promise<string>
}

const children = new Set<ChildProcess>()
const endChildren = (): void => {
  for (const child of children) child.kill("SIGKILL")
}
process.on("exit", endChildren)
atEndOfFiles(endChildren)

export const start = (
  args: ReadonlyArray<string>,
  { environment }: { readonly environment?: Readonly<Record<string, string>> } = {}
): Program => {
  const env = { ...process.env, ...environment }
  const child = spawn(process.execPath, [limitbot, ...args], { stdio: ["ignore", "pipe", "pipe"], env })
  children.add(child)
  const lines: Array<string> = []
  const errors: Array<string> = []
  const waiting = new Set<() => void>()
  let begun = ""
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (begun + chunk).split("\n")
    begun = parts.pop() ?? ""
    lines.push(...parts)
    for (const wake of waiting) wake()
  })
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => errors.push(chunk))
  const ended = new Promise<number | null>((done) => {
    child.on("close", (code) => {
      children.delete(child)
      done(code)
      for (const wake of waiting) wake()
    })
  })
  const line = (satisfies: (line: string) => boolean): Promise<string> =>
    new Promise((done, fail) => {
      const giveUp = () =>
        fail(new Error(`limitbot ${args[0]} has not said it in five minutes:\n${[...lines, ...errors].join("\n")}`))
      const timer = setTimeout(giveUp, 300_000).unref()
      const look = () => {
        const found = lines.find(satisfies)
        if (found !== undefined) done(found)
        else if (child.exitCode !== null || child.signalCode !== null) {
          fail(new Error(`limitbot ${args[0]} ended first: ${errors.join("")}`))
        } else return
        waiting.delete(look)
        clearTimeout(timer)
      }
      waiting.add(look)
      look()
    })
  return { child, lines, errors, ended, line }
}

export const kill9 = async (program: Program): Promise<void> => {
  program.child.kill("SIGKILL")
  await program.ended
}

export interface Connection extends Deployment {
  readonly url: string
  readonly apiKey: string
  readonly partnerJwt: string
  readonly account: { readonly key: string; readonly signerId: string }
}

/** For sandboxes of tests that lose answers: what nobody knows to be paid ends by its expiry, and minutes of that show no more than this. */
export const soonExpired = ["--expire-after", "20s"]

export const startSandbox = async (args: ReadonlyArray<string>) => {
  const program = start(["sandbox", "--json", "--like", usualProfile, ...args])
  const connection: Connection = JSON.parse(await program.line((line) => line.startsWith("{")))
  return { program, connection: { ...connection, like: usualProfile } }
}

/** Keys and a configuration, with further lines of its `venue` and `account`. */
export const configure = (
  folder: string,
  connection: Connection,
  more: { readonly venue?: string; readonly account?: string } = {}
): string => {
  const { account, apiKey, ledger, partnerJwt, url } = connection
  const usual = profileLines(connection)
  const secrets = { "api.key": apiKey, "account.key": account.key, "partner.jwt": partnerJwt }
  for (const [name, secret] of Object.entries(secrets)) writeFileSync(join(folder, name), secret, { mode: 0o600 })
  const config = join(folder, "config.yaml")
  writeFileSync(
    config,
    `venue:
  url: "${url}"
  apiKey: { file: api.key }
${usual.venue}${more.venue ?? ""}
account:
  key: { file: account.key }
${more.account ?? usual.account}
assets:
  BTC: { id: "nep141:btc.omft.${ledger}", decimals: 8 }
  USDC: { id: "nep141:usdc.omft.${ledger}", decimals: 6 }
journal: journal.sqlite
`
  )
  return config
}

/** Configuration, keys and a tight grid around 60,000 USDC, where the sandbox's generated BTC starts. */
export const prepare = (folder: string, connection: Connection) => {
  const config = configure(folder, connection)
  const strategy = join(folder, "grid.yaml")
  writeFileSync(
    strategy,
    `name: grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.15, quote: 9000 } }
grid: { lower: 59500, upper: 60500, levels: 21, size: { base: 0.005 } }
`
  )
  return { config, strategy, journal: join(folder, "journal.sqlite") }
}
