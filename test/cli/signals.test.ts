/** How a program ends that a signal or a closed pipe cuts off: with the exit code that shells expect, and no trace. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { limitbot } from "../builtProgram.ts"
import { newFolder } from "../world/processes/program.ts"

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

  for (const signal of ["SIGTERM", "SIGINT"] as const)
    it(`by ${signal} while it computes ends at once: a backtest is not deaf`, async () => {
      const folder = newFolder()
      const run = (...words: ReadonlyArray<string>) => spawn(process.execPath, [limitbot, ...words], { cwd: folder })
      await once(run("data", "generate", "minutes.csv", "--bars", "200000"), "exit")
      writeFileSync(
        join(folder, "quotes.yaml"),
        "name: quotes\nmarket: BTC/USDC\nkind: market-making\nlimits: { budget: { base: 1, quote: 40000 } }\nmarket-making: { levels: 3, spread: 0.1%, size: 0.005, requote: 0.05% }\n"
      )
      const child = run("backtest", "quotes.yaml", "--data", "minutes.csv", "--band-seconds", "100")
      const ended = once(child, "exit")
      // By then it reads its data or simulates, whatever the machine.
      await setTimeout(2500)
      const asked = performance.now()
      child.kill(signal)
      const [exit, by] = await ended
      assert.include([`null ${signal}`, "143 null", "130 null"], `${exit} ${by}`)
      assert.isBelow(performance.now() - asked, 1500)
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
