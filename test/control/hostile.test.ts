/**
 * Requests that nobody honest sends, against a running bot: each is answered with 4xx, and not one event is recorded for it.
 * The attackers are other pages in the operator's browser, other programs of the machine, and a viewer who wants more.
 */

import { connect } from "node:net"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import { type Asked, type RunningBot, startBot, until } from "../world/processes/runningBot.ts"
import { heads, type NaughtyRequest, naughtyRequests } from "./naughtyRequests.ts"

let bot: RunningBot
const atOnce = 10
const json = { "content-type": "application/json" }

const post = (headers: Readonly<Record<string, string>>, body = '{"confirm":"kill"}'): Asked => ({
  method: "POST",
  headers: { ...json, "content-length": String(Buffer.byteLength(body)), ...headers },
  body
})

/** A swap that the bot would quote, but for what is changed. */
const wish = (changes: object = {}): string => JSON.stringify({ amount: "0.001", from: "BTC", to: "USDC", ...changes })

interface Status {
  readonly killSwitch: string | null
  readonly turnedAt: number
  readonly strategies: ReadonlyArray<{ readonly paused: unknown }>
}

const commandsRecorded = async () => {
  const { events } = (await bot.look("/api/v1/log?limit=1000&search=operator")) as { events: ReadonlyArray<unknown> }
  const { killSwitch, strategies } = (await bot.look("/api/v1/status")) as Status
  return { count: events.length, killSwitch, paused: strategies.map(({ paused }) => paused) }
}

beforeAll(async () => {
  bot = await startBot()
  await until("a turn has ended", async () => ((await bot.look("/api/v1/status")) as Status).turnedAt > 0)
})

