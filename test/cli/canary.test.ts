/**
 * No surface tells a secret or a signed payment: a bot whose every receiver is configured, everything that it sends and
 * answers, and every command that reads its journal. What they say is searched when the file ends (`program.ts`); here it is
 * made, and the search itself is tried.
 */
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import { signedIn, spellings } from "../secrets.ts"
import {
  configText,
  control,
  guard,
  heard,
  type Program,
  runHere,
  startHere,
  startStill,
  workspace
} from "../world/processes/program.ts"

const secret = () => randomBytes(18).toString("base64url")

/** Takes whatever is sent, and hears the bodies: addresses and headers are where secrets belong. */
const receiver = () =>
  new Promise<{ readonly url: string; readonly paths: Set<string> }>((done) => {
    const paths = new Set<string>()
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("latin1").on("data", (part: string) => {
        body += part
      })
      request.on("end", () => {
        heard(body)
        paths.add(request.url ?? "")
        response.end("{}")
      })
    }).listen(0, "127.0.0.1", () => done({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths }))
    afterAll(() => {
      server.closeAllConnections()
      server.close()
    })
  })

const addressOf = async (bot: Program): Promise<string> => {
  await bot.says(/"dashboard":"http:/)
  return /"dashboard":"(http:[^"]+)"/.exec(bot.stdout())?.[1] ?? ""
}

/** What the API has for a reader, and what has no token. */
const paths = [
  ...["status", "slots", "orders", "fills", "money", "profit", "log?limit=1000", "files", "plan", "explain"].map(
    (name) => `/api/v1/${name}`
  ),
  "/api/v1/openapi.json",
  "/health/live",
  "/health/ready",
  "/metrics",
  "/"
]

