/** A TCP proxy in front of the sandbox. What it does to connections can be changed at any time: slow, cut, doubled, endless. */

import type { AddressInfo } from "node:net"
import { connect, createServer, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"

export const weathers = [
  "fair",
  /** Every piece of an answer is late. */
  "slow",
  /** Every piece arrives as many small ones. */
  "slices",
  /** Connections break: before the request is passed on, or in the middle of its answer. */
  "resets",
  /** Each request reaches the service twice, as a proxy repeats it. */
  "requests twice",
  /** Each piece of an answer is sent twice. */
  "answers twice",
  /** An answer without end, as fast as it is read. */
  "endless",
  /** An answer without end, a byte now and then. */
  "trickle"
] as const
export type Weather = (typeof weathers)[number]

const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

export const proxyTo = async (target: string, random: (low: number, high: number) => number) => {
  const { hostname, port: targetPort } = new URL(target)
  const sockets = new Set<Socket>()
  const seen = { connections: 0, endlessBytes: 0, trickleMillis: 0, broken: 0 }
  let weather: Weather = "fair"

  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy())
  }

  const endless = (client: Socket): void => {
    const more = chunk("x".repeat(64 * 1024))
    const write = (): void => {
      while (!client.destroyed && client.write(more)) {}
    }
    client.on("drain", write).on("close", () => {
      seen.endlessBytes = Math.max(seen.endlessBytes, client.bytesWritten)
    })
    client.write(head)
    write()
  }

  const trickle = (client: Socket): void => {
    const begun = performance.now()
    const timer = setInterval(() => client.write(chunk(" ")), 50)
    client.on("close", () => {
      clearInterval(timer)
      seen.trickleMillis = Math.max(seen.trickleMillis, performance.now() - begun)
    })
    client.write(head)
  }

  const deliver = async (client: Socket, bytes: Buffer): Promise<void> => {
    if (weather === "slow") await pause(random(100, 400))
    if (weather === "slices") {
      for (let at = 0; at < bytes.length; at += 200) {
        for (const [from, to] of [
          [at, at + 3],
          [at + 3, at + 200]
        ] as const)
          client.write(bytes.subarray(from, to))
        await pause(1)
      }
      return
    }
    if (weather === "resets" && random(0, 1) < 0.3) {
      seen.broken += 1
      client.write(bytes.subarray(0, bytes.length / 2))
      client.resetAndDestroy()
      return
    }
    client.write(bytes)
    if (weather === "answers twice") client.write(bytes)
  }

  const pass = (client: Socket): void => {
    const service = keep(connect(Number(targetPort), hostname))
    let delivered = Promise.resolve()
    client.on("data", (bytes) => {
      if (weather === "endless") return endless(client)
      if (weather === "trickle") return trickle(client)
      if (weather === "resets" && random(0, 1) < 0.3) {
        seen.broken += 1
        client.resetAndDestroy()
        return
      }
      service.write(bytes)
      if (weather === "requests twice")
        keep(connect(Number(targetPort), hostname))
          .end(bytes)
          .resume()
    })
    service.on("data", (bytes) => {
      delivered = delivered.then(() => deliver(client, Buffer.from(bytes)))
    })
    client.on("close", () => service.destroy())
    service.on("close", () => void delivered.then(() => client.end()))
  }

  const server = createServer((client) => {
    seen.connections += 1
    pass(keep(client))
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    set: (next: Weather) => {
      weather = next
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((done) => server.close(() => done()))
    }
  }
}
