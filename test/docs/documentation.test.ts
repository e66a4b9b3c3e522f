/**
 * The documentation is true: every shell block runs, in the order of its page, against a sandbox with real keys; output
 * that is shown says what the program says; queries run on the journal that the page made; files are read by their own
 * readers; links lead somewhere. A block in a language that is not handled here fails.
 */
import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, Result } from "effect"
import { parse } from "yaml"
import { pages } from "../../site/links.ts"
import { loadSettings } from "../../src/files/ConfigFile.ts"
import * as FleetAllowed from "../../src/files/FleetAllowed.ts"
import { saltFrom } from "../../src/sandbox/SandboxApi.ts"
import * as PolicyFile from "../../src/signer/files/PolicyFile.ts"
import { limitbot as built } from "../builtProgram.ts"
import { atEndOfFiles } from "../endOfFile.ts"
import { firstOf } from "../long.ts"
import * as PostgresServer from "../postgres.ts"
import { type Connection, newFolder, startSandbox } from "../world/processes/program.ts"
import { recordingProxy } from "../world/processes/recordingProxy.ts"
import { anchorsNamedIn, anchorsOf, type Block, blocksOf, filesNamedIn, read, root } from "./documents.ts"
import { askHere, serveHere } from "./hereFrom.ts"

/** Pages that are read one after the other, in one folder. */
const walks: ReadonlyArray<ReadonlyArray<string>> = [
  ["README.md", "site/landing.md"],
  ["README.md", "docs/fleet.md"],
  ["docs/plug-ins.md"],
  ["docs/set-up.md", "docs/run.md", "docs/look.md", "docs/money.md", "docs/journal.md", "docs/alarms.md"],
  ["docs/coming-from.md"],
  ["docs/stable.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "AGENTS.md"],
  ["ARCHITECTURE.md"],
  ["docs/deployed.md"],
  ["docs/security.md"],
  ["docs/backtest.md"],
  ["docs/surfaces.md"]
]

/** What the page of many accounts needs; without the server's programs its blocks are left out. */
const postgres = await PostgresServer.start()
if (postgres === undefined)
  it.skip("docs/fleet.md, an account to try: this machine has no Postgres server", () => undefined)
const isLeftOut = ({ text }: Block): boolean => postgres === undefined && /createdb|limitbot fleet|--account/.test(text)

const ofPostgres = (server: PostgresServer.Database): Record<string, string> => {
  const { hostname, port, username } = new URL(Redacted.value(server.url))
  return {
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    LIMITBOT_DATABASE_URL: `postgres://${username}@${hostname}:${port}/limitbot`
  }
}

const shim = (folder: string, name: string, text: string): void =>
  writeFileSync(join(folder, name), `#!/usr/bin/env bash\nset -euo pipefail\n${text}\n`, { mode: 0o755 })

/** Commands that are processes of their own: they are stopped by signals, compute in threads, or answer before anything else. */
const processes = "run | fleet | sandbox | demo | search | --*"

/**
 * `limitbot` is the built program for those, and asks this process (`hereFrom.ts`) for all others; what would run for ever is
 * stopped, the sandbox of the tour when the page ends, and an exit waits only seconds for what expires. `npm` checks that its
 * script exists.
 */
const writeShims = (folder: string, socket: string): void => {
  const program = `"${process.execPath}" "${built}"`
  const limitbot = `
case "$1" in
  ${processes}) ;;
  *) ${askHere(socket)} ;;
esac
# Runs until it says this, instead of for the seconds that it was told.
until_says() {
  local what="$1" pid
  shift
  ${program} "$@" > said.log 2>&1 &
  pid=$!
  until grep -q "$what" said.log || ! kill -0 $pid 2> /dev/null; do sleep 0.1; done
  kill -TERM $pid 2> /dev/null || true
  wait $pid || { cat said.log; exit 1; }
  cat said.log
}
case "$*" in
  "run "*" --for 15s") until_says "the order is open" "\${@:1:$#-2}" --poll 0.5s; exit ;;
  "fleet run "*" --for 15s") until_says "took 1 account" "\${@:1:$#-2}"; exit ;;
esac
case "$1" in
  run) exec ${program} "$@" --poll 0.5s ;;
  sandbox)
    if [[ "$*" != *--write-config* ]]; then
      exec timeout --preserve-status --signal=TERM 3 ${program} "\${@/8180/0}"
    fi
    ${program} "$@" --port 0 --expire-after 20s > sandbox.log 2>&1 &
    echo $! > "${folder}/sandbox.pid"
    for _ in {1..300}; do grep -q Ctrl-C sandbox.log && break; sleep 0.1; done
    cat sandbox.log ;;
  *) exec ${program} "$@" ;;
esac`
  const npm = `
case "$1" in
  ci | ls) echo "npm $*" ;;
  start) exec limitbot demo --for 1s ;;
  test) exec "${process.execPath}" -e 'process.exit("test" in require("${root}/package.json").scripts ? 0 : 1)' ;;
  *) echo "not expected: npm $*" >&2; exit 1 ;;
esac`
  shim(folder, "limitbot", limitbot)
  shim(folder, "npm", npm)
}

/** A band has the time for all its runs on a busy machine as well; a quarter of an hour is rehearsed as an hour is. */
const asInTests = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (words[0] === "backtest") return words
  return words[0] === "rehearse" ? words.map((word) => (word === "0.05" ? "0.01" : word)) : words
}

