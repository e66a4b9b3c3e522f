/** What is handed out: a package without tests and local files, units that systemd accepts, dashboards of metrics that exist. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parse } from "yaml"

const root = resolve(import.meta.dirname, "..")
const read = (file: string): string => readFileSync(join(root, "deploy", file), "utf8")
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0

describe("packaging", () => {
  it("the package ships no test, no secret and no local configuration", () => {
    const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      stdio: ["ignore", "pipe", "ignore"]
    })
    const [{ files }] = JSON.parse(listed.toString())
    const paths: ReadonlyArray<string> = files.map(({ path }: { readonly path: string }) => path)
    assert.deepStrictEqual(
      paths.filter((path) => /^test\/|\.test\.|\.sqlite|\.key$|\.token$|limitbot\.yaml$|compiled\//.test(path)),
      []
    )
    assert.includeMembers([...paths], ["config/example.yaml", "deploy/Dockerfile", "docs/surfaces.md", "LICENSE"])
  })

  it.skipIf(!hasSystemd)("the units pass systemd-analyze verify and are not exposed", () => {
    const folder = mkdtempSync(join(tmpdir(), "limitbot-units-"))
    const units = readdirSync(join(root, "deploy")).filter((name) => name.endsWith(".service"))
    // Node is not where the unit has it on every machine that tests.
    for (const name of units) writeFileSync(join(folder, name), read(name).replace("/usr/bin/node", process.execPath))
    const files = units.map((name) => join(folder, name))
    const verified = spawnSync("systemd-analyze", ["verify", ...files], { encoding: "utf8" })
    assert.deepStrictEqual([verified.status, verified.stderr], [0, ""])
    for (const file of files) {
      const { stdout } = spawnSync("systemd-analyze", ["security", "--offline=true", file], { encoding: "utf8" })
      assert.match(stdout, /Overall exposure level for \S+: [01]\.\d (OK|SAFE)/)
    }
  })

  it("the container files are sound: nobody is root, nothing is writable but the state", () => {
    assert.match(read("Dockerfile"), /^USER 10001$/m)
    assert.match(read("Dockerfile"), /^HEALTHCHECK /m)
    const { services } = parse(read("compose.yaml"), { merge: true })
    assert.isTrue(services.bot.read_only && services.signer.read_only)
    assert.strictEqual(services.signer.network_mode, "none")
    assert.deepStrictEqual(services.bot.ports, ["127.0.0.1:8177:8177"])
    assert.notInclude(JSON.stringify(services.bot.volumes), "account.key")
  })

  it("Grafana asks for metrics that the bot has", () => {
    const metrics = readFileSync(join(root, "src/control/view/Metrics.ts"), "utf8")
    for (const [, name = ""] of read("grafana.json").matchAll(/limitbot_([a-z_]+)/g)) {
      assert.include(metrics, `name: "${name}"`)
    }
  })
})
