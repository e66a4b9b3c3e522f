/** One table of checks: what `run` would refuse is refused by `plan`, and `doctor` names it. */
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import { configText, runHere, startSandbox, startStill, workspace } from "../world/processes/program.ts"

const grid = `name: g
market: BTC/USDC
kind: grid
limits: { budget: { base: 1, quote: 100 } }
grid: { lower: 50000, upper: 70000, levels: 5, size: { base: 0.001 } }
`

describe("checks before a start", () => {
  it.skipIf(!isLong)(
    "refuse an asset under another symbol in plan and run, and name wrong assets in doctor",
    async () => {
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
        assert.match(stderr, /This journal has money or orders of BTC, .* says that this is BTX/)
      }
      // Its orders rest at the venue meanwhile.
      for (const [command = "", ...flags] of [["plan"], ["run", "--for", "3s"]]) {
        const refused = await runHere([command, file("btc.yaml"), "--config", file("decimals.yaml"), ...flags])
        assert.strictEqual(refused.code, 1, command)
        assert.match(refused.stderr, /BTC is configured with 6 decimals, but the venue lists 8\. Nothing was started/)
      }
      const doctor = async (config: string) => (await runHere(["check", "--config", file(config)])).stdout
      assert.match(await doctor("decimals.yaml"), /^WRONG {2}assets: assets\.BTC has 6 decimals; the venue lists 8$/m)
      assert.match(await doctor("renamed.yaml"), /^WRONG {2}owner: This journal has money or orders of BTC/m)
      assert.match(await doctor("id.yaml"), /^WRONG {2}assets: assets\.BTC, nep141:old\.omft\.\S+: /m)
      assert.notMatch(await doctor("config.yaml"), / assets: /)
    }
  )

  it("ask the feed of incidents, before a bot runs", async () => {
    const sandbox = await startStill({ like: "near-2026-11" })
    const incident = (scopeValue: string) => ({
      scopeType: "token",
      scopeValue,
      publicDescription: `${scopeValue} is paused`
    })
    let [status, incidents] = [200, [incident("BTC"), incident("DOGE")]]
    const feed = createServer((_, response) =>
      response.writeHead(status).end(JSON.stringify({ status: "incidents", incidents }))
    )
    await new Promise<void>((resolve) => feed.listen(0, "127.0.0.1", resolve))
    const address = feed.address()
    const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/incident`
    const text = configText(sandbox).replace(/^venue:$/m, `venue:\n  incidents: { url: "${url}" }`)
    const config = join(workspace(sandbox, { "config.yaml": text }), "config.yaml")
    const ofFeed = async () =>
      /^.* incidents: .*(?:\n +→.*)?/m.exec((await runHere(["check", "--config", config])).stdout)?.[0]
    assert.strictEqual(
      await ofFeed(),
      "warn   incidents: the feed is naming an incident, so the bot holds new orders and payments there: BTC is paused (BTC)\n       → wait for its end"
    )
    incidents = [incident("DOGE")]
    assert.strictEqual(await ofFeed(), "ok     incidents: none in the configured assets")
    status = 401
    const refused = /^warn {3}incidents: the feed is refused, so new incidents are not seen: .*\n +→ renew its token$/
    assert.match((await ofFeed()) ?? "", refused)
    feed.close()
  })

  it("refuse another web server as the venue", async () => {
    const sandbox = await startSandbox({ speed: 60 })
    const server = createServer((_, response) => response.end("<html>welcome</html>"))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    const folder = workspace(sandbox, { "config.yaml": configText(sandbox).replace(/url: \S+/, `url: ${url}`) })
    const config = ["--config", join(folder, "config.yaml")]
    const { code, stdout } = await runHere(["check", ...config])
    const ran = await runHere(["run", join(folder, "grid.yaml"), ...config, "--for", "3s"])
    server.close()
    assert.strictEqual(code, 1)
    assert.match(stdout, /^WRONG {2}venue: .* answers with 200, not like a venue$/m)
    assert.strictEqual(ran.code, 1)
    assert.match(ran.stderr, /answers with 200, not like a venue: .*check venue\.url: it is another web server/)
  })

  it.skipIf(!isLong)("bind a journal to the address that answers first, and not to a misspelt one", async () => {
    const sandbox = await startStill({ like: "document" })
    const right = configText(sandbox)
    const folder = workspace(sandbox, {
      "right.yaml": right,
      "typo.yaml": right.replace(/url: \S+/, "url: http://127.0.0.1:1")
    })
    const run = (config: string) =>
      runHere(["run", join(folder, "grid.yaml"), "--config", join(folder, config), "--for", "2s"])
    const lost = await run("typo.yaml")
    assert.strictEqual(lost.code, 1)
    assert.match(
      lost.stderr,
      /127\.0\.0\.1:1 does not answer like a venue\. .*not bound to this address: check venue\.url/
    )
    const { code, stderr } = await run("right.yaml")
    assert.strictEqual(code, 0, stderr)
    assert.match((await run("typo.yaml")).stderr, /This journal belongs to the venue/)
  })

  it.each([
    ["no folder", "none"],
    ["a file in place of its folder", "grid.yaml"]
  ])("stop run and plan if the journal has %s, and check warns of it", async (_, place) => {
    const sandbox = await startStill({ like: "document" })
    const folder = workspace(sandbox, {
      "config.yaml": configText(sandbox).replace(/journal: \S+/, `journal: ${place}/j.sqlite`)
    })
    const asked = (command: string) =>
      runHere([command, join(folder, "grid.yaml"), "--config", join(folder, "config.yaml")])
    const checked = await asked("check")
    assert.strictEqual(checked.code, 0, checked.stderr)
    assert.match(checked.stderr, new RegExp(`warning: disk: \\S+${place} cannot be written`))
    for (const command of ["plan", "run"]) {
      const { code, stderr } = await asked(command)
      assert.strictEqual(code, 1)
      assert.match(stderr, / cannot be written/)
    }
  })
})
