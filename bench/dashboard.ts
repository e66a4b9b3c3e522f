/**
 * The dashboard with 10,000 fills in a real browser: how long its main thread works for a frame while somebody drags the
 * chart, new prices come four times and new fills twice a second. A frame at 60 a second may take 16.7 ms. The bot is a
 * stand-in that answers the page's requests, so only the page is measured; without a graphics card the browser draws on the
 * processor, which other threads do.
 *
 *     npm run build && npx node bench/dashboard.ts
 */
import { existsSync, readFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import { join } from "node:path"
import { chromium } from "playwright-core"
import { machine } from "./measure.ts"

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const assets = join(import.meta.dirname, "..", "dist", "dashboard")
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync)
const [fillCount, slotCount, candleCount, seconds] = [10_000, 60, 1_500, 10]
const begun = Date.now()

const priceAt = (step: number): number => 60_000 + 900 * Math.sin(step / 90) + 250 * Math.sin(step / 11)

const fill = (sequence: number) => ({
  sequence,
  at: begun - (fillCount - sequence) * (candleCount * 60_000) * (1 / fillCount),
  slot: `grid/cell-${String(sequence % slotCount).padStart(2, "0")}`,
  placement: `placement-${sequence}`,
  market: "BTC/USDC",
  side: sequence % 2 === 0 ? "BUY" : "SELL",
  price: priceAt(sequence / (fillCount / candleCount)).toFixed(2),
  paid: "120",
  paidAsset: "USDC",
  received: "0.002",
  receivedAsset: "BTC",
  fillId: `fill-${sequence}`
})
const fills = Array.from({ length: fillCount }, (_, index) => fill(index + 1))
const now = () => ({ at: Date.now(), sequence: fills.length })
const quote = () => {
  const mid = priceAt(candleCount + (Date.now() - begun) / 1_000)
  return {
    market: "BTC/USDC",
    mid: mid.toFixed(2),
    bid: (mid - 30).toFixed(2),
    ask: (mid + 30).toFixed(2),
    at: Date.now()
  }
}
const orders = Array.from({ length: slotCount }, (_, index) => ({
  side: index < slotCount / 2 ? "SELL" : "BUY",
  price: (61_500 - index * 50).toFixed(2),
  quantity: "0.002",
  filled: "0",
  slot: `grid/cell-${String(index).padStart(2, "0")}`,
  state: "open"
}))

const columns = (count: number) => Array.from({ length: count }, (_, index) => index)
const time = columns(candleCount).map((index) => Math.floor(begun / 60_000) * 60 - (candleCount - index) * 60)

const answers: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
  status: () => ({
    ...now(),
    version: "0",
    mode: "live",
    role: "operator",
    startedAt: begun - 86_400_000,
    turnedAt: Date.now(),
    leaving: null,
    fills: fills.length,
    openOrders: slotCount,
    prices: [quote()],
    problems: [],
    venue: "venue",
    account: "account",
    killSwitch: null,
    strategies: [
      {
        name: "grid",
        kind: "grid",
        file: "grid.yaml",
        market: "BTC/USDC",
        paused: null,
        openOrders: slotCount,
        slots: slotCount
      }
    ]
  }),
  fills: (query) => ({ ...now(), fills: fills.filter(({ sequence }) => sequence > Number(query.get("after") ?? 0)) }),
  candles: () => {
    const close = columns(candleCount).map(priceAt)
    return { ...now(), time, open: close, close, high: close.map((at) => at + 40), low: close.map((at) => at - 40) }
  },
  book: () => ({ ...now(), market: "BTC/USDC", price: quote(), depth: [], orders }),
  slots: () => ({
    ...now(),
    slots: orders.map((order) => ({
      ...order,
      strategy: "grid",
      market: "BTC/USDC",
      since: begun,
      distance: 0.01,
      legs: 3,
      earned: "1.25",
      inventory: null,
      why: "sells at this level once the level below has been bought",
      tone: order.side === "BUY" ? "buy" : "sell"
    }))
  }),
  money: () => ({
    ...now(),
    places: ["wallet", "in order"],
    rows: [{ asset: "USDC", place: "wallet", amount: "5000" }],
    residual: {}
  }),
  profit: () => ({
    ...now(),
    standings: [],
    days: [],
    strategies: [
      {
        strategy: "grid",
        asset: "USDC",
        held: "5000",
        total: "100",
        gridProfit: "90",
        inventory: "12",
        fees: "2",
        fills: 1,
        curve: [0, 100]
      }
    ],
    series: {
      asset: "USDC",
      time,
      worth: columns(candleCount).map(priceAt),
      held: columns(candleCount).map(() => 60_000)
    }
  }),
  log: () => ({
    ...now(),
    events: columns(200).map((index) => ({
      sequence: index,
      at: begun,
      tag: "FillSeen",
      subject: "grid/cell-01",
      text: "bought 0.002 BTC",
      weight: "good"
    }))
  }),
  files: () => [{ file: "grid.yaml", strategy: "grid", text: "name: grid\n", hash: "a", isRunning: true, problems: [] }]
}

