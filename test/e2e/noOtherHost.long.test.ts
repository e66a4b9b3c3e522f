/**
 * Nothing telephones home: whatever a bot connects to or looks up in its whole life stands in its configuration. The program runs
 * as it is handed out, with a recorder in front of Node's own sockets and names, in threads and child processes as well.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { atEndOfFiles } from "../endOfFile.ts"
import { isLong } from "../long.ts"
import { configText, newFolder, run, runUntil, startSandbox, workspace } from "../world/processes/program.ts"

const recorder = resolve(import.meta.dirname, "connectRecorder.cjs")

const recording = () => {
  const file = join(newFolder(), "connections.txt")
  writeFileSync(file, "")
  const environment = { NODE_OPTIONS: `--require=${recorder}`, LIMITBOT_CONNECTIONS: file }
  const seen = () => [...new Set(readFileSync(file, "utf8").split("\n").filter(Boolean))].sort()
  return { environment, seen }
}

/** A server that takes everything, and its port. */
const listener = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer((_, response) => response.end())
    atEndOfFiles(() => void server.close())
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      done(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

describe("no connection to other hosts", () => {
  it("is made by a bot that trades and stops: it uses only the addresses of its configuration", async () => {
    const sandbox = await startSandbox()
    const heartbeat = await listener()
    const text = `${configText(sandbox)}heartbeat: { url: "http://localhost:${heartbeat}/ping", every: 1s }\n`
    const cwd = workspace(sandbox, { "config.yaml": text })
    const { environment, seen } = recording()
    const words = ["run", "grid.yaml", "--config", "config.yaml", "--poll", "0.5s", "--json"]
    await runUntil('"FillSeen"', 1, words, { cwd, environment })
    for (const command of [["check"], ["status"], ["reconcile"], ["profit"], ["plan", "grid.yaml"]])
      await run([...command, "--config", "config.yaml"], { cwd, environment })
    const { host } = new URL(sandbox.url)
    // That the heartbeat is among them shows that the recorder sees what it should.
    assert.deepStrictEqual(seen(), [host, `localhost:${heartbeat}`, "name localhost"].sort())
  })

  it.skipIf(!isLong)(
    "is made by files, candles, threaded backtests or a demo, except to the demo's own sandbox",
    async () => {
      const cwd = newFolder()
      const { environment, seen } = recording()
      const strategy =
        "name: grid\nmarket: BTC/USDC\nkind: grid\nlimits: { budget: { base: 0.1, quote: 6000 } }\ngrid: { lower: 59000, upper: 61000, levels: 21, size: { base: 0.005 } }\n"
      writeFileSync(join(cwd, "grid.yaml"), strategy)
      for (const words of [
        ["--version"],
        ["--help"],
        ["check", "grid.yaml"],
        ["data", "generate", "candles.csv", "--bars", "2000"],
        ["backtest", "grid.yaml", "--data", "candles.csv"],
        ["search", "grid.yaml", "--data", "candles.csv", "--set", "grid.levels=11,21"]
      ]) {
        const { code, stderr } = await run(words, { cwd, environment })
        assert.strictEqual(code, 0, `${words.join(" ")}: ${stderr}`)
      }
      assert.deepStrictEqual(seen(), [])
      assert.strictEqual((await run(["demo", "--for", "1s"], { cwd, environment })).code, 0)
      assert.deepStrictEqual(
        seen().filter((each) => !/^(?:name )?127\.0\.0\.1(?::\d+)?$/.test(each)),
        []
      )
    }
  )
})
