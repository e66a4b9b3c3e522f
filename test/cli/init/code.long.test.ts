/** A strategy of one's own, from `init` to its own test, as another project has it: written, checked, tested, backtested and swept. */
import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { folder as built } from "../../builtProgram.ts"
import { newFolder, runHere } from "../../world/processes/program.ts"

const root = resolve(import.meta.dirname, "../../..")
const folder = newFolder()
const here = (...args: ReadonlyArray<string>) => runHere(args, { cwd: folder })

const testOf = (file: string) =>
  new Promise<{ readonly code: number; readonly output: string }>((done) => {
    execFile(process.execPath, ["--test", file], { cwd: folder, timeout: 300_000 }, (error, output) =>
      done({ code: error === null ? 0 : 1, output })
    )
  })

const rules = `rules:
  timeframe: 15m
  orders:
    dip:
      when: close < sma(close, 20) * 0.995
      side: buy
      price: mid * (1 - 0.1%)
      size: { quote: 200 }
      times: 1000
      then:
        price: entry * (1 + 1%)
`

const own = `import type { Own } from "limitbot/strategy"
const keys = { size: { is: "size" } } as const
export default {
  about: "buys dips",
  keys,
  candles: () => ({ "15m": 20 }),
  decide: (view, { size }, memory) => {
    const before = typeof memory === "object" && memory !== null && "price" in memory ? memory : { price: 0, legs: 0 }
    const { legs: done } = view.slot("dip").done
    const candles = view.candles("15m")
    const until = { candle: "15m", fill: true }
    let [price, legs] = [Number(before.price), Number(before.legs)]
    if (price === 0 || done >= legs + 2) {
      legs = done
      let sum = 0
      for (let back = 0; back < 20; back++) sum += candles.close(back)
      const isDip = candles.count >= 20 && candles.close(0) < (sum / 20) * 0.995
      price = isDip ? view.mid * (1 - 0.001) : 0
      if (price === 0) return { orders: [], memory: { price, legs }, until }
    }
    const pair = [{ side: "buy", price, size }, { side: "sell", price: price * 1.01 }] as const
    return { orders: [{ slot: "dip", legs: pair, after: { legs, filled: "0" }, why: "a dip" }], memory: { price, legs }, until }
  }
} satisfies Own<typeof keys>
`

beforeAll(() => {
  // As `npm init -y` writes it: there a file of TypeScript is CommonJS.
  writeFileSync(join(folder, "package.json"), '{ "name": "mine", "version": "1.0.0", "type": "commonjs" }')
  mkdirSync(join(folder, "node_modules/limitbot/dist"), { recursive: true })
  copyFileSync(join(root, "package.json"), join(folder, "node_modules/limitbot/package.json"))
  for (const file of ["strategy.mjs", "quickjs.wasm"])
    copyFileSync(join(built, file), join(folder, "node_modules/limitbot/dist", file))
})

describe("init --kind code", () => {
  it("writes a valid strategy with its code and a test", async () => {
    const made = await here("init", "mine.yaml", "--kind", "code", "--market", "ETH/USDC")
    assert.match(made.stdout, /Wrote mine\.yaml, mine\.ts, mine\.test\.mts/)
    assert.match((await here("check", "mine.yaml")).stdout, /mine\.yaml: ok: mine, mine on ETH\/USDC/)
    assert.match((await here("init", "mine.yaml", "--kind", "code")).stderr, /mine\.yaml exists, nothing was written/)
    assert.match((await here("init", "9.yaml", "--kind", "code")).stderr, /9 cannot name a strategy of your own/)
    await here("data", "generate", "prices.csv", "--bars", "20000", "--seed", "3", "--price", "3000")
    const tested = await here("backtest", "mine.yaml", "--data", "prices.csv", "--band", "rules", "--json")
    assert.strictEqual(tested.code, 0, tested.stderr)
    assert.isAbove(JSON.parse(tested.stdout).fills, 0)
    const swept = await here("search", "mine.yaml", "--data", "prices.csv", "--set", "mine.away=1%,2%")
    assert.match(swept.stdout, /mine\.away/)
  })

  it("trades like equivalent rules, fill by fill", async () => {
    const head = (name: string, kind: string) =>
      `name: ${name}\nmarket: ETH/USDC\nkind: ${kind}\nlimits:\n  budget: { quote: 1000 }\n`
    writeFileSync(join(folder, "rules.yaml"), `${head("rules", "rules")}${rules}`)
    writeFileSync(join(folder, "own.yaml"), `${head("own", "./own.ts")}own:\n  size: { quote: 200 }\n`)
    writeFileSync(join(folder, "own.ts"), own)
    const fillsOf = async (file: string) => {
      const fills = join(folder, `${file}.csv`)
      const ran = await here(
        "backtest",
        file,
        "--data",
        "prices.csv",
        "--band",
        "rules",
        "--fills",
        "pessimistic",
        "--fills-csv",
        fills
      )
      assert.strictEqual(ran.code, 0, ran.stderr)
      return readFileSync(fills, "utf8")
    }
    assert.strictEqual(await fillsOf("own.yaml"), await fillsOf("rules.yaml"))
  })

  it("writes a test that passes, and fails if the strategy changes", async () => {
    const passed = await testOf("mine.test.mts")
    assert.strictEqual(passed.code, 0, passed.output)
    const code = readFileSync(join(folder, "mine.ts"), "utf8")
    writeFileSync(join(folder, "mine.ts"), code.replace("middle * (1 - away), size", "middle * (1 - 2 * away), size"))
    assert.strictEqual((await testOf("mine.test.mts")).code, 1)
    writeFileSync(join(folder, "mine.ts"), code)
  })

  it("makes the test in docs/own-strategies.md pass unchanged", async () => {
    const text = readFileSync(join(root, "docs/own-strategies.md"), "utf8")
    const [, example = ""] = /```ts\n([\s\S]*?)```/.exec(text) ?? []
    writeFileSync(join(folder, "documented.test.mts"), example)
    const { code, output } = await testOf("documented.test.mts")
    assert.strictEqual(code, 0, output)
  })

  it("refuses a strategy that holds too long with the text of docs/own-strategies.md", async () => {
    const text = readFileSync(join(root, "docs/own-strategies.md"), "utf8")
    const [, documented = ""] = /```text\n([\s\S]*?)```/.exec(text) ?? []
    const code = readFileSync(join(folder, "mine.ts"), "utf8")
    writeFileSync(join(folder, "mine.ts"), code.replace("price: middle * (1 - away)", "price: view.mid * (1 - away)"))
    const refused = await here("check", "mine.yaml")
    writeFileSync(join(folder, "mine.ts"), code)
    const [said = ""] = `${refused.stdout}${refused.stderr}`
      .split("\n")
      .filter((line) => line.includes("holds too long"))
    assert.strictEqual(documented.replace(/\s+/g, " ").trim(), said.trim())
  })
})
