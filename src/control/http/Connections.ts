/**
 * Limits the sockets of a server that strangers can reach. A new socket beyond the limit replaces the one that has been idle the longest.
 * So a client with many sockets keeps no other client out, for example a supervisor. Slow and silent requests are cut off.
 */
import { createServer, type Server, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { Socket } from "node:net"
import { Redacted } from "effect"
import type { ControlOptions } from "../ControlOptions.ts"
import { refused } from "./Gate.ts"

const limits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
  /** Node's own answer to a request without a host has an empty body; the gate refuses it like a wrong host. */
  requireHostHeader: false
}
const handshakeTimeout = 5_000
/** Without a byte in either direction. The slowest answers are plans and backtests. */
const silenceMillis = 150_000
const maxConnections = 64

/** Names a connection by its remote end, because a request over TLS has another socket object than the accepted one. */
const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** Node answers these itself, before any handler, and with an empty body. */
const unreadable: Readonly<Record<string, readonly [line: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    `The headers of a request have at most ${limits.maxHeaderSize} bytes`
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request was not complete in time"]
}
const notHttp = ["400 Bad Request", "The request is not HTTP"] as const

const answerUnreadable = (code: string): string => {
  const [line, message] = unreadable[code] ?? notHttp
  const body = JSON.stringify(refused(message))
  const headers = ["Connection: close", "Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]
  return `HTTP/1.1 ${[line, ...headers].join("\r\n")}\r\n\r\n${body}`
}

const limited = <S extends Server>(server: S): S => {
  const open = new Map<string, Socket>()
  const answering = new Map<string, Set<ServerResponse>>()
  server.on("connection", (socket: Socket) => {
    const name = nameOf(socket)
    socket.once("close", () => {
      if (open.get(name) === socket) open.delete(name)
    })
    if (open.size >= maxConnections) {
      const [oldest = ""] = open.keys()
      const dropped = [...open.keys()].find((each) => !answering.has(each)) ?? oldest
      open.get(dropped)?.destroy()
      open.delete(dropped)
    }
    open.set(name, socket)
  })
  server.on("request", ({ socket }, response) => {
    const name = nameOf(socket)
    const responses = answering.get(name) ?? new Set()
    answering.set(name, responses.add(response))
    response.once("close", () => {
      responses.delete(response)
      if (responses.size > 0) return
      answering.delete(name)
      const openSocket = open.get(name)
      if (openSocket === undefined || !open.delete(name)) return
      open.set(name, openSocket)
    })
  })
  server.on("clientError", ({ code = "" }: NodeJS.ErrnoException, socket: Socket) => {
    // Writes nothing into an answer that has begun. An answer to a half-sent request has not begun.
    const hasBegun = [...(answering.get(nameOf(socket)) ?? [])].some(({ headersSent }) => headersSent)
    if (code === "ECONNRESET" || !socket.writable || hasBegun) return void socket.destroy()
    socket.end(answerUnreadable(code), () => socket.destroy())
  })
  server.timeout = silenceMillis
  return server
}

export const make = (tls: ControlOptions["tls"]): Server =>
  tls === undefined
    ? limited(createServer(limits))
    : limited(createSecureServer({ ...limits, handshakeTimeout, cert: tls.certificate, key: Redacted.value(tls.key) }))
