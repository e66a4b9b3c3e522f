/** What is handed out: a package without tests and local files, units that systemd accepts, dashboards of metrics that exist. */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { HttpClientRequest, HttpClientResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { parse } from "yaml"
import { ControlApi } from "../src/control/api/ControlApi.ts"
import * as Metrics from "../src/control/view/Metrics.ts"
import * as Decimal from "../src/domain/Decimal.ts"
import { places } from "../src/domain/Ledger.ts"
import * as BotState from "../src/engine/state/BotState.ts"
import { FleetApi } from "../src/fleet/server/FleetApi.ts"
import { attempt } from "../src/venue/http/VenueClient.ts"
import { everyTrouble } from "./world/bot/troubles.ts"

const root = resolve(import.meta.dirname, "..")
const deploy = join(root, "deploy")
const read = (file: string): string => readFileSync(join(deploy, file), "utf8")
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0

describe("packaging", () => {
  it("includes every file that its pages link to, and no test, secret or local configuration", () => {
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
    const broken = paths
      .filter((path) => path === "README.md" || /^docs\/.*\.md$/.test(path))
      .flatMap((path) =>
        [...readFileSync(join(root, path), "utf8").matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].flatMap(([, to = ""]) => {
          const target = relative(root, resolve(root, dirname(path), to))
          return paths.some((each) => each === target || each.startsWith(`${target}/`)) ? [] : [`${path}: ${to}`]
        })
      )
    assert.deepStrictEqual(broken, [])
    assert.includeMembers([...paths], ["config/example.yaml", "deploy/Dockerfile", "docs/surfaces.md", "LICENSE"])
  })

  it("packs, and lets Docker and git see, no secret of the folder that containers read beside their files", () => {
    const folder = mkdtempSync(join(tmpdir(), "limitbot-packed-"))
    const secret = "deploy/etc/signer/account.key"
    mkdirSync(join(folder, dirname(secret)), { recursive: true })
    writeFileSync(join(folder, secret), "key", { mode: 0o600 })
    for (const file of ["package.json", ".gitignore", "deploy/Dockerfile"])
      writeFileSync(join(folder, file), readFileSync(join(root, file)))
    const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "ignore"]
    }).toString()
    assert.include(packed, "deploy/Dockerfile")
    assert.notInclude(packed, secret)
    assert.include(readFileSync(join(root, ".dockerignore"), "utf8").split("\n"), "deploy/etc")
    execFileSync("git", ["init", "-q"], { cwd: folder })
    assert.strictEqual(spawnSync("git", ["check-ignore", "-q", secret], { cwd: folder }).status, 0)
    for (const file of ["compose.yaml", "fleet.yaml"])
      for (const [source] of read(file).matchAll(/(?<![\w.])\.\/(?!prometheus|alerts)\w+/g))
        assert.strictEqual(source, "./etc")
  })

  it("builds an image from paths that exist, with the program where its command expects it", () => {
    const copied = [...read("Dockerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = ""]) =>
      paths.split(" ")
    )
    assert.isNotEmpty(copied)
    for (const path of copied) assert.isTrue(existsSync(join(root, path)), path)
    const [, from, to] = /^COPY --from=build \/packed\/package\/(\S+) (\S+)$/m.exec(read("Dockerfile")) ?? []
    const { bin, files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    assert.include(files, from)
    const [, entry = "[]"] = /^ENTRYPOINT (.+)$/m.exec(read("Dockerfile")) ?? []
    assert.strictEqual(parse(entry).at(-1), bin.limitbot.replace(from, to))
  })

  it("gives the OpenAPI documents the version of the package", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    for (const { info } of [OpenApi.fromApi(ControlApi), OpenApi.fromApi(FleetApi)])
      assert.strictEqual(info.version, manifest.version)
  })

  it.skipIf(!hasSystemd)("has units that pass systemd-analyze verify and are not exposed", () => {
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

  it("has container files without root and with only the state writable", () => {
    assert.match(read("Dockerfile"), /^USER 10001$/m)
    assert.match(read("Dockerfile"), /^HEALTHCHECK /m)
    const { services } = parse(read("compose.yaml"), { merge: true })
    for (const { cap_drop: dropped, read_only: isReadOnly } of [services.bot, services.signer, services.prometheus])
      assert.deepStrictEqual([dropped, isReadOnly], [["ALL"], true])
    assert.strictEqual(services.signer.network_mode, "none")
    assert.deepStrictEqual(services.bot.ports, ["127.0.0.1:8177:8177"])
  })

  it("keeps a fleet's secrets in files, and confines runners like a bot", () => {
    const { services } = parse(read("fleet.yaml"), { merge: true })
    const { cap_drop: dropped, command, environment, read_only: isReadOnly } = services.runner
    assert.deepStrictEqual([dropped, isReadOnly, environment], [["ALL"], true, undefined])
    assert.deepStrictEqual(command.slice(0, 2), ["fleet", "run"])
    assert.deepStrictEqual(command.slice(-2), ["--port", "8178"])
    assert.include(services.runner.healthcheck.test.join(" "), "127.0.0.1:8178/health/ready")
    assert.notProperty(services.database.environment, "POSTGRES_PASSWORD")
    assert.notProperty(services.database, "ports")
  })

  it("publishes a fleet's page on its machine alone, confined, without the accounts' secrets", () => {
    const { services } = parse(read("fleet.yaml"), { merge: true })
    const { cap_drop: dropped, command, environment, ports, read_only: isReadOnly, volumes } = services.dashboard
    assert.deepStrictEqual([dropped, isReadOnly, environment], [["ALL"], true, undefined])
    assert.deepStrictEqual(command.slice(0, 2), ["fleet", "dashboard"])
    assert.deepStrictEqual(ports, ["127.0.0.1:8190:8190"])
    assert.deepStrictEqual(volumes, [
      "./etc/fleet/database.url:/etc/limitbot/database.url:ro",
      "./etc/fleet/page:/var/lib/limitbot"
    ])
    const [, page = ""] = /^# {5}(dashboard: .*)$/m.exec(read("fleet.yaml")) ?? []
    assert.include(parse(page).dashboard, { host: "0.0.0.0", port: 8190 })
    assert.include(services.dashboard.healthcheck.test.join(" "), "127.0.0.1:8190/health/live")
  })

  it("lets the bot save a strategy file that the page applies, and keeps the configuration read-only", () => {
    const folder = "/etc/limitbot/strategies"
    const files = `${folder}/grid.yaml --config /etc/limitbot/limitbot.yaml`
    assert.include(read("limitbot.service"), `limitbot.mjs run ${files}\n`)
    assert.deepStrictEqual(read("limitbot.service").match(/^ReadWritePaths=.*$/gm), [`ReadWritePaths=${folder}`])
    assert.match(read("limitbot.service"), /^ProtectSystem=strict$/m)
    assert.match(read("tmpfiles.conf"), new RegExp(`^d ${folder} 0700 limitbot limitbot$`, "m"))
    const [, command = "[]"] = /^CMD (\[.*\])$/m.exec(read("Dockerfile")) ?? []
    assert.strictEqual(parse(command).join(" "), `run ${files}`)
    const { services } = parse(read("compose.yaml"), { merge: true })
    assert.includeMembers(services.bot.volumes, ["./etc/bot:/etc/limitbot:ro", `./etc/bot/strategies:${folder}`])
  })

  it("gives each container its own user and secrets; they share only the signer's socket", () => {
    const { services, volumes } = parse(read("compose.yaml"), { merge: true })
    const seenBy = (name: string): ReadonlyArray<string> =>
      services[name].volumes.map((volume: string) => volume.split(":")[0])
    assert.deepStrictEqual(seenBy("signer"), ["./etc/signer", "signer", "socket"])
    assert.deepStrictEqual(seenBy("bot"), ["./etc/bot", "./etc/bot/strategies", "journal", "socket"])
    // Neither the journal nor the operator's token beside it.
    assert.deepStrictEqual(seenBy("prometheus"), [
      "./prometheus.yaml",
      "./alerts.yaml",
      "./etc/prometheus",
      "prometheus"
    ])
    assert.deepStrictEqual(Object.keys(volumes).sort(), ["journal", "prometheus", "signer", "socket"])
    const users = [services.bot.user ?? /^USER (\d+)$/m.exec(read("Dockerfile"))?.[1], services.signer.user]
    assert.deepStrictEqual(users, ["10001", "10002"])
    const [scrape] = parse(read("prometheus.yaml")).scrape_configs
    assert.strictEqual(scrape.authorization.credentials_file, "/etc/limitbot/viewer.token")
    // A new volume belongs to whom the folder of the image belongs to.
    for (const name of ["bot", "signer"]) {
      for (const volume of services[name].volumes.filter((each: string) => !each.startsWith("./"))) {
        assert.match(
          read("Dockerfile"),
          new RegExp(`install -d -m 7[05]0 -o \\S+ -g \\S+ ${volume.split(":")[1]}( |$)`, "m")
        )
      }
    }
  })

  it.skipIf(!hasSystemd || process.getuid?.() !== 0)("creates users and folders of the units as the pages say", () => {
    const root = mkdtempSync(join(tmpdir(), "limitbot-root-"))
    for (const folder of ["etc", "etc/limitbot-signer"]) mkdirSync(join(root, folder))
    writeFileSync(join(root, "etc/limitbot-signer/account.key"), "key", { mode: 0o644 })
    execFileSync("systemd-sysusers", [`--root=${root}`, join(deploy, "sysusers.conf")], { stdio: "ignore" })
    execFileSync("systemd-tmpfiles", [`--root=${root}`, "--create", join(deploy, "tmpfiles.conf")], { stdio: "ignore" })
    const ids = new Map(
      readFileSync(join(root, "etc/passwd"), "utf8")
        .trim()
        .split("\n")
        .map((line) => [line.split(":")[0], Number(line.split(":")[2])])
    )
    assert.deepStrictEqual([...ids.keys()], ["limitbot", "limitbot-signer"])
    for (const [path, mode, user] of [
      ["etc/limitbot", 0o700, "limitbot"],
      ["etc/limitbot-signer", 0o700, "limitbot-signer"],
      ["etc/limitbot-signer/account.key", 0o600, "limitbot-signer"]
    ] as const) {
      const found = statSync(join(root, path))
      assert.deepStrictEqual([found.mode & 0o777, found.uid], [mode, ids.get(user)], path)
    }
  })

  it.effect("uses only metrics, places and labels in Grafana and alerts that a bot exposes", () =>
    Effect.gen(function* () {
      const output = yield* exposed
      const names = new Set([...output.matchAll(/^(limitbot_\w+)/gm)].map(([, name]) => name))
      const labels = new Set([...output.matchAll(/[{,](\w+)="/g)].map(([, label]) => label))
      for (const file of ["grafana.json", "alerts.yaml"]) {
        for (const [name] of read(file).matchAll(/limitbot_[a-z_]+/g)) assert.include([...names], name, file)
        for (const [, place = ""] of read(file).matchAll(/place=\\?"([^"\\]+)/g)) assert.include(places, place)
        for (const [, of = ""] of read(file).matchAll(/\bby \(([^)]+)\)/g))
          for (const label of of.split(", ")) assert.include([...labels], label, file)
        for (const [, label = ""] of read(file).matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g))
          assert.include([...labels], label, file)
      }
      const [{ rules }] = parse(read("alerts.yaml")).groups
      for (const { alert, annotations, expr, labels } of rules) {
        assert.match(alert, /^Limitbot[A-Z][A-Za-z]+$/)
        assert.isAbove(annotations.summary.length, 10)
        assert.include(["alarm", "warn"], labels.severity)
        assert.match(expr, /limitbot_/)
      }
    })
  )

  it.effect.skipIf(!hasPromtool)(
    "has rules and a configuration that Prometheus' own tool accepts, with a bot's metrics",
    () =>
      Effect.gen(function* () {
        const folder = mkdtempSync(join(tmpdir(), "limitbot-prometheus-"))
        const config = read("prometheus.yaml")
          .replace("/etc/prometheus/alerts.yaml", join(deploy, "alerts.yaml"))
          .replace("/etc/limitbot/viewer.token", join(folder, "viewer.token"))
        writeFileSync(join(folder, "viewer.token"), "token")
        writeFileSync(join(folder, "prometheus.yaml"), config)
        const checked = spawnSync("promtool", ["check", "config", join(folder, "prometheus.yaml")], {
          encoding: "utf8"
        })
        assert.strictEqual(checked.status, 0, checked.stdout + checked.stderr)
        const metrics = spawnSync("promtool", ["check", "metrics"], { encoding: "utf8", input: yield* exposed })
        assert.deepStrictEqual([metrics.status, metrics.stderr], [0, ""])
      })
  )
})

const unlimited = { enter: () => Effect.void, throttled: () => Effect.void, accepted: Effect.void }

/** What a bot in every trouble exposes, after requests that failed and one that did not. */
const exposed = Effect.gen(function* () {
  const state = BotState.make()
  for (const [index, event] of everyTrouble.entries()) BotState.apply(state, { sequence: index + 1, at: index, event })
  const asset = (symbol: string) => ({ symbol, id: symbol, decimals: 8 })
  const [base, quote] = [asset("BTC"), asset("USDC")]
  const price = { bid: Decimal.make(1n), ask: Decimal.make(2n), at: 0 }
  const bot = {
    assets: new Map([base, quote].map((each) => [each.symbol, each])),
    markets: new Map([["BTC/USDC", { name: "BTC/USDC", base, quote }]]),
    prices: new Map([["BTC/USDC", price]]),
    turnedAt: () => 1,
    pollMaxMillis: 1_000,
    leaving: () => undefined
  }
  const request = HttpClientRequest.get("http://venue.example")
  for (const status of [200, 400]) {
    const send = Effect.sync(() => HttpClientResponse.fromWeb(request, new Response("{}", { status })))
    const asked = { operation: "list orders", kind: "read", send, deadlineMillis: 1_000 } as const
    yield* Effect.ignore(attempt(asked, unlimited, 1_000))
  }
  return yield* Metrics.rendered(Metrics.families({ state, bot, now: 10_000_000 }))
}).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
