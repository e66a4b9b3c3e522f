/** Notices on phones: readable by the browser alone, at known push services alone, and only as long as the token is good. */
import { randomBytes } from "node:crypto"
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { phoneMessage } from "../../src/control/notify/channels.ts"
import * as PhoneServices from "../../src/control/push/PhoneServices.ts"
import { keyPairOf, serviceOf } from "../../src/control/push/Vapid.ts"
import { isLong } from "../long.ts"
import { assertSays, configText, guard, newFolder, nowhere, runHere, workspace } from "../world/processes/program.ts"
import { type RunningBot, startBot, until } from "../world/processes/runningBot.ts"
import { type Browser, claimsOf, newBrowser, type PushService, startPushService } from "./pushService.ts"

const digest = "0".repeat(64)
const speaker = { role: "viewer", name: "vera", digest, left: Effect.never } as const
const firebase = (name: string) => `https://fcm.googleapis.com/fcm/send/${name}`
const message = { title: "ALARM limitbot", text: "kill switch: smoke", severity: "alarm", at: 1_000 }
const twice: PhoneServices.Persist = Effect.retry({ times: 2 })

/** A desk of its own whose requests are answered by `answer`, and what was sent. */
const desk = (answer: (url: string) => number, isHeld: (digest: string) => boolean = () => true) =>
  Effect.gen(function* () {
    const sent: Array<{ readonly url: string; readonly body: Buffer; readonly headers: Record<string, string> }> = []
    const client = HttpClient.make((request) =>
      Effect.sync(() => {
        assert.strictEqual(request.body._tag, "Uint8Array")
        const body = request.body._tag === "Uint8Array" ? Buffer.from(request.body.body) : Buffer.alloc(0)
        sent.push({ url: request.url, body, headers: { ...request.headers } })
        return HttpClientResponse.fromWeb(request, new Response(null, { status: answer(request.url) }))
      })
    )
    const keys = keyPairOf(Redacted.make(randomBytes(32).toString("hex")))
    if (keys === undefined) return yield* Effect.die("a key")
    const journal = join(newFolder(), "journal.sqlite")
    const phones = yield* PhoneServices.make({
      journal,
      keys,
      settings: { contact: "me@home.example", services: ["push.home.example:8443"] },
      isHeld: (given) => Effect.sync(() => isHeld(given))
    }).pipe(Effect.provideService(HttpClient.HttpClient, client))
    return { phones, sent, journal }
  }).pipe(Effect.provide(NodeServices.layer))

const pathsOf = (sent: ReadonlyArray<{ readonly url: string }>) => sent.map(({ url }) => url.split("/").at(-1))

