/** A proxy on a free port that can be told to do something at the next request of a kind: before it is passed on, or after. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Cut {
  readonly path: RegExp
  /** `request`: nothing reaches the service. `answer`: the service has acted, and nobody hears of it. */
  readonly at: "request" | "answer"
  /** Looks into the answer; every answer when left out. */
  readonly body?: RegExp
}

export const cuttingProxy = async (target: string) => {
  let wanted: { readonly cut: Cut; readonly reached: () => void } | undefined
  /** The times at which each request and its answer came. */
  const requests: Array<{ readonly from: number; readonly to: number; readonly status: number }> = []

  const matches = (at: Cut["at"], path: string, body = ""): boolean => {
    if (wanted === undefined || wanted.cut.at !== at || !wanted.cut.path.test(path)) return false
    if (wanted.cut.body !== undefined && !wanted.cut.body.test(body)) return false
    const { reached } = wanted
    wanted = undefined
    reached()
    return true
  }

  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const path = incoming.url ?? "/"
    const from = Date.now()
    if (matches("request", path)) return
    const { headers, method } = incoming
    const passedOn = request(new URL(path, target), { method, headers }, (answer) => {
      const parts: Array<Buffer> = []
      answer.on("data", (part: Buffer) => parts.push(part))
      answer.on("end", () => {
        const body = Buffer.concat(parts)
        requests.push({ from, to: Date.now(), status: answer.statusCode ?? 0 })
        if (matches("answer", path, body.toString("utf8"))) return
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        outgoing.end(body)
      })
    })
    passedOn.on("error", () => outgoing.destroy())
    incoming.pipe(passedOn)
  }

  const server = createServer(pass)
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** Resolves when such a request is met, which then gets no answer. */
    cut: (cut: Cut) => new Promise<void>((reached) => (wanted = { cut, reached })),
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((done) => server.close(() => done()))
    }
  }
}
