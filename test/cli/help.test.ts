/** What `--help` prints is a file, because loading every command to describe itself takes a second: `npm run help` writes it. */
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { limitbot } from "../builtProgram.ts"

const execute = promisify(execFile)
const root = resolve(import.meta.dirname, "../..")
const file = join(root, "src/cli/help.txt")

const said = async (flag: string): Promise<string> =>
  (await execute(process.execPath, [limitbot, flag], { cwd: root })).stdout

describe("--help", () => {
  it("and help print what the commands declare; after a change run npm run help", async () => {
    const computed = await said("-h")
    if (process.env["LIMITBOT_HELP"] === "write") writeFileSync(file, computed)
    assert.strictEqual(readFileSync(file, "utf8"), computed)
    assert.strictEqual(await said("--help"), computed)
    assert.strictEqual(await said("help"), computed)
  })
})
