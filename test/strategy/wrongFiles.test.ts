import { assert, describe, it } from "@effect/vitest"
import { render } from "../../src/strategy/Problem.ts"
import { problemsOf } from "./support.ts"
import { goodGrid, goodLadder, wrongFiles } from "./wrongFiles.ts"

/** A good grid with one thing changed, and what is said to have been meant. */
const meant: ReadonlyArray<readonly [was: string, is: string, hint: string]> = [
  ["lower: 50000", "lower: 50.000,00", "write 50000.00: no separators, and the decimal sign is a point"],
  ["lower: 50000", "lower: 50,000", "write 50000: no separators"],
  ["lower: 50000", "lower: -50000", "it cannot be below zero"],
  ["quote: 1000", "quote: 1000 USDC", "write 1000: just the number"],
  ["quote: 1000", "quote: 1e3", "write the number out, without an exponent"],
  ["size: { base: 0.002 }", "size: { base: 0 }", "it must be above zero"],
  ["size: { base: 0.002 }", "size: { base: 0 BTC }", "it must be above zero"],
  ["quote: 1000", "quote: 0 USDC", "write 0: just the number"],
  ["maxOpenOrders: 20", "maxDailyLoss: 5%", "a share is not allowed here: write the number"],
  ["lower: 50000", "lower: 50k", "write the number out: it has no unit"],
  ["maxOpenOrders: 20", "quietHours: 8:00-17:30", "write 08:00-17:30: hours have two digits"],
  ["maxOpenOrders: 20", "quietHours: 08:00-08:00", "two different times, each as HH:MM"],
  ["maxPriceDeviation: 5%", "maxPriceDeviation: 0.05", "write 5% for 0.05"],
  ["maxPriceDeviation: 5%", "maxPriceDeviation: -5%", "it cannot be below zero"],
  ["staleAfter: 30s", "staleAfter: 30", "write 30s for seconds"],
  ["staleAfter: 30s", "staleAfter: 2 Hours", "write 2h"],
  ["staleAfter: 30s", "staleAfter: 0s", "a duration must be above zero: omit the key, or write at least 1s"],
  ["staleAfter: 30s", "staleAfter: 0", "a duration must be above zero: omit the key, or write at least 1s"],
  ["staleAfter: 30s", "staleAfter: 99999d", "at most 3650d"],
  ["staleAfter: 30s", "staleAfter: 1month", ""],
  ["spacing: geometric", "spacing: geometrical", 'did you mean "geometric"?'],
  ["  size: { base: 0.002 }\n", "", "size: of each cell"],
  ["side: buy", "side: BUY", 'did you mean "buy"?'],
  ["  rungs: 12\n", "", "rungs: how many orders (a whole number from 1 to 1000)"]
]

const unclosed = `name: dips
market: BTC/USDC
kind: rules
limits: { budget: { quote: 100 } }
rules:
  orders:
    dip: { when: rsi(close, 14) < 30, side: buy, price: mid, size: { quote: 10 } }
`

describe("wrong strategy files", () => {
  it("get a suggestion", () => {
    for (const [was, is, hint] of meant) {
      const file = [goodGrid, goodLadder].find((good) => good.includes(was)) ?? ""
      assert.strictEqual(problemsOf(file.replace(was, is))[0]?.hint ?? "", hint, is)
    }
    assert.match(problemsOf(unclosed)[0]?.hint ?? "", /put an expression with a comma inside \{ … \} in quotes/)
  })

  it("are made from valid ones", () => {
    assert.deepStrictEqual(problemsOf(goodGrid), [])
    assert.deepStrictEqual(problemsOf(goodLadder), [])
  })

  it.each(wrongFiles)("$says.0", ({ file, was, is, says }) => {
    assert.isTrue(file.includes(was), `the good file does not contain ${was}`)
    const text = file.replace(was, () => is)
    const problems = problemsOf(text)
    const said = problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
    const isAsSaid =
      said.length === says.length && said.every((problem, index) => problem.startsWith(says[index] ?? "?"))
    assert.isTrue(isAsSaid, `expected\n${says.join("\n")}\nfound\n${said.join("\n")}`)
    // An empty file has no line to point into.
    if (text !== "") for (const problem of problems) assert.include(render(problem, text), "^")
  })
})
