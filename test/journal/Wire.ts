/** A way to a server that can be frozen, so that bytes arrive late, and cut, with or without what was under way on it. */
import { connect, createServer, type Server, type Socket } from "node:net"

export class Wire {
  private isFrozen = false
  private readonly ends = new Set<Socket>()
  private readonly server: Server
  readonly port: Promise<number>

  constructor(target: number) {
    this.server = createServer((near) => {
      const far = connect(target, "127.0.0.1")
      for (const [end, other] of [
        [near, far],
        [far, near]
      ] as const) {
        this.ends.add(end)
        end.on("data", (bytes) => other.write(bytes))
        end.on("error", () => undefined)
        end.on("close", () => {
          this.ends.delete(end)
          other.destroy()
        })
        if (this.isFrozen) end.pause()
      }
    })
    this.port = new Promise((resolve) => {
      this.server.listen(0, "127.0.0.1", () => {
        const address = this.server.address()
        resolve(typeof address === "object" ? (address?.port ?? 0) : 0)
      })
    })
  }

  freeze(): void {
    this.isFrozen = true
    for (const end of this.ends) end.pause()
  }

  thaw(): void {
    this.isFrozen = false
    for (const end of this.ends) end.resume()
  }

  cut(): void {
    for (const end of this.ends) end.destroy()
  }

  close(): void {
    this.cut()
    this.server.close()
  }
}
