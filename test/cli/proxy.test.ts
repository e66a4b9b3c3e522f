/** `venue.proxy`, HTTPS_PROXY and NO_PROXY: how the venue and the receivers of messages are reached. */
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import {
  assertSays,
  type Connection,
  configText,
  guard,
  runHere,
  startStill,
  workspace
} from "../world/processes/program.ts"

const password = "proxy-password-7f3c"
const tunnels: Array<{ readonly to: string; readonly authorization: string | undefined }> = []
const messages: Array<string> = []

/** Opens a tunnel to whatever it is asked for. */
const proxy = createServer().on("connect", (request, socket) => {
  tunnels.push({ to: request.url ?? "", authorization: request.headers["proxy-authorization"] })
  const { hostname, port } = new URL(`http://${request.url}`)
  const there = connect(Number(port), hostname, () => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n")
    there.pipe(socket).pipe(there)
  })
  for (const end of [there, socket]) end.on("error", () => there.destroy())
})
const receiver = createServer((request, response) => {
  messages.push(request.url ?? "")
  request.resume().on("end", () => response.end())
})
const portOf = (server: typeof receiver) =>
  new Promise<number>((done) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      done(typeof address === "object" && address !== null ? address.port : 0)
    })
  )

let sandbox: Connection
let folder: string
let address: string
let hook: string
const limitbot = (environment: Readonly<Record<string, string>>, ...words: ReadonlyArray<string>) => {
  tunnels.length = 0
  return runHere([...words, "--config", join(folder, "config.yaml")], { environment })
}
const configure = (proxyLine: string) => {
  const notify = `notify: [{ to: webhook, url: "http://${hook}/hook" }]\n`
  writeFileSync(
    join(folder, "config.yaml"),
    `${configText(sandbox).replace("venue:\n", `venue:\n${proxyLine}`)}${notify}`
  )
}

beforeAll(async () => {
  guard(password)
  sandbox = await startStill()
  address = `http://someone:${password}@127.0.0.1:${await portOf(proxy)}`
  hook = `127.0.0.1:${await portOf(receiver)}`
  folder = workspace(sandbox, { "proxy.key": address })
})
afterAll(() => {
  proxy.closeAllConnections()
  proxy.close()
  receiver.close()
})

describe("a proxy", () => {
  const all = { NO_PROXY: "none" }

  it("of the configuration carries the venue and messages, and its password is only in its own header", async () => {
    configure("  proxy: { file: proxy.key }\n")
    const { code, stderr } = await limitbot(all, "plan", join(folder, "grid.yaml"))
    assert.strictEqual(code, 0, stderr)
    assert.include(
      tunnels.map(({ to }) => to),
      new URL(sandbox.url).host
    )
    const basic = `Basic ${Buffer.from(`someone:${password}`).toString("base64")}`
    assert.deepStrictEqual([...new Set(tunnels.map(({ authorization }) => authorization))], [basic])
    assert.strictEqual((await limitbot(all, "check", "--notify")).code, 0)
    assert.deepStrictEqual([tunnels.map(({ to }) => to), messages.length], [[hook], 1])
  })

  it("of the environment is used without one in the configuration", async () => {
    configure("")
    assert.strictEqual((await limitbot({ ...all, HTTPS_PROXY: address }, "check", "--notify")).code, 0)
    assert.deepStrictEqual(
      tunnels.map(({ to }) => to),
      [hook]
    )
    assert.strictEqual((await limitbot(all, "check", "--notify")).code, 0)
    assert.isEmpty(tunnels)
  })

  it("is not used for this machine, unless NO_PROXY is none", async () => {
    configure("  proxy: { file: proxy.key }\n")
    for (const environment of [{}, { NO_PROXY: "elsewhere.example" }]) {
      assert.strictEqual((await limitbot(environment, "check", "--notify")).code, 0)
      assert.isEmpty(tunnels)
    }
  })

  it("with a mistake is refused, and its password is not shown", async () => {
    configure(`  proxy: ${address}\n`)
    assertSays(await limitbot(all, "check", "--notify"), 1, /config\.yaml:2:\d+: never put a secret in this file/)
    configure("  proxy: proxy.example\n")
    assertSays(await limitbot(all, "check", "--notify"), 1, /expected an address such as http:\/\/proxy\.example:3128/)
    configure("")
    assertSays(
      await limitbot({ HTTPS_PROXY: `socks://${password}` }, "check", "--notify"),
      1,
      /HTTPS_PROXY is not an address/
    )
  })

  it.skipIf(!isLong)("that does not answer is a failure of the network, without its password", async () => {
    configure("  proxy: { file: proxy.key }\n")
    writeFileSync(join(folder, "proxy.key"), `http://someone:${password}@127.0.0.1:1`, { mode: 0o600 })
    const { code, stderr } = await limitbot(all, "plan", join(folder, "grid.yaml"))
    assert.strictEqual(code, 1, stderr)
    assert.match(stderr, /Cannot reach|does not answer|Transport|cannot be reached/i)
  })
})
