/** `search --suggest`: a program suggests the trials. Here it is a small one that climbs; Optuna speaks the same lines. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { limitbot } from "./backtesting.ts"

const folder = mkdtempSync(join(tmpdir(), "limitbot-suggest-"))
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const strategy = file(
  "grid.yaml",
  `name: g
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.5, quote: 20000 } }
grid: { lower: 35000, upper: 45000, levels: 11, size: { base: 0.01 } }
`
)
const candles = join(folder, "btc.csv")

/** Walks through the levels, and notes every line that it gets. */
const program = file(
  "walk.mjs",
  `import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"
const [log, how] = process.argv.slice(2)
let levels = []
let next = 0
for await (const line of createInterface({ input: process.stdin })) {
  appendFileSync(log, line + "\\n")
  const { space, ask = 0 } = JSON.parse(line)
  if (space !== undefined) levels = space[0].values
  for (let n = 0; n < ask; n += 1) {
    if (how === "dies" && next === 2) process.exit(3)
    const value = how === "strays" && next === 1 ? "999" : levels[next % levels.length]
    console.log(JSON.stringify({ id: "t" + next, values: { "grid.levels": value, "grid.upper": 45000 } }))
    next += 1
  }
}
`
)

const words = (log: string, how = "") => [
  "search",
  strategy,
  "--data",
  candles,
  "--set",
  "grid.levels=5..9:1",
  "--set",
  "grid.upper=45000,46000",
  "--threads",
  "2",
  "--suggest",
  `"${process.execPath}" "${program}" "${log}" ${how}`
]

const linesOf = (log: string): ReadonlyArray<Record<string, unknown>> =>
  readFileSync(log, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("sweep --suggest", () => {
  it.live("runs what a program suggests, reports the score back, and continues from stored results", () =>
    Effect.gen(function* () {
      yield* limitbot("data", "generate", candles, "--bars", "3000", "--price", "40000")
      const [log, again, out] = ["log", "again", "out.jsonl"].map((name) => join(folder, name))
      if (log === undefined || again === undefined || out === undefined) return assert.fail()
      const found = JSON.parse(yield* limitbot(...words(log), "--random", "7", "--out", out, "--json"))
      assert.strictEqual(found.trials, 5, "what is suggested twice runs once")
      const whole = words(log).slice(0, -2)
      const { best } = JSON.parse(yield* limitbot(...whole, "--set", "grid.levels=5..9:1", "--json"))
      const [first, ...told] = linesOf(log)
      assert.deepStrictEqual(
        [first?.["objective"], first?.["direction"], first?.["trials"], first?.["seed"]],
        ["profitQuote", "maximize", 7, 1]
      )
      assert.deepStrictEqual(
        told.flatMap(({ ask }) => ask ?? []),
        [2, 2, 2, 1]
      )
      const scores = new Map(told.flatMap(({ tell, score }) => (tell === undefined ? [] : [[tell, score] as const])))
      assert.strictEqual(scores.size, 7)
      assert.strictEqual(scores.get("t0"), scores.get("t5"))
      assert.include([...scores.values()], Number(found.best[0].profitQuote))
      assert.isAtLeast(Number(best[0].profitQuote), Number(found.best[0].profitQuote))
      const resumed = JSON.parse(yield* limitbot(...words(again), "--random", "8", "--out", out, "--json"))
      assert.deepStrictEqual([resumed.trials, resumed.resumed], [5, 5])
      assert.strictEqual(linesOf(again).filter(({ known }) => known !== undefined).length, 5)
    })
  )

  it.live("says what is wrong with the program", () =>
    Effect.gen(function* () {
      const log = join(folder, "wrong")
      for (const [how, message] of [
        ["dies", /ended before it had made all requested suggestions/],
        ["strays", /it suggests grid\.levels = 999; it must be one of 5, 6, 7, 8, 9/]
      ] as const) {
        const refused = yield* Effect.flip(limitbot(...words(log, how), "--random", "6"))
        assert.match(refused.message, message)
      }
      const chatty = [...words(log).slice(0, -1), "echo hello"]
      assert.match((yield* Effect.flip(limitbot(...chatty))).message, /"hello" is not a suggestion/)
      assert.match(
        (yield* Effect.flip(limitbot(...words(log), "--halve", "3"))).message,
        /--halve does not go with --suggest/
      )
    })
  )
})
