/** `limitbot sandbox --solvers`: by name, from a file, and what is wrong with one. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { solverLaws } from "../../../src/sandbox/Solvers.ts"
import { lawOf } from "../../../src/sandbox/serving/SandboxServing.ts"

const load = (written: string) => lawOf(written).pipe(Effect.provide(NodeServices.layer), Effect.runPromise)

const loadText = async (text: string) => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-solvers-"))
  try {
    writeFileSync(join(folder, "law.yaml"), text)
    return await load(join(folder, "law.yaml"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const messageOf = (loading: Promise<unknown>): Promise<string> =>
  loading.then(
    () => "",
    (error: Error) => error.message
  )

describe("--solvers", () => {
  it("accepts the names of laws", async () => assert.strictEqual(await load("thin"), solverLaws["thin"]))

  it("reads every documented key, and uses the most eager value for an absent one", async () => {
    const docs = readFileSync(resolve(import.meta.dirname, "../../../docs/set-up.md"), "utf8")
    const rows = [
      ...docs.matchAll(
        /^\| `(marginBasisPoints|marginPerThousandUsd|solvers|latencyMillis|depth|absence)(: [^`]+)` \|/gm
      )
    ]
    assert.strictEqual(rows.length, 6)
    const law = await loadText(rows.map(([, key, value]) => `${key}${value}\n`).join(""))
    assert.strictEqual(law.absence?.share, 0.2)
    assert.deepStrictEqual(await loadText("solvers: 3"), {
      marginBasisPoints: [0, 0],
      marginPerThousandUsd: 0,
      solvers: 3,
      latencyMillis: [0, 0]
    })
  })

  it("says what is wrong", async () => {
    assert.match(await messageOf(load("nobody")), /--solvers nobody: neither a file .* names: margin, random/)
    assert.match(await messageOf(loadText("margin: 5")), /excess property\n.*"margin"/)
    assert.match(await messageOf(loadText("solvers: [")), /the file is not YAML/)
  })
})
