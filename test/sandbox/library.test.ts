/** The sandbox as another program imports it. */
import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { start } from "../../src/sandbox/library.ts"
import { folder as built } from "../builtProgram.ts"

const root = resolve(import.meta.dirname, "../..")

describe("limitbot/sandbox", () => {
  it("runs the documented example in a project that has nothing else", async () => {
    const page = readFileSync(join(root, "docs/library.md"), "utf8")
    const [, example = ""] = /```js\n(import \{ start \}[\s\S]*?)```/.exec(page) ?? []
    const folder = mkdtempSync(join(tmpdir(), "limitbot-library-"))
    mkdirSync(join(folder, "node_modules/limitbot/dist"), { recursive: true })
    copyFileSync(join(root, "package.json"), join(folder, "node_modules/limitbot/package.json"))
    copyFileSync(join(built, "sandbox.mjs"), join(folder, "node_modules/limitbot/dist/sandbox.mjs"))
    writeFileSync(join(folder, "sandbox.mjs"), example)
    const { stdout } = await promisify(execFile)(process.execPath, ["sandbox.mjs"], { cwd: folder })
    assert.match(stdout, /^BTC\/USDC 61000\ntokens \d+\nnot filled: no open order matches\n$/)
  })

  it("serves until it is stopped", async () => {
    const sandbox = await start()
    assert.strictEqual((await fetch(`${sandbox.connection.url}/v0/tokens`)).status, 200)
    await sandbox.stop()
    const { url } = sandbox.connection
    assert.strictEqual(
      await fetch(`${url}/v0/tokens`).then(
        () => "served",
        () => "refused"
      ),
      "refused"
    )
  })
})
