/**
 * A phone with the page installed as an app, in a real browser: it subscribes by the page's own button, the bot encrypts for it, and
 * the worker shows what came while no page is open. The browser's own push service cannot be reached from tests, so a service on
 * loopback stands in its place: what it took is decrypted as a browser does, and handed to the worker by the debugger.
 */
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type BrowserContext, type CDPSession, chromium, type Page } from "playwright-core"
import { newBrowser, type PushService, startPushService } from "../control/pushService.ts"
import { isLong } from "../long.ts"
import { browserPath } from "../surroundings.ts"
import { guard, newFolder } from "../world/processes/program.ts"
import { type RunningBot, startBot, until } from "../world/processes/runningBot.ts"

const phone = newBrowser()
const none = Buffer.alloc(0)

/** In the page: subscribes at the service on loopback, with the keys of `phone`, and remembers it as a browser does. */
const subscribing = (endpoint: string): string => `
  const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0))
  const made = (key) => ({
    endpoint: ${JSON.stringify(endpoint)},
    options: { applicationServerKey: bytesOf(key).buffer },
    toJSON: () => ({ endpoint: ${JSON.stringify(endpoint)}, expirationTime: null, keys: ${JSON.stringify(phone.keys)} }),
    unsubscribe: async () => (localStorage.removeItem("subscribed"), true)
  })
  PushManager.prototype.getSubscription = async () => {
    const key = localStorage.getItem("subscribed")
    return key === null ? null : made(key)
  }
  PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
    if (userVisibleOnly !== true || Notification.permission !== "granted") throw new Error("not allowed")
    const key = btoa(String.fromCharCode(...new Uint8Array(applicationServerKey)))
    localStorage.setItem("subscribed", key)
    return made(key)
  }`

describe.skipIf(browserPath === undefined)("a phone", () => {
  let bot: RunningBot
  let service: PushService
  let context: BrowserContext
  let page: Page
  let session: CDPSession
  let registrationId = ""
  const said: Array<string> = []
  const taken = () => service.received.get("/phone") ?? []

  const button = () => page.locator("#alerts")
  const pressButton = async () => {
    await page.getByRole("button", { name: "More actions" }).click()
    await button().click()
  }
  const isPressed = async () => (await button().getAttribute("aria-pressed")) === "true"

  /** What the phone shows. */
  const notifications = async (): Promise<ReadonlyArray<{ readonly title: string; readonly body: string }>> =>
    JSON.parse(
      String(
        await page.evaluate(
          "navigator.serviceWorker.ready.then((worker) => worker.getNotifications()).then((all) => JSON.stringify(all.map(({ title, body }) => ({ title, body }))))"
        )
      )
    )
  /** Hands over what the service took last, as the browser's own service would. */
  const arrives = async (): Promise<{ readonly title: string; readonly text: string }> => {
    const data = phone.read(taken().at(-1)?.body ?? none)
    await session.send("ServiceWorker.deliverPushMessage", { origin: bot.url, registrationId, data })
    return JSON.parse(data)
  }
  /** The browser loses a message to a worker that is still starting, so it is handed over again after five seconds. */
  const showsAll = (count: number) => {
    let polls = 0
    return until("it shows that", async () => {
      const isShown = (await notifications()).length === count
      if (!isShown && ++polls % 25 === 0) await arrives()
      return isShown
    })
  }

  beforeAll(async () => {
    const folder = newFolder()
    const secret = randomBytes(32).toString("hex")
    guard(secret)
    writeFileSync(join(folder, "vapid.key"), secret, { mode: 0o600 })
    service = await startPushService(folder)
    const receiver = `to: push, secret: { file: ${join(folder, "vapid.key")} }, from: me@home.example, services: ["${service.host}"]`
    bot = await startBot(`notify:\n  - { ${receiver}, kinds: [Commanded] }\n`)
    context = await chromium.launchPersistentContext(newFolder(), {
      executablePath: browserPath ?? "",
      args: ["--no-sandbox", `--app=${bot.url}`],
      viewport: { width: 390, height: 844 },
      permissions: ["notifications"]
    })
    await context.addInitScript(subscribing(`${service.origin}/phone`))
    page = context.pages()[0] ?? (await context.newPage())
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") said.push(message.text())
    })
    page.on("pageerror", (error) => said.push(error.message))
    session = await context.newCDPSession(page)
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      registrationId = registrations.find(({ isDeleted }) => !isDeleted)?.registrationId ?? registrationId
    })
    await session.send("ServiceWorker.enable")
    await page.goto(`${bot.url}/#token=${bot.token}`)
    await page.locator("#slots table").waitFor()
  })
  afterAll(async () => {
    await context?.close()
    service?.close()
  })

  it("subscribes with the button and gets a message at once, and the screen is no wider for it", async () => {
    await button().waitFor({ state: "attached" })
    assert.isFalse(await isPressed())
    assert.isFalse(await page.evaluate("document.documentElement.scrollWidth > innerWidth"))
    await pressButton()
    await until("it is told", async () => taken().length === 1 && (await isPressed()))
    // A message for a worker that does not run yet, or is not known here, is lost.
    await until("its worker runs", async () => (await notifications()).length === 0 && registrationId !== "")
    await arrives()
    await showsAll(1)
    assert.deepStrictEqual(await notifications(), [{ title: "limitbot", body: "the operator now gets notices here" }])
  })

  it("shows the bot's messages while no page is open, until it unsubscribes", async () => {
    await bot.command("/api/v1/pause", { why: "smoke in the house" })
    // That it was subscribed may be told in between.
    await until("it is told", async () => phone.read(taken().at(-1)?.body ?? none).includes("smoke in the house"))
    await page.goto("about:blank")
    const { text, title } = await arrives()
    assert.include(text, "smoke in the house")
    await page.goto(`${bot.url}/`)
    await page.locator("#slots table").waitFor()
    await showsAll(2)
    assert.deepInclude(await notifications(), { title, body: text })
    const { LIMITBOT_PICTURE: picture } = process.env
    if (picture !== undefined) await page.screenshot({ path: picture })
    const [worker] = context.serviceWorkers()
    await worker?.evaluate(
      "registration.getNotifications().then((all) => all.forEach((notification) => dispatchEvent(new NotificationEvent('notificationclick', { notification }))))"
    )
    await until("they are gone", async () => (await notifications()).length === 0)
  })

  it.skipIf(!isLong)(
    "stays subscribed after the page reloads, without another message, until it unsubscribes",
    async () => {
      await page.reload()
      await until("the button says so", isPressed)
      const before = taken().length
      await pressButton()
      await until("the button says so", async () => !(await isPressed()))
      await bot.command("/api/v1/resume", { why: "no smoke" })
      assert.strictEqual(
        ((await bot.look("/api/v1/log?search=unsubscribe")) as { events: ReadonlyArray<unknown> }).events.length,
        1
      )
      await new Promise((done) => setTimeout(done, 3_000))
      assert.strictEqual(taken().length, before)
      assert.deepStrictEqual(said, [])
    }
  )
})
