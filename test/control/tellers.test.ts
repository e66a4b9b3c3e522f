/** What a bot tells by itself, received by a real server: signed notifications, and a heartbeat that stops when it should. */

import { execFileSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { chmodSync, existsSync, readFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { get } from "node:https"
import { type AddressInfo, createServer as createNetServer } from "node:net"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import type { Notice } from "../../src/control/notify/Notice.ts"
import { isLong } from "../long.ts"
import { write } from "../world/bot/doubtful.ts"
import { leftWithPosition } from "../world/bot/troubles.ts"
import {
  assertSays,
  configText,
  newFolder,
  nowhere,
  runHere,
  start,
  startHere,
  startSandbox,
  startStill,
  workspace
} from "../world/processes/program.ts"
import { allowing, until } from "../world/processes/runningBot.ts"

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly at: number
}

const received: Array<Received> = []
/** Answers of the hook to come, 200 when there are none. */
const statuses: Array<number> = []
const server = createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8").on("data", (part: string) => {
    body += part
  })
  request.on("end", () => {
    received.push({ path: request.url ?? "", headers: request.headers, body, at: Date.now() })
    response.statusCode = (request.url === "/hook" ? statuses.shift() : undefined) ?? 200
    if (request.url?.endsWith("/getUpdates") !== true) return void response.end()
    const { offset } = JSON.parse(body) as { offset: number }
    setTimeout(() => response.end(updateJson(offset)), 100)
  })
})
const listening = new Promise<string>((done) =>
  server.listen(0, "127.0.0.1", () => done(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
)
afterAll(() => server.closeAllConnections())
afterAll(() => server.close())
/** Takes every letter, says yes to everything, and keeps what it was told. */
const letters: Array<string> = []
const mailServer = createNetServer((socket) => {
  let text = ""
  let isLetter = false
  socket.write("220 here\r\n")
  socket.on("error", () => undefined)
  socket.setEncoding("utf8").on("data", (part: string) => {
    text += part
    for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
      const line = text.slice(0, end)
      text = text.slice(end + 2)
      if (isLetter) {
        letters.push(line)
        if (line !== ".") continue
        isLetter = false
      } else isLetter = line === "DATA"
      socket.write(isLetter ? "354 go on\r\n" : line === "QUIT" ? "221 bye\r\n" : "250 yes\r\n")
    }
  })
})
const mailing = new Promise<number>((done) =>
  mailServer.listen(0, "127.0.0.1", () => done((mailServer.address() as AddressInfo).port))
)
afterAll(() => mailServer.close())

/** What people write to the bot, once each; what it answers is in `received`. */
const updates: Array<{
  readonly chat: number
  readonly text: string
  readonly date: number
  /** Who pressed a button that says it. */
  readonly pressedBy?: string
}> = []
const updateJson = (offset: number): string =>
  JSON.stringify({
    ok: true,
    result: updates.slice(offset, offset + 1).map(({ chat, date, pressedBy, text }, index) => {
      const message = { message_id: 1, date, chat: { id: chat, type: "private" }, text }
      return pressedBy === undefined
        ? { update_id: offset + index, message }
        : {
            update_id: offset + index,
            callback_query: { id: "7", from: { id: 3, username: pressedBy }, message, data: text }
          }
    })
  })
const at = (path: string) => received.filter((each) => each.path === path)

describe.concurrent("notifications", () => {
  it.skipIf(!isLong)("are signed, grouped and retried, go by mail too, and only listed chats can command", async () => {
    const url = await listening
    statuses.push(500, 503)
    const sandbox = await startSandbox({ speed: 60 })
    const config = `${configText(sandbox)}notify:\n  - { to: webhook, url: "${url}/hook", secret: { file: hook.key }, least: good }
  - { to: email, url: "smtp://127.0.0.1:${await mailing}", from: bot@home.example, recipients: [me@home.example], least: quiet, except: [CreateSent] }
  - { to: telegram, url: "${url}", secret: { file: telegram.key }, chat: "1", commands: ["42"], except: [AllClear] }
witness: { file: witness.notes, every: 1s, mail: 1d }\n`
    const keys = { "hook.key": "shared-secret\n", "telegram.key": "1:token\n" }
    const folder = workspace(sandbox, { "config.yaml": config, ...keys })
    const bot = startHere(["run", join(folder, "grid.yaml"), "--config", join(folder, "config.yaml"), "--poll", "0.3s"])
    await until("a message after two failures", async () => at("/hook").length >= 3)
    const [first, , third] = at("/hook")
    assert.deepStrictEqual(JSON.parse(third?.body ?? "{}").notices, JSON.parse(first?.body ?? "[]").notices)
    const [, seconds = "", mac = ""] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(third?.headers["x-limitbot-signature"])) ?? []
    assert.strictEqual(createHmac("sha256", "shared-secret").update(`${seconds}.${third?.body}`).digest("hex"), mac)
    const { notices } = JSON.parse(third?.body ?? "{}")
    assert.isAbove(notices.length, 1)
    for (const { severity } of notices) assert.notStrictEqual(severity, undefined)
    await until("a letter", async () => letters.includes("."))
    assert.include(letters.join("\n"), "To: me@home.example")
    assert.match(letters.join("\n"), /grid.cell-\d+/)
    await until("a letter with a checkpoint", async () =>
      letters.some((line) => line.startsWith("Subject: limitbot: a checkpoint"))
    )
    // Quoted-printable, because of its dash.
    assert.match(letters.join("\n"), /limitbot\.journal\/[\s\S]*=E2=80=94 limitbot\.journal/)

    const seconds_ = Math.floor(Date.now() / 1000)
    const said = () =>
      at("/bot1:token/sendMessage").flatMap(({ body }) => {
        const { chat_id: chat, text } = JSON.parse(body) as { chat_id: number; text: string }
        return chat === 42 ? [text] : []
      })
    const tell = async (text: string, answer: RegExp, date = seconds_) => {
      updates.push({ chat: 42, text, date })
      await until(`${text} is answered`, async () => said().some((each) => answer.test(each)))
    }
    updates.push({ chat: 666, text: "/kill yes", date: seconds_ })
    await tell("/kill yes please", /I was not running when you sent this/, seconds_ - 100_000)
    await tell("/status", /live, \d+ fills?, \d+ unsettled orders?\nNothing is wrong/)
    await tell("/profit", /USDC: total \S+ .*grid profit \S+, inventory \S+, fees \S+, earned today \S+/)
    await tell("/plan", /would now keep \d+ orders?, place \d+, cancel \d+ and defer \d+\./)
    await tell("/explain", /grid\/cell-\d+ \S+/)
    await tell("/explain grid/cell-01", /grid\/cell-01[\s\S]*because /)
    await tell("/order buy lots", /Write \/order buy 0\.01 BTC at 59000/)
    await tell(
      "/order buy 0.001 BTC at 30000 —expire 6h",
      /BUY +0\.001 BTC +at +30000[\s\S]*Say “\/order yes” within a minute/
    )
    await tell("/order yes", /buy-[0-9a-f]{8}: BUY 0\.001 BTC at 30000 USDC/)
    await tell("/order list", /buy-[0-9a-f]{8}: BUY 0\.001 BTC at 30000 USDC, expires after 6h: /)
    const [, id = ""] = /(buy-[0-9a-f]{8}): BUY/.exec(said().join("\n")) ?? []
    await tell(`/order change ${id} 29000`, /BUY +0\.001 BTC +at +29000/)
    await tell(`/order cancel ${id}`, new RegExp(`${id} is cancelled; what has filled stays`))
    await tell("/pause@my_bot nobody", /No strategy is named nobody/)
    await tell("/pause grid", /grid paused/)
    await tell("/kill", /Say “\/kill yes” within a minute/)
    assert.isFalse(existsSync(join(folder, "journal.sqlite.kill")))
    const buttons = () =>
      at("/bot1:token/sendMessage").flatMap(({ body }) => JSON.parse(body).reply_markup.inline_keyboard.flat())
    assert.deepInclude(buttons(), { text: "kill yes", callback_data: "/kill yes" })
    updates.push({ chat: 666, text: "/kill yes", date: seconds_, pressedBy: "stranger" })
    updates.push({ chat: 42, text: "/kill yes", date: seconds_, pressedBy: "anna" })
    await until("the button is pressed", async () => said().some((each) => /Kill switch on/.test(each)))
    assert.isNotEmpty(at("/bot1:token/answerCallbackQuery"))
    assert.isTrue(existsSync(join(folder, "journal.sqlite.kill")))
    assert.isFalse(at("/bot1:token/sendMessage").some(({ body }) => JSON.parse(body).chat_id === 666))
    bot.signal("SIGTERM")
    assert.strictEqual((await bot.ended).code, 0)
  })

  it("of a test say which receivers accepted them", async () => {
    const url = await listening
    const notify = `notify:\n  - { to: webhook, url: "${url}/test" }\n  - { to: ntfy, url: "http://127.0.0.1:1/topic" }\n`
    const folder = workspace(nowhere, { "config.yaml": `${configText(nowhere)}${notify}` })
    const ended = await runHere(["check", "--notify", "--config", join(folder, "config.yaml")])
    assertSays(ended, 1, /not delivered to 1 of 2 receivers/)
    assert.match(ended.stdout, /webhook: taken/)
    assert.match(ended.stdout, /ntfy notification was not delivered: cannot be reached/)
    assert.strictEqual(at("/test").length, 1)
  })

  it("of the start name a position whose strategy has no file", async () => {
    const url = await listening
    const sandbox = await startStill()
    const notify = `notify:\n  - { to: webhook, url: "${url}/start", least: alarm }\n`
    const folder = workspace(sandbox, { "config.yaml": `${configText(sandbox)}${notify}` })
    // The bot counts placements from the first one of its journal.
    const earlier = leftWithPosition.map((event) => ("placement" in event ? { ...event, placement: "p1" } : event))
    await write(join(folder, "journal.sqlite"), earlier)
    const args = ["run", join(folder, "grid.yaml"), "--config", join(folder, "config.yaml")]
    const bot = startHere([...args, ...allowing("left-position")])
    const texts = () =>
      at("/start").flatMap(({ body }) => {
        const { notices }: { readonly notices: ReadonlyArray<Notice> } = JSON.parse(body)
        return notices.filter(({ kind }) => kind === "BotStarted").map(({ text }) => text)
      })
    await until("the alarm of the start", async () => texts().length > 0)
    assert.match(texts()[0] ?? "", /NO FILE HAS THE NAME: renamed holds 0\.002 BTC/)
    bot.signal("SIGTERM")
    await bot.ended
  })

  it.skipIf(!isLong)("the heartbeat stops within its period if the bot is suspended (SIGSTOP) or killed", async () => {
    const url = await listening
    const sandbox = await startSandbox({ speed: 60 })
    const config = `${configText(sandbox)}heartbeat: { url: "${url}/beat", every: 2s }
otlp: { url: "${url}/collector", token: { file: collector.key } }
dashboard: { port: 0, tls: { certificate: server.pem, key: { file: tls.key } } }\n`
    const folder = workspace(sandbox, { "config.yaml": config, "collector.key": "collector-token\n" })
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2", "-nodes"]
    const files = ["-keyout", join(folder, "tls.key"), "-out", join(folder, "server.pem")]
    execFileSync("openssl", ["req", "-x509", "-newkey", "ed25519", ...subject, ...files], { stdio: "ignore" })
    chmodSync(join(folder, "tls.key"), 0o600)
    const bot = start(["run", join(folder, "grid.yaml"), "--config", join(folder, "config.yaml"), "--poll", "0.3s"])
    await until("three signs", async () => at("/beat").length >= 3)
    assert.strictEqual(at("/beat/start").length, 1)
    await bot.says(/dashboard https:\S+/)
    const address = /dashboard (https:\S+)/.exec(bot.stdout())?.[1] ?? ""
    const live = await new Promise<number>((done, fail) => {
      const ca = readFileSync(join(folder, "server.pem"))
      get(`${address}/health/live`, { ca }, (answer) => done(answer.statusCode ?? 0)).on("error", fail)
    })
    assert.strictEqual(live, 200)
    // What the program does, how it is, and what happened, with the ids to ask the venue about.
    const told = (kind: string) => at(`/collector/v1/${kind}`)
    await until("all three arrive", async () => ["traces", "metrics", "logs"].every((kind) => told(kind).length > 0))
    assert.strictEqual(told("logs")[0]?.headers["authorization"], "Bearer collector-token")
    const bodies = (kind: string) =>
      told(kind)
        .map(({ body }) => body)
        .join("\n")
    await until("an order's funding is logged", async () => /"FundingSigned"/.test(bodies("logs")))
    assert.match(bodies("logs"), /"BotStarted"/)
    assert.match(bodies("logs"), /"orderId".*"correlationId"|"correlationId".*"orderId"/)
    assert.notMatch(bodies("logs"), /"signed":|swap_transfer/)
    await until("metrics have our names", async () => /limitbot_journal_events_total/.test(bodies("metrics")))
    process.kill(bot.pid, "SIGSTOP")
    const stopped = Date.now()
    await new Promise((done) => setTimeout(done, 5_000))
    assert.deepStrictEqual(
      at("/beat").filter((each) => each.at > stopped + 500),
      []
    )
    process.kill(bot.pid, "SIGCONT")
    await until("signs again", async () => at("/beat").some((each) => each.at > stopped + 5_000))
    process.kill(bot.pid, "SIGKILL")
    await bot.ended
    const killed = Date.now()
    await new Promise((done) => setTimeout(done, 3_000))
    assert.deepStrictEqual(
      at("/beat").filter((each) => each.at > killed + 100),
      []
    )
  })

  it.skipIf(!isLong)("the heartbeat reports a failure once and stops when the venue is lost", async () => {
    const url = await listening
    const proxied = createServer((request, response) => {
      const target = new URL(request.url ?? "", sandbox.url)
      const body: Array<Buffer> = []
      request.on("data", (part: Buffer) => body.push(part))
      request.on("end", async () => {
        const { host: _, connection: __, "content-length": ___, ...headers } = request.headers
        const method = request.method ?? "GET"
        const init = {
          method,
          headers: headers as Record<string, string>,
          ...(method === "GET" ? {} : { body: Buffer.concat(body) })
        }
        const answer = await fetch(target, init).catch(() => undefined)
        response.statusCode = answer?.status ?? 502
        response.setHeader("content-type", answer?.headers.get("content-type") ?? "text/plain")
        response.end(answer === undefined ? "" : Buffer.from(await answer.arrayBuffer()))
      })
    })
    const sandbox = await startStill()
    const venue = await new Promise<string>((done) =>
      proxied.listen(0, "127.0.0.1", () => done(`http://127.0.0.1:${(proxied.address() as AddressInfo).port}`))
    )
    const text = configText({ ...sandbox, url: venue })
    const folder = workspace(sandbox, { "config.yaml": `${text}heartbeat: { url: "${url}/lost", every: 2s }\n` })
    const bot = startHere(["run", join(folder, "grid.yaml"), "--config", join(folder, "config.yaml"), "--poll", "0.3s"])
    // While a busy machine begins, a turn may take longer than two seconds.
    await bot.says("the order is open", 20)
    const signs = at("/lost").length
    await until("a sign", async () => at("/lost").length > signs)
    const failures = at("/lost/fail").length
    proxied.close()
    proxied.closeAllConnections()
    await until("it says fail", async () => at("/lost/fail").length > failures)
    const failed = Date.now()
    await new Promise((done) => setTimeout(done, 5_000))
    assert.deepStrictEqual(
      at("/lost").filter((each) => each.at > failed + 500),
      []
    )
    assert.strictEqual(at("/lost/fail").length, failures + 1)
    bot.signal("SIGTERM")
    await bot.ended
  })
})

describe("check", () => {
  it("says what is fine, and what to fix", async () => {
    const sandbox = await startSandbox({ speed: 60 })
    const folder = workspace(sandbox)
    const well = await runHere(["check", "--json", "--config", join(folder, "config.yaml")])
    assert.strictEqual(well.code, 0, well.stdout + well.stderr)
    const { findings, ok } = JSON.parse(well.stdout)
    assert.isTrue(ok)
    const checks = findings.map(({ check }: { check: string }) => check)
    assert.includeMembers(checks, ["configuration", "key", "disk", "journal", "venue", "prices", "clock", "alerts"])
    const unsigned = findings.find(({ check }: { check: string }) => check === "prices")
    assert.match(unsigned?.text, /^unsigned: /)
    const lost = await runHere(["check", "--config", join(workspace(nowhere), "config.yaml")])
    assert.strictEqual(lost.code, 1)
    assert.match(lost.stdout, /WRONG {2}venue: http:\/\/127\.0\.0\.1:1 does not answer\n\s+→ check venue\.url/)
    const none = await runHere(["check", "--config", join(newFolder(), "none.yaml")])
    assert.match(none.stdout, /WRONG {2}configuration: .*cannot be read/)
  })
})