describe("a subscribed phone", () => {
  it("our reader of messages reads the example of RFC 8291", () => {
    const browser = newBrowser("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94", "BTBZMqHH6r4Tts7J_aSIgg")
    const body =
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    assert.strictEqual(browser.read(Buffer.from(body, "base64url")), "When I grow up, I want to be a watermelon")
  })

  it.effect("alone can read its messages, and its service sees who sends them", () =>
    Effect.gen(function* () {
      const { phones, sent } = yield* desk(() => 201)
      const browser = newBrowser()
      assert.isTrue(yield* phones.subscribe(speaker, { endpoint: firebase("a"), keys: browser.keys }))
      yield* phones.tell(message, twice)
      const [first, second] = sent
      assert.match(JSON.parse(browser.read(first?.body ?? Buffer.alloc(0))).text, /vera now gets notices here/)
      assert.deepStrictEqual(JSON.parse(browser.read(second?.body ?? Buffer.alloc(0))), message)
      assert.strictEqual(first?.body.length, second?.body.length, "the length says nothing either")
      assert.strictEqual(second?.headers["content-encoding"], "aes128gcm")
      assert.deepStrictEqual([first?.headers["urgency"], second?.headers["urgency"]], ["normal", "high"])
      const { aud, exp, publicKey, sub } = claimsOf(second?.headers ?? {})
      assert.deepStrictEqual([aud, sub], ["https://fcm.googleapis.com", "mailto:me@home.example"])
      assert.strictEqual(publicKey, phones.key)
      assert.isBelow(exp * 1_000, Date.now() + 86_400_000)
    })
  )

  it.effect("is removed when its service has removed it, and alone is tried again after a failure", () =>
    Effect.gen(function* () {
      const answers = new Map([
        ["gone", [201, 410]],
        ["lost", [201, 404]],
        ["slow", [201, 503, 429, 201]],
        ["down", [201, 500, 500, 500]]
      ])
      const { phones, sent } = yield* desk((url) => answers.get(url.split("/").at(-1) ?? "")?.shift() ?? 201)
      for (const name of ["gone", "lost", "slow", "down", "well"])
        yield* phones.subscribe(speaker, { endpoint: firebase(name), keys: newBrowser().keys })
      sent.length = 0
      const { reason } = yield* Effect.flip(phones.tell(message, twice))
      assert.strictEqual(reason, "fcm.googleapis.com answered 500")
      assert.deepStrictEqual(
        ["gone", "lost", "slow", "down", "well"].map((name) => pathsOf(sent).filter((each) => each === name).length),
        [1, 1, 3, 3, 1]
      )
      sent.length = 0
      yield* phones.tell(message, twice)
      assert.sameMembers(pathsOf(sent), ["slow", "down", "well"])
    })
  )

  it.effect("gets no message once its token is revoked, not even one that is being retried", () =>
    Effect.gen(function* () {
      let isGood = true
      let isUp = true
      const { phones, sent, journal } = yield* desk(
        (url) => (url.endsWith("b") && !isUp ? 500 : 201),
        () => isGood
      )
      for (const name of ["a", "b"])
        yield* phones.subscribe(speaker, { endpoint: firebase(name), keys: newBrowser().keys })
      const revoked: PhoneServices.Persist = (sending) =>
        Effect.catch(sending, () =>
          Effect.suspend(() => {
            isGood = false
            return sending
          })
        )
      isUp = false
      yield* phones.tell(message, revoked)
      assert.sameMembers(pathsOf(sent), ["a", "b", "a", "b"])
      yield* phones.tell(message, twice)
      assert.strictEqual(sent.length, 4)
      assert.strictEqual(readFileSync(`${journal}.phones`, "utf8"), "[]")
    })
  )

  it("has the address of a push service; the bot sends to no other address", () => {
    const settings = { contact: "me@home.example", services: ["push.home.example:8443"] }
    const asked = [
      firebase("x"),
      "https://updates.push.services.mozilla.com/wpush/v2/x",
      "https://web.push.apple.com/x",
      "https://wns2-par02p.notify.windows.com/w/?token=x",
      "https://push.home.example:8443/x"
    ]
    const refused = [
      "http://fcm.googleapis.com/x",
      "https://127.0.0.1/x",
      "https://[::1]:9200/x",
      "https://169.254.169.254/latest/meta-data",
      "https://localhost/x",
      "https://fcm.googleapis.com:8443/x",
      "https://fcm.googleapis.com.evil.example/x",
      "https://evilpush.apple.com.example/x",
      "https://notpush.apple.com@10.0.0.1/x",
      "https://user:word@fcm.googleapis.com/x",
      "https://fcm.googleapis.com/x#y",
      "https://xfcm.googleapis.com/x",
      "https://push.home.example/x",
      "https://below.push.home.example:8443/x",
      "file:///etc/passwd",
      "unix:/run/limitbot/signer.sock",
      "x"
    ]
    assert.deepStrictEqual(
      asked.map((url) => serviceOf(url, settings)),
      asked.map((url) => new URL(url).host)
    )
    assert.deepStrictEqual(
      refused.map((url) => serviceOf(url, settings)).filter((each) => each !== undefined),
      []
    )
  })

  it.effect("with an address elsewhere, or with invalid keys, is refused and not stored", () =>
    Effect.gen(function* () {
      const { phones, sent, journal } = yield* desk((url) => (url.endsWith("dead") ? 410 : 400))
      const { keys } = newBrowser()
      const refusal = (endpoint: string, given = keys) =>
        Effect.map(Effect.flip(phones.subscribe(speaker, { endpoint, keys: given })), (error) => error.message)
      assert.match(yield* refusal("https://10.0.0.1/x"), /push service is not allowed/)
      assert.strictEqual(sent.length, 0)
      const offTheCurve = { ...keys, p256dh: `B${"A".repeat(86)}` }
      assert.match(yield* refusal(firebase("x"), offTheCurve), /encryption keys are invalid/)
      assert.match(yield* refusal(firebase("x")), /fcm.googleapis.com answered 400/)
      assert.match(yield* refusal(firebase("dead")), /does not know this browser/)
      assert.isFalse(existsSync(`${journal}.phones`))
    })
  )

  it.effect("is one of ten per token; the oldest is replaced, and a token removes only its own", () =>
    Effect.gen(function* () {
      const { phones, sent, journal } = yield* desk(() => 201)
      for (let index = 0; index < 12; index += 1)
        yield* phones.subscribe(speaker, { endpoint: firebase(`n${index}`), keys: newBrowser().keys })
      const other = { ...speaker, digest: "1".repeat(64) }
      assert.isFalse(yield* phones.unsubscribe(other, firebase("n5")))
      assert.isTrue(yield* phones.unsubscribe(speaker, firebase("n5")))
      sent.length = 0
      yield* phones.tell(message, twice)
      assert.sameMembers(pathsOf(sent), ["n2", "n3", "n4", "n6", "n7", "n8", "n9", "n10", "n11"])
      assert.strictEqual(statSync(`${journal}.phones`).mode & 0o777, 0o600)
      chmodSync(`${journal}.phones`, 0o644)
      assert.match((yield* Effect.flip(phones.tell(message, twice))).reason, /can be read by others/)
    })
  )

  it.effect("gets the longest message whole, in any script", () =>
    Effect.gen(function* () {
      const { phones, sent } = yield* desk(() => 201)
      const browser = newBrowser()
      yield* phones.subscribe(speaker, { endpoint: firebase("a"), keys: browser.keys })
      const notices = Array.from({ length: 20 }, (_, at) => ({
        at,
        severity: "warn" as const,
        kind: "Test",
        subject: `grid\u0007${"漢".repeat(40)}`,
        text: `"${"€".repeat(60)}"`
      }))
      yield* phones.tell(phoneMessage("live alice.near", notices, 1), twice)
      const { text } = JSON.parse(browser.read(sent[1]?.body ?? Buffer.alloc(0)))
      assert.strictEqual(text.length, 900)
      assert.notInclude(text, "\u0007")
      assert.isAtMost(sent[1]?.body.length ?? 0, 4_096)
    })
  )
})

