/**
 * The real program as child processes, for tests of what a person at the command line gets: output, errors, exit codes.
 * Every child is ended with the test file that started it.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable } from "node:stream"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import bs58 from "bs58"
import { Layer, ManagedRuntime } from "effect"
import type { FillRequest } from "../../../src/sandbox/core/Control.ts"
import type { SandboxOptions } from "../../../src/sandbox/SandboxOptions.ts"
import * as SandboxServer from "../../../src/sandbox/SandboxServer.ts"
import { ledgerOf, verifierOf } from "../../../src/venue/profile/Profiles.ts"
import { limitbot } from "../../builtProgram.ts"
import { atEndOfFiles } from "../../endOfFile.ts"
import { type Deployment, profileLines, usualProfile } from "../../profile.ts"
import { signedIn, spellings } from "../../secrets.ts"
import * as Here from "./here.ts"

const children = new Set<ChildProcess | Here.Child>()
const ends: Array<Promise<unknown>> = []
const folders = new Set<string>()
/** Secrets that programs were given; everything they say, and every file they write, is searched for them at the end. */
const canaries = new Set<string | Buffer>()
const transcripts: Array<string> = []

const endChildren = (): void => {
  for (const child of children) child.kill("SIGKILL")
}
// A worker that is ended takes no child's output any more.
process.on("exit", endChildren)
atEndOfFiles(async () => {
  endChildren()
  await Promise.all(ends.splice(0))
  const files = [...folders].flatMap((folder) =>
    readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((file) => !/\.(?:key|url|token|viewer-token)$/.test(file) && statSync(file).isFile())
  )
  const written = files.map((file) => readFileSync(file, "latin1"))
  // Signed payments are in journals and in signers' records, and nowhere else.
  const isStored = (file: string) => /\.sqlite|signer\.log$/.test(file)
  const elsewhere = files.filter((file) => !isStored(file)).map((file) => readFileSync(file, "latin1"))
  const signed = files.filter(isStored).flatMap((file) => signedIn(file, 5))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  const said = [...transcripts]
  const secrets = [...canaries]
  for (const kept of [folders, canaries]) kept.clear()
  transcripts.length = 0
  findNone("a secret", secrets, [...said, ...written])
  findNone("a signed payment", signed, [...said, ...elsewhere])
})

/** A further secret that nothing may tell. */
export const guard = (secret: string): void => void canaries.add(secret)

const findNone = (what: string, secrets: ReadonlyArray<string | Buffer>, texts: ReadonlyArray<string>): void => {
  const needles = secrets.flatMap(spellings)
  for (const text of texts) {
    for (const needle of needles) {
      const at = text.indexOf(needle)
      assert.isBelow(at, 0, `${what} came out:\n${text.slice(Math.max(0, at - 500), at + needle.length + 100)}`)
    }
  }
}

/** What a surface said, to be searched for secrets as all output is. */
export const heard = (text: string): void => void transcripts.push(text)

const guardSecrets = ({ apiKey, partnerJwt, account }: Connection): void => {
  const key = account.key.slice("ed25519:".length)
  // Also the seed alone, in the spellings that a log would use.
  for (const secret of [apiKey, partnerJwt, key, Buffer.from(bs58.decode(key).slice(0, 32))]) canaries.add(secret)
}

export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-cli-"))
  folders.add(folder)
  return folder
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Program {
  readonly pid: number
  readonly stdout: () => string
  readonly signal: (signal: "SIGINT" | "SIGTERM") => void
  /** Resolves when standard output shows it, a text as often as asked; fails when the program ends first. */
  readonly says: (what: string | RegExp, times?: number) => Promise<void>
  readonly ended: Promise<Ended>
}

export interface Surroundings {
  readonly cwd?: string
  readonly environment?: Readonly<Record<string, string>>
  /** A program and its first arguments that start it, as another user for example. */
  readonly through?: ReadonlyArray<string>
}

