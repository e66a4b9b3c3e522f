/** A dry run is the run without money: it refuses and holds back what the run would, and takes nothing from a live bot beside it. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { configText, runHere, startHere, startStill, workspace } from "../../world/processes/program.ts"

const dry = ["run", "grid.yaml", "--dry-run", "--json", "--poll", "0.2s", "--config", "config.yaml"]

/** A chat service, a watcher of heartbeats and a status page in one. */
const people = async (incidents: ReadonlyArray<unknown>) => {
  const asked: Array<string> = []
  const server = createServer((request, response) => {
    const path = request.url ?? ""
    asked.push(path)
    request.resume()
    response.end(JSON.stringify(path === "/incidents" ? incidents : { result: [] }))
  })
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  return { asked, url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

describe("a dry run", () => {
  it("reads no chat and sends no heartbeat in place of the live bot", async () => {
    const sandbox = await startStill()
    const { asked, close, url } = await people([])
    const config = `${configText(sandbox)}
notify: [{ to: telegram, url: "${url}/telegram", secret: { file: api.key }, chat: '1', commands: ['1'], kinds: [Planned] }]
heartbeat: { url: "${url}/beat", every: 1s }
`
    const bot = startHere(dry, { cwd: workspace(sandbox, { "config.yaml": config }) })
    await bot.says('"DepositSeen"', 20)
    bot.signal("SIGTERM")
    const { code, stderr } = await bot.ended
    close()
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual(
      asked.filter((path) => path.endsWith("/getUpdates") || path.startsWith("/beat")),
      []
    )
  })

  it("holds back what an incident of the venue holds back", async () => {
    const sandbox = await startStill()
    const { close, url } = await people([{ title: "BTC deposits are delayed", status: "investigating" }])
    const config = configText(sandbox).replace("venue:", `venue:\n  incidents: ${url}/incidents`)
    const bot = startHere(dry, { cwd: workspace(sandbox, { "config.yaml": config }) })
    await bot.says('"Planned"', 20)
    // Ten turns in which it could pay.
    await pause(2_000)
    bot.signal("SIGTERM")
    const { code, stderr, stdout } = await bot.ended
    close()
    assert.strictEqual(code, 0, stderr)
    assert.notInclude(stdout, '"FundingSigned"')
  })

  it("refuses the files that run refuses", async () => {
    const sandbox = await startStill()
    const config = configText(sandbox).replace("venue:", "venue:\n  minOrderUsd: 100000")
    const { code, stderr } = await runHere(dry, { cwd: workspace(sandbox, { "config.yaml": config }) })
    assert.strictEqual(code, 1)
    assert.include(stderr, "Plan rejected: below-minimum")
  })
})
