/** The bundled program does what the sources do, without them and without node_modules beside it. */
import { execFile, spawnSync } from "node:child_process"
import { cpSync, existsSync, readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { sourcesCode, version } from "../../src/version.ts"
import { folder as built } from "../builtProgram.ts"
import { isLong } from "../long.ts"
import { newFolder } from "../world/processes/program.ts"

const isOld = (node: string): boolean =>
  Number(/^v(\d+)/.exec(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1] ?? 99) < 22

const execute = promisify(execFile)

describe("npm run build", () => {
  it.skipIf(!isLong)("makes a program that runs without the sources", async () => {
    const folder = newFolder()
    cpSync(built, join(folder, "dist"), { recursive: true })
    const limitbot = (...args: ReadonlyArray<string>) =>
      execute(process.execPath, [join(folder, "dist/limitbot.mjs"), ...args], { cwd: folder })

    const whole = `limitbot v${version} (sources ${sourcesCode()})\n`
    assert.deepStrictEqual(await limitbot("--version"), { stdout: whole, stderr: "" })
    assert.strictEqual((await limitbot("--help")).stdout, (await limitbot("-h")).stdout)
    const { stdout } = await limitbot("demo", "--for", "2s", "--json")
    const { openOrders, booksAgree } = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")
    assert.deepStrictEqual([openOrders, booksAgree], [0, true])
  })

  it.skipIf(!isLong)("saves no backtest among those of the person who builds", async () => {
    const [folder, state] = [newFolder(), newFolder()]
    const tool = resolve(import.meta.dirname, "../../tools/build.ts")
    await execute(process.execPath, [tool, folder], { env: { ...process.env, XDG_STATE_HOME: state } })
    assert.isTrue(existsSync(join(folder, "limitbot.mjs")))
    assert.deepStrictEqual(readdirSync(state), [])
  })

  it.skipIf(!isOld("/usr/bin/node"))("makes a program that says in one sentence that Node is too old", () => {
    const { status, stderr } = spawnSync("/usr/bin/node", [join(built, "limitbot.mjs"), "status"], { encoding: "utf8" })
    assert.match(stderr, /^limitbot: needs Node 22\.19 or newer, and this is \d+\.\d+\.\d+ \(\/usr\/bin\/node\)\n$/)
    assert.strictEqual(status, 1)
  })

  it.skipIf(!isLong)("is optional: the sources run and print the same", async () => {
    const root = resolve(import.meta.dirname, "../..")
    const sources = (...args: ReadonlyArray<string>) =>
      execute(process.execPath, [join(root, "src/main.ts"), ...args], { cwd: root })
    const check = [
      "check",
      "strategies/grid.yaml",
      "strategies/rules.yaml",
      "--config",
      "config/example.yaml",
      "--json"
    ]
    const bundled = await execute(process.execPath, [join(built, "limitbot.mjs"), ...check], { cwd: root })
    assert.strictEqual((await sources(...check)).stdout, bundled.stdout)
    const { stdout } = await sources("demo", "--for", "1s", "--json")
    assert.strictEqual(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "").booksAgree, true)
  })
})
