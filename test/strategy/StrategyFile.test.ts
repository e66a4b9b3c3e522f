import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import { render } from "../../src/strategy/Problem.ts"
import { parse } from "../../src/strategy/StrategyFile.ts"
import { processorMillis } from "../world/processorMillis.ts"
import { decideAt, integerBetween, markets, pick, price, problemsOf, random, strategyOf } from "./support.ts"
import { goodGrid, goodLadder } from "./wrongFiles.ts"

const shipped = readdirSync("strategies")
  .filter((file) => file.endsWith(".yaml"))
  .map((file) => `strategies/${file}`)

const good = [goodLadder, ...shipped.map((file) => readFileSync(file, "utf8"))]

describe("shipped strategies", () => {
  it.each(shipped)("are valid and place something: %s", (file) => {
    const parsed = parse(readFileSync(file, "utf8"), file, markets)
    if (Result.isFailure(parsed))
      throw new Error(parsed.failure.map(({ line, message }) => `${line} ${message}`).join("\n"))
    const { desired, absent } = decideAt(parsed.success, price("60000"))
    assert.isTrue(desired.length + absent.length > 0)
    assert.strictEqual(parsed.success.file, file)
  })
})

describe("strategy files", () => {
  it("keep the exact digits of prices and amounts, quoted or not", () => {
    const text = goodLadder
      .replace("3200", "3200.123456789012345678")
      .replace("to: 2400", 'to: "2400.000000000000000001"')
    const [first] = decideAt(strategyOf(text), price("1")).desired
    assert.strictEqual(Decimal.format(first?.legs[0].price ?? Decimal.zero), "3200.123456789012345678")
  })

  it("have sensible limits by default", () => {
    const { limits } = strategyOf(goodLadder)
    assert.deepStrictEqual(limits, {
      budget: { base: 0n, quote: 3_000_000_000n },
      maxOpenOrders: 100,
      maxPriceDeviation: price("0.05"),
      staleAfterMillis: 30_000
    })
  })

  it("have at most 500 basis points of app fees together with the service's own part", () => {
    const text = `terms: { appFees: { partner.near: 490 } }\n${goodLadder}`
    const messagesWith = (sharedFeeBasisPoints: number) =>
      Result.match(parse(text, "test.yaml", { ...markets, sharedFeeBasisPoints }), {
        onSuccess: () => [],
        onFailure: (problems) => problems.map(({ message }) => message)
      })
    assert.deepStrictEqual(messagesWith(10), [])
    assert.match(messagesWith(20).join("\n"), /with the service's own 20 the fees total 510 basis points/)
  })

  it("report every mistake at once, each with its line, carets and a suggestion", () => {
    const text = goodGrid
      .replace("name: btc", "name: BTC")
      .replace("USDC", "USDT")
      .replace("levels: 5", "levels: 0")
      .replace("lower", "lwoer")
    assert.strictEqual(
      problemsOf(text)
        .map((problem) => render(problem, text))
        .join("\n"),
      `test.yaml:1:7: expected a name of lower-case letters, digits and dashes (at most 64), found "BTC-grid"
  1 | name: BTC-grid
    |       ^^^^^^^^
    = for example "btc-grid"
test.yaml:2:9: no asset "USDT" in the configuration
  2 | market: BTC/USDT
    |         ^^^^^^^^
    = did you mean "USDC"?
test.yaml:10:3: unknown key "lwoer"
  10 |   lwoer: 50000
     |   ^^^^^
     = did you mean "lower"?
test.yaml:12:11: expected a whole number from 2 to 20001, found "0"
  12 |   levels: 0
     |           ^`
    )
  })

  it("may have line ends of any system and a byte order mark", () => {
    assert.deepStrictEqual(problemsOf(`\uFEFF${goodGrid.replaceAll("\n", "\r\n")}`), [])
    const [problem] = problemsOf(goodGrid.replace("levels: 5", "levels: 0").replaceAll("\n", "\r\n"))
    assert.deepStrictEqual([problem?.line, problem?.column, problem?.endColumn], [12, 11, 12])
  })

  it("have a hash of their content", () => {
    assert.match(strategyOf(goodGrid).hash, /^[0-9a-f]{64}$/)
    assert.notStrictEqual(strategyOf(goodGrid).hash, strategyOf(`${goodGrid}\n`).hash)
  })

  it("put no terminal control characters into a message", () => {
    const text = goodGrid.replace("btc-grid", '"\\e[2J\\u202e"').replace("BTC/USDC", "\u202eBTC/X")
    for (const problem of problemsOf(text)) assert.notMatch(render(problem, text), /[^\n\P{Cc}]|\p{Cf}/u)
  })
})

/** Edits as people and broken editors make them. */
const mutate = (next: () => number, text: string): string => {
  const at = integerBetween(next, 0, text.length)
  const end = Math.min(text.length, at + integerBetween(next, 1, 12))
  const lines = text.split("\n")
  const line = integerBetween(next, 0, lines.length - 1)
  const noise = pick(next, [
    ":",
    "- ",
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    "\t",
    "\n",
    "#",
    "&a ",
    "*a",
    "!x ",
    "|",
    ">",
    "%",
    "?",
    ",",
    "0",
    "-",
    "é",
    "\u0000",
    "  "
  ])
  return pick(next, [
    () => text.slice(0, at) + text.slice(end),
    () => text.slice(0, at) + noise + text.slice(at),
    () => text.slice(0, at) + noise + text.slice(end),
    () => lines.toSpliced(line, 1).join("\n"),
    () => lines.toSpliced(line, 0, lines[integerBetween(next, 0, lines.length - 1)] ?? "").join("\n"),
    () => lines.with(line, `${" ".repeat(integerBetween(next, 0, 4))}${lines[line]?.trim()}`).join("\n"),
    () => text.slice(0, at) + text.slice(at, end).repeat(integerBetween(next, 2, 30)) + text.slice(end)
  ])()
}

describe("mutated strategy files", () => {
  it("do not crash the reader, and every problem has a place in the file", () => {
    for (let seed = 1; seed <= 250; seed++) {
      const next = random(seed)
      let text = pick(next, [goodGrid, ...good])
      for (let edits = integerBetween(next, 1, 4); edits > 0; edits--) text = mutate(next, text)
      const lines = text.split("\n")
      for (const problem of problemsOf(text)) {
        const { line, column, endColumn, message } = problem
        const where = `seed ${seed}: ${line}:${column} ${message}`
        assert.isTrue(line >= 1 && line <= lines.length && message.length > 0, where)
        assert.isTrue(column >= 1 && column <= (lines[line - 1]?.length ?? 0) + 1, where)
        assert.isTrue(endColumn === undefined || endColumn > column, where)
        assert.include(render(problem, text), "^")
      }
    }
  })
})

describe("huge files", () => {
  it.each([
    ["[", "["],
    ["- ", "- "],
    ["{a: ", "{a: "],
    ["? ", "? "],
    ["quotes", '"'],
    ["lines", "a: 1\n"],
    ["keys", "k{}: 1\n"],
    ["anchors", "&a "],
    ["tags", "!a "],
    ["documents", "---\n"],
    ["aliases", "- *a\n"],
    ["tabs", "\t"],
    ["comments", "# x\n"]
  ])("of %s are refused in bounded time", (_, part) => {
    let index = 0
    const text = part.repeat(Math.floor(60_000 / part.length)).replace(/\{\}/g, () => String(index++))
    const millis = processorMillis(() => assert.isTrue(problemsOf(text).length > 0))
    assert.isBelow(millis, 5_000)
  })
})