/** A folder like the repository as its user sees it, whose example configuration leads to a sandbox. */
const prepare = async (sandbox: Connection) => {
  const folder = newFolder()
  for (const name of ["config", "strategies"]) cpSync(join(root, name), join(folder, name), { recursive: true })
  const example = read("config/example.yaml").replace("https://venue.example", sandbox.url)
  writeFileSync(join(folder, "config/example.yaml"), example)
  mkdirSync(join(folder, "bin"))
  const socket = await serveHere(asInTests)
  writeShims(join(folder, "bin"), socket)
  const environment = {
    PATH: [join(folder, "bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter),
    XDG_STATE_HOME: join(folder, "state"),
    LIMITBOT_API_KEY: sandbox.apiKey,
    LIMITBOT_ACCOUNT_KEY: sandbox.account.key,
    LIMITBOT_PARTNER_JWT: sandbox.partnerJwt,
    ...(postgres === undefined ? {} : ofPostgres(postgres))
  }
  return { folder, environment }
}

type Place = Awaited<ReturnType<typeof prepare>>

const runShell = ({ folder, environment }: Place, { text }: Block): Promise<string> =>
  new Promise((done, fail) => {
    execFile(
      "bash",
      ["--norc", "-euo", "pipefail", "-c", text],
      { cwd: folder, env: environment },
      (error, stdout, stderr) => {
        if (error === null) done(stdout + stderr)
        else fail(new Error(`${text}${error.message}\n${stdout}${stderr}`))
      }
    )
  })

interface Tested {
  readonly place: Place
  readonly run: (block: Block) => Promise<string>
}

/** The example configuration is one of the interface document. */
const usual = async (): Promise<Tested> => {
  const place = await prepare(await startSandbox({ like: "document", speed: 60 }))
  return { place, run: (block) => runShell(place, block) }
}

/** The page leads to a service that nobody takes for a sandbox, whose ledger tells its salts, with a key that has money. */
const deployed = async (): Promise<Tested> => {
  const sandbox = await startSandbox({ like: "near-2026-11", speed: 60 })
  const { close, url } = await recordingProxy(sandbox.url, "/sandbox/connection")
  atEndOfFiles(close)
  const place = await prepare(sandbox)
  return {
    place,
    run: async (block) => {
      const text = block.text
        .replaceAll("https://service.example", url)
        .replaceAll("https://rpc.example", saltFrom(sandbox.url))
      const said = await runShell(place, { ...block, text })
      if (text.includes("signer key")) writeFileSync(join(place.folder, "account.key"), `${sandbox.account.key}\n`)
      return said
    }
  }
}

const words = (text: string): Set<string> => new Set(text.match(/[A-Za-z][A-Za-z-]{2,}/g))

/** Numbers, times and ids differ from run to run; what is said does not. */
const assertShows = (shown: Block, said: string): void => {
  const real = words(said)
  const id = /^[a-f0-9-]+$/
  const missing = [...words(shown.text)].filter((word) => !real.has(word) && !id.test(word))
  assert.deepStrictEqual(missing, [], `line ${shown.line} shows what the program does not say:\n${said}`)
}

const endOwnSandbox = ({ folder }: Place): void => {
  const file = join(folder, "bin/sandbox.pid")
  if (existsSync(file)) process.kill(Number(readFileSync(file, "utf8")), "SIGTERM")
}

const runQuery = ({ folder }: Place, { text }: Block): void => {
  const journal = join(folder, "config/limitbot.sqlite")
  const database = new DatabaseSync(existsSync(journal) ? journal : ":memory:")
  database.prepare(text.replace("'journal-backup.sqlite'", `'${join(folder, "backup.sqlite")}'`)).all()
  database.close()
}

const readAllowed = ({ folder }: Place, { text }: Block): Promise<unknown> => {
  mkdirSync(join(folder, "shown"))
  writeFileSync(join(folder, "shown/allowed.yaml"), text)
  return Effect.runPromise(FleetAllowed.load(join(folder, "shown")).pipe(Effect.provide(NodeServices.layer)))
}

const readConfiguration = ({ folder }: Place, { text }: Block): Promise<unknown> => {
  writeFileSync(join(folder, "shown.yaml"), text)
  const services = Layer.merge(NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromEnv({ env: {} })))
  return Effect.runPromise(loadSettings(join(folder, "shown.yaml")).pipe(Effect.provide(services)))
}

describe.concurrent("the documentation", () => {
  for (const pages of firstOf(1, walks)) {
    it(`${pages.join(", ")}: all commands and outputs are true`, async ({ onTestFinished }) => {
      const { place, run } = await (pages.includes("docs/deployed.md") ? deployed() : usual())
      onTestFinished(() => endOwnSandbox(place))
      const said = new Map<Block, string>()
      for (const { page, block } of pages.flatMap((page) => blocksOf(read(page)).map((block) => ({ page, block })))) {
        switch (block.language) {
          case "sh":
            if (!isLeftOut(block)) said.set(block, await run(block))
            break
          case "text": {
            if (block.after !== undefined && isLeftOut(block.after)) break
            const output = block.after === undefined ? undefined : said.get(block.after)
            if (output !== undefined) assertShows(block, output)
            else assert.strictEqual(page, "ARCHITECTURE.md", `line ${block.line}: output of what?`)
            break
          }
          case "sql":
            runQuery(place, block)
            break
          case "yaml":
            if (block.text.startsWith("# policy.yaml")) Result.getOrThrow(PolicyFile.parse(block.text, page))
            // `test/fleet` reads files like these with readers of their own, for whole folders.
            else if (/^# (?:strategies\/grid|budgets|page)\.yaml/.test(block.text)) parse(block.text)
            else if (block.text.startsWith("# secrets/allowed.yaml")) await readAllowed(place, block)
            else await readConfiguration(place, block)
            break
          case "ini":
            assert.match(block.text, /^ExecStart=\S+limitbot\.mjs run \S+ --config \S+$/m)
            break
          default:
            assert.fail(`${page}:${block.line}: blocks in "${block.language}" are not checked`)
        }
      }
    })

    it(`${pages.join(", ")}: names only files that exist`, () => {
      const missing = pages.flatMap(filesNamedIn).filter((file) => !existsSync(file))
      assert.deepStrictEqual(missing, [])
    })
  }

  it("links only to headings that exist", () => {
    const anchors = [...pages, "AGENTS.md"].flatMap(anchorsNamedIn)
    assert.isAbove(anchors.length, 20)
    assert.deepStrictEqual(
      anchors.filter(({ anchor, file }) => !anchorsOf(file).has(anchor)),
      []
    )
  })

  it("maps every folder of the sources in ARCHITECTURE.md", () => {
    const text = read("ARCHITECTURE.md")
    const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    for (const { name } of folders) assert.include(text, `| \`src/${name}\` |`)
  })
})
