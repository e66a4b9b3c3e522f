/** How a program ends that a signal or a closed pipe cuts off: with the exit code that shells expect, and no trace. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
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

const numbers = { SIGINT: 2, SIGTERM: 15 } as const

/** The processor time of a program, in hundredths of a second. */
const spentBy = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return Number(fields[11]) + Number(fields[12])
}

/**
 * A program that only computes gives the signal back to the system (`Stop.computes`): first it handles it, and then no more. A busy test may
 * not look while the program handles it: after five seconds of the processor the start is over.
 */
const computes = async (pid: number, signal: keyof typeof numbers): Promise<void> => {
  let hasStarted = false
  for (;;) {
    const [, mask = ""] = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    const handles = ((BigInt(`0x${mask}`) >> BigInt(numbers[signal] - 1)) & 1n) === 1n
    if (hasStarted && !handles) return
    hasStarted ||= handles || spentBy(pid) > 500
    await setTimeout(20)
  }
}

describe.concurrent("a program that is cut off", () => {
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
    it(`by ${signal} during a computation ends at once`, async ({ onTestFinished }) => {
      const folder = newFolder()
      const run = (...words: ReadonlyArray<string>) => spawn(process.execPath, [limitbot, ...words], { cwd: folder })
      await once(run("data", "generate", "minutes.csv", "--bars", "200000"), "exit")
      writeFileSync(
        join(folder, "quotes.yaml"),
        "name: quotes\nmarket: BTC/USDC\nkind: market-making\nlimits: { budget: { base: 1, quote: 40000 } }\nmarket-making: { levels: 3, spread: 0.1%, size: 0.005, requote: 0.05% }\n"
      )
      const child = run("backtest", "quotes.yaml", "--data", "minutes.csv", "--runs", "199")
      const ended = once(child, "exit")
      onTestFinished(() => void child.kill("SIGKILL"))
      await computes(child.pid ?? 0, signal)
      const asked = performance.now()
      child.kill(signal)
      const [exit, by] = await ended
      assert.include([`null ${signal}`, "143 null", "130 null"], `${exit} ${by}`)
      assert.isBelow(performance.now() - asked, 60_000)
    })

  it("by a closed pipe, as with `| head`, ends silently with 0", async () => {
    const { child, shown, ended } = init()
    await shown
    child.stdout.destroy()
    child.stdin.write("grid\n")
    const [[exit], said] = await ended
    assert.deepStrictEqual([exit, said], [0, ""])
  })
})
