/**
 * Makes the pictures of README and site in docs/pictures: `npm run pictures`. It starts a sandbox and a bot by the launcher that users
 * have, sets the sandbox's prices step by step, and waits for the bot before each picture, so that every run shows the same story.
 * The moving picture has three scenes: the terminal of `run`, the page, and the result after Ctrl-C.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Browser, chromium, type Page } from "playwright-core"

const root = resolve(import.meta.dirname, "..")
const limitbot = join(root, "limitbot")
const target = join(root, "docs/pictures")

const { LIMITBOT_BROWSER: namedBrowser } = process.env
const usualBrowsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
const browserPath = (namedBrowser === undefined ? usualBrowsers : [namedBrowser]).find(existsSync)
const browserArgs = `--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
  --disable-component-update --disable-sync --hide-scrollbars`

const missing = [
  ...(browserPath === undefined ? ["a Chromium: set LIMITBOT_BROWSER to its path"] : []),
  ...(spawnSync("ffmpeg", ["-version"]).status === 0 ? [] : ["ffmpeg in PATH"]),
  ...(spawnSync("script", ["--version"]).status === 0 ? [] : ["script (of util-linux) in PATH"])
]
if (missing.length > 0) {
  process.stderr.write(`npm run pictures needs ${missing.join(", and ")}.\n`)
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), "limitbot-pictures-"))

/** The terminal has 100 × 30 characters, the page and each scene 1280 × 800 pixels. */
const [columns, rows] = [100, 30]
const scene = { width: 1280, height: 800 }
const desk = { width: 1280, height: 1375 }
const phone = { width: 390, height: 844 }

const strategy = `name: btc-grid
market: BTC/USDC
kind: grid
limits:
  budget: { base: 0.25, quote: 15000 }
grid:
  lower: 59450
  upper: 60650
  levels: 13
  size: { base: 0.04 }
`
const openOrders = 12

/** Every wave crosses a level of the grid upwards and downwards, and each wave is a little higher. */
const priceAt = (step: number): number =>
  Math.round(60_000 + step * 1.2 + 150 * Math.sin(step / 3.1) + 55 * Math.sin(step / 1.3))

/** Steps before the recording, on the terminal, at the head of the page, and at its chart of prices. */
const [warmUpSteps, terminalSteps, headSteps, chartSteps] = [66, 10, 10, 14]

const until = async <A>(what: string, look: () => A | Promise<A>): Promise<NonNullable<A>> => {
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const answer = await look()
    if (answer) return answer
    await sleep(50)
  }
  throw new Error(`pictures: ${what} did not happen within a minute`)
}

const started: Array<ChildProcess> = []
const start = (command: string, args: ReadonlyArray<string>): { child: ChildProcess; output: () => string } => {
  const env = { ...process.env, TERM: "xterm-256color", NO_COLOR: undefined, TZ: "UTC" }
  const child = spawn(command, args, { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] })
  started.push(child)
  let output = ""
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text
  })
  return { child, output: () => output }
}

const startSandbox = async (): Promise<string> => {
  const { output } = start(limitbot, [
    ..."sandbox --speed 0 --port 0 --json".split(" "),
    ...["--write-config", "config/limitbot.yaml"]
  ])
  const line = await until("the start of the sandbox", () => /^.*\n/.exec(output())?.[0])
  return JSON.parse(line).url
}

interface Bot {
  /** Everything that the terminal has received. */
  readonly output: () => string
  readonly page: string
  readonly status: () => Promise<{ fills: number; openOrders: number; prices: ReadonlyArray<{ mid: string }> }>
  /** Presses Ctrl-C. */
  readonly stop: () => Promise<unknown>
}