/** Four prices a second, and a fill with every second of them. */
const stream = (response: ServerResponse): void => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  const tell = (event: string, data: unknown) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  let turn = 0
  const timer = setInterval(() => {
    turn += 1
    tell("Prices", { ...now(), prices: [quote()] })
    if (turn % 2 === 1) return
    fills.push({ ...fill(fills.length + 1), at: Date.now() })
    tell("Event", { ...now(), tag: "FillSeen" })
  }, 250)
  response.on("close", () => clearInterval(timer))
}

const types: Readonly<Record<string, string>> = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml"
}
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1")
  if (pathname === "/api/v1/events") return stream(response)
  const answer = answers[pathname.replace("/api/v1/", "")]
  if (answer !== undefined) {
    response.writeHead(200, { "content-type": "application/json" })
    return response.end(JSON.stringify(answer(searchParams)))
  }
  const name = pathname === "/" ? "index.html" : (pathname.split("/").at(-1) ?? "")
  if (!existsSync(join(assets, name))) return response.writeHead(404).end()
  response.writeHead(200, { "content-type": types[name.split(".").at(-1) ?? ""] ?? "text/plain" })
  return response.end(readFileSync(join(assets, name)))
})

if (executablePath === undefined) say("SKIPPED: no Chromium is installed")
else {
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const complaints: Array<string> = []
  page.on("pageerror", (error) => complaints.push(error.message))
  await page.addInitScript(() => sessionStorage.setItem("limitbot-token", "any"))
  await page.goto(url)
  await page.waitForFunction(() => /\d/.test(document.querySelector("#s-fills")?.textContent ?? ""))
  await page.waitForTimeout(3_000)
  const session = await page.context().newCDPSession(page)
  // The thread's own time: what other programs take of the processor does not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" })
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics")
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000
  }
  const counting = page.evaluate(
    (millis) =>
      new Promise<ReadonlyArray<number>>((done) => {
        const frames: Array<number> = []
        const long: Array<number> = []
        new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration))).observe({
          type: "longtask"
        })
        const begin = performance.now()
        const next = (at: number) => {
          frames.push(at)
          if (at - begin < millis) requestAnimationFrame(next)
          else done([frames.length, long.length, Math.max(0, ...long)])
        }
        requestAnimationFrame(next)
      }),
    seconds * 1_000
  )
  const before = await busy()
  const box = await page.locator("#chart").boundingBox()
  if (box === null) throw new Error("The page shows no chart")
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  const end = Date.now() + seconds * 1_000
  for (let step = 0; Date.now() < end; step++) await page.mouse.move(x + 200 * Math.sin(step / 20), y)
  await page.mouse.up()
  const [frames = 1, long = 0, longest = 0] = await counting
  const worked = (await busy()) - before
  await browser.close()
  say(machine())
  say(`${fills.length} fills, ${slotCount} orders, ${candleCount} candles; ${seconds} s of dragging the chart`)
  say(
    `main thread: ${(worked / frames).toFixed(1)} ms a frame (16.7 ms are a frame at 60 a second), ${(worked / 10 / seconds).toFixed(0)} % busy`
  )
  say(
    `${(frames / seconds).toFixed(0)} frames a second here, without a graphics card; ${long} tasks over 50 ms, the longest ${longest.toFixed(0)} ms`
  )
  if (complaints.length > 0) say(`errors of the page: ${complaints.join("; ")}`)
}
server.close()
server.closeAllConnections()
