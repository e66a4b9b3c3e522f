/** A file whose market the venue does not quote is added while the bot is off: the other strategies keep their stops. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  type Connection,
  configText,
  control,
  startHere,
  startStill,
  workspace
} from "../../world/processes/program.ts"

/** Passes everything on, and refuses to quote ETH. */
const withoutEth = async ({ url }: Connection) => {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Array<Uint8Array> = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { headers, method = "GET", url: path = "/" } = incoming
    const body = chunks.length === 0 ? null : Buffer.concat(chunks)
    const isRefused = path.startsWith("/v0/quote") && body?.includes("eth.omft") === true
    const kept = ["content-type", "x-api-key", "authorization"].flatMap((name) => {
      const value = headers[name]
      return typeof value === "string" ? [[name, value] as const] : []
    })
    const answer = isRefused
      ? Response.json({ message: "No liquidity available" }, { status: 400 })
      : await fetch(new URL(path, url), { method, headers: Object.fromEntries(kept), body })
    outgoing.writeHead(answer.status, { "content-type": "application/json" })
    outgoing.end(await answer.text())
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

const bracket = (name: string, market: string, prices: string) => `name: ${name}
market: ${market}
kind: bracket
limits: { budget: { quote: 400 } }
bracket: { side: buy, size: { base: 0.005 }, ${prices}, reach: 0.5% }
`

describe("limitbot run", () => {
  it("triggers the stops of other strategies although the market of a new file has no price", async () => {
    const sandbox = await startStill()
    const proxy = await withoutEth(sandbox)
    const folder = workspace(sandbox, {
      "config.yaml": configText({ ...sandbox, url: proxy.url }).replace(
        "assets:\n",
        `assets:\n  ETH: { id: "nep141:eth.omft.${sandbox.ledger}", decimals: 18 }\n`
      ),
      "held.yaml": bracket("held", "BTC/USDC", "entry: 60100, takeProfit: 70000, stop: 58000"),
      "new.yaml": bracket("new", "ETH/USDC", "entry: 2000, takeProfit: 3000, stop: 1800")
    })
    const config = ["--config", join(folder, "config.yaml"), "--poll", "0.3s", "--json", "--allow", "fills-at-once"]
    const first = startHere(["run", join(folder, "held.yaml"), ...config])
    await first.says(/"Planned"[^\n]*"side":"SELL"/)
    await first.says(/"DepositSeen"[^\n]*"asset":"BTC"/)
    first.signal("SIGTERM")
    await first.ended
    const again = startHere(["run", join(folder, "held.yaml"), join(folder, "new.yaml"), ...config])
    await again.says(/"BotStarted"/)
    await control(sandbox, "prices", { "BTC/USDC": 57_900 })
    await again.says(/"Planned"[^\n]*"slot":"position"[^\n]*"side":"SELL","price":"57/)
    again.signal("SIGTERM")
    const { code, stderr, stdout } = await again.ended
    proxy.close()
    assert.strictEqual(code, 0, stderr)
    assert.notMatch(stdout, /"Planned"[^\n]*"strategy":"new"/)
  })
})
