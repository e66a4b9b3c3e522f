/** What `run` would refuse is refused by `plan`, and `doctor` names it. */
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { configText, runHere, startSandbox, workspace } from "../world/processes/program.ts"

const grid = `name: g
market: BTC/USDC
kind: grid
limits: { budget: { base: 1, quote: 100 } }
grid: { lower: 50000, upper: 70000, levels: 5, size: { base: 0.001 } }
`

describe("checks before a start", () => {
  it("an asset under another symbol is refused by plan as by run, and wrong assets are named by doctor", async () => {
    const sandbox = await startSandbox({ speed: 60 })
    const text = configText(sandbox)
    const folder = workspace(sandbox, {
      "config.yaml": text,
      "renamed.yaml": text.replace(/^ {2}BTC:/m, "  BTX:"),
      "decimals.yaml": text.replace(/^( {2}BTC:.*decimals: )8/m, (_, before: string) => `${before}6`),
      "id.yaml": text.replace("nep141:btc.omft", "nep141:old.omft"),
      "btc.yaml": grid,
      "btx.yaml": grid.replace("BTC", "BTX")
    })
    const file = (name: string) => join(folder, name)
    const first = await runHere(["run", file("btc.yaml"), "--config", file("config.yaml"), "--for", "4s"])
    assert.strictEqual(first.code, 0, first.stderr)
    for (const words of [["plan"], ["run", "--for", "3s"]]) {
      const [command = "", ...flags] = words
      const { code, stderr } = await runHere([command, file("btx.yaml"), "--config", file("renamed.yaml"), ...flags])
      assert.strictEqual(code, 1)
      assert.match(stderr, /This journal has money of BTC, .* says that this is BTX/)
    }
    const doctor = async (config: string) => (await runHere(["doctor", "--config", file(config)])).stdout
    assert.match(await doctor("decimals.yaml"), /^WRONG {2}assets: assets\.BTC has 6 decimals; the venue lists 8$/m)
    assert.match(await doctor("id.yaml"), /^WRONG {2}assets: assets\.BTC, nep141:old\.omft\.\S+: /m)
    assert.notMatch(await doctor("config.yaml"), / assets: /)
  })

  it("another web server is not a venue", async () => {
    const sandbox = await startSandbox({ speed: 60 })
    const server = createServer((_, response) => response.end("<html>welcome</html>"))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    const folder = workspace(sandbox, { "config.yaml": configText(sandbox).replace(/url: \S+/, `url: ${url}`) })
    const { code, stdout } = await runHere(["doctor", "--config", join(folder, "config.yaml")])
    server.close()
    assert.strictEqual(code, 1)
    assert.match(stdout, /^WRONG {2}venue: .* answers with 200, and not as a venue does$/m)
  })
})
