/** `limitbot init` with answers from a pipe: what it writes passes `check`, and nothing is replaced without a yes. */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parse } from "../../src/strategy/StrategyFile.ts"
import { markets } from "../strategy/support.ts"
import { newFolder } from "./program.ts"

const main = resolve(import.meta.dirname, "../../src/main.ts")

const limitbot = (cwd: string, args: ReadonlyArray<string>, answers: ReadonlyArray<string> = []) => {
  const input = answers.map((answer) => `${answer}\n`).join("")
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { cwd, input, encoding: "utf8" })
  return { status, stdout, stderr }
}

const venue = ["https://venue.example", "", "nep141:btc.omft.native", "8", "nep141:usdc.omft.native", "6"]
const isRight = (text: string) => Result.isSuccess(parse(text, "test.yaml", markets))

describe("limitbot init", () => {
  it("writes a configuration and a strategy that pass check, then asks before it replaces one", () => {
    const cwd = newFolder()
    const args = ["init", "my.yaml", "--config", "config/limitbot.yaml"]
    const first = limitbot(cwd, args, [...venue, "grid", "50000", "70000", "11", "100", "0.02", "my-grid"])
    assert.strictEqual(first.status, 0, first.stderr)
    assert.include(first.stdout, "Wrote my.yaml: my-grid may use 0.02 BTC and 1000 USDC.")
    const text = readFileSync(join(cwd, "my.yaml"), "utf8")
    assert.match(text, /^levels: 11|^ {2}levels: 11 +# 10 cells/m)
    const checked = limitbot(cwd, ["check", "my.yaml", "--config", "config/limitbot.yaml"])
    assert.include(checked.stdout, "my.yaml: ok: my-grid, grid on BTC/USDC")

    const no = limitbot(cwd, args, ["no"])
    assert.deepStrictEqual([no.status, no.stderr], [1, "limitbot: nothing was written\n"])
    assert.strictEqual(readFileSync(join(cwd, "my.yaml"), "utf8"), text)
    const yes = limitbot(cwd, args, ["yes", "BTC/USDC", "dca", "50", "6h", "40", ""])
    assert.strictEqual(yes.status, 0, yes.stderr)
    assert.include(yes.stdout, "btc-dca may use 2000 USDC.")
    assert.isTrue(isRight(readFileSync(join(cwd, "my.yaml"), "utf8")))
  })

  it("writes ladders of both sides for a configuration that is there", () => {
    const cwd = newFolder()
    writeFileSync(join(cwd, "config.yaml"), readFileSync("config/example.yaml"))
    for (const [side, total] of [
      ["buy", "3000"],
      ["sell", "0.5"]
    ] as const) {
      const args = ["init", `${side}.yaml`, "--config", "config.yaml"]
      const answers = ["BTC/USDC", "ladder", side, "60000", "61000", "5", total, ""]
      const ended = limitbot(cwd, args, answers)
      assert.strictEqual(ended.status, 0, ended.stderr)
      assert.isTrue(isRight(readFileSync(join(cwd, `${side}.yaml`), "utf8")))
    }
  })

  it("writes nothing when the answers end early or make no strategy", () => {
    const cwd = newFolder()
    const args = ["init", "--config", "c.yaml"]
    assert.strictEqual(limitbot(cwd, args, venue).stderr, "limitbot: nothing was written\n")
    const crossed = limitbot(cwd, args, [...venue, "grid", "70000", "50000", "11", "100", "0", ""])
    assert.strictEqual(crossed.status, 1)
    assert.match(crossed.stderr, /nothing was written, the answers make no strategy:\nstrategy\.yaml:\d+:\d+: /)
    assert.isFalse(existsSync(join(cwd, "strategy.yaml")) || existsSync(join(cwd, "c.yaml")))
  })
})
