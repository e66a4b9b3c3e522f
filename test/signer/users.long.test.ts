/**
 * The shipped units with real users: the bot trades through the signer's socket, and cannot read the signer's key; nobody else
 * can do either. Users, groups, modes, folders and commands are those of the units; only their places are others. For root.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { signerText } from "../profile.ts"
import {
  configText,
  gridText,
  newFolder,
  ordersAt,
  type Program,
  start,
  startSandbox
} from "../world/processes/program.ts"
import { until } from "../world/processes/runningBot.ts"

/** Numbers that no machine has given to anybody. */
const ids: Readonly<Record<string, number>> = { limitbot: 61_901, "limitbot-signer": 61_902, somebody: 61_903 }
const idOf = (name: string): number => ids[name] ?? -1

const read = (name: string): string => readFileSync(resolve(import.meta.dirname, "../../deploy", name), "utf8")
const unitOf = (name: string) =>
  new Map([...read(name).matchAll(/^(\w+)=(.*)$/gm)].map(([, key = "", value = ""]) => [key, value]))
type Unit = ReturnType<typeof unitOf>

const as = (user: string, groups: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const further = groups.length === 0 ? ["--clear-groups"] : ["--groups", groups.map(idOf).join()]
  return ["setpriv", "--reuid", `${idOf(user)}`, "--regid", `${idOf(user)}`, ...further, "--inh-caps=-all"]
}
const ofUnit = (unit: Unit): ReadonlyArray<string> => [
  ...as(unit.get("User") ?? "", unit.get("SupplementaryGroups")?.split(" ")),
  ...["sh", "-c", `umask ${unit.get("UMask")}; exec "$0" "$@"`]
]

const canSwitch =
  process.getuid?.() === 0 &&
  spawnSync("setpriv", [...as("somebody").slice(1), process.execPath, "--version"]).status === 0

/** As systemd and its helpers make them. */
const makeFolders = (root: string, units: ReadonlyArray<Unit>): void => {
  const make = (path: string, mode: string, user: string) => {
    mkdirSync(join(root, path), { recursive: true })
    chownSync(join(root, path), idOf(user), idOf(user))
    chmodSync(join(root, path), Number.parseInt(mode, 8))
  }
  for (const [, path = "", mode = "", user = ""] of read("tmpfiles.conf").matchAll(/^d (\S+) (\d+) (\S+) \S+$/gm))
    make(path, mode, user)
  for (const unit of units) {
    const user = unit.get("User") ?? ""
    make(`/var/lib/${unit.get("StateDirectory")}`, unit.get("StateDirectoryMode") ?? "", user)
    const runtime = unit.get("RuntimeDirectory")
    if (runtime !== undefined) make(`/run/${runtime}`, unit.get("RuntimeDirectoryMode") ?? "", user)
  }
}

describe.skipIf(!canSwitch)("the units' users", () => {
  it("let the bot trade through the signer's socket, and keep the key out of its reach", async () => {
    chmodSync(tmpdir(), 0o711)
    const root = newFolder()
    chmodSync(root, 0o755)
    const [bot, signer] = [unitOf("limitbot.service"), unitOf("limitbot-signer.service")]
    makeFolders(root, [bot, signer])
    const put = (file: string, text: string, user: string) => {
      writeFileSync(join(root, file), text, { mode: 0o600 })
      chownSync(join(root, file), idOf(user), idOf(user))
    }
    const sandbox = await startSandbox({ speed: 60 })
    put("etc/limitbot-signer/account.key", sandbox.account.key, "limitbot-signer")
    put(
      "etc/limitbot-signer/signer.yaml",
      `${signerText(sandbox)}record: ${root}/var/lib/limitbot-signer/signer.log\n`,
      "limitbot-signer"
    )
    const key = "key: { file: account.key }"
    const config = configText(sandbox)
      .replace(
        key,
        `signerId: ${sandbox.account.signerId}\n  signer: { socket: ${root}/run/limitbot-signer/signer.sock }`
      )
      .replace("journal.sqlite", `${root}/var/lib/limitbot/journal.sqlite`)
    put("etc/limitbot/limitbot.yaml", config, "limitbot")
    put("etc/limitbot/strategies/grid.yaml", gridText, "limitbot")
    put("etc/limitbot/api.key", sandbox.apiKey, "limitbot")
    put("etc/limitbot/partner.key", sandbox.partnerJwt, "limitbot")

    const begin = (unit: Unit): Program => {
      const [, , , ...words] = (unit.get("ExecStart") ?? "").split(" ")
      const placed = words.map((word) => word.replace(/^\/(?:etc|run|var)\//, `${root}$&`))
      return start(placed, { cwd: join(root, unit.get("WorkingDirectory") ?? ""), through: ofUnit(unit) })
    }
    const signing = begin(signer)
    await signing.says(/signs for/)
    const trading = begin(bot)
    await until("orders are funded", async () => (await ordersAt(sandbox)).some(({ held }) => held.length > 0))

    const ofSigner = [
      "etc/limitbot-signer/account.key",
      "etc/limitbot-signer/signer.yaml",
      "var/lib/limitbot-signer/signer.log"
    ]
    const ofBot = ["etc/limitbot/api.key", "var/lib/limitbot/journal.sqlite"]
    const tries = `
      const said = {}
      for (const file of ${JSON.stringify([...ofSigner, ...ofBot])}) {
        try { require("fs").readFileSync(${JSON.stringify(root)} + "/" + file); said[file] = "read" } catch (e) { said[file] = e.code }
      }
      const tell = (what) => { console.log(JSON.stringify({ ...said, socket: what })); process.exit() }
      const socket = ${JSON.stringify(join(root, "run/limitbot-signer/signer.sock"))}
      require("net").connect(socket, () => tell("connected")).on("error", (e) => tell(e.code))`
    /** What happens to somebody who reads every file and connects to the socket. */
    const reach = (who: ReadonlyArray<string>): Readonly<Record<string, string>> => {
      const [program = "", ...words] = [...who, process.execPath, "-e", tries]
      return JSON.parse(spawnSync(program, words, { encoding: "utf8" }).stdout)
    }
    const all = (files: ReadonlyArray<string>, what: string) => Object.fromEntries(files.map((file) => [file, what]))
    const { socket: _, ...signersFiles } = reach(ofUnit(signer))
    assert.deepStrictEqual(signersFiles, { ...all(ofSigner, "read"), ...all(ofBot, "EACCES") })
    assert.deepStrictEqual(reach(ofUnit(bot)), {
      ...all(ofSigner, "EACCES"),
      ...all(ofBot, "read"),
      socket: "connected"
    })
    assert.deepStrictEqual(reach(as("somebody")), { ...all([...ofSigner, ...ofBot], "EACCES"), socket: "EACCES" })
    for (const program of [trading, signing]) {
      program.signal("SIGTERM")
      await program.ended
    }
  })
})
