/**
 * Requests that reach no endpoint, because their bytes are not HTTP, have no end, or name no host. Node would answer these itself, with an
 * empty body. Here each gets a sentence that names the fault.
 */
import { createServer, type Server } from "node:http"
import type { Socket } from "node:net"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

const sentences: Readonly<Record<string, readonly [line: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The headers of the request are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request was not complete in time"]
}
const notHttp = ["400 Bad Request", "The request is not HTTP"] as const

const answer = (code: string): string => {
  const [line, message] = sentences[code] ?? notHttp
  const body = JSON.stringify({ message })
  const headers = ["Connection: close", "Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]
  return `HTTP/1.1 ${[line, ...headers].join("\r\n")}\r\n\r\n${body}`
}

export const server = (): Server =>
  createServer({ requireHostHeader: false }).on(
    "clientError",
    ({ code = "" }: NodeJS.ErrnoException, socket: Socket) => {
      if (code === "ECONNRESET" || !socket.writable) return void socket.destroy()
      socket.end(answer(code), () => socket.destroy())
    }
  )

export const withHost = <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const { httpVersion, rawHeaders } = NodeHttpServerRequest.toIncomingMessage(request)
    const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name)).length
    if (hosts === 1 || (hosts === 0 && httpVersion !== "1.1")) return handler
    const message =
      hosts === 0 ? "The request has no Host header, which HTTP/1.1 requires" : "A request must name one host"
    return Effect.succeed(HttpServerResponse.jsonUnsafe({ message }, { status: 400 }))
  })
