/** A strategy that accounts share has in each the account's own numbers, exact, and its mistakes at their places. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as FleetFile from "../../src/files/FleetFile.ts"
import { fill } from "../../src/fleet/accounts/sharing/SharedStrategy.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"
import { blocksOf, read } from "../docs/documents.ts"

const markets = {
  assets: [
    { symbol: "BTC", id: "BTC", decimals: 8 },
    { symbol: "USDC", id: "USDC", decimals: 6 }
  ],
  ticks: new Map()
}
const text = `name: grid
market: BTC/USDC
kind: grid
limits: { budget: own, maxDailyLoss: 2% of quote, maxPriceDeviation: 5% }
grid: { lower: 59000, upper: 61000, levels: 5, size: { base: 33.3% of base } } # 5% of quote stays in a comment
`
const filled = (budgets: string | undefined, shared = text) =>
  fill(
    [{ file: "grid.yaml", at: "gold/strategies/grid.yaml", text: shared }],
    { file: "anna/budgets.yaml", text: budgets },
    markets
  )

describe("a strategy that accounts share", () => {
  it("has each account's own budget and shares of it, rounded down to whole units", () => {
    const [one] = Result.getOrThrow(filled("grid: { base: 0.00000005, quote: 600.5 }"))
    assert.strictEqual(
      one?.text,
      text
        .replace("budget: own", "budget: { base: 0.00000005, quote: 600.5 }")
        .replace("2% of quote,", "12.01,")
        .replace("33.3% of base", "0.00000001")
    )
  })

  it("names missing or wrong values with line and column", () => {
    const problems = (found: ReturnType<typeof filled>): string =>
      Result.isFailure(found) ? found.failure.join("\n") : assert.fail("it is taken")
    const none = problems(filled(undefined))
    assert.match(none, /gold\/strategies\/grid\.yaml:4:19: anna\/budgets\.yaml has no budget for the strategy "grid"/)
    assert.match(problems(filled("grid: { base: 1 }")), /grid\.yaml:4:\d+: the account's budget has no "quote": base/)
    assert.match(problems(filled("grid: much")), /budgets\.yaml:1:7: a budget is written as/)
    assert.match(problems(filled("grid: [")), /budgets\.yaml:1:/)
  })

  it("works as docs/fleet.md shows it, and so does the file of the page", async () => {
    const shown = blocksOf(read("docs/fleet.md"))
    const block = (name: string) => shown.find(({ text }) => text.startsWith(`# ${name}`))?.text ?? assert.fail(name)
    const [one] = Result.getOrThrow(filled(block("budgets.yaml"), block("strategies/grid.yaml")))
    const { limits } = Result.getOrThrow(StrategyFile.parse(one?.text ?? "", "grid.yaml", markets))
    assert.deepStrictEqual([limits.budget.base, limits.budget.quote], [1_000_000n, 600_000_000n])
    const folder = mkdtempSync(join(tmpdir(), "limitbot-page-"))
    writeFileSync(join(folder, "page.yaml"), block("page.yaml"))
    writeFileSync(join(folder, "alone.token"), "a-token\n", { mode: 0o600 })
    const loaded = (text: string) => {
      writeFileSync(join(folder, "page.yaml"), text)
      return FleetFile.load(join(folder, "page.yaml")).pipe(
        Effect.provide(NodeServices.layer),
        Effect.result,
        Effect.runPromise
      )
    }
    const { bots, options } = Result.getOrThrow(await loaded(block("page.yaml")))
    assert.deepStrictEqual(
      [options.port, options.mayMove, bots.map(({ name, url }) => [name, url])],
      [8190, false, [["alone", "http://127.0.0.1:8177"]]]
    )
    const far = await loaded(block("page.yaml").replace("127.0.0.1", "bot.example"))
    assert.match(Result.isFailure(far) ? far.failure.message : "", /page\.yaml:4:\d+: .*http only for this machine/)
    for (const wrong of ["token: canary", "tokne: canary", 'token: "canary', "token: { env: canary x }"]) {
      const leaked = await loaded(block("page.yaml").replace(/token: \{[^}]*\}/, wrong))
      const message = Result.isFailure(leaked) ? leaked.failure.message : ""
      assert.match(message, /page\.yaml:\d+:\d+: /, wrong)
      assert.notInclude(message, "canary", wrong)
    }
    rmSync(folder, { recursive: true })
  })

  it("stays unchanged if it has nothing of an account", () => {
    const plain = text.replace("budget: own", "budget: { base: 1 }").replace(/\d+\.?\d*% of \w+/g, "1")
    assert.strictEqual(Result.getOrThrow(filled(undefined, plain))[0]?.text, plain)
  })
})
