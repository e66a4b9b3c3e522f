/** The first quotes of a start are ten times what they should be: a good file is not judged by them. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  type Connection,
  configText,
  ordersAt,
  startHere,
  startStill,
  workspace
} from "../../world/processes/program.ts"

/** Passes everything on; the first quotes say that one BTC is worth ten times as much. */
const lyingProxy = async ({ url }: Connection, quotes: number) => {
  let left = quotes
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Array<Uint8Array> = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { headers, method = "GET", url: path = "/" } = incoming
    const body = chunks.length === 0 ? null : Buffer.concat(chunks)
    const known = ["content-type", "x-api-key", "authorization"].flatMap((name) => {
      const value = headers[name]
      return typeof value === "string" ? [[name, value] as const] : []
    })
    const answer = await fetch(new URL(path, url), { method, headers: Object.fromEntries(known), body })
    let text = await answer.text()
    if (path === "/v0/quote" && answer.ok && left > 0) {
      left -= 1
      const told = JSON.parse(text)
      const [times, over] = told.quoteRequest.originAsset.includes("btc") ? [10n, 1n] : [1n, 10n]
      told.quote.amountOut = String((BigInt(told.quote.amountOut) * times) / over)
      told.quote.amountOutFormatted = String((Number(told.quote.amountOutFormatted) * Number(times)) / Number(over))
      text = JSON.stringify(told)
    }
    outgoing.writeHead(answer.status, { "content-type": "application/json" })
    outgoing.end(text)
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

describe("limitbot run", () => {
  it("starts with a good file although its first prices are wrong, and places its orders", async () => {
    const sandbox = await startStill()
    const proxy = await lyingProxy(sandbox, 6)
    const folder = workspace(sandbox, { "config.yaml": configText({ ...sandbox, url: proxy.url }) })
    const files = [join(folder, "grid.yaml"), "--config", join(folder, "config.yaml")]
    const bot = startHere(["run", ...files, "--poll", "0.3s", "--json"])
    await bot.says('"PriceDoubted"')
    await bot.says('"DepositSeen"', 20)
    bot.signal("SIGTERM")
    const { code, stderr } = await bot.ended
    proxy.close()
    assert.strictEqual(code, 0, stderr)
    assert.lengthOf(await ordersAt(sandbox), 20)
  })
})