describe("canary secrets", () => {
  it("are found by the search in each spelling, alone and inside longer text", () => {
    const canary = `a "key" of\n${secret()}`
    const inside = JSON.stringify({ error: `x ${canary} y` })
    const written = [
      inside,
      JSON.stringify(inside),
      encodeURIComponent(canary),
      ...["hex", "base64", "base64url"].flatMap((encoding) =>
        ["", "1", "12", "123"].map((before) =>
          Buffer.from(`${before}${canary} and more`).toString(encoding as BufferEncoding)
        )
      )
    ]
    for (const text of written) {
      assert.isTrue(
        spellings(canary).some((needle) => text.includes(needle)),
        text
      )
    }
    assert.isFalse(spellings(canary).some((needle) => "a key of another".includes(needle)))
  })

  it.skipIf(!isLong)("appear in no output of a bot with every surface, nor of any command on its journal", async () => {
    const { url, paths: sentTo } = await receiver()
    const sandbox = await startStill()
    const keys = {
      "hook.key": secret(),
      "telegram.key": `1:${secret()}`,
      "ntfy.key": secret(),
      "otlp.key": secret(),
      "viewer.key": `${secret()}${secret()}`
    }
    const addresses = { "slack.url": `${url}/slack/${secret()}`, "discord.url": `${url}/discord/${secret()}` }
    for (const each of Object.values({ ...keys, ...addresses })) guard(each)
    const all = "least: quiet, except: [AllClear]"
    const config = `${configText(sandbox)}dashboard: { port: 0, viewerToken: { file: viewer.key } }
notify:
  - { to: webhook, url: "${url}/hook", secret: { file: hook.key }, ${all} }
  - { to: telegram, url: "${url}", secret: { file: telegram.key }, chat: "1", commands: ["42"], ${all} }
  - { to: ntfy, url: "${url}/ntfy", secret: { file: ntfy.key }, ${all} }
  - { to: slack, url: { file: slack.url }, ${all} }
  - { to: discord, url: { file: discord.url }, ${all} }
heartbeat: { url: "${url}/heart", every: 1s }
otlp: { url: "${url}", token: { file: otlp.key } }\n`
    const cwd = workspace(sandbox, { "config.yaml": config, ...keys, ...addresses })
    const journal = join(cwd, "journal.sqlite")
    const command = (...words: ReadonlyArray<string>) => runHere([...words, "--config", "config.yaml"], { cwd })
    const bot = startHere(
      ["run", "grid.yaml", "--config", "config.yaml", "--json", "--log-level", "all", "--poll", "0.3s"],
      { cwd }
    )
    const dashboard = await addressOf(bot)
    const [operator, viewer] = ["token", "viewer-token"].map((name) =>
      readFileSync(`${journal}.${name}`, "utf8").trim()
    )
    for (const token of [operator, viewer]) guard(token ?? "")
    const authorization = `Bearer ${operator}`
    const get = (path: string, signal?: AbortSignal) =>
      fetch(dashboard + path, { headers: { authorization }, ...(signal === undefined ? {} : { signal }) })
    const isOver = new AbortController()
    // The configured token looks, and commands nothing.
    const asViewer = { authorization: `Bearer ${keys["viewer.key"]}`, "content-type": "application/json" }
    const [metrics, pause] = await Promise.all([
      fetch(`${dashboard}/metrics`, { headers: asViewer }),
      fetch(`${dashboard}/api/v1/pause`, { method: "POST", headers: asViewer, body: "{}" })
    ])
    assert.deepStrictEqual([metrics.status, pause.status], [200, 403])
    const stream = get("/api/v1/events?after=0", isOver.signal)
      .then(async ({ body }) => {
        for await (const part of body ?? []) heard(Buffer.from(part).toString())
      })
      .catch(() => undefined)
    const agent = startHere(["mcp", "--operator", "--port", "0", "--config", "config.yaml"], { cwd })
    await agent.says(/mcp http:\S+/)
    await bot.says('"DepositSeen"', 20)
    await control(sandbox, "fill", { side: "BUY", price: "59900" })
    await bot.says("FillSeen")
    const asked = paths.map(async (path) => {
      const answer = await get(path)
      heard(await answer.text())
      assert.strictEqual(answer.status, 200, path)
    })
    await Promise.all([
      ...asked,
      command("events", "--follow", "--json", "--limit", "100000", "--for", "1s"),
      command("swap", "0.001", "BTC", "USDC", "--yes", "--json"),
      tools(/mcp (http:\S+)/.exec(agent.stdout())?.[1] ?? "", operator ?? "")
    ])
    isOver.abort()
    for (const each of [agent, bot]) each.signal("SIGTERM")
    await Promise.all([bot.ended, stream])

    const signed = signedIn(journal)
    assert.isAbove(signed.length, 30)
    const stored = readFileSync(journal, "latin1")
    assert.isTrue(signed.some((part) => spellings(part).some((needle) => stored.includes(needle))))
    assert.include(bot.stdout(), '"signed":"kept in the journal"')
    for (const path of ["/hook", "/ntfy", "/v1/traces", "/v1/logs", "/v1/metrics", "/heart"]) {
      assert.isTrue(sentTo.has(path), path)
    }

    const order = /"orderId":"([^"]+)"/.exec(bot.stdout())?.[1] ?? ""
    const later = [
      ["events", "--json", "--limit", "100000"],
      ["orders", order, "--out", join(cwd, "evidence.json")],
      ["export", "--format", "beancount", "--out", join(cwd, "books.beancount")],
      ["replay", "--json"],
      ["reconcile", "--json"],
      ["swap", "--list", "--json"],
      ["swap", "0.001", "BTC", "USDC", "--yes", "--json"],
      ["check", "--json"]
    ]
    for (const words of later) {
      const { code, stdout, stderr } = await command(...words)
      assert.isTrue(code === 0 || words[0] === "check", `${words[0]}: ${stderr}`)
      assert.isAbove(stdout.length, 20, words[0])
    }
  })
})

/** Every tool that needs no argument, and the log. */
const tools = async (url: string, token: string): Promise<void> => {
  let session: Record<string, string> = {}
  const post = async (method: string, params: unknown) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
        ...session
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
    const text = await answer.text()
    heard(text)
    return { answer, text }
  }
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
  const { answer } = await post("initialize", client)
  session = { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-06-18" }
  const { text } = await post("tools/call", { name: "events", arguments: { search: "signed" } })
  assert.include(text, "kept in the journal")
  for (const name of ["status", "slots", "money", "files"]) await post("tools/call", { name, arguments: {} })
}
