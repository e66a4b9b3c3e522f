/** The client as another program imports it: the documented example runs as it stands, against a real sandbox. */
import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"
import * as library from "../../src/venue/library.ts"
import { folder as built } from "../builtProgram.ts"

const root = resolve(import.meta.dirname, "../..")
const text = readFileSync(join(root, "docs/library.md"), "utf8")

/** A folder of another project, with what the package brings and the one thing that the project brings itself. */
const project = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-library-"))
  mkdirSync(join(folder, "node_modules/@effect"), { recursive: true })
  mkdirSync(join(folder, "node_modules/limitbot/dist"), { recursive: true })
  copyFileSync(join(root, "package.json"), join(folder, "node_modules/limitbot/package.json"))
  copyFileSync(join(built, "venue.mjs"), join(folder, "node_modules/limitbot/dist/venue.mjs"))
  for (const name of ["effect", "@effect/platform-node"]) {
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name))
  }
  return folder
}

const run = (folder: string, file: string) =>
  Effect.callback<{ readonly output: string; readonly error: string }>((resume) => {
    execFile(process.execPath, [file], { cwd: folder, timeout: 300_000 }, (_, output, error) =>
      resume(Effect.succeed({ output, error }))
    )
  })

describe("limitbot/venue", () => {
  it.live("runs the documented example unchanged", () =>
    Effect.gen(function* () {
      const [, example = ""] = /```js\n([\s\S]*?)```/.exec(text) ?? []
      const folder = project()
      writeFileSync(join(folder, "connection.json"), JSON.stringify(yield* SandboxServer.SandboxConnection))
      writeFileSync(join(folder, "example.mjs"), example)
      const { error, output } = yield* run(folder, "example.mjs")
      assert.match(output, /^quoted \d+(\.\d+)? USDC\nSUCCESS: received \d+ smallest units\n$/, error)
    }).pipe(Effect.provide(SandboxServer.layer({}).pipe(Layer.provide(NodeServices.layer))))
  )

  it("exports everything in the documented table", () => {
    const table = text.slice(text.indexOf("| name |"))
    const names = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)/g)].map(([, name = ""]) => name)
    )
    assert.isAbove(names.length, 12)
    for (const name of names) assert.property(library, name)
  })
})
