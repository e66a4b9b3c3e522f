/**
 * Postgres for tests. A run has one server, a cluster in a temporary folder on a free port of the loopback: the first test file that needs
 * it starts it, `buildProgram.ts` ends it. Each file gets an empty database there. A file that restarts its server has a server of its own.
 * On a machine without the server's programs there is none, and the tests that need one are skipped.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
// Not all of `effect`: each run loads this module to end the server.
import * as Redacted from "effect/Redacted"

export interface Database {
  readonly url: Redacted.Redacted
}

export interface PostgresServer extends Database {
  readonly port: number
  readonly folder: string
  /** As after a crash of its machine: no client is told, and what was committed is there. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const programs = globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1)
export const hasPostgres = programs !== undefined && existsSync(join(programs, "initdb"))

/** It refuses to run as root, and root's own temporary folder is closed to others. */
const [nobody, place] =
  process.getuid?.() === 0 ? ([{ uid: 65_534, gid: 65_534 }, "/tmp"] as const) : ([{}, tmpdir()] as const)

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0))
    })
  })

const untilReady = (folder: string, port: number, server: ChildProcess): void => {
  for (let tries = 0; tries < 200; tries += 1) {
    if (server.exitCode !== null) break
    if (spawnSync(join(folder, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)]).status === 0) return
    spawnSync("sleep", ["0.05"])
  }
  throw new Error("Postgres does not start")
}

const urlOf = (port: number, database: string) => Redacted.make(`postgres://limitbot@127.0.0.1:${port}/${database}`)

/** A server of the caller's own. */
export const startServer = async (): Promise<PostgresServer | undefined> => {
  if (programs === undefined || !hasPostgres) return undefined
  const folder = mkdtempSync(join(place, "limitbot-postgres-"))
  if ("uid" in nobody) chownSync(folder, nobody.uid, nobody.gid)
  const cluster = join(folder, "cluster")
  const initdb = ["-D", cluster, "-U", "limitbot", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
  execFileSync(join(programs, "initdb"), initdb, { stdio: "ignore", cwd: folder, ...nobody })
  const port = await freePort()
  const options = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "max_connections=300"]
  const begin = (): ChildProcess => {
    const begun = spawn(
      join(programs, "postgres"),
      ["-D", cluster, "-p", String(port), ...options.flatMap((o) => ["-c", o])],
      { stdio: "ignore", cwd: folder, ...nobody }
    )
    begun.unref()
    untilReady(programs, port, begun)
    return begun
  }
  let server = begin()
  const end = () =>
    new Promise<void>((resolve) => {
      server.ref()
      server.once("exit", () => resolve())
      server.kill("SIGQUIT")
    })
  return {
    url: urlOf(port, "postgres"),
    port,
    folder,
    restart: async () => {
      await end()
      server = begin()
    },
    stop: async () => {
      await end()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** How the files of a run find the shared server. */
interface Shared {
  readonly port: number
  readonly folder: string
  readonly error?: string
}

const sharedIn = (temporary: string) => join(temporary, "postgres", "server.json")

const startShared = async (file: string): Promise<void> => {
  const say = (shared: Shared) => {
    writeFileSync(`${file}.new`, JSON.stringify(shared))
    renameSync(`${file}.new`, file)
  }
  try {
    const { folder, port } = (await startServer()) ?? { folder: "", port: 0 }
    say({ folder, port })
  } catch (error) {
    say({ folder: "", port: 0, error: String(error) })
  }
}

const isFirst = (folder: string): boolean => {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

/** An empty database of the caller's own on the run's server. */
export const start = async (): Promise<Database | undefined> => {
  if (programs === undefined || !hasPostgres) return undefined
  const file = sharedIn(tmpdir())
  if (isFirst(join(tmpdir(), "postgres"))) await startShared(file)
  while (!existsSync(file)) await setTimeout(20)
  const { error, port }: Shared = JSON.parse(readFileSync(file, "utf8"))
  if (error !== undefined) throw new Error(error)
  const name = `tests-${randomUUID()}`
  execFileSync(join(programs, "createdb"), ["-h", "127.0.0.1", "-p", String(port), "-U", "limitbot", name])
  return { url: urlOf(port, name) }
}

/** Ends the server of the run whose temporary directory this is, if a test has started one. */
export const stopShared = async (temporary: string): Promise<void> => {
  const file = sharedIn(temporary)
  if (!existsSync(file)) return
  const { folder }: Shared = JSON.parse(readFileSync(file, "utf8"))
  const pidFile = join(folder, "cluster/postmaster.pid")
  if (existsSync(pidFile)) process.kill(Number.parseInt(readFileSync(pidFile, "utf8"), 10), "SIGQUIT")
  for (let tries = 0; existsSync(pidFile) && tries < 250; tries += 1) await setTimeout(20)
  if (folder !== "") rmSync(folder, { recursive: true, force: true })
}
