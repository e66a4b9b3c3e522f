/** The bundled program does what the sources do, without them and without node_modules beside it. */
import { execFile } from "node:child_process"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { version } from "../../src/version.ts"
import { newFolder } from "./program.ts"

const execute = promisify(execFile)

describe("npm run build", () => {
  it("makes a program that stands alone", async () => {
    const folder = newFolder()
    const tool = resolve(import.meta.dirname, "../../tools/build.ts")
    await execute(process.execPath, [tool, join(folder, "dist")])
    const limitbot = (...args: ReadonlyArray<string>) =>
      execute(process.execPath, [join(folder, "dist/limitbot.mjs"), ...args], { cwd: folder })

    assert.deepStrictEqual(await limitbot("--version"), { stdout: `limitbot v${version}\n`, stderr: "" })
    assert.strictEqual((await limitbot("--help")).stdout, (await limitbot("-h")).stdout)
    assert.match((await limitbot("--help")).stdout, /limitbot <subcommand>/)
    const { stdout } = await limitbot("demo", "--for", "2s", "--json")
    const { openOrders, booksAgree } = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")
    assert.deepStrictEqual([openOrders, booksAgree], [0, true])
  })
})
