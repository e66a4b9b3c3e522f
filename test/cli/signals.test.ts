/** How a program ends that a signal or a closed pipe cuts off: with the exit code that shells expect, and no trace. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { limitbot } from "../builtProgram.ts"
import { newFolder } from "./program.ts"

/** `init` waits for an answer once it has shown the kinds. */
const init = () => {
  const env = { PATH: process.env["PATH"], TMPDIR: tmpdir() }
  const child = spawn(process.execPath, [limitbot, "init"], { cwd: newFolder(), env })
  const ended = Promise.all([once(child, "exit"), text(child.stderr)])
  return { child, shown: once(child.stdout, "data"), ended }
}

describe.concurrent("a program cut off", () => {
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130]
  ] as const)
    it(`by ${signal} exits with ${code}`, async () => {
      const { child, shown, ended } = init()
      await shown
      child.kill(signal)
      const [[exit, by], said] = await ended
      assert.deepStrictEqual([exit, by], [code, null])
      assert.match(said, /^limitbot: interrupted; .*\n$/)
    })

  it("by a closed pipe, as with `| head`, is silent and no failure", async () => {
    const { child, shown, ended } = init()
    await shown
    child.stdout.destroy()
    child.stdin.write("grid\n")
    const [[exit], said] = await ended
    assert.deepStrictEqual([exit, said], [0, ""])
  })
})