describe("hostile requests", () => {
  const cases: ReadonlyArray<readonly [string, string, () => Asked]> = [
    ["no token", "/api/v1/status", () => ({})],
    ["a wrong token", "/api/v1/status", () => ({ headers: { authorization: `Bearer ${"a".repeat(43)}` } })],
    ["an empty token", "/api/v1/status", () => ({ headers: { authorization: "Bearer " } })],
    ["basic credentials", "/api/v1/status", () => ({ headers: { authorization: `Basic ${btoa(`x:${bot.token}`)}` } })],
    ["the token in the address", "/api/v1/status?token=TOKEN", () => ({})],
    ["the token in a cookie", "/api/v1/status", () => ({ headers: { cookie: `token=${bot.token}` } })],
    ["no token for metrics", "/metrics", () => ({})],
    ["a viewer's kill", "/api/v1/kill", () => post({ authorization: `Bearer ${bot.viewerToken}` })],
    ["a viewer's pause", "/api/v1/pause", () => post({ authorization: `Bearer ${bot.viewerToken}` }, "{}")],
    ["a rebound host name", "/api/v1/kill", () => post({ authorization: `Bearer ${bot.token}`, host: "evil.example" })],
    [
      "a rebound host name with our port",
      "/api/v1/status",
      () => ({
        headers: { authorization: `Bearer ${bot.token}`, host: `evil.example:${new URL(bot.url).port}` }
      })
    ],
    [
      "another origin",
      "/api/v1/kill",
      () => post({ authorization: `Bearer ${bot.token}`, origin: "https://evil.example" })
    ],
    ["the null origin", "/api/v1/kill", () => post({ authorization: `Bearer ${bot.token}`, origin: "null" })],
    [
      "another port of this machine",
      "/api/v1/kill",
      () => post({ authorization: `Bearer ${bot.token}`, origin: "http://127.0.0.1:1" })
    ],
    [
      "a cross-site fetch",
      "/api/v1/kill",
      () => post({ authorization: `Bearer ${bot.token}`, "sec-fetch-site": "cross-site" })
    ],
    [
      "a same-site fetch",
      "/api/v1/kill",
      () => post({ authorization: `Bearer ${bot.token}`, "sec-fetch-site": "same-site" })
    ],
    [
      "a form",
      "/api/v1/kill",
      () =>
        post(
          { authorization: `Bearer ${bot.token}`, "content-type": "application/x-www-form-urlencoded" },
          "confirm=kill"
        )
    ],
    [
      "text that looks like JSON",
      "/api/v1/kill",
      () => post({ authorization: `Bearer ${bot.token}`, "content-type": "text/plain" })
    ],
    ["no content type", "/api/v1/kill", () => post({ authorization: `Bearer ${bot.token}`, "content-type": "" })],
    ["a packed body", "/api/v1/kill", () => post({ authorization: `Bearer ${bot.token}`, "content-encoding": "gzip" })],
    ["a kill by GET", "/api/v1/kill", () => ({ headers: { authorization: `Bearer ${bot.token}` } })],
    ["a preflight", "/api/v1/kill", () => ({ method: "OPTIONS", headers: { origin: "https://evil.example" } })],
    [
      "another method",
      "/api/v1/status",
      () => ({ method: "DELETE", headers: { authorization: `Bearer ${bot.token}` } })
    ],
    ["a kill without its word", "/api/v1/kill", () => post({ authorization: `Bearer ${bot.token}` }, "{}")],
    [
      "a kill with another word",
      "/api/v1/kill",
      () => post({ authorization: `Bearer ${bot.token}` }, '{"confirm":"yes"}')
    ],
    ["broken JSON", "/api/v1/kill", () => post({ authorization: `Bearer ${bot.token}` }, '{"confirm":"kill"')],
    ["a list for an object", "/api/v1/kill", () => post({ authorization: `Bearer ${bot.token}` }, '["kill"]')],
    [
      "a strategy that is none",
      "/api/v1/pause",
      () => post({ authorization: `Bearer ${bot.token}` }, '{"strategy":"nobody"}')
    ],
    [
      "a strategy of the language",
      "/api/v1/pause",
      () => post({ authorization: `Bearer ${bot.token}` }, '{"strategy":"__proto__"}')
    ],
    [
      "a slot that is none",
      "/api/v1/cancel",
      () => post({ authorization: `Bearer ${bot.token}` }, '{"slot":"grid/none"}')
    ],
    [
      "a flag for a slot",
      "/api/v1/explain?slot=--config%3D/etc/passwd",
      () => ({
        headers: { authorization: `Bearer ${bot.token}` }
      })
    ],
    [
      "a reason as long as a book",
      "/api/v1/kill",
      () => post({ authorization: `Bearer ${bot.token}` }, JSON.stringify({ confirm: "kill", why: "x".repeat(5_000) }))
    ],
    [
      "a file that is not ours",
      "/api/v1/apply",
      () =>
        post({ authorization: `Bearer ${bot.token}` }, JSON.stringify({ file: "/etc/passwd", text: "x", hash: "y" }))
    ],
    [
      "a path out of the folder",
      "/api/v1/check",
      () =>
        post({ authorization: `Bearer ${bot.token}` }, JSON.stringify({ files: [{ file: "../grid.yaml", text: "x" }] }))
    ],
    [
      "a body beyond the limit",
      "/api/v1/check",
      () =>
        post(
          { authorization: `Bearer ${bot.token}` },
          JSON.stringify({ files: [{ file: "x", text: "x".repeat(1_100_000) }] })
        )
    ],
    [
      "a viewer's swap",
      "/api/v1/swap",
      () => post({ authorization: `Bearer ${bot.viewerToken}` }, '{"quote":"x","confirm":"swap"}')
    ],
    ["a viewer's quote", "/api/v1/swap/quote", () => post({ authorization: `Bearer ${bot.viewerToken}` }, wish())],
    ["a swap without its word", "/api/v1/swap", () => post({ authorization: `Bearer ${bot.token}` }, '{"quote":"x"}')],
    [
      "a swap of a quote that was never given",
      "/api/v1/swap",
      () => post({ authorization: `Bearer ${bot.token}` }, '{"quote":"__proto__","confirm":"swap"}')
    ],
    [
      "a swap at an address of the asker's",
      "/api/v1/swap",
      () => post({ authorization: `Bearer ${bot.token}` }, '{"depositAddress":"thief","amountIn":"1","confirm":"swap"}')
    ],
    [
      "a swap of nothing",
      "/api/v1/swap/quote",
      () => post({ authorization: `Bearer ${bot.token}` }, wish({ amount: "-1" }))
    ],
    [
      "a swap of something unknown",
      "/api/v1/swap/quote",
      () => post({ authorization: `Bearer ${bot.token}` }, wish({ from: "__proto__" }))
    ],
    [
      "a swap for all the tolerance there is",
      "/api/v1/swap/quote",
      () => post({ authorization: `Bearer ${bot.token}` }, wish({ slippage: 1_001 }))
    ],
    ["a file out of the assets", "/assets/../../../../etc/passwd", () => ({})],
    ["an encoded path", "/assets/%2e%2e%2f%2e%2e%2fpackage.json", () => ({})],
    ["a page that is none", "/admin", () => ({})],
    [
      "a sequence that is no number",
      "/api/v1/events?after=x",
      () => ({ headers: { authorization: `Bearer ${bot.token}` } })
    ],
    ["a sequence below zero", "/api/v1/events?after=-1", () => ({ headers: { authorization: `Bearer ${bot.token}` } })]
  ]

  it("are answered with 4xx, reveal no secret, and change nothing", async () => {
    const before = await commandsRecorded()
    const wrong: Array<string> = []
    for (const [name, path, asked] of cases) {
      const answer = await bot.ask(path.replace("TOKEN", bot.token), asked()).catch((error: Error) => ({
        status: /EPIPE|ECONNRESET/.test(error.message) ? 413 : 0,
        body: error.message
      }))
      if (answer.status < 400 || answer.status > 499)
        wrong.push(`${name}: ${answer.status} ${answer.body.slice(0, 100)}`)
      if (!/"message":"./.test(answer.body) && !answer.body.startsWith("write ")) wrong.push(`${name}: says no reason`)
      if (answer.body.includes(bot.token) || answer.body.includes("    at ")) wrong.push(`${name}: ${answer.body}`)
    }
    assert.deepStrictEqual(wrong, [])
    assert.deepStrictEqual(await commandsRecorded(), before)
  })

  it.skipIf(!isLong)("that are not HTTP, too long or too slow are cut off", async () => {
    const host = `Host: 127.0.0.1\r\nAuthorization: Bearer ${bot.token}\r\n`
    const head = `POST /api/v1/kill HTTP/1.1\r\n${host}Content-Type: application/json\r\n`
    const before = await commandsRecorded()
    const answers = await Promise.all([
      bot.raw("\x16\x03\x01\x02\x00\x01\x00\x01"),
      bot.raw(`GET /api/v1/status HTTP/1.1\r\n${host}X: ${"x".repeat(40_000)}\r\n\r\n`),
      bot.raw(`${head}Content-Length: 16\r\nContent-Length: 18\r\n\r\n{"confirm":"kill"}`),
      bot.raw(`${head}Transfer-Encoding: chunked\r\nContent-Length: 18\r\n\r\n12\r\n{"confirm":"kill"}\r\n0\r\n\r\n`),
      bot.raw(`${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n12\r\n{"confirm":"kill"}\r\n0\r\n\r\n`),
      // Promises a body that never comes: ended by the server within its time limit.
      bot.raw(`${head}Content-Length: 18\r\n\r\n{"confirm"`),
      bot.raw("GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    ])
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 4\d\d /, JSON.stringify(answers))
    assert.deepStrictEqual(await commandsRecorded(), before)
  })

  it.skipIf(!isLong)(
    "with naughty strings, broken JSON and impossible heads are answered, and the bot continues",
    async () => {
      const before = await commandsRecorded()
      const { turnedAt } = (await bot.look("/api/v1/status")) as Status
      const wrong: Array<string> = []
      const authorization = `Bearer ${bot.token}`
      const send = async ({ asked, path }: NaughtyRequest): Promise<void> => {
        const headers = { ...asked.headers, authorization }
        const { body, status } = await bot.ask(path, { ...asked, headers }).catch(({ message }: Error) => ({
          status: /EPIPE|ECONNRESET/.test(message) ? 413 : 0,
          body: message
        }))
        const isFine = status >= 200 && status < 500 && !body.includes(bot.token) && !body.includes("    at ")
        if (!isFine)
          wrong.push(`${path.slice(0, 100)} ${asked.body?.slice(0, 60) ?? ""}: ${status} ${body.slice(0, 200)}`)
      }
      for (let next = 0; next < naughtyRequests.length; next += atOnce) {
        await Promise.all(naughtyRequests.slice(next, next + atOnce).map(send))
      }
      const answers = await Promise.all(
        heads(`Host: 127.0.0.1\r\nConnection: close\r\n`).map((head) => bot.raw(head, 8_000))
      )
      for (const answer of answers)
        if (answer !== "" && !/^HTTP\/1\.1 [34]\d\d /.test(answer)) wrong.push(`a head: ${answer.slice(0, 200)}`)
      assert.deepStrictEqual(wrong, [])
      assert.deepStrictEqual(await commandsRecorded(), before)
      await until("another turn", async () => ((await bot.look("/api/v1/status")) as Status).turnedAt > turnedAt)
    }
  )

  it("that only hold sockets open block nobody, and health checks are always answered", async () => {
    const { port } = new URL(bot.url)
    const holds: Readonly<Record<string, string>> = {
      "say nothing": "",
      "never end their head": "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
      "never send their body": `POST /api/v1/pause HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${bot.token}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n`,
      "stay after an answer": "GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
      "wait for an answer to a wrong token":
        "GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer wrong\r\n\r\n"
    }
    for (const [what, said] of Object.entries(holds)) {
      const sockets = Array.from({ length: 300 }, () => {
        const socket = connect(Number(port), "127.0.0.1", () => socket.write(said))
        return socket.on("error", () => undefined)
      })
      await new Promise((done) => setTimeout(done, 300))
      for (let turn = 0; turn < 3; turn += 1) {
        const asked = await Promise.race([
          bot.ask("/health/live").then(({ status }) => status),
          new Promise((done) => setTimeout(done, 60_000))
        ])
        assert.strictEqual(asked, 200, `sockets that ${what}`)
      }
      for (const socket of sockets) socket.destroy()
    }
  })

  it.skipIf(!isLong)("that send nothing are cut off within two minutes", async () => {
    const startedAt = Date.now()
    await bot.raw("")
    assert.isBelow(Date.now() - startedAt, 110_000)
  })

  it.skipIf(!isLong)("in large numbers leave the bot trading and the server answering", async () => {
    const { turnedAt } = (await bot.look("/api/v1/status")) as Status
    await Promise.all(Array.from({ length: 200 }, () => bot.ask("/api/v1/status").catch(() => undefined)))
    await until("another turn", async () => ((await bot.look("/api/v1/status")) as Status).turnedAt > turnedAt)
  })
})
