/**
 * A Postgres server for the tests: a cluster of its own in a temporary folder, on a free port of the loopback, gone afterwards. On a
 * machine without the server's programs there is none, and what needs it says that it is skipped.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"

export interface PostgresServer {
  readonly url: Redacted.Redacted
  /** As after a crash of its machine: no client is told, and what was committed is there. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const programs = globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1)

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

/** `isDurable`: a commit waits for the disk, for measurements; tests need not. */
export const start = async ({ isDurable = false } = {}): Promise<PostgresServer | undefined> => {
  if (programs === undefined || !existsSync(join(programs, "initdb"))) return undefined
  const folder = mkdtempSync(join(place, "limitbot-postgres-"))
  if ("uid" in nobody) chownSync(folder, nobody.uid, nobody.gid)
  const cluster = join(folder, "cluster")
  const initdb = ["-D", cluster, "-U", "limitbot", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
  execFileSync(join(programs, "initdb"), initdb, { stdio: "ignore", cwd: folder, ...nobody })
  const port = await freePort()
  const options = ["listen_addresses=127.0.0.1", "unix_socket_directories=", `fsync=${isDurable ? "on" : "off"}`]
  const begin = (): ChildProcess => {
    const begun = spawn(
      join(programs, "postgres"),
      ["-D", cluster, "-p", String(port), ...options.flatMap((o) => ["-c", o])],
      { stdio: "ignore", cwd: folder, ...nobody }
    )
    untilReady(programs, port, begun)
    return begun
  }
  let server = begin()
  const end = () =>
    new Promise<void>((resolve) => {
      server.once("exit", () => resolve())
      server.kill("SIGQUIT")
    })
  return {
    url: Redacted.make(`postgres://limitbot@127.0.0.1:${port}/postgres`),
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