describe("push messages of a running bot", () => {
  let bot: RunningBot
  let service: PushService
  const secret = randomBytes(32).toString("hex")
  guard(secret)
  const config = () => ["--config", join(bot.folder, "config.yaml")]
  const say = async (token: string, path: string, payload: unknown) => {
    const body = JSON.stringify(payload)
    const length = String(Buffer.byteLength(body))
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "content-length": length }
    return bot.ask(path, { method: "POST", headers, body })
  }
  const hired = async (name: string) => {
    const out = join(newFolder(), "a.token")
    assert.strictEqual((await runHere(["people", name, "--role", "viewer", "--out", out, ...config()])).code, 0)
    return readFileSync(out, "utf8").trim()
  }
  const taken = (path: string) => service.received.get(path) ?? []

  beforeAll(async () => {
    const folder = newFolder()
    writeFileSync(join(folder, "vapid.key"), `${secret}\n`, { mode: 0o600 })
    service = await startPushService(folder)
    const receiver = `to: push, secret: { file: ${join(folder, "vapid.key")} }, from: me@home.example, services: ["${service.host}"]`
    bot = await startBot(`notify:\n  - { ${receiver}, kinds: [Commanded] }\n`)
  })
  afterAll(() => service.close())

  it.skipIf(!isLong)("reach a viewer's phone, which alone can read them, until the viewer is revoked", async () => {
    const token = await hired("vera")
    const headers = { authorization: `Bearer ${token}` }
    const { key } = JSON.parse((await bot.ask("/api/v1/push", { headers })).body)
    assert.strictEqual(key, keyPairOf(Redacted.make(secret))?.publicKey)
    const [vera, anna] = [newBrowser(), newBrowser()]
    const endpoint = `${service.origin}/vera`
    const subscribed = await say(token, "/api/v1/push/subscribe", { endpoint, keys: vera.keys })
    assert.deepStrictEqual([subscribed.status, subscribed.body], [200, '{"message":"This browser now gets notices"}'])
    assert.match(vera.read(taken("/vera")[0]?.body ?? Buffer.alloc(0)), /vera now gets notices here/)
    const again = await say(token, "/api/v1/push/subscribe", { endpoint, keys: vera.keys })
    assert.match(again.body, /already gets notices/)
    assert.strictEqual(taken("/vera").length, 1)
    await bot.command("/api/v1/push/subscribe", { endpoint: `${service.origin}/anna`, keys: anna.keys })
    await bot.command("/api/v1/pause", { why: "smoke" })
    // That they were subscribed may be told before.
    const isTold = (path: string, browser: Browser) =>
      browser.read(taken(path).at(-1)?.body ?? Buffer.alloc(0)).includes("smoke")
    await until("both are told", async () => isTold("/vera", vera) && isTold("/anna", anna))
    const { severity, text, title } = JSON.parse(vera.read(taken("/vera").at(-1)?.body ?? Buffer.alloc(0)))
    assert.match(title, /^(ALARM )?limitbot live/)
    assert.match(text, /smoke/)
    assert.oneOf(severity, ["good", "warn", "alarm"])
    assert.throws(() => anna.read(taken("/vera").at(-1)?.body ?? Buffer.alloc(0)))
    const { aud, exp, sub } = claimsOf(taken("/vera").at(-1)?.headers ?? {})
    assert.deepStrictEqual([aud, sub], [service.origin, "mailto:me@home.example"])
    assert.isAbove(exp * 1_000, Date.now())

    assert.strictEqual((await runHere(["people", "--revoke", "vera", ...config()])).code, 0)
    const [before, annas] = [taken("/vera").length, taken("/anna").length]
    await bot.command("/api/v1/resume", { why: "no smoke" })
    await until("anna is told", async () => taken("/anna").length > annas)
    assert.strictEqual(taken("/vera").length, before)
    const events = await bot.look("/api/v1/log?search=subscribe")
    assert.match(JSON.stringify(events), /vera: subscribe localhost/)
    // A new token under the old name does not bring the old phone back.
    await hired("vera")
    assert.strictEqual((await runHere(["check", "--notify", ...config()])).code, 0)
    await until("anna is told", async () => taken("/anna").length > annas + 1)
    assert.strictEqual(taken("/vera").length, before)
  })

  it("are refused to an address that is not a browser's, and follow no redirection", async () => {
    const { keys } = newBrowser()
    const refusal = async (payload: unknown) => {
      const { body, status } = await bot.command("/api/v1/push/subscribe", payload)
      return `${status} ${body}`
    }
    assert.match(await refusal({ endpoint: "https://127.0.0.1:1/x", keys }), /^409 .*push service is not allowed/)
    assert.match(await refusal({ endpoint: `${service.origin}/x`, keys: { ...keys, auth: "short" } }), /^400 /)
    assert.match(await refusal({ endpoint: `${service.origin}/x` }), /^400 /)
    service.answer("/moved", 307)
    assert.match(await refusal({ endpoint: `${service.origin}/moved`, keys }), /^409 .*answered 307/)
    assert.strictEqual(taken("/elsewhere").length, 0)
    assert.strictEqual(
      (await say("nobody", "/api/v1/push/subscribe", { endpoint: `${service.origin}/x`, keys })).status,
      401
    )
  })

  it("need a key, a contact and a page, and only one receiver may be push", async () => {
    const wrong = async (receivers: string, said: RegExp, page = "dashboard: {}\n") => {
      const files = { "config.yaml": `${configText(nowhere)}${page}notify:\n${receivers}`, "short.key": "abc\n" }
      const folder = workspace(nowhere, files)
      assertSays(await runHere(["check", "--notify", "--config", join(folder, "config.yaml")]), 1, said)
    }
    const one = "  - { to: push, from: a@b.example, secret: { file: short.key } }\n"
    await wrong(one, /is not the 64 hexadecimal digits of a key[\s\S]*openssl rand -hex 32/)
    await wrong("  - { to: push, from: a@b.example }\n", /push needs secret and from/)
    await wrong("  - { to: push, from: nobody, secret: { file: short.key } }\n", /push needs secret and from/)
    await wrong("  - { to: push, from: a@b.example, secret: { env: A }, url: https://c.example }\n", /push has no url/)
    await wrong(one, /push needs `dashboard`/, "")
    await wrong(`${one}${one}`, /only one receiver may be push/)
  })
})