export const start = (args: ReadonlyArray<string>, surroundings: Surroundings = {}): Program => {
  const { cwd, environment, through = [] } = surroundings
  const [program = "", ...words] = [...through, process.execPath, limitbot, ...args]
  return follow(
    spawn(program, words, {
      cwd,
      env: {
        PATH: process.env["PATH"],
        XDG_STATE_HOME: process.env["XDG_STATE_HOME"],
        TMPDIR: tmpdir(),
        ...environment
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
  )
}

type Started = ChildProcessByStdio<null, Readable, Readable> | Here.Child

const follow = (child: Started): Program => {
  children.add(child)
  let stdout = ""
  let stderr = ""
  let hasEnded = false
  const looks = new Set<() => void>()
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
    for (const look of looks) look()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const ended = new Promise<Ended>((done) => {
    child.on("close", (code) => {
      hasEnded = true
      children.delete(child)
      transcripts.push(stdout, stderr)
      done({ code: typeof code === "number" ? code : null, stdout, stderr })
      for (const look of looks) look()
    })
  })
  const says = (what: string | RegExp, times = 1) =>
    new Promise<void>((done, fail) => {
      const giveUp = () => fail(new Error(`After five minutes it has not said ${what}:\n${stdout}\n${stderr}`))
      const timer = setTimeout(giveUp, 300_000).unref()
      const look = () => {
        if (typeof what === "string" ? stdout.split(what).length > times : what.test(stdout)) done()
        else if (hasEnded) fail(new Error(`It ended without saying ${what}:\n${stdout}\n${stderr}`))
        else return
        looks.delete(look)
        clearTimeout(timer)
      }
      looks.add(look)
      look()
    })
  return { pid: child.pid ?? 0, stdout: () => stdout, signal: (name) => child.kill(name), says, ended }
}

export const run = (args: ReadonlyArray<string>, surroundings: Surroundings = {}): Promise<Ended> =>
  start(args, surroundings).ended

/** In this process (`here.ts`): for what ends by itself and soon. */
export const runHere = (args: ReadonlyArray<string>, surroundings: Here.Asked = {}): Promise<Ended> =>
  followHere(Here.command(args, surroundings)).ended

/** In this process (`here.ts`), beside all others. */
export const startHere = (args: ReadonlyArray<string>, surroundings: Here.Asked = {}): Program =>
  followHere(Here.beside(args, surroundings))

const followHere = (child: Here.Child): Program => {
  const program = follow(child)
  ends.push(program.ended)
  return program
}

/**
 * Runs until it has said this so many times, and is then asked to end. After a number of seconds instead, nothing may have
 * happened yet on a busy machine, and on a fast one all has long happened.
 */
export const runUntil = async (
  what: string,
  times: number,
  args: ReadonlyArray<string>,
  surroundings: Here.Asked = {},
  begin: typeof startHere = start
): Promise<Ended> => {
  const program = begin(args, surroundings)
  await program.says(what, times)
  program.signal("SIGTERM")
  return program.ended
}

/** A failure as a person should meet it: a message on standard error, nothing else, and the exit code. */
export const assertSays = ({ code, stderr }: Ended, expected: number, what: RegExp): void => {
  assert.match(stderr, what)
  assert.notMatch(stderr, /^\s+at .*[/\\(]/m, "a stack trace")
  assert.notMatch(stderr, /internal error|node:internal/)
  assert.isAtMost(stderr.split("limitbot: ").length, 2, stderr)
  assert.strictEqual(code, expected, stderr)
}

/** Sandboxes run in the test's own process: one each, because bots of one account would see each other's orders. */
const sandboxes: Array<{ readonly dispose: () => Promise<void> }> = []
atEndOfFiles(async () => void (await Promise.all(sandboxes.splice(0).map((sandbox) => sandbox.dispose()))))

export interface Connection extends SandboxServer.ConnectionRecord, Deployment {}

/** What only a test says to a sandbox: prices by market, a fill of an order that rests, time that passes at once. */
export const control = async (
  { url }: Pick<Connection, "url">,
  ...[what, payload]:
    | readonly [what: "prices", prices: Readonly<Record<string, number>>]
    | readonly [what: "fill", order: FillRequest]
    | readonly [what: "advance", millis: number]
): Promise<void> => {
  const body = what === "prices" ? { prices: payload } : what === "advance" ? { millis: payload } : payload
  const headers = { "content-type": "application/json" }
  const answer = await fetch(`${url}/sandbox/${what}`, { method: "POST", headers, body: JSON.stringify(body) })
  assert.strictEqual(answer.status, 200, await answer.text())
}

export const startSandbox = async (options: SandboxOptions = {}): Promise<Connection> => {
  const like = options.like ?? usualProfile
  const usual = { seed: sandboxes.length + 1, speed: 300 }
  // A bot that leaves waits until what it signed and did not send has expired: seconds show that as well as minutes.
  const settings = { intentMillis: [15_000, 30_000] as const, ...options.settings }
  const runtime = ManagedRuntime.make(
    SandboxServer.layer({ ...usual, ...options, like, settings }).pipe(Layer.provide(NodeServices.layer))
  )
  sandboxes.push(runtime)
  return { like, ...(await runtime.runPromise(SandboxServer.SandboxConnection)) }
}

/**
 * A sandbox whose market stands still until `control` says otherwise, at 60,020: no level of the usual grid is there, and no middle of
 * two, so all its twenty orders rest. What fills, fills whole.
 */
export const startStill = async (options: SandboxOptions = {}): Promise<Connection> => {
  const settings = { partialFillShare: 0, fillWhileCancellingShare: 0, ...options.settings }
  const sandbox = await startSandbox({ speed: 0, ...options, settings })
  await control(sandbox, "prices", { "BTC/USDC": 60_020 })
  return sandbox
}

/** A connection to nowhere, for what goes wrong before anything is sent. */
export const nowhere: Connection = {
  url: "http://127.0.0.1:1",
  apiKey: "no-such-key",
  partnerJwt: "no-such-token",
  quoteKey: "none",
  ledger: ledgerOf(usualProfile),
  like: usualProfile,
  verifier: verifierOf(ledgerOf(usualProfile)),
  account: { key: `ed25519:${bs58.encode(randomBytes(32))}`, signerId: "nobody" }
}

export const configText = (connection: Connection): string => {
  const { ledger, url, verifier } = connection
  const { account, venue } = profileLines(connection)
  return `venue:
  url: ${url}
  verifier: ${verifier}
${venue}  apiKey: { file: api.key }
  partnerJwt: { file: partner.key }
account:
  key: { file: account.key }
${account}assets:
  BTC:  { id: "nep141:btc.omft.${ledger}",  decimals: 8 }
  USDC: { id: "nep141:usdc.omft.${ledger}", decimals: 6 }
journal: journal.sqlite
`
}

/** Twenty cells of 100 USDC around 60,000, where the sandbox's generated BTC starts. */
export const gridText = `name: grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.1, quote: 6000 } }
grid: { lower: 59000, upper: 61000, levels: 21, size: { base: 0.005 } }
`

/** A folder with `config.yaml`, `grid.yaml` and the keys; `files` replace or add to them. */
export const workspace = (connection: Connection, files: Readonly<Record<string, string>> = {}): string => {
  const folder = newFolder()
  guardSecrets(connection)
  const all = {
    "config.yaml": configText(connection),
    "grid.yaml": gridText,
    "api.key": `${connection.apiKey}\n`,
    "account.key": `${connection.account.key}\n`,
    "partner.key": `${connection.partnerJwt}\n`,
    ...files
  }
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text, { mode: 0o600 })
  return folder
}

interface Books {
  readonly orders: ReadonlyArray<{ readonly status: string; readonly held: ReadonlyArray<unknown> }>
}

/** Every order that the sandbox knows, from its own books. */
export const ordersAt = async ({ url }: Connection): Promise<Books["orders"]> => {
  const books: Books = await (await fetch(`${url}/sandbox/books`)).json()
  return books.orders
}
