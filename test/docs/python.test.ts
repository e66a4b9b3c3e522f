/**
 * The page about Python is true: its commands and its scripts run in one folder, beside a bot that has traded, in the order of the page. Without pandas, matplotlib and
 * pyarrow the test says that it was skipped; LIMITBOT_PYTHON names another python3, that of a virtual environment for example.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { runHere, runUntil, startHere, startSandbox, workspace } from "../world/processes/program.ts"
import { blocksOf, read, root } from "./documents.ts"

const python = process.env["LIMITBOT_PYTHON"] ?? "python3"
const hasLibraries = spawnSync(python, ["-c", "import pandas, matplotlib, pyarrow"]).status === 0

/** Of a command line of the page: its words, and the file that takes its output. */
const taken = (line: string): { readonly words: ReadonlyArray<string>; readonly into: string | undefined } => {
  const [command = "", into] = line.split(" > ")
  const [program, ...words] = command.split(" ")
  assert.strictEqual(program, "limitbot")
  return { words, into }
}

describe("docs/python.md", () => {
  it.skipIf(!hasLibraries)("has only commands and scripts that run", async () => {
    const sandbox = await startSandbox({ speed: 600 })
    const cwd = workspace(sandbox)
    const bot = ["run", "grid.yaml", "--config", "config.yaml", "--json", "--poll", "0.3s"]
    await runUntil('"FillSeen"', 2, bot, { cwd }, startHere)
    cpSync(join(root, "strategies"), join(cwd, "strategies"), { recursive: true })
    for (const { language, line, text } of blocksOf(read("docs/python.md"))) {
      if (language === "python") {
        execFileSync(python, ["-c", text], {
          cwd,
          env: { PATH: process.env["PATH"], MPLCONFIGDIR: cwd },
          stdio: "pipe"
        })
        continue
      }
      assert.strictEqual(language, "sh", `line ${line}`)
      for (const each of text.trim().split("\n")) {
        const { into, words } = taken(each)
        const { code, stderr, stdout } = await runHere(words, { cwd })
        assert.strictEqual(code, 0, `${each}\n${stderr}`)
        if (into !== undefined) writeFileSync(join(cwd, into), stdout)
      }
    }
    assert.isAbove(statSync(join(cwd, "band.png")).size, 5_000)
    const result = (file: string) => {
      const { curve, data, kernelMillis, wallMillis, ...others } = JSON.parse(readFileSync(join(cwd, file), "utf8"))
      return others
    }
    for (const kind of ["parquet", "feather"])
      assert.deepStrictEqual(result(`from-${kind}.json`), result("result.json"))
  })
})
