/** Requests that no handler ever sees, because they are not read to the end: the answer says what was wrong with them. */
import { type AddressInfo, connect } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as Connections from "../../src/control/http/Connections.ts"
import * as Listening from "../../src/control/http/Listening.ts"

const server = Connections.make(undefined)
/** Gives up soon. A busy machine may read what is sent whole later than that. */
const hasty = Connections.make(undefined)
hasty.headersTimeout = 100
hasty.requestTimeout = 200
const servers = [server, hasty]
for (const each of servers)
  each.on("request", (request, response) => {
    if (request.headers["content-length"] === undefined) response.end("read")
    else request.resume().on("end", () => response.end("read"))
  })
const portOf = (of: typeof server): number => (of.address() as AddressInfo).port

beforeAll(async () => {
  for (const each of servers) await new Promise<void>((done) => each.listen(0, "127.0.0.1", done))
})
afterAll(() => {
  for (const each of servers) each.close()
})

/** All that the server sends until it closes the connection. */
const answerTo = (request: string, port = portOf(server)) =>
  new Promise<string>((done) => {
    let answer = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(request))
    socket.setEncoding("utf8").on("data", (part: string) => {
      answer += part
    })
    socket.on("error", () => undefined)
    socket.on("close", () => done(answer))
  })

const get = "GET / HTTP/1.1\r\nHost: localhost\r\n"

describe("a request that cannot be read", () => {
  it.each([
    [
      "too large headers",
      `${get}X: ${"x".repeat(20_000)}\r\n\r\n`,
      431,
      "The headers of a request have at most 16384 bytes"
    ],
    ["no HTTP", "no such thing\r\n\r\n", 400, "The request is not HTTP"],
    ["half of its body", `${get}Content-Length: 9\r\n\r\nhalf`, 408, "The request was not complete in time"],
    ["half of its headers", get, 408, "The request was not complete in time"]
  ])("%s: is answered as JSON, not with an empty body", async (_, request, status, message) => {
    const answer = await answerTo(request, portOf(status === 408 ? hasty : server))
    const [head = "", body = ""] = answer.split("\r\n\r\n")
    assert.match(head, new RegExp(`^HTTP/1.1 ${status} `))
    assert.match(head, /content-type: application\/json/i)
    assert.match(head, new RegExp(`content-length: ${Buffer.byteLength(body)}`, "i"))
    assert.deepStrictEqual(JSON.parse(body), { _tag: "RequestRefused", message })
  })

  it("without a host passes to the gate", async () => {
    const answer = await answerTo("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert.match(answer, /^HTTP\/1\.1 200 /)
  })

  it("that follows an answered one ends the connection after the whole first answer", async () => {
    const answer = await answerTo(`${get}\r\n${"x".repeat(20_000)}\r\n\r\n`)
    assert.strictEqual(answer.match(/HTTP\/1\.1 200/g)?.length, 1)
    assert.include(answer, "read")
  })
})

describe("a request at the gate of the bot's page and of the fleet's page", () => {
  it.live("is refused unless it names exactly one host", () =>
    Effect.gen(function* () {
      const options = { host: "127.0.0.1", port: 0, mayMove: false, names: [], tls: undefined, viewerToken: undefined }
      const url = yield* Listening.listen(options, HttpRouter.add("GET", "/", HttpServerResponse.text("read")))
      const status = (hosts: string) =>
        Effect.promise(async () => {
          const request = `GET / HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`
          return (await answerTo(request, Number(new URL(url).port))).split(" ")[1]
        })
      assert.strictEqual(yield* status("Host: localhost\r\n"), "200")
      assert.strictEqual(yield* status("Host: localhost\r\nHost: other\r\n"), "400")
      assert.strictEqual(yield* status("Host: localhost\r\nHost: localhost\r\n"), "400")
      assert.strictEqual(yield* status(""), "421")
    }).pipe(Effect.scoped)
  )
})
