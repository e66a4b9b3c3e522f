/**
 * A proxy on a free port that passes everything on and remembers what was asked: each method and path once. Credentials
 * expire on request; `hides` are paths that it does not know, its clock can be behind, and `rewrite` changes what is answered.
 */
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

export const recordingProxy = async (
  target: string,
  hides = "",
  behindMillis = 0,
  rewrite?: (path: string, body: string) => string
) => {
  const requests = new Set<string>()
  let expired: string | undefined
  let held: string | undefined
  const server = createServer((incoming, outgoing) => {
    requests.add(`${incoming.method} ${incoming.url?.split("?")[0]}`)
    const { method, headers } = incoming
    if (held !== undefined && incoming.url?.includes(held)) return void incoming.resume()
    if (hides !== "" && incoming.url?.startsWith(hides)) {
      incoming.resume()
      outgoing.writeHead(404, { "content-type": "application/json" })
      outgoing.end(JSON.stringify({ message: "not found" }))
      return
    }
    if (expired !== undefined && (headers["x-api-key"] === expired || headers.authorization === `Bearer ${expired}`)) {
      incoming.resume()
      outgoing.writeHead(401, { "content-type": "application/json" })
      outgoing.end(JSON.stringify({ message: "expired" }))
      return
    }
    const passedOn = request(new URL(incoming.url ?? "/", target), { method, headers }, (answer) => {
      const date = new Date(Date.now() - behindMillis).toUTCString()
      if (rewrite !== undefined) {
        const parts: Array<Buffer> = []
        answer.on("data", (part: Buffer) => parts.push(part))
        answer.on("end", () => {
          const { "content-length": _, "transfer-encoding": __, ...others } = answer.headers
          outgoing.writeHead(answer.statusCode ?? 502, others)
          outgoing.end(rewrite(incoming.url?.split("?")[0] ?? "", Buffer.concat(parts).toString("utf8")))
        })
        return
      }
      outgoing.writeHead(answer.statusCode ?? 502, behindMillis === 0 ? answer.headers : { ...answer.headers, date })
      answer.pipe(outgoing)
    })
    passedOn.on("error", () => outgoing.destroy())
    incoming.pipe(passedOn)
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  /** From now on this key or token is refused. */
  const expire = (credential: string) => {
    expired = credential
  }
  /** From now on requests with this in their path get no answer. */
  const hold = (path?: string) => {
    held = path
  }
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((done) => server.close(() => done()))
  }
  return { url: `http://127.0.0.1:${port}`, port, requests, expire, hold, close }
}
