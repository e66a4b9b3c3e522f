/** A strategy of one's own beside a grid in one bot: it trades, explains itself, is reloaded when its code changes, fails alone, and is replayed. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import {
  configText,
  gridText,
  ordersAt,
  runHere,
  startHere,
  startSandbox,
  workspace
} from "../world/processes/program.ts"
import { until } from "../world/processes/runningBot.ts"

const file = `name: mine
market: BTC/USDC
kind: ./mine.ts
limits:
  budget: { quote: 200 }
mine:
  size: { quote: 50 }
`

const codeBuyingAt = (share: string, body = ""): string => `import type { Own } from "limitbot/strategy"

const keys = { size: { is: "size", says: "of each purchase" } } as const

export default {
  about: "buys below the mid",
  around: 60_000,
  keys,
  decide: (view, { size }, memory) => {
    const asked = typeof memory === "number" ? memory : view.mid
    ${body}
    const legs = [{ side: "buy", price: Math.floor(asked * ${share}), size }] as const
    return { orders: [{ slot: "low", legs, why: "it is ${share} of the first mid" }], memory: asked, until: { time: view.now + 3_600_000, fill: false } }
  }
} satisfies Own<typeof keys>
`

describe("a strategy in code", () => {
  it.skipIf(!isLong)(
    "trades beside another, explains itself, reloads with its code, fails alone, and is replayed",
    async () => {
      const sandbox = await startSandbox({ speed: 60 })
      const folder = workspace(sandbox, {
        "config.yaml": configText(sandbox),
        "grid.yaml": gridText,
        "mine.yaml": file,
        "mine.ts": codeBuyingAt("0.9")
      })
      const config = ["--config", join(folder, "config.yaml")]
      const [grid, mine] = ["grid.yaml", "mine.yaml"].map((name) => join(folder, name))
      const limitbot = (...args: ReadonlyArray<string>) => runHere([...args, ...config])
      const checked = await limitbot("check", mine ?? "")
      assert.match(checked.stdout, /ok: mine, mine on BTC\/USDC/, checked.stderr)
      const bot = startHere(["run", grid ?? "", mine ?? "", "--poll", "0.3s", ...config])
      const log = async (search: string) =>
        (await limitbot("events", "--json", "--limit", "500", "--search", search)).stdout
          .split("\n")
          .filter((line) => line !== "")

      await until("its order rests", async () => {
        const slots = (await limitbot("status")).stdout
        return /mine\/low[^\n]*open/i.test(slots) || (await log("mine/low")).some((line) => line.includes('"OPEN"'))
      })
      const explained = (await limitbot("explain", "mine/low")).stdout
      assert.match(explained, /it is 0\.9 of the first mid/)
      assert.match(explained, /mine\.yaml:\d/)

      const loads = async () => (await log("StrategyLoaded")).filter((line) => line.includes('"mine"')).length
      assert.strictEqual(await loads(), 1)
      writeFileSync(join(folder, "mine.ts"), codeBuyingAt("0.8"))
      await until("the new code runs", async () => (await loads()) === 2)
      await until("its order is another", async () =>
        (await log("mine/low")).some((line) => line.includes("0.8 of the first mid"))
      )

      writeFileSync(join(folder, "mine.ts"), codeBuyingAt("0.8", "if (Math.random() > 2) return"))
      await until("a bad edit is refused", async () =>
        (await log("StrategiesRefused")).some((line) => line.includes("nothing is random"))
      )
      assert.strictEqual(await loads(), 2, "what ran goes on")

      // The made-up markets on which it is tried are of another year.
      const failingAfter = (at: number) =>
        codeBuyingAt("0.8", `if (view.now > ${at}) throw new Error("it had to happen")`)
      writeFileSync(join(folder, "mine.ts"), failingAfter(1_750_000_000_000))
      await until("an edit that fails at once is refused", async () =>
        (await log("StrategiesRefused")).some((line) => line.includes("mine.ts fails at a price of"))
      )
      assert.deepStrictEqual(await log("LoopFailed"), [])
      assert.strictEqual(await loads(), 2, "what ran goes on")
      writeFileSync(join(folder, "mine.ts"), failingAfter(Date.now() + 4_000).replace("+ 3_600_000", "+ 1_000"))
      await until("it is taken, and fails alone", async () =>
        (await log("PlanFailed")).some((line) => line.includes("it had to happen"))
      )
      const placed = (await ordersAt(sandbox)).length
      await until("the grid goes on", async () => (await ordersAt(sandbox)).length > placed)
      writeFileSync(join(folder, "mine.ts"), codeBuyingAt("0.7"))
      await until("it is mended", async () => (await log("0.7 of the first mid")).length > 0)
      bot.signal("SIGINT")
      await bot.ended

      const replayed = await limitbot("replay", "--certificate")
      assert.strictEqual(replayed.code, 0, replayed.stdout + replayed.stderr)
    }
  )

  it.skipIf(!isLong)("that hangs in a regular expression fails alone, and the kill switch still works", async () => {
    const sandbox = await startSandbox({ speed: 60 })
    const hangs = `if (view.now > ${Date.now() + 15_000}) "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".match("(a+)+$")`
    const folder = workspace(sandbox, {
      "config.yaml": configText(sandbox),
      "grid.yaml": gridText,
      "mine.yaml": file,
      "mine.ts": codeBuyingAt("0.9", hangs).replace("+ 3_600_000", "+ 1_000")
    })
    const config = ["--config", join(folder, "config.yaml")]
    const bot = startHere(["run", join(folder, "grid.yaml"), join(folder, "mine.yaml"), "--poll", "0.3s", ...config])
    await until("it hangs, and its strategy alone is stopped", async () =>
      (await runHere(["events", "--json", "--limit", "200", "--search", "PlanFailed", ...config])).stdout.includes(
        "it takes more than 1000000 steps"
      )
    )
    const isOpen = async () => (await ordersAt(sandbox)).some(({ status }) => status === "OPEN")
    await until("other orders rest", isOpen)
    await runHere(["kill", "hung", ...config])
    await until("the kill switch is obeyed", async () => !(await isOpen()))
    bot.signal("SIGTERM")
    await bot.ended
  })
})