const startBot = async (): Promise<Bot> => {
  writeFileSync(join(folder, "grid.yaml"), strategy)
  const command = `stty rows ${rows} cols ${columns}; exec '${limitbot}' run grid.yaml --poll 0.3s`
  const { child, output } = start("script", ["-qfec", command, "/dev/null"])
  const page = await until("the start of the bot", () => /http:\S+\/#token=[\w-]+/.exec(output())?.[0])
  const [origin, token] = page.split("/#token=")
  const headers = { authorization: `Bearer ${token}` }
  const status: Bot["status"] = async () => (await fetch(`${origin}/api/v1/status`, { headers })).json()
  const stop = () => {
    child.stdin?.write("\u0003")
    return until("the end of the bot", () => child.exitCode !== null)
  }
  return { output, page, status, stop }
}

/** Text and colours of the screen as HTML, without the bot's token and the folder of this run. */
const htmlOf = (screen: string): string => {
  const styles: Readonly<Record<string, string>> = {
    1: "font-weight: bold",
    2: "opacity: 0.6",
    7: "background: #d8dee9; color: #14181f",
    31: "color: #ff7b72",
    32: "color: #56d364",
    33: "color: #e3b341",
    36: "color: #76e3ea"
  }
  const text = screen
    .replace(/#token=[\w-]*/g, "")
    .replace(/journal \S+…/g, "journal config/…")
    .replaceAll(`${folder}/`, "")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
  const spans = text.split("\u001B[").map((part, index) => {
    const [, codes = "", kind, rest = part] = (index > 0 && /^([?\d;]*)([A-Za-z])(.*)$/s.exec(part)) || []
    if (kind !== "m") return rest
    const style = codes.split(";").flatMap((code) => styles[code] ?? [])
    return `</span><span style="${style.join("; ")}">${rest}`
  })
  return `<span>${spans.join("")}</span>`
}

/** The screen as it is after the last redraw; the result of a run comes after the screen has closed. */
const screenOf = (output: string): string =>
  output.includes("\u001B[?1049l")
    ? `$ limitbot run grid.yaml\n^C\n${output.slice(output.lastIndexOf("\u001B[?1049l") + 8).replaceAll("^C", "")}`
    : output.slice(output.lastIndexOf("\u001B[H"))

const terminalStyle = `body { margin: 0; background: #14181f; color: #d8dee9 }
  pre { margin: 17px 22px; width: ${columns + 1}ch; font: 20.5px/25.5px monospace; white-space: pre-wrap; word-break: break-all }`

const pageOf = async (browser: Browser, viewport: typeof scene, deviceScaleFactor = 1): Promise<Page> => {
  const context = await browser.newContext({ viewport, deviceScaleFactor, colorScheme: "light", timezoneId: "UTC" })
  return context.newPage()
}

const ffmpeg = (...args: ReadonlyArray<string>): void =>
  void execFileSync("ffmpeg", ["-y", "-loglevel", "error", ...args], { cwd: folder, stdio: "inherit" })

/** Writes a still picture; `quality` is from 0 to 100. */
const still = async (page: Page, name: string, quality: number): Promise<void> => {
  await page.screenshot({ path: join(folder, "still.png"), animations: "disabled" })
  ffmpeg("-i", "still.png", "-c:v", "libwebp", "-quality", String(quality), "-preset", "text", join(target, name))
}

const record = async (browser: Browser): Promise<void> => {
  const venue = await startSandbox()
  const bot = await startBot()
  const [terminal, page] = [await pageOf(browser, scene), await pageOf(browser, scene)]
  const frames: Array<readonly [file: string, seconds: number]> = []
  const shoot = async (from: Page, seconds: number): Promise<void> => {
    const file = `frame-${frames.length}.png`
    await from.screenshot({ path: join(folder, file), animations: "disabled" })
    frames.push([file, seconds])
  }
  const shootTerminal = async (seconds: number): Promise<void> => {
    await terminal.setContent(`<style>${terminalStyle}</style><pre>${htmlOf(screenOf(bot.output()))}</pre>`)
    await shoot(terminal, seconds)
  }
  let step = 0
  /** Sets the next price, about one in a second, and waits until the bot has seen it. */
  const takeStep = async (): Promise<void> => {
    const price = priceAt(step++)
    await fetch(`${venue}/sandbox/prices`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ prices: { "BTC/USDC": price } })
    })
    await until(`the price ${price}`, async () => Math.abs(Number((await bot.status()).prices[0]?.mid) - price) < 1)
    await sleep(700)
  }
  const settle = () => until("the orders", async () => (await bot.status()).openOrders === openOrders)

  await settle()
  while (step < warmUpSteps) await takeStep()
  for (let taken = 0; taken < terminalSteps; taken++) {
    await takeStep()
    await shootTerminal(0.45)
  }
  await page.goto(bot.page)
  await page.locator("#slots table").waitFor()
  await takeStep()
  for (let taken = 0; taken < headSteps + chartSteps; taken++) {
    if (taken === headSteps)
      await page.evaluate("document.querySelector('#t-chart').scrollIntoView(); scrollBy(0, -90)")
    await takeStep()
    await shoot(page, 0.45)
  }
  await settle()
  await page.setViewportSize(desk)
  await page.evaluate("scrollTo(0, 0)")
  await sleep(1_000)
  await still(page, "page.webp", 80)
  const small = await pageOf(browser, phone, 2)
  await small.goto(bot.page)
  await small.locator("#slots table").waitFor({ state: "attached" })
  await sleep(1_000)
  await still(small, "phone.webp", 70)
  await bot.stop()
  await shootTerminal(4)

  const list = frames.flatMap(([file, seconds]) => [`file '${file}'`, `duration ${seconds}`])
  writeFileSync(join(folder, "frames.txt"), `${list.join("\n")}\nfile '${frames.at(-1)?.[0]}'\n`)
  const webp = "-c:v libwebp_anim -lossless 0 -quality 62 -compression_level 6 -preset text -loop 0 -fps_mode vfr"
  const scaled = ["-vf", "scale=960:600:flags=lanczos"]
  ffmpeg(..."-f concat -i frames.txt".split(" "), ...scaled, ...webp.split(" "), join(target, "tour.webp"))
}

/** The report of a backtest on generated prices. */
const report = async (browser: Browser): Promise<void> => {
  const run = (...words: ReadonlyArray<string>) => execFileSync(limitbot, words, { cwd: folder, stdio: "ignore" })
  run(..."data generate minutes.csv --bars 60000 --price 60000".split(" "))
  cpSync(join(root, "strategies"), join(folder, "strategies"), { recursive: true })
  run(..."backtest strategies/grid.yaml --data minutes.csv --no-save --report report.html".split(" "))
  const page = await pageOf(browser, desk)
  await page.goto(`file://${join(folder, "report.html")}`)
  await page.locator("canvas").first().waitFor()
  await still(page, "report.webp", 80)
}

mkdirSync(target, { recursive: true })
const browser = await chromium.launch({ executablePath: browserPath ?? "", args: browserArgs.split(/\s+/) })
try {
  await record(browser)
  await report(browser)
} finally {
  await browser.close()
  for (const child of started) child.kill("SIGTERM")
  rmSync(folder, { recursive: true, force: true })
}
for (const name of readdirSync(target))
  process.stdout.write(`docs/pictures/${name}: ${(statSync(join(target, name)).size / 1_000).toFixed(0)} kB\n`)
